"""The named groups of kinds that can be asked, each with its own rules (rule U-11, the table of collections)."""

from typing import Literal, NamedTuple, TypeAlias, get_args

from hardwon.domain.model.recall.relevance import FLOOR
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.scope import ANYWHERE, Scope
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, KINDS, Kind

CollectionName: TypeAlias = Literal["all", "learnings", "sessions", "conversations", "documents"]
ScopeName: TypeAlias = Literal["project", "workspace", "global"]
PolicyName: TypeAlias = Literal[
    "adaptive", "hybrid", "cosine", "affinity", "context", "fused", "keyword", "rrf", "weighted"
]

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


class Collection(NamedTuple):
    """
    A group of kinds and how it is asked.

    Attributes:
        kinds: What is in it.
        policy: How answers are ranked.
        limit: How many answers.
        minimum: The lowest relevance of an answer; None takes any.
        scope: Where answers may come from.

    """

    kinds: tuple[Kind, ...]
    policy: PolicyName
    limit: int
    minimum: float | None
    scope: ScopeName


COLLECTIONS: dict[CollectionName, Collection] = {
    "all": Collection(KINDS, "adaptive", 10, FLOOR, "global"),
    "learnings": Collection(("learning",), "hybrid", 20, None, "global"),
    "sessions": Collection(("session",), "cosine", 5, 0.5, "global"),
    "conversations": Collection(CONVERSATION_KINDS, "affinity", 5, 0.0, "workspace"),
    "documents": Collection(("document",), "fused", 10, None, "project"),
}


def scope_of(name: ScopeName, workplace: Workplace) -> Scope:
    """Return the places that *name* stands for where the user works; a workspace has all its projects in it."""
    if name == "global":
        return ANYWHERE
    return Scope(workplace.project, workplace.workspace if name == "workspace" else None)
