"""Keeping conversations: in batches of any size and after any interruption, the same sections in the same files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.details import Detail, details_of
from hardwon.domain.model.conversation.session import Chunk, Exchange, SessionBuffer
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.settings import BUFFERED
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.capture import Capture, CaptureOutcome
from hardwon.ports.documents import Captured, SectionOfSession
from hardwon.ports.transcripts import TranscribedExchange
from tests.conversations import DATABASE, FRONTEND, MINUTE, dialogue, sessions
from tests.fakes.projects import working_in
from tests.fakes.state import InMemoryForgottenTexts
from tests.fakes.transcripts import InMemoryCaptureJournal
from tests.strategies import NOW, few_examples

HERE = working_in(project="app", workspace="ws", branch="main")


class Breaking:
    """Counts steps, and breaks at one of them, before or after it was made."""

    def __init__(self, at: int | None = None) -> None:
        self._left = at

    def step(self, error: Exception) -> None:
        if self._left is None:
            return
        self._left -= 1
        if self._left < 0:
            self._left = None
            raise error


class Kept(NamedTuple):
    """A section that was kept."""

    section_id: str
    kind: Kind
    chunk: Chunk
    detail: Detail | None = None

    @property
    def path(self) -> str:
        return f"/app/{self.kind}/{self.detail.topic if self.detail else self.chunk.topic}.md"

    @property
    def text(self) -> str:
        exchanges = self.detail.exchanges if self.detail else self.chunk.exchanges
        return "\n".join(exchange.text for exchange in exchanges)

    @property
    def of_session(self) -> SectionOfSession:
        at = self.detail.stated_in.at if self.detail else self.chunk.starts_at
        ends_at = at if self.detail else self.chunk.ends_at
        return SectionOfSession(self.section_id, self.kind, at, ends_at, self.chunk.permanent)


def sections_of(chunk: Chunk) -> Iterator[Kept]:
    yield Kept(chunk.chunk_id, "conversation", chunk)
    for detail in details_of(chunk):
        yield Kept(detail.detail_id, detail.kind, chunk, detail)


class Sections:
    """The project's files, by the id of a section; each write is a step before and one after."""

    def __init__(self, breaking: Breaking) -> None:
        self.kept: dict[str, Kept] = {}
        self.writes = 0
        self._breaking = breaking

    def put(self, captured: Sequence[Captured]) -> Mapping[str, str]:
        chunks = (item for item in captured if isinstance(item, Chunk))
        sections = [section for chunk in chunks for section in sections_of(chunk)]
        for section in sections:
            self._breaking.step(UnreadableFileError("the disk is full"))
            self.writes += self.kept.get(section.section_id) != section
            self.kept[section.section_id] = section
            self._breaking.step(UnreadableFileError("the disk is full"))
        return {section.section_id: section.path for section in sections}

    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        self._breaking.step(UnreadableFileError("the disk is full"))
        gone = [self.kept.pop(section_id) for section_id in section_ids if section_id in self.kept]
        self._breaking.step(UnreadableFileError("the disk is full"))
        return tuple(sorted({section.path for section in gone}))

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        return [
            section.of_session
            for section in self.kept.values()
            if section.chunk.session_id == session_id
        ]


class BreakingJournal(InMemoryCaptureJournal):
    def __init__(self, breaking: Breaking) -> None:
        super().__init__()
        self._breaking = breaking

    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        self._breaking.step(StorageError("busy"))
        super().keep(buffer, handled=handled)
        self._breaking.step(StorageError("busy"))


class Desk:
    """A capture with all it works on."""

    def __init__(self, breaking: Breaking | None = None) -> None:
        self.files = Sections(breaking or Breaking())
        self.journal = BreakingJournal(breaking or Breaking())
        self.capture = Capture(
            chunker=Chunker(("/tlc:plan", "/tlc:build")),
            files=self.files,
            journal=self.journal,
            workplace=HERE,
            forgotten=InMemoryForgottenTexts(),
        )

    def session(self, name: str) -> SessionBuffer:
        return self.journal.buffer(name) or SessionBuffer(session_id=name, project_root="/app")

    def take(
        self, exchanges: Sequence[Exchange], name: str = "one", upto: int | None = None
    ) -> CaptureOutcome:
        """Merge a transcript as far as it is written, from where the session was left."""
        buffer = self.session(name)
        return self.capture.add(buffer, transcribed(exchanges[:upto], buffer.position or 0))


def transcribed(exchanges: Sequence[Exchange], position: int = 0) -> Iterable[TranscribedExchange]:
    for place, exchange in enumerate(exchanges):
        if place * 100 >= position:
            yield TranscribedExchange(exchange, place * 100, is_over=place < len(exchanges) - 1)


