"""Capture of a project's past sessions, from the agents' own transcripts."""

import contextlib
import datetime as dt
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import NamedTuple, TypeVar

import attrs
import typer

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import READING, SessionBuffer
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.domain.use_cases.capture import CaptureIndexOutcome
from hardwon.entrypoints.bootstrap import identify
from hardwon.entrypoints.bootstrap_agents import past_transcripts
from hardwon.entrypoints.bootstrap_capture import build_capture, open_journal, open_transcripts
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.capture import TranscriptCapture, build_learn, capturing
from hardwon.entrypoints.cli.console import OUR_FAILURE, ask, print_items, progress, say, warn
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.transcripts import PastTranscript

Result = TypeVar("Result")

KILOBYTE = 1_000
LAST_AND_NEXT = 2
"""So many exchanges, from the last captured one on, show that there are more."""


class PastSession(NamedTuple):
    """
    A session that waits to be captured.

    Attributes:
        only_repairs: Whether an earlier version captured it, which found no repairs.
    """

    transcript: PastTranscript
    only_repairs: bool


LOOK_SECONDS, LOOKED_AT, EXAMPLES = 5.0, 20, 5
"""The bounds of a look at earlier sessions."""


class Look(NamedTuple):
    """
    The result of a look at the sessions that wait to be captured.

    Attributes:
        number: How many were found within the time.
        are_all: Whether the time sufficed to find all.
        size: Their bytes.
        examples: Repairs with a stated cause, gotchas and decisions of the newest sessions.
        seconds: The time to read all, estimated; None if none was read.
    """

    number: int
    are_all: bool
    size: int
    examples: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def duration(self) -> str:
        """The estimated time as words, empty if unknown."""
        if self.seconds is None:
            return ""
        minutes, seconds = divmod(math.ceil(self.seconds), 60)
        return f", in about {minutes + 1} minutes" if minutes else f", in about {seconds} s"

    def lines(self) -> Iterator[str]:
        """Yield what was found, for a person."""
        least = "" if self.are_all else "at least "
        sessions = counted(self.number, "earlier session", "earlier sessions")
        yield (
            f"Found {least}{sessions} of Claude Code and Codex in this project,"
            f" {self.size / KILOBYTE:,.0f} kB{', for example:' if self.examples else ''}"
        )
        yield from (on_one_line(f"  {example}") for example in self.examples)


class PastCapture(NamedTuple):
    """
    The outcome of capturing earlier sessions.

    Attributes:
        files: The files that were written and are there.
        repairs: The titles of the repairs that were kept.
        problems: One line each.
    """

    files: Sequence[str]
    repairs: Sequence[str]
    problems: Sequence[str]


class _TooLateError(Exception):
    """The time of a look is over."""


