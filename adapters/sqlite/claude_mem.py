"""The database of claude-mem, versions 5 to 13, only read."""

import contextlib
import datetime as dt
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hardwon.adapters.sqlite.database import Row
from hardwon.adapters.sqlite.older_index import MAGIC, is_sqlite
from hardwon.adapters.sqlite.untrusted import (
    SHORT_PATTERN,
    UntrustedDatabase,
    refuse_other_than_table,
    schema_objects,
)
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_KEYWORDS, Entry
from hardwon.domain.model.errors import InvalidEntryError, StorageError, UnreadableFileError
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.external_memory import ExternalConversation, ExternalMemory
from hardwon.ports.override import override

OBSERVATIONS, SUMMARIES, PROMPTS, SESSIONS = TABLES = (
    "observations",
    "session_summaries",
    "user_prompts",
    "sdk_sessions",
)
REPORTS = ("feature", "refactor", "change")
"""The types of observations that only report. The summary of the session has them."""

CATEGORIES: Mapping[str, Category] = {"bugfix": "anti-patterns"}
KEYS = (
    ("memory_session_id", "content_session_id"),
    ("sdk_session_id", "claude_session_id"),
)
"""The columns of a session's own id and the host's, by version."""

FIELDS = ("type", "title", "subtitle", "text", "narrative", "facts", "concepts", "files_modified")
LESSONS = f"SELECT {', '.join(FIELDS)}, created_at_epoch FROM {OBSERVATIONS}"
COLUMNS = "SELECT name FROM pragma_table_info(?)"
PROMPTS_OF = f"SELECT prompt_text, created_at_epoch FROM {PROMPTS} WHERE {{}} = ?"
SUMMARIES_OF = (
    "SELECT request, investigated, learned, completed, next_steps, notes, created_at_epoch"
    f" FROM {SUMMARIES} WHERE {{}} = ?"
)
READ_SECONDS, LARGEST_FILE, LONGEST_VALUE = 600.0, 4_000_000_000, 4 * 1024 * 1024
MILLISECONDS, LATEST_SECONDS = 1_000, 10_000_000_000


