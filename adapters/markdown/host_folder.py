"""Where Claude Code keeps its own memory of a project, as its version 2.1 names it. Standard library only."""

import os
import re

INDEX = "MEMORY.md"
LONGEST_NAME = 200
"""UTF-16 units of a path; what is longer is cut and ends in a hash."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_HALF, _ALL = 1 << 31, 1 << 32


def host_memory_folder(config_folder: str, work_tree: str) -> str:
    """
    Return where the memory of a project lies, if it has one.

    Args:
        config_folder: Claude Code's own, `~/.claude` unless the user says otherwise.
        work_tree: The top of the repository's main work tree, or the folder the user works in where there is none.

    """
    return os.path.join(config_folder, "projects", folder_name(os.path.realpath(work_tree)), "memory")


def folder_name(path: str) -> str:
    """Return the name that stands for *path*: a hyphen for every UTF-16 unit that is no ASCII letter or digit."""
    name = re.sub(r"[^a-zA-Z0-9]", lambda found: "-" * len(_units(found[0])), path)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}-{_hashed(path)}"


def _hashed(path: str) -> str:
    """Return 31 times the hash so far plus each unit, as a signed number of 32 bits, without its sign in base 36."""
    value = 0
    for unit in _units(path):
        value = (31 * value + unit) % _ALL
    number, digits = abs(value - _ALL if value >= _HALF else value), ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits or "0"


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [low + 256 * high for low, high in zip(data[::2], data[1::2], strict=True)]
