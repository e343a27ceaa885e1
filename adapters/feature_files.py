import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hardwon.domain.model.context_query import UNKNOWN_PHASE, Feature
from hardwon.domain.model.feature_description import describe

MAX_FILE_BYTES = 256 * 1024
DOCUMENTS = ("spec.md", "prd.md")


class _Candidate(NamedTuple):
    """An active feature; the greater one wins, by number, then by folder name."""

    number: int
    folder: str
    meta: dict[str, Any]


class FeatureFiles:
    """
    Reads `docs/features/*/.meta.json` and the documents beside it; satisfies `FeatureProbe`.

    Args:
        project_root: The project's folder.
        warn: Told in one line of each file that is there and can't be used.

    """

    def __init__(self, project_root: str, warn: Callable[[str], None]) -> None:
        self._features = f"{project_root}/docs/features"
        self._warn = warn

    def active_feature(self) -> Feature | None:
        """Return the active feature with the highest number in its folder's name, None when there is none."""
        best = max(self._active(), key=lambda each: (each.number, each.folder), default=None)
        if best is None:
            return None
        return Feature(
            slug=_text(best.meta.get("slug")) or _text(best.folder),
            description=self._description(best.folder),
            phase=_text(best.meta.get("lastCompletedPhase")) or UNKNOWN_PHASE,
        )

    def _active(self) -> Iterator[_Candidate]:
        for folder in self._folders():
            meta = self._meta(folder)
            if meta.get("status") == "active":
                number = re.match("[0-9]+", folder)
                yield _Candidate(int(number[0]) if number else -1, folder, meta)

    def _folders(self) -> list[str]:
        try:
            names = os.listdir(self._features)
            return sorted(name for name in names if not name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, ValueError) as error:
            self._warn(f"{self._features!r} can't be read: {error}")
        return []

    def _meta(self, folder: str) -> dict[str, Any]:
        text = self._read(f"{folder}/.meta.json")
        if text is None:
            return {}
        import json  # noqa: PLC0415 - 8 ms that a project without features need not pay

        try:
            meta = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._warn(f"feature {folder!r} is skipped: its .meta.json is no JSON ({error})")
            return {}
        if isinstance(meta, dict):
            return meta
        self._warn(f"feature {folder!r} is skipped: its .meta.json is no object")
        return {}

    def _description(self, folder: str) -> str:
        texts = (self._read(f"{folder}/{name}") for name in DOCUMENTS)
        return next(filter(None, (describe(text) for text in texts if text)), "")

    def _read(self, name: str) -> str | None:
        try:
            return _read_text(f"{self._features}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            self._warn(f"feature file {name!r} is skipped: {error}")
            return None


def _text(value: object) -> str:
    """Return *value* on one line and without lone surrogates; empty for anything but text."""
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return words.encode("utf-8", "replace").decode("utf-8")


def _read_text(path: str) -> str:
    """
    Return the beginning of a regular file as text, bad bytes replaced.

    Raises:
        OSError: it is not there, can't be read, or is not a regular file.
        ValueError: *path* can't be the name of a file.
    """
    # A FIFO without a writer would block an ordinary open for ever.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError("not a regular file")
        text = os.read(number, MAX_FILE_BYTES).decode("utf-8-sig", "replace")
    finally:
        os.close(number)
    return text.replace("\r\n", "\n").replace("\r", "\n")
