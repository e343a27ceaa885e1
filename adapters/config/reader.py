"""The table of settings and their reader."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from hardwon.adapters.config.files import ProjectFile, read_project_files
from hardwon.adapters.config.values import (
    Rule,
    count,
    exactly_true,
    folders,
    from_1_to,
    limit,
    limit_of_project,
    model,
    name,
    one_of,
    path,
    phrases,
    share,
    some_of,
    switch,
    weight,
)
from hardwon.domain.model.project import TRUST_MODES, TrustMode
from hardwon.domain.model.settings import (
    BUFFERED,
    DEFAULT_STORE,
    EMBEDDING_PROVIDERS,
    KEYWORD_PROVIDERS,
    NETWORK_EMBEDDERS,
    NETWORK_LABELERS,
    ResolvedSettings,
    ServerAddress,
    Settings,
    balanced_weights,
    usable_weights,
)
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, DECAY_MODES, TIERS


class Setting(NamedTuple):
    """
    The rule of a setting and the sources that may set it.

    Attributes:
        rule: Parses its text.
        flag: The command-line option, by default `--` and the field's name.
        variables: Environment variables, the strongest first; by default `HARDWON_` and the name.
        of_project: Whether a file of the project may set it, as `memory_` and the name.
        in_project: A stricter rule for a file of the project.
        reserved: Whether a text is for the user alone and ignored in a file of the project.
    """

    rule: Rule
    flag: str = ""
    variables: tuple[str, ...] = ()
    of_project: bool = True
    in_project: Rule | None = None
    reserved: Callable[[str], bool] | None = None


def _always(_: str) -> bool:
    return True


# The store, hosts, base URLs, keys and network providers stay out of a project's reach:
# a cloned repository must not be able to move, read or send away a user's memory.
TABLE: Mapping[str, Setting] = {
    "global_store": Setting(path, variables=("HARDWON_STORE",), of_project=False),
    "injection_enabled": Setting(exactly_true),
    "semantic_enabled": Setting(exactly_true),
    "injection_limit": Setting(limit, flag="--limit", in_project=limit_of_project),
    "vector_weight": Setting(weight),
    "keyword_weight": Setting(weight),
    "prominence_weight": Setting(weight),
    "embedding_provider": Setting(
        one_of(*EMBEDDING_PROVIDERS), reserved=NETWORK_EMBEDDERS.__contains__
    ),
    "embedding_model": Setting(
        model, variables=("HARDWON_EMBEDDING_MODEL", "TLC_EMBED_MODEL"), reserved=_always
    ),
    "embedding_dimensions": Setting(count, reserved=_always),
    "keyword_provider": Setting(one_of(*KEYWORD_PROVIDERS), reserved=NETWORK_LABELERS.__contains__),
    "keyword_model": Setting(model, reserved=_always),
    "keyword_search": Setting(switch),
    "workspace": Setting(name, of_project=False),
    "decay_enabled": Setting(switch),
    "decay_mode": Setting(one_of(*DECAY_MODES)),
    "decay_floor": Setting(share),
    "decay_exempt_tiers": Setting(some_of(*TIERS)),
    "trigger_phrases": Setting(phrases),
    "document_roots": Setting(folders, of_project=False),
    "default_tier": Setting(one_of(*TIERS)),
    "default_context_type": Setting(one_of(*CONTEXT_TYPES)),
    "capture_enabled": Setting(exactly_true),
    "capture_interval": Setting(from_1_to(BUFFERED)),
    "capture_boundaries": Setting(phrases),
    "context_tokens": Setting(count, flag="--token-budget"),
    "prompt_enabled": Setting(exactly_true),
    "moments_enabled": Setting(exactly_true),
    "trust": Setting(one_of(*TRUST_MODES), of_project=False),
}


def flag(field: str) -> str:
    """Return the command-line option of *field*."""
    return TABLE[field].flag or f"--{field.replace('_', '-')}"


def variables(field: str) -> tuple[str, ...]:
    """Return the environment variables of *field*, the strongest first."""
    return TABLE[field].variables or (f"HARDWON_{field.upper()}",)


def key(field: str) -> str:
    """Return the key of *field* in a project's files."""
    return f"memory_{field}"


DEFAULT = "default"
DEFAULTS_OF_THE_SAMPLE = ("gemini-embedding-001",)
"""Reserved values of a file that many projects copied: Gemini's own defaults, refused silently."""

WEIGHTS = ("vector_weight", "keyword_weight", "prominence_weight")
SHOWN_CHARACTERS = 60


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
        The settings; never raises, whatever the files hold.
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
    store, server = _place(values.pop("global_store", DEFAULT_STORE), environ)
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
    found = sources.strongest("global_store", _ignored)
    return _place((found and _value("global_store", found, _ignored)) or DEFAULT_STORE, environ)[0]


def _place(text: str, environ: Mapping[str, str]) -> tuple[str, ServerAddress | None]:
    """
    Return the folder and server of the store that *text* names.

    Beside a server, the folder is the default one.
    """
    text = text.strip().strip("'\"").strip()  # quotes as files of variables keep them
    if ServerAddress.is_one(text):
        return _expanded(DEFAULT_STORE, environ), ServerAddress(text)
    return _expanded(text, environ), None


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
        found, mode = (self._of_user(field) for field in ("global_store", "trust"))
        return UsersStore(
            *_place(found or DEFAULT_STORE, self.environ), "ask" if mode == "ask" else "own"
        )

    def _of_user(self, field: str) -> str:
        found = next(self._candidates(field), None)
        return found.text.strip() if found else ""


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
