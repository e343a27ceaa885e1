"""Use cases that show the memory as a whole: overviews, the map, neighbours, and what waits for a decision."""

from typing import TYPE_CHECKING

from hardwon.domain.model.errors import NumpyMissingError
from hardwon.domain.use_cases.merge_lessons import MergeLessons
from hardwon.domain.use_cases.neighbours import FindNeighbours
from hardwon.domain.use_cases.review_memory import ReviewMemory
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_files import build_find_drift
from hardwon.entrypoints.bootstrap_projects import build_know_projects, registry_of
from hardwon.entrypoints.bootstrap_retro import build_edit_lesson
from hardwon.entrypoints.bootstrap_supersession import build_supersede, proposals_of
from hardwon.entrypoints.context import read_workplace
from hardwon.ports.overview import Overview

if TYPE_CHECKING:
    from hardwon.domain.model.vocabulary import Kind
    from hardwon.ports.overview import Projection


def overview_of(memory: Memory) -> Overview:
    """Return narrow reads over the whole store."""
    return memory.store.overview


def build_projection(memory: Memory, kind: "Kind") -> "Projection | None":
    """
    Show the vectors of the space for *kind* in two dimensions; None without a space.

    Raises:
        NumpyMissingError: numpy is not installed.
    """
    vectors = memory.vectors_for(kind)
    if vectors is None:
        return None
    try:
        from hardwon.adapters.numpy_index.plane import NumpyProjection
    except ImportError as error:
        raise NumpyMissingError(f"numpy can't be loaded: {error}") from error
    return NumpyProjection(vectors)


def build_find_neighbours(memory: Memory, kind: "Kind") -> FindNeighbours:
    """Find the nearest entries to one of *kind*."""
    vectors = memory.vectors_for(kind)
    return FindNeighbours(memory.repository, vectors, memory.store.vector_index(vectors) if vectors else None)


def build_review_memory(memory: Memory, project_root: str) -> ReviewMemory:
    """Collect what waits for a decision, with the drift of the knowledge banks of *project_root*."""
    return ReviewMemory(
        repository=memory.repository,
        proposals=proposals_of(memory),
        drifts=lambda: build_find_drift(memory, project_root, read_workplace(memory, project_root)).find(),
        registry=registry_of(memory),
        counts=build_know_projects(memory).projects.entry_counts(),
        clock=memory.clock,
    )


def build_merge_lessons(memory: Memory, project_root: str) -> MergeLessons:
    """Merge two learnings."""
    return MergeLessons(build_edit_lesson(memory, project_root), build_supersede(memory))
