"""Whether an exchange is about something else than those before it (requirement C-T3.5)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hardwon.domain.model.chunking.salience import keywords
from hardwon.domain.model.conversation.exchange import Exchange

Similarity = Callable[[Sequence[str], str], float | None]
"""The cosine of what some texts are about and a text, None when it can't be told."""

ENOUGH = 5
"""Keywords; fewer say too little to tell a question from the next."""

FEW = 40
"""Keywords; of fewer, two texts on one subject may share hardly any by chance alone."""

EXCERPT = 300
"""Characters of each exchange that are compared by meaning: more of them tell subjects apart less well, and cost more."""


class Divergence(NamedTuple):
    """
    How far apart an exchange is from a running chunk when it is about something else.

    Attributes:
        jaccard: Of its keywords and those of the exchange it is most like, less than this.
        shared: The share of its keywords that came up in the chunk; less than this, where it has fewer than 40.
        cosine: Of its text and the chunk's, less than this.

    """

    jaccard: float
    shared: float
    cosine: float


CLEAR = Divergence(jaccard=0.1, shared=0.12, cosine=0.3)
"""M-C14. In long chats the closest Jaccard is below 0.1 for 12% of what follows on, and for 79% of what doesn't."""

SLIGHT = Divergence(jaccard=0.15, shared=0.18, cosine=0.4)
"""Enough to end a chunk that is long already."""


def has_shifted(
    running: Sequence[Exchange], exchange: Exchange, divergence: Divergence, similarity: Similarity | None
) -> bool:
    """
    Tell whether *exchange* is as far apart from the *running* chunk as *divergence* says, or more.

    It is compared with each exchange by itself: against all their words
    together, Jaccard falls with their number alone.
    """
    words, said = keywords(exchange), frozenset[str]().union(*map(keywords, running))
    if min(len(words), len(said)) < ENOUGH:
        return False
    closest = max(_jaccard(words, keywords(each)) for each in running)
    shared = len(words & said) / len(words)
    if closest < divergence.jaccard and (len(words) >= FEW or shared < divergence.shared):
        return True
    alike = similarity([_excerpt(each) for each in running], _excerpt(exchange)) if similarity else None
    return alike is not None and alike < divergence.cosine


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _excerpt(exchange: Exchange) -> str:
    return exchange.text[:EXCERPT]
