from typing import Annotated

import typer

from hardwon.adapters.sqlite.fts import is_available, rebuild_index
from hardwon.adapters.sqlite.repair import ensure_sound, move_aside
from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.errors import CorruptStoreError, HardwonError
from hardwon.domain.model.settings import Resolved, Settings
from hardwon.entrypoints.cli.embedding import embed_with_progress
from hardwon.entrypoints.cli.importing import import_with_progress
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.screen import out, print_json, say, warn
from hardwon.entrypoints.composition import open_memory
from hardwon.entrypoints.health import Finding, examine


def doctor(
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Move a broken store aside and rebuild it from markdown.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Check the installation and the store, and tell where every setting comes from."""
    resolved = resolve(project_root, global_store)
    if repair:
        _repair(resolved.settings, project_root)
    findings = examine(resolved.settings)
    if as_json:
        print_json({"findings": findings, "settings": _settings(resolved)})
    else:
        _print(findings, resolved)
    if troubles := sum(not finding.ok for finding in findings):
        raise HardwonError(f"{troubles} of {len(findings)} checks failed")


def _repair(settings: Settings, project_root: str) -> None:
    try:
        memory = open_memory(settings, warn)
        ensure_sound(memory.database)
    except CorruptStoreError:
        aside = move_aside(settings.global_store, SystemClock().now())
        warn(f"the broken store is kept as {aside}; what no markdown file holds is only there")
        memory = open_memory(settings, warn)
        import_with_progress(memory, project_root)
        embed_with_progress(memory)
    if is_available():
        rebuild_index(memory.database)
    memory.database.close()


def _print(findings: list[Finding], resolved: Resolved) -> None:
    for finding in findings:
        mark = "[green]ok[/green]     " if finding.ok else "[red]trouble[/red]"
        out.print(f"{mark}  {finding.name}:", end=" ")
        say(finding.detail)
    say()
    for name, setting in _settings(resolved).items():
        say(f"{name:<20}{setting['value']!s:<24}{setting['from']}")


def _settings(resolved: Resolved) -> dict[str, dict[str, object]]:
    values = resolved.settings._asdict()
    return {name: {"value": value, "from": resolved.origins[name]} for name, value in values.items()}
