"""What the user is working on, and the search text that says it."""

from typing import NamedTuple

from hardwon.domain.model.redaction import redact

MAX_DESCRIPTION_WORDS = 100
MAX_FILES = 20
UNKNOWN_PHASE = "unknown"


class Feature(NamedTuple):
    """
    The active feature of a project.

    Attributes:
        slug: Its short name, as in `.meta.json`.
        description: What it is about; at most 100 words are used.
        phase: The last completed phase, `unknown` when none is recorded.

    """

    slug: str
    description: str = ""
    phase: str = UNKNOWN_PHASE


class ContextQuery(NamedTuple):
    """The signals of one session."""

    feature: Feature | None = None
    files: tuple[str, ...] = ()

    @property
    def public(self) -> str | None:
        """The search text without secrets: what may be printed and kept; None when nothing else is left."""
        return redact(self.compose() or "").strip() or None

    def compose(self) -> str | None:
        """
        Return the search text, or None when there is no signal at all.

        The form is `slug: description. Phase: phase. Files: a b c`
        (requirement A-D2.6); an absent part drops with its separator.
        """
        parts = []
        if self.feature:
            words = self.feature.description.split()[:MAX_DESCRIPTION_WORDS]
            parts.append(": ".join(filter(None, (self.feature.slug, " ".join(words)))))
            parts.append(f"Phase: {self.feature.phase}")
        if self.files:
            parts.append(f"Files: {' '.join(self.files[:MAX_FILES])}")
        return ". ".join(parts) or None