@attrs.frozen(kw_only=True)
class PastSessions:
    """
    The sessions of a project that agents kept themselves.

    Attributes:
        embed: Whether the embedder may be used; without it, words alone set the boundaries.
    """

    memory: Memory
    project_root: str
    embed: bool = True

    def waiting(self) -> Iterator[PastSession]:
        """Yield those that are not captured, the last changed first."""
        journal = open_journal(self.memory.settings.global_store)
        key, key_of = identify(self.project_root).key, cache(lambda path: identify(path).key)
        for past in past_transcripts(os.environ).newest_first():
            if key_of(past.folder) != key:
                continue
            is_captured = self._was_captured(past, journal.buffer(past.session_id))
            if not is_captured or journal.reading(past.session_id) < READING:
                yield PastSession(past, only_repairs=is_captured)

    def look(self, *, reads: bool) -> Look:
        """
        Look for those that wait, for at most `LOOK_SECONDS`.

        Without *reads* no transcript is read beyond the lines that name its project.
        """
        deadline = Deadline.after(LOOK_SECONDS, time.monotonic)
        waiting, are_all = list[PastSession](), True
        for session in self.waiting():
            waiting.append(session)
            if deadline.passed():
                are_all = False
                break
        found = Look(len(waiting), are_all, _bytes_of(waiting))
        return self._with_examples(found, waiting[:LOOKED_AT], deadline) if reads else found

    def preview(self, sessions: Sequence[PastSession]) -> Sequence[RepairNote]:
        """Return the repairs with a stated cause that capturing *sessions* would keep."""
        found = dict[str, RepairNote]()
        for session in _with_progress(sessions, "reading"):
            with contextlib.suppress(InvalidEntryError):  # told when it is captured
                previewed = self._reading(session).preview(lambda _: None)
                found |= {note.note_id: note for note in previewed.notes}
        return [*found.values()]

    def capture(self, sessions: Sequence[PastSession]) -> PastCapture:
        """
        Capture *sessions* one by one.

        An interruption keeps the finished ones.
        """
        failed, files, kept = list[str](), list[str](), dict[str, str]()
        for session in _with_progress(sessions, "capturing"):
            keep = partial(self._reading(session).keep, lambda _: None, force=False)
            try:
                captured, learned = self._locked(keep)
            except InvalidEntryError as error:
                failed.append(str(error))
            else:
                files += captured.files
                kept |= {note.note_id: note.title for note in captured.notes}
                failed += learned.problems
        present = [file for file in dict.fromkeys(files) if os.path.exists(file)]
        return PastCapture(present, [*kept.values()], failed)

    def captured(self) -> Mapping[str, Sequence[str]]:
        """Return the sections of each earlier session that was captured, by its id."""
        files = build_capture(self.memory, self.project_root).files
        return {
            buffer.session_id: [part.section_id for part in files.of_session(buffer.session_id)]
            for buffer in self._captured_later()
        }

    def undo(self, sections: Iterable[str]) -> CaptureIndexOutcome:
        """Remove *sections*, so that their sessions can be captured again."""
        capture = build_capture(self.memory, self.project_root)

        def remove() -> CaptureIndexOutcome:
            files = capture.files.remove([*sections])
            learned = build_learn(self.memory, self.project_root, embed=False)(files)
            for buffer in self._captured_later():
                capture.journal.keep(
                    SessionBuffer(
                        session_id=buffer.session_id,
                        project_root=buffer.project_root,
                        transcript_path=buffer.transcript_path,
                    )
                )
            return learned

        return self._locked(remove)

    def _was_captured(self, past: PastTranscript, buffer: SessionBuffer | None) -> bool:
        """
        Return whether the session was captured completely, or from another source.

        A session whose buffer is gone counts as captured if the store has anything of it.
        """
        path = os.path.realpath(past.path)
        if buffer is None or not (buffer.exchanges or buffer.source != "transcript"):
            of_session = EntryFilter(kinds=CONVERSATION_KINDS, session=past.session_id)
            return self.memory.repository.count(of_session) > 0
        if buffer.source != "transcript" or os.path.realpath(buffer.transcript_path) != path:
            return True
        transcripts = open_transcripts(self.memory.settings, self.project_root)
        following = islice(transcripts.read(path, buffer.position or 0), LAST_AND_NEXT)
        return len([*following]) < LAST_AND_NEXT

    def _captured_later(self) -> list[SessionBuffer]:
        key = identify(self.project_root).key
        return [
            buffer
            for buffer in open_journal(self.memory.settings.global_store).buffers()
            if buffer.is_past and buffer.exchanges and identify(buffer.project_root).key == key
        ]

    def _reading(self, session: PastSession) -> TranscriptCapture:
        return TranscriptCapture(
            self.memory,
            self.project_root,
            os.path.realpath(session.transcript.path),
            embed=self.embed,
            session_id=session.transcript.session_id,
            only_repairs=session.only_repairs,
        )

    def _locked(self, work: Callable[[], Result]) -> Result:
        return capturing(
            self.memory.settings, self.memory.warn, project_root=self.project_root, work=work
        )

    def _with_examples(
        self, found: Look, newest: Sequence[PastSession], deadline: Deadline
    ) -> Look:
        started, read = time.monotonic(), 0
        repairs, others = dict[str, None](), dict[str, None]()

        def check(_: int) -> None:
            if deadline.passed():
                raise _TooLateError

        for session in newest:
            with contextlib.suppress(InvalidEntryError, _TooLateError):
                previewed = self._reading(session).preview(check)
                repairs |= dict.fromkeys(note.title for note in previewed.notes)
                for chunk in previewed.chunks:
                    others |= dict.fromkeys((*chunk.metadata.gotchas, *chunk.metadata.decisions))
                read += session.transcript.size
            if deadline.passed():
                break
        seconds = (time.monotonic() - started) * found.size / read if read else None
        return found._replace(examples=(*repairs, *others)[:EXAMPLES], seconds=seconds)


