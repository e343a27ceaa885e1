"""Knowledge-bank files, read. Standard library only."""
# The hook runs through here and pathlib is slow to import.

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from hardwon.adapters.markdown.whole_files import read_regular_file, reason
from hardwon.domain.model.bank_grammar import BankScope
from hardwon.domain.model.line_ends import with_newlines
from hardwon.domain.model.vocabulary import Category

Warn: TypeAlias = Callable[[str], None]

FILES: tuple[Category, ...] = ("anti-patterns", "patterns", "heuristics")
"""The files of a bank, in the order they are read."""
LOCAL_FOLDER = "docs/knowledge-bank"
LARGEST_FILE = 16 * 1024 * 1024


class BankText(NamedTuple):
    """The text of one knowledge-bank file, and where it comes from."""

    source: BankScope
    category: Category
    path: str
    text: str


def read_banks(project_root: str, store: str, warn: Warn) -> Iterator[BankText]:
    """
    Yield the files that are there: the project's three, then the store's.

    Args:
        project_root: Its knowledge bank is the folder ``docs/knowledge-bank``.
        store: The folder that holds the files of all projects.
        warn: Gets one line for every file that is there but can't be used whole.
    """
    folders: tuple[tuple[BankScope, str], ...] = (
        ("local", os.path.join(project_root, LOCAL_FOLDER)),
        ("global", store),
    )
    for source, folder in folders:
        for category in FILES:
            path = os.path.join(folder, f"{category}.md")
            text = read_bank(path, warn, within=project_root if source == "local" else "")
            if text is not None:
                yield BankText(source, category, path, text)


def read_bank(path: str, warn: Warn, *, within: str = "") -> str | None:
    """
    Return the text of one file with newlines as line ends and bad bytes replaced.

    Args:
        path: The file.
        warn: Told in one line of a file that is there and can't be used whole.
        within: The folder that no link may lead out of; empty for the user's own files.

    Returns:
        At most the first `LARGEST_FILE` bytes, with a warning when there are
        more; None when there is no such file, or, with a warning, when it is
        not a regular file, can't be read, or lies outside *within*.
    """
    try:
        _refuse_outside(path, within)
        data = read_regular_file(path, LARGEST_FILE).data
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warn(f"{path!r} is left out: {reason(error)}")
        return None
    if len(data) > LARGEST_FILE:
        warn(f"{path!r} is longer than {LARGEST_FILE} bytes: the rest is left out; split or shorten it")
    text = data[:LARGEST_FILE].decode("utf-8", "replace")
    return with_newlines(text)


def _refuse_outside(path: str, folder: str) -> None:
    """
    Refuse a file that links take out of *folder*; nothing is refused when that is empty.

    Raises:
        ValueError: so it is.
    """
    if not folder or not os.path.lexists(path):
        return
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), "")):
        raise ValueError("a link leads out of the project")
