"""Replies as HTML, JSON and CSV. Every text is escaped, and control characters are spelt out."""

import csv
import datetime as dt
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from hardwon.domain.model.excerpt import Marked
from hardwon.entrypoints.presenters.entries import plain
from hardwon.entrypoints.presenters.text import counted, utc_text, visible

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""


def environment(prefix: str) -> Environment:
    """Return the templates' environment; all links of a page begin with *prefix*."""
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
    made.filters |= {"marked": _marked, "when": utc_text, "day": _day, "share": _share}
    return made


def address(prefix: str, path: str, query: Mapping[str, object]) -> str:
    """Return the address of a page, without empty parameters."""
    given = urlencode({name: value for name, value in query.items() if value not in {None, ""}})
    return f"{prefix}{path}{f'?{given}' if given else ''}"


def as_json(rows: Iterable[Mapping[str, object]]) -> str:
    """Return a list for programs."""
    return json.dumps({"items": [plain(row) for row in rows]}, ensure_ascii=False)


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a list for spreadsheets, which take no cell of it for a formula."""
    names = [*dict.fromkeys(name for row in rows for name in row)]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows([_cell(plain(row.get(name))) for name in names] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _readable(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _marked(marked: Marked) -> Markup:
    """Return a passage with the words that were asked for marked."""
    parts, end = list[Markup](), 0
    for start, stop in marked.spans:
        parts += [escape(visible(marked.text[end:start])), Markup("<mark>%s</mark>") % visible(marked.text[start:stop])]
        end = stop
    return Markup("").join([*parts, escape(visible(marked.text[end:]))])


def _day(timestamp: dt.datetime) -> str:
    return f"{timestamp.astimezone(dt.UTC):%Y-%m-%d}"


def _share(value: float) -> str:
    return f"{value:.0%}"
