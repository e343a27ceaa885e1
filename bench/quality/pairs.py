"""
How many pairs of lessons are proposed for review, and how many rightly.

The pairs are labelled, in a store of lessons.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import IN_TIME, lesson_entries, lessons_store
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.likeness import LessonTexts, likelihood
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.entrypoints.bootstrap_retrieval import build_propose


class Proposed(NamedTuple):
    """
    The outcome for a group of pairs.

    Attributes:
        pairs: How many there are.
        alike: How many of them are duplicates, or superseded.
        found: How many are proposed.
        right: How many of those are alike.
    """

    pairs: int
    alike: int
    found: int
    right: int

    @property
    def line(self) -> str:
        """The row of the table."""
        share = f"{self.right / self.found:9.2f}" if self.found else f"{'-':>9}"
        return (
            f"{self.pairs:5}  {self.alike:5}  {self.found:8}  {share} "
            f" {self.right / self.alike:6.2f}"
        )


def table() -> Iterator[str]:
    """Yield how many pairs are proposed by half, and of all 128 lessons."""
    yield "pairs      number  alike  proposed  precision  recall"
    for half in HALVES:
        yield f"{half:10}  {of_pairs(half).line}"
    yield f"{'lessons':10}  {of_lessons().line}"


def of_pairs(half: str) -> Proposed:
    """Return the outcome for the labelled pairs of *half*."""
    pairs = [pair for pair in items("pairs.jsonl") if pair["half"] == half]
    vectors = _vectors([_lesson(pair[side]) for pair in pairs for side in ("older", "newer")])
    cosines = [_cosine(*vectors[at : at + 2]) for at in range(0, len(vectors), 2)]
    found = [
        pair["label"] != "different"
        for pair, cosine in zip(pairs, cosines, strict=True)
        if likelihood(_lesson(pair["older"]), _lesson(pair["newer"]), cosine).is_likely
    ]
    alike = sum(pair["label"] != "different" for pair in pairs)
    return Proposed(len(pairs), alike, len(found), sum(found))


def of_lessons() -> Proposed:
    """Compare each lesson in a store of all labelled ones with its neighbours."""
    ids = {entry.entry_id: label for label, entry in lesson_entries().items()}
    known = {frozenset((pair["older"], pair["newer"])) for pair in items("lesson_pairs.jsonl")}
    with lessons_store() as store:
        space = next(iter(store.memory.spaces))
        if propose := build_propose(store.memory.spaces, space.vectors.space):
            texts = space.vectors.texts(len(ids))
            propose.propose(
                zip(
                    texts,
                    embed_documents(space.embedder, [text.text for text in texts], IN_TIME),
                    strict=True,
                )
            )
        found = [
            frozenset((ids[pair.older], ids[pair.newer]))
            for pair in store.memory.store.proposals.open(len(ids) ** 2)
        ]
    return Proposed(
        len(ids) * (len(ids) - 1) // 2, len(known), len(found), sum(pair in known for pair in found)
    )


def _lesson(fields: dict[str, Any]) -> LessonTexts:
    return LessonTexts(fields["name"], fields["description"])


def _vectors(lessons: Sequence[LessonTexts]) -> Sequence[Vector]:
    with lessons_store() as store:
        texts = ["\n".join(lesson) for lesson in lessons]
        return embed_documents(next(iter(store.memory.spaces)).embedder, texts, IN_TIME)


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
