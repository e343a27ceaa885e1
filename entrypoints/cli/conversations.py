"""`hardwon capture` and `remember`: store conversations, and show the state of capture."""

import contextlib
import os
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, NamedTuple

import attrs
import typer

from hardwon.domain.model.conversation.hook_event import WaitingEvents
from hardwon.domain.model.conversation.session import (
    Chunk,
    Exchange,
    SessionBuffer,
    project_of,
    timestamp,
)
from hardwon.domain.model.settings import BUFFERED, Settings
from hardwon.domain.use_cases.capture import CaptureIndexOutcome, CaptureOutcome, Progress
from hardwon.domain.use_cases.remember import RememberOutcome
from hardwon.entrypoints.bootstrap_capture import (
    last_events,
    open_journal,
    open_lock,
    project_to_note,
)
from hardwon.entrypoints.capture import Remembering, TranscriptCapture, capturing
from hardwon.entrypoints.cli.console import (
    OUR_FAILURE,
    Yes,
    ask,
    print_items,
    print_json,
    progress,
    say,
    warn,
)
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.cli.options import (
    AsJson,
    GlobalStore,
    ProjectRoot,
    Typed,
    ensure_storable,
    open_for,
    resolve,
)
from hardwon.entrypoints.cli.past_sessions import (
    PastSessions,
    capture_past,
    repairs_kept,
    undo_past,
)
from hardwon.entrypoints.presenters.entries import KEPT_HERE, complaints_of_private
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.entrypoints.streams import is_empty, is_piped, readable, standard_input, valid_text
from hardwon.ports.transcripts import STANDARD_INPUT, CaptureJournal


class SessionStatus(NamedTuple):
    """
    The capture status of a session.

    Attributes:
        exchanges: How many exchanges are buffered, at most 20.
        unwritten: How many of them are in no file yet.
        waiting: How many events wait for the worker.
    """

    session_id: str
    project_root: str
    exchanges: int
    unwritten: int
    waiting: int


def print_status(settings: Settings, project_root: str, *, as_json: bool) -> None:
    """Print the state of capture on this machine, without opening the store."""
    store = settings.global_store
    sessions = session_statuses(open_journal(store))
    is_working = open_lock(store).is_taken()
    problems = last_events(store, 1)
    if as_json:
        enabled = settings.semantic_enabled and project_to_note(settings, project_root) is not None
        documents = [session._asdict() for session in sessions]
        print_json(
            {
                "enabled": enabled,
                "working": is_working,
                "sessions": documents,
                "last_trouble": problems[-1:],
            }
        )
        return
    say(f"Capture: {_switch(settings, project_root)}")
    say(f"Worker: {'at work' if is_working else 'not running'}")
    for session in sessions:
        say(_line(session))
    if not sessions:
        say("No session was captured yet")
    for problem in problems:
        say(f"Last trouble: {problem}")


def _discard(
    settings: Settings, session_id: str, *, yes: bool, dry_run: bool, as_json: bool
) -> None:
    """
    Drop the pending events of a session.

    What was captured stays.
    """
    journal = open_journal(settings.global_store)
    waiting = next((item for item in journal.waiting() if item.session_id == session_id), None)
    if waiting is None:
        raise typer.BadParameter(
            f"nothing waits of {session_id!r}: hardwon capture --status lists what does",
            param_hint="'--discard'",
        )
    events = counted(waiting.events, "event", "events")
    ask(
        f"let go {events} of session {session_id} in {waiting.project_root or 'no folder'}",
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
    )
    begun = SessionBuffer(session_id=session_id, project_root=waiting.project_root)
    journal.keep(journal.buffer(session_id) or begun, handled=waiting.newest)
    say(f"Let go: {events}")


def session_statuses(journal: CaptureJournal) -> list[SessionStatus]:
    """Return the status of each session, those with pending events first."""
    buffers = {buffer.session_id: buffer for buffer in journal.buffers()}
    waiting = {item.session_id: item for item in journal.waiting()}
    return [
        _status(item, buffers.get(item), waiting.get(item))
        for item in dict.fromkeys((*waiting, *buffers))
    ]


def _status(
    session_id: str, buffer: SessionBuffer | None, waiting: WaitingEvents | None
) -> SessionStatus:
    replies = waiting.replies if waiting else 0
    return SessionStatus(
        session_id=session_id,
        project_root=project_of(buffer, [waiting.project_root] if waiting else ()),
        exchanges=min(BUFFERED, replies + (len(buffer.exchanges) if buffer else 0)),
        unwritten=min(BUFFERED, replies + (buffer.unwritten if buffer else 0)),
        waiting=waiting.events if waiting else 0,
    )


