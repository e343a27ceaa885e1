"""A session that is captured while its transcript grows, whatever the lines are and wherever the reading stops."""

import contextlib
import datetime as dt
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.session import Chunk, Exchange
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.domain.use_cases.merge_transcript import merge_transcript
from tests.domain.use_cases.test_capture import Breaking, Desk
from tests.strategies import NOW, few_examples
from tests.transcripts import PROJECT_ROOT, make_transcript

MADE = make_transcript(lines=250)
LINES = MADE.text.splitlines(keepends=True)
PROMPTS = [exchange.user.splitlines()[0] for exchange in MADE.exchanges if exchange.user]
LATER = NOW + dt.timedelta(days=10_000)
"""When all turns are over."""

cuts = st.lists(st.integers(0, len(LINES)), max_size=6).map(sorted)


class Session:
    """A desk, and a transcript that is read by it."""

    def __init__(self, folder: str) -> None:
        self.desk = Desk()
        self.chunks: dict[str, Chunk] = {}
        self._path = Path(folder) / "session.jsonl"
        self._transcripts = JsonlTranscripts(Cleaning(PROJECT_ROOT, "/home/me"), BOUNDARY_COMMANDS)

    def read(self, upto: int) -> None:
        """Let the transcript have so many lines, and capture what is new."""
        self._path.write_text("".join(LINES[:upto]), encoding="utf-8")
        self.desk.journal.note(
            HookEvent("one", "reply", NOW.isoformat(), PROJECT_ROOT, str(self._path))
        )
        events = self.desk.journal.events("one")
        unread = merge_transcript(self._transcripts, self.desk.journal.buffer("one"), events, LATER)
        with contextlib.closing(unread.exchanges):
            captured = self.desk.capture.add(unread.buffer, unread.exchanges)
        self.desk.capture.learned(captured.buffer, unread.handled)
        self.chunks |= {chunk.chunk_id: chunk for chunk in captured.chunks}

    def break_at(self, step: int | None) -> None:
        """Let that step of the next reading fail, None for none."""
        self.desk.files._breaking = self.desk.journal._breaking = Breaking(step)

    @property
    def exchanges(self) -> list[Exchange]:
        """The content of all files, in order."""
        chunks = sorted(self.chunks.values(), key=lambda chunk: chunk.starts_at)
        return [exchange for chunk in chunks for exchange in chunk.exchanges]


def test_read_at_once_all_of_it_is_kept() -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        session.read(len(LINES))

        assert session.exchanges == MADE.exchanges


@given(cuts=cuts)
@few_examples
def test_read_as_it_grows_nothing_is_lost_or_doubled(cuts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        for cut in (*cuts, len(LINES)):
            session.read(cut)

        assert session.exchanges == MADE.exchanges


@given(cuts=cuts, breaks=st.lists(st.integers(0, 12), max_size=6))
@few_examples
def test_a_growing_transcript_interrupted_anywhere_yields_one_section_a_prompt(
    cuts: list[int], breaks: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        for cut, at in zip(cuts, breaks, strict=False):
            session.break_at(at)
            with contextlib.suppress(StorageError, UnreadableFileError):
                session.read(cut)
        session.break_at(None)
        session.read(len(LINES))

    sections = [
        kept.text for kept in session.desk.files.kept.values() if kept.kind == "conversation"
    ]
    assert {
        prompt: sum(prompt in text for text in sections) for prompt in PROMPTS
    } == dict.fromkeys(PROMPTS, 1)