def talk(count: int, begin: int = 0) -> list[Exchange]:
    return [
        Exchange(
            f"What about the parser, part {place}?",
            f"Part {place} reads records.",
            NOW + place * MINUTE,
        )
        for place in range(begin, begin + count)
    ]


def by_id(sections: dict[str, Kept]) -> list[Kept]:
    return [sections[section_id] for section_id in sorted(sections)]


@given(exchanges=sessions(at_most=25), cuts=st.lists(st.integers(0, 25), max_size=5))
@few_examples
def test_exchanges_in_batches_of_any_size_give_the_notes_of_all_at_once(
    exchanges: list[Exchange], cuts: list[int]
) -> None:
    at_once, bit_by_bit = Desk(), Desk()
    at_once.take(exchanges)
    for cut in (*sorted(cuts), len(exchanges)):
        bit_by_bit.take(exchanges, upto=cut)

    assert by_id(bit_by_bit.files.kept) == by_id(at_once.files.kept)
    assert bit_by_bit.session("one").drafts == at_once.session("one").drafts


@given(
    one=sessions(at_most=12), other=sessions(at_most=12), order=st.lists(st.booleans(), max_size=12)
)
@few_examples
def test_two_sessions_at_once_neither_mix_nor_lose(
    one: list[Exchange], other: list[Exchange], order: list[bool]
) -> None:
    together, apart = Desk(), (Desk(), Desk())
    other = [
        attrs.evolve(exchange, at=exchange.at + MINUTE / 2) for exchange in other
    ]  # no two exchanges have the same time
    taken = {"one": 0, "other": 0}
    spoken = {"one": one, "other": other}
    for turn in order:
        name = "one" if turn else "other"
        taken[name] += 1
        together.take(spoken[name], name, upto=taken[name])
    for (name, exchanges), desk in zip(spoken.items(), apart, strict=True):
        together.take(exchanges, name)
        desk.take(exchanges, name)

    assert by_id(together.files.kept) == by_id(apart[0].files.kept | apart[1].files.kept)


def test_an_exchange_that_grew_takes_the_place_of_what_it_was() -> None:
    desk = Desk()
    first, last = talk(2)
    desk.take([first, attrs.evolve(last, assistant="Part")])
    captured = desk.take([first, last])

    assert captured.buffer.exchanges == (first, last)
    assert captured.exchanges == 1
    assert len(captured.chunks) == 1
    assert sum("Part 1 reads records." in section.text for section in desk.files.kept.values()) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_a_note_that_turns_out_to_be_about_two_subjects_is_split_in_the_files(size: int) -> None:
    desk, exchanges = Desk(), list(dialogue(*DATABASE, *FRONTEND))
    for upto in range(size, len(exchanges) + size, size):
        desk.take(exchanges, upto=upto)

    kept = sorted(
        (section.chunk for section in desk.files.kept.values()), key=lambda chunk: chunk.starts_at
    )
    assert [chunk.exchanges for chunk in kept] == [tuple(exchanges[:4]), tuple(exchanges[4:])]
    assert "button" in kept[1].topic


def test_a_split_off_note_is_on_the_branch_on_which_its_subject_was_noticed() -> None:
    desk, exchanges = Desk(), dialogue(*DATABASE, *FRONTEND)
    branches = ["main"] * 4 + ["buttons"] * 4
    spoken = zip(exchanges, branches, strict=True)
    transcript = [
        TranscribedExchange(exchange, place, branch=branch, is_over=True)
        for place, (exchange, branch) in enumerate(spoken)
    ]
    captured = desk.capture.add(desk.session("one"), transcript)

    assert [chunk.branch for chunk in captured.chunks] == ["main", "buttons"]


def test_known_exchanges_are_neither_counted_nor_written_twice() -> None:
    desk = Desk()
    desk.take(talk(3))
    writes = desk.files.writes
    second = desk.take(talk(3))

    assert (second.exchanges, second.chunks, desk.files.writes) == (0, (), writes)


def test_a_transcript_that_is_read_again_doubles_nothing() -> None:
    desk = Desk()
    desk.take(talk(6))
    captured = desk.capture.add(desk.session("one"), transcribed(talk(6)))

    assert (captured.exchanges, captured.buffer.exchanges) == (0, tuple(talk(6)))


