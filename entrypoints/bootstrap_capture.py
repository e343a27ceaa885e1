"""Capture of conversations: journal, transcripts, use cases and the worker's start."""

import contextlib
import datetime as dt
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hardwon.domain.model.redaction import Cleaning
from hardwon.entrypoints.bootstrap import now

if TYPE_CHECKING:
    from hardwon.adapters.sqlite.capture_journal import CaptureLock
    from hardwon.adapters.sqlite.database import SqliteDatabase
    from hardwon.adapters.sqlite.outbox import Waiting
    from hardwon.domain.model.conversation.actions import TimedAction
    from hardwon.domain.model.conversation.hook_event import HookEvent, NotedProject
    from hardwon.domain.model.conversation.session_actions import ReadRecent
    from hardwon.domain.model.injection.entry_text import Measure
    from hardwon.domain.model.injection.receipt import GivenText, LastResponse, SessionTurn
    from hardwon.domain.model.project import Conversations, KeepingReason
    from hardwon.domain.model.settings import ServerAddress, Settings
    from hardwon.domain.use_cases.capture import Capture, Learn
    from hardwon.domain.use_cases.import_external import ImportExternal
    from hardwon.domain.use_cases.observe_outcomes import ReadActions
    from hardwon.entrypoints.bootstrap_retrieval import Memory
    from hardwon.ports.activity import Activity
    from hardwon.ports.agents import SetupRecord
    from hardwon.ports.external_memory import ExternalMemory
    from hardwon.ports.store import Store, Warn
    from hardwon.ports.transcripts import CaptureJournal, Transcripts


def last_events(store: str, count: int) -> list[str]:
    """Return the last *count* lines of the hooks' log in that folder."""
    from hardwon.adapters.hook_log import last_events

    return last_events(store, count)


def note(store: str, event: "HookEvent", project: "NotedProject | None" = None) -> int:
    """Journal *event* and return its session's number of waiting replies."""
    from hardwon.adapters.sqlite.hook_events import note

    return note(store, event, project)


def has_prompt_since(store: str, session_id: str, at: dt.datetime) -> bool:
    """Return whether the session has an unanswered prompt since *at*."""
    from hardwon.adapters.sqlite.hook_events import has_prompt_since

    return has_prompt_since(store, session_id, at.isoformat(timespec="milliseconds"))


def put_aside(store: str) -> str:
    """
    Move a damaged journal aside and return its new path.

    The path is empty if the journal is not damaged any more.
    """
    from hardwon.adapters.sqlite.hook_events import put_aside

    return put_aside(store)


def count_events(store: str) -> int:
    """Return the number of waiting events."""
    from hardwon.adapters.sqlite.hook_events import count_events

    return count_events(store)


def has_events(store: str) -> bool:
    """Return whether an event waits whose project exists, or an outbox."""
    from hardwon.adapters.sqlite.hook_events import has_events

    return has_events(store) or bool(wait_in_outboxes(store))


def wait_in_outboxes(store: str) -> "Sequence[Waiting]":
    """Return what waits in each outbox."""
    from hardwon.adapters.folder import outbox_folders

    if not outbox_folders(store):
        return ()
    from hardwon.adapters.sqlite.outbox import waiting_in  # only where there is a server

    return waiting_in(store)


def wake_to_send(settings: "Settings", project_root: str) -> None:
    """Start the worker if entries wait for a server that is back."""
    from hardwon.domain.model.errors import StorageError

    with contextlib.suppress(StorageError, OSError):  # the next turn's end does it
        if wait_in_outboxes(settings.global_store):
            wake(settings, os.path.abspath(project_root))


HOOK_WAIT_SECONDS = 1.0
"""Longest wait for a server's answer in hooks that print nothing."""


PLUGIN = "CLAUDE_PLUGIN_ROOT"
"""The environment variable that hosts give to the hooks of a plugin."""


def reason_to_keep(
    settings: "Settings", folder: str, chosen: "Conversations | None"
) -> "KeepingReason | None":
    """
    Return why conversations of *folder* are kept, or None.

    *chosen* is the user's choice for its project.
    """
    from hardwon.domain.use_cases.keep_conversations import reason_to_keep

    return reason_to_keep(
        settings.capture_enabled,
        chosen,
        in_plugin=bool(os.environ.get(PLUGIN)),
        has_files=lambda: _has_conversations(folder),
        record=lambda: _setup_record(settings.global_store),
        places=lambda: _places(folder),
    )


