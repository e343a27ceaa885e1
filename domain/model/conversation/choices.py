"""
Short consents, such as `a then`, and the options that they mean.

The agent names options in a list, one after the other in a line, or with `either … or`. The tables
are in English and German.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.plain_text import plain_text, sentences
from hardwon.domain.model.text import split_sentences

LONGEST_OPTION = 160
"""Characters of an option that are recorded with the choice."""

MAX_OPTIONS = 12

MAX_NODS = 2
"""Most words, such as `yes`, before a bare label."""

LOOKED_AT = 120
"""Characters of a consent. A longer sentence says itself what it chooses."""


class Option(NamedTuple):
    """
    An option that the agent named.

    Attributes:
        label: Its letter or number in lower case; empty without one.
    """

    label: str
    text: str


_ITEM = re.compile(
    r"^[ \t>]*(?:[-+*\u2022][ \t]+)?[*_]*(?:(?:option|variant|variante|choice|plan|weg)[ \t]+)?\(?"
    r"(?P<label>\d{1,2}|[A-Za-z]|[ivxIVX]{2,4})(?:[.):]|[ \t]*[\u2013\u2014]|[ \t]+-(?=[ \t]))[*_]*[ \t]+(?P<text>[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t>]*[-+*\u2022][ \t]+(?P<text>[^\n]*)", re.MULTILINE)
_INLINE = re.compile(
    r"(?:^|(?<=[\s:;,]))(?:\((?P<round>[A-Ha-h]|\d)\)|(?P<half>[A-Ha-h]|\d)\)"
    r"|(?:option|variant|variante|choice) (?P<named>[A-Ha-h]|\d)\b ?(?:[:,.\u2013\u2014-]|\b(?:is|would be|ist|wäre)\b)?)[ \t]*",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"^(?:and |or |but |oder |und )?(?:the |der |die |das )?(?P<first>first(?:ly)?|one|erstens|erste[rns]?|eins)\b"
    r"|^(?:and |or |but |oder |und )?(?:the |der |die |das )?(?P<second>second(?:ly)?|two|zweitens|zweite[rns]?|zwei)\b"
    r"|^(?:and |or |but |oder |und )?(?:the |der |die |das )?(?P<third>third(?:ly)?|three|drittens|dritte[rns]?|drei)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(
    r"\b(?:either|entweder)[ ,]+(?P<one>[^\n?!;]{2,160}?),? +(?:or|oder) +(?P<other>[^\n?!;]{2,160})",
    re.IGNORECASE,
)
_COULD = re.compile(
    r"\b(?:(?:we|you|i|one) (?:could|can|might)|(?:wir|du|ich|man) (?:könnten|könntest|könnte|können|kannst|kann))"
    r" (?P<one>[^\n?!;]{2,160}?),? (?:or|oder) (?P<other>[^\n?!;]{2,160})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:[^\n?]{0,60}?[:\u2013\u2014,] )?(?:(?:should|shall|do|would|could|can|sollen|soll|willst|möchtest|wollen|nehmen)"
    r" (?:we|i|you|wir|ich|du) (?:(?:want|prefer|like|rather) )?(?:to )?)?"
    r"(?P<one>[^\n?]{2,120}?),? +(?:or|oder) +(?P<other>[^\n?]{2,120})\?",
    re.IGNORECASE,
)


_ENDS = re.compile(r"[ ,;]+(?:(?:and|or|und|oder)[ ,]*)?$")


def named_options(reply: str) -> tuple[Option, ...]:
    r"""
    Return the options that *reply* names, in order.

    Examples:
        >>> [option.text for option in named_options("Either a cron job, or a queue with one worker.")]
        ['a cron job', 'a queue with one worker.']
        >>> named_options("a) Postgres: nothing new.\nb) Redis: one more service.")[1]
        Option(label='b', text='Redis: one more service.')
    """
    for found in (_listed(reply), _in_line(reply), _numbered_in_words(reply), _bulleted(reply)):
        if len(options := tuple(found)[:MAX_OPTIONS]) > 1:
            return options
    return tuple(_alternatives(reply))


def _listed(reply: str) -> Iterator[Option]:
    return (Option(item["label"].lower(), item["text"]) for item in _ITEM.finditer(reply))


def _bulleted(reply: str) -> Iterator[Option]:
    return (Option("", item["text"]) for item in _BULLET.finditer(reply))


def _in_line(reply: str) -> Iterator[Option]:
    for line in reply.split("\n"):
        marks = [*_INLINE.finditer(line)][: MAX_OPTIONS + 1]
        if not marks[1:]:
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        for mark, end in zip(marks, ends, strict=True):
            label = mark["round"] or mark["half"] or mark["named"]
            yield Option(label.lower(), _ENDS.sub("", line[mark.end() : end]))
        return


def _numbered_in_words(reply: str) -> Iterator[Option]:
    wanted = 1
    for sentence in sentences(reply):
        found = _ORDINAL.match(sentence)
        if found and found.lastindex == wanted:
            yield Option("", sentence)
            wanted += 1


def _alternatives(reply: str) -> Iterator[Option]:
    spoken = sentences(reply)
    for pattern in (_EITHER, _COULD, _QUESTION):
        for sentence in reversed(spoken):
            if found := pattern.search(sentence):
                yield from (Option("", found["one"].strip()), Option("", found["other"].strip()))
                return


_FILLER = (
    r"(?:ok|okay|alright|all right|agreed|cool|nice|perfect|yes|yep|yeah|yup|sure|fine|good|great|right|well|hm+|then|so|please|thanks|thank you|i think|i guess|i'd say|just|also"
    r"|only|as well|too|for now|ja|gut|klar|genau|na gut|passt|dann|also|bitte|danke|ich denke|lieber|noch|nur|auch|und auch|mal|doch)"
)
_VERB = (
    r"(?:(?:let's |lass uns |i'd |i would |i'll |we'll |ich würde |wir )?(?:go with|go for|going with|take|use|pick|choose|do|stick with|prefer"
    r"|want|like|have|try|nehmen wir|nehmen|nimm|nehme|machen wir|machen|mach|mit|wähle|gehen wir mit|bleiben wir bei)|drop|make it|i'm for|ich bin für|für)"
)
_PLACES: dict[str, int] = {
    word: place
    for place, words in enumerate(
        (
            "first 1st former erste ersten erster erstes erstere ersteres ersterem",
            "second 2nd zweite zweiten zweiter zweites",
            "third 3rd dritte dritten dritter drittes",
            "fourth 4th vierte vierten vierter viertes",
        )
    )
    for word in words.split()
}
_LAST = "last latter letzte letzten letzter letztes letztere letzteres letzterem".split()
_ALL = "both all everything beide beides alle alles".split()
_WORD = "|".join((*_PLACES, *_LAST))
_REFERENCE = (
    rf"(?:(?:the |den |die |das |der |dem )?(?:{_WORD})(?: (?:one|option|variant|choice|way|idea|approach|variante|lösung|idee|weg|vorschlag))?"
    r"|(?:the )?(?:option|variant|variante|choice|number|nummer|nr\.?|no\.?|plan|#)? ?\(?(?:[a-h]|\d{1,2})(?:\)|\.(?=\s))?(?! ?%)"
    r"|\((?:[ivx]{1,4})\)"
    rf"|(?:{'|'.join(_ALL)})(?: (?:of them|of those|three|options|drei|zwei|davon))?)"
)
_REFUSAL = re.compile(
    rf"(?:{_FILLER}[ ,.!:]+)*(?P<chosen>{_REFERENCE})[,:]? (?:no|nope|nein|not|never|rather not|lieber nicht|nicht)\b.*",
    re.IGNORECASE,
)
_BARE_LABEL = re.compile(
    r"(?:^|(?<=[.!,;] ))(?:\(?(?:[a-h]|\d{1,2})(?:[).,:;!]+(?=\s|$)|$)|\([ivx]{1,4}\)[.,:;!]*(?=\s|$))",
    re.IGNORECASE,
)
"""A label without any word, which is no sentence."""
_CHOICE = re.compile(
    rf"(?:(?:{_FILLER}[ ,.!:]+)*|(?!.{{0,60}}(?:\b(?:not|never|nicht|kein\w*)|n['\u2019]t)\b)[^?]{{0,60}}?[ ,](?={_VERB} ))"
    rf"(?:{_VERB} (?:{_FILLER} )*)?(?P<chosen>{_REFERENCE}"
    rf"(?:(?:,? (?:and|plus|und|sowie|\+|&)(?: {_FILLER})? |, ?|/|\+|&| \+ ){_REFERENCE}){{0,4}})"
    rf"(?: it is| wins| is (?:enough|fine|better|best|good)| will do| ist es| reicht| passt)?(?:[ ,]+{_FILLER})*(?:[,;:.!\u2013\u2014-]+ .*|[.! ]*| (?:because|since|as|weil|da|denn)\b.*)",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    rf"\b(?:(?P<word>{_WORD})|(?P<all>{'|'.join(_ALL)})|(?P<label>[a-h]|\d{{1,2}}|(?<=\()[ivx]{{1,4}}(?=\))))\b",
    re.IGNORECASE,
)


def names_by_place(sentence: str) -> bool:
    """Return whether *sentence* names options only by letter, number or place."""
    return len(sentence) <= LOOKED_AT and _choice_in(" ".join(sentence.split())) is not None


def _choice_in(line: str) -> re.Match[str] | None:
    return _CHOICE.fullmatch(line) or _REFUSAL.fullmatch(line)


def bare_labels(answer: str) -> Iterator[str]:
    r"""
    Yield the bare label that begins a one-line *answer* of the user.

    Examples:
        >>> [*bare_labels("2. A script of its own, thanks.")], [*bare_labels("yes, b. it is small")]
        (['2.'], ['b.'])
        >>> [*bare_labels("take 2")], [*bare_labels("1. read it\n2. map it")]
        ([], [])
    """
    line = answer.strip()
    found = None if "\n" in line else _BARE_LABEL.search(line[:LOOKED_AT])
    if found and len(line[: found.start()].split()) <= MAX_NODS:
        yield found[0]


def chosen_options(consent: str, options: Sequence[Option]) -> tuple[Option, ...]:
    """
    Return those of *options* that *consent* names by label or place.

    Examples:
        >>> options = (Option("1", "cron"), Option("2", "a queue"), Option("3", "a log"))
        >>> [option.text for option in chosen_options("take 2, and 3 as well", options)]
        ['a queue', 'a log']
        >>> [option.text for option in chosen_options("the first", options)], chosen_options("run it", options)
        (['cron'], ())
    """
    line = " ".join(consent[: LOOKED_AT + 1].split())
    found = None if len(line) > LOOKED_AT or "?" in line else _choice_in(line)
    if found is None or not options:
        return ()
    references = _REFERENCES.finditer(found["chosen"])
    places = [place for reference in references for place in _places_of(reference, options)]
    return tuple(options[place] for place in dict.fromkeys(places))


def _places_of(reference: re.Match[str], options: Sequence[Option]) -> Iterable[int]:
    if reference["all"]:
        return range(len(options))
    if reference["word"]:
        word = reference["word"].lower()
        place = len(options) - 1 if word in _LAST else _PLACES[word]
        return (place,) if place < len(options) else ()
    label = reference["label"].lower()
    labels = [option.label for option in options]
    if label in labels:
        return (labels.index(label),)
    is_unlabelled = label.isdecimal() and not any(labels)
    return (int(label) - 1,) if is_unlabelled and 0 < int(label) <= len(options) else ()


def with_options(consent: str, texts: Iterable[str]) -> str:
    r"""
    Return *consent* with the options of *texts* that it means.

    The first text that has them counts. It is unchanged if it names none.

    Examples:
        >>> with_options("b then", ["a) Postgres: nothing new.\nb) Meilisearch: one small binary."])
        'b then: Meilisearch: one small binary.'
    """
    if not names_by_place(consent):
        return consent
    for text in texts:
        if chosen := chosen_options(consent, named_options(text)):
            options = (_brief(option.text, LONGEST_OPTION // len(chosen)) for option in chosen)
            return f"{consent.rstrip(' .!')}: {'; '.join(options)}"
    return consent


def _brief(text: str, room: int) -> str:
    line = " ".join(plain_text(text).split())
    return shortened(next(split_sentences(line), line), max(room, 40))
