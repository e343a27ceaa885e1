"""Answers on the screen: as JSON, or as lines with the words asked for in colour."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.text import Text

from hardwon.domain.model.excerpt import Marked
from hardwon.domain.model.ranking.question import Answer
from hardwon.domain.use_cases.recall import Recollection
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_models import OFF
from hardwon.entrypoints.cli.console import columns, complain, out, say, warn
from hardwon.entrypoints.streams import on_one_line

NO_MEANING = "no vector search"
"""How a degradation begins after which it is not known what has a vector."""

WORDS_ONLY = f"{NO_MEANING}: memory_embedding_provider is off"
HIGHLIGHT = "bold yellow"
READABLE = 100
"""Columns; lines that are longer are hard to read, however wide the terminal is."""


class Searched(NamedTuple):
    """
    How a search went.

    Attributes:
        query: The text that was searched for, None for none.
        by_vector: How many entries were compared by their vectors.
        by_keyword: How many entries hold a word of the text.

    """

    query: str | None = None
    by_vector: int = 0
    by_keyword: int = 0

    @property
    def document(self) -> dict[str, object]:
        """It for JSON, by the names that the customers' programs know."""
        return {
            "vector_candidate_count": self.by_vector,
            "fts5_candidate_count": self.by_keyword,
            "context_query": self.query,
        }


def answer_document(answer: Answer) -> dict[str, object]:
    """Return *answer* for JSON, with the names of requirement C-T6.7."""
    entry = answer.entry
    return {
        "id": entry.entry_id,
        "type": entry.kind,
        "title": entry.name,
        "text": entry.description,
        "score": answer.shown,
        "source": entry.file_path,
        "date": entry.updated_at,
        "permanent": entry.permanent,
        "project": entry.source_project,
        "workspace": entry.workspace,
        "tags": entry.tags,
        "category": entry.category,
    }


def explained_document(answer: Answer, policy: str) -> dict[str, object]:
    """Return *answer* for JSON with all that its score is made of."""
    return {
        **answer_document(answer),
        "final_score": answer.score,
        "policy": policy,
        "parts": dict(answer.parts),
        "vector_score": answer.vector,
        "bm25_score": answer.keyword,
    }


def tell_notes(memory: Memory, recollection: Recollection) -> None:
    """Tell on standard error what was missing from a search."""
    for line in recollection.degradations:
        warn(line)
    without = recollection.searched - recollection.found_by_meaning
    if memory.settings.embedding_provider == OFF:
        warn(WORDS_ONLY)
    elif without and not any(line.startswith(NO_MEANING) for line in recollection.degradations):
        complain(f"({without} without embeddings)")


def readable_columns() -> int:
    """Return how wide an answer is told; always the same where nobody looks, so that output is stable."""
    return min(columns(), READABLE) if out.is_terminal else READABLE


def print_marked(lines: Iterable[Marked]) -> None:
    """Print *lines*: in a terminal with what is marked in colour, wrapped below their own beginning."""
    for line in lines:
        if out.is_terminal:
            _print_in_terminal(line)
        else:
            say(on_one_line(line.text))


def _print_in_terminal(line: Marked) -> None:
    text = _coloured(line)
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    for part in text[indent:].wrap(out, out.width - indent) if text else [text]:
        out.print(Text(" " * indent).append_text(part))


def _coloured(line: Marked) -> Text:
    text, at = Text(), 0
    for start, end in line.spans:
        text.append(on_one_line(line.text[at:start]))
        text.append(on_one_line(line.text[start:end]), "" if out.no_color else HIGHLIGHT)
        at = end
    return text.append(on_one_line(line.text[at:]))
