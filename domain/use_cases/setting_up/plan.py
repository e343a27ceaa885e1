from collections.abc import Iterable

import attrs

from hardwon.domain.model.setup.file_change import FileChange
from hardwon.ports.setup_target import SetupTarget


@attrs.frozen
class Step:
    """
    One file that is to change.

    Attributes:
        target: The file.
        change: What it holds, and is to hold.
        without_us: What it would hold without us; None for no file.

    """

    target: SetupTarget
    change: FileChange
    without_us: str | None


@attrs.frozen(kw_only=True)
class Plan:
    """
    What is to be done; nothing is done yet.

    Attributes:
        steps: Files to change, in order.
        settled: Files that were to hold nothing of ours, and do not.
        left: Files that have something of the user's by our name, and what that is.
        refused: Files that can't be edited safely, why, and what to add by hand.

    """

    steps: tuple[Step, ...] = ()
    settled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Done:
    """
    What came of a plan.

    Attributes:
        changed: Files that were changed, in order.
        refused: Files that could not be, and why.

    """

    changed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def joined(plans: Iterable[Plan]) -> Plan:
    """Return one plan for all."""
    each = tuple(plans)
    return Plan(
        steps=tuple(step for plan in each for step in plan.steps),
        settled=tuple(path for plan in each for path in plan.settled),
        left=tuple(line for plan in each for line in plan.left),
        refused=tuple(line for plan in each for line in plan.refused),
    )
