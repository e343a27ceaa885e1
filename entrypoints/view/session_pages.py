"""Pages of sessions with injections, their reasons and their outcome."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.errors import UnknownEntryError
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.injection.receipt import (
    COUNTED,
    MOMENTS,
    OBSERVED,
    Event,
    Influence,
    NearMiss,
    Receipt,
    ReceiptEntry,
)
from hardwon.domain.model.injection.verify import injected_text, policy_of, terms_of
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.use_cases.explain_injections import ExplainedInjection, ExplainInjections
from hardwon.entrypoints.presenters.injections import (
    EVENTS,
    SEARCHED,
    SIGNALS,
    delivery_text,
)
from hardwon.entrypoints.presenters.outcomes import REJECTED, outcome_text, word_text
from hardwon.entrypoints.view.charts import Part, score_parts
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest

PAGE_SIZE = 40
READ_RECEIPTS = 2_000
"""All that a store keeps."""

READ_USES = 20_000
TITLE_CHARACTERS = 100

HAPPENED: Mapping[Event, str] = {
    "failure": "{} failed",
    "file": "{} was opened",
    "edit": "{} was edited",
    "subagent": "a subagent began {}",
    "prompt": "you asked {}",
}
"""The occasions of injections with a query, in words."""


@attrs.frozen(kw_only=True)
class SessionRow:
    """
    A session with injections.

    Attributes:
        session_id: As the host names it; empty if unknown.
        title: Its first prompt that was searched with, else its first moment.
        delivered: Number of injections known to have reached the model.
        helped: Number of times a shown entry helped.
    """

    session_id: str
    title: str
    project: str
    first: dt.datetime
    last: dt.datetime
    starts: int
    prompts: int
    moments: int
    shown: int
    delivered: int
    helped: int
    used: int


def sessions_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the sessions, newest first, on request only those in which an entry helped."""
    number = asked.number("page", 1, most=READ_RECEIPTS)
    only = asked.choice("only", ("all", "helped"))
    store, labels = desk.memory.store, desk.memory.registry().labels()
    with desk.memory.repository.snapshot():
        receipts = store.receipts.newest(limit=READ_RECEIPTS)
        used = _used_by_session(store.influences.newest(limit=READ_USES))
    sessions = [
        session
        for session in _sessions(receipts, labels, used)
        if session.helped or only != "helped"
    ]
    begin = (number - 1) * PAGE_SIZE
    shown = sessions[begin : begin + PAGE_SIZE]
    values = {
        "now": desk.clock.now(),
        "only": only,
        "sessions": shown,
        "number": number,
        "has_more": len(sessions) > begin + PAGE_SIZE,
    }
    return Page("sessions", values, [attrs.asdict(session, recurse=False) for session in shown])


def _used_by_session(signals: Iterable[Influence]) -> Mapping[str, set[str]]:
    used = defaultdict[str, set[str]](set)
    for signal in signals:
        used[signal.session_id].add(signal.entry_id)
    return used


def _sessions(
    receipts: Iterable[Receipt], labels: Mapping[str, str], used: Mapping[str, Collection[str]]
) -> list[SessionRow]:
    groups = dict[tuple[str, str], list[Receipt]]()
    for receipt in receipts:
        groups.setdefault((receipt.session_id, receipt.project), []).append(receipt)
    return [
        SessionRow(
            session_id=session_id,
            title=title_of(group[::-1]),
            project=labels.get(project, project),
            first=group[-1].at,
            last=group[0].at,
            starts=sum(receipt.event == "start" for receipt in group),
            prompts=sum(receipt.event == "prompt" for receipt in group),
            moments=sum(receipt.event in MOMENTS for receipt in group),
            shown=len(
                {
                    shown.entry_id
                    for receipt in group
                    if receipt.arm != "withheld"
                    for shown in receipt.shown
                }
            ),
            delivered=sum(receipt.delivery in COUNTED for receipt in group),
            helped=_times_helped(group, used.get(session_id, ())),
            used=len(used.get(session_id, ())),
        )
        for (session_id, project), group in groups.items()
    ]


def _times_helped(receipts: Iterable[Receipt], used: Collection[str]) -> int:
    return sum(
        receipt.outcome.has_helped(is_used=shown.entry_id in used, is_rejected=shown.is_rejected)
        is True
        for receipt in receipts
        if receipt.delivery != "missed"
        for shown in receipt.shown
    )


def title_of(receipts: Sequence[Receipt]) -> str:
    """Return the first prompt among *receipts*, else their first moment, empty without one."""
    queries = [(receipt.event, receipt.query) for receipt in receipts if receipt.query]
    prompts = [query for event, query in queries if event == "prompt"]
    moments = (HAPPENED[event].format(query) for event, query in queries if event in MOMENTS)
    return shortened(next(iter([*prompts, *moments]), ""), TITLE_CHARACTERS)


