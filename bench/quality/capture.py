"""Which decisions, gotchas and preferences capture keeps, against the labelled exchanges."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from bench.quality.labelled import HALVES, exchanges_of, items
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.details import Detail, details_of


class Kept(NamedTuple):
    """
    The outcome for some items.

    Attributes:
        notes: The number of notes that were kept.
        right: How many of them fit a fact of their item.
        facts: The number of facts that a person would keep.
        found: How many of them a note fits.
    """

    notes: int
    right: int
    facts: int
    found: int

    @property
    def precision(self) -> float:
        """The share of the notes that fit, 0 to 1."""
        return self.right / self.notes if self.notes else 1.0

    @property
    def recall(self) -> float:
        """The share of the facts that were found, 0 to 1."""
        return self.found / self.facts if self.facts else 1.0


def notes_of(exchanges: list[dict[str, str]]) -> list[Detail]:
    """Return the notes that capture keeps of *exchanges*."""
    drafts = Chunker().chunk(exchanges_of(exchanges))
    return [detail for draft in drafts for detail in details_of(described(draft, "app", None))]


def fits(note: Detail, fact: dict[str, Any]) -> bool:
    """
    Return whether *note* keeps the *fact*.

    At most one of its words is missing.
    """
    text = " ".join((note.statement, *(exchange.text for exchange in note.exchanges))).lower()
    return (
        note.kind == fact["kind"]
        and sum(word in text for word in fact["words"]) >= len(fact["words"]) - 1
    )


def kept(half: str) -> Kept:
    """Capture all labelled exchanges of *half*."""
    pairs = [
        (notes_of(item["exchanges"]), item["keep"])
        for item in items("capture.jsonl")
        if item["half"] == half
    ]
    return Kept(
        notes=sum(len(notes) for notes, _ in pairs),
        right=sum(
            any(fits(note, fact) for fact in facts) for notes, facts in pairs for note in notes
        ),
        facts=sum(len(facts) for _, facts in pairs),
        found=sum(
            any(fits(note, fact) for note in notes) for notes, facts in pairs for fact in facts
        ),
    )


def table() -> Iterator[str]:
    """Yield the figures of both halves."""
    yield "half  facts  notes  precision  recall"
    for half in HALVES:
        of = kept(half)
        yield f"{half:4}  {of.facts:5}  {of.notes:5}  {of.precision:9.2f}  {of.recall:6.2f}"
