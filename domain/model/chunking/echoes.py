"""What the agent only says again: the user decided it before."""

from collections.abc import Iterable

from hardwon.domain.model.chunking.salience import salient_words, stem

MOSTLY = 0.6
"""Share of the telling words of a sentence that make it an echo when another has them."""

_SAYING = frozenset(
    map(stem, "accepted agreed chose chosen confirmed gone noted opted picked plus recorded settled understood".split())
)


def unechoed(decisions: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    """
    Return *decisions* without those of the agent that say again what the user decided before.

    Args:
        decisions: Sentences in order, each with whether the user said it.

    """
    kept, decided = list[str](), list[frozenset[str]]()
    for text, by_user in decisions:
        stems = _stems(text)
        if by_user:
            decided.append(stems)
        elif any(_repeats(stems, earlier) for earlier in decided):
            continue
        kept.append(text)
    return tuple(kept)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, salient_words(text))) - _SAYING


def _repeats(stems: frozenset[str], earlier: frozenset[str]) -> bool:
    return bool(stems) and len(stems & earlier) >= MOSTLY * len(stems)
