"""The outbox takes what fits, keeps it to the user, and says what waits."""

import datetime as dt
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite import outbox
from hardwon.adapters.sqlite.outbox import FIRST_NUMBER, Outbox, open_outbox, waiting_in
from hardwon.adapters.sqlite.store import BlockIndex
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import ForgottenError, StorageError
from tests.strategies import NOW

ANN = "postgresql://ann@db.example.org/memory"
BLOCKS = BlockIndex(NumpyVectorIndex, pack_block)


def lesson(number: int) -> Entry:
    at = NOW + dt.timedelta(seconds=number)
    return Entry(
        name="A lesson",
        description=f"Lesson {number} of the zanthemur.",
        category="patterns",
        created_at=at,
        updated_at=at,
    )


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Outbox]:
    with closing(open_outbox(str(tmp_path), ANN, "", blocks=BLOCKS)) as opened:
        yield opened


def test_it_is_full_at_its_number_of_entries(
    opened: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_ENTRIES", 3)
    for number in range(3):
        opened.entries.put(lesson(number))
    with pytest.raises(
        StorageError, match="the outbox is full: 3 entries wait for postgresql://ann@"
    ):
        opened.entries.put(lesson(3))
    opened.entries.delete(lesson(0).entry_id)
    opened.entries.put(lesson(3))

    assert opened.entries.by_id(lesson(3).entry_id)


def test_its_limits_are_those_of_the_documents() -> None:
    assert (outbox.MAX_ENTRIES, outbox.MAX_BYTES) == (10_000, 64_000_000)


def test_it_is_full_at_its_size_and_has_room_again_when_it_was_sent(
    opened: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        opened.entries.put(lesson(number))
    used = opened.database.value(outbox.USED)
    monkeypatch.setattr(outbox, "MAX_BYTES", used)
    with pytest.raises(StorageError, match="the outbox is full: 300 entries"):
        opened.entries.put(lesson(300))
    for number in range(300):
        opened.entries.delete(lesson(number).entry_id)
    opened.entries.put(lesson(300))

    assert opened.database.value(outbox.USED) < used


def test_only_the_user_may_read_it(opened: Outbox, tmp_path: Path) -> None:
    opened.entries.put(lesson(1))
    [folder] = tmp_path.glob("outbox-*")

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("memory.db*")} == {0o600}
    assert opened.database.value("PRAGMA synchronous") == 2  # an acknowledged entry is on disk


def test_no_number_names_another_entry_on_the_server(opened: Outbox) -> None:
    opened.entries.put(lesson(1))
    known = opened.entries.by_id(lesson(1).entry_id)

    assert known
    assert known.number == FIRST_NUMBER


def test_each_server_has_its_own(opened: Outbox, tmp_path: Path) -> None:
    bob = ANN.replace("ann", "bob")
    opened.entries.put(lesson(1))
    with closing(open_outbox(str(tmp_path), bob, "", blocks=BLOCKS)) as other:
        other.entries.put(lesson(2))
        other.entries.put(lesson(3))

    found = {waiting.destination: waiting.entries for waiting in waiting_in(str(tmp_path))}
    assert found == {ANN: 1, bob: 2}


@pytest.mark.usefixtures("opened")
def test_an_empty_one_and_a_store_without_any_wait_for_nothing(tmp_path: Path) -> None:
    assert waiting_in(str(tmp_path)) == []
    assert waiting_in(str(tmp_path / "nowhere")) == []


@pytest.mark.parametrize(
    ("noted", "waits", "then", "kept"),
    [
        ("", True, "1 ann", "1 ann"),
        ("1 ann", True, "2 ann", "1 ann"),
        ("1 ann", False, "2 ann", "2 ann"),
    ],
    ids=["unknown", "of another one", "empty"],
)
def test_it_knows_whose_entries_wait(
    opened: Outbox, noted: str, then: str, kept: str, *, waits: bool
) -> None:
    if noted:
        opened.note_member(noted)
    if waits:
        opened.entries.put(lesson(1))
    opened.note_member(then)

    assert opened.member == opened.metadata.member == kept


def test_it_refuses_what_was_forgotten_on_the_server(opened: Outbox) -> None:
    opened.entries.forgotten.add("x", [lesson(1).description], NOW)
    with pytest.raises(ForgottenError):
        opened.entries.put(lesson(1))
