"""Render entries as text and JSON."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from hardwon.domain.model.activity import Usage
from hardwon.domain.model.citations import leads_out
from hardwon.domain.model.entry import MAX_KEYWORDS, Entry, distinct
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.injection.entry_text import (
    BUDGET_TOKENS,
    LARGEST_ENTRY,
    needs_too_much_room,
)
from hardwon.domain.model.keyword_labels import is_complete
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.domain.model.redaction import is_cut_off, redact
from hardwon.domain.model.text import tokens
from hardwon.entrypoints.presenters.text import counted, stored_line, utc_text, visible

if TYPE_CHECKING:
    from cattrs import Converter

    from hardwon.domain.model.cited_place import CitationState, CitedPlace
    from hardwon.domain.use_cases.edit_entries import EditOutcome, ValidationOutcome
    from hardwon.domain.use_cases.review_memory import FileDrift
    from hardwon.domain.use_cases.store_entry import StoredEntry
    from hardwon.ports.erasure import Occurrences


KEPT_HERE = "kept here, sent when the server is back: {}"
NOT_SUPERSEDED = "supersedes can't be looked up now, store the lesson without it: {}"
"""Lines on a lesson that waits for a server, with the reason."""


def change_confirmation(changed: "EditOutcome") -> list[str]:
    """Return lines on the entry, its changes, tier and sections."""
    did = "Updated" if changed.changes else "Unchanged, it was so already"
    fields = [f"{field}: {old} -> {new}" for field, old, new in changed.changes]
    fates = fate(changed.entry, is_searched=changed.is_searched)
    return [f"{did}: {named(changed.entry)}", *map(visible, fields), *fates, *_of_sections(changed)]


def _of_sections(changed: "EditOutcome") -> list[str]:
    followed, kept = changed.sections
    lines = {
        "Sections that took its tier over": followed,
        "Sections that keep a tier of their own": kept,
    }
    return [f"{fates}: {count}" for fates, count in lines.items() if count]


def named(entry: Entry) -> str:
    """Return the title of *entry* with its number and id."""
    return f"{visible(entry.name)} (number {entry.number}, id: {entry.entry_id})"


def drift_line(drift: "FileDrift") -> str:
    """Describe a lesson edited by hand, and how to import it."""
    did = "edited in" if drift.text else "removed from"
    return visible(
        f"{drift.heading!r} was {did} {drift.path}, the store keeps it as it was (id:"
        f" {drift.entry.entry_id}); hardwon import --changed takes that over"
    )


def drift_document(drift: "FileDrift") -> dict[str, object]:
    """Return *drift* for JSON."""
    before, after = drift.entry.description, drift.text or None
    return {
        "path": drift.path,
        "heading": drift.heading,
        "id": drift.entry.entry_id,
        "before": before,
        "after": after,
    }


def judgement(validated: "ValidationOutcome") -> str:
    """Return a line on how often the entry was useful."""
    total, useful = validations = validated.entry.usage.validations
    score = f"confidence score {validations.confidence_score:.2f}"
    return f"Validated: {named(validated.entry)}, useful {useful} of {total} times, {score}"


def fate(entry: Entry, *, is_searched: bool) -> list[str]:
    """Return a line on the tier of *entry*, if that may surprise."""
    if entry.tier == "constitutional" and (size := tokens(entry.description)) > BUDGET_TOKENS:
        room = f"of rules {BUDGET_TOKENS} are shown"
        return [f"It has about {size} tokens, {room}: shorten it, or it never is"]
    if entry.tier == NEVER_SEARCHED:
        return ["It is deprecated: no search finds it any more, and it is kept until it is deleted"]
    if entry.expires_at is None:
        return []
    if is_searched:
        return [
            f"It is temporary: it expires {utc_text(entry.expires_at)}, 7 days after it was made"
        ]
    over = "its 7 days are over, so no search finds it any more"
    return [f"It is temporary and was made {utc_text(entry.created_at)}: {over}"]


def entry_document(entry: Entry) -> dict[str, object]:
    """Return *entry* for JSON, the id first, the counters by name."""
    fields = attrs.asdict(
        entry, recurse=False, filter=lambda field, _: field.name not in {"entry_id", "usage"}
    )
    return {
        "id": entry.entry_id,
        **fields,
        "citations": [citation_document(place) for place in entry.cited],
        "expires_at": entry.expires_at,
        **_counters(entry.usage),
    }


def citation_document(place: "CitedPlace") -> dict[str, object]:
    """Return the state of a citation for JSON."""
    return {"cites": place.text, "state": place.state, "path": place.path or None}


CITED: Mapping["CitationState", str] = {
    "unchanged": "unchanged",
    "changed": "changed since",
    "moved": "moved to {}",
    "gone": "gone",
    "elsewhere": "on another branch",
    "unknown": "not found here",
    "outside": "outside of the project, never read",
    "unread": "an address, never read",
}


def citation_words(entry: Entry) -> dict[str, str]:
    """Return the references of *entry* with their present state in words, empty if unknown."""
    states = {place.text: CITED[place.state].format(place.path) for place in entry.cited}
    return {**dict.fromkeys(entry.references, ""), **states}


def _counters(usage: Usage) -> dict[str, object]:
    return {
        "access_count": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validation_count": usage.validations.total,
        "useful_count": usage.validations.useful,
        "confidence_score": usage.validations.confidence_score,
    }


def plain(document: object) -> Any:
    """Convert *document* to JSON types, with datetimes as ISO 8601."""
    return _converter().unstructure(document)


@cache
def _converter() -> "Converter":
    from cattrs import Converter  # 20 ms, for JSON only

    converter = Converter()
    converter.register_unstructure_hook(dt.datetime, lambda utc_text: utc_text.isoformat())
    return converter


CUT_OFF = (
    "a <private> has no </private>, so all after it was cut off and is not stored: end it,"
    " or write private without its brackets where it is only mentioned"
)

SWITCHED_OFF = (
    "memory_semantic_enabled is not true, so nothing is stored: set it to true to use the memory"
)


def storing_confirmation(stored: "StoredEntry") -> list[str]:
    """Return a line with name and id, and whether it was merged."""
    entry = stored.entry
    lines = [f"Stored: {visible(entry.name)} (id: {entry.entry_id})"]
    if stored.merged:
        lines.append(f"Merged: the lesson was known, now observed {entry.observation_count} times")
    return lines


NEAR_CHARACTERS = 80
"""The length of the beginning of a near lesson."""


def nearest_lines(nearest: Sequence[Entry], way: str) -> list[str]:
    """Return a line for each near lesson, and the *way* to supersede it."""
    lines = [
        f"Near: {stored_line(entry.name)} (id: {entry.entry_id}): {_beginning(entry)}"
        for entry in nearest
    ]
    return [*lines, f"If it replaces one of these: {way}"] if lines else []


def nearest_document(nearest: Sequence[Entry]) -> list[dict[str, str]]:
    """Return near lessons for JSON."""
    return [
        {
            "id": entry.entry_id,
            "name": entry.name,
            "line": _beginning(entry),
        }
        for entry in nearest
    ]


def _beginning(entry: Entry) -> str:
    return stored_line(shortened(entry.description, NEAR_CHARACTERS))


def complaints_of_length(entry: Entry) -> list[str]:
    """Return a line if *entry* is too long to be shown."""
    if not needs_too_much_room(entry):
        return []
    return [f"too long to be shown beside other entries: keep it under {LARGEST_ENTRY} characters"]


def complaints_of_keywords(given: Iterable[str], stored: Entry) -> list[str]:
    """Return a line on *given* keywords that did not fit."""
    if len(stored.keywords) < MAX_KEYWORDS:
        return []
    left_out = [
        keyword for keyword in distinct(tuple(map(redact, given))) if keyword not in stored.keywords
    ]
    return [no_room_for(left_out)] if left_out else []


def complaints_of_citations(entry: Entry) -> list[str]:
    """Return a line on references of *entry* that cite nothing here."""
    unknown = [place for place in entry.cited if place.state == "unknown"]
    missing = [place.text for place in unknown if not place.path]
    lacking = [place.text for place in unknown if place.path]
    outside = [
        *(place.text for place in entry.cited if place.state == "outside"),
        *filter(leads_out, entry.references),
    ]
    complaints = {
        "no such file here": missing,
        "no such line or symbol here": lacking,
        "outside of the project, so never read": outside,
    }
    return [f"{what}: {', '.join(texts)}" for what, texts in complaints.items() if texts]


def complaints_of_private(*given: str) -> list[str]:
    """Return a line if a *given* text has an unclosed `<private>`."""
    return [CUT_OFF] if any(map(is_cut_off, given)) else []


def no_room_for(keywords: Iterable[str]) -> str:
    """Return the line that names the keywords left out."""
    return (
        f"a learning keeps its first {MAX_KEYWORDS} keywords, these were left out:"
        f" {', '.join(keywords)}"
    )


def complaints_of_gaps(entry: Entry) -> list[str]:
    """Return a line on what *entry* lacks, if anything (M-A34)."""
    lacks = {
        "not 3 to 10 keywords of which 3 stand in its text": not is_complete(
            entry.keywords, f"{entry.description}\n{entry.reasoning}"
        ),
        "no reasoning": not entry.reasoning,
        "no references": not entry.references,
    }
    lacking = [what for what, missing in lacks.items() if missing]
    return (
        [f"incomplete: {', '.join(lacking)}; give them the next time it is observed"]
        if lacking
        else []
    )


def by_place(items: Sequence["Occurrences"]) -> dict[str, str]:
    """Summarize the findings of each place as text."""
    kept: dict[str, list[str]] = {}
    for found in items:
        kept.setdefault(found.place, []).append(
            counted(found.number, found.noun, _plural(found.noun))
        )
    return {place: ", ".join(items) for place, items in kept.items()}


def _plural(noun: str) -> str:
    first, of, rest = noun.partition(" of ")
    if of:
        return f"{_plural(first)}{of}{rest}"
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
