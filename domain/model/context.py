"""The context of a session, and its search texts."""

from typing import NamedTuple

from hardwon.domain.model.redaction import REDACTED, redact
from hardwon.domain.model.text import words_of_path

MAX_DESCRIPTION_WORDS = 100
MAX_FILES = 20
UNKNOWN_PHASE = "unknown"


class Feature(NamedTuple):
    """
    The active feature of a project.

    Attributes:
        description: At most 100 words are used.
        phase: The last completed phase, `unknown` when none is recorded.
    """

    slug: str
    description: str = ""
    phase: str = UNKNOWN_PHASE


class ContextQuery(NamedTuple):
    """
    The signals of a session, from which its search texts are made.

    Examples:
        >>> query = ContextQuery(Feature("csv-import", "Read partner feeds.", "plan"), ("src/feeds/readRows.py",))
        >>> query.public
        'csv-import: Read partner feeds. Phase: plan. Files: src/feeds/readRows.py'
        >>> query.keyword_text
        'csv-import: Read partner feeds feeds readRows read Rows'
    """

    feature: Feature | None = None
    files: tuple[str, ...] = ()

    @property
    def public(self) -> str | None:
        """
        The text to embed, without secrets.

        None if nothing else is left.
        """
        return redact(self.compose() or "").strip() or None

    @property
    def keyword_text(self) -> str:
        """
        The text to search by keyword, without secrets.

        It has values only: slug, description, and the names of the files as words. The labels of
        `compose`, the phase, extensions and common folders would match unrelated entries. Empty
        without a signal.
        """
        paths = redact("\n".join(self.files[:MAX_FILES])).split("\n")
        texts = (redact(self._subject), *map(words_of_path, paths))
        return " ".join(filter(None, (text.replace(REDACTED, "") for text in texts)))

    def compose(self) -> str | None:
        """
        Return the text to embed, or None without any signal.

        The form is `slug: description. Phase: phase. Files: a b c`; an absent part is omitted with
        its separator, and a full stop at the end of the description is the separator's.
        """
        parts = []
        if self.feature:
            parts.append(self._subject)
            parts.append(f"Phase: {self.feature.phase}")
        if self.files:
            parts.append(f"Files: {' '.join(self.files[:MAX_FILES])}")
        return ". ".join(parts) or None

    @property
    def _subject(self) -> str:
        if self.feature is None:
            return ""
        description = " ".join(self.feature.description.split()[:MAX_DESCRIPTION_WORDS])
        return ": ".join(filter(None, (self.feature.slug, description.removesuffix("."))))
