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
        source_project=_redact_optional(entry.source_project),
        workspace=_redact_optional(entry.workspace),
        branch=_redact_optional(entry.branch),
        trigger_phrases=tuple(map(redact, entry.trigger_phrases)),
        channel=_redact_optional(entry.channel),
        session_id=_redact_optional(entry.session_id),
    )


def _redact_optional(text: str | None) -> str | None:
    return redact(text or "").strip() or None
