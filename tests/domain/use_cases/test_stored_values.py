import attrs
import pytest

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_entry import Defaults
from hardwon.domain.use_cases.stored_values import record_given, without_file_values
from tests.fakes.activity import InMemoryHistory
from tests.fakes.state import State
from tests.strategies import NOW

FULL = Entry(
    kind="document",
    name="Parser",
    description="It reads lines.",
    file_path="/app/specs/a/memory/b.md",
    created_at=NOW,
    updated_at=NOW,
    number=1,
    tier="critical",
    importance_weight=0.9,
    keywords=("k",),
    tags=("a", "b"),
    references=("c.py",),
    trigger_phrases=("it reads",),
    permanent=True,
    context_type="research",
    channel="main",
    session_id="first",
)
BARE = attrs.evolve(
    FULL,
    keywords=(),
    tags=(),
    references=(),
    trigger_phrases=(),
    permanent=False,
    context_type="general",
    channel=None,
    session_id=None,
)


@pytest.fixture
def history() -> InMemoryHistory:
    return InMemoryHistory(State())


def test_without_a_change_all_but_importance_is_from_the_file(history: InMemoryHistory) -> None:
    assert without_file_values(FULL, history) == BARE
    assert (
        without_file_values(FULL, history, Defaults(context_type="decision")).context_type
        == "decision"
    )


def test_all_that_a_user_gave_is_kept(history: InMemoryHistory) -> None:
    record_given(history, BARE, FULL, NOW)

    assert without_file_values(FULL, history) == FULL


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ([("[]", '["a"]')], ("a",)),
        ([('["b"]', '["a", "b"]')], ("a",)),
        ([("[]", '["a"]'), ('["a"]', '["a", "b"]')], ("a", "b")),
        ([("[]", '["a", "b"]'), ('["a", "b"]', '["b"]')], ("b",)),
        ([("[]", '["c"]')], ()),
        ([("[]", '["a"]'), ('["a"]', "[]")], ()),
        ([(None, '["a"]')], ("a",)),
        ([("no list", "{")], ()),
        ([("1", "2")], ()),
    ],
)
def test_the_texts_that_a_user_added_to_a_list_are_kept(
    history: InMemoryHistory, changes: list[tuple[str | None, str]], kept: tuple[str, ...]
) -> None:
    for old, new in changes:
        history.record(1, [FieldChange("tags", old, new)], NOW)

    assert without_file_values(FULL, history).tags == kept


def test_a_flag_is_a_users_if_the_last_change_set_it(history: InMemoryHistory) -> None:
    for new, kept in (("true", True), ("false", False), ("true", True)):
        history.record(1, [FieldChange("permanent", None, new)], NOW)
        assert without_file_values(FULL, history).permanent is kept


def test_a_section_and_an_entry_without_a_number_have_nothing_from_a_file(
    history: InMemoryHistory,
) -> None:
    for entry in (attrs.evolve(FULL, anchor_id="a"), attrs.evolve(FULL, number=None)):
        assert without_file_values(entry, history) == entry
