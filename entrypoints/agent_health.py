"""How agents come to call us, and what is wrong with that."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.setup.connection import judge
from hardwon.ports.agent import Agent

NOBODY = "none calls the hook yet: run hardwon init"
SWITCHED_OFF = "{} switches its hooks off, ours too: take that out"


class AgentState(NamedTuple):
    """
    What was found of one agent, or of all.

    Attributes:
        name: What was looked at.
        ok: Whether it works as far as it is set up.
        detail: How it is set up, and the way out when that does not work.

    """

    name: str
    ok: bool
    detail: str


def agent_states(agents: Sequence[Agent], project: str) -> list[AgentState]:
    """Return one state for each agent that calls us in *project*; one that says how to begin when none does."""
    return list(_states(agents, project)) or [AgentState("agents", ok=True, detail=NOBODY)]


def _states(agents: Sequence[Agent], project: str) -> Iterator[AgentState]:
    for agent in agents:
        connection = agent.connection()
        if connection.ways and (obstacle := agent.obstacle(project)):
            yield AgentState(f"agent {agent.name}", ok=False, detail=SWITCHED_OFF.format(obstacle))
        elif connection.ways:
            paths = filter(os.path.isabs, connection.commands)
            verdict = judge(connection, {path for path in paths if not os.path.isfile(path)})
            yield AgentState(f"agent {agent.name}", ok=verdict.ok, detail=verdict.detail)
