"""Count what is remembered."""

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.entrypoints.cli.choosing import In, OfProject, chosen
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say, shown
from hardwon.entrypoints.composition import Memory


def stats(
    *,
    collection: In = "all",
    project: OfProject = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Tell what is remembered, how it is searched, and the settings."""
    memory = open_for(project_root, global_store, create=False)
    figures = _figures(memory, chosen(collection, project=project))
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        say(f"{name}:")
        for key, each in value.items():
            say(f"  {key or '(universal)':<22}{shown(each)}")


def _figures(memory: Memory, only: EntryFilter) -> dict[str, dict[str, object]]:
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