def _setup_record(store: str) -> "SetupRecord":
    from hardwon.adapters.agents.user_files import JsonSetupRecord  # only without `init`

    return JsonSetupRecord(store)


def _places(folder: str) -> "tuple[str, str]":
    from hardwon.entrypoints.bootstrap_files import top_of

    real = os.path.realpath(folder)
    return real, top_of(real) or real


def _has_conversations(folder: str) -> bool:
    from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY
    from hardwon.entrypoints.bootstrap_files import folder_of_files

    roots = {folder_of_files(place) for place in _places(folder)}
    kept = (os.path.join(root, MEMORY, CONVERSATION_FOLDERS[0]) for root in roots)
    return any(
        name.endswith(".md") for path in kept if os.path.isdir(path) for name in os.listdir(path)
    )


def keep_as_before(store: str) -> None:
    """Keep conversations of every project, as earlier versions did."""
    _setup_record(store).keep_everywhere(wanted=True)


def project_to_note(settings: "Settings", folder: str) -> "NotedProject | None":
    """
    Return the project to journal with an event in *folder*.

    None if its conversations are not kept.
    """
    from hardwon.adapters.git.identity import identify
    from hardwon.domain.model.conversation.hook_event import NotedProject
    from hardwon.domain.model.errors import StorageError

    identity = identify(folder).as_text()
    project_id, chosen = "", None  # as where the store can't be read now
    with contextlib.suppress(StorageError):
        project_id, chosen = _known_project(settings, identity.key)
    if reason_to_keep(settings, folder, chosen) is None:
        return None
    return NotedProject(
        key=identity.key, root=identity.root, inode=identity.inode, project_id=project_id
    )


def _known_project(settings: "Settings", key: str) -> "tuple[str, Conversations | None]":
    if settings.server:
        with _served(settings.server) as store:
            project = store.registry(settings.trust).with_key(key)
            return (project.id, project.chosen) if project else ("", None)
    with _opened(settings.global_store) as database:
        rows = (
            database.rows("SELECT id, conversations FROM project WHERE key = ?", (key,))
            if database
            else []
        )
        return next(((row[0], row[1]) for row in rows if isinstance(row[0], str)), ("", None))


def open_journal(store: str) -> "CaptureJournal":
    """Return the journal of the store in that folder."""
    from hardwon.adapters.sqlite.capture_journal import SqliteCaptureJournal

    return SqliteCaptureJournal(store, now)


def open_lock(store: str) -> "CaptureLock":
    """Return the lock that only one capture at a time holds."""
    from hardwon.adapters.sqlite.capture_journal import CaptureLock

    return CaptureLock(store)


def open_forget_lock(store: str) -> "CaptureLock":
    """Return the lock of `hardwon forget`, for which captures give way."""
    from hardwon.adapters.sqlite.capture_journal import FORGET_LOCK_FILE, CaptureLock

    return CaptureLock(store, FORGET_LOCK_FILE)


def open_transcripts(settings: "Settings", project_root: str) -> "Transcripts":
    """Return the reader of the project's transcripts."""
    from hardwon.adapters.transcripts.reader import JsonlTranscripts
    from hardwon.entrypoints.bootstrap import open_pauses

    pauses = open_pauses(settings.global_store).read()
    return JsonlTranscripts(cleaning_for(project_root), settings.capture_boundaries, pauses)


def build_capture(memory: "Memory", project_root: str) -> "Capture":
    """Build the capture of the project's conversations."""
    from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
    from hardwon.domain.model.conversation.chunker import Chunker
    from hardwon.domain.use_cases.capture import Capture
    from hardwon.entrypoints.bootstrap_files import before_writing, folder_of_files
    from hardwon.entrypoints.context import read_place

    place, root = read_place(memory, project_root), folder_of_files(project_root)
    return Capture(
        chunker=Chunker(memory.settings.capture_boundaries),
        files=MarkdownConversationFiles(
            root, before_writing(memory.settings.global_store, place.project, root)
        ),
        journal=open_journal(memory.settings.global_store),
        workplace=place.workplace,
        forgotten=memory.repository.forgotten,
        session_of=lambda note_id: (
            entry.session_id or "" if (entry := memory.repository.by_id(note_id)) else None
        ),
        is_awaited=open_forget_lock(memory.settings.global_store).is_taken,
    )


