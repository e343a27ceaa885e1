"""
Verification of a receipt: recompute its scores and reprint its entries.

Both are compared with the record. A lesson whose observation count or confidence rose since then is
matched by its earlier track record, found by digest.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hardwon.domain.model.injection.entry_text import memory_text, piece_text, track_record_text
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry, assembled, text_digest
from hardwon.domain.model.injection.related_conversations import (
    SUMMARISED_CHARACTERS,
    ConversationSummary,
)
from hardwon.domain.model.likelihood import MODELS_BY_NUMBER, Likelihood
from hardwon.domain.model.ranking.adaptive import terms_of_parts
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.model.vocabulary import CONFIDENCES, Confidence

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

Parts: TypeAlias = Mapping[str, float]

TOLERANCE = 1e-6


def policy_of(receipt: Receipt, shown: ReceiptEntry) -> str:
    """
    Return the policy that ranked *shown*.

    Conversations beside lessons have their own.
    """
    return "context" if (receipt.event, shown.form) == ("start", "conversation") else receipt.policy


def terms_of(policy: str, parts: Parts) -> list[tuple[str, float, float]]:
    """
    Return the terms whose sum is the score.

    There are none for an unknown policy.

    Raises:
        KeyError: a part is missing.
    """
    match policy:
        case "hybrid" | "prominence":
            return [(name, parts[f"{name}_weight"], parts[name]) for name in SignalWeights._fields]
        case "context":
            return [(name, weight, parts[name]) for name, weight in CONTEXT_WEIGHTS.items()]
        case "adaptive" if (
            "window" in parts and "evidence_full" not in parts
        ):  # by an earlier formula, not known here
            return []
        case "adaptive":
            return terms_of_parts(parts)
        case _:
            return []


def likelihood_of(shown: ReceiptEntry) -> Likelihood | None:
    """
    Return the likelihood by which *shown* was printed.

    None at a session start, for an opened file, and for an earlier formula.

    Raises:
        KeyError: a part is missing.
    """
    model = MODELS_BY_NUMBER.get(int(shown.parts.get("model", 0)))
    return model.of(shown.parts) if model else None


def recomputed(policy: str, parts: Parts) -> float | None:
    """
    Return the score of *parts*, None for an unknown policy.

    Raises:
        KeyError: a part is missing.
    """
    terms = terms_of(policy, parts)
    return sum(weight * value for _, weight, value in terms) if terms else None


def fits(receipt: Receipt, shown: ReceiptEntry) -> bool:
    """
    Return whether the score of *shown* is that of its parts.

    Beside a prompt its probability must also be the recorded one, and above the threshold. An entry
    without a score fits.
    """
    if shown.score is None:
        return True
    try:
        score = recomputed(policy_of(receipt, shown), shown.parts)
        likely = likelihood_of(shown)
        has_won = likely is None or (
            likely.is_likely and _is_close(likely.probability, shown.parts["probability"])
        )
    except (KeyError, ArithmeticError, ValueError):
        return False
    return has_won and (score is None or _is_close(score, shown.score))


def _is_close(value: float, recorded: float) -> bool:
    return math.isclose(value, recorded, rel_tol=0, abs_tol=TOLERANCE)


def reprinted(shown: ReceiptEntry, entry: "Entry") -> str:
    """Print *entry* again, by the functions that injections use."""
    if shown.form == "memory":
        return memory_text(
            entry.entry_id,
            entry.created_at,
            entry=entry,
            origin=shown.origin,
            warning=shown.warning,
        )
    if shown.form != "conversation":
        return piece_text(shown.form, entry, shown.origin, warning=shown.warning)
    summary = _summary(entry)
    return summary.cut(shown.room) if shown.room else summary.line


def _summary(entry: "Entry") -> ConversationSummary:
    beginning = entry.description[:SUMMARISED_CHARACTERS]
    return ConversationSummary(
        number=entry.number or 0,
        entry_id=entry.entry_id,
        kind=entry.kind,
        name=entry.name,
        description=beginning,
        updated_at=entry.updated_at,
    )


MAX_COUNTS = 1_000
"""Observation counts that are tried, from the present one down."""


class TrackRecord(NamedTuple):
    """The observation count, from 1, and confidence printed with a lesson."""

    observation_count: int
    confidence: Confidence


def earlier_record(shown: ReceiptEntry, entry: "Entry") -> TrackRecord | None:
    """Return the earlier track record that gives the text of *shown*."""
    if shown.form != "lesson":
        return None
    words = _words(shown, entry)
    return next(
        (
            record
            for record in _earlier(entry)
            if text_digest(words + track_record_text(*record)) == shown.digest
        ),
        None,
    )


def reprinted_with(record: TrackRecord, shown: ReceiptEntry, entry: "Entry") -> str:
    """Return the text of the lesson *entry* with *record*."""
    return _words(shown, entry) + track_record_text(*record)


def _words(shown: ReceiptEntry, entry: "Entry") -> str:
    text = reprinted(shown, entry)
    return text.removesuffix(track_record_text(entry.observation_count, entry.confidence))


def _earlier(entry: "Entry") -> Iterator[TrackRecord]:
    for count in range(entry.observation_count, max(entry.observation_count - MAX_COUNTS, 0), -1):
        for confidence in (entry.confidence, *CONFIDENCES):
            yield TrackRecord(count, confidence)


class ChangedLesson(NamedTuple):
    """A lesson whose track record changed since it was injected."""

    entry_id: str
    then: TrackRecord
    now: TrackRecord


class VerificationResult(NamedTuple):
    """
    The result of the verification.

    Attributes:
        changed: The ids of entries whose text differs today, whatever their track record.
        miscounted: The ids of entries whose score is not that of its parts.
        tampered: Whether the receipt contradicts itself.
        forgotten: How many entries were taken out of the receipt, as `forget` does.
        since: The lessons of which only the track record changed; with their earlier one they give
            their text.
    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    miscounted: tuple[str, ...] = ()
    tampered: bool = False
    since: "tuple[ChangedLesson, ...]" = ()
    forgotten: int = 0

    @property
    def verified(self) -> bool:
        """Whether the exact text could be reassembled, and all scores are right."""
        return self == VerificationResult(since=self.since)


