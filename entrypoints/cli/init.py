"""The files of a set-up: what is to become of them, and that done."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated

import attrs
import typer

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.use_cases.setup import Done, Plan, SetUp, Untouched
from hardwon.entrypoints.bootstrap_agents import NAMES, build_agents, build_set_up, targets_at, used_agents
from hardwon.entrypoints.bootstrap_project import count_host_facts, host_memory
from hardwon.entrypoints.cli.console import Yes, agrees, ask, counted, warn
from hardwon.entrypoints.cli.options import USERS_MISTAKE, AsJson, GlobalStore, resolve
from hardwon.entrypoints.cli.readiness import find_project, get_ready
from hardwon.entrypoints.cli.setup_output import Telling
from hardwon.ports.agents import Agent, SetupTarget

NOT_THERE = "not there now: what was written in it stays noted"
UNKNOWN = "hardwon wrote to it, and can't tell for whom: take out what is its own by hand"


def plan_set_up(set_up: SetUp, agents: Sequence[Agent], project: str | None) -> Plan:
    """Return what it takes for *agents* to call us, also in *project* if there is one."""
    wanted = [
        target
        for agent in agents
        for target in (*agent.targets(), *(agent.project_targets(project) if project else ()))
    ]
    unwanted = [
        target
        for agent in agents
        for target in (*agent.unwanted(), *(agent.project_unwanted(project) if project else ()))
    ]
    return set_up.plan(wanted, unwanted)


def plan_removal(set_up: SetUp, agents: Sequence[Agent], project: str | None, *, everything: bool = True) -> Plan:
    """
    Return what it takes to undo it, in every project that was set up and is there.

    What can't be reached is told as left; a project that was deleted leaves nothing, and is settled.

    Args:
        set_up: Whose files and record.
        agents: Those that are to have nothing of ours any more.
        project: The one that the user is in, if any.
        everything: Whether *agents* are all: then what was written elsewhere, under another environment, goes too.

    """
    projects = dict.fromkeys([*set_up.record.projects(), *([project] if project else [])])
    unwanted = [target for agent in agents for target in _all_targets(agent, filter(os.path.isdir, projects))]
    gone = [each for each in projects if not os.path.isdir(each)]
    away = [each for each in gone if not _is_deleted(each)]
    strays = _strays(set_up, {target.path for target in unwanted}, gone) if everything else []
    found = {path: targets_at(path) for path in strays}
    plan = set_up.plan((), [*unwanted, *(target for each in found.values() for target in each)])
    told = [Untouched(each, NOT_THERE) for each in away]
    told += [Untouched(path, UNKNOWN) for path in strays if not found[path]]
    lost = _written_below(set_up, [each for each in gone if each not in away])
    return attrs.evolve(plan, settled=(*plan.settled, *lost), left=(*plan.left, *told))


def _all_targets(agent: Agent, projects: Iterable[str]) -> Iterator[SetupTarget]:
    yield from (*agent.targets(), *agent.unwanted())
    for project in projects:
        yield from (*agent.project_targets(project), *agent.project_unwanted(project))


def _strays(set_up: SetUp, known: Collection[str], gone: Sequence[str]) -> list[str]:
    """Return what was written to no file that is known, nor in a project that is gone."""
    elsewhere = _written_below(set_up, gone)
    return [path for path in set_up.record.paths() if path not in known and path not in elsewhere]


def _written_below(set_up: SetUp, projects: Sequence[str]) -> list[str]:
    folders = tuple(os.path.join(project, "") for project in projects)
    return [path for path in set_up.record.paths() if path.startswith(folders)]


def _is_deleted(project: str) -> bool:
    """Tell whether a project is gone for good: one on a disk that is away has no folder around it either."""
    around = os.path.dirname(project)
    return os.path.isdir(around) and os.access(around, os.X_OK) and not os.path.lexists(project)


def write_files(set_up: SetUp, plan: Plan, project: str | None) -> Done:
    """Carry out a set-up; *project* is noted first, so that whatever happens it can be undone from anywhere."""
    if project:
        set_up.record.add_project(project)
    return set_up.carry_out(plan)


def undo(set_up: SetUp, plan: Plan, *, everything: bool) -> Done:
    """
    Carry out a removal, and forget what is undone.

    Args:
        set_up: Whose files and record.
        plan: The removal.
        everything: Whether it is that of every agent.

    """
    projects = [each for each in set_up.record.projects() if os.path.isdir(each) or _is_deleted(each)]
    done = set_up.carry_out(plan)
    set_up.forget(projects if everything and not (plan.refused or done.refused) else ())
    return done


INIT_EXAMPLES = "Then start a new session. hardwon doctor tells how agents come to call it; --remove undoes it all."
UNDO = "undo {}, those of every project that was set up"
SAME_SERVER = "--mcp-json is left out: the plugin of Claude Code brings the same server already"
OTHER_STORE = "hooks and servers use the store of their environment: let HARDWON_STORE be {} where agents start"


def init(
    *,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="|".join(NAMES), help="Only this agent; may be repeated.", show_default=False),
    ] = None,
    mcp_json: Annotated[
        bool, typer.Option("--mcp-json", help="Name the server memory-server in the project's .mcp.json too.")
    ] = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Undo what was written, in every project; memories stay.")
    ] = False,
    bring_in: Annotated[
        bool | None,
        typer.Option("--import/--no-import", help="Bring in what Claude Code remembers of the project by itself."),
    ] = None,
    project_root: Annotated[
        str | None,
        typer.Option(
            "--project-root",
            metavar="PATH",
            help="The project (default: the git repository that holds the working folder, else that folder).",
            show_default=False,
        ),
    ] = None,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Give your coding agents a memory: hooks, tools and commands.

    It shows what it will write before it does, beside what is there, and a second
    run finds nothing to do. Agents are those whose folder or program is found.
    """
    project = find_project(project_root, os.curdir, os.path.expanduser("~"))
    store = resolve(project.folder, global_store).settings.global_store
    agents = _chosen(agent, _built(mcp_json=mcp_json, remove=remove), everything=remove)
    set_up = build_set_up(store)
    if remove:
        plan = plan_removal(set_up, agents, project.root, everything=agent is None)
    else:
        plan = plan_set_up(set_up, agents, project.root)
    with Telling(plan, agents, project, is_removal=remove, is_whole=dry_run, as_json=as_json) as telling:
        if not dry_run:
            _ask(len(plan.steps), UNDO if remove else "write {}", yes=yes)
            if remove:
                has_record = not set_up.record.is_empty
                telling.undone(undo(set_up, plan, everything=agent is None), store, agent or (), has_record=has_record)
            else:
                telling.written(write_files(set_up, plan, project.root))
                _get_ready(telling, project.folder, global_store, bring_in, is_asked=not (yes or as_json))
    if telling.refused:
        raise typer.Exit(USERS_MISTAKE)


