"""Use cases that let a learning take the place of another one."""

from hardwon.domain.model.embedding import Space
from hardwon.domain.model.entry import PublicEntry
from hardwon.domain.use_cases.store_entry import Origin, Stored
from hardwon.domain.use_cases.supersede import ProposeSupersessions, Supersede
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_entries import build_change_entry, build_store_entry
from hardwon.ports.entries import Proposals


def build_supersede(memory: Memory) -> Supersede:
    """Let a learning take the place of another one."""
    return Supersede(build_change_entry(memory))


def keep_in_place_of(memory: Memory, origin: Origin, entry: PublicEntry, replaced: str | None) -> Stored:
    """
    Keep *entry*, which supersedes the one of the id *replaced*, if any; both or nothing is stored.

    Raises:
        UnknownEntryError: there is no entry to be replaced.
        InvalidEntryError: it can't be replaced by that one.
        StorageError: the store can't be written now.
    """
    with memory.repository.transaction():
        stored = build_store_entry(memory, origin).keep(entry)
        if replaced:
            build_supersede(memory).apply(replaced, stored.entry.entry_id)
        return stored


def build_propose(memory: Memory, space: Space) -> ProposeSupersessions | None:
    """Find pairs by the vectors of *space*; None for one that the pairs' probability was not fitted for."""
    from hardwon.adapters.minilm.embedder import MINILM_SPACE

    vectors = next((known.vectors for known in memory.spaces if known.vectors.space == space), None)
    if vectors is None or space != MINILM_SPACE:
        return None
    return ProposeSupersessions(memory.repository, memory.store.vector_index(vectors), proposals_of(memory))


def proposals_of(memory: Memory) -> Proposals:
    """Return the pairs to review."""
    return memory.store.proposals
