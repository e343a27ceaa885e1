"""What a chunk is called, and what it is about, told from what was said in it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from hardwon.domain.model.chunking.boundaries import opening_word, without_opening
from hardwon.domain.model.chunking.echoes import unechoed
from hardwon.domain.model.chunking.salience import tells
from hardwon.domain.model.chunking.sentences import sentences
from hardwon.domain.model.chunking.statements import chooses, decides, prefers, warns
from hardwon.domain.model.conversation.chunk import PERMANENT_MARK, Chunk, Metadata, chunk_identity
from hardwon.domain.model.conversation.drafts import Draft
from hardwon.domain.model.conversation.exchange import Exchange
from hardwon.domain.model.describing.areas import areas_of
from hardwon.domain.model.describing.mentions import commands_in, phases_in, projects_in
from hardwon.domain.model.describing.paths import files_in
from hardwon.domain.model.describing.summary import as_sentence, summarised
from hardwon.domain.model.describing.titling import titled
from hardwon.domain.model.recall.excerpt import shortened
from hardwon.domain.model.vocabulary import Kind

LONGEST_STATEMENT = 400
"""Characters of a decision, gotcha or preference; all of it stands in the exchange."""


class Statement(NamedTuple):
    """
    A sentence, and who said it.

    Attributes:
        text: One line.
        by_user: Whether the user said it.
        is_answer: Whether it is a question the agent asked, with its answer.

    """

    text: str
    by_user: bool
    is_answer: bool = False

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What kinds of note it makes."""
        tells: dict[Kind, bool] = {"decision": self.decides, "gotcha": self.warns, "preference": self.prefers}
        return tuple(kind for kind, is_one in tells.items() if is_one)

    @property
    def decides(self) -> bool:
        """Whether it decides something."""
        return self.is_answer or decides(self.text) or (self.by_user and chooses(self.text))

    @property
    def warns(self) -> bool:
        """Whether it warns of a trap."""
        return not self.is_answer and warns(self.text)

    @property
    def prefers(self) -> bool:
        """Whether it tells how the user wants it."""
        return self.by_user and not self.is_answer and prefers(self.text)


def described(draft: Draft, project: str, session_id: str | None) -> Chunk:
    """
    Return *draft* as a chunk with its title, summary and metadata, all from its own exchanges.

    Args:
        draft: Whatever was said in it.
        project: The user's own.
        session_id: The session it comes from, None when unknown.

    """
    spoken = tuple(statement for exchange in draft.exchanges for statement in statements_of(exchange))
    metadata = _metadata(draft.exchanges, spoken, project)
    texts = [statement.text for statement in spoken]
    return Chunk(
        chunk_id=chunk_identity(project, draft.exchanges[0]),
        title=titled(metadata.decisions, texts, draft.topic, PERMANENT_MARK if draft.permanent else ""),
        summary=summarised(_request(spoken), metadata.decisions, texts) or as_sentence(draft.topic),
        topic=draft.topic,
        exchanges=draft.exchanges,
        metadata=metadata,
        session_id=session_id,
        permanent=draft.permanent,
    )


def first_said(exchanges: Iterable[Exchange]) -> Mapping[tuple[Kind, str], int]:
    """Return by kind and text in which of *exchanges* each decision, gotcha and preference was said first, from 0."""
    places = dict[tuple[Kind, str], int]()
    for place, exchange in enumerate(exchanges):
        for statement in statements_of(exchange):
            for kind in statement.kinds:
                places.setdefault((kind, _cut(statement.text)), place)
    return places


def statements_of(exchange: Exchange) -> Iterator[Statement]:
    """Yield what *exchange* says, in order."""
    yield from (Statement(sentence, by_user=True) for sentence in sentences(_uncommanded(exchange.user)))
    yield from (Statement(each.statement, by_user=True, is_answer=True) for each in exchange.answers if each.answer)
    yield from (Statement(sentence, by_user=False) for sentence in sentences(exchange.assistant))


def _request(spoken: Iterable[Statement]) -> str:
    """Return what the user asked for: the first they said that tells something, else the first."""
    asked = [each.text for each in spoken if each.by_user and not each.is_answer]
    return next(filter(tells, asked), next(iter(asked), ""))


def _uncommanded(prompt: str) -> str:
    """Return *prompt* without the slash command it begins with."""
    word = opening_word(prompt)
    return without_opening(prompt, word) if word in commands_in(word) else prompt


def _metadata(exchanges: Iterable[Exchange], spoken: tuple[Statement, ...], project: str) -> Metadata:
    texts = [exchange.text for exchange in exchanges]
    decisions = _distinct(unechoed((each.text, each.by_user) for each in spoken if each.decides))
    return Metadata(
        projects=_first_of_each(filter(None, (project, *_found(projects_in, texts)))),
        files=files_in(texts),
        commands=_first_of_each(_found(commands_in, (f"{each.user}\n{each.assistant}" for each in exchanges))),
        decisions=decisions,
        gotchas=_distinct(each.text for each in spoken if each.warns),
        preferences=_distinct(each.text for each in spoken if each.prefers),
        areas=areas_of(
            [*decisions, *(each.text for each in spoken if each.by_user)],
            [each.text for each in spoken if not each.by_user],
        ),
        phases=_first_of_each(_found(phases_in, texts)),
    )


def _found(names: Callable[[str], Iterator[str]], texts: Iterable[str]) -> Iterator[str]:
    return (name for text in texts for name in names(text))


def _distinct(statements: Iterable[str]) -> tuple[str, ...]:
    return _first_of_each(map(_cut, statements))


def _cut(statement: str) -> str:
    return shortened(statement, LONGEST_STATEMENT)


def _first_of_each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
