"""Render checkpoints as text and JSON."""

from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.use_cases.checkpoints import RestoreOutcome


def contents_text(contents: Contents) -> str:
    """Return which entries *contents* covers."""
    match contents.scope:
        case "documents":
            return f"documents of {label_of(contents)}"
        case "project":
            return f"all of {label_of(contents)}"
        case "all":
            return "the whole store"


def checkpoint_line(checkpoint: Checkpoint) -> str:
    """Describe *checkpoint* in one line."""
    description = f" - {checkpoint.description}" if checkpoint.description else ""
    missing = (
        "" if checkpoint.is_there else f" (its snapshot is missing: {checkpoint.snapshot_path})"
    )
    return (
        f"{checkpoint.name} ({checkpoint.created_at:%Y-%m-%d %H:%M:%S}):"
        f" {_memories(checkpoint.memory_count)},"
        f" {contents_text(checkpoint.contents)}{description}{missing}"
    )


def restore_lines(restored: RestoreOutcome) -> tuple[str, str]:
    """Return a line on the restore, and one on its undo."""
    done = restored.replacement
    what = (
        f"Restored {restored.name}: {contents_text(restored.contents)},"
        f" {_memories(done.memory_count)}"
    )
    return (
        f"{what}, {done.restored} brought back, {done.removed} taken out",
        f"The state before is the checkpoint {restored.safety.name!r}: restore it to undo this",
    )


def metadata(checkpoint: Checkpoint) -> dict[str, str]:
    """Return for JSON which entries the checkpoint covers, without unknown values."""
    contents = checkpoint.contents
    fields = {"scope": contents.scope, "project": label_of(contents), "root": contents.root}
    return {name: value for name, value in fields.items() if value}


def label_of(contents: Contents) -> str:
    """
    Return the label of the project, or its id.

    In checkpoints of earlier versions the id is the name.
    """
    return contents.label or contents.project


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"
