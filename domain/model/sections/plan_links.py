"""Links from a section to the plans of the phases it names."""

from collections.abc import Callable
from urllib.parse import quote

from hardwon.domain.model.sections.verbatim import enumeration

PlanOf = Callable[[str], str | None]
"""Returns the plan of the phase of that number, as a path from the project's folder; None when there is none."""

TO_PROJECT = "../../"
"""From the folder of a memory file to the project's."""

PHASE = "Phase "


def plan_link(phase: str, plan_of: PlanOf) -> str:
    """Return the link to the plan of *phase*; where none is there yet, to the place TLC gives it."""
    plan = plan_of(phase) or f".planning/phases/{phase.replace('/', '-')}-PLAN.md"
    return f"[{PHASE}{enumeration([phase])}]({TO_PROJECT}{quote(plan)})"
