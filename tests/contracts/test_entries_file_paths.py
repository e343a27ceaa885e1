"""Entries of files: their paths, and dropping the vectors of some of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, EntryFilter, Scope
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind
from tests.contracts.worlds import ALL, MakeWorld, on_every_implementation
from tests.strategies import FILE_KINDS, all_entries, few_examples, lesson, of_file, planted

pytestmark = on_every_implementation

stores = st.lists(all_entries, max_size=8, unique_by=lambda entry: entry.entry_id)
ANCHOR = "0123456789abcdef"
prefixes = st.sampled_from(
    ["", "/", "/memory/", "/memory/decision", "/memory/session/", "/memory/%", "café"]
)


@given(stored=stores, prefix=prefixes)
@few_examples
def test_paths_of_files_are_found_by_how_they_begin(
    make: MakeWorld, stored: list[Entry], prefix: str
) -> None:
    with make() as world:
        world.add(*stored)

        paths = {entry.file_path for entry in stored if entry.file_path}
        assert world.repository.files_starting_with(prefix) == sorted(
            path for path in paths if path.startswith(prefix)
        )


@pytest.mark.parametrize("project", ["here", "there"])
def test_only_the_texts_asked_for_are_given(make: MakeWorld, project: str) -> None:
    entries = [
        of_file("one", path="1.md", project="here"),
        of_file("two", path="2.md", project="there"),
        lesson("three"),
    ]
    only = EntryFilter(kinds=FILE_KINDS, scope=Scope((project,) if project else ()))
    with make() as world:
        world.embed_all(dict.fromkeys(world.add(*entries), planted(0.6)))

        [text] = world.vectors.texts(ALL, only=only)
        assert world.repository.hydrate([text.number])[0].project == project


@pytest.mark.parametrize("kind", CONVERSATION_KINDS)
def test_a_captured_section_is_one_entry_wherever_it_stands_with_its_number_and_vector(
    make: MakeWorld, kind: Kind
) -> None:
    here, there = (
        of_file("Said.", kind=kind, path=path, anchor_id=ANCHOR) for path in ("1.md", "2.md")
    )
    with make() as world:
        world.embed_all(dict.fromkeys(world.add(here), planted(0.6)))
        world.add(there)

        assert world.repository.by_id(ANCHOR) == there
        assert world.repository.count(EVERYTHING) == 1
        assert (
            world.repository.of_file(here.file_path or ""),
            world.vectors.count(EVERYTHING),
        ) == ([], 1)
        assert world.repository.of_file(there.file_path or "") == [there]


def test_a_section_of_a_document_is_another_entry_in_each_file(make: MakeWorld) -> None:
    sections = [
        of_file("Said.", kind="document", path=path, anchor_id=ANCHOR) for path in ("1.md", "2.md")
    ]
    with make() as world:
        world.add(*sections)

        assert world.repository.count(EVERYTHING) == 2
