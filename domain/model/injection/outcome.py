"""
The outcome of a moment, by the next actions of the agent.

After a failure, runs of the same command are tries, until one passes; the same error in any run is
a repeat. After an edit, and after an opened file was edited, the next run of tests decides. Nothing
else is an outcome: neither reading nor being shown.
"""

import datetime as dt
from collections.abc import Iterable

from hardwon.domain.model.conversation.actions import Change, Run, TimedAction, pairing_key
from hardwon.domain.model.injection.receipt import Outcome, Receipt
from hardwon.domain.model.shell_command import is_test

LONGEST = dt.timedelta(hours=4)
"""How long after a moment actions are its outcome."""


def observed(receipt: Receipt, actions: Iterable[TimedAction]) -> Outcome:
    """Return the outcome of *receipt*, by all known *actions* of its agent in order."""
    receipt = receipt._replace(outcome=Outcome())
    for timed in actions:
        receipt = receipt._replace(outcome=outcome_after(receipt, timed))
    return receipt.outcome


def outcome_after(receipt: Receipt, timed: TimedAction) -> Outcome:
    """
    Return the outcome of *receipt* after the next action of its agent.

    It does not count if it began before the moment, or long after it. Where the clock went back,
    little is observed, and nothing wrong.
    """
    is_later = timed.begun and receipt.at < timed.begun <= receipt.at + LONGEST
    match timed.action:
        case _ if not (is_later and receipt.is_open):
            return receipt.outcome
        case Run() as run if receipt.event == "failure":
            return _after_run(receipt, run)
        case Run() as run if is_test(run.key) and _is_edited(receipt):
            return receipt.outcome._replace(tries=1, passed=not run.failed)
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
