import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hardwon.adapters.config.project_files import ProjectFile, read_project_files
from hardwon.adapters.config.table import TABLE, flag, key, variables
from hardwon.domain.model.settings import DEFAULT_STORE, Resolved, Settings, balanced_weights, usable_weights

DEFAULT = "default"
WEIGHTS = ("vector_weight", "keyword_weight", "prominence_weight")
SHOWN_CHARACTERS = 60


class _Found(NamedTuple):
    """A text for a setting, where it came from, how a warning names that place, and whether that is the project's."""

    text: str
    origin: str
    place: str
    of_project: bool = False


def read_settings(project_root: str, environ: Mapping[str, str], flags: Mapping[str, str]) -> Resolved:
    """
    Return every setting, from the strongest source that names it.

    The order is flag, environment, `.claude/iflow-dev.local.md`, `.tlc.json`,
    `config.jsonc`, default (U-19). A blank value is absent. A value that its
    rule refuses gives the default and a warning: weaker sources are not asked.

    Args:
        project_root: The project's folder; need not exist.
        environ: The environment; `HOME` in it expands the store's `~`.
        flags: What the command line says, by option, such as `{"--limit": "5"}`; unknown ones are ignored.

    Returns:
        The settings; never raises, whatever the files hold.

    """
    warnings: list[str] = []
    files = read_project_files(project_root, [key(field) for field in TABLE], warnings.append)
    _refuse_the_users_own(files, warnings.append)
    found = {field: next(_candidates(field, environ, flags, files), None) for field in TABLE}
    values = {field: _value(field, each, warnings.append) for field, each in found.items() if each}
    values = {field: value for field, value in values.items() if value is not None}
    _balance(values, warnings.append)
    origins = {field: each.origin if each and field in values else DEFAULT for field, each in found.items()}
    store = _expanded(values.pop("global_store", DEFAULT_STORE), environ)
    roots = tuple(_expanded(root, environ) for root in values.pop("document_roots", ()))
    return Resolved(Settings(global_store=store, document_roots=roots, **values), origins, tuple(warnings))


def _candidates(
    field: str, environ: Mapping[str, str], flags: Mapping[str, str], files: Sequence[ProjectFile]
) -> Iterator[_Found]:
    option, project_key = flag(field), key(field)
    places = [_Found(flags.get(option, ""), option, option)]
    places += [_Found(environ.get(name, ""), f"environment {name}", name) for name in variables(field)]
    if TABLE[field].of_project:
        places += [
            _Found(file.values.get(project_key, ""), file.name, f"{project_key} in {file.name}", of_project=True)
            for file in files
        ]
    return (found for found in places if found.text.strip())


def _value(field: str, found: _Found, warn: Callable[[str], None]) -> Any:
    setting = TABLE[field]
    rule = (found.of_project and setting.in_project) or setting.rule
    value, complaint = rule(found.text)
    if complaint:
        warn(f"{found.place} is {found.text[:SHOWN_CHARACTERS]!r}: it {complaint}")
    return value


def _balance(values: dict[str, Any], warn: Callable[[str], None]) -> None:
    """Make the three weights of *values* sum to 1; drop all three when they can't."""
    before = [{**Settings._field_defaults, **values}[field] for field in WEIGHTS]
    shown = ", ".join(f"{each:g}" for each in before)
    if not usable_weights(before):
        warn(f"the weights {shown} must be numbers from 0 up, not all 0; using the defaults")
        for field in WEIGHTS:
            values.pop(field, None)
        return
    after = balanced_weights(before)
    if after != before:
        warn(f"the weights {shown} must sum to 1; each was divided by their sum")
    values.update(zip(WEIGHTS, after, strict=True))


def _refuse_the_users_own(files: Sequence[ProjectFile], warn: Callable[[str], None]) -> None:
    for field, setting in TABLE.items():
        if not setting.of_project:
            names = [file.name for file in files if key(field) in file.values]
            for name in names:
                warn(f"{key(field)} in {name} is ignored: only {flag(field)} and {variables(field)[0]} may set it")


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return home + path[1:]
    return os.path.expanduser(path)