class ShownEntry(NamedTuple):
    """
    An entry in an injection.

    Attributes:
        rank: By score, from 1; None if no search chose it.
        name: Its name today; None if it is gone.
        relevance: Estimated probability of relevance; None if not estimated.
        word: Whether it was named, confirmed or rejected; empty for neither.
    """

    rank: int | None
    shown: ReceiptEntry
    name: str | None
    parts: Sequence[Part]
    relevance: float | None
    word: str


@attrs.frozen(kw_only=True)
class InjectionRow:
    """
    An injection, as the page shows it.

    Attributes:
        searched: The display name of the query.
        missed: Near misses, with name and the rule that kept each out.
        outcome: That of a moment, in a few words; empty if none was seen.
        has_helped: Whether an entry helped by it.
        is_observed: Whether its outcome can be seen.
        text: The text as the model got it; None if the entries have changed since.
    """

    receipt: Receipt
    event: str
    searched: str
    delivery: str
    terms: Sequence[str]
    entries: Sequence[ShownEntry]
    missed: Sequence[tuple[NearMiss, str | None]]
    text: str | None
    outcome: str
    has_helped: bool
    is_observed: bool


def session_page(desk: Desk, asked: PageRequest) -> Page:
    """Return all injections of one session."""
    session_id = asked.query.get("id", "")
    store, registry = desk.memory.store, desk.memory.registry()
    with desk.memory.repository.snapshot():
        explained = ExplainInjections.on(store, registry).of_session(session_id, READ_RECEIPTS)
        used = _used_by_session(store.influences.newest(session_id=session_id, limit=READ_USES))
    if not explained.injections:
        raise UnknownEntryError("No injection into such a session is kept: the newest 2,000 are.")
    injections = sorted(explained.injections, key=lambda item: item.receipt.at)
    rows = [*map(_injection, injections)]
    session, *_ = _sessions([row.receipt for row in rows[::-1]], registry.labels(), used)
    values = {"now": desk.clock.now(), "session": session, "injections": rows}
    return Page("session", values, [document for row in rows for document in _documents(row)])


def _injection(explained: ExplainedInjection) -> InjectionRow:
    receipt = explained.receipt
    return InjectionRow(
        receipt=receipt,
        event=EVENTS[receipt.event],
        searched=SEARCHED[receipt.event],
        delivery=delivery_text(receipt),
        terms=search_terms(
            receipt.keyword_text if receipt.keyword_text is not None else receipt.query or ""
        ),
        entries=_shown_entries(explained),
        missed=[(missed, explained.name_of(missed.entry_id)) for missed in receipt.missed],
        text=injected_text(receipt, explained.entries),
        outcome=outcome_text(receipt),
        has_helped=receipt.outcome.has_helped() is True,
        is_observed=receipt.event in OBSERVED and receipt.delivery != "missed",
    )


def _shown_entries(explained: ExplainedInjection) -> list[ShownEntry]:
    scored = [(rank, shown, _terms(explained.receipt, shown)) for rank, shown in explained.ranked]
    full = max((sum(max(0.0, value) for _, value in terms) for _, _, terms in scored), default=0.0)
    return [
        ShownEntry(
            rank=rank,
            shown=shown,
            name=explained.name_of(shown.entry_id),
            parts=score_parts(terms, full),
            relevance=shown.parts.get("relevance", shown.parts.get("probability")),
            word=word_text(shown, explained.used.get(shown.entry_id)),
        )
        for rank, shown, terms in scored
    ]


def _terms(receipt: Receipt, shown: ReceiptEntry) -> list[tuple[str, float]]:
    if shown.score is None:
        return []
    try:
        terms = terms_of(policy_of(receipt, shown), shown.parts)
    except KeyError:  # the receipt was changed
        return []
    return [(SIGNALS.get(name, name), weight * value) for name, weight, value in terms]


def _documents(injection: InjectionRow) -> list[dict[str, object]]:
    common = {
        "at": injection.receipt.at,
        "event": injection.receipt.event,
        "agent": injection.receipt.agent,
        "query": injection.receipt.query,
        "signature": injection.receipt.signature,
        "delivery": injection.receipt.delivery,
        "outcome": injection.outcome,
        "arm": injection.receipt.arm,
    }
    return [
        {
            **common,
            "rank": entry.rank,
            "id": entry.shown.entry_id,
            "name": entry.name,
            "score": entry.shown.score,
            **{part.name: round(part.value, 6) for part in entry.parts},
            "used": entry.word not in {"", REJECTED},
            "word": entry.word,
        }
        for entry in injection.entries
    ]
