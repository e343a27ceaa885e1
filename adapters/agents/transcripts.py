"""Read the transcripts that agents keep."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from hardwon.adapters.agents.table import CLAUDE_CODE, CODEX, GEMINI_CLI
from hardwon.domain.model.erasure import Erasure
from hardwon.ports.erasure import KeptElsewhere
from hardwon.ports.override import override
from hardwon.ports.transcripts import PastTranscript, PastTranscripts

WITH_SESSIONS = ((CLAUDE_CODE, "projects"), (CODEX, "sessions"))
OF_A_HELPER = "agent-"
"""
Prefix of Claude Code's transcripts of helper agents.

They are no talk with the user.
"""

ENDING = ".jsonl"
LINES_READ = 50
LONGEST_LINE = 1_000_000


class AgentsTranscripts(PastTranscripts):
    """All transcripts of this user, in folders that *environ* may move."""

    def __init__(self, environ: Mapping[str, str], home: str) -> None:
        self._folders = [
            os.path.join(agent.settings_folder(environ, home), name)
            for agent, name in WITH_SESSIONS
        ]

    @override
    def newest_first(self) -> Iterator[PastTranscript]:
        for path in sorted(self._paths(), key=_changed_at, reverse=True):
            if past := _described(path):
                yield past

    def _paths(self) -> Iterator[str]:
        for path in _files_below(self._folders, ENDING):
            if not os.path.basename(path).startswith(OF_A_HELPER):
                yield path


def _changed_at(path: str) -> tuple[float, str]:
    with suppress(OSError):
        return os.stat(path).st_mtime, path
    return 0.0, path


def _described(path: str) -> PastTranscript | None:
    folder = session_id = ""
    with suppress(OSError), open(path, "rb") as file:
        about = os.stat(file.fileno())
        for line in islice(iter(lambda: file.readline(LONGEST_LINE), b""), LINES_READ):
            fields = _fields(line)
            folder = folder or _text(fields.get("cwd"))
            session_id = session_id or _text(fields.get("sessionId") or fields.get("id"))
            if folder and session_id:
                return PastTranscript(
                    path=path,
                    folder=folder,
                    session_id=session_id,
                    size=about.st_size,
                    changed_at=about.st_mtime,
                )
    return None


def _fields(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    payload = found.get("payload")
    return payload if found.get("type") == "session_meta" and isinstance(payload, dict) else found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


FOLDERS = (*WITH_SESSIONS, (GEMINI_CLI, "tmp"))
"""The folders of transcripts, below each agent's settings."""

OPENCODE_DATA = ".local/share/opencode"
ENDINGS = (".jsonl", ".json", ".md")
CHUNK = 4 * 1024 * 1024


class KeptTranscripts(KeptElsewhere):
    """The transcripts of all agents, in folders that *environ* may move."""

    def __init__(self, environ: Mapping[str, str], home: str) -> None:
        below = (
            os.path.join(agent.settings_folder(environ, home), name) for agent, name in FOLDERS
        )
        self._folders = (*below, os.path.join(home, OPENCODE_DATA))

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        return [
            f"a transcript of the agent: {path}"
            for path in _files_below(self._folders, *ENDINGS)
            if _holds(path, erasure)
        ]


def _holds(path: str, erasure: Erasure) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return bool(erasure.found_in_bytes(iter(lambda: file.read(CHUNK), b"")))
    return False


def _files_below(folders: Iterable[str], *endings: str) -> Iterator[str]:
    """Yield the files, but no pipe: reading one would never end."""
    for folder in folders:
        for place, _, names in os.walk(folder):
            paths = (os.path.join(place, name) for name in sorted(names) if name.endswith(endings))
            yield from filter(os.path.isfile, paths)
