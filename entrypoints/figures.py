"""What a store holds, in numbers."""

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.entrypoints.composition import Memory


def count(memory: Memory, only: EntryFilter) -> dict[str, dict[str, object]]:
    """Return how many entries of *only* there are and of what sort, how they are searched, and the settings."""
    repository = memory.repository
    learnings = only._replace(kinds=tuple(kind for kind in only.kinds if kind == "learning"))
    return {
        "entries": {"total": repository.count(only)},
        "by_kind": dict(repository.tally(only, "kind")),
        "by_category": dict(repository.tally(learnings, "category")),
        "by_confidence": dict(repository.tally(learnings, "confidence")),
        "by_source": dict(repository.tally(only, "source")),
        "by_project": dict(repository.tally(only, "source_project")),
        "embedding": _embedding(memory, only),
        "settings": memory.settings._asdict(),
    }


def _embedding(memory: Memory, only: EntryFilter) -> dict[str, object]:
    """Return how entries of *only* are embedded, in the first space that is for any of them."""
    stores = (space.vectors for space in memory.spaces if set(space.vectors.kinds) & set(only.kinds))
    vectors = next(stores, None)
    return {
        "provider": vectors.space.provider if vectors else "off",
        "model": vectors.space.model if vectors else "none",
        "dimensions": vectors.space.dimensions if vectors else 0,
        "embedded": vectors.count(only) if vectors else 0,
        "pending": vectors.count_pending(only) if vectors else 0,
    }