def capture_past(past: PastSessions, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Capture the project's past sessions, after a question."""
    sessions = [*past.waiting()][::-1]
    if dry_run or not sessions:
        repairs = [note.title for note in past.preview(sessions)]
        _print_past(sessions, [], as_json=as_json, repairs=repairs)
        return
    ask(f"capture {_sum_of(sessions)}", yes=yes, about=map(_past_line, sessions))
    done = past.capture(sessions)
    for problem in done.problems:
        warn(problem)
    _print_past(sessions, done.files, as_json=as_json, done=True, repairs=done.repairs)
    if past.embed:
        label_after_output(past.memory.store, past.memory.settings)
    if done.problems:
        raise typer.Exit(OUR_FAILURE)


def undo_past(past: PastSessions, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Remove what was captured of earlier sessions, after a question."""
    captured = past.captured()
    sections = [section for sections in captured.values() for section in sections]
    what = (
        f"{counted(len(sections), 'section', 'sections')} of"
        f" {counted(len(captured), 'earlier session', 'earlier sessions')}"
    )
    if sections:
        about = [f"  {session_id}" for session_id in captured]
        ask(f"remove {what}", yes=yes, dry_run=dry_run, as_json=as_json, about=about)
    undone = past.undo(sections)
    for problem in undone.problems:
        warn(problem)
    if as_json:
        print_items([*captured], sections=len(sections))
    else:
        say(f"Removed: {what}" if sections else "Nothing was captured of earlier sessions")
    if undone.problems:
        raise typer.Exit(OUR_FAILURE)


def _with_progress(sessions: Sequence[PastSession], doing: str) -> Iterator[PastSession]:
    """Yield *sessions* beside a bar of the bytes that are read."""
    with progress() as bar:
        task = bar.add_task("", total=_bytes_of(sessions) // KILOBYTE + 1)
        for place, session in enumerate(sessions, 1):
            bar.update(task, description=f"{doing} session {place} of {len(sessions)}, kB")
            yield session
            bar.advance(task, session.transcript.size // KILOBYTE)


def _bytes_of(sessions: Sequence[PastSession]) -> int:
    return sum(session.transcript.size for session in sessions)


def _sum_of(sessions: Sequence[PastSession]) -> str:
    captured = sum(session.only_repairs for session in sessions)
    number = counted(len(sessions), "session", "sessions")
    size = f"{_bytes_of(sessions) / KILOBYTE:,.0f} kB"
    return f"{number} ({captured} for repairs only), {size}" if captured else f"{number}, {size}"


def _past_line(session: PastSession) -> str:
    past = session.transcript
    changed = dt.datetime.fromtimestamp(past.changed_at, dt.UTC)
    captured = "  (repairs only)" * session.only_repairs
    return f"  {changed:%Y-%m-%d}  {past.size / KILOBYTE:,.0f} kB  {past.path}{captured}"


def repairs_kept(number: int) -> str:
    """Return the number of kept repairs, to be appended to a list."""
    return f", {counted(number, 'repair', 'repairs')}" if number else ""


def _print_past(
    sessions: Sequence[PastSession],
    files: Sequence[str],
    *,
    as_json: bool,
    done: bool = False,
    repairs: Sequence[str] = (),
) -> None:
    if as_json:
        items = [
            {
                "id": session.transcript.session_id,
                **session.transcript._asdict(),
                "only_repairs": session.only_repairs,
            }
            for session in sessions
        ]
        print_items(items, files=[*files], repairs=[*repairs])
        return
    if not sessions:
        say("No session of this project waits to be captured")
        return
    outcome = f", {counted(len(files), 'file', 'files')}" if done else ""
    outcome += repairs_kept(len(repairs))
    say(f"{'Captured' if done else 'Would capture'}: {_sum_of(sessions)}{outcome}")
    for session in () if done else sessions:
        say(_past_line(session))
    for title in repairs:
        say(on_one_line(f"  {title}"))
