import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import headings
from hardwon.domain.model.document import context_type_of
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, ContextType


@pytest.mark.parametrize(
    ("name", "title", "context_type"),
    [
        ("01-02-26_10-20__adr-012.md", "Storage", "decision"),
        ("notes.md", "Decision: one file", "decision"),
        ("notes.md", "Architecture of the store", "decision"),
        ("fix-login.md", "", "discovery"),
        ("notes.md", "Root cause analysis", "discovery"),
        ("investigation_of_locks.md", "", "research"),
        ("notes.md", "Implementing the parser", "implementation"),
        ("notes.md", "Research for a decision", "decision"),
        ("cause.md", "Root of all", None),
        ("prefix.md", "Affixes", None),
        ("", "", None),
    ],
)
def test_words_of_name_and_title_tell(
    name: str, title: str, context_type: ContextType | None
) -> None:
    assert context_type_of(name, title, ["Bug"]) == (context_type or "discovery")


@pytest.mark.parametrize(
    ("body", "context_type"),
    [
        ("# Notes\n\n## Analysis\n\n### Investigation\n", "research"),
        ("# Notes\n\n## Decisions\n\n## Implementation guide\n", None),
        ("a bug, a decision and some research", None),
        ("```\n# fix\n```\n<!-- # bug -->\n", None),
        ("Root\n\n# cause\n", None),
    ],
)
def test_headings_tell_when_they_agree_and_prose_never_does(
    body: str, context_type: ContextType | None
) -> None:
    assert context_type_of("notes.md", "Notes", headings(body)) == context_type


@given(name=st.text(), title=st.text(), found=st.lists(st.text()))
def test_any_text_gives_a_type_but_never_the_default(
    name: str, title: str, found: list[str]
) -> None:
    assert context_type_of(name, title, found) in {None, *CONTEXT_TYPES} - {"general"}