class _Piece(NamedTuple):
    text: str
    since: ChangedLesson | None = None


def verdict(receipt: Receipt, entries: "Mapping[str, Entry]") -> VerificationResult:
    """Compare the reassembled text of *receipt* with the injected one."""
    known = _pieces(receipt, entries)
    differing = [
        shown.entry_id for shown, piece in known if text_digest(piece.text) != shown.digest
    ]
    whole = [piece.text for _, piece in known]
    is_whole = len(whole) == len(receipt.shown) and _is_the_text(receipt, whole)
    return VerificationResult(
        changed=tuple(differing),
        gone=tuple(shown.entry_id for shown in receipt.shown if shown.entry_id not in entries),
        miscounted=tuple(shown.entry_id for shown in receipt.shown if not fits(receipt, shown)),
        tampered=_contradicts_itself(receipt, differing, whole, is_whole=is_whole),
        since=tuple(piece.since for _, piece in known if piece.since),
        forgotten=max(len(receipt.frame) - 1 - len(receipt.shown), 0),
    )


def injected_text(receipt: Receipt, entries: "Mapping[str, Entry]") -> str | None:
    """
    Return the text of *receipt*, byte for byte.

    None if its entries do not give it any more.
    """
    pieces = [piece.text for _, piece in _pieces(receipt, entries)]
    return assembled(receipt.frame, pieces) if _is_the_text(receipt, pieces) else None


def _pieces(receipt: Receipt, entries: "Mapping[str, Entry]") -> list[tuple[ReceiptEntry, _Piece]]:
    return [
        (shown, _piece(shown, entries[shown.entry_id]))
        for shown in receipt.shown
        if shown.entry_id in entries
    ]


def _piece(shown: ReceiptEntry, entry: "Entry") -> _Piece:
    """Return the text of *entry*, with its earlier track record if only that changed."""
    text = reprinted(shown, entry)
    then = None if text_digest(text) == shown.digest else earlier_record(shown, entry)
    if then is None:
        return _Piece(text)
    now = TrackRecord(entry.observation_count, entry.confidence)
    return _Piece(reprinted_with(then, shown, entry), ChangedLesson(entry.entry_id, then, now))


def _contradicts_itself(
    receipt: Receipt, differing: Sequence[str], pieces: Sequence[str], *, is_whole: bool
) -> bool:
    """Return whether only one of the two matches: the whole or its parts."""
    if len(receipt.frame) != len(receipt.shown) + 1:
        return len(receipt.frame) <= len(receipt.shown)
    return bool(differing) if is_whole else not differing and len(pieces) == len(receipt.shown)


def _is_the_text(receipt: Receipt, pieces: Sequence[str]) -> bool:
    if len(receipt.frame) != len(pieces) + 1:
        return False
    return text_digest(assembled(receipt.frame, pieces)) == receipt.digest
