import pytest

from hardwon.domain.model.context_query import ContextQuery, Feature

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


def test_a_description_is_cut_at_a_hundred_words() -> None:
    words = [f"word{number}" for number in range(150)]
    query = ContextQuery(feature=Feature(slug="s", description=" ".join(words), phase="p"))

    assert query.compose() == f"s: {' '.join(words[:100])}. Phase: p"


def test_a_description_is_one_line() -> None:
    query = ContextQuery(feature=Feature(slug="s", description=" two\n\nwords\t", phase="p"))

    assert query.compose() == "s: two words. Phase: p"


def test_at_most_twenty_files_are_named() -> None:
    files = tuple(f"file{number}" for number in range(25))

    assert ContextQuery(files=files).compose() == f"Files: {' '.join(files[:20])}"
