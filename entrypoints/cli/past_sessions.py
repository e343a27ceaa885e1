"""Capture of a project's past sessions, from the agents' own transcripts."""

import contextlib
import datetime as dt
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice

import typer

from hardwon.domain.model.conversation.repair import RepairNote
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


def sessions_to_capture(
    settings: Settings, repository: EntryRepository, project_root: str
) -> Sequence[PastTranscript]:
    """Return the transcripts of the project's uncaptured sessions, earliest first."""
    return [
        past
        for past in _of_project(project_root)
        if not _was_captured(settings, repository, project_root=project_root, past=past)
    ]


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
    if buffer is not None:
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

    def reading_of(session: PastTranscript) -> TranscriptCapture:
        return TranscriptCapture(
            memory,
            project_root,
            os.path.realpath(session.path),
            embed=embed and not dry_run,
            session_id=session.session_id,
        )

    if dry_run or not sessions:
        repairs = _repairs_in(sessions, reading_of)
        _print_past(sessions, [], as_json=as_json, repairs=[note.title for note in repairs])
        return
    ask(f"capture {_sum_of(sessions)}", yes=yes, about=map(_past_line, sessions))
    failed, files, kept = list[str](), list[str](), dict[str, str]()
    with progress() as bar:
        task = bar.add_task("", total=sum(session.size for session in sessions) // KILOBYTE + 1)
        for place, session in enumerate(sessions, 1):
            bar.update(task, description=f"capturing session {place} of {len(sessions)}, kB")
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
            bar.advance(task, session.size // KILOBYTE)
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
    sessions: Sequence[PastTranscript], reading_of: Callable[[PastTranscript], TranscriptCapture]
) -> Sequence[RepairNote]:
    """Return the repairs with a stated cause that capturing *sessions* would keep."""
    found = dict[str, RepairNote]()
    with progress() as bar:
        task = bar.add_task("", total=sum(session.size for session in sessions) // KILOBYTE + 1)
        for place, session in enumerate(sessions, 1):
            bar.update(task, description=f"reading session {place} of {len(sessions)}, kB")
            with contextlib.suppress(InvalidEntryError):  # told when it is captured
                previewed = reading_of(session).preview(lambda _: None)
                found |= {note.note_id: note for note in previewed.notes}
            bar.advance(task, session.size // KILOBYTE)
    return [*found.values()]


def _sum_of(sessions: Sequence[PastTranscript]) -> str:
    size = sum(session.size for session in sessions)
    return f"{counted(len(sessions), 'session', 'sessions')}, {size / KILOBYTE:,.0f} kB"


def _past_line(session: PastTranscript) -> str:
    changed = dt.datetime.fromtimestamp(session.changed_at, dt.UTC)
    return f"  {changed:%Y-%m-%d}  {session.size / KILOBYTE:,.0f} kB  {session.path}"


def repairs_kept(number: int) -> str:
    """Return the number of kept repairs, to be appended to a list."""
    return f", {counted(number, 'repair', 'repairs')}" if number else ""


def _print_past(
    sessions: Sequence[PastTranscript],
    files: Sequence[str],
    *,
    as_json: bool,
    done: bool = False,
    repairs: Sequence[str] = (),
) -> None:
    if as_json:
        print_items([session._asdict() for session in sessions], files=[*files], repairs=[*repairs])
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