def open_external(path: str, project_root: str, label: str | None) -> "ExternalMemory | None":
    """
    Return another program's memory at *path*, None for another file.

    Args:
        path: A file or folder.
        project_root: The project whose paths are shortened.
        label: The project that is read, of a memory that names projects; None for all.

    Raises:
        UnreadableFileError: it can't be read, or is another folder.
    """
    from hardwon.adapters.chat_exports import open_chat_export
    from hardwon.adapters.markdown.basic_memory import open_basic_memory
    from hardwon.adapters.sqlite.claude_mem import open_claude_mem
    from hardwon.domain.model.errors import UnreadableFileError
    from hardwon.domain.model.legacy_index import IMPORTABLE

    clean = cleaning_for(project_root)
    chats = open_claude_mem(path, label, clean) or open_chat_export(path, clean)
    found = chats or open_basic_memory(path, clean)
    if found is None and os.path.isdir(path):
        raise UnreadableFileError(f"it is a folder of something else: {IMPORTABLE}")
    return found


def build_import_external(
    memory: "Memory", project_root: str, path: str, *, everywhere: bool, learn: "Learn"
) -> "ImportExternal":
    """Build the import of another program's memory at *path*."""
    from hardwon.domain.use_cases.edit_entries import DeleteEntries
    from hardwon.domain.use_cases.import_external import ImportExternal
    from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry

    capture = build_capture(memory, project_root)
    origin = Origin(capture.workplace, "import", "everywhere" if everywhere else "home")
    return ImportExternal(
        path=path,
        project_root=os.path.realpath(project_root),
        capture=capture,
        learn=learn,
        repository=memory.repository,
        place_entry=PlaceEntry(memory.repository, memory.store.projects, origin),
        ledger=memory.store.ledger,
        delete=DeleteEntries.on(memory.store, memory.clock),
    )


@contextlib.contextmanager
def _opened(store: str) -> "Iterator[SqliteDatabase | None]":
    """
    Open an existing store without creating or migrating it.

    Yields None if there is none, or one of another schema.
    """
    from hardwon.adapters.sqlite.schema import open_existing

    database = open_existing(store)
    try:
        yield database
    finally:
        if database:
            database.close()


@contextlib.contextmanager
def _served(server: "ServerAddress") -> "Iterator[Store]":
    from hardwon.adapters.postgres.store import open_in_time

    with contextlib.closing(open_in_time(server, HOOK_WAIT_SECONDS)) as store:
        yield store


@contextlib.contextmanager
def activity_in(settings: "Settings") -> "Iterator[Activity | None]":
    """Open the records of activity of an existing store, None without one."""
    if settings.server:
        with _served(settings.server) as store:
            yield store
        return
    from hardwon.adapters.sqlite.activity import SqliteActivity

    with _opened(settings.global_store) as database:
        yield SqliteActivity(database) if database else None


def read_given_texts(transcript_path: str, agent: str) -> "Sequence[GivenText] | None":
    """Return texts that *agent* got beside its conversation, None if unknown."""
    from hardwon.adapters.transcripts.agents import transcript_of
    from hardwon.adapters.transcripts.given_texts import given_texts  # compiles patterns

    return given_texts(transcript_of(transcript_path, agent))


def read_history(
    transcript_path: str, response: "LastResponse | None", agent: str = ""
) -> "Sequence[GivenText] | None":
    """
    Return the texts in a resumed session's context, beside the conversation.

    Args:
        transcript_path: The session's transcript, which a fork may not have yet.
        response: The conversation's last response, by which a fork's original is found; None if
            unknown.
        agent: A subagent, which begins with no history; empty for the session's own agent.

    Returns:
        None if it can't be told.
    """
    if agent:
        return read_given_texts(transcript_path, agent)
    from hardwon.adapters.clock import SystemClock
    from hardwon.adapters.transcripts.history import history_texts, original_of  # compiles patterns

    if response and not os.path.isfile(transcript_path):
        transcript_path = original_of(transcript_path, response, SystemClock().now())
    return history_texts(transcript_path)


def read_task(transcript_path: str, agent: str, agent_type: str) -> str:
    """Return the task of a subagent that starts, empty if it is not certain."""
    from hardwon.adapters.transcripts.tasks import wait_for_task

    return wait_for_task(transcript_path, agent, agent_type)


