import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from hardwon.adapters.markdown.host_folder import INDEX
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.use_cases.setting_up.set_up import Plan, SetUp
from hardwon.entrypoints.agents import NAMES, build_agents, build_set_up, used_agents
from hardwon.entrypoints.cli.getting_ready import get_ready
from hardwon.entrypoints.cli.options import OK, USERS_MISTAKE, AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.screen import complain, counted, warn
from hardwon.entrypoints.cli.setup_telling import Telling
from hardwon.entrypoints.host_memory import host_memory
from hardwon.ports.agent import Agent

EXAMPLES = "Then start a new session. hardwon doctor tells how agents come to call it; --remove undoes it all."


def init(
    *,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="|".join(NAMES), help="Only this agent; may be repeated.", show_default=False),
    ] = None,
    mcp_json: Annotated[
        bool, typer.Option("--mcp-json", help="Name the server memory-server in the project's .mcp.json too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before files are written.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Undo what was written; memories stay.")] = False,
    bring_in: Annotated[
        bool | None,
        typer.Option("--import/--no-import", help="Bring in what Claude Code remembers of the project by itself."),
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Give your coding agents a memory: hooks, tools and commands.

    It shows what it will write before it does, beside what is there, and a second
    run finds nothing to do. Agents are those whose folder or program is found.
    """
    store = resolve(project_root, global_store).settings.global_store
    agents = _chosen(agent, build_agents(os.environ, mcp_json=mcp_json or remove), everything=remove)
    set_up = build_set_up(store)
    project = os.path.realpath(project_root)
    plan = _removal(set_up, agents, project) if remove else _plan(set_up, agents, project)
    telling = Telling(plan, agents, as_json=as_json)
    telling.plan()
    if dry_run or not _is_agreed(plan, yes=yes, as_json=as_json):
        telling.end()
        raise typer.Exit(_not_written(dry_run=dry_run))
    telling.refused += set_up.carry_out(plan)
    if remove:
        set_up.forget(everything=agent is None and not telling.refused)
        telling.removed(store)
    else:
        if global_store:
            warn(
                f"hooks and servers use the store of their environment: let HARDWON_STORE be {store} where agents start"
            )
        set_up.record.add_project(project)
        _get_ready(telling, project_root, global_store, bring_in, is_asked=not (yes or as_json))
    telling.end()
    if telling.refused:
        raise typer.Exit(USERS_MISTAKE)


def _chosen(names: Sequence[str] | None, agents: list[Agent], *, everything: bool) -> list[Agent]:
    for name in names or ():
        if name not in NAMES:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(NAMES)}", param_hint="'--agent'")
    if names:
        return [agent for agent in agents if agent.name in names]
    return agents if everything else used_agents(agents)


def _plan(set_up: SetUp, agents: Sequence[Agent], project: str) -> Plan:
    wanted = [target for agent in agents for target in (*agent.targets(), *agent.project_targets(project))]
    return set_up.plan(wanted, [target for agent in agents for target in agent.unwanted()])


def _removal(set_up: SetUp, agents: Sequence[Agent], project: str) -> Plan:
    """Return what it takes to undo it, in every project that was set up."""
    projects = dict.fromkeys([*set_up.record.projects(), project])
    unwanted = [
        target
        for agent in agents
        for target in (
            *agent.targets(),
            *agent.unwanted(),
            *(target for each in projects if os.path.isdir(each) for target in agent.project_targets(each)),
        )
    ]
    return set_up.plan((), unwanted)


def _is_agreed(plan: Plan, *, yes: bool, as_json: bool) -> bool:
    if yes or not plan.steps:
        return True
    return not as_json and sys.stdin.isatty() and typer.confirm("Write this?", err=True)


def _not_written(*, dry_run: bool) -> int:
    if dry_run:
        return OK
    if sys.stdin.isatty():
        complain("Nothing was written.")
        return OK
    complain("hardwon: nothing was written: run with --yes")
    return USERS_MISTAKE


def _get_ready(
    telling: Telling, project_root: str, global_store: str | None, bring_in: object, *, is_asked: bool
) -> None:
    folder = host_memory(os.environ, project_root)
    facts = _facts(folder)
    wanted = bool(facts) and (_is_wanted(facts) if bring_in is None and is_asked else bool(bring_in))
    readiness = get_ready(project_root, global_store, folder if wanted else None)
    telling.ready(readiness, 0 if wanted else facts)
    if troubles := sum(not finding.ok for finding in readiness.findings):
        telling.end()
        raise HardwonError(f"{troubles} of {len(readiness.findings)} checks failed; see hardwon doctor")


def _is_wanted(facts: int) -> bool:
    question = f"Bring in the {counted(facts, 'fact', 'facts')} that Claude Code remembers of this project?"
    return sys.stdin.isatty() and typer.confirm(question, err=True)


def _facts(folder: str) -> int:
    """Return how many facts Claude Code remembers there."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(name.endswith(".md") and name != INDEX for name in names)
