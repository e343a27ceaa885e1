"""The project whose knowledge bank a learning of version 6 is in, by the ledger of imports and the files' contents."""

import os
import re
import sqlite3
import stat
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from hardwon.adapters.folder import open_without_waiting
from hardwon.domain.model.knowledge_bank import NAME_PREFIXES
from hardwon.domain.model.plain_text import plain_title

NAME_WORDS = 8
"""The words of a lesson that are its name where its heading is empty."""
BANK = ("docs", "knowledge-bank")
"""The folders that hold the bank of a project."""
FILES = ("anti-patterns.md", "heuristics.md", "patterns.md")
LARGEST_FILE = 1024 * 1024
"""Bytes of a bank that is read to settle a dispute; of larger ones the headings alone decide."""

_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


class Learning(NamedTuple):
    """
    A learning of version 6.

    Attributes:
        seq: Its number.
        label: The name of the project it was stored from; None for none.
        name: Its name.
        source: Where it came from, such as `import`.
    """

    seq: int
    label: str | None
    name: str
    source: str


class Bank:
    """
    A file of a knowledge bank that was imported.

    Args:
        path: As the file system knows it.
        folder: Of the project; None for the user's own bank.

    """

    def __init__(self, path: str, folder: str | None) -> None:
        self.path = path
        self.folder = folder
        self.label = name_of(folder).strip() or None if folder else None
        """The label that the import gave its lessons."""

    def holds(self, lesson: str) -> bool | None:
        """Return whether the file has the text *lesson* now, in any case and with any white space; None if it is gone."""
        return None if self._text is None else _normalised(lesson) in self._text

    @cached_property
    def _text(self) -> str | None:
        with suppress(OSError, ValueError), open(self.path, "rb", opener=open_without_waiting) as file:
            facts = os.fstat(file.fileno())
            if stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST_FILE:
                return _normalised(file.read(LARGEST_FILE).decode("utf-8", "replace"))
        return None


class Ledger:
    """
    The imported banks by the headings that were recorded of them.

    Args:
        connection: The store; its texts may have surrogates.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._banks: defaultdict[str, dict[str, Bank]] = defaultdict(dict)
        banks = dict[str, Bank | None]()
        for recorded, heading in connection.execute("SELECT path, heading FROM source_heading ORDER BY path"):
            if recorded not in banks:
                banks[recorded] = bank_at(recorded)
            if bank := banks[recorded]:
                for name in _names(heading):
                    self._banks[name].setdefault(bank.path, bank)

    def banks_of(self, learning: Learning) -> list[Bank]:
        """
        Return the banks that *learning* is in: the one it belongs to first; none where that is not certain.

        A heading alone says little, as anybody's bank may have it. It is enough where one bank has it and the learning
        was imported from a folder of that name. Else the text in the file decides, and where no file has it, or it is
        gone, the name of the folder from which the learning was imported.
        """
        banks = sorted(self._with_name(learning), key=lambda bank: (bank.label != learning.label, bank.path))
        is_imported = learning.source == "import"
        if len(banks) == 1 and is_imported and learning.label in {None, banks[0].label}:
            return banks
        text = self._description(learning) if banks else ""
        holding = [bank for bank in banks if bank.holds(text)]
        gone = [bank for bank in banks if is_imported and bank.holds(text) is None]
        of_the_user = [bank for bank in holding if bank.folder is None]
        likely = [bank for bank in (*gone, *banks) if is_imported and _is_from(learning, bank)]
        first = next(iter((*of_the_user, *holding, *likely)), None)
        return list(dict.fromkeys((first, *holding, *gone))) if first else []

    def _with_name(self, learning: Learning) -> list[Bank]:
        found = dict(self._banks.get(learning.name, {}))
        if unnamed := self._banks.get(""):
            beginning = " ".join(self._description(learning).split()[:NAME_WORDS])
            found.update(unnamed if beginning == learning.name else {})
        return list(found.values())

    def _description(self, learning: Learning) -> str:
        found = self._connection.execute("SELECT description FROM entry_text WHERE entry_seq = ?", (learning.seq,))
        return "".join(text for (text,) in found)


def bank_at(recorded: str) -> Bank | None:
    """Return the bank whose path was *recorded* in the ledger; None for other files, such as an older index."""
    if not os.path.isabs(recorded) or os.path.basename(recorded) not in FILES:
        return None
    folder = os.path.dirname(recorded)
    parts = folder.split(os.sep)
    if tuple(parts[-len(BANK) :]) != BANK:
        return Bank(recorded, None)
    path = recorded if os.path.isdir(folder) else _unescaped(recorded)
    return Bank(path, os.sep.join(path.split(os.sep)[: -len(BANK) - 1]) or os.sep)


def name_of(folder: str) -> str:
    """Return the name of a folder as text that can be stored; `/` for the root."""
    return os.fsencode(os.path.basename(folder)).decode("utf-8", "replace") or os.sep


def _unescaped(recorded: str) -> str:
    """Return the path whose bytes that are no UTF-8 were recorded as escapes, if there is such a folder."""
    path = os.fsdecode(_ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), os.fsencode(recorded)))
    return path if path != recorded and os.path.isdir(os.path.dirname(path)) else recorded


def _names(heading: str) -> Iterator[str]:
    """Yield the names that the entry of a heading may have: today's, and that of versions which kept its formatting."""
    name = heading
    for prefix in filter(None, NAME_PREFIXES.values()):
        if heading.startswith(prefix):
            name = heading[len(prefix) :]
            break
    yield plain_title(name)
    yield name


def _is_from(learning: Learning, bank: Bank) -> bool:
    return learning.label == bank.label or (learning.label is None and bank.folder is not None)


def _normalised(text: str) -> str:
    return " ".join(text.lower().split())
