"""
The features of the likelihood that an entry helps with a command that failed.

Its model is in `likelihood.py`. `closeness` is as beside a prompt.

- `salience` is how far its score for the words of the question is above chance, over `L`.
- `information` is that of the output's words in the entry, over `L`, at most 4. Common words of
  English do not count: an output of many lines has some of them by chance.
- `missing` is the quotation of the entry least present in the output, weighted by its
  information, at most `2 L`: advice for another error of the same tool quotes something else.
- `command` is the information of the command's words in the entry: many lessons name the tool.
- `named` is how many identifiers of the error lines are in the entry, at most 3.
- `signed` is 1 for an entry that holds a signature of the error word for word, else 0.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.gate_terms import (
    MAX_INFORMATION,
    MAX_NAMED,
    EntryWords,
    information_unit,
    terms_to_count,
)
from hardwon.domain.model.keywords import STOP_WORDS, terms_of
from hardwon.domain.model.prompt_terms import (
    Sentence,
    count_quoted,
    informative_words,
    stem,
    weighed,
)

MAX_SHARED = 4.0
"""Upper bound of `information`: a long output matches words by chance."""

MIN_QUOTED_INFORMATION = 2.0
"""Nats. A quotation with less says nothing."""

_QUOTATION = (
    r"`([^`\n]{3,200})`|\"([^\"\n]{3,200})\"|'([^'\n]{4,200})'"
    r"|(?<![\w.])((?:\w{1,40}\.){0,8}\w{0,60}(?:Error|Exception)\b[^.\n]{0,120})"
)
_REMEDY = re.compile(r"\w(?<!Error)(?<!Exception)\(|\w=")


COMMON_STEMS = frozenset(map(stem, STOP_WORDS)) | frozenset(
    map(
        stem,
        """
        able action actually air almost alone along although among another answer appear appointed area arm around
        attack available away battle beautiful became become bed beginning behind believe best black blood blue body
        book born bring brother brought built came car career cause central century certain child city close cold
        college come common community company complete completed considered contain continue control cost could
        country course cut dark day dead deal death decided deep designed despite developed died door down due early
        earth east either else end enough entire especially established etc even evening event eventually ever every
        everyone everything evidence except expect eye face fact fall family far father feel few field figure final
        finally fire five floor follow following food foot force form former forward found four free friend front full
        further future game gave general girl given gone gone got great green ground group grow half hand happen hard
        head health hear heart heavy height held help herself high himself history hit hold home hope hour house
        however human hundred idea important include increase indeed inside instead interest itself job join just kept
        kind knew known land large late later law lead learn least leave led left less level life light likely little
        live local long longer look lose lost lot love low made main major man many march mark matter may maybe mean
        meet men middle might mile million mind minute moment money month morning mother mouth much music must myself
        national natural near nearly need never night nor north nothing notice often oh once others otherwise outside
        own part party pass past people per perhaps person piece place plan play player point political poor popular
        position possible power present private probably produce provide public quickly quite rather reach ready real
        reason receive recent red remain remember reported rest result right rise road rock role room sat sea season
        seat seem seen sense sent series serious served service seven several shall share short should show side
        similar simply since single sir sister sit situation six size slowly small social society someone sometimes
        song soon sort sound south space speak special spent spring stage stand star started state station stay step
        stood story street strong student study style such suddenly summer support sure system table taken talk team
        ten thank third though thought thousand throughout thus today together tomorrow tonight top toward town train
        true turn twenty upon usually various view visit voice wait walk wall want war watch water week weight well
        went west white whole whose wide wife wind window winter within without woman won word world worth yard year
        yet young
        """.split(),
    )
)
"""
The commonest words of English.

An output of many lines has some of them by chance.
"""


def quotations(text: str) -> tuple[str, ...]:
    """
    Return what *text* quotes of failures: commands, messages, and errors by name.

    Code with a call or an assignment is left out, since it is mostly the remedy.

    >>> quotations("`npm ci` says ERESOLVE after ImportError: no x. Call `patch(final=True)`")
    ('npm ci', 'ImportError: no x')
    """
    quoted = (part for found in re.findall(_QUOTATION, text) for part in found if part)
    return tuple(part for part in quoted if not _REMEDY.search(part))


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
    def _command(self) -> Sentence:
        return self._sentence(self._failure.key)

    @cached_property
    def _output(self) -> Sentence:
        words = weighed(self._failure.terms, self._frequencies, self._size)
        return {word: words[word] for word in words.keys() - COMMON_STEMS if not word.isdigit()}

    @cached_property
    def _held(self) -> frozenset[str]:
        return frozenset(map(stem, (*terms_of(self._failure.key), *self._failure.terms)))

    def features(self, entry: EntryWords) -> Mapping[str, float]:
        """Return what the failure and *entry* have in common."""
        stems = entry.stems
        named = count_quoted(entry.text, self._failure.identifiers)
        return {
            "information": min(self._information(self._output, stems), MAX_SHARED),
            "missing": self._missing(entry.text),
            "command": self._information(self._command, stems),
            "named": float(min(named, MAX_NAMED)),
            "signed": float(self._failure.is_named_in(entry.text)),
        }

    def _information(self, words: Sentence, stems: frozenset[str]) -> float:
        return math.fsum(words[word] for word in words.keys() & stems) / self._unit

    def _missing(self, text: str) -> float:
        found = (
            (sum(sentence.values()), sum(sentence[word] for word in sentence.keys() & self._held))
            for sentence in map(self._sentence, quotations(text))
        )
        return max(
            (
                (1 - held / whole) * min(whole / self._unit, MAX_INFORMATION)
                for whole, held in found
                if whole > MIN_QUOTED_INFORMATION
            ),
            default=0.0,
        )

    def _sentence(self, text: str) -> Sentence:
        return weighed(terms_of(text), self._frequencies, self._size)


def terms_of_failure(failure: Failure, entries: Sequence[EntryWords]) -> tuple[str, ...]:
    """Return the terms of the command, of quotations, and of the output in *entries*."""
    quoted = (quotation for entry in entries for quotation in quotations(entry.text))
    terms = (term for line in (failure.key, *quoted) for term in terms_of(line))
    in_both = terms_to_count(failure.terms, entries)
    return tuple(dict.fromkeys((*informative_words(terms), *in_both)))
