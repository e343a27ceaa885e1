"""A memory is named by its number or its id, however a model writes them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnknownEntryError
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.mcp.references import find
from tests.entrypoints.programs import database_of
from tests.strategies import lesson


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = open_memory(
        Settings(global_store=str(tmp_path), embedding_provider="off"), pytest.fail
    )
    with contextlib.closing(memory):
        yield memory


def kept(memory: Memory, entry: Entry) -> Entry:
    memory.repository.put(entry)
    [stored] = [item for item in [memory.repository.by_id(entry.entry_id)] if item]
    return stored


def test_a_memory_is_found_by_its_number_or_its_id_as_a_model_may_write_them(
    memory: Memory,
) -> None:
    kept(memory, lesson("another"))
    entry = kept(memory, lesson("zebra"))

    references: list[int | str] = [
        2,
        "2",
        " 2\n",
        "0002",
        entry.entry_id,
        entry.entry_id.upper(),
        f" {entry.entry_id} ",
    ]
    assert [find(memory.repository, reference) for reference in references] == [entry] * len(
        references
    )


def test_a_reference_that_is_an_id_and_a_number_is_the_id(memory: Memory) -> None:
    entry, other = kept(memory, lesson("zebra")), kept(memory, lesson("another"))
    digits = "1234567890123456"
    for column, value, entry_id in (
        ("id", digits, entry.entry_id),
        ("seq", int(digits), other.entry_id),
    ):
        database_of(memory).rows("PRAGMA foreign_keys = OFF")
        database_of(memory).rows(f"UPDATE entry SET {column} = ? WHERE id = ?", (value, entry_id))

    assert memory.repository.ids_starting_with(digits, 2) == [digits]
    assert (
        find(memory.repository, digits).description
        == find(memory.repository, int(digits)).description
        == "zebra"
    )


@pytest.mark.parametrize(
    "reference", [0, -1, 3, 10**30, "", "-1", "1.0", "f" * 16, "f" * 15, "9" * 30, "٣", "null"]
)
def test_an_unknown_memory_is_refused_with_its_name(memory: Memory, reference: int | str) -> None:
    kept(memory, lesson("zebra"))
    with pytest.raises(UnknownEntryError) as caught:
        find(memory.repository, reference)

    assert str(caught.value).startswith(
        f"no memory has the id {str(reference)!r}: give its number or its 16 hex digits"
    )
