"""Read settings from `.claude/iflow-dev.local.md`, `.tlc.json` and `config.jsonc`."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.adapters.folder import read_start
from hardwon.domain.model.text import with_newlines


def read_local_md(text: str, keys: Iterable[str]) -> dict[str, str]:
    """
    Parse the values of *keys* in `.claude/iflow-dev.local.md`, like its users' shell scripts.

    Every line counts, front matter or not; of two lines with one key the first wins. A comment (`
    #…`) is cut off, then all spaces are removed, inner ones too. A key without a line is absent.
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
    Settings in a file of the project.

    Attributes:
        values: Text by key, only the keys asked for.
    """

    name: str
    values: Mapping[str, str]


def read_project_files(
    root: str, keys: Sequence[str], warn: Callable[[str], None]
) -> list[ProjectFile]:
    """
    Return the configuration files of the project at *root*, the strongest first.

    Args:
        root: The project's folder.
        keys: Of the settings to read.
        warn: Called with one line about a file that exists and can't be used; nothing is raised.
    """
    parsers = ((LOCAL_MD, read_local_md), (TLC_JSON, _tlc), (CONFIG_JSONC, _config))
    files = []
    for name, parse in parsers:
        try:
            text = _read_text(f"{root}/{name}")
            files.append(ProjectFile(name, parse(text, keys)))
            _warn_of_misspelt(text, name, keys=keys, warn=warn)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            warn(f"{name} is ignored: {getattr(error, 'strerror', None) or error}")
    return files


def older_index_path(root: str, warn: Callable[[str], None]) -> str | None:
    """
    Return the usable older index that `config.jsonc` names.

    Args:
        root: The project's folder.
        warn: Called with one line about an index outside of the project, which is not read.
    """
    from hardwon.adapters.config.jsonc import at, read_jsonc  # noqa: PLC0415 - json costs the hook 8 ms

    try:
        named = at(read_jsonc(_read_text(f"{root}/{CONFIG_JSONC}")), "semantic.indexPath")
        path = (
            os.path.realpath(os.path.join(root, named)) if isinstance(named, str) and named else ""
        )
    except (OSError, ValueError):  # reported when the settings are read
        return None
    if not os.path.isfile(path):
        return None
    if path.startswith(os.path.join(os.path.realpath(root), "")):
        return path
    warn(
        f"the index that {CONFIG_JSONC} names is not imported: {named!r} leads out of the project,"
        " name it to import it"
    )
    return None


def _warn_of_misspelt(
    text: str, name: str, keys: Sequence[str], warn: Callable[[str], None]
) -> None:
    named = re.findall(r'(?:^|[{,])[ \t]*"?(memory_[a-z0-9_]+)"?[ \t]*:', text, re.MULTILINE)
    for unknown in dict.fromkeys(word for word in named if word not in keys):
        from difflib import get_close_matches  # noqa: PLC0415  # only a mistake needs it

        for near in get_close_matches(unknown, keys, 1, 0.9):
            warn(f"{unknown} in {name} is no setting: did you mean {near}?")


def _tlc(text: str, keys: Sequence[str]) -> dict[str, str]:
    from hardwon.adapters.config.jsonc import read_jsonc, scalars  # noqa: PLC0415 - json costs the hook 8 ms

    return scalars(read_jsonc(text), keys)


def _config(text: str, keys: Sequence[str]) -> dict[str, str]:
    from hardwon.adapters.config.jsonc import older_names, read_jsonc, scalars  # noqa: PLC0415 - as above

    document = read_jsonc(text)
    return {**older_names(document), **scalars(document, keys)}


def _read_text(path: str) -> str:
    """
    Read a small regular file as text, bad bytes replaced.

    Raises:
        OSError: it does not exist, can't be read, is too large, or is not a regular file.
    """
    data = read_start(path, MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise OSError("larger than 1 MB")
    return with_newlines(data.decode("utf-8-sig", "replace"))