def _switch(settings: Settings, project_root: str) -> str:
    if not settings.semantic_enabled:
        return "off (memory_semantic_enabled)"
    if settings.capture_enabled is False:
        return "off (memory_capture_enabled)"
    if project_to_note(settings, project_root) is None:
        return "off here (hardwon init keeps the conversations of this project)"
    return (
        f"on, every {counted(settings.capture_interval, 'exchange', 'exchanges')}"
        " (memory_capture_interval)"
    )


def _line(session: SessionStatus) -> str:
    at_hand = counted(session.exchanges, "exchange", "exchanges")
    waiting = (
        f", {counted(session.waiting, 'event waits', 'events wait')}" if session.waiting else ""
    )
    return (
        f"{session.session_id}  {session.project_root}: {at_hand}, {session.unwritten}"
        f" unwritten{waiting}"
    )


CAPTURE_EXAMPLES = """\b
Examples:
  hardwon capture --from ~/.claude/projects/-home-me-app/4e1079b4.jsonl
  hardwon capture --dry-run --json < exchanges.jsonl
  hardwon capture --all --dry-run"""


CAPTURE_TASKS = {
    "status": (),
    "discard": ("yes", "dry_run"),
    "past": ("undo", "yes", "dry_run", "no_embed"),
}


def capture(
    transcript: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TRANSCRIPT|-",
            help="The transcript (default: standard input, if it is piped).",
        ),
    ] = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show where it would be cut.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help=("Start from the beginning instead of where the last capture stopped.")
        ),
    ] = False,
    no_embed: Annotated[
        bool,
        typer.Option(
            "--no-embed", help=("Use no embedder: cut by words, and make the vectors later.")
        ),
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Only show what waits to be captured.")
    ] = False,
    discard: Annotated[
        str | None,
        typer.Option(
            metavar="SESSION",
            help="Drop what waits of a session, for example of a deleted project.",
        ),
    ] = None,
    past: Annotated[
        bool,
        typer.Option(
            "--all",
            help=(
                "Capture all earlier sessions of Claude Code and Codex in this project,"
                " after a preview."
            ),
        ),
    ] = False,
    undo: Annotated[
        bool,
        typer.Option(
            "--undo", help="With --all: remove what was captured of earlier sessions again."
        ),
    ] = False,
    yes: Yes = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a conversation, cut by topic, as markdown in memory/conversations/.

    TRANSCRIPT is a session of Claude Code or Codex, or JSON lines of {"user", "assistant",
    "timestamp"}. Tool calls, injected memory, secrets and <private> passages are left out. It
    continues where the last capture of the session stopped.
    """
    if status:
        print_status(resolve(project_root, global_store).settings, project_root, as_json=as_json)
        return
    if discard is not None:
        _discard(
            resolve(project_root, global_store).settings,
            readable(discard),
            yes=yes,
            dry_run=dry_run,
            as_json=as_json,
        )
        return
    if undo and not past:
        raise typer.BadParameter("goes with --all", param_hint="'--undo'")
    if past:
        ensure_storable(project_root)
        memory = open_for(project_root, global_store, create=not dry_run and not undo)
        embed = not (no_embed or dry_run)
        sessions = PastSessions(memory=memory, project_root=project_root, embed=embed)
        work = undo_past if undo else capture_past
        work(sessions, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    path = _path(transcript)
    ensure_storable(project_root)
    memory = open_for(project_root, global_store, create=not dry_run)
    reading = TranscriptCapture(memory, project_root, path, embed=not no_embed)
    if dry_run:
        with _progress() as progress:
            captured = reading.preview(progress)
        _print_captured(captured, reading.root, as_json=as_json)
        return
    with _progress() as progress:
        keep = partial(reading.keep, progress, force=force)
        captured, learned = capturing(
            memory.settings, memory.warn, project_root=project_root, work=keep
        )
    _print_kept(captured, learned, reading.root, as_json=as_json)
    if not no_embed:
        label_after_output(memory.store, memory.settings)


def _print_kept(
    captured: CaptureOutcome, learned: CaptureIndexOutcome, root: str, *, as_json: bool
) -> None:
    _print_captured(captured, root, as_json=as_json)
    for problem in learned.problems:
        warn(f"the text is kept all the same: {problem}")
    if not learned.is_known:
        raise typer.Exit(OUR_FAILURE)


def _path(transcript: str | None) -> str:
    if transcript not in {None, STANDARD_INPUT}:
        return os.path.realpath(transcript or "")
    if transcript is None and not (is_piped(patient=True) or is_empty()):
        raise typer.BadParameter(
            "name a TRANSCRIPT, or pipe one to standard input", param_hint="--from"
        )
    return STANDARD_INPUT


@contextlib.contextmanager
def _progress() -> Iterator[Progress]:
    with progress() as bar:
        task = bar.add_task("capturing exchanges", total=None)
        yield lambda exchanges: bar.update(task, completed=exchanges)


def _print_captured(captured: CaptureOutcome, root: str, *, as_json: bool) -> None:
    if as_json:
        print_items(map(chunk_document, captured.chunks))
        return
    if not (captured.chunks or captured.notes):
        say("Nothing to capture.")
        return
    exchanges = counted(captured.exchanges, "exchange", "exchanges")
    chunks = counted(len(captured.chunks), "chunk", "chunks") + repairs_kept(len(captured.notes))
    if not captured.files:
        say(f"Would capture: {exchanges} in {chunks}")
        titles = [item.title for item in captured.chunks] + [note.title for note in captured.notes]
        for title in titles:
            say(on_one_line(f"  {title}"))
        return
    files = [
        file for file in captured.files if os.path.exists(file)
    ]  # a forced capture may leave one empty, which is removed
    say(f"Captured: {exchanges} in {chunks}, {counted(len(files), 'file', 'files')}")
    for file in files:
        say(f"  {os.path.relpath(file, root)}")


REMEMBER_EXAMPLES = """Examples: hardwon remember "The staging database is read-only on Fridays"; hardwon remember"""


def remember(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT|-]",
            help="The text (- for standard input). Without it, the last exchanges are kept.",
            show_default=False,
        ),
    ] = None,
    *,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Make the vector later.")] = False,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a text or the last exchanges of this session for good.

    It becomes a file in memory/conversations/ that never expires. Without TEXT, the last captured
    exchanges of the session are kept.
    """
    del typed
    ensure_storable(project_root)
    memory = open_for(project_root, global_store, or_outbox=True)
    remembering = Remembering(memory=memory, project_root=project_root, embed=not no_embed)
    given = _given(" ".join(words) if words else None)
    for line in complaints_of_private(given or ""):
        warn(line)
    remembered = remembering.session(os.environ) if given is None else remembering.text(given)
    for problem in remembered.learned.problems:
        warn(problem)
    if memory.away:
        warn(KEPT_HERE.format(memory.away))
    if as_json:
        print_json(_document(remembered))
    else:
        _print_remembered(remembered, os.path.realpath(project_root))
    if not no_embed:
        label_after_output(memory.store, memory.settings)


