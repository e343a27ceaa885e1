import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.context import Branch, ContextQuery, Feature
from hardwon.domain.model.keywords import words_of
from hardwon.domain.model.text import identifier_words

FEATURE = Feature(slug="semantic-memory", description="Remembers lessons", phase="design")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            ContextQuery(feature=FEATURE, files=("a.py", "b.py")),
            "semantic-memory: Remembers lessons. Phase: design. Files: a.py b.py",
        ),
        (ContextQuery(feature=FEATURE), "semantic-memory: Remembers lessons. Phase: design"),
        (
            ContextQuery(feature=Feature(slug="semantic-memory"), files=("a.py",)),
            "semantic-memory. Phase: unknown. Files: a.py",
        ),
        (ContextQuery(feature=Feature(slug="semantic-memory")), "semantic-memory. Phase: unknown"),
        (ContextQuery(feature=Feature(slug="", description="Lessons")), "Lessons. Phase: unknown"),
        (ContextQuery(files=("a.py", "b c.py")), "Files: a.py b c.py"),
        (ContextQuery(), None),
    ],
    ids=["all", "no files", "no description", "only a slug", "no slug", "only files", "nothing"],
)
def test_absent_parts_drop_with_their_separators(query: ContextQuery, expected: str | None) -> None:
    assert query.compose() == expected


@pytest.mark.parametrize(
    ("query", "composed", "keywords"),
    [
        (
            ContextQuery(
                FEATURE._replace(slug="041-semantic-memory", description="Keeps lessons."),
                ("src/store/keepLesson.ts", "package.json", "src/other.ts"),
                Branch("feature/12-ranking", ("Rank by relevance", "Read the index")),
            ),
            (
                "typescript npm node. ranking. semantic memory. Keeps lessons. Rank by relevance."
                " Read the index. src/store/keepLesson.ts package.json src/other.ts"
            ),
            (
                "ranking semantic memory Keeps lessons Rank by relevance Read the index store"
                " keepLesson keep Lesson package other"
            ),
        ),
        (
            ContextQuery(Feature("041-csv-import"), branch=Branch("fix/041-csv-import")),
            "csv import",
            "csv import",
        ),
        (ContextQuery(files=("Dockerfile",), branch=Branch()), "docker. Dockerfile", "Dockerfile"),
        (ContextQuery(branch=Branch("main")), None, ""),
        (ContextQuery(branch=Branch("develop")), None, ""),
        (ContextQuery(branch=Branch("release/2.4")), None, ""),
        (ContextQuery(branch=Branch()), None, ""),
        (ContextQuery(branch=Branch("fix/größe_der-Datei2")), *["größe der Datei2"] * 2),
    ],
    ids=[
        *("all", "a branch named after its feature", "only files", "main", "develop", "a release"),
        *("nothing", "in another language"),
    ],
)
def test_present_work_is_rendered_as_words_on_its_subject(
    query: ContextQuery, composed: str | None, keywords: str
) -> None:
    assert query.compose() == composed
    assert query.keyword_text == keywords


def test_no_secret_of_a_branch_or_commit_is_searched() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    query = ContextQuery(branch=Branch(f"try-{key}", (f"Use {key} for now",)))

    assert key not in (query.public or "")
    assert key not in query.keyword_text


def test_a_description_is_cut_at_a_hundred_words() -> None:
    words = [f"word{number}" for number in range(150)]
    query = ContextQuery(feature=Feature(slug="s", description=" ".join(words), phase="p"))

    assert query.compose() == f"s: {' '.join(words[:100])}. Phase: p"
    assert query.keyword_text == f"s: {' '.join(words[:100])}"


@pytest.mark.parametrize(
    ("description", "composed"),
    [
        ("Reads feeds.", "s: Reads feeds. Phase: p"),
        ("And so on...", "s: And so on... Phase: p"),
        (".", "s. Phase: p"),
    ],
)
def test_a_full_stop_at_the_end_of_a_description_is_not_doubled(
    description: str, composed: str
) -> None:
    assert ContextQuery(feature=Feature("s", description, "p")).compose() == composed


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/auth/login_handler.py", "auth login_handler"),
        ("tests/unit/parseRequest.test.ts", "unit parseRequest parse Request"),
        ("docs/features/007-csv/spec.md", "007-csv spec"),
        ("lib/HTTPServer.java", "HTTPServer HTTP Server"),
        ("Acme.Billing.Invoice.cs", "Acme.Billing.Invoice"),
        ("backup.tar.gz", "backup"),
        (".github/dependabot.yml", "dependabot"),
        (".env", "env"),
        ("SRC/Makefile", "Makefile"),
        ("src/.py/", ".py"),
        ("", ""),
    ],
)
def test_of_a_file_the_stem_its_identifiers_and_uncommon_folders_are_keywords(
    path: str, words: str
) -> None:
    assert ContextQuery(files=(path,)).keyword_text == words


def test_no_label_and_no_phase_is_a_keyword() -> None:
    query = ContextQuery(FEATURE, ("src/a.py", "docs/b.py"))

    assert query.keyword_text == "semantic-memory: Remembers lessons a b"
    assert ContextQuery().keyword_text == ""


def test_no_secret_is_a_keyword() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    query = ContextQuery(Feature("s", f"Sign with {key}."), (f"keys/{key}.pem", "aSafeName.pem"))

    assert query.keyword_text.split() == [
        "s:",
        "Sign",
        "with",
        "keys",
        "aSafeName",
        "a",
        "Safe",
        "Name",
    ]


@given(
    st.builds(
        ContextQuery,
        st.none() | st.builds(Feature, st.text(), st.text(), st.text()),
        st.lists(st.text(), max_size=25).map(tuple),
    )
)
def test_every_keyword_is_a_word_of_a_value(query: ContextQuery) -> None:
    feature = query.feature or Feature("")
    branch = query.branch or Branch()
    values = " ".join(
        (feature.slug, feature.description, *query.files, branch.name, *branch.subjects)
    )

    assert {*words_of(query.keyword_text)} <= {
        *words_of(values),
        *words_of(" ".join(identifier_words(values))),
    }


def test_a_description_is_one_line() -> None:
    query = ContextQuery(feature=Feature(slug="s", description=" two\n\nwords\t", phase="p"))

    assert query.compose() == "s: two words. Phase: p"


def test_at_most_twenty_files_are_named() -> None:
    files = tuple(f"file{number}" for number in range(25))

    assert ContextQuery(files=files).compose() == f"Files: {' '.join(files[:20])}"
    assert ContextQuery(files=files).keyword_text == " ".join(files[:20])
