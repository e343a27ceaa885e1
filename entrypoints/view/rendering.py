"""
Render replies as HTML, JSON and CSV.

Every text is escaped, and passed through `visible` unless it is edited.
"""

import csv
import datetime as dt
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from hardwon.domain.model.excerpt import MarkedText
from hardwon.domain.model.redaction import without_invisible
from hardwon.entrypoints.presenters.answers import stored_passage
from hardwon.entrypoints.presenters.entries import plain
from hardwon.entrypoints.presenters.text import counted, spelt_out, utc_text, visible

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
MONTH_DAYS = 30
HOUR_MINUTES = 60
_FORMULA = re.compile(
    r"^(?=\s{0,20}[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])|(?<=[;\t])(?=\s{0,20}[=+\-@])|(?<=[\r\n])(?=\s{0,20}[=+@])"
)
"""
Where a spreadsheet would begin a formula.

That is at the start of a cell, or where it may split one, as at `;` in some countries.
"""


def environment(prefix: str) -> Environment:
    """Return the template environment, where all links begin with *prefix*."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["at"] = lambda path, **query: address(prefix, path, query)
    made.globals["counted"] = counted
    made.filters |= {
        "as_given": _as_given,
        "marked": _marked,
        "when": utc_text,
        "local": _local,
        "near": _near,
        "ago": _ago,
        "day": _day,
        "share": _share,
    }
    return made


def address(prefix: str, path: str, query: Mapping[str, object]) -> str:
    """Return the address of a page, without empty parameters."""
    given = urlencode({name: value for name, value in query.items() if value not in {None, ""}})
    return f"{prefix}{path}{f'?{given}' if given else ''}"


def as_json(rows: Iterable[Mapping[str, object]]) -> str:
    """Return a list as JSON."""
    return json.dumps({"items": [plain(row) for row in rows]}, ensure_ascii=False)


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a list as CSV, with formulas neutralized."""
    names = [*dict.fromkeys(name for row in rows for name in row)]
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(names)
    writer.writerows([_cell(plain(row.get(name))) for name in names] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    return _FORMULA.sub("'", without_invisible(value)) if isinstance(value, str) else value


def _readable(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _as_given(text: str) -> Markup:
    """Escape a *text* that is edited, or was sanitized before."""
    return escape(spelt_out(text))


def _marked(marked: MarkedText) -> Markup:
    text, spans = stored_passage(marked)
    parts, end = list[Markup](), 0
    for start, stop in spans:
        parts += [escape(text[end:start]), Markup("<mark>%s</mark>") % text[start:stop]]
        end = stop
    return Markup("").join([*parts, escape(text[end:])])


def _day(timestamp: dt.datetime) -> str:
    return f"{timestamp.astimezone(dt.UTC):%Y-%m-%d}"


def _local(timestamp: dt.datetime) -> str:
    return f"{timestamp.astimezone():%Y-%m-%d %H:%M}"


def _near(timestamp: dt.datetime, now: dt.datetime) -> str:
    """Return *timestamp* in local time, relative on the last two days."""
    at, today = timestamp.astimezone(), now.astimezone()
    if dt.timedelta() <= today - at < dt.timedelta(hours=1):
        minutes = (today - at) // dt.timedelta(minutes=1)
        return f"{counted(minutes, 'minute', 'minutes')} ago" if minutes else "just now"
    days = (today.date() - at.date()).days
    day = {0: "today", 1: "yesterday"}.get(days)
    return f"{day} {at:%H:%M}" if day else _local(timestamp)


def _ago(timestamp: dt.datetime, now: dt.datetime) -> str:
    """
    Return how long ago *timestamp* is.

    After a month and in the future, it is the day.

    >>> now = dt.datetime(2026, 3, 31, 12).astimezone()
    >>> [_ago(now - dt.timedelta(hours=hours), now) for hours in (0, 1, 23, 49, 24 * 30, -1)]
    ['just now', '1 hour ago', 'yesterday', '2 days ago', '1 Mar 2026', '31 Mar 2026']
    """
    at, today = timestamp.astimezone(), now.astimezone()
    days = (today.date() - at.date()).days
    if at > today or days >= MONTH_DAYS:
        return f"{at.day} {at:%b %Y}"
    if days:
        return "yesterday" if days == 1 else f"{days} days ago"
    minutes = (today - at) // dt.timedelta(minutes=1)
    if minutes < HOUR_MINUTES:
        return f"{counted(minutes, 'minute', 'minutes')} ago" if minutes else "just now"
    return f"{counted(minutes // HOUR_MINUTES, 'hour', 'hours')} ago"


def _share(value: float) -> str:
    return f"{value:.0%}"
