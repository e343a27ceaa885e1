"""Which files of a diff a lesson is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.retro.lesson import chosen_references, is_code
from tests.strategies import few_examples

paths = st.lists(
    st.sampled_from(
        [
            "src/reader.py",
            "docs/spec.md",
            "logo.svg",
            "a/b/Feed.java",
            "Makefile",
            "x.py",
            "uv.lock",
        ]
    )
    | st.from_regex(r"src/[a-z]{4,9}\.(py|md|ts)", fullmatch=True),
    max_size=30,
)
DIFF = ["docs/plan.md", "src/reader.py", "src/writer.py", "uv.lock"]


def test_a_file_is_mentioned_by_its_path_its_name_or_its_stem() -> None:
    assert chosen_references("see src/reader.py", DIFF) == ("src/reader.py",)
    assert chosen_references("see WRITER.PY:12", DIFF) == ("src/writer.py",)
    assert chosen_references("the reader stops", DIFF) == ("src/reader.py",)
    assert chosen_references("the readers stop", DIFF) == ("src/reader.py", "src/writer.py")


def test_a_document_that_is_mentioned_comes_with_code() -> None:
    assert chosen_references("as docs/plan.md says", DIFF) == (
        "docs/plan.md",
        "src/reader.py",
        "src/writer.py",
    )


def test_without_code_the_documents_are_it() -> None:
    assert chosen_references("anything", ["a.md", "docs/knowledge-bank/patterns.md"]) == ("a.md",)
    assert chosen_references("anything", []) == ()


def test_of_eleven_files_of_code_ten_are_named() -> None:
    diff = [f"src/{name}.py" for name in "abcdefghijk"]

    assert chosen_references("anything", diff) == tuple(diff[:10])


@few_examples
@given(text=st.text(max_size=60), diff=paths)
def test_at_least_one_file_of_code_when_there_is_one(text: str, diff: list[str]) -> None:
    chosen = chosen_references(text, diff)

    assert len(chosen) == len(set(chosen)) <= 10
    assert set(chosen) <= set(diff)
    usable = [path for path in diff if path != "uv.lock"]
    assert any(map(is_code, chosen)) == any(map(is_code, usable))
    assert bool(chosen) == bool(usable)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "docs/features/007-x/.meta.json",
            ".mcp.json",
            "uv.lock",
            "web/package-lock.json",
            "poetry.lock",
            "Cargo.lock",
        ),
        *(
            "yarn.lock",
            "pnpm-lock.yaml",
            "npm-shrinkwrap.json",
            "go.sum",
            "bun.lockb",
            "gradle.lockfile",
            "Gemfile.lock",
        ),
        *("packages.lock.json", "PACKAGE-LOCK.JSON"),
    ],
)
def test_no_lock_and_no_settings_of_a_tool_are_referred_to(path: str) -> None:
    assert chosen_references(f"see {path}", [path]) == ()
    assert chosen_references(f"see {path}", [path, "src/reader.py"]) == ("src/reader.py",)


@pytest.mark.parametrize(
    "path", ["src/lock.py", "package.json", "tsconfig.json", "a/meta.json", "src/deadlock.json"]
)
def test_a_file_that_only_looks_like_a_lock_file_is_referred_to(path: str) -> None:
    assert chosen_references("anything", [path]) == (path,)
