"""Citations in references and texts, and the files that they name."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.citations import (
    MAX_CITATIONS,
    CitationKind,
    citations_of,
    cited_words,
    names,
    tokens_of,
    tokens_to_find,
)

REFERENCES: list[tuple[str, CitationKind, str, int, str]] = [
    ("src/db/pool.py", "file", "src/db/pool.py", 0, ""),
    ("src/db/pool.py:40", "file", "src/db/pool.py", 40, ""),
    ("src/db/pool.py:40:7", "file", "src/db/pool.py", 40, ""),
    ("src/db/pool.py:40-60", "file", "src/db/pool.py", 40, ""),
    ("src/db/pool.py#L40-L60", "file", "src/db/pool.py", 40, ""),
    ("src/feed.ts(12,5)", "file", "src/feed.ts", 12, ""),
    ("src/Feed.cs(12)", "file", "src/Feed.cs", 12, ""),
    ("tests/test_x.py::test_y", "file", "tests/test_x.py", 0, "test_y"),
    ("tests/test_x.py::TestX::test_y", "file", "tests/test_x.py", 0, "TestX::test_y"),
    ("src/Pool.java#close", "file", "src/Pool.java", 0, "close"),
    ("pay/hook.go (TestSettle)", "file", "pay/hook.go", 0, "TestSettle"),
    ("./web/vite.config.ts", "file", "web/vite.config.ts", 0, ""),
    ("docs/a b.md", "file", "docs/a b.md", 0, ""),
    ("src\\win\\main.c", "file", "src/win/main.c", 0, ""),
    ("C:\\src\\x.c:3", "file", "c:/src/x.c", 3, ""),
    ("/srv/app/.env", "file", "/srv/app/.env", 0, ""),
    ("Makefile", "file", "Makefile", 0, ""),
    ("src/db/", "folder", "src/db", 0, ""),
    ("src/db", "folder", "src/db", 0, ""),
    ("**/*.sql", "glob", "**/*.sql", 0, ""),
    ("src/*/", "glob", "src/*/**", 0, ""),
    ("*.{ts,tsx}", "glob", "*.{ts,tsx}", 0, ""),
    ("https://sqlite.org/wal.html", "url", "https://sqlite.org/wal.html", 0, ""),
]


@pytest.mark.parametrize(("reference", "kind", "path", "line", "symbol"), REFERENCES)
def test_a_reference_has_a_kind_a_path_and_a_place(
    reference: str, kind: CitationKind, path: str, line: int, symbol: str
) -> None:
    assert [cited[:4] for cited in citations_of([reference])] == [(kind, path, line, symbol)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Close it in `src/db/pool.py:40` and `tests/test_x.py::test_y`.", 2),
        ("Run `pytest tests/test_x.py -k late`, see `docs/a b.md`.", 2),
        ("The defaults in `pid.c`, `Makefile` and `src/db/`.", 3),
        ("Never `os.path.join(a, b)` nor `practice.allows(user)`.", 0),
        ("`origin/main`, `and/or`, `application/json`, `n/a`, `workspace = true`", 0),
        ("`/* eslint-disable */`, `SELECT *`, `**kwargs`, `a * b`, `*/5 * * * *`", 0),
        ("`../secret.py` and `~`, ` `, `.`, `/`", 0),
        ("src/db/pool.py without quotes", 0),
    ],
)
def test_paths_in_backticks_are_citations(text: str, paths: int) -> None:
    assert len(citations_of((), [text])) == paths


@pytest.mark.parametrize("reference", ["csv-import", "PR #45", "Feature 7", "", "3.11", "a" * 301])
def test_other_references_cite_nothing(reference: str) -> None:
    assert not citations_of([reference])


NAMED = [
    ("src/db/pool.py", "src/db/pool.py"),
    ("db/pool.py", "src/db/pool.py"),
    ("pool.py", "src/db/pool.py"),
    ("pool.py", "src\\db\\pool.py"),
    ("src/db/pool.py", "/elsewhere/src/db/pool.py"),
    ("/srv/shop/src/db/pool.py", "src/db/pool.py"),
    ("/srv/shop/src/db/pool.py", "/srv/shop/src/db/pool.py"),
    ("C:\\shop\\src\\pool.c", "c:/shop/src/pool.c"),
    ("README.md", "README.md"),
    ("src/index.ts", "src/index.ts"),
    ("api/index.ts", "web/api/index.ts"),
    ("src/db/", "src/db/deep/pool.py"),
    ("db/", "src/db/pool.py"),
    ("docs/", "docs/a.md"),
    ("/srv/shop/db/", "db/pool.py"),
    ("bin/run/", "bin/run/all"),
    ("bin/shop", "bin/shop"),
    ("*.sql", "a/b/c.sql"),
    ("**/*.sql", "c.sql"),
    ("src/**", "src/a/b.py"),
    ("src/*/x.py", "src/a/x.py"),
    ("src/**/x.py", "src/x.py"),
    ("tools/*.py", "/elsewhere/tools/a.py"),
    ("app/[id]/*.tsx", "app/[id]/page.tsx"),
    ("{api,web/src}/*.ts", "web/src/a.ts"),
    ("{a,{b,c}}/x*.ts", "c/x1.ts"),
    ("cafe\u0301.md", "docs/caf\u00e9.md"),
]
NOT_NAMED = [
    ("src/db/pool.py", "db/pool.py"),
    ("pool.py", "src/db/whirlpool.py"),
    ("src/db/pool.py", "src/db/pool.pyi"),
    ("README.md", "web/README.md"),
    ("index.ts", "web/index.ts"),
    ("src/index.ts", "web/src/index.ts"),
    ("__init__.py", "src/__init__.py"),
    ("/srv/shop/README.md", "README.md"),
    ("/srv/shop/src/db/pool.py", "/srv/other/src/db/pool.py"),
    ("src/db/", "src/dbx/pool.py"),
    ("docs/", "web/docs/a.md"),
    ("*.sql", "a.sqlite"),
    ("src/*.py", "src/a/b.py"),
    ("tools/*.py", "web/tools/a.py"),
    ("src/?.py", "src/ab.py"),
    ("https://shop.example/src/db/pool.py", "src/db/pool.py"),
    ("pool.py", ""),
]


@pytest.mark.parametrize(
    ("reference", "opened", "is_named"),
    [*((*pair, True) for pair in NAMED), *((*pair, False) for pair in NOT_NAMED)],
)
def test_a_citation_names_files(reference: str, opened: str, *, is_named: bool) -> None:
    [citation] = citations_of([reference])

    assert names(citation, opened) is is_named


words = st.text("abcxyz019_-", min_size=1, max_size=6)
extensions = st.sampled_from(["py", "c", "sql", "tsx"])
files = st.builds(
    lambda folders, stem, extension: "/".join((*folders, f"q{stem}.{extension}")),
    st.lists(words, max_size=4),
    words,
    extensions,
)


@given(files, st.lists(words, max_size=3), st.integers(0, 4))
def test_a_path_names_files_by_its_end_on_whole_parts(
    path: str, before: list[str], dropped: int
) -> None:
    end = "/".join(path.split("/")[dropped:]) or path
    [citation] = citations_of([end])

    assert names(citation, "/".join((*before, path)))
    assert not names(citation, f"{'/'.join((*before, path))}x")
    assert not names(citation, f"{path[: -len(end)]}x{end}")


references = (
    files | st.builds(lambda path: f"{path}/", files) | st.sampled_from([pair[0] for pair in NAMED])
)


@given(references, files | st.sampled_from([pair[1] for pair in NAMED]))
@example("src/**/*.py", "src/db/pool.py")
def test_a_named_file_has_a_token_of_the_citation(reference: str, opened: str) -> None:
    cited = citations_of([reference])
    shared = {*tokens_of(cited)} & {*tokens_to_find(opened)}

    assert shared or not any(names(citation, opened) for citation in cited)


@example("`{src,}/{a.py,}`")
@example("{,}/{,}")
@given(st.text(max_size=80) | st.text("/\\*?{},.:#`() ab", max_size=60))
@example("{a,b}" * 12 + "*")
@example("::" * 40 + "(")
def test_any_text_is_read(text: str) -> None:
    cited = citations_of([text], [f"`{text}`", text])

    assert len(cited) <= MAX_CITATIONS
    for citation in cited:
        names(citation, text)
    assert len(tokens_of(cited)) == len({*tokens_of(cited)})
    assert len(tokens_to_find(text)) == len({*tokens_to_find(text)})


def test_many_citations_are_read_up_to_a_bound() -> None:
    many = citations_of([f"src/a{number}.py" for number in range(200)])

    assert len(many) == MAX_CITATIONS
    assert len(tokens_to_find("/".join("abcdefghij" * 9))) < len("x" * 64)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("src/zebra_quux.py", "zebra_quux"),
        ("src/herd/readRows.py::test_gallop", "herd readRows read Rows test_gallop"),
        ("https://sqlite.org/wal.html", "sqlite.org wal"),
        ("src/", ""),
        ("csv-import", ""),
    ],
)
def test_the_words_of_a_reference_are_searched(reference: str, expected: str) -> None:
    assert cited_words([reference]).split() == expected.split()
