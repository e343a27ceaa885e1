"""The files of a set-up: what is to become of them, and that done."""

import os
from collections.abc import Sequence

import attrs

from hardwon.domain.use_cases.setting_up.plan import Done, Plan
from hardwon.domain.use_cases.setting_up.set_up import SetUp
from hardwon.ports.agent import Agent


def plan_set_up(set_up: SetUp, agents: Sequence[Agent], project: str | None) -> Plan:
    """Return what it takes for *agents* to call us, also in *project* if there is one."""
    wanted = [
        target
        for agent in agents
        for target in (*agent.targets(), *(agent.project_targets(project) if project else ()))
    ]
    return set_up.plan(wanted, [target for agent in agents for target in agent.unwanted()])


def plan_removal(set_up: SetUp, agents: Sequence[Agent], project: str | None) -> Plan:
    """Return what it takes to undo it, in every project that was set up and is there; the others are told as left."""
    projects = dict.fromkeys([*set_up.record.projects(), *([project] if project else [])])
    unwanted = [
        target
        for agent in agents
        for target in (
            *agent.targets(),
            *agent.unwanted(),
            *(target for each in projects if os.path.isdir(each) for target in agent.project_targets(each)),
        )
    ]
    plan = set_up.plan((), unwanted)
    gone = (
        f"{each}: not there now: what was written in it stays noted" for each in projects if not os.path.isdir(each)
    )
    return attrs.evolve(plan, left=(*plan.left, *gone))


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
    projects = [each for each in set_up.record.projects() if os.path.isdir(each)]
    done = set_up.carry_out(plan)
    set_up.forget(projects if everything and not (plan.refused or done.refused) else ())
    return done
