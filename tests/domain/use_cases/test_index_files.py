from collections.abc import Callable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document import MarkdownDocument
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.index_files import IndexOutcome
from hardwon.ports.override import override
from tests.fakes.activity import InMemoryUsageLog
from tests.fakes.documents import MEMORY, ROOT, SPECS, WRITTEN_AT, InMemoryFiles, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import NOW, lesson, of_file

PATHS = ("decisions/a.md", "gotchas/b.md", "sessions/c.md", "d.md")


class Indexing:
    """A project's files and the store they are indexed into."""

    def __init__(self) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.index = index_files(self.files, self.repository)

    def entries(self) -> dict[str, Entry]:
        entries = self.repository.matching(EVERYTHING, limit=100)
        return {(entry.file_path or "").removeprefix(MEMORY): entry for entry in entries}


@pytest.fixture
def indexing() -> Indexing:
    return Indexing()


class ChangedWhileRead(InMemoryFiles):
    """Files of which another process changes and indexes one, right after it was read."""

    meanwhile: Callable[[], object] | None = None

    @override
    def read(self, path: str) -> MarkdownDocument:
        document = super().read(path)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return document


def test_an_older_text_does_not_replace_that_of_another_process() -> None:
    files, repository = ChangedWhileRead(), InMemoryEntryRepository()
    path = MEMORY + PATHS[-1]
    files.put(PATHS[-1], "# Old")

    def save() -> None:
        files.put(PATHS[-1], "# New")
        index_files(files, repository).index_file(path)

    files.meanwhile = save
    index_files(files, repository).index()

    assert [entry.name for entry in repository.matching(EVERYTHING, limit=9)] == ["New"]


def counts(indexed: IndexOutcome) -> tuple[int, int, int, int, int]:
    return (
        len(indexed.new),
        len(indexed.changed),
        indexed.unchanged,
        len(indexed.removed),
        len(indexed.skipped),
    )


steps = st.lists(
    st.tuples(st.sampled_from(PATHS), st.sampled_from(["one", "two", None])), max_size=6
)


@given(before=steps, after=steps, force=st.booleans())
def test_after_any_change_of_files_the_store_equals_them(
    before: list[tuple[str, str | None]], after: list[tuple[str, str | None]], *, force: bool
) -> None:
    indexing = Indexing()
    for changes in (before, after):
        for path, body in changes:
            if body is None:
                indexing.files.files.pop(MEMORY + path, None)
            else:
                indexing.files.put(path, body)
        planned = indexing.index.index(force=force, dry_run=True)
        assert indexing.index.index(force=force) == planned

    texts = {
        file.path.removeprefix(MEMORY): file.markdown.body for file in indexing.files.files.values()
    }
    assert {path: entry.description for path, entry in indexing.entries().items()} == texts


def test_the_memory_of_spec_folders_is_indexed_and_forgotten_with_the_project(
    indexing: Indexing,
) -> None:
    for name in ("005-memory/memory/a.md", "005-memory/spec.md", "049-auth/memory/deep/b.md"):
        indexing.files.put(SPECS + name, name)

    assert counts(indexing.index.index()) == (2, 0, 0, 0, 0)
    assert indexing.files.of_spec_folder("049-auth").files == (f"{SPECS}049-auth/memory/deep/b.md",)
    indexing.files.files.clear()
    assert counts(indexing.index.index()) == (0, 0, 0, 2, 0)


@given(steps)
def test_a_dry_run_changes_nothing(changes: list[tuple[str, str | None]]) -> None:
    indexing = Indexing()
    indexing.files.put("decisions/a.md", "zero")
    indexing.index.index()
    before = indexing.entries()
    for path, body in changes:
        indexing.files.put(path, body or "", mtime=0)
    indexing.index.index(dry_run=True)

    assert indexing.entries() == before


def test_files_are_reported_and_only_stored_ones_are_read_again(indexing: Indexing) -> None:
    reported: list[tuple[int, int, str]] = []
    for path in PATHS:
        indexing.files.put(path, "text")
    indexing.index.index(progress=lambda *done: reported.append(done))
    files = sorted(MEMORY + path for path in PATHS)

    assert sorted(indexing.files.reads) == [path for path in files for _ in range(2)]
    assert reported == [(number, 4, path) for number, path in enumerate(files, 1)]
    indexing.index.index()
    assert indexing.files.reads[2 * len(files) :] == files
    kinds = {path: entry.kind for path, entry in indexing.entries().items()}
    assert kinds == dict(zip(PATHS, ("decision", "gotcha", "session", "document"), strict=True))


def test_a_touch_changes_the_time_of_the_file_and_nothing_else(indexing: Indexing) -> None:
    indexing.files.put("decisions/a.md", "text")
    indexing.index.index()
    [before] = indexing.entries().values()
    indexing.files.put("decisions/a.md", "text", mtime=WRITTEN_AT + 60)

    assert counts(indexing.index.index()) == (0, 0, 1, 0, 0)
    assert list(indexing.entries().values()) == [attrs.evolve(before, file_mtime=WRITTEN_AT + 60)]


