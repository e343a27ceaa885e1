"""Which files of a feature's diff a lesson is about (requirements A-D9.5, A-AC10)."""

import re
from collections.abc import Sequence
from typing import NamedTuple

MOST_REFERENCES = 10
SHORTEST_STEM = 3
BANK_FOLDER = "docs/knowledge-bank/"

NOT_CODE = frozenset(
    """
    adoc csv eot gif ico jpeg jpg lock log markdown md mdx pdf png rst sum svg ttf txt webp woff woff2
    """.split()
)
"""Endings of what is read or looked at, not run."""


LOCK_ENDINGS = (".lock", ".lockb", ".lockfile", "-lock.json", "-lock.yaml", ".lock.json", "-shrinkwrap.json", "go.sum")
SETTINGS_OF_TOOLS = (".meta.json", ".mcp.json")
"""Names of files that say where work stands and which servers an agent has, not what was learned."""


class _Names(NamedTuple):
    """What a text may call a file by, longest first; the stem is the base name without its ending."""

    path: str
    base: str
    stem: str


def is_code(path: str) -> bool:
    """Tell whether the file of that path is code or configuration: no document, image or lock."""
    return _ending(path) not in NOT_CODE


def may_be_referred_to(path: str) -> bool:
    """Tell whether a lesson can be about the file: it is no part of a knowledge bank, no lock and no tool's settings."""
    base = path.rpartition("/")[2].lower()
    return BANK_FOLDER not in f"/{path}" and base not in SETTINGS_OF_TOOLS and not base.endswith(LOCK_ENDINGS)


def chosen_references(text: str, diff: Sequence[str]) -> tuple[str, ...]:
    """
    Return the files of *diff* that *text* mentions, by path, base name or stem; code of the diff when it mentions none.

    Args:
        text: All that is said of the lesson.
        diff: Paths with `/`, in order; those that no lesson is about are left out.

    Returns:
        At most 10 paths, each once, in the order of *diff*, what is mentioned first; at least one file of code
        when the diff has one.

    """
    files = [path for path in dict.fromkeys(diff) if may_be_referred_to(path)]
    code = [path for path in files if is_code(path)]
    mentioned = [path for path in files if _mentions(text.lower(), _names(path.lower()))][:MOST_REFERENCES]
    if not any(map(is_code, mentioned)):
        mentioned = [*mentioned[: MOST_REFERENCES - 1], *(code or (() if mentioned else files))]
    return tuple(mentioned[:MOST_REFERENCES])


def _names(path: str) -> _Names:
    base = path.rpartition("/")[2]
    return _Names(path, base, base.partition(".")[0] or base)


def _mentions(text: str, names: _Names) -> bool:
    shortest = names.stem if len(names.stem) >= SHORTEST_STEM else names.base
    return shortest in text and any(_stands(name, text) for name in (shortest, names.base, names.path))


def _stands(name: str, text: str) -> bool:
    """Tell whether *name* is in *text* as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
