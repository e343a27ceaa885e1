"""
Read settings from their sources: flags, the environment, and files of the project.

Those are `.claude/iflow-dev.local.md`, `.tlc.json` and `config.jsonc`.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from hardwon.adapters.config.table import (
    TABLE,
    flag,
    key,
    variables,
)
from hardwon.adapters.folder import read_start
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import (
    DEFAULT_STORE,
    ResolvedSettings,
    ServerAddress,
    Settings,
    balanced_weights,
    usable_weights,
)
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import TrustMode

DEFAULT = "default"
DEFAULTS_OF_THE_SAMPLE = ("gemini-embedding-001",)
"""Reserved values of a file that many projects copied: Gemini's own defaults, refused silently."""

WEIGHTS = ("vector_weight", "keyword_weight", "prominence_weight")
SHOWN_CHARACTERS = 60
NO_HOME = (
    "no home folder is known that could hold the store: set HOME, or HARDWON_STORE to a folder"
)


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


class _SettingText(NamedTuple):
    """
    A text for a setting and its source.

    Attributes:
        of_project: Whether the source is a file of the project.
    """

    text: str
    origin: str
    place: str
    of_project: bool = False


Named: TypeAlias = Callable[[str], str | None]
"""
The embedding provider that the user named for a store's folder.

None where the user named none.
"""


def _none_named(_: str) -> None:
    return None


class UsersStore(NamedTuple):
    """
    The store that holds the user's decisions on projects.

    Attributes:
        mode: Whether an author's address counts as a decision.
    """

    folder: str
    server: ServerAddress | None
    mode: TrustMode


Trusted: TypeAlias = Callable[[UsersStore, str], bool]
"""
Whether the project and its file of that name are the user's.

The user trusts the project, and wrote the version of the file.
"""


def _never_trusted(*_: object) -> bool:
    return False


OF_TRUSTED = ("embedding_provider", "embedding_model", "embedding_dimensions")
"""The reserved settings that a file of a trusted project may give."""


def read_settings(
    project_root: str,
    environ: Mapping[str, str],
    flags: Mapping[str, str],
    named: Named = _none_named,
    trusted: Trusted = _never_trusted,
) -> ResolvedSettings:
    """
    Resolve every setting from the strongest source that names it.

    The order is flag, environment, `.claude/iflow-dev.local.md`, `.tlc.json`, `config.jsonc`,
    default. A blank value is absent. A value that its rule refuses gives the default and a warning:
    weaker sources are not asked. A value that is reserved for the user counts as absent in a file
    of the project, with a warning; the user's home is no project.

    Args:
        project_root: The project's folder; need not exist.
        environ: The environment; `HOME` in it expands the store's `~`.
        flags: Values by option, such as `{"--limit": "5"}`; unknown ones are ignored.
        named: Asked only when a file of the project names an embedding provider on the network.
        trusted: Asked only when a file of the project gives a reserved setting of `OF_TRUSTED`.

    Returns:
        The settings, whatever the files hold.

    Raises:
        StorageError: the user's store has no place of its own, as with a relative `HARDWON_STORE`.
    """
    warnings: list[str] = []
    files = read_project_files(project_root, [key(field) for field in TABLE], warnings.append)
    _refuse_user_settings(files, warnings.append)
    refused: list[str] = []
    sources = _Sources(
        environ=environ,
        flags=flags,
        files=files,
        named=named,
        trusted=trusted,
        refused=refused,
        is_home=_is_home(project_root, environ),
    )
    found = {field: sources.strongest(field, warnings.append) for field in TABLE}
    values = {
        field: _value(field, given, warnings.append) for field, given in found.items() if given
    }
    values = {field: value for field, value in values.items() if value is not None}
    _balance(values, warnings.append)
    origins = {
        field: given.origin if given and field in values else DEFAULT
        for field, given in found.items()
    }
    values.pop("global_store", None)
    store, server = _place(found["global_store"], environ)
    origins["server"] = origins["global_store"] if server else DEFAULT
    roots = tuple(_expanded(root, environ) for root in values.pop("document_roots", ()))
    return ResolvedSettings(
        settings=Settings(global_store=store, server=server, document_roots=roots, **values),
        origins=origins,
        warnings=tuple(warnings),
        refused=tuple(refused),
    )


def read_store(environ: Mapping[str, str], flags: Mapping[str, str]) -> str:
    """Return the store's folder as `read_settings` does, without reading a file."""
    sources = _Sources(
        environ=environ,
        flags=flags,
        files=(),
        named=_none_named,
        trusted=_never_trusted,
        refused=[],
        is_home=False,
    )
    return _place(sources.strongest("global_store", _ignored), environ)[0]


