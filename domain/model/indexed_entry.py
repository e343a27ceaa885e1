"""The texts of an entry in a keyword index."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Self

from hardwon.domain.model.citations import citations_of, cited_words, tokens_of
from hardwon.domain.model.identity import composed, title_to_search
from hardwon.domain.model.keywords import indexed_texts
from hardwon.domain.model.vocabulary import LESSON_KINDS, Kind

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class IndexedEntry(NamedTuple):
    """
    The searched texts of an entry, composed as queries are.

    Attributes:
        labels: Keywords, tags, trigger phrases, places and the words of its references.
        tokens: Those of the files that a lesson cites; they are not in a passage.
    """

    title: str = ""
    description: str = ""
    notes: str = ""
    labels: str = ""
    reasoning: str = ""
    tokens: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: "Entry", public: Callable[[str], str]) -> Self:
        """Return the texts of *entry*, each made *public*."""
        labels = " ".join(filter(None, (*entry.labels, cited_words(entry.references))))
        title, description, notes, labels, reasoning = (
            composed(public(text))
            for text in (
                title_to_search(entry.name, entry.description),
                entry.description,
                entry.notes,
                labels,
                entry.reasoning,
            )
        )
        tokens = lesson_tokens(
            entry.kind,
            (*entry.references, *(place.path for place in entry.cited)),
            (entry.name, entry.description, entry.notes),
        )
        return cls(
            title=title,
            description=description,
            notes=notes,
            labels=labels,
            reasoning=reasoning,
            tokens=tokens,
        )

    @property
    def passage_texts(self) -> tuple[str, ...]:
        """The texts that are split into passages, the title first."""
        return (self.title, self.description, self.notes, self.labels, self.reasoning)

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts as they are indexed, the labels with the tokens."""
        title, description, notes, labels, reasoning = indexed_texts(self.passage_texts)
        return title, description, notes, " ".join((labels, *self.tokens)), reasoning


def lesson_tokens(kind: Kind, references: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the tokens of the files that a lesson cites, of another *kind* none."""
    return tokens_of(citations_of(references, texts)) if kind in LESSON_KINDS else ()
