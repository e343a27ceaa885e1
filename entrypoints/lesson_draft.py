"""A lesson as a person typed it, at any door."""

import datetime as dt
from collections.abc import Iterable

import attrs

from hardwon.domain.model.entry import Entry, PublicEntry, redact_entry
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.retro.lesson import made_name


def split_keywords(labels: Iterable[str]) -> tuple[str, ...]:
    """Split *labels* at their commas."""
    return tuple(item for label in labels for item in label.split(","))


@attrs.frozen(kw_only=True)
class LessonDraft:
    """A lesson as a person gave it."""

    name: str = ""
    category: str = "heuristics"
    keywords: tuple[str, ...] = ()
    reasoning: str = ""
    references: tuple[str, ...] = ()
    confidence: str = "medium"
    text: str = ""

    def entry(self, project: str | None, now: dt.datetime) -> PublicEntry:
        """Return the learning, redacted."""
        values = {
            **attrs.asdict(self, recurse=False),
            "description": self.text,
            "name": self.name.strip() or made_name(stored_form(self.text)),
        }
        del values["text"]
        return redact_entry(
            Entry(**values, source="manual", source_project=project, created_at=now, updated_at=now)
        )