def _given(text: str | None) -> str | None:
    if text not in {None, "-"}:
        return valid_text(text or "")
    piped = standard_input() if text == "-" or is_piped(patient=False) else ""
    return piped if text == "-" or piped.strip() else None


def _print_remembered(remembered: RememberOutcome, root: str) -> None:
    captured = remembered.captured
    for chunk in captured.chunks:
        say(f"Remembered permanently: {chunk.summary or chunk.title}")
    for file in captured.files:
        say(f"Saved: {os.path.relpath(file, root)}")
    if remembered.learned.embedded:
        say(f"Embedded: {counted(remembered.learned.embedded, 'vector', 'vectors')} made")


def _document(remembered: RememberOutcome) -> dict[str, object]:
    captured = remembered.captured
    kept = ("chunk_id", "title", "summary", "session_id", "permanent")
    return {
        "summary": " ".join(chunk.summary or chunk.title for chunk in captured.chunks),
        "chunks": [
            {"id": chunk.chunk_id, "name": chunk.title}
            | {name: getattr(chunk, name) for name in kept}
            for chunk in captured.chunks
        ],
        "files": captured.files,
        "embedded": remembered.learned.embedded,
    }


def chunk_document(chunk: Chunk) -> dict[str, Any]:
    """Return *chunk* for JSON."""
    return {
        "id": chunk.chunk_id,
        "name": chunk.title,
        "title": chunk.title,
        "summary": chunk.summary,
        "topic": chunk.topic,
        "startTime": timestamp(chunk.starts_at),
        "endTime": timestamp(chunk.ends_at),
        "exchanges": [_exchange_document(exchange) for exchange in chunk.exchanges],
        "metadata": {name: list(values) for name, values in attrs.asdict(chunk.metadata).items()},
    }


def _exchange_document(exchange: Exchange) -> dict[str, Any]:
    document = {
        "user": exchange.user,
        "assistant": exchange.assistant,
        "timestamp": timestamp(exchange.at),
    }
    if not exchange.answers:
        return document
    return {
        **document,
        "answers": [{**item._asdict(), "options": list(item.options)} for item in exchange.answers],
    }
