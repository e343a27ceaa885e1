"""The words of an agent, without those that it only repeats."""

from collections.abc import Iterator, Sequence

from hardwon.domain.model.block.frame import TAG
from hardwon.domain.model.keyword_query import STOP_WORDS, words_of

LONGEST_TEXT = 20_000
"""In characters, of what is looked through."""

REPEATED = "\n"
"""Stands for a word that somebody else said first: no phrase has it."""

SHORTEST_TERM = 2
_START, _END = f"<{TAG}", f"</{TAG}>"
_ECHO = 3
_ECHO_TERMS = 2


def term_count(words: Sequence[str]) -> int:
    """Return how many different words of *words* tell something: no stop words, letters or numbers."""
    return sum(len(word) >= SHORTEST_TERM and not word[0].isdigit() for word in {*words} - STOP_WORDS)


def spoken_text(text: str) -> str:
    """Return what *text* says in its first 20,000 characters, but not what memory itself printed there."""
    return "\n".join(_outside_frames(text[:LONGEST_TEXT]))


def agent_words(text: str, given: Sequence[str]) -> list[str]:
    """Return the words of *text*, with `REPEATED` for each that stands among the same neighbours in *given* too."""
    words = words_of(spoken_text(text))
    said = {*_runs(given)}
    echoes = {run for run in (said.intersection(_runs(words)) if said else ()) if term_count(run) >= _ECHO_TERMS}
    own = list(words)
    for place, run in enumerate(_runs(words)) if echoes else ():
        if run in echoes:
            own[place : place + _ECHO] = [REPEATED] * _ECHO
    return own


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(_ECHO)), strict=False)


def _outside_frames(text: str) -> Iterator[str]:
    """Yield what stands outside of anything that memory itself printed."""
    while text:
        outside, _, framed = text.partition(_START)
        yield outside
        text = framed.partition(_END)[2]
