"""Files are read inside folders that were named, links resolved, and nowhere else."""

import os
import stat
from collections.abc import Sequence

from hardwon.adapters.markdown.whole_files import reason
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.files.markdown import ENDING


def is_within(real: str, folders: Sequence[str]) -> bool:
    """Tell whether *real* is one of *folders* or lies below one, both without links."""
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)


def regular_markdown(path: str, folders: Sequence[str]) -> str:
    """
    Return the real path of the markdown file at *path*.

    What lies outside is refused before it is looked at.

    Args:
        path: Absolute.
        folders: Where it may lie, without links.

    Raises:
        UnreadableFileError: it is not absolute, lies outside, is not there, or is no regular file `*.md`.

    """
    try:
        if wrong := _fault(path, real := os.path.realpath(path), folders):
            raise UnreadableFileError(_refusal(path, wrong, folders))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_refusal(path, reason(error), folders)) from error
    return real


def _fault(path: str, real: str, folders: Sequence[str]) -> str | None:
    """Return what is wrong with it."""
    if not os.path.isabs(path):
        return "the path is not absolute"
    if not is_within(real, folders):
        return "it lies outside, or leads there"
    mode = os.stat(real).st_mode
    if stat.S_ISDIR(mode):
        return "it is a folder"
    is_file = stat.S_ISREG(mode) and real.lower().endswith(ENDING)
    return None if is_file else f"it is no regular file *{ENDING}"


def _refusal(path: str, wrong: str, folders: Sequence[str]) -> str:
    return f"{path!r}: {wrong}; name a markdown file inside {' or '.join(map(repr, folders))}"
