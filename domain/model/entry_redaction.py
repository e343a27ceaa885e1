import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.redaction import redact


def redact_entry(entry: Entry) -> Entry:
    """
    Return *entry* with every text redacted; its id follows its description.

    Raises:
        InvalidEntryError: nothing is left of a text that must not be blank.
    """
    return attrs.evolve(
        entry,
        name=redact(entry.name),
        description=redact(entry.description),
        reasoning=redact(entry.reasoning),
        notes=redact(entry.notes),
        keywords=tuple(map(redact, entry.keywords)),
        tags=tuple(map(redact, entry.tags)),
        references=tuple(map(redact, entry.references)),
        source_project=redact(entry.source_project or "").strip() or None,
    )
