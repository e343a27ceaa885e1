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


@attrs.frozen
class Untouched:
    """
    One file that is left as it is.

    Attributes:
        path: The file.
        reason: Why, in one line.
        by_hand: What the user would add by hand, in lines to paste; empty for nothing.

    """

    path: str
    reason: str
    by_hand: str = ""


@attrs.frozen(kw_only=True)
class Plan:
    """
    What is to be done; nothing is done yet.

    Attributes:
        steps: Files to change, in order.
        settled: Files that were to hold nothing of ours, and do not.
        left: Files that have something of the user's by our name.
        refused: Files that can't be edited safely.

    """

    steps: tuple[Step, ...] = ()
    settled: tuple[str, ...] = ()
    left: tuple[Untouched, ...] = ()
    refused: tuple[Untouched, ...] = ()


@attrs.frozen(kw_only=True)
class Done:
    """
    What came of a plan.

    Attributes:
        changed: Files that were changed, in order.
        refused: Files that could not be.

    """

    changed: tuple[str, ...] = ()
    refused: tuple[Untouched, ...] = ()


def joined(plans: Iterable[Plan]) -> Plan:
    """Return one plan for all."""
    each = tuple(plans)
    return Plan(
        steps=tuple(step for plan in each for step in plan.steps),
        settled=tuple(path for plan in each for path in plan.settled),
        left=tuple(file for plan in each for file in plan.left),
        refused=tuple(file for plan in each for file in plan.refused),
    )
