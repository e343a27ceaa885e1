"""The fields of a front matter that mean something to us."""

import datetime as dt
from collections.abc import Mapping

import attrs

from hardwon.domain.model.files.markdown import FrontValue
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import KINDS, Kind

FILE_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "learning")


@attrs.frozen(kw_only=True)
class FileFields:
    """
    What the head of a file says of it; None or nothing where it is silent.

    Attributes:
        kind: What it is kept as.
        date: When it was written.
        files: What it is about.
        complaints: Values that could not be used, one line each.

    """

    title: str | None = None
    description: str | None = None
    kind: Kind | None = None
    date: dt.datetime | None = None
    project: str | None = None
    workspace: str | None = None
    branch: str | None = None
    permanent: bool | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()


def read_fields(front_matter: Mapping[str, FrontValue]) -> FileFields:
    """Return the fields of *front_matter*, without secrets; a value of the wrong sort is left out with a complaint."""
    reading = _Reading(front_matter)
    return FileFields(
        title=reading.text("title"),
        description=reading.text("description"),
        kind=_kind(front_matter.get("type")),
        date=reading.moment("date") or reading.moment("timestamp"),
        project=reading.text("project"),
        workspace=reading.text("workspace"),
        branch=reading.text("branch"),
        permanent=reading.flag("permanent"),
        tags=reading.texts("tags"),
        keywords=reading.texts("keywords"),
        files=reading.texts("files"),
        complaints=tuple(reading.complaints),
    )


class _Reading:
    def __init__(self, front_matter: Mapping[str, FrontValue]) -> None:
        self._front_matter = front_matter
        self.complaints = list[str]()

    def text(self, name: str) -> str | None:
        value = self._front_matter.get(name)
        if isinstance(value, tuple):
            self._refuse(name, value, "a text")
            return None
        if isinstance(value, bool):
            value = str(value).lower()
        return redact(value or "").strip() or None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list; a text is one whose items commas separate."""
        value = self._front_matter.get(name, ())
        if isinstance(value, bool):
            self._refuse(name, value, "a list of texts")
            return ()
        items = value.split(",") if isinstance(value, str) else value
        return tuple(text for item in items if (text := redact(item).strip()))

    def flag(self, name: str) -> bool | None:
        value = self._front_matter.get(name)
        if value is None or isinstance(value, bool):
            return value
        self._refuse(name, value, "true or false")
        return None

    def moment(self, name: str) -> dt.datetime | None:
        text = self.text(name)
        try:
            return dt.datetime.fromisoformat(text).astimezone(dt.UTC) if text else None
        except (ValueError, OverflowError, OSError):
            self._refuse(name, text, "a date such as 2026-02-12 or 2026-02-12T13:42:06Z")
            return None

    def _refuse(self, name: str, value: object, wanted: str) -> None:
        self.complaints.append(f"{name} is {str(value)[:60]!r}: write {wanted}")


def _kind(value: FrontValue | None) -> Kind | None:
    return next((kind for kind in FILE_KINDS if kind == value), None)
