"""Use cases that store, change, label, embed and delete entries of an open store, and save its state."""

import os
from collections.abc import Sequence

from hardwon.domain.model.checkpoint import CheckpointScope, Contents
from hardwon.domain.model.context import Workplace
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.checkpoints import Checkpoints
from hardwon.domain.use_cases.edit_entries import ChangeEntry, Forget, ValidateEntry
from hardwon.domain.use_cases.embed_pending import EmbedPending
from hardwon.domain.use_cases.label import PATIENCE, LabelChain, LabelPending
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry, StoreEntry
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_models import build_labelers
from hardwon.ports.activity import History


def build_store_entry(memory: Memory, origin: Origin) -> StoreEntry:
    """Keep lessons of *origin*."""
    return StoreEntry(PlaceEntry(memory.repository, memory.store.projects, origin))


def build_change_entry(memory: Memory) -> ChangeEntry:
    """Change fields of an entry."""
    return ChangeEntry(repository=memory.repository, history=history_of(memory), clock=memory.clock)


def build_validate_entry(memory: Memory) -> ValidateEntry:
    """Count whether an entry was of use."""
    return ValidateEntry(
        repository=memory.repository,
        usage=memory.store.usage,
        history=history_of(memory),
        receipts=memory.store.receipts,
        influences=memory.store.influences,
        clock=memory.clock,
    )


def build_forget(memory: Memory) -> Forget:
    """Delete entries."""
    return Forget(
        repository=memory.repository,
        tombstones=memory.store.tombstones,
        absences=memory.store.absences,
        history=history_of(memory),
        clock=memory.clock,
    )


def build_checkpoints(memory: Memory) -> Checkpoints:
    """Save the state of the store, and bring it back."""
    return Checkpoints(snapshots=memory.store.snapshots, clock=memory.clock)


def contents_here(scope: CheckpointScope, workplace: Workplace, project_root: str) -> Contents:
    """Return what *scope* means where the user works."""
    return Contents(scope, workplace.project, os.path.realpath(project_root), workplace.label)


def build_embed_pending(memory: Memory) -> Sequence[EmbedPending]:
    """Make missing vectors, one use case for each space."""
    return [EmbedPending(space.embedder, space.vectors, memory.warn) for space in memory.spaces]


def embed_cursor(memory: Memory, space: Space) -> int:
    """Return the number of the entry that `note_embedded` noted last, 0 without one."""
    return memory.store.metadata.embed_cursor(space)


def note_embedded(memory: Memory, space: Space, seq: int) -> None:
    """Remember that all entries up to *seq* were embedded again, so that an interrupted run is continued; 0 at its end."""
    memory.store.metadata.move_embed_cursor(space, seq)


def build_label_chain(settings: Settings) -> LabelChain:
    """Ask the labelers that the settings choose, in order; none of them when labels are off."""
    return LabelChain(build_labelers(settings, os.environ))


def build_label_pending(
    memory: Memory, only: EntryFilter = LEARNINGS, patience: int = PATIENCE, most_failed: int | None = None
) -> LabelPending:
    """Label entries that have no labels."""
    return LabelPending(memory.repository, build_label_chain(memory.settings), only, patience, most_failed)


def history_of(memory: Memory) -> History:
    """Return the changes of entries."""
    return memory.store.history


def last_labelled(memory: Memory) -> Entry | None:
    """Return the imported entry that was tried last by `note_labelled`, None where there is none."""
    return memory.repository.get(memory.store.metadata.label_cursor or "")


def note_labelled(memory: Memory, entry: Entry) -> None:
    """Remember that *entry* was tried last, so that the next run goes on behind it."""
    memory.store.metadata.move_label_cursor(entry.entry_id)
