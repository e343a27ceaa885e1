"""The files of a set-up: what is to become of them, and that done."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

import attrs

from hardwon.domain.use_cases.setting_up.plan import Done, Plan, Untouched
from hardwon.domain.use_cases.setting_up.set_up import SetUp
from hardwon.entrypoints.composition.agents import targets_at
from hardwon.ports.agent import Agent
from hardwon.ports.setup_target import SetupTarget

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
