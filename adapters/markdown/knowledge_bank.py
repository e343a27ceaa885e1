"""Parse and read knowledge-bank files, and record the last injection."""

import datetime as dt
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from hardwon.adapters.folder import opened_store, refusal
from hardwon.adapters.markdown.file_text import CONFLICTED, FileText, decode_file, has_conflict
from hardwon.adapters.markdown.whole_files import (
    read_file_below,
    read_regular_file,
    reason,
    replace_file,
)
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import (
    BANK_FILES,
    BANK_FOLDER,
    CONFIDENCE,
    ENTRY_HEAD,
    LAST_OBSERVED,
    METADATA_HEAD,
    OBSERVATION_COUNT,
    BankEntry,
    BankFile,
    BankScope,
    name_in,
    text_after,
)
from hardwon.domain.model.redaction import redact_values, stored_form
from hardwon.domain.model.text import CONTINUES, with_newlines
from hardwon.domain.model.vocabulary import CONFIDENCES, Category, Confidence
from hardwon.ports.knowledge_bank import KnowledgeBank
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.injection.markdown_block import SourcedEntry
    from hardwon.domain.model.project import Identity


# No pathlib: the hook imports this module, and pathlib is slow to import.

Warn: TypeAlias = Callable[[str], None]
Decode: TypeAlias = Callable[[bytes], FileText]

LARGEST_FILE = 16 * 1024 * 1024


class BankText(NamedTuple):
    """The text of a knowledge-bank file and its source."""

    source: BankScope
    category: Category
    path: str
    text: str


def with_bytes_replaced(data: bytes) -> FileText:
    """
    Decode *data* as UTF-8 with bad bytes replaced.

    The pipeline without a store is defined so.
    """
    return FileText(data.decode("utf-8", "replace"))


def read_banks(project_root: str, store: str, warn: Warn) -> Iterator[BankText]:
    """
    Yield the existing files: the project's three, then the store's.

    Args:
        project_root: Its knowledge bank is the folder ``docs/knowledge-bank``.
        store: The folder that holds the files of all projects.
        warn: Called with one line about every file that exists but can't be used completely.
    """
    folders: dict[BankScope, str] = {
        "local": os.path.join(project_root, BANK_FOLDER),
        "global": store,
    }
    if line := refusal(store):
        warn(line)
        del folders["global"]
    for source, folder in folders.items():
        for category in BANK_FILES:
            path = os.path.join(folder, f"{category}.md")
            text = read_bank(
                path, warn, within=(project_root or os.curdir) if source == "local" else ""
            )
            if text is not None:
                yield BankText(source=source, category=category, path=path, text=text)


def read_bank(
    path: str,
    warn: Warn,
    *,
    within: str = "",
    is_foreign: bool = False,
    decode: Decode = with_bytes_replaced,
) -> str | None:
    """
    Read a file as text, with newlines as line ends.

    Args:
        path: The file.
        warn: Called with one line about a file that exists and can't be used completely.
        within: The folder that no link may leave; empty for the user's own files.
        is_foreign: Whether that folder is a foreign project's, whose files may have one name only.
        decode: Returns the text in its bytes; raises ValueError if it is none.

    Returns:
        At most the first `LARGEST_FILE` bytes, with a warning if there are more. None if there is
        no such file, or, with a warning, if it is not a regular file, can't be read, is conflicted,
        or lies outside *within*.
    """
    try:
        if within:
            data = read_file_below(path, within, LARGEST_FILE, is_foreign=is_foreign).data
        else:
            data = read_regular_file(path, LARGEST_FILE).data
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warn(f"{path!r} is left out: {reason(error)}")
        return None
    if len(data) > LARGEST_FILE:
        warn(
            f"{path!r} is longer than {LARGEST_FILE} bytes: the rest is left out; split or"
            " shorten it"
        )
    try:
        text, note = decode(data[:LARGEST_FILE])
    except ValueError as error:
        warn(f"{path!r} is left out: {error}")
        return None
    if note:
        warn(f"{path!r}: {note}")
    text = with_newlines(text)
    if has_conflict(text):
        warn(f"{path!r} is left out: {CONFLICTED}")
        return None
    return text