def test_a_file_whose_kind_changed_replaces_its_row(indexing: Indexing) -> None:
    indexing.files.put("decisions/a.md", "text")
    indexing.index.index()
    [before] = indexing.entries().values()
    indexing.files.put("decisions/a.md", "text", type="gotcha")

    assert counts(indexing.index.index()) == (0, 1, 0, 0, 0)
    [after] = indexing.entries().values()
    assert (after.kind, after.created_at) == ("gotcha", before.created_at)
    assert after.entry_id != before.entry_id


def test_a_saved_session_stays_one_in_any_folder(indexing: Indexing) -> None:
    path = indexing.files.put("/elsewhere/notes.md", "Prose.")
    indexing.repository.put(attrs.evolve(of_file("Prose."), kind="session", file_path=path))
    indexing.index.index([path])

    assert [entry.kind for entry in indexing.entries().values()] == ["session"]


def test_recall_counters_and_creation_time_outlive_a_rebuild(indexing: Indexing) -> None:
    indexing.files.put("decisions/a.md", "text", permanent=True)
    indexing.index.index()
    InMemoryUsageLog(indexing.repository.state).record_recall([1], NOW)
    [before] = indexing.entries().values()
    indexing.files.put("decisions/a.md", "text", date="2020-01-01", permanent=True)

    assert counts(indexing.index.index(force=True, everywhere=True)) == (0, 1, 0, 0, 0)
    [after] = indexing.entries().values()
    assert (after.recall_count, after.last_recalled_at) == (1, NOW)
    assert (after.created_at, after.permanent) == (before.created_at, True)
    assert after.updated_at < before.updated_at


NAMESAKE = ("/elsewhere/app/x.md", "/projects/app2/x.md", "/x.md")
"""Files of projects that are called the same, or begin alike."""


def keep_old(indexing: Indexing, *paths: str) -> None:
    for path in paths:
        indexing.files.put(path, "new")
        indexing.repository.put(
            attrs.evolve(of_file("old"), kind="document", file_path=path, source_project="app")
        )


def test_a_rebuild_reaches_all_below_the_projects_folder_and_nothing_of_a_namesake(
    indexing: Indexing,
) -> None:
    keep_old(indexing, f"{ROOT}/docs/a.md", f"{ROOT}/docs/gone.md", *NAMESAKE)
    del indexing.files.files[f"{ROOT}/docs/gone.md"]

    assert counts(indexing.index.index(force=True, everywhere=True)) == (0, 1, 0, 0, 0)
    descriptions = {path: entry.description for path, entry in indexing.entries().items()}
    assert descriptions == {
        f"{ROOT}/docs/a.md": "new",
        f"{ROOT}/docs/gone.md": "old",
        **dict.fromkeys(NAMESAKE, "old"),
    }


def test_texts_to_embed_again_are_those_below_the_projects_folder(indexing: Indexing) -> None:
    keep_old(indexing, f"{ROOT}/docs/a.md", *NAMESAKE)
    indexing.repository.put(attrs.evolve(lesson("Learned here."), source_project="app"))
    vectors = InMemoryVectorStore(indexing.repository.state)

    assert [text.number for text in vectors.texts(9, only=indexing.index.of_project)] == [1]


def test_only_what_was_asked_for_is_indexed_and_forgotten(indexing: Indexing) -> None:
    for path in PATHS:
        indexing.files.put(path, "text")
    indexing.index.index()
    indexing.files.files.clear()

    assert indexing.index.index([f"{MEMORY}gotchas/"]).removed == (f"{MEMORY}gotchas/b.md",)
    assert len(indexing.entries()) == 3
    assert counts(indexing.index.index()) == (0, 0, 0, 3, 0)


def test_a_file_that_cannot_be_read_is_skipped_and_not_forgotten(indexing: Indexing) -> None:
    for path in PATHS:
        indexing.files.put(path, "text")
    indexing.index.index()
    indexing.files.unreadable.add(f"{MEMORY}gotchas/b.md")

    indexed = indexing.index.index()
    assert counts(indexed) == (0, 0, 3, 0, 1)
    assert indexed.skipped == (f"'{MEMORY}gotchas/b.md': it can't be read",)
    assert len(indexing.entries()) == 4


def test_invalid_files_are_named_and_the_rest_is_indexed(indexing: Indexing) -> None:
    indexing.files.put("decisions/a.md", "half a pair: \ud800")
    indexing.files.put("gotchas/b.md", "text", date="some day")

    indexed = indexing.index.index()
    assert counts(indexed) == (1, 0, 0, 0, 1)
    assert "half a surrogate pair" in indexed.skipped[0]
    assert indexed.warnings == (
        f"'{MEMORY}gotchas/b.md': date is 'some day': write a date such as 2026-02-12 or 2026-02-12T13:42:06Z",
    )