def test_a_transcript_that_was_rewritten_doubles_nothing_wherever_its_lines_begin() -> None:
    desk = Desk()
    desk.take(talk(60))
    longer = (
        transcribed_exchange._replace(begins_at=2 * transcribed_exchange.begins_at + 1)
        for transcribed_exchange in transcribed(talk(62))
    )
    captured = desk.capture.add(desk.session("one"), longer)

    assert (captured.exchanges, captured.buffer.exchanges[-3:]) == (2, tuple(talk(62)[-3:]))


def test_a_transcript_that_moved_doubles_nothing_however_long_ago_it_was_said() -> None:
    desk = Desk()
    desk.take(talk(60))
    moved = attrs.evolve(desk.session("one"), position=None)
    captured = desk.capture.add(moved, transcribed(talk(62)))

    assert (captured.exchanges, captured.buffer.exchanges[-3:], captured.buffer.position) == (
        2,
        tuple(talk(62)[-3:]),
        6_100,
    )


@given(cuts=st.lists(st.integers(0, 12), max_size=4))
@few_examples
@example(cuts=[])
def test_exchanges_that_share_a_timestamp_and_a_prompt_are_all_kept(cuts: list[int]) -> None:
    desk = Desk()
    exchanges = [Exchange("go on", f"Step {place:02}.", NOW) for place in range(12)]
    for cut in (*sorted(cuts), 12):
        desk.take(exchanges, upto=cut)

    text = "".join(section.text for section in desk.files.kept.values())
    assert [text.count(exchange.assistant) > 0 for exchange in exchanges] == [True] * 12
    assert desk.session("one").exchanges[-1].at == NOW + 11 * MINUTE / 60_000


def test_at_most_twenty_exchanges_are_loaded() -> None:
    desk = Desk()
    for count in range(1, 31):
        desk.take(talk(count))

        assert len(desk.session("one").exchanges) <= BUFFERED
        assert desk.session("one").unwritten == 0


def test_files_that_the_store_may_not_know_are_named_until_it_does() -> None:
    desk = Desk()
    first = desk.take(talk(1))
    second = desk.take(talk(1))
    desk.capture.learned(second.buffer)

    assert first.files == second.files != ()
    assert desk.take(talk(1)).files == ()


def test_text_without_a_session_leaves_nothing_in_the_journal() -> None:
    desk = Desk()
    captured = desk.capture.add(
        SessionBuffer(session_id="", project_root="/app"), transcribed(talk(3))
    )

    assert captured.exchanges == 3
    assert list(desk.journal.buffers()) == []


def test_a_permanent_chunk_is_closed_and_stays_so() -> None:
    desk = Desk()
    desk.take(talk(2))
    kept = desk.capture.for_good(desk.session("one"))
    desk.take(talk(3))

    assert [chunk.permanent for chunk in kept.chunks] == [True]
    assert [(draft.permanent, len(draft.exchanges)) for draft in desk.session("one").drafts] == [
        (True, 2),
        (False, 1),
    ]
    assert sorted(
        section.chunk.permanent
        for section in desk.files.kept.values()
        if section.kind == "conversation"
    ) == [False, True]


@given(exchanges=sessions(at_most=10), at=st.integers(0, 8))
@few_examples
def test_an_interrupted_permanent_mark_is_completed_by_a_retry(
    exchanges: list[Exchange], at: int
) -> None:
    desk = Desk()
    desk.take(exchanges)
    desk.files._breaking = desk.journal._breaking = Breaking(at)
    try:
        desk.capture.for_good(desk.session("one"))
    except (StorageError, UnreadableFileError):
        desk.files._breaking = desk.journal._breaking = Breaking()
        desk.capture.for_good(desk.session("one"))

    assert all(
        section.chunk.permanent
        for section in desk.files.kept.values()
        if section.kind == "conversation"
    )


def test_small_talk_and_commands_make_no_note_and_no_file() -> None:
    desk = Desk()
    idle = dialogue(
        ("hi", "Hello! What can I do?"),
        ("/cost", "It was 0.40 dollars."),
        ("/remember the feed is one day late", "Remembered: the feed is one day late."),
        ("thanks, bye!", "Bye!"),
    )
    desk.take(idle)

    assert desk.files.kept == {}

    work = dialogue(*((known.user, known.assistant) for known in idle), *DATABASE)
    desk.take(work)
    text = "\n".join(section.text for section in desk.files.kept.values())
    assert DATABASE[0][0] in text
    assert not any(known.user in text for known in idle)


def test_a_command_of_a_topic_and_a_turn_with_actions_are_kept() -> None:
    desk = Desk()
    desk.take(dialogue(("/tlc:plan the parser", "1. Read the records.")))

    assert len(desk.files.kept) == 1
