"""New files are stored a few in a transaction, as one by one."""

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.index_files import IndexOutcome
from hardwon.ports.override import override
from tests.conversations import talk
from tests.fakes.documents import MEMORY, InMemoryConversationFiles, InMemoryFiles, index_files
from tests.fakes.entries import InMemoryEntryRepository

REFUSED = "refused when it is stored"
INVALID = "half a pair: \ud800"
UNREADABLE, GONE = None, "gone"


def captured() -> list[str]:
    """Return the bodies of files with captured sections."""
    files = InMemoryConversationFiles()
    files.put([talk(), talk("Ship it.", minute=1), talk("Which port?", "ports", minute=2)])
    return [text.split("\n---\n", 1)[1] for text in files.files.values()]


BODIES = (*captured(), "one", "two", REFUSED, INVALID, UNREADABLE, GONE)
PATHS = ("conversations/a.md", "conversations/b.md", "decisions/c.md", "d.md", "e.md", "f.md")


class Store(InMemoryEntryRepository):
    """A store that refuses a text and counts transactions."""

    def __init__(self, files_at_once: int) -> None:
        super().__init__()
        self.files_at_once = files_at_once
        self.transactions, self._depth = 0, 0

    @override
    @contextmanager
    def transaction(self, of: object = None) -> Iterator[None]:
        self.transactions += not self._depth
        self._depth += 1
        try:
            with super().transaction():
                yield
        finally:
            self._depth -= 1

    @override
    def put(self, entry: Entry) -> None:
        if entry.description == REFUSED:
            raise InvalidEntryError("it is refused")
        super().put(entry)


class Indexing:
    """Files and the store that they are indexed into."""

    def __init__(self, files_at_once: int) -> None:
        self.store, self.files = Store(files_at_once), InMemoryFiles()
        self.progress = list[tuple[int, int, str]]()

    def index(self, changes: dict[str, str | None]) -> IndexOutcome:
        for path, body in changes.items():
            self.files.unreadable.discard(MEMORY + path)
            self.files.put(path, body or "")
            if body == GONE:
                del self.files.files[MEMORY + path]
            if body is UNREADABLE:
                self.files.unreadable.add(MEMORY + path)
        return index_files(self.files, self.store).index(
            progress=lambda *done: self.progress.append(done)
        )

    @property
    def stored(self) -> object:
        state = self.store.state
        entries = self.store.matching(EVERYTHING, limit=100)
        return entries, state.history, state.absent, state.tombstones, self.progress


changes = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(BODIES))


@given(first=changes, then=changes, files_at_once=st.integers(2, 5))
@example(first=dict.fromkeys(PATHS[:2], BODIES[0]), then={}, files_at_once=2)
@example(first={"d.md": "one"}, then={"d.md": GONE, "e.md": "one", "f.md": "one"}, files_at_once=2)
@example(first={"d.md": "one", "e.md": REFUSED, "f.md": "two"}, then={}, files_at_once=3)
def test_files_stored_together_are_stored_as_one_by_one(
    first: dict[str, str | None], then: dict[str, str | None], files_at_once: int
) -> None:
    together, one_by_one = Indexing(files_at_once), Indexing(1)

    for changed in (first, then):
        assert together.index(changed) == one_by_one.index(changed)
        assert together.stored == one_by_one.stored


def test_new_files_share_a_transaction() -> None:
    indexing = Indexing(files_at_once=3)

    indexing.index({f"{number}.md": f"text {number}" for number in range(7)})

    assert indexing.store.transactions == 3
