"""What sort of work a file tells of, when it does not say so itself."""

import re
from collections.abc import Iterable, Mapping

from hardwon.domain.model.files.titles import headings
from hardwon.domain.model.vocabulary import ContextType

SIGNS: Mapping[ContextType, tuple[str, ...]] = {
    "decision": ("decision", "decisions", "adr", "architecture"),
    "discovery": ("bug", "bugs", "bugfix", "fix", "fixes", "root cause"),
    "research": ("research", "analysis", "investigation"),
    "implementation": ("implementation", "implement", "implementing", "implemented"),
}
"""
The words that stand for a type, as requirement D-DB25 explains them.

Where several occur the first of the types counts: a root cause analysis is a
discovery, research for a decision is a decision.
"""

_WORD = re.compile(r"[^\W_]+")


def context_type_of(name: str, title: str, body: str) -> ContextType | None:
    """
    Return the type that words of the file's *name* and *title* stand for, else its headings if all agree.

    Prose is never asked, and None is the answer where nothing is clear.
    """
    named = _types_in([name, title])
    told = named or _types_in(headings(body))
    return told[0] if named or len(told) == 1 else None


def _types_in(texts: Iterable[str]) -> list[ContextType]:
    """Return the types whose words occur in *texts*, in the order of `SIGNS`."""
    lines = [f" {' '.join(_WORD.findall(text.casefold()))} " for text in texts]
    return [kind for kind, signs in SIGNS.items() if any(f" {sign} " in line for sign in signs for line in lines)]
