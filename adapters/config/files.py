"""
Settings in `.tlc.json` and `config.jsonc`: JSON with comments and trailing commas.

Settings in `.claude/iflow-dev.local.md`, read as the shell scripts around it read them.
"""

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hardwon.domain.model.formats.values import NONE
from hardwon.domain.model.text import with_newlines

OLDER_NAMES = {
    "memory.decay.enabled": "memory_decay_enabled",
    "memory.decay.mode": "memory_decay_mode",
    "memory.decay.minFloor": "memory_decay_floor",
    "memory.decay.exemptTiers": "memory_decay_exempt_tiers",
    "memory.defaultTier": "memory_default_tier",
    "memory.defaultContextType": "memory_default_context_type",
    "triggers.phrases": "memory_trigger_phrases",
    "triggers.autoSaveInterval": "memory_capture_interval",
}
"""Names of requirements D-C5 to D-C11 to the keys of today."""

# What is never closed runs to the end: that keeps the search linear on a hostile
# file, and the parser complains anyway.
STRING = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
COMMENT = re.compile(rf"({STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
TRAILING_COMMA = re.compile(rf"({STRING})|,(?=\s*[}}\]])", re.DOTALL)


def read_jsonc(text: str) -> dict[str, Any]:
    """
    Return the object in *text*.

    Raises:
        ValueError: it is no such JSON, or no object.
    """
    try:
        document = json.loads(_without(TRAILING_COMMA, _without(COMMENT, text)))
    except RecursionError as error:
        raise ValueError("too deeply nested") from error
    if isinstance(document, dict):
        return document
    raise ValueError("not an object")


def scalars(document: Mapping[str, Any], keys: Iterable[str]) -> dict[str, str]:
    """
    Return the values of *keys* as the text that the other sources would hold.

    A list stands for its texts with commas between; a null is absent, and so is an object.
    """
    return {key: text for key in keys if (text := _text(document.get(key))) is not None}


def older_names(document: Mapping[str, Any]) -> dict[str, str]:
    """
    Return what the older names in *document* ask for, by the keys of today.

    They stand in objects, one in another, or with dots at the top. Of
    `semantic`, only `enabled: false` and the models `local` and `openai` ask
    for an embedding provider; `dimensions` are for `openai`, as the others'
    models have their own.
    """
    is_openai = at(document, "semantic.model") == "openai"
    wanted = {**OLDER_NAMES, **({"semantic.dimensions": "memory_embedding_dimensions"} if is_openai else {})}
    named = {key: text for older, key in wanted.items() if (text := _text(at(document, older))) is not None}
    if at(document, "semantic.enabled") is False:
        return {**named, "memory_embedding_provider": "off"}
    model = at(document, "semantic.model")
    return {**named, "memory_embedding_provider": model} if model in ("local", "openai") else named


def at(document: Mapping[str, Any], older: str) -> Any:
    """Return what stands in *document* under the older name, nested or dotted; None when nothing does."""
    if older in document:
        return document[older]
    first, _, rest = older.partition(".")
    nested = document.get(first)
    return at(nested, rest) if rest and isinstance(nested, dict) else None


def _text(value: object) -> str | None:
    """Return what the other sources would hold for *value*, None for what they can't."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(each.replace(",", " ") for each in value) or NONE
    if isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, (str, int, float)) else None


def _without(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(lambda match: match[1] or " ", text)


def read_local_md(text: str, keys: Iterable[str]) -> dict[str, str]:
    """
    Return the values of *keys*.

    Every line counts, front matter or not, and of two lines with one key the
    first. A comment (` #…`) is cut off, then all spaces go, inner ones too
    (requirements A-TD5.1, A-TD5.2; mistake M-A7). A key without a line is absent.
    """
    wanted = frozenset(keys)
    values: dict[str, str] = {}
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key in wanted:
            values.setdefault(key, value.split(" #", 1)[0].replace(" ", ""))
    return values


MAX_FILE_BYTES = 1 << 20
LOCAL_MD = ".claude/iflow-dev.local.md"
TLC_JSON = ".tlc.json"
CONFIG_JSONC = "config.jsonc"


class ProjectFile(NamedTuple):
    """
    What a file of the project sets.

    Attributes:
        name: Its path inside the project.
        values: Text by key, only the keys asked for.

    """

    name: str
    values: Mapping[str, str]


def read_project_files(root: str, keys: Sequence[str], warn: Callable[[str], None]) -> list[ProjectFile]:
    """
    Return the configuration files of the project at *root*, the strongest first.

    Args:
        root: The project's folder.
        keys: What to look for.
        warn: Told in one line of a file that is there and can't be used; nothing is raised.

    """
    parsers = ((LOCAL_MD, read_local_md), (TLC_JSON, _tlc), (CONFIG_JSONC, _config))
    files = []
    for name, parse in parsers:
        try:
            text = _read_text(f"{root}/{name}")
            files.append(ProjectFile(name, parse(text, keys)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            warn(f"{name} is ignored: {error}")
    return files


def older_index_path(root: str) -> str | None:
    """
    Return the file of an older program's index that `config.jsonc` names, if it lies inside the project and is there.

    Args:
        root: The project's folder.

    """
    try:
        named = at(read_jsonc(_read_text(f"{root}/{CONFIG_JSONC}")), "semantic.indexPath")
        path = os.path.realpath(os.path.join(root, named)) if isinstance(named, str) and named else ""
    except (OSError, ValueError):  # who reads the settings is told of it
        return None
    is_inside = path.startswith(os.path.join(os.path.realpath(root), ""))
    return path if is_inside and os.path.isfile(path) else None


def _tlc(text: str, keys: Sequence[str]) -> dict[str, str]:

    return scalars(read_jsonc(text), keys)


def _config(text: str, keys: Sequence[str]) -> dict[str, str]:

    document = read_jsonc(text)
    return {**older_names(document), **scalars(document, keys)}


def _read_text(path: str) -> str:
    """
    Return a small regular file as text, bad bytes replaced.

    Raises:
        OSError: it is not there, can't be read, is too large, or is not a regular file.
        ValueError: *path* can't be the name of a file.
    """
    # A FIFO without a writer would block an ordinary open for ever.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("not a regular file")
        if about.st_size > MAX_FILE_BYTES:
            raise OSError("larger than 1 MB")
        text = os.read(number, MAX_FILE_BYTES).decode("utf-8-sig", "replace")
    finally:
        os.close(number)
    return with_newlines(text)