def open_recent_actions() -> "ReadRecent":
    """Return a reader of the actions in a transcript, which reads a line once."""
    from hardwon.adapters.transcripts.action_log import RecentActions

    return RecentActions().before


def read_exit_code(transcript_path: str, command: str) -> int | None:
    """Return the exit code of *command*, which just ended in Codex, None if unknown."""
    from hardwon.adapters.transcripts.action_log import exit_code_of_last

    return exit_code_of_last(transcript_path, command)


def actions_of_session(store: str, session_id: str, transcript_path: str) -> "ReadActions":
    """Return the reader of a session's actions, without those during its pauses."""

    def read(agent: str, since: dt.datetime) -> "Iterator[TimedAction]":
        from hardwon.adapters.transcripts.action_log import actions_since  # only after a moment
        from hardwon.adapters.transcripts.agents import transcript_of
        from hardwon.domain.model.pause import is_off_record
        from hardwon.entrypoints.bootstrap import open_pauses

        pauses, path = open_pauses(store).read(), transcript_of(transcript_path, agent)
        for timed in actions_since(path, since, is_subagent=bool(agent)) if path else ():
            if not (timed.begun and is_off_record(pauses, session_id, timed.begun)):
                yield timed

    return read


def read_turn(transcript_path: str) -> "SessionTurn":
    """Return the last turn of a transcript, empty without any."""
    from hardwon.adapters.transcripts.latest_turn import latest_turn  # compiles patterns

    return latest_turn(transcript_path)


def read_unanswered_call(transcript_path: str) -> str:
    """Return why the server left a hook of the last turn unanswered."""
    from hardwon.adapters.transcripts.latest_turn import unanswered_call  # compiles patterns

    return unanswered_call(transcript_path)


def has_store(settings: "Settings") -> bool:
    """Return whether there is a store, without opening it."""
    from hardwon.adapters.sqlite.database import FILE_NAME

    return bool(settings.server) or os.path.isfile(os.path.join(settings.global_store, FILE_NAME))


WORKER = "hardwon.entrypoints.worker"
PREPARER = "hardwon.entrypoints.hook.prepare"


def wake(
    settings: "Settings",
    project_root: str,
    *,
    measure: "Measure | None" = None,
    module: str = WORKER,
) -> None:
    """
    Start the worker, detached: in its own session, without our streams.

    Args:
        settings: Name the store. A server's address is passed in the environment, hidden from lists
            of processes.
        project_root: The project whose settings determine how missing vectors are made.
        measure: Prepare the next start there of a host that measures so; None prepares none.
        module: The program: the worker, or the one that only prepares a start.
    """
    options = [
        "--global-store",
        os.path.abspath(settings.global_store),
        "--project-root",
        project_root,
    ]
    options += ["--prepare", measure] if measure else []
    environment = dict(os.environ)
    if settings.server:
        options.append("--on-server")
        environment["HARDWON_STORE"] = settings.server.dsn
    from hardwon.adapters.background import start

    start([sys.executable, "-P", "-m", module, *options], environment)


INDEX_UPDATED_LATER = (
    "the keyword index is of an earlier version: it answers, and the worker updates it in the"
    " background"
)


def update_keyword_index_later(settings: "Settings", warn: "Warn", project_root: str) -> None:
    """Start the worker, which updates an outdated keyword index, and warn."""
    if settings.keyword_search:
        try:
            wake(settings, os.path.abspath(project_root))
        except OSError as error:
            warn(f"the worker was not started: {error}")
        else:
            warn(INDEX_UPDATED_LATER)


def cleaning_for(project_root: str) -> Cleaning:
    """
    Return the removal of secrets and of project and home paths.

    It knows all paths by which links lead there.
    """
    root, *other_roots = _names(project_root) or [""]
    home, *other_homes = _names(os.path.expanduser("~"))
    return Cleaning(
        project_root=root, home=home, other_roots=tuple(other_roots), other_homes=tuple(other_homes)
    )


def _names(folder: str) -> list[str]:
    """
    Return the paths of *folder*, its real path first.

    The others are the path as given, and as the shell reached it.
    """
    if not folder:
        return []
    real = os.path.realpath(folder)
    reached = os.environ.get("PWD", "")
    is_reached = os.path.isabs(reached) and os.path.realpath(reached) == real
    return list(
        dict.fromkeys(
            (real, os.path.abspath(folder), *([os.path.normpath(reached)] if is_reached else []))
        )
    )
