"""
The features of the likelihood that an entry helps with a command that failed.

Its model is in `likelihood.py`. `closeness` is as beside a prompt; `lead` is over the next entry.

- `errors` is the root of coverage times information of the error lines' words in the entry.
- `missing` is the quotation of the entry least present in the output, weighted by its
  information, at most `2 L`: advice for another error of the same tool quotes something else.
- `present` is the share of the information of all quotations that is in the output.
- `command` is the information of the command's words in the entry: many lessons name the tool.
- `named` is how many identifiers of the error lines are in the entry, at most 3.
- `signed` is 1 for an entry that holds a signature of the error word for word, else 0.
"""

import math
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.gate_terms import (
    MAX_INFORMATION,
    MAX_NAMED,
    EntryWords,
    information_unit,
    matched_words,
)
from hardwon.domain.model.keywords import terms_of
from hardwon.domain.model.prompt_terms import (
    Sentence,
    informative_words,
    quotes,
    shared,
    stem,
    weighed,
)

NO_QUOTATION = 0.4
"""The value of `present` for an entry that quotes nothing."""

MIN_QUOTED_INFORMATION = 2.0
"""Nats. A quotation with less says nothing."""

_QUOTATION = (
    r"`([^`\n]{3,200})`|\"([^\"\n]{3,200})\"|'([^'\n]{4,200})'"
    r"|(?<![\w.])((?:\w{1,40}\.){0,8}\w{0,60}(?:Error|Exception)\b[^.\n]{0,120})"
)


def quotations(text: str) -> tuple[str, ...]:
    """
    Return what *text* quotes: code, messages, and errors by name.

    >>> quotations("`npm ci` says ERESOLVE after ImportError: no x")
    ('npm ci', 'ImportError: no x')
    """
    return tuple(part for found in re.findall(_QUOTATION, text) for part in found if part)


class FailureTerms:
    """
    The words of a failure, with the information of each.

    Args:
        failure: The failure.
        frequencies: The number of entries that contain each of `terms_of_failure`.
        size: The number of entries.

    """

    def __init__(self, failure: Failure, frequencies: Mapping[str, int], size: int) -> None:
        self._failure = failure
        self._frequencies = frequencies
        self._size = size
        self._unit = information_unit(size)

    @cached_property
    def _errors(self) -> Sentence:
        return self._sentence("\n".join(self._failure.error_lines))

    @cached_property
    def _command(self) -> Sentence:
        return self._sentence(self._failure.key)

    @cached_property
    def _output(self) -> frozenset[str]:
        text = "\n".join((self._failure.key, *self._failure.lines))
        return frozenset(map(stem, terms_of(text)))

    def features(self, entry: EntryWords) -> Mapping[str, float]:
        """Return what the failure and *entry* have in common."""
        missing, present = self._quoted(entry.text)
        named = sum(quotes(entry.text, [name]) for name in self._failure.identifiers)
        return {
            "errors": matched_words([self._errors], entry.text, self._size),
            "missing": missing,
            "present": present,
            "command": shared([self._command], entry.text).information / self._unit,
            "named": float(min(named, MAX_NAMED)),
            "signed": float(self._failure.is_named_in(entry.text)),
        }

    def _quoted(self, text: str) -> tuple[float, float]:
        """Return `missing` and `present` of an entry with that *text*."""
        found = [
            (sum(sentence.values()), sum(sentence[word] for word in sentence.keys() & self._output))
            for sentence in map(self._sentence, quotations(text))
        ]
        informative = [pair for pair in found if pair[0] > MIN_QUOTED_INFORMATION]
        if not informative:
            return 0.0, NO_QUOTATION
        missing = (
            (1 - held / whole) * min(whole / self._unit, MAX_INFORMATION)
            for whole, held in informative
        )
        whole, held = map(math.fsum, zip(*informative, strict=True))
        return max(missing), held / whole

    def _sentence(self, text: str) -> Sentence:
        return weighed(terms_of(text), self._frequencies, self._size)


def terms_of_failure(failure: Failure, entries: Iterable[EntryWords]) -> tuple[str, ...]:
    """Return the terms of *failure*, and of what *entries* quote."""
    quoted = (quotation for entry in entries for quotation in quotations(entry.text))
    lines = (failure.key, *failure.error_lines, *quoted)
    return informative_words(dict.fromkeys(term for line in lines for term in terms_of(line)))
