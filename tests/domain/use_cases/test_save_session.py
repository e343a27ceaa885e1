import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.file_entry import utc_time
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.save_session import GivenMetadata, SaveSession
from tests.fakes.activity import InMemoryHistory
from tests.fakes.clock import FixedClock
from tests.fakes.documents import WRITTEN_AT, InMemoryFiles, InMemorySessionFiles, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import working_in
from tests.strategies import NOW

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
NOTHING = GivenMetadata()


class Keeping:
    """A project's files and the store its sessions are kept in."""

    def __init__(self) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.keep = SaveSession(
            sources=self.files,
            sessions=InMemorySessionFiles(self.files),
            repository=self.repository,
            history=InMemoryHistory(self.repository.state),
            workplace=working_in("app", "work", "main"),
            clock=FixedClock(),
        )


@pytest.fixture
def keeping() -> Keeping:
    return Keeping()


def test_a_text_becomes_a_file_named_after_the_time_without_its_secrets(keeping: Keeping) -> None:
    given = GivenMetadata(
        description=f"About {KEY}", tags=("a", f"<private>{KEY}</private>b"), keywords=("k",)
    )
    path = keeping.keep.write(f"Body {KEY} <private>x</private>end\n", given)

    assert path.endswith(f"/memory/sessions/memory-{NOW.astimezone():%Y%m%d-%H%M%S}.md")
    assert keeping.files.files[path].markdown == (
        {
            "description": "About [REDACTED]",
            "tags": ("a", "b"),
            "keywords": ("k",),
            "date": NOW.astimezone().isoformat(timespec="seconds"),
        },
        "Body [REDACTED] end\n",
        (),
    )


def test_a_session_says_where_and_when_it_was(keeping: Keeping) -> None:
    path = keeping.files.put("/notes.md", "# Head\n\nProse here.", tags=("b",), date="2020-01-01")
    entry = keeping.keep.index(path, GivenMetadata(tags=("a",), permanent=True))

    assert entry == keeping.repository.by_id(entry.entry_id)
    assert (entry.kind, entry.description, entry.source) == ("session", "Prose here.", "manual")
    assert (entry.source_project, entry.workspace, entry.branch) == ("app", "work", "main")
    assert (entry.tags, entry.permanent, entry.file_mtime) == (("a", "b"), True, WRITTEN_AT)


@pytest.mark.parametrize("front_matter", [{}, {"date": "2024-01-01"}])
def test_a_file_that_is_saved_and_indexed_has_one_date(
    keeping: Keeping, front_matter: dict[str, str]
) -> None:
    path = keeping.files.put("/notes.md", "Prose.", WRITTEN_AT, **front_matter)
    saved = keeping.keep.index(path, NOTHING)
    index_files(keeping.files, keeping.repository).index([path], force=True)

    date = (
        dt.datetime.fromisoformat(front_matter["date"]).astimezone()
        if front_matter
        else utc_time(WRITTEN_AT)
    )
    assert saved.updated_at == saved.created_at == date
    assert keeping.repository.by_id(saved.entry_id) == saved


@given(descriptions=st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=3))
def test_saving_a_file_again_updates_its_one_row(descriptions: list[str]) -> None:
    keeping = Keeping()
    path = keeping.files.put("/notes.md", "Prose.")
    for description in descriptions:
        keeping.keep.index(path, GivenMetadata(description=description))
    keeping.keep.index(path, GivenMetadata(tags=("a",)))

    [entry] = keeping.repository.matching(EVERYTHING, limit=9)
    assert (entry.description, entry.tags) == (descriptions[-1], ("a",))


def test_a_file_of_another_kind_becomes_a_session(keeping: Keeping) -> None:
    path = keeping.files.put("decisions/a.md", "Prose.")
    first = keeping.keep.index(path, NOTHING)
    keeping.repository.delete(first.entry_id)
    keeping.repository.put(attrs.evolve(first, kind="decision"))
    keeping.keep.index(path, NOTHING)

    assert [entry.kind for entry in keeping.repository.matching(EVERYTHING, limit=9)] == ["session"]


@pytest.mark.parametrize("text", ["# Only a heading", "<private>all</private>", "```\ncode\n```"])
def test_a_text_that_does_not_say_what_it_is_about_is_refused_with_the_way_out(
    keeping: Keeping, text: str
) -> None:
    path = keeping.files.put("/notes.md", text)

    for keep in (
        lambda: keeping.keep.write(text, NOTHING),
        lambda: keeping.keep.index(path, NOTHING),
    ):
        with pytest.raises(InvalidEntryError, match="give --description"):
            keep()
    assert keeping.repository.count(EVERYTHING) == 0
    assert list(keeping.files.files) == [path]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_file_can_hold_is_refused(keeping: Keeping, text: str) -> None:
    with pytest.raises(InvalidEntryError):
        keeping.keep.write(text, NOTHING)
    assert not keeping.files.files


def test_a_file_that_cannot_be_read_is_reported(keeping: Keeping) -> None:
    with pytest.raises(UnreadableFileError):
        keeping.keep.index("/nowhere.md", GivenMetadata(description="x"))
