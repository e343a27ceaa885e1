"""
A score computed again from its parts, for what injections rank by.

What an injection prints of an entry, from the entry as it is today.

The track record with which a lesson was injected, found again from the digest of what was printed.

Whether a receipt still proves the text it speaks of.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hardwon.domain.model.injection.entry_text import piece_text, track_record_text
from hardwon.domain.model.injection.receipt import Receipt, Shown, assembled, text_digest
from hardwon.domain.model.injection.related_conversations import TOLD_CHARACTERS, ConversationSummary
from hardwon.domain.model.injection.relevance_gate import Win, win_of_parts
from hardwon.domain.model.ranking.adaptive import terms_of_parts
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.model.ranking.prominence import Weights
from hardwon.domain.model.vocabulary import CONFIDENCES, Confidence

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

Parts: TypeAlias = Mapping[str, float]

TOLERANCE = 1e-6


def policy_of(receipt: Receipt, shown: Shown) -> str:
    """Return what ranked *shown*: conversations beside lessons have a policy of their own."""
    return "context" if (receipt.event, shown.form) == ("start", "conversation") else receipt.policy


def terms_of(policy: str, parts: Parts) -> list[tuple[str, float, float]]:
    """
    Return the terms whose sum is the score that *parts* give: name, weight and value; none for an unknown policy.

    Raises:
        KeyError: a part is missing.

    """
    match policy:
        case "hybrid" | "prominence":
            return [(name, parts[f"{name}_weight"], parts[name]) for name in Weights._fields]
        case "context":
            return [(name, weight, parts[name]) for name, weight in CONTEXT_WEIGHTS.items()]
        case "adaptive" if "window" in parts and "evidence_full" not in parts:  # by an earlier formula, not known here
            return []
        case "adaptive":
            return terms_of_parts(parts)
        case _:
            return []


def win_of(receipt: Receipt, shown: Shown) -> Win | None:
    """
    Return why *shown* was put beside a prompt; None for what stood at a session's start.

    Raises:
        KeyError: a part is missing.
    """
    return win_of_parts(shown.score, shown.parts) if receipt.event == "prompt" and shown.score is not None else None


def recomputed(policy: str, parts: Parts) -> float | None:
    """
    Return the score that *parts* give; None for a policy that is not known here.

    Raises:
        KeyError: a part is missing.

    """
    terms = terms_of(policy, parts)
    return sum(weight * value for _, weight, value in terms) if terms else None


def fits(receipt: Receipt, shown: Shown) -> bool:
    """
    Return whether the score of *shown* is what its parts give, and beside a prompt whether it wins by the strength told.

    Without a score there is nothing to doubt.
    """
    if shown.score is None:
        return True
    try:
        score, win = recomputed(policy_of(receipt, shown), shown.parts), win_of(receipt, shown)
        has_won = win is None or (win.is_clear and _is_about(win.strength, shown.parts["strength"]))
    except (KeyError, ArithmeticError, ValueError):
        return False
    return has_won and (score is None or _is_about(score, shown.score))


def _is_about(value: float, told: float) -> bool:
    return math.isclose(value, told, rel_tol=0, abs_tol=TOLERANCE)


def reprinted(shown: Shown, entry: "Entry") -> str:
    """
    Return what stands for *entry* in the text of an injection: the functions that injections use tell it.

    Args:
        shown: How it stood there.
        entry: As it is today.

    """
    if shown.form != "conversation":
        return piece_text(shown.form, entry)
    told = _told(entry)
    return told.cut(shown.room) if shown.room else told.line


def _told(entry: "Entry") -> ConversationSummary:
    beginning = entry.description[:TOLD_CHARACTERS]
    return ConversationSummary(entry.number or 0, entry.entry_id, entry.kind, entry.name, beginning, entry.updated_at)


MAX_COUNTS = 1_000
"""So many observation counts are tried, from the present one down."""


class TrackRecord(NamedTuple):
    """
    What is printed with a lesson besides its words.

    Attributes:
        observation_count: How often it was observed, from 1.
        confidence: How sure its authors are.

    """

    observation_count: int
    confidence: Confidence


def earlier_record(shown: Shown, entry: "Entry") -> TrackRecord | None:
    """
    Return the track record with which *entry* gives the piece of *shown*; None when no earlier one does.

    Args:
        shown: A lesson whose text is another today.
        entry: As it is today.

    """
    if shown.form != "lesson":
        return None
    words = _words(entry)
    return next(
        (each for each in _earlier(entry) if text_digest(words + track_record_text(*each)) == shown.digest), None
    )


def reprinted_with(record: TrackRecord, entry: "Entry") -> str:
    """Return what stood for the lesson *entry* when it had that track record."""
    return _words(entry) + track_record_text(*record)


def _words(entry: "Entry") -> str:
    text = reprinted(Shown(entry.entry_id, "lesson", ""), entry)
    return text.removesuffix(track_record_text(entry.observation_count, entry.confidence))


def _earlier(entry: "Entry") -> Iterator[TrackRecord]:
    for count in range(entry.observation_count, max(entry.observation_count - MAX_COUNTS, 0), -1):
        for confidence in (entry.confidence, *CONFIDENCES):
            yield TrackRecord(count, confidence)


class Since(NamedTuple):
    """
    A lesson that has another track record since it was injected.

    Attributes:
        entry_id: Which.
        then: What it had.
        now: What it has today.

    """

    entry_id: str
    then: TrackRecord
    now: TrackRecord


class Verdict(NamedTuple):
    """
    What came of putting an injected text together again.

    Attributes:
        changed: The ids of entries of which another text would be printed today, whatever their track record.
        gone: The ids of entries that are no more.
        miscounted: The ids of entries whose score is not what its parts give.
        tampered: Whether the receipt contradicts itself.
        since: The lessons of which only the track record is another today; with the one they had, they give their text.

    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    miscounted: tuple[str, ...] = ()
    tampered: bool = False
    since: "tuple[Since, ...]" = ()

    @property
    def verified(self) -> bool:
        """Whether the entries give the very text that was injected, and all scores are right."""
        return self == Verdict(since=self.since)


