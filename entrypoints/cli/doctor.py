"""`hardwon doctor`: check installation, store and settings, and repair the store."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from hardwon.domain.model.errors import CorruptStoreError, HardwonError, StorageError
from hardwon.domain.model.settings import ResolvedSettings, Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_capture import last_events, put_aside
from hardwon.entrypoints.bootstrap_upkeep import move_store_aside, repair_schema
from hardwon.entrypoints.cli.console import complain, out, print_json, progress, say, shown, warn
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.transfer import import_with_progress
from hardwon.entrypoints.health import (
    CHECKED,
    Finding,
    ProviderState,
    examine,
    keys,
    provider_states,
)
from hardwon.entrypoints.presenters.text import counted

PROBLEMS_SHOWN = 3


def doctor(
    *,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help=(
                "Repair the tables of the store. A damaged store is moved aside and"
                " rebuilt from markdown."
            ),
        ),
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Check the installation, the store and the settings.

    It also shows the source of every setting, and the last error of the hook.
    """
    resolved = resolve(project_root, global_store, in_pause=True)
    if repair:
        _repair(resolved.settings, project_root)
    with progress() as bar:
        findings = [*bar.track(examine(resolved.settings, project_root), description="checking")]
    problem = last_events(resolved.settings.global_store, PROBLEMS_SHOWN)
    if as_json:
        print_json(
            {
                "findings": findings,
                "providers": _providers(findings, resolved.settings),
                "keys": keys(os.environ),
                "hook_log": problem,
                "settings": _settings(resolved),
            }
        )
    else:
        _print(findings, resolved, problem)
    if problems := sum(not finding.ok for finding in findings):
        raise HardwonError(f"{problems} of {len(findings)} checks failed")


def _repair(settings: Settings, project_root: str) -> None:
    try:
        _repair_schema(settings)
        _ensure_sound(settings)
    except CorruptStoreError:
        aside = move_store_aside(settings.global_store)
        warn(f"the broken store is kept as {aside}; what no markdown file holds is only there")
        _rebuild(settings, project_root)
    except StorageError as error:
        warn(f"nothing was repaired: {error}")
    try:
        if aside := put_aside(settings.global_store):
            warn(
                f"the damaged capture journal is kept as {aside}; a new one begins with the next"
                " prompt"
            )
    except StorageError as error:
        warn(f"the capture journal was not repaired: {error}")


def _repair_schema(settings: Settings) -> None:
    repaired, left = repair_schema(settings.global_store)
    for line in repaired:
        warn(f"repaired: {line}")
    for line in left:
        warn(f"left as it is, as repairing it would lose rows: {line}")


def _ensure_sound(settings: Settings) -> None:
    """
    Repair rows, check the store, and rebuild its indexes.

    It is closed then, so that its file can be moved.
    """
    memory = open_memory(settings, warn)
    try:
        for line in memory.store.upkeep.repair_rows():
            warn(f"repaired: {line}")
        memory.store.upkeep.ensure_sound()
        memory.store.upkeep.rebuild_keyword_index()
        for space in memory.spaces:
            memory.store.upkeep.rebuild_vector_index(space.vectors)
    finally:
        memory.close()


def _rebuild(settings: Settings, project_root: str) -> None:
    memory = open_memory(settings, warn)
    imported = import_with_progress(memory, project_root)
    embedded = embed_with_progress(memory.spaces)
    memory.close()
    complain(
        f"Rebuilt from markdown: {counted(imported.added, 'entry', 'entries')},"
        f" {counted(embedded, 'vector', 'vectors')}; run hardwon import in your other projects"
    )


def _print(findings: Sequence[Finding], resolved: ResolvedSettings, problem: Sequence[str]) -> None:
    for finding in findings:
        mark, color = finding.mark
        out().print(f"{mark:<9}", style=color, end="")
        say(f"{finding.name}: {finding.detail}")
    say("\nembedding providers:")
    for state in _providers(findings, resolved.settings):
        mark = "searched" if state.chosen else ""
        say(
            f"  {state.provider:<8}{mark:<10}{state.model}, {state.dimensions} dimensions,"
            f" {state.key}"
        )
    say(f"\nlabels: {keys(os.environ)['anthropic']}")
    if problem:
        say("\nlast trouble of the hook:")
        for line in problem:
            say(f"  {line}")
    say("\nsettings:")
    values = {name: shown(value) for name, value in resolved.settings.shown().items()}
    name_width, value_width = max(map(len, values)), max(map(len, values.values()))
    for name, value in values.items():
        say(f"  {name:<{name_width}}  {value:<{value_width}}  {resolved.origins[name]}")


def _providers(findings: Sequence[Finding], settings: Settings) -> list[ProviderState]:
    """
    Return the state of every provider.

    The checked ones are those in use.
    """
    checked = [
        finding.name.removeprefix(CHECKED)
        for finding in findings
        if finding.name.startswith(CHECKED)
    ]
    return provider_states(settings, checked, os.environ)


def _settings(resolved: ResolvedSettings) -> dict[str, dict[str, object]]:
    values = resolved.settings.shown()
    return {
        name: {"value": value, "from": resolved.origins[name]} for name, value in values.items()
    }