class MarkdownKnowledgeBank(KnowledgeBank):
    """
    The knowledge bank as markdown files: the project's three, then the store's.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`.
        store: The folder that holds the user's own bank.
        warn: Called with one line for every file that can't be read.
        is_foreign: Whether the project is foreign: files with several names are left out.
    """

    def __init__(
        self,
        project_root: str,
        store: str,
        warn: Callable[[str], None],
        *,
        is_foreign: bool = False,
    ) -> None:
        self._is_foreign = is_foreign
        self._root = root = os.path.realpath(project_root)
        self._folders = (
            (os.path.join(root, BANK_FOLDER), _project_name(root)),
            (os.path.realpath(store), None),
        )
        self._warn = warn

    @override
    def files(self) -> Sequence[BankFile]:
        found = (
            _file(os.path.join(folder, f"{category}.md"), category, project)
            for folder, project in self._folders
            for category in BANK_FILES
        )
        return [file for file in found if file]

    @override
    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        is_local = os.path.dirname(file.path) == self._folders[0][0]
        within = self._root if is_local else ""
        text = read_bank(
            file.path, self._warn, within=within, is_foreign=self._is_foreign, decode=decode_file
        )
        return None if text is None else parse_bank(text, file.category)


def bank_root(path: str) -> str:
    """
    Return the folder whose knowledge bank has the file at *path*.

    It is empty for any other file.
    """
    folder, name = os.path.split(path)
    ending = os.path.join(os.sep, *BANK_FOLDER.split("/"))
    return (
        folder.removesuffix(ending)
        if folder.endswith(ending) and name.removesuffix(".md") in BANK_FILES
        else ""
    )


def imported_files(
    paths: Iterable[str], keys: Collection[str], identify: Callable[[str], "Identity"]
) -> dict[str, str]:
    """
    Return the files of banks in *paths*, each with the folder of its project.

    That folder is gone, or it is identified by one of the *keys* of a project.
    """
    folders = {path: root for path in paths if (root := bank_root(path))}
    return {
        path: root
        for path, root in folders.items()
        if not os.path.exists(root) or identify(root).key in keys
    }


def same_files(
    path: str, paths: Iterable[str], keys: Collection[str], identify: Callable[[str], "Identity"]
) -> list[str]:
    """Return the files of the name of *path* in other folders of its project."""
    name, others = os.path.basename(path), imported_files(paths, keys, identify)
    return [other for other in others if other != path and os.path.basename(other) == name]


def _project_name(root: str) -> str | None:
    return os.fsencode(os.path.basename(root)).decode("utf-8", "replace").strip() or None


def _file(path: str, category: Category, project: str | None) -> BankFile | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return BankFile(
        path=path,
        category=category,
        project=project,
        fingerprint=f"{facts.st_mtime_ns}-{facts.st_size}",
        size=facts.st_size,
    )


# No pathlib: the hook imports this module, and pathlib is slow to import.

RECORD_NAME = ".last-injection.json"


def record_injection(
    store: str,
    project_root: str,
    selected: "Sequence[SourcedEntry]",
    now: dt.datetime,
    warn: Callable[[str], None],
) -> None:
    """
    Write `.last-injection.json` in the store atomically.

    Args:
        store: Made if missing, for its owner alone.
        project_root: Recorded by its base name.
        selected: The printed entries, in the order of choice.
        now: With its zone.
        warn: Called with one line if the store can't be written.
    """
    try:
        record = json.dumps(redact_values(_record(project_root, selected, now)), indent=2)
        with opened_store(store) as folder:
            replace_file(os.path.join(folder.path, RECORD_NAME), record)
    except (OSError, ValueError, StorageError) as error:
        why = str(error) if isinstance(error, StorageError) else reason(error)
        warn(f"{RECORD_NAME} is not written in {store!r}: {why}")


def _record(
    project_root: str, selected: "Sequence[SourcedEntry]", now: dt.datetime
) -> dict[str, object]:
    from hardwon.domain.model.injection.markdown_block import count_source  # noqa: PLC0415  # used by the pipeline without a store

    return {
        "timestamp": now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "project": os.path.basename(os.path.abspath(project_root)),
        "entries_injected": len(selected),
        "sources": {
            "local": count_source(selected, "local"),
            "global": count_source(selected, "global"),
        },
        "entry_names": [sourced.entry.name for sourced in selected],
    }


DEFAULT_OBSERVATION_COUNT = 1
DEFAULT_CONFIDENCE: Confidence = "medium"
CONFIDENCE_BY_WORD: dict[str, Confidence] = {word: word for word in CONFIDENCES}

