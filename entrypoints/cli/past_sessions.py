"""Capture of a project's past sessions, from the agents' own transcripts."""

import contextlib
import datetime as dt
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from typing import NamedTuple

import typer

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import READING
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.entrypoints.bootstrap import Memory, identify
from hardwon.entrypoints.bootstrap_agents import past_transcripts
from hardwon.entrypoints.bootstrap_capture import open_journal, open_transcripts
from hardwon.entrypoints.capture import TranscriptCapture, capturing
from hardwon.entrypoints.cli.console import OUR_FAILURE, ask, print_items, progress, say, warn
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.entries import EntryRepository
from hardwon.ports.transcripts import PastTranscript

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


def sessions_to_capture(
    settings: Settings, repository: EntryRepository, project_root: str
) -> Sequence[PastSession]:
    """Return the project's uncaptured sessions, earliest first."""
    journal, waiting = open_journal(settings.global_store), list[PastSession]()
    for past in _of_project(project_root):
        is_captured = _was_captured(settings, repository, project_root=project_root, past=past)
        if not is_captured or journal.reading(past.session_id) < READING:
            waiting.append(PastSession(past, only_repairs=is_captured))
    return waiting


def _of_project(project_root: str) -> Iterator[PastTranscript]:
    key = identify(project_root).key
    key_of = cache(lambda folder: identify(folder).key)
    for past in past_transcripts(os.environ).all():
        if key_of(past.folder) == key:
            yield past


def _was_captured(
    settings: Settings, repository: EntryRepository, project_root: str, past: PastTranscript
) -> bool:
    """
    Return whether the session was captured completely, or from another source.

    A session whose buffer is gone counts as captured if the store has anything of it.
    """
    path = os.path.realpath(past.path)
    buffer = open_journal(settings.global_store).buffer(past.session_id)
    if buffer is not None and (buffer.exchanges or buffer.source != "transcript"):
        is_own = buffer.source == "transcript" and os.path.realpath(buffer.transcript_path) == path
        following = (
            open_transcripts(settings, project_root).read(path, buffer.position or 0)
            if is_own
            else ()
        )
        return len([*islice(following, LAST_AND_NEXT)]) < LAST_AND_NEXT
    return repository.count(EntryFilter(kinds=CONVERSATION_KINDS, session=past.session_id)) > 0


def capture_past(
    memory: Memory, project_root: str, *, embed: bool, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """
    Capture the project's past sessions one by one.

    An interruption keeps the finished ones.
    """
    sessions = sessions_to_capture(memory.settings, memory.repository, project_root)

    def reading_of(session: PastSession) -> TranscriptCapture:
        return TranscriptCapture(
            memory,
            project_root,
            os.path.realpath(session.transcript.path),
            embed=embed and not dry_run,
            session_id=session.transcript.session_id,
            only_repairs=session.only_repairs,
        )

    if dry_run or not sessions:
        repairs = _repairs_in(sessions, reading_of)
        _print_past(sessions, [], as_json=as_json, repairs=[note.title for note in repairs])
        return
    ask(f"capture {_sum_of(sessions)}", yes=yes, about=map(_past_line, sessions))
    failed, files, kept = list[str](), list[str](), dict[str, str]()
    for session in _with_progress(sessions, "capturing"):
        keep = partial(reading_of(session).keep, lambda _: None, force=False)
        try:
            captured, learned = capturing(
                memory.settings, memory.warn, project_root=project_root, work=keep
            )
        except InvalidEntryError as error:
            failed.append(str(error))
        else:
            files += captured.files
            kept |= {note.note_id: note.title for note in captured.notes}
            failed += learned.problems
    for problem in failed:
        warn(problem)
    _print_past(
        sessions,
        [file for file in dict.fromkeys(files) if os.path.exists(file)],
        as_json=as_json,
        done=True,
        repairs=[*kept.values()],
    )
    if embed:
        label_after_output(memory.store, memory.settings)
    if failed:
        raise typer.Exit(OUR_FAILURE)


def _repairs_in(
    sessions: Sequence[PastSession], reading_of: Callable[[PastSession], TranscriptCapture]
) -> Sequence[RepairNote]:
    """Return the repairs with a stated cause that capturing *sessions* would keep."""
    found = dict[str, RepairNote]()
    for session in _with_progress(sessions, "reading"):
        with contextlib.suppress(InvalidEntryError):  # told when it is captured
            previewed = reading_of(session).preview(lambda _: None)
            found |= {note.note_id: note for note in previewed.notes}
    return [*found.values()]


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
            {**session.transcript._asdict(), "only_repairs": session.only_repairs}
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
