"""What the place and the name of a memory document say: `specs/{folder}/memory/{DD-MM-YY_HH-MM}__{topic}.md`."""

import datetime as dt
import re
from pathlib import PurePath

from hardwon.domain.model.files.kinds import MEMORY

SPECS = "specs"

_NAME = re.compile(r"(?P<moment>[0-9]{2}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2})__(?P<topic>.+)\.md", re.IGNORECASE)
_GAP = re.compile(r"[-_\s]+")


def spec_folder(path: str) -> str:
    """
    Return the spec folder that the file at *path* belongs to, never empty.

    It is the nearest folder above it that holds a folder `memory` and lies in
    one called `specs`, else the nearest that holds a folder `memory`, else the
    one the file lies in; a file that lies in none goes by its own name.
    """
    *folders, file = PurePath(path).parts[bool(PurePath(path).anchor) :] or [path]
    above_memory = [number - 1 for number, folder in enumerate(folders) if folder == MEMORY and number > 0]
    in_specs = [number for number in above_memory if number > 0 and folders[number - 1] == SPECS]
    nearest = (in_specs or above_memory or [len(folders) - 1])[-1]
    return folders[nearest] if folders else PurePath(file).stem


def written_at(name: str) -> dt.datetime | None:
    """Return the moment in a file's *name*, without a time zone; None for another sort of name or no real date."""
    found = _NAME.fullmatch(name)
    try:
        return dt.datetime.strptime(found["moment"], "%d-%m-%y_%H-%M") if found else None  # noqa: DTZ007  # names tell no zone
    except ValueError:
        return None


def topic(name: str) -> str | None:
    """Return the topic in a file's *name* as words: `oauth callback`; None for another sort of name."""
    found = _NAME.fullmatch(name)
    return _GAP.sub(" ", found["topic"]).strip() or None if found else None