def _place(
    found: _SettingText | None, environ: Mapping[str, str]
) -> tuple[str, ServerAddress | None]:
    """
    Return the folder and server of the store that *found* names.

    Beside a server, the folder is the default one. Only a flag may name it from the working folder.
    """
    text = found.text.strip().strip("'\"").strip() if found else ""  # quotes as files keep them
    server = ServerAddress(text) if ServerAddress.is_one(text) else None
    folder = _expanded(DEFAULT_STORE if server or not found else text, environ)
    if os.path.isabs(folder) or (found and found.place == flag("global_store")):
        return folder, server
    raise StorageError(
        NO_HOME
        if not found or server
        else f"{found.place} is {text[:SHOWN_CHARACTERS]!r}, which is another folder in each working"
        f" folder: give the whole path, from {os.sep} on"
    )


def _ignored(_: str) -> None:
    pass


class _Sources(NamedTuple):
    """
    All sources of settings.

    Attributes:
        refused: Collects the places of refused values.
        is_home: Whether the files are the user's own.
    """

    environ: Mapping[str, str]
    flags: Mapping[str, str]
    files: Sequence[ProjectFile]
    named: Named
    trusted: Trusted
    refused: list[str]
    is_home: bool

    def strongest(self, field: str, warn: Callable[[str], None]) -> _SettingText | None:
        """Return the strongest allowed text for *field*, or None."""
        for found in self._candidates(field):
            if not found.of_project or self._may_choose(field, found):
                return found
            if found.text not in DEFAULTS_OF_THE_SAMPLE:
                self.refused.append(found.place)
                warn(f"{found.place} is ignored: {_way_out(field, found.text)}")
        return None

    def _candidates(self, field: str) -> Iterator[_SettingText]:
        option, project_key = flag(field), key(field)
        places = [_SettingText(self.flags.get(option, ""), option, option)]
        places += [
            _SettingText(self.environ.get(name, ""), f"environment {name}", name)
            for name in variables(field)
        ]
        if TABLE[field].of_project:
            places += [
                _SettingText(
                    file.values.get(project_key, ""),
                    file.name,
                    f"{project_key} in {file.name}",
                    of_project=True,
                )
                for file in self.files
            ]
        return (found for found in places if found.text.strip())

    def _may_choose(self, field: str, found: _SettingText) -> bool:
        reserved = TABLE[field].reserved
        if self.is_home or not (reserved and reserved(found.text)):
            return True
        store = self._users_store()
        if field == "embedding_provider" and self.named(store.folder) == found.text:
            return True
        return field in OF_TRUSTED and self.trusted(store, found.origin)

    def _users_store(self) -> UsersStore:
        found, mode = (next(self._candidates(field), None) for field in ("global_store", "trust"))
        return UsersStore(
            *_place(found, self.environ),
            "ask" if mode and mode.text.strip() == "ask" else "own",
        )


def _way_out(field: str, text: str) -> str:
    trusted = (
        "; a project that you trust may choose it: hardwon trust" if field in OF_TRUSTED else ""
    )
    return _users_way(field, text) + trusted


def _users_way(field: str, text: str) -> str:
    sources = f"{flag(field)} and {variables(field)[0]}"
    match field:
        case "embedding_provider":
            return f"only {sources} may name {text!r}, or run: hardwon embed --provider {text}"
        case "keyword_provider":
            return f"only {sources} may name {text!r}"
        case _:
            return f"only {sources} may set it"


def _is_home(project_root: str, environ: Mapping[str, str]) -> bool:
    try:
        return os.path.realpath(project_root) == os.path.realpath(_expanded("~", environ))
    except ValueError:  # can't be a path
        return False


def _value(field: str, found: _SettingText, warn: Callable[[str], None]) -> Any:
    setting = TABLE[field]
    rule = (found.of_project and setting.in_project) or setting.rule
    value, complaint = rule(found.text)
    if complaint:
        warn(f"{found.place} is {found.text[:SHOWN_CHARACTERS]!r}: it {complaint}")
    return value


def _balance(values: dict[str, Any], warn: Callable[[str], None]) -> None:
    before = [{**Settings._field_defaults, **values}[field] for field in WEIGHTS]
    shown = ", ".join(f"{number:g}" for number in before)
    if not usable_weights(before):
        warn(f"the weights {shown} must be numbers from 0 up, not all 0; using the defaults")
        for field in WEIGHTS:
            values.pop(field, None)
        return
    after = balanced_weights(before)
    if after != before:
        warn(f"the weights {shown} must sum to 1; each was divided by their sum")
    values.update(zip(WEIGHTS, after, strict=True))


def _refuse_user_settings(files: Sequence[ProjectFile], warn: Callable[[str], None]) -> None:
    for field, setting in TABLE.items():
        if not setting.of_project:
            names = [file.name for file in files if key(field) in file.values]
            for name in names:
                warn(
                    f"{key(field)} in {name} is ignored: only {flag(field)} and"
                    f" {variables(field)[0]} may set it"
                )


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return home + path[1:]
    return os.path.expanduser(path)


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
