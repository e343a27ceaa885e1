"""Which prompts are worth a search, and what their parts ask."""

from hardwon.domain.model.chunking.sentence_ends import split_sentences
from hardwon.domain.model.keyword_query import search_terms

LEAST_TERMS = 3
"""Words that carry meaning; "yes, go on" and "fix it" have none or one."""

LONGEST_PROMPT = 2_000
"""Characters that are searched with: far more than 64 terms, and redacted in a few milliseconds."""

_COMMANDS = ("/", "!", "#")
"""What the host takes for itself: its commands, the shell's, a note to its own memory."""


def is_worth_asking(prompt: str) -> bool:
    """Tell whether *prompt* is said to the agent and says enough to be searched with."""
    beginning = prompt[:LONGEST_PROMPT].lstrip()
    return not beginning.startswith(_COMMANDS) and len(search_terms(beginning)) >= LEAST_TERMS


def asked_by(prompt: str) -> tuple[tuple[str, ...], ...]:
    """
    Return the words of each sentence of *prompt* that says enough to be searched with.

    Where none does, those of the whole stand for it.
    """
    sentences = (sentence for line in prompt.splitlines() for sentence in split_sentences(line))
    terms = tuple(terms for each in sentences if len(terms := search_terms(each)) >= LEAST_TERMS)
    return terms or (search_terms(prompt),)
