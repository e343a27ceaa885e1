"""
The outcome of a moment, by the next actions of the agent.

After a failure, runs of the same command are tries, until one passes; the same error in any run is
a repeat. After an edit, and after an opened file was edited, the next run of tests decides. Nothing
else is an outcome: neither reading nor being shown.
"""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.conversation.actions import Action, Change, Run, pairing_key
from hardwon.domain.model.injection.receipt import Event, Outcome, Receipt
from hardwon.domain.model.shell_command import is_test

OBSERVED: tuple[Event, ...] = ("failure", "file", "edit")
"""The moments that actions decide on."""

LONGEST = dt.timedelta(days=1)
"""How long after a moment actions are its outcome."""


class TimedAction(NamedTuple):
    """
    An action of an agent.

    Attributes:
        begun: When the agent called the tool; later than that it ended.
    """

    begun: dt.datetime
    action: Action


def is_open(receipt: Receipt) -> bool:
    """Return whether actions may still change the outcome of *receipt*."""
    is_decided = receipt.outcome.passed is not None
    return receipt.event in OBSERVED and receipt.delivery != "missed" and not is_decided


def observed(receipt: Receipt, actions: Iterable[TimedAction]) -> Outcome:
    """
    Return the outcome of *receipt*, by all known *actions* of its agent in order.

    Those begun before the moment, or long after it, do not count. Where the clock went back, little
    is observed, and nothing wrong.
    """
    receipt = receipt._replace(outcome=Outcome())
    for begun, action in actions:
        if receipt.at < begun <= receipt.at + LONGEST:
            receipt = receipt._replace(outcome=outcome_after(receipt, action))
    return receipt.outcome


def outcome_after(receipt: Receipt, action: Action) -> Outcome:
    """Return the outcome of *receipt* after the next action."""
    if not is_open(receipt):
        return receipt.outcome
    match action:
        case Run() if receipt.event == "failure":
            return _after_run(receipt, action)
        case Run() if is_test(action.key) and _is_edited(receipt):
            return receipt.outcome._replace(tries=1, passed=not action.failed)
        case Change(path) if _is_file(path, receipt.query or ""):
            return receipt.outcome._replace(is_edited=receipt.event == "file")
        case _:
            return receipt.outcome


def _after_run(receipt: Receipt, run: Run) -> Outcome:
    tries, repeats, *_ = receipt.outcome
    is_same = run.key == pairing_key(receipt.query or "")
    is_repeat = run.failed and receipt.signature in {error.signature for error in run.errors}
    return receipt.outcome._replace(
        tries=tries + is_same,
        repeats=repeats + is_repeat,
        passed=True if is_same and not run.failed else None,
    )


def _is_edited(receipt: Receipt) -> bool:
    return receipt.event == "edit" or receipt.outcome.is_edited


def _is_file(path: str, named: str) -> bool:
    """Return whether *path*, maybe absolute, is the file that is named from the project."""
    return bool(named) and f"/{path}".replace("\\", "/").endswith(f"/{named.lstrip('/')}")


def further(known: Outcome, new: Outcome) -> Outcome:
    """Return the outcome of more actions: a transcript may have been cut."""
    return max(known, new, key=_extent)


def _extent(outcome: Outcome) -> tuple[bool, int, int, bool]:
    return (outcome.passed is not None, outcome.tries, outcome.repeats, outcome.is_edited)
