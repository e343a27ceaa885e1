"""Transcripts that the agents keep themselves, searched for what was forgotten; they are the agents' and never changed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from hardwon.adapters.agents.table import CLAUDE_CODE, CODEX, GEMINI_CLI
from hardwon.domain.model.erasure import Erasure
from hardwon.ports.erasure import KeptElsewhere
from hardwon.ports.override import override

FOLDERS = ((CLAUDE_CODE, "projects"), (CODEX, "sessions"), (GEMINI_CLI, "tmp"))
"""Where agents keep transcripts, below the folder of their settings."""

OPENCODE_DATA = ".local/share/opencode"
ENDINGS = (".jsonl", ".json", ".md")
CHUNK = 4 * 1024 * 1024


class KeptTranscripts(KeptElsewhere):
    """
    The transcripts of all agents of this user.

    Args:
        environ: May name other folders of the agents.
        home: The user's folder.

    """

    def __init__(self, environ: Mapping[str, str], home: str) -> None:
        below = (os.path.join(agent.settings_folder(environ, home), name) for agent, name in FOLDERS)
        self._folders = (*below, os.path.join(home, OPENCODE_DATA))

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        return [f"a transcript of the agent: {path}" for path in self._paths() if _holds(path, erasure)]

    def _paths(self) -> Iterator[str]:
        for folder in self._folders:
            for place, _, names in os.walk(folder):
                yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(ENDINGS))


def _holds(path: str, erasure: Erasure) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return bool(erasure.found_in_bytes(iter(lambda: file.read(CHUNK), b"")))
    return False
