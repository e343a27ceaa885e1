"""Render injections as text and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from hardwon.domain.model.injection.receipt import Delivery, Event, NearMiss, Receipt, ReceiptEntry
from hardwon.domain.model.injection.verify import (
    ChangedLesson,
    VerificationResult,
    likelihood_of,
    policy_of,
    terms_of,
    verdict,
)
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.likelihood import GATE_THRESHOLD, Likelihood
from hardwon.domain.model.ranking.prominence import MIN_RELEVANCE
from hardwon.domain.use_cases.explain_injections import ExplainedInjection
from hardwon.domain.use_cases.inject_beside_prompt import PromptDryRun
from hardwon.domain.use_cases.weigh_entries import DryRun, WeighedEntry
from hardwon.entrypoints.presenters.outcomes import (
    REJECTED,
    credit_document,
    credit_text,
    outcome_document,
    outcome_text,
)
from hardwon.entrypoints.presenters.text import counted, utc_text
from hardwon.entrypoints.presenters.usage import influence_document, influence_line

EVENTS: Mapping[Event, str] = {
    "start": "session start",
    "prompt": "prompt",
    "failure": "failed command",
    "file": "opened file",
    "edit": "edit",
    "subagent": "subagent",
    "ask": "question to the agent",
}

SEARCHED: Mapping[Event, str] = {
    "start": "query",
    "prompt": "query",
    "failure": "command",
    "file": "file",
    "edit": "file",
    "subagent": "task",
    "ask": "command",
}
"""The query of a receipt, by its event."""

DELIVERIES: Mapping[Delivery, str] = {
    "printed": "printed: the host does not tell what its model got, so this is counted",
    "awaited": "printed, not delivered yet: the transcript tells when the turn ends",
    "missed": (
        "printed, not delivered: the transcript shows that the model did not get it, so this is not"
        " counted"
    ),
    "delivered": "delivered: the transcript shows that the model got it",
}

WITHHELD = "withheld by the trial: the model did not get it (hardwon trial status)"

SIGNALS: Mapping[str, str] = {
    "vector": "meaning",
    "keyword": "words",
    "prominence": "track record",
    "file": "touched file",
    "excess": "excess length",
    "breadth": "ln entries",
}
"""Display names of signals, where they differ from their own."""

INDENT = "     "


def injection_document(explained: ExplainedInjection) -> dict[str, object]:
    """Return the injection for JSON, in the order of the text."""
    receipt, ranks = explained.receipt, {shown.entry_id: rank for rank, shown in explained.ranked}
    return {
        "id": receipt.number,
        **{
            name: getattr(receipt, name)
            for name in ("number", "session_id", "event", "at", "delivery")
        },
        "project": explained.label,
        **{
            name: getattr(receipt, name)
            for name in (
                *("query", "keyword_text", "space", "policy", "digest", "frame"),
                *("agent", "signature", "arm"),
            )
        },
        "entries": [
            _entry_document(explained, ranks.get(item.entry_id), item) for item in receipt.shown
        ],
        "nearly": [
            {
                "id": item.entry_id,
                "name": explained.name_of(item.entry_id),
                "score": item.score,
                "why": item.why,
            }
            for item in receipt.missed
        ],
    }


def injection_lines(explained: ExplainedInjection, only: str | None = None) -> Iterator[str]:
    """Yield the lines for a person, on all or *only* one entry."""
    receipt = explained.receipt
    yield heading(explained)
    yield f"delivery {delivery_text(receipt)}"
    yield f"{SEARCHED[receipt.event]:<8} {receipt.query or 'none: nothing to go by'}"
    if receipt.signature:
        yield f"error    {receipt.signature}"
    if outcome := outcome_text(receipt):
        yield f"outcome  {outcome}"
    if receipt.keyword_text is not None:
        yield f"words    {' '.join(search_terms(receipt.keyword_text)) or 'none'}"
    yield f"ranked   by {receipt.policy}, model {receipt.space or 'none'}"
    for rank, shown in explained.ranked:
        if only in {None, shown.entry_id}:
            if (rank == 1 or (rank and only)) and policy_of(receipt, shown) != receipt.policy:
                yield f"related  conversations, ranked by {policy_of(receipt, shown)}"
            yield from entry_lines(explained, rank, shown)
    for missed in () if only else receipt.missed:
        yield _nearly(explained, missed)


def delivery_text(receipt: Receipt) -> str:
    """Return whether the model got the injection, as far as is known."""
    return WITHHELD if receipt.arm == "withheld" else DELIVERIES[receipt.delivery]


def heading(explained: ExplainedInjection) -> str:
    """Return the line with time, event, project, session and subagent."""
    receipt = explained.receipt
    session = f", session {receipt.session_id}" if receipt.session_id else ""
    agent = f", agent {receipt.agent}" if receipt.agent else ""
    return f"{utc_text(receipt.at)}  {EVENTS[receipt.event]} in {explained.label}{session}{agent}"


def entry_lines(
    explained: ExplainedInjection, rank: int | None, shown: ReceiptEntry
) -> Iterator[str]:
    """Yield rank, score, name and parts of an entry."""
    score = "     -" if shown.score is None else f"{shown.score:.4f}"
    yield f"{f'{rank}.' if rank else '':>4} {score}  {named(explained, shown.entry_id)}"
    if shown.origin:
        yield f"{INDENT}from {shown.origin}"
    yield f"{INDENT}{_reason(explained, shown)}"
    if win := _win(shown):
        yield f"{INDENT}{win}"
    if used := explained.used.get(shown.entry_id):
        yield f"{INDENT}of use: {influence_line(used)}"
    credit = explained.credits.at(shown.entry_id, explained.receipt.event)
    if credit.tally.total:
        yield f"{INDENT}credit: {credit_text(explained.receipt.event, credit)}"
    if shown.is_rejected:
        yield f"{INDENT}{REJECTED}: it did not help in this session"


def named(explained: ExplainedInjection, entry_id: str) -> str:
    """Return name and id of an entry, or only its id."""
    name = explained.name_of(entry_id)
    return f"{entry_id} (gone from the store)" if name is None else f"{name} ({entry_id})"


def _entry_document(
    explained: ExplainedInjection, rank: int | None, shown: ReceiptEntry
) -> dict[str, object]:
    used = explained.used.get(shown.entry_id)
    return {
        "rank": rank,
        "id": shown.entry_id,
        "name": explained.name_of(shown.entry_id),
        "form": shown.form,
        "policy": None if shown.score is None else policy_of(explained.receipt, shown),
        "score": shown.score,
        "parts": dict(shown.parts),
        "digest": shown.digest,
        "room": shown.room,
        "from": shown.origin or None,
        "influence_count": explained.influence_counts.get(shown.entry_id, 0),
        "used": influence_document(used) if used else None,
        "outcome": outcome_document(explained, shown),
        "credit": credit_document(explained.credits.at(shown.entry_id, explained.receipt.event)),
    }


def _reason(explained: ExplainedInjection, shown: ReceiptEntry) -> str:
    if shown.score is None:
        return (
            "a rule that always stands"
            if shown.form == "note"
            else "told for its session or its age alone"
        )
    try:
        terms = terms_of(policy_of(explained.receipt, shown), shown.parts)
    except KeyError:  # somebody changed the receipt
        terms = []
    if not terms:
        return ", ".join(f"{name} {value:.4g}" for name, value in shown.parts.items())
    weighty = [term for term in terms if term[1]] or terms
    text = " + ".join(
        f"{SIGNALS.get(name, name)} {weight:.2g} * {value:.3g}" for name, weight, value in weighty
    )
    return f"{text}; {relevance}" if (relevance := _relevance(explained, shown)) else text


def _relevance(explained: ExplainedInjection, shown: ReceiptEntry) -> str:
    if (
        explained.receipt.event != "start"
        or shown.form != "lesson"
        or "relevance" not in shown.parts
    ):
        return ""
    relevance = shown.parts["relevance"]
    return f"relevance {_beside(relevance, MIN_RELEVANCE)}"


def _win(shown: ReceiptEntry) -> str:
    """
    Return why the entry stood beside a prompt, empty if it did not.

    Also empty if that is unknown.
    """
    try:
        likely = likelihood_of(shown)
    except KeyError:  # somebody changed the receipt
        return ""
    if likely is None:
        return ""
    return f"{'wins' if likely.is_likely else 'does not win'}: {likelihood_text(likely)}"


def likelihood_text(likely: Likelihood) -> str:
    """Return the probability with what each feature adds to it."""
    terms = "".join(
        f" + {SIGNALS.get(name, name)} {weight:.3g} * {value:.3g}"
        for name, weight, value in likely.terms
    )
    return (
        f"probability {_beside(likely.probability, likely.model.threshold)}: 1 / (1 + exp(-x)),"
        f" x = {likely.constant:.3g}{terms}"
    )


def _beside(probability: float, threshold: float) -> str:
    """Return both compared, never 0.899 as `0.90 < 0.9`."""
    shown = round(probability, 2)
    if probability < threshold <= shown:
        shown -= 0.01
    return f"{shown:.2f} {'>=' if probability >= threshold else '<'} {threshold:.4g}"


def _nearly(explained: ExplainedInjection, missed: NearMiss) -> str:
    return f"nearly: {missed.score:.4f}  {named(explained, missed.entry_id)}: {missed.why}"


TAMPERED = "the receipt contradicts itself: it was changed after it was written"
FORGOTTEN = "forgotten since, or taken out of the receipt"
CHANGED = "its text changed (hardwon show {} --history)"
OBSERVED_SINCE = "since then observed again: {} → {}"
SURER = "confidence changed since then: {} → {}"
MISCOUNTED = "its parts do not give its score"


class VerifiedInjection(NamedTuple):
    """An injection, and the verdict on whether its text can be reproduced."""

    explained: ExplainedInjection
    verdict: VerificationResult

    @classmethod
    def of(cls, explained: ExplainedInjection) -> Self:
        """Reproduce the text, and compare."""
        return cls(explained, verdict(explained.receipt, explained.entries))

    def document(self) -> dict[str, object]:
        """Return the verdict for JSON."""
        since = [_since_document(item) for item in self.verdict.since]
        return {"verified": self.verdict.verified, **self.verdict._asdict(), "since": since}

    def lines(self) -> Iterator[str]:
        """Yield the verdict, then what differs, by name."""
        found = self.verdict
        yield f"{heading(self.explained)}: {'verified' if found.verified else 'differs'}"
        for item in found.since:
            yield f"  {named(self.explained, item.entry_id)}: {'; '.join(_changes_since(item))}"
        for entry_id in found.changed:
            yield f"  {named(self.explained, entry_id)}: {CHANGED.format(entry_id)}"
        for entry_id in found.gone:
            yield f"  {entry_id} is gone"
        for entry_id in found.miscounted:
            yield f"  {named(self.explained, entry_id)}: {MISCOUNTED}"
        if found.forgotten:
            yield f"  {counted(found.forgotten, 'entry', 'entries')} {FORGOTTEN}"
        if found.tampered:
            yield f"  {TAMPERED}"


def _changes_since(since: ChangedLesson) -> Iterator[str]:
    then, now = since.then, since.now
    if then.observation_count != now.observation_count:
        yield OBSERVED_SINCE.format(then.observation_count, now.observation_count)
    if then.confidence != now.confidence:
        yield SURER.format(then.confidence, now.confidence)


def _since_document(since: ChangedLesson) -> dict[str, object]:
    return {"id": since.entry_id, "then": since.then._asdict(), "now": since.now._asdict()}


NO_MOMENT = "nothing would be said: the output shows no failure"
NOTHING_AT_MOMENT = "nothing would be said: no lesson has to do with it"
NONE_CLEAR = "nothing would be said: no lesson clearly helps"


def moment_document(tried: DryRun | None, *, on: bool) -> dict[str, object]:
    """
    Return the dry run of a moment for JSON.

    It is None where there is no moment.
    """
    items = [_dry_run_document(item) for item in tried.entries] if tried else []
    return {
        "items": items,
        "on": on,
        "is_moment": tried is not None,
        "text": tried.text if tried else "",
    }


def moment_lines(tried: DryRun | None, *, on: bool, explains: bool) -> Iterator[str]:
    """Yield the dry run of a moment as lines for a person."""
    if not on:
        yield MOMENTS_OFF
    if tried and tried.text:
        yield from tried.text.splitlines()[1:-1]  # without the host's frame
    elif tried and tried.entries:
        yield NONE_CLEAR
    else:
        yield NOTHING_AT_MOMENT if tried else NO_MOMENT
    if tried and explains:
        yield from _weighed_lines(tried.entries)


MOMENTS_OFF = (
    "switched off here: nothing is said at moments (memory_moments_enabled,"
    " memory_injection_enabled, memory_semantic_enabled)"
)

NOT_SEARCHED = (
    "nothing would stand beside it: it says too little, asks for a fact, reports what is settled,"
    " or is no question or task, so nothing is searched"
)
NOTHING_FOUND = "nothing would stand beside it: no entry has to do with it"
NONE_WINS = "nothing would stand beside it:"
SOMETHING = "beside it would stand:"
OFF = (
    "switched off here: prompts are not answered (memory_prompt_enabled, memory_injection_enabled,"
    " memory_semantic_enabled)"
)


def dry_run_document(dry_run: PromptDryRun, *, on: bool) -> dict[str, object]:
    """Return the dry run for JSON."""
    items = [_dry_run_document(item) for item in dry_run.entries]
    return {"items": items, "on": on, "worth_asking": dry_run.worth_asking, "text": dry_run.text}


def dry_run_lines(dry_run: PromptDryRun, *, on: bool) -> Iterator[str]:
    """Yield the dry run as lines for a person."""
    if not on:
        yield OFF
    yield _summary(dry_run)
    yield from _weighed_lines(dry_run.entries)


def _weighed_lines(entries: Sequence[WeighedEntry]) -> Iterator[str]:
    for rank, item in enumerate(entries, 1):
        needed = _beside(item.probability, GATE_THRESHOLD)
        yield (
            f"{rank:>3}. probability {needed}  {item.name} ({item.entry_id}):"
            f" {item.kept_out or 'shown'}"
        )


def _summary(dry_run: PromptDryRun) -> str:
    if dry_run.text:
        return SOMETHING
    if dry_run.entries:
        return NONE_WINS
    return NOTHING_FOUND if dry_run.worth_asking else NOT_SEARCHED


def _dry_run_document(entry: WeighedEntry) -> dict[str, object]:
    fields = entry._asdict()
    return {"id": fields.pop("entry_id"), **fields}