class ClaudeMem(ExternalMemory):
    """
    Sessions and observations of claude-mem.

    A session becomes a conversation of its prompts and summaries, an observation a lesson.

    Args:
        label: The project whose memory is read, None for all.
        clean: Takes secrets out of a text.
    """

    title = "a database of claude-mem"

    def __init__(self, path: str, label: str | None, clean: Cleaning) -> None:
        self._path = os.path.realpath(path)
        self._label = label
        self._clean = clean

    @property
    @override
    def projects(self) -> Sequence[str]:
        named = (f"SELECT project FROM {table}" for table in (OBSERVATIONS, SESSIONS))
        with self._opened() as database:
            rows = database.rows(" UNION ".join(named))
        return sorted({_text(project) for (project,) in rows} - {""})

    @override
    def conversations(self) -> Iterator[ExternalConversation]:
        with self._opened() as database:
            columns = {name for (name,) in database.rows(COLUMNS, (SESSIONS,))}
            own, host = next(filter(columns.issuperset, KEYS), KEYS[0])
            sessions = f"SELECT {own}, {host}, user_prompt FROM {SESSIONS}"
            for own_id, host_id, prompt in self._of_project(database, sessions):
                prompts = database.stream(PROMPTS_OF.format(host), (host_id,))
                summaries = database.stream(SUMMARIES_OF.format(own), (own_id,))
                asked = [(text, "", at) for text, at in prompts]
                done = [(text, _joined(parts), at) for text, *parts, at in summaries]
                exchanges = [
                    *self._exchanges(sorted([*asked, *done], key=lambda row: _time(row[2])))
                ]
                if exchanges:
                    name = self._clean(_text(prompt)) or exchanges[0].text
                    yield ExternalConversation(name, exchanges)

    @override
    def lessons(self) -> Iterator[Entry]:
        with self._opened() as database:
            for *values, at in self._of_project(database, LESSONS):
                fields = dict(zip(FIELDS, values, strict=True))
                if fields["type"] not in REPORTS:
                    with contextlib.suppress(InvalidEntryError):  # nothing is written in it
                        yield self._lesson(fields, _time(at))

    def _lesson(self, fields: Mapping[str, Any], at: dt.datetime) -> Entry:
        facts = [self._clean(fact) for fact in _texts(fields["facts"])]
        texts = [self._clean(_text(fields[name])) for name in ("narrative", "text", "subtitle")]
        title = self._clean(_text(fields["title"]))
        description = next(filter(None, texts), "") or "\n".join(facts) or title
        return Entry(
            name=title or description.splitlines()[0][:80] if description else "",
            description=description,
            notes="\n".join(f"- {fact}" for fact in facts if fact not in description),
            category=CATEGORIES.get(_text(fields["type"]), "heuristics"),
            keywords=tuple(self._clean(word) for word in _texts(fields["concepts"]))[:MAX_KEYWORDS],
            references=tuple(self._clean(path) for path in _texts(fields["files_modified"])),
            source="import",
            created_at=at,
            updated_at=at,
        )

    def _exchanges(self, rows: Iterable[tuple[object, str, object]]) -> Iterator[Exchange]:
        for user, assistant, at in rows:
            with contextlib.suppress(InvalidEntryError):  # neither a prompt nor a summary
                yield Exchange(self._clean(_text(user)), self._clean(assistant), _time(at))

    def _of_project(self, database: UntrustedDatabase, statement: str) -> Iterator[Row]:
        if self._label is None:
            return database.stream(f"{statement} ORDER BY id")
        # later versions name the parent folder too
        ending = "".join(f"!{letter}" if letter in "!%_" else letter for letter in self._label)
        where = "WHERE project = ? OR project LIKE ? ESCAPE '!'"
        return database.stream(
            f"{statement} {where} ORDER BY id", (self._label, f"%/{ending}"[-SHORT_PATTERN:])
        )

    @contextlib.contextmanager
    def _opened(self) -> Iterator[UntrustedDatabase]:
        try:
            with contextlib.closing(_open(self._path)) as database:
                yield database
        except StorageError as error:
            raise UnreadableFileError(f"claude-mem's database can't be read: {error}") from error


def open_claude_mem(path: str, label: str | None, clean: Cleaning) -> ClaudeMem | None:
    """Return the memory of claude-mem at *path*, None for another file."""
    try:
        with open(path, "rb") as file:
            if not is_sqlite(file.read(len(MAGIC))):
                return None
        with contextlib.closing(_open(os.path.realpath(path))) as database:
            tables = {item.name for item in schema_objects(database) if item.kind == "TABLE"}
    except (OSError, StorageError):
        return None  # other readers say what is wrong
    return ClaudeMem(path, label, clean) if tables.issuperset(TABLES) else None


def _open(path: str) -> UntrustedDatabase:
    deadline = Deadline.after(READ_SECONDS, time.monotonic)
    database = UntrustedDatabase(path, deadline, at_most=LARGEST_FILE, longest_value=LONGEST_VALUE)
    try:
        objects = schema_objects(database)
        for table in TABLES:
            refuse_other_than_table(database, objects, table)
    except StorageError:
        database.close()
        raise
    return database


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    """Return the texts of a JSON list."""
    try:
        texts = json.loads(_text(value) or "[]")
    except (ValueError, RecursionError):
        return []
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def _joined(parts: Iterable[object]) -> str:
    return "\n\n".join(filter(None, map(_text, parts)))


def _time(value: object) -> dt.datetime:
    """Return the time of milliseconds, or of the seconds that early versions kept."""
    number = value if isinstance(value, (int, float)) else 0
    seconds = number / MILLISECONDS if number > LATEST_SECONDS else number
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return dt.datetime.fromtimestamp(0, dt.UTC)
