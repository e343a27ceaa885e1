"""Indexing of files that conversations were captured in: an entry a section."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.conversation.details import details_of
from hardwon.domain.model.conversation.session import Answered, Chunk, ChunkMetadata, Exchange
from hardwon.domain.model.document import MAX_SECTIONS
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.index_files import IndexOutcome
from tests.conversations import MINUTE, chunks, talk
from tests.fakes.activity import InMemoryUsageLog
from tests.fakes.documents import (
    MEMORY,
    InMemoryConversationFiles,
    InMemoryFiles,
    change,
    index_files,
)
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import NOW, few_examples, lesson

PATH = "conversations/2026-03-01-encoding.md"
COPY = "conversations/2026-03-01-zz-copy.md"
KEY = "AKIA" + "IOSFODNN7EXAMPLE"
USED = Usage(2, NOW, Validations(3, 2))


class Captures:
    """Captured conversations as files, and the store that they are indexed into."""

    def __init__(self) -> None:
        self.conversations = InMemoryConversationFiles()
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.run = index_files(self.files, self.repository)

    def write(self, *written: Chunk) -> None:
        self.conversations.put(
            [attrs.evolve(chunk, project="app", branch="dev") for chunk in written]
        )
        for path, text in self.conversations.files.items():
            self.file(path, text.split("\n---\n", 1)[1], project="app", branch="dev")

    def file(self, path: str, body: str, *, mtime: int = 1, **front_matter: str | bool) -> None:
        self.files.put(path, body, mtime, **front_matter)

    def body(self, path: str = PATH) -> str:
        return self.files.files[MEMORY + path].markdown.body

    def move(self, old: str, new: str) -> None:
        self.files.files[MEMORY + new] = attrs.evolve(
            self.files.files.pop(MEMORY + old), path=MEMORY + new
        )

    def index(self, *, force: bool = False) -> IndexOutcome:
        planned = self.run.index(force=force, dry_run=True)
        assert self.run.index(force=force) == planned
        return planned

    def counts(self, *, force: bool = False) -> tuple[int, int, int, int, int]:
        done = self.index(force=force)
        return len(done.new), len(done.changed), done.unchanged, len(done.removed), done.deleted

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.entry_id: entry for entry in self.repository.matching(EVERYTHING, limit=1000)}

    def judge(self) -> dict[str, Entry]:
        """Let the user change and judge all there is; return it."""
        for entry in self.entries.values():
            change(
                self.repository,
                entry,
                tier="critical",
                own_tier=True,
                importance_weight=0.9,
                trigger_phrases=("it",),
                permanent=True,
            )
            InMemoryUsageLog(self.repository.state).add(entry.number or 0, USED)
        return self.entries


@pytest.fixture
def captures() -> Captures:
    return Captures()


@given(st.lists(chunks(), max_size=2, unique_by=lambda entry: entry.chunk_id))
@few_examples
def test_a_section_is_one_entry_and_indexing_is_idempotent(drawn: list[Chunk]) -> None:
    captures = Captures()
    captures.write(*drawn)
    drawn = [attrs.evolve(chunk, project="app") for chunk in drawn]
    kinds = {chunk.chunk_id: ("conversation", chunk.starts_at) for chunk in drawn}
    kinds |= {
        detail.detail_id: (detail.kind, detail.stated_in.at)
        for chunk in drawn
        for detail in details_of(chunk)
    }
    assert captures.index().skipped == ()

    before = captures.entries
    assert {entry_id: (entry.kind, entry.created_at) for entry_id, entry in before.items()} == kinds
    assert captures.index().unchanged == len(captures.files.files)
    assert captures.counts(force=True)[0] == 0
    assert captures.entries == before


def test_the_entry_of_a_chunk_has_its_text_and_place(captures: Captures) -> None:
    answer = Exchange(
        "And then?",
        "Done.",
        NOW + 2 * MINUTE,
        (Answered("How *strict*?", "very", ("not", "very")),),
    )
    about = talk()
    captures.write(
        attrs.evolve(
            about,
            title="[PERMANENT] Which `encoding`?",
            permanent=True,
            topic="partner encoding",
            exchanges=(*about.exchanges, answer),
            metadata=ChunkMetadata(files=("src/a.py", "b.py"), areas=("security", "devops")),
            session_id="s-1",
        )
    )
    captures.index()

    [entry] = captures.entries.values()
    assert (entry.entry_id, entry.anchor_id) == (about.chunk_id, about.chunk_id)
    assert entry.name == "Which `encoding`?"
    assert entry.description == (
        "In short.\n\nWhich encoding?\n\nUTF-8 it is:\n\nopen(path)\n\nAnd then?\n\nHow strict? very\n\nDone."
    )
    assert (entry.keywords, entry.tags) == (("partner", "encoding"), ("security", "devops"))
    assert (entry.references, entry.session_id, entry.source) == (
        ("src/a.py", "b.py"),
        "s-1",
        "session-capture",
    )
    assert (entry.created_at, entry.updated_at) == (NOW, NOW + 2 * MINUTE)
    assert (entry.source_project, entry.workspace, entry.branch) == ("app", "work", "dev")
    assert entry.permanent


def test_a_decision_is_found_by_its_reasons_and_not_by_the_frame_of_its_file(
    captures: Captures,
) -> None:
    decided = "We use UTF-8 in a.py instead of Latin-1, because partners do."
    captures.write(
        talk(
            decided, metadata=ChunkMetadata(decisions=(decided,), files=("a.py",)), session_id="s-1"
        )
    )
    captures.index()

    [decision] = (entry for entry in captures.entries.values() if entry.kind == "decision")
    assert decision.name == decided.rstrip(".")
    assert decision.description.startswith(f"{decided}\n\nUTF-8 it is:")
    assert "\nLatin-1\n" in decision.description
    assert not any(
        word in decision.description
        for word in ("Alternatives", "User", "s-1", "Full context", "Time")
    )
    assert (decision.references, decision.session_id, decision.created_at) == (
        ("a.py",),
        "s-1",
        NOW,
    )


@pytest.mark.parametrize(
    ("kind", "folder"),
    [("decision", "decisions"), ("gotcha", "gotchas"), ("preference", "preferences")],
)
def test_a_file_without_sections_of_ours_stays_one_entry(
    captures: Captures, kind: Kind, folder: str
) -> None:
    captures.file(f"{folder}/a.md", "# A\n\n<!-- ANCHOR:mine -->\nText.\n<!-- /ANCHOR:mine -->")
    captures.index()

    [entry] = captures.entries.values()
    assert (entry.kind, entry.anchor_id, entry.description) == (kind, "", "A\n\nText.")


def test_sections_of_a_document_go_by_its_path_whatever_they_are_called(captures: Captures) -> None:
    captures.write(talk())
    captures.file("notes.md", captures.body(), type="document")
    captures.index()

    assert sorted(entry.kind for entry in captures.entries.values()) == [
        "conversation",
        "document",
        "document",
    ]


@pytest.mark.parametrize(
    ("before", "after"), [("document", "conversation"), ("conversation", "document")]
)
def test_a_file_that_becomes_another_kind_keeps_what_its_sections_were_worth(
    captures: Captures, before: str, after: str
) -> None:
    captures.write(talk())
    captures.file(PATH, captures.body(), type=before)
    captures.run.index()
    captures.judge()
    captures.file(PATH, captures.body(), type=after)

    assert captures.counts()[2:] == (0, 0, 0)
    [section] = (entry for entry in captures.entries.values() if entry.anchor_id)
    assert (section.kind, section.tier, section.trigger_phrases) == (after, "critical", ("it",))
    assert len(captures.entries) == (2 if after == "document" else 1)


def test_fields_owned_by_the_store_outlive_a_change_and_a_rebuild(captures: Captures) -> None:
    captures.write(talk("One"), talk("Two", minute=1))
    captures.index()
    before = captures.judge()
    changed = talk("One").chunk_id
    captures.file(
        PATH, captures.body().replace("> One", "> One\n> and more"), project="app", branch="dev"
    )

    assert captures.counts() == (0, 1, 0, 0, 0)
    after = captures.entries
    expected = attrs.evolve(
        before[changed], description=after[changed].description, file_hash=after[changed].file_hash
    )
    assert after == {**before, changed: expected}
    assert "One\nand more" in after[changed].description
    changes = [past.number for past in captures.repository.state.history if past.field == "content"]
    assert changes == [before[changed].number]
    assert captures.counts(force=True) == (0, 1, 0, 0, 0)
    assert captures.entries == after


def test_another_section_more_leaves_the_others_unchanged(captures: Captures) -> None:
    captures.write(talk("One"))
    captures.index()
    [before] = captures.judge().values()
    captures.write(talk("Two", minute=1))

    assert captures.counts() == (0, 1, 0, 0, 0)
    assert captures.entries[before.entry_id] == before
    assert len(captures.entries) == 2


def test_a_touch_changes_nothing(captures: Captures) -> None:
    captures.write(talk())
    captures.index()
    before = captures.entries
    captures.file(PATH, captures.body(), mtime=99, project="app", branch="dev")

    assert captures.counts() == (0, 0, 1, 0, 0)
    assert captures.entries == before


def test_a_section_that_is_taken_out_is_forgotten_and_comes_back_as_it_was(
    captures: Captures,
) -> None:
    captures.write(talk("One"), talk("Two", minute=1))
    captures.index()
    captures.judge()
    before, body = captures.entries, captures.body()
    start = body.index("<!-- ANCHOR", body.index("/ANCHOR"))
    captures.file(PATH, body[:start], project="app", branch="dev")
    captures.index()
    assert list(captures.entries) == [talk("One").chunk_id]
    captures.file(PATH, body, project="app", branch="dev")
    captures.index()

    assert captures.entries == before


@pytest.mark.parametrize("growing", [False, True])
def test_a_file_that_goes_by_another_name_is_what_it_was(
    captures: Captures, *, growing: bool
) -> None:
    captures.write(talk("One"))
    captures.index()
    [before] = captures.judge().values()
    captures.move(PATH, COPY)
    if growing:
        captures.file(COPY, captures.body(COPY) + "\nProse.\n", project="app", branch="dev")

    assert captures.counts() == (1, 0, 0, 1, 0)
    assert list(captures.entries.values()) == [attrs.evolve(before, file_path=MEMORY + COPY)]


def test_the_same_section_in_two_files_is_one_entry_and_either_file_may_go(
    captures: Captures,
) -> None:
    captures.write(talk("One"), talk("Two", minute=1))
    captures.index()
    before = captures.judge()
    captures.file(COPY, captures.body(), project="app", branch="dev")
    captures.index()
    moved = {
        entry_id: attrs.evolve(entry, file_path=MEMORY + COPY) for entry_id, entry in before.items()
    }
    assert captures.entries == moved
    del captures.files.files[MEMORY + COPY]
    captures.index()

    assert captures.entries == before
    assert captures.counts() == (0, 0, 1, 0, 0)


def test_a_deleted_entry_stays_deleted_while_its_section_is_unchanged(captures: Captures) -> None:
    captures.write(talk("One"))
    captures.index()
    captures.run.forget.delete(captures.entries.values())
    assert captures.counts() == (0, 0, 0, 0, 1)
    captures.write(talk("Two", minute=1))
    captures.index()
    assert [entry.name for entry in captures.entries.values()] == ["Two"]
    captures.file(
        PATH, captures.body().replace("> One", "> Once more"), project="app", branch="dev"
    )
    captures.index()

    assert {entry.name for entry in captures.entries.values()} == {"One", "Two"}


def test_a_rebuild_brings_back_what_was_deleted(captures: Captures) -> None:
    captures.write(talk("One"))
    captures.index()
    captures.run.forget.delete(captures.entries.values())

    assert captures.counts(force=True) == (1, 0, 0, 0, 0)
    assert captures.counts() == (0, 0, 1, 0, 0)


@pytest.mark.parametrize(
    ("flags", "permanent", "expected"),
    [
        ((False, False), None, (False, False)),
        ((False, False), True, (False, False)),
        ((True, False), True, (True, False)),
        ((True, False), None, (True, False)),
        ((True, True), False, (True, True)),
    ],
)
def test_files_written_by_hardwon_keep_their_kind_whatever_the_head_says(
    captures: Captures,
    *,
    flags: tuple[bool, bool],
    permanent: bool | None,
    expected: tuple[bool, bool],
) -> None:
    one, two = talk("One", permanent=flags[0]), talk("Two", minute=1, permanent=flags[1])
    captures.write(one, two)
    captures.file(PATH, captures.body(), **({} if permanent is None else {"permanent": permanent}))
    captures.index()

    assert (
        captures.entries[one.chunk_id].permanent,
        captures.entries[two.chunk_id].permanent,
    ) == expected


@pytest.mark.parametrize("permanent", [False, True])
def test_a_section_without_attributes_goes_by_the_head(
    captures: Captures, *, permanent: bool
) -> None:
    captures.file(
        PATH,
        "<!-- ANCHOR:0123456789abcdef -->\nText.\n<!-- /ANCHOR:0123456789abcdef -->",
        permanent=permanent,
    )
    captures.index()

    assert [entry.permanent for entry in captures.entries.values()] == [permanent]


def test_a_permanent_neighbour_changes_nothing_of_a_section(captures: Captures) -> None:
    captures.write(talk("One"))
    captures.index()
    before = captures.entries
    captures.write(talk("Two", minute=1, permanent=True))
    captures.file(PATH, captures.body(), project="app", branch="dev", permanent=True)
    captures.index()

    assert captures.entries[talk("One").chunk_id] == before[talk("One").chunk_id]
    assert captures.repository.state.history == []


def test_a_claim_in_the_text_to_be_permanent_is_ignored(captures: Captures) -> None:
    captures.write(
        talk(
            title="[PERMANENT] The parser",
            metadata=ChunkMetadata(gotchas=("[PERMANENT] Mind the parser.",)),
        )
    )
    captures.index()

    assert [entry.permanent for entry in captures.entries.values()] == [False, False]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("### Exchanges", "### Talk", "Which encoding?"),
        ("## Which encoding?", "Nothing of the kind", talk().chunk_id),
        ("- **Time:** 2026-03-01T12:30:00Z", "- **Time:** one day", "Which encoding?"),
        (
            "In short.",
            "&amp;lt;!-- \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
            "Which encoding?",
        ),
    ],
)
def test_a_section_edited_beyond_recognition_is_its_plain_text(
    captures: Captures, old: str, new: str, name: str
) -> None:
    captures.write(talk())
    assert old in captures.body()
    body = captures.body().replace(old, new).replace("**Assistant**", "**Oracle**")
    captures.file(PATH, body, date="2026-02-01T00:00:00Z")
    captures.index()

    [entry] = captures.entries.values()
    assert (entry.entry_id, entry.name) == (talk().chunk_id, name)
    assert "UTF-8 it is:\n\nopen(path)" in entry.description
    assert "Oracle" in entry.description


def test_a_section_that_bears_the_id_of_another_memory_leaves_that_unchanged(
    captures: Captures,
) -> None:
    learned = lesson("Learned here.")
    captures.repository.put(learned)
    captures.write(talk())
    other = captures.body().replace(talk().chunk_id, learned.entry_id)
    captures.file(PATH, captures.body() + other)

    warnings = captures.index().warnings
    assert any(
        f"{learned.entry_id!r} is left out: it is another memory's id" in line for line in warnings
    )
    assert captures.entries[learned.entry_id].description == "Learned here."
    assert set(captures.entries) == {learned.entry_id, talk().chunk_id}


def test_secrets_and_private_passages_are_not_kept_be_they_longer_than_a_section(
    captures: Captures,
) -> None:
    captures.write(
        talk("One"),
        talk(f"Two {KEY} <Private>hidden</Private> seen", minute=1),
        talk("Three", minute=2),
    )
    first = f"<!-- ANCHOR:{talk('One').chunk_id}"
    second = f"<!-- ANCHOR:{talk('Three', minute=2).chunk_id}"
    body = (
        captures.body().replace(first, f"<private>{first}").replace(second, f"</private>{second}")
    )
    captures.file(PATH, captures.body())
    captures.index()
    names = {entry.name for entry in captures.entries.values()}
    assert names == {"One", "Two [REDACTED] seen", "Three"}
    assert not any(
        KEY in entry.description or "hidden" in entry.description
        for entry in captures.entries.values()
    )
    captures.file(PATH, body)
    captures.index()

    assert [entry.name for entry in captures.entries.values()] == ["Three"]


@pytest.mark.large
def test_only_so_many_sections_of_one_file_become_entries(captures: Captures) -> None:
    many = (
        f"<!-- ANCHOR:{n:016x} -->\nText {n}.\n<!-- /ANCHOR:{n:016x} -->\n"
        for n in range(MAX_SECTIONS + 1)
    )
    captures.file(PATH, "".join(many))

    [warning] = captures.run.index().warnings
    assert f"only the first {MAX_SECTIONS} of {MAX_SECTIONS + 1} sections" in warning
    assert len(captures.entries) == MAX_SECTIONS
