import math
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, cosine
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.legacy_index import IndexedMemory
from hardwon.domain.use_cases.import_legacy import (
    AGREEMENT,
    ImportMemoryIndex,
    KeepVectors,
    KeptVectors,
)
from tests.fakes.activity import InMemoryHistory
from tests.fakes.clock import FixedClock
from tests.fakes.documents import InMemoryFiles
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.models import PlantedEmbedder, UnreliableEmbedder
from tests.fakes.projects import InMemoryProjects, placing
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import DIMENSIONS, QUERY_VECTOR, lesson, planted

ENDLESS = Deadline(FixedClock().monotonic)


def memory(name: str, vector: Vector | None = None, **more: Any) -> IndexedMemory:
    """Return a memory that is described by its name."""
    fields = {
        "path": f"/x/{name}.md",
        "filename": f"{name}.md",
        "description": name,
        "vector": vector,
        **more,
    }
    return IndexedMemory(**fields)


class Importing:
    """A store that imports memories, and an embedder that makes the query's vector of any text named here."""

    def __init__(self, *texts: str) -> None:
        self.repository = InMemoryEntryRepository()
        self.store = InMemoryVectorStore(self.repository.state)
        self.embedder = PlantedEmbedder(dict.fromkeys(texts, QUERY_VECTOR))
        self.keep = KeepVectors(
            repository=self.repository, embedder=self.embedder, store=self.store
        )

    def __call__(self, *memories: IndexedMemory) -> KeptVectors:
        """Import *memories*, then keep their vectors."""
        bring_in = ImportMemoryIndex(
            sources=InMemoryFiles(),
            repository=self.repository,
            history=InMemoryHistory(self.repository.state),
            clock=FixedClock(),
            place=placing(InMemoryProjects(self.repository.state)),
        )
        bring_in.import_memories(memories)
        return self.keep.keep(memories, ENDLESS)

    def vector_of(self, name: str) -> Vector | None:
        entry = self.repository.with_file(f"/x/{name}.md")
        assert entry
        return self.store.vectors_of([entry.entry_id]).get(entry.entry_id)

    @property
    def pending(self) -> int:
        return self.store.count_pending(EVERYTHING)


def test_all_vectors_are_kept_when_one_text_embedded_again_agrees() -> None:
    importing = Importing("a")

    assert importing(memory("a", planted(1.0)), memory("b", planted(0.3))) == KeptVectors(2)
    assert importing.embedder.asked == [("a", "document")]
    assert importing.pending == 0
    assert importing.vector_of("b") == planted(0.3)


@pytest.mark.parametrize(
    ("similarity", "kept"), [(0.9901, 2), (0.99, 2), (0.9899, 0), (0.0, 0), (-1.0, 0)]
)
def test_the_text_agrees_from_a_similarity_of_99_percent_on(similarity: float, kept: int) -> None:
    importing = Importing("a")
    outcome = importing(memory("a", planted(similarity)), memory("b", planted(1.0)))

    assert outcome.kept == kept
    assert importing.pending == 2 - kept
    assert len(outcome.refused) == 2 - kept
    assert all(
        "not by 'planted-4'" in line and f"{similarity:.3f}" in line for line in outcome.refused
    )


@given(st.floats(-1, 1, width=32))
def test_a_vector_is_kept_if_and_only_if_it_agrees(similarity: float) -> None:
    brought = planted(similarity)
    importing = Importing("a")

    assert importing(memory("a", brought)).kept == (cosine(brought, QUERY_VECTOR) >= AGREEMENT)
    assert importing.pending == (cosine(brought, QUERY_VECTOR) < AGREEMENT)


def test_a_vector_of_any_length_is_kept_as_a_unit_vector() -> None:
    importing = Importing("a")
    importing(memory("a", array("f", [value * 7 for value in QUERY_VECTOR])))

    assert importing.vector_of("a") == QUERY_VECTOR


UNUSABLE = {
    "too short": (array("f", [1.0] * (DIMENSIONS - 1)), "expected 4 dimensions, got 3"),
    "empty": (array("f"), "expected 4 dimensions, got 0"),
    "zeros": (array("f", [0.0] * DIMENSIONS), "the vector is zero"),
    "not a number": (array("f", [math.nan] * DIMENSIONS), "not finite"),
    "infinite": (array("f", [math.inf] * DIMENSIONS), "not finite"),
}


@pytest.mark.parametrize(("vector", "words"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_vector_that_cannot_be_used_stays_out_alone(vector: Vector, words: str) -> None:
    importing = Importing("good")
    outcome = importing(memory("bad", vector), memory("good", planted(1.0)))

    assert outcome.kept == 1
    [line] = outcome.refused
    assert line.startswith("'/x/bad.md': ")
    assert words in line
    assert (importing.vector_of("bad"), importing.pending) == (None, 1)


def test_a_vector_that_is_no_list_of_numbers_is_reported() -> None:
    importing = Importing()

    outcome = importing(
        memory("a", vector_problem='embedding is "x": it must be a list of numbers')
    )
    assert outcome == KeptVectors(
        0, ("'/x/a.md': embedding is \"x\": it must be a list of numbers",)
    )
    assert (importing.pending, importing.embedder.asked) == (1, [])


@pytest.mark.parametrize(
    "described",
    [
        {"description": None, "keywords": ("a",)},
        {"description": "The key AKIAIOSFODNN7EXAMPLE leaked."},
    ],
    ids=["no text in the index", "a secret was taken out"],
)
def test_a_vector_of_another_text_than_the_entry_has_is_not_kept(described: dict[str, Any]) -> None:
    importing = Importing()
    outcome = importing(memory("a", planted(1.0), **described))

    assert outcome.kept == 0
    assert "the index does not hold the text it was made of" in outcome.refused[0]
    assert (importing.pending, importing.embedder.asked) == (1, [])


def test_a_session_that_has_its_vector_keeps_it_without_a_question() -> None:
    importing = Importing("a")
    importing(memory("a", planted(1.0)))
    importing.embedder.asked.clear()

    assert importing(memory("a", planted(0.2))) == KeptVectors()
    assert (importing.vector_of("a"), importing.embedder.asked) == (QUERY_VECTOR, [])


def test_an_index_without_vectors_calls_no_embedder() -> None:
    importing = Importing()

    assert importing(memory("a")) == KeptVectors()
    assert importing.embedder.asked == []


def test_other_entries_that_wait_are_left_unchanged() -> None:
    importing = Importing("a")
    importing.repository.put(lesson("a"))
    importing(memory("a", planted(1.0)))

    assert importing.store.vectors_of([lesson("a").entry_id]).get(lesson("a").entry_id) is None


def test_without_an_embedder_none_is_kept() -> None:
    importing = Importing()
    failing = UnreliableEmbedder(importing.embedder, failing=[1])
    importing.keep = KeepVectors(
        repository=importing.repository, embedder=failing, store=importing.store
    )

    assert importing(memory("a", planted(1.0))) == KeptVectors(0, ("no answer",))
    assert importing.pending == 1
