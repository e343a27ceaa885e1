"""Read the features of a project from `docs/features`."""

import os
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from hardwon.adapters.folder import read_start, state_of
from hardwon.domain.model.context import UNKNOWN_PHASE, Feature
from hardwon.domain.model.text import with_newlines

MAX_FILE_BYTES = 256 * 1024
MAX_FOLDERS = 2_000
"""Upper bound of features read at a session start, the newest first."""
META = ".meta.json"
DOCUMENTS = ("spec.md", "prd.md")


class _Candidate(NamedTuple):
    """A feature's folder, ordered by number, then by name."""

    number: int
    folder: str


class FeatureFiles:
    """The project's features: `docs/features/*/.meta.json` and the documents beside it."""

    def __init__(self, project_root: str, warn: Callable[[str], None]) -> None:
        self._root = project_root
        self._features = f"{project_root}/docs/features"
        self._warn = warn

    def active_feature(self) -> Feature | None:
        """
        Return the active feature with the highest number in its folder's name.

        A file that can't be read is skipped with a warning.
        """
        for candidate in self._newest_first():
            meta = self._meta(candidate.folder)
            if meta.get("status") == "active":
                return Feature(
                    slug=_text(meta.get("slug")) or _text(candidate.folder),
                    description=self._description(candidate.folder),
                    phase=_text(meta.get("lastCompletedPhase")) or UNKNOWN_PHASE,
                )
        return None

    def state(self) -> tuple[object, ...]:
        """Return what differs after each change of a file that `active_feature` may read."""
        return tuple(
            (folder, name, state_of(f"{self._features}/{folder}/{name}"))
            for _, folder in self._newest_first()
            for name in (META, *DOCUMENTS)
        )

    def _newest_first(self) -> list[_Candidate]:
        numbered = (
            (re.match("[0-9]+", name), name) for name in self._names() if not name.startswith(".")
        )
        candidates = (
            _Candidate(int(number[0]) if number else -1, name) for number, name in numbered
        )
        return sorted(candidates, reverse=True)[:MAX_FOLDERS]

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._features)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, ValueError) as error:
            self._warn(f"{self._features!r} can't be read: {error}")
        return []

    def _meta(self, folder: str) -> dict[str, Any]:
        text = self._read(f"{folder}/{META}")
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
        from hardwon.domain.model.plain_text import describe  # noqa: PLC0415  # only with an active feature

        return next(filter(None, (describe(text) for text in texts if text)), "")

    def _read(self, name: str) -> str | None:
        path = f"{self._features}/{name}"
        try:
            self._refuse_outside(path)
            return _read_text(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            self._warn(f"feature file {name!r} is skipped: {error}")
            return None

    def _refuse_outside(self, path: str) -> None:
        """Refuse a file outside the project, as it would be printed and searched for."""
        folder = os.path.dirname(path)
        if self._is_inside and not os.path.islink(folder) and not os.path.islink(path):
            return
        if os.path.lexists(path) and not self._contains(path):
            raise OSError("a link leads out of the project")

    @cached_property
    def _is_inside(self) -> bool:
        return self._contains(self._features)

    def _contains(self, path: str) -> bool:
        return os.path.realpath(path).startswith(os.path.join(os.path.realpath(self._root), ""))


def _text(value: object) -> str:
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return words.encode("utf-8", "replace").decode("utf-8")


def _read_text(path: str) -> str:
    return with_newlines(read_start(path, MAX_FILE_BYTES).decode("utf-8-sig", "replace"))