class _Piece(NamedTuple):
    """A part of the text as it is put together again."""

    text: str
    since: Since | None = None


def verdict(receipt: Receipt, entries: "Mapping[str, Entry]") -> Verdict:
    """
    Put the text of *receipt* together again and compare it with what was injected, byte for byte.

    Args:
        receipt: What is known of the injection.
        entries: The entries that it speaks of, by id, as they are today; those that are gone are missing.

    """
    known = [(each, _piece(each, entries[each.entry_id])) for each in receipt.shown if each.entry_id in entries]
    differing = [each.entry_id for each, piece in known if text_digest(piece.text) != each.digest]
    whole = [piece.text for _, piece in known]
    is_whole = len(whole) == len(receipt.shown) and _is_the_text(receipt, whole)
    return Verdict(
        changed=tuple(differing),
        gone=tuple(each.entry_id for each in receipt.shown if each.entry_id not in entries),
        miscounted=tuple(each.entry_id for each in receipt.shown if not fits(receipt, each)),
        tampered=_contradicts_itself(receipt, differing, whole, is_whole=is_whole),
        since=tuple(piece.since for _, piece in known if piece.since),
    )


def _piece(shown: Shown, entry: "Entry") -> _Piece:
    """Return the text of *entry*, with the track record that it had then when only that is another today."""
    text = reprinted(shown, entry)
    then = None if text_digest(text) == shown.digest else earlier_record(shown, entry)
    if then is None:
        return _Piece(text)
    now = TrackRecord(entry.observation_count, entry.confidence)
    return _Piece(reprinted_with(then, entry), Since(entry.entry_id, then, now))


def _contradicts_itself(receipt: Receipt, differing: Sequence[str], pieces: Sequence[str], *, is_whole: bool) -> bool:
    """Return whether the text fits where its parts do not, or its parts where the text does not."""
    if len(receipt.frame) != len(receipt.shown) + 1:
        return True
    return bool(differing) if is_whole else not differing and len(pieces) == len(receipt.shown)


def _is_the_text(receipt: Receipt, pieces: Sequence[str]) -> bool:
    if len(receipt.frame) != len(pieces) + 1:
        return False
    return text_digest(assembled(receipt.frame, pieces)) == receipt.digest
