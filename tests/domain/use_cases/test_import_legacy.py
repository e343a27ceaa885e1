from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.legacy_index import read_memory_index, write_memory_index
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.legacy_index import IndexedMemory
from hardwon.domain.use_cases.import_legacy import ImportedIndex, ImportMemoryIndex
from tests.fakes.activity import InMemoryHistory
from tests.fakes.clock import FixedClock
from tests.fakes.documents import WRITTEN_AT, InMemoryFiles
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import InMemoryProjects, placing
from tests.strategies import NOW, file_entries, labels, of_file, texts


class Importing:
    """A store, and the files that the memories of an index refer to."""

    def __init__(self) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.projects = InMemoryProjects(self.repository.state)
        self.bring_in = ImportMemoryIndex(
            sources=self.files,
            repository=self.repository,
            history=InMemoryHistory(self.repository.state),
            clock=FixedClock(),
            place=placing(self.projects),
        )

    def export(self) -> str:
        sessions = self.repository.matching(EVERYTHING, limit=100)
        return write_memory_index((entry, None) for entry in sessions if entry.kind == "session")


@pytest.fixture
def importing() -> Importing:
    return Importing()


def memory(path: str = "/x/one.md", **fields: Any) -> IndexedMemory:
    return IndexedMemory(path=path, filename=path.rpartition("/")[2], **fields)


memories = st.lists(
    st.builds(
        memory,
        st.sampled_from(["/x/one.md", "/x/two.md", "/y/café '\".md"]),
        tags=labels,
        keywords=labels,
        mtime=st.none() | st.sampled_from([0, WRITTEN_AT]),
        project=st.none() | st.sampled_from(["here", "there"]),
        description=st.none() | texts,
    ),
    max_size=4,
)


@given(memories)
def test_exporting_an_import_gives_the_same_export(brought: list[IndexedMemory]) -> None:
    first, second = Importing(), Importing()
    first.bring_in.import_memories(brought)
    exported = first.export()
    second.bring_in.import_memories(read_memory_index(exported.encode()))

    assert second.export() == exported


@given(st.lists(file_entries, max_size=4, unique_by=lambda entry: entry.file_path))
def test_an_export_of_sessions_changes_nothing_when_it_comes_back(entries: list[Entry]) -> None:
    importing = Importing()
    for entry in entries:
        importing.repository.put(entry)
    exported = importing.export()
    importing.bring_in.import_memories(read_memory_index(exported.encode()))

    assert importing.export() == exported


def test_a_memory_without_a_description_takes_it_from_its_file_else_from_its_labels(
    importing: Importing,
) -> None:
    importing.files.put("/x/one.md", "# Head\n\nProse.")
    importing.files.put("/x/two.md", "", description="Said.")
    memories = [
        memory("/x/one.md"),
        memory("/x/two.md"),
        memory("/x/three.md", keywords=("a", "b")),
        memory("/x/four.md", tags=("c",)),
        memory("/x/five.md"),
    ]

    assert importing.bring_in.import_memories(memories) == ImportedIndex(added=5)
    descriptions = {
        entry.file_path: entry.description
        for entry in importing.repository.matching(EVERYTHING, limit=9)
    }
    assert descriptions == {
        "/x/one.md": "Prose.",
        "/x/two.md": "Said.",
        "/x/three.md": "a, b",
        "/x/four.md": "c",
        "/x/five.md": "five.md",
    }


def test_a_file_that_is_no_markdown_is_not_read(importing: Importing) -> None:
    importing.files.put("/etc/passwd", "Private.")
    importing.files.put("/x/one.MD", "Prose.")
    memories = [memory("/etc/passwd", keywords=("a", "b")), memory("/x/one.MD")]

    assert importing.bring_in.import_memories(memories) == ImportedIndex(added=2)
    entries = {
        entry.file_path: entry for entry in importing.repository.matching(EVERYTHING, limit=9)
    }
    assert (entries["/etc/passwd"].description, entries["/etc/passwd"].file_hash) == ("a, b", None)
    assert entries["/x/one.MD"].description == "Prose."
    assert importing.files.reads == ["/x/one.MD"]


def test_a_file_that_is_no_markdown_and_not_described_keeps_all_out(importing: Importing) -> None:
    importing.files.put("/etc/passwd", "Private.")

    with pytest.raises(InvalidEntryError, match=r"'/etc/passwd': .*describe it"):
        importing.bring_in.import_memories(
            [memory("/x/one.md", description="fine"), memory("/etc/passwd")]
        )
    assert (importing.repository.count(EVERYTHING), importing.files.reads) == (0, ["/x/one.md"])


def test_files_are_read_before_the_store_is_held_and_each_is_looked_up_once(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = list[str]()

    def note(place: object, name: str) -> None:
        call = getattr(place, name)

        def noting(*arguments: object) -> object:
            paths = (path for path in arguments if isinstance(path, str))
            steps.append(" ".join((name, *paths)))
            return call(*arguments)

        monkeypatch.setattr(place, name, noting)

    note(importing.repository, "transaction")
    note(importing.repository, "with_file")
    note(importing.files, "read")
    monkeypatch.setattr(
        importing.repository, "put", lambda _: None
    )  # that of the fake looks up too
    importing.bring_in.import_memories([memory("/x/one.md"), memory("/x/two.md")])

    assert steps == [
        "read /x/one.md",
        "read /x/two.md",
        "transaction",
        "with_file /x/one.md",
        "transaction",
        "with_file /x/two.md",
    ]


def test_a_memory_without_a_time_has_that_of_its_file_else_now(importing: Importing) -> None:
    importing.files.put("/x/one.md", "Prose.")
    importing.bring_in.import_memories([memory("/x/one.md"), memory("/x/two.md")])

    times = {
        entry.file_path: entry.file_mtime
        for entry in importing.repository.matching(EVERYTHING, limit=9)
    }
    assert times == {"/x/one.md": WRITTEN_AT, "/x/two.md": int(NOW.timestamp())}


def test_a_file_kept_as_something_else_stays_what_it_is(importing: Importing) -> None:
    decision = of_file("decided")
    importing.repository.put(decision)
    imported = importing.bring_in.import_memories(
        [memory(decision.file_path or "", description="other")]
    )

    assert (imported.added, imported.known, len(imported.skipped)) == (0, 0, 1)
    assert importing.repository.matching(EVERYTHING, limit=9) == [decision]


def test_one_memory_that_cannot_be_kept_keeps_all_out(importing: Importing) -> None:
    memories = [memory("/x/one.md", description="fine"), memory("/x/two.md", description="a\0b")]

    with pytest.raises(InvalidEntryError, match=r"'/x/two\.md': "):
        importing.bring_in.import_memories(memories)
    assert importing.repository.count(EVERYTHING) == 0


def test_a_session_gets_the_project_that_holds_its_file_and_the_label_that_the_index_says(
    importing: Importing,
) -> None:
    importing.bring_in.import_memories(
        [
            memory("/x/app/one.md", project="app"),
            memory("/x/app/two.md"),
            memory("/y/app/notes/three.md", project="app"),
        ]
    )
    importing.bring_in.import_memories([memory("/x/app/one.md", project="application")])

    entries = importing.repository.matching(EVERYTHING, limit=9)
    projects = {project.id: project.identity.root for project in importing.projects.known()}
    assert {
        entry.file_path: (projects[entry.project or ""], entry.source_project, entry.workspace)
        for entry in entries
    } == {
        "/x/app/one.md": ("/x/app", "application", "/x"),
        "/x/app/two.md": ("/x/app", "app", "/x"),
        "/y/app/notes/three.md": ("/y/app", "app", "/y"),
    }