def _built(*, mcp_json: bool, remove: bool) -> list[Agent]:
    agents = build_agents(os.environ, mcp_json=mcp_json or remove)
    if mcp_json and not remove and agents[0].connection().is_by_plugin:
        warn(SAME_SERVER)
    return agents


def _chosen(names: Sequence[str] | None, agents: list[Agent], *, everything: bool) -> list[Agent]:
    for name in names or ():
        if name not in NAMES:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(NAMES)}", param_hint="'--agent'")
    if names:
        return [agent for agent in agents if agent.name in names]
    return agents if everything else used_agents(agents) or _first_of(agents)


def _first_of(agents: list[Agent]) -> list[Agent]:
    warn(f"no agent found: {agents[0].title} is set up; name others with --agent")
    return agents[:1]


def _ask(files: int, what: str, *, yes: bool) -> None:
    if files:
        ask(what.format(counted(files, "file", "files")), yes=yes)


def _get_ready(
    telling: Telling, project_root: str, global_store: str | None, bring_in: object, *, is_asked: bool
) -> None:
    folder = host_memory(project_root)
    facts = count_host_facts(folder)
    wanted = bool(facts) and (_is_wanted(facts) if bring_in is None and is_asked else bool(bring_in))
    readiness = get_ready(project_root, global_store, folder if wanted else None)
    if global_store:
        warn(OTHER_STORE.format(readiness.store))
    telling.ready(readiness, 0 if wanted else facts)
    if troubles := sum(not finding.ok for finding in readiness.findings):
        raise HardwonError(f"{troubles} of {len(readiness.findings)} checks failed; see hardwon doctor")


def _is_wanted(facts: int) -> bool:
    return agrees(f"Bring in the {counted(facts, 'fact', 'facts')} that Claude Code remembers of this project?")