MAX_PARSED_COUNT = 2**63 - 1  # the widest integer of a column; beyond it only the order matters
MAX_DIGITS = 4300  # CPython's own limit, held here too because PYTHONINTMAXSTRDIGITS can lift it

ENTRY_MARK = re.compile(rf"^{ENTRY_HEAD}", re.MULTILINE)
_METADATA_MARK = re.compile(rf"^{METADATA_HEAD}", re.MULTILINE)

_Value = TypeVar("_Value")


def parse_bank(text: str, category: Category) -> list[BankEntry]:
    """Parse the entries of a file, in order."""
    chunks = ENTRY_MARK.split(_without_comments(text))
    return [
        _parse_chunk(chunk, category, position)
        for position, chunk in enumerate(chunks)
        if _is_entry(chunk)
    ]


def _without_comments(text: str) -> str:
    # ``re.sub("<!--.*?-->")`` means the same, but many unclosed comments take quadratic time.
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:]))


def _is_entry(chunk: str) -> bool:
    return bool(chunk.strip()) and not chunk.startswith(("## ", "# "))


def _parse_chunk(chunk: str, category: Category, position: int) -> BankEntry:
    first_line, _, body = chunk.partition("\n")
    heading = first_line.strip()
    mark = _METADATA_MARK.search(body)
    metadata_start = mark.start() if mark else len(body)
    text, metadata = body[:metadata_start], body[metadata_start:].strip()
    lines, name = _lines(metadata), name_in(heading)
    return BankEntry(
        category=category,
        heading=heading,
        name=name,
        description=text.strip(),
        metadata=metadata,
        observation_count=_last_value(
            lines, OBSERVATION_COUNT, parse=whole_number, default=DEFAULT_OBSERVATION_COUNT
        ),
        confidence=_last_value(lines, CONFIDENCE, parse=_confidence, default=DEFAULT_CONFIDENCE),
        last_observed=_last_value(lines, LAST_OBSERVED, parse=str, default=None),
        position=position,
        notes=tuple(line for line in lines if not _is_field(line)),
        is_continued=bool(name) and text.lstrip("\n").startswith(CONTINUES),
    )


def _lines(metadata: str) -> Sequence[str]:
    return metadata.split("\n") if metadata else ()


def _last_value(
    lines: Sequence[str], label: str, parse: Callable[[str], _Value | None], default: _Value
) -> _Value:
    for line in reversed(lines):
        text = text_after(label, line)
        value = None if text is None else parse(text)
        if value is not None:
            return value
    return default


def whole_number(text: str) -> int | None:
    """
    Parse what ``int()`` parses, of a bounded length.

    That includes ``+3``, ``1_0``, ``-2`` and digits of any script.
    """
    if len(text) > MAX_DIGITS:
        return None
    try:
        return max(-MAX_PARSED_COUNT, min(int(text), MAX_PARSED_COUNT))
    except ValueError:
        return None


def _confidence(text: str) -> Confidence | None:
    return CONFIDENCE_BY_WORD.get(text.lower())


def _is_field(line: str) -> bool:
    count = text_after(OBSERVATION_COUNT, line)
    confidence = text_after(CONFIDENCE, line)
    return (
        (count is not None and whole_number(count) is not None)
        or (confidence is not None and _confidence(confidence) is not None)
        or text_after(LAST_OBSERVED, line) is not None
    )


@lru_cache(maxsize=16)
def entries_of(text: str, category: Category) -> tuple[BankEntry, ...]:
    """Parse the entries of a file, with any line ends."""
    return tuple(parse_bank(with_newlines(text), category))


def counts_of(text: str, category: Category) -> dict[str, int]:
    """Return the highest count of every lesson, by identity."""
    counts = dict[str, int]()
    for entry in filter(lambda entry: entry.text, entries_of(text, category)):
        identity = identity_of(entry.text)
        counts[identity] = max(entry.observation_count, counts.get(identity, 0))
    return counts


def is_same(entry: BankEntry, identity: str) -> bool:
    """Return whether *entry* is the lesson of that identity."""
    return bool(entry.text) and identity_of(entry.text) == identity


@lru_cache(maxsize=4096)
def identity_of(description: str) -> str:
    """Return the id that the import gives to that description."""
    return content_hash(stored_form(description))


def line_end(text: str) -> str:
    """Return the line end of *text*."""
    return "\r\n" if "\r\n" in text else "\n"
