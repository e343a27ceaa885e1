"""What each part of a prompt asks."""

from hardwon.domain.model.chunking.sentence_ends import split_sentences
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.prompting.gate import LEAST_TERMS


def asked_by(prompt: str) -> tuple[tuple[str, ...], ...]:
    """
    Return the words of each sentence of *prompt* that says enough to be searched with.

    Where none does, those of the whole stand for it.
    """
    sentences = (sentence for line in prompt.splitlines() for sentence in split_sentences(line))
    terms = tuple(terms for each in sentences if len(terms := search_terms(each)) >= LEAST_TERMS)
    return terms or (search_terms(prompt),)
