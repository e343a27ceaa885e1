"""The notes of basic-memory, a folder of markdown files."""

import contextlib
import datetime as dt
import os
import re
from collections.abc import Iterator, Mapping, Sequence

from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.source_files import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import read_real_file
from hardwon.domain.model.entry import MAX_KEYWORDS, Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.plain_text import COMMENT_OR_FENCE
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.documents import ENDING
from hardwon.ports.external_memory import ExternalConversation, ExternalMemory
from hardwon.ports.override import override

OBSERVATION = re.compile(r"[-*] \[(?P<category>[^\[\]]{2,40})\] (?P<text>\S.*)")
"""One character between the brackets is a task."""

RELATION = re.compile(r"[-*] (?P<relation>[\w ]{0,40})\[\[(?P<note>[^\[\]]{1,200})\]\]")
TAG = re.compile(r"(?:^|\s)#([\w/-]{1,60})")
CONTEXT = re.compile(r"\(([^()]{1,400})\)$")
PERMALINK = "permalink"
"""The field that basic-memory writes into the front matter of each note."""

CATEGORIES: Mapping[str, Category] = {
    **dict.fromkeys(("problem", "issue", "bug", "gotcha", "warning", "risk"), "anti-patterns"),
    **dict.fromkeys(("technique", "method", "pattern", "solution", "practice"), "patterns"),
}
NAME_WORDS = 8


class BasicMemory(ExternalMemory):
    """
    The observations of basic-memory's notes, each a lesson.

    Args:
        path: The folder.
        clean: Takes secrets out of a text.
    """

    title = "a folder of basic-memory"
    projects: Sequence[str] = ()

    def __init__(self, path: str, clean: Cleaning) -> None:
        self._path = path
        self._clean = clean

    @override
    def conversations(self) -> Iterator[ExternalConversation]:
        return iter(())

    @override
    def lessons(self) -> Iterator[Entry]:
        for path in _notes(self._path):
            text, at = _read(path)
            markdown = read_markdown(self._clean(text))
            title = str(
                markdown.front_matter.get("title") or os.path.basename(path)[: -len(ENDING)]
            )
            body = COMMENT_OR_FENCE.sub("", markdown.body)
            lines = [line.strip() for line in body.splitlines()]
            related = [
                f"{found['relation'].strip() or 'relates to'} {found['note']}"
                for line in lines
                if (found := RELATION.match(line))
            ]
            for line in lines:
                if found := OBSERVATION.match(line):
                    with contextlib.suppress(InvalidEntryError):  # tags without a text
                        yield _lesson(found, f"Note: {title}", related=related, at=at)


def open_basic_memory(path: str, clean: Cleaning) -> BasicMemory | None:
    """Return the folder at *path*, None for another one."""
    if not os.path.isdir(path):
        return None
    heads = (read_markdown(_read(note)[0]).front_matter for note in _notes(path))
    return BasicMemory(path, clean) if any(PERMALINK in head for head in heads) else None


def _notes(folder: str) -> Iterator[str]:
    """Yield the markdown files in *folder*, without hidden folders and links."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith(ENDING))


def _read(path: str) -> tuple[str, dt.datetime]:
    """Return the text and time of a note, blank if it is unreadable."""
    folder, name = os.path.split(path)
    try:
        data, facts = read_real_file(os.path.join(os.path.realpath(folder), name), LARGEST_FILE)
        at = dt.datetime.fromtimestamp(int(facts.st_mtime), dt.UTC)
    except (OSError, ValueError, OverflowError):
        return "", dt.datetime.fromtimestamp(0, dt.UTC)
    return with_newlines(data.decode("utf-8", "replace")), at


def _lesson(found: re.Match[str], note: str, *, related: Sequence[str], at: dt.datetime) -> Entry:
    category, text = found["category"].strip(), found["text"].strip()
    context = CONTEXT.search(text)
    text = text[: context.start()] if context else text
    words = TAG.sub(" ", text).split()
    return Entry(
        name=" ".join(words[:NAME_WORDS]),
        description=" ".join(words),
        notes="\n".join(f"- {line}" for line in (note, *related)),
        reasoning=context[1] if context else "",
        category=CATEGORIES.get(category.casefold(), "heuristics"),
        keywords=(category, *TAG.findall(text))[:MAX_KEYWORDS],
        source="import",
        created_at=at,
        updated_at=at,
    )
