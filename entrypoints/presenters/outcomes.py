"""Render the outcomes of injections as text and JSON."""

import datetime as dt
from collections.abc import Mapping

from hardwon.domain.model.injection.credits import Credit
from hardwon.domain.model.injection.receipt import (
    Event,
    How,
    Influence,
    Outcome,
    Receipt,
    ReceiptEntry,
)
from hardwon.domain.use_cases.explain_injections import ExplainedInjection, ExplainedInjections
from hardwon.entrypoints.presenters.text import counted

OCCASIONS: Mapping[Event, str] = {
    "start": "at a session start",
    "prompt": "beside a prompt",
    "failure": "at a failure of `{}`",
    "file": "at the file `{}`",
    "edit": "after an edit of `{}`",
    "subagent": "for a subagent",
    "ask": "in a question",
}

KINDS: Mapping[Event, str] = {
    "start": "at session starts",
    "prompt": "beside prompts",
    "failure": "at failures",
    "file": "at opened files",
    "edit": "after edits",
    "subagent": "for subagents",
    "ask": "in questions",
}

WORDS: Mapping[How, str] = {
    "answer": "named by the agent",
    "edit": "named in an edit",
    "validation": "confirmed",
}
REJECTED = "rejected"


def outcome_text(receipt: Receipt) -> str:
    """Return the outcome of a moment in words, empty if none was seen."""
    outcome = receipt.outcome
    return _after_failure(outcome) if receipt.event == "failure" else _after_edit(outcome)


def _after_failure(outcome: Outcome) -> str:
    known = list[str]()
    if outcome.repeats:
        times = f", {outcome.repeats} times" if outcome.repeats > 1 else ""
        known.append(f"the same error came again{times}")
    elif outcome.tries and not outcome.passed:
        known.append(f"failed otherwise, at {counted(outcome.tries, 'try', 'tries')}")
    if outcome.passed:
        known.append(f"passed at the {_ordinal(outcome.tries)} try")
    return ", then ".join(known)


def _after_edit(outcome: Outcome) -> str:
    known = ["edited"] if outcome.is_edited else []
    if outcome.passed is not None:
        known.append(f"the next tests {'passed' if outcome.passed else 'failed'}")
    return ", ".join(known)


def _ordinal(number: int) -> str:
    """
    Return *number* as an ordinal.

    >>> [_ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def word_text(shown: ReceiptEntry, used: Influence | None) -> str:
    """Return who named or judged a shown entry, empty if it was neither."""
    if shown.is_rejected:
        return REJECTED
    return WORDS[used.how] if used else ""


def showing_text(explained: ExplainedInjection, entry_id: str) -> str:
    """Return where an entry was shown, and its outcome if it is known."""
    return ": ".join(filter(None, [shown_text(explained.receipt), known_text(explained, entry_id)]))


def known_text(explained: ExplainedInjection, entry_id: str) -> str:
    """Return the outcome of a showing in words, empty if none is known."""
    words = (
        word_text(shown, explained.used.get(entry_id))
        for shown in explained.receipt.shown
        if shown.entry_id == entry_id
    )
    return ", ".join(filter(None, (outcome_text(explained.receipt), *words)))


def outcomes_of(injections: ExplainedInjections) -> list[dict[str, object]]:
    """Return the known outcomes of an entry's injections for JSON."""
    return [
        {
            **{
                name: getattr(item.receipt, name)
                for name in ("at", "event", "query", "session_id", "arm")
            },
            **outcome_document(item, shown),
        }
        for item in injections.injections
        for shown in item.receipt.shown
        if shown.entry_id == injections.entry_id and known_text(item, shown.entry_id)
    ]


def shown_text(receipt: Receipt) -> str:
    """Return where and when an entry was shown, or withheld by a trial."""
    occasion = OCCASIONS[receipt.event].format(receipt.query or "?")
    day = receipt.at.astimezone(dt.UTC)
    return f"{receipt.arm or 'shown'} {occasion} on {day.day} {day:%b %Y}"


def outcome_document(explained: ExplainedInjection, shown: ReceiptEntry) -> dict[str, object]:
    """Return the outcome of a showing for JSON."""
    used = explained.used.get(shown.entry_id)
    has_helped = explained.receipt.outcome.has_helped(
        is_used=used is not None, is_rejected=shown.is_rejected
    )
    return {
        **explained.receipt.outcome._asdict(),
        "word": word_text(shown, used) or None,
        "has_helped": has_helped,
    }


def credit_text(event: Event, credit: Credit) -> str:
    """Return the credit of an entry at a kind of moment, with its formula."""
    tally, prior = credit.tally, credit.prior
    chance = (
        f"({tally.helped} + {prior.strength:.4g} * {prior.mean:.3f})"
        f" / ({tally.total} + {prior.strength:.4g})"
    )
    verdict = "; harmful there" if credit.is_harmful else ""
    return (
        f"helped {tally.helped} of {tally.total} times {KINDS[event]}: chance {credit.chance:.2f} ="
        f" {chance}, log-odds {credit.shift:+.2f}{verdict}"
    )


def credit_document(credit: Credit) -> dict[str, object]:
    """Return the credit of an entry at a kind of moment for JSON."""
    return {
        **credit.tally._asdict(),
        "prior": credit.prior._asdict(),
        "chance": credit.chance,
        "shift": credit.shift,
        "is_harmful": credit.is_harmful,
    }
