"""Classification of sentences: decisions, corrections, gotchas and preferences; alternatives and reasons of a decision."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hardwon.domain.model.conversation.sentences import sentences, split_sentences
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.words import READ, salient_words, stem
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.settings import BUFFERED

MOSTLY = 0.6
"""The share of a sentence's informative words that make it a repetition of another that has them."""

_REPORTING = frozenset(
    map(stem, "accepted agreed chose chosen confirmed gone noted opted picked plus recorded settled understood".split())
)


def unechoed(decisions: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    """
    Return *decisions* without those of the agent that repeat an earlier one of the user.

    Args:
        decisions: Sentences in order, each with whether the user wrote it.
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
    return frozenset(map(stem, salient_words(text))) - _REPORTING


def _repeats(stems: frozenset[str], earlier: frozenset[str]) -> bool:
    return bool(stems) and len(stems & earlier) >= MOSTLY * len(stems)


LOOKED_AT = 2_000
"""Characters of a sentence that are searched."""


def _beginning_with_words(pattern: str) -> re.Pattern[str]:
    """Compile *pattern*, whose matches all begin with a word: other places, which are most, are passed over at once."""
    return re.compile(rf"\b(?=\w)(?:{pattern})")


_WE = r"\b(?:we|i|they|the team)(?:'ve| have| had)?(?: (?:all|both|finally|now|also|just|already|then))?"
_NOT_YET = r"(?<!\bif )(?<!\bonce )(?<!\buntil )(?<!\bwhether )(?<!\bbefore )(?<!\bunless )(?<!\bwhy )(?<!\bhow )"
_CHOICE_END = r"(?=\s*+(?:$|[,.;:!?]|(?:to|now|for|that|we|until|before|and|first|then|again)\b))"
_NO_CHOICE = (
    r"(?! (?:(?:something|anything|everything|nothing)(?! like\b| similar\b)|else|up\b|(?:it|this|that|them) up"
    r"|(?:lunch|coffee|dinner|breakfast|you|your|me|us|by|care)\b"
    r"|(?:a|an|the|this|that|some|our|my) (?:\w{1,20} )?(?:opportunity|occasion|time|moment|chance|break|lunch|subject"
    rf"|look|topic|matter|rest){_CHOICE_END}))"
)
"""Continuations of a verb of choosing that choose nothing: `let's use the opportunity`."""

_CHOOSE = (
    rf"(?:go with|stick (?:with|to)|settle on|use|adopt|switch to|choose|pick|drop|avoid|skip|leave out)\b{_NO_CHOICE}"
)
_DECISION = _beginning_with_words(
    r"^(?:(?:ok|okay|fine|good|great|right|yes|so|alright|perfect)[,.!]? ){0,2}"
    r"(?:(?:the|my|our|final|key|design) ){0,3}(?:decisions?|decided)(?: \S{1,20}){0,2} ?[:\u2013\u2014]"
    rf"|{_NOT_YET}{_WE} (?:(?:decided|agreed (?:to|on|that)|opted|settled on)\b"
    rf"|(?:chose|chosen|picked|went with|gone with)\b{_NO_CHOICE})"
    r"|\b(?:it is|it's|was|been|were) decided\b(?! by\b)"
    rf"|\blet(?:'s| us|s) (?:(?:just|then|rather|better|not) ){{0,2}}{_CHOOSE}"
    rf"|\bwe(?:'ll| will| shall|'re going to| are going to) (?:just )?(?:use|go with|adopt|stick (?:with|to)|switch to)\b"
    rf"{_NO_CHOICE}"
    r"|\bi(?:'ll| will|'m going to| am going to) (?:just )?(?:go with|stick with|stick to|adopt|settle on)\b"
    rf"{_NO_CHOICE}"
    rf"|(?:^|\b(?:we're|we are|i'm|i am) )going with\b{_NO_CHOICE}"
    r"|\b(?:we|i)(?:'ll| will)? (?:use|pick|choose|take|keep)(?: \S{1,80}){1,12} (?:instead of|rather than|over)\b"
    r"|^(?:(?:ok|okay|please|so|then|yes|and),? ){0,3}(?:use|go with|pick|choose|stick with)(?: [^\s:]{1,80}){1,12}"
    r" (?:instead of|rather than)\b"
    r"|\b(?:the|my|our|final) (?:decision|choice) (?:is|was) (?:to|that|made)\b"
    r"|\bfrom now on\b"
)
_TAKE = (
    rf"(?:(?:use|go with|go for(?! it\b)|pick|choose|take|drop|skip|adopt|switch to|stick (?:with|to)|settle on)\b{_NO_CHOICE}"
    rf"|keep\b{_NO_CHOICE}(?! \w{{2,20}}ing\b| in mind\b)"
    r"|do (?!it\b|that\b|this\b|so\b|not\b|the\b|an?\b|some\b|more\b|another\b|them\b|all\b|you\b|we\b|your\b|whatever\b))"
)
_ACCEPTANCE = re.compile(
    r"^(?:please )?(?:(?:ok|okay|yes|yep|yeah|yup|sure|alright|all right|fine|right|good|great|perfect|and|then|so|just)[,.!]? ){1,4}(?:please )?"
    rf"(?:{_TAKE}(?: ?\S{{1,80}}){{0,12}}"
    r"|(?:(?!(?:what|how|that|where|who|as|than|if|whatever|here|there|like|know|so)\b)[^\s,]{1,40} ){1,4}it is(?: then)?[.! ]*)$"
)
_TAKEN_BACK = r"(?:no|nope|wait|actually|on second thoughts?)"
_REVERSAL = re.compile(
    rf"^(?:(?:oh|hm+|well|hold on|sorry|and|but|so|{_TAKEN_BACK})[,.!:]? ){{0,4}}{_TAKEN_BACK}[,.!:]? (?:please )?"
    rf"(?:(?:don't|do not|never|let's|let's not|we (?:don't|won't|shouldn't|should not)) )?{_CHOOSE}"
    r"|^(?:(?:ok|okay|no|so|and|but|well|wait|actually|sorry),? ){0,3}(?:i|we) (?:want|need|meant)(?: \S{1,80}){1,12}, not "
    rf"|^(?:don't|do not)(?: \S{{1,80}}){{1,12}}[,;:\u2013\u2014] ?(?:please )?(?:just )?{_CHOOSE}"
)
"""Phrases by which a user takes something back, or replaces it."""

_CORRECTION = _beginning_with_words(
    r"^(?:oh |hm+,? )?no,? wait\b"
    r"|^(?:oh |wait,? |hm+,? )?no(?:[,!:;\u2013\u2014]++ ?| - )(?!thanks|thank|problem|worries|rush|need\b|idea)\S++ \S"
    r"|^(?:oh |wait,? |hm+,? |well,? )?actually[,:] "
    r"|\b(?:that|this)(?:'s| is| was) (?:still )?(?:not (?:right|correct|true|what i|how i)|wrong\b|incorrect\b|backwards\b)"
    r"|\b(?:that|this) (?:isn't|wasn't) (?:right|correct|true|what i|how i)"
    r"|\byou(?:'re| are| were) (?:wrong|mistaken)\b|\bnot what i (?:asked|meant|wanted|said)\b"
    r"|^correction ?[:,\u2013\u2014-]|\bi meant\b"
    r"|^(?:please )?(?:don't|do not|never|stop)(?: \S{1,80}){1,12}[,;:.\u2013\u2014]"
    r" ?(?:please )?(?:do|use|just|instead|write|put|keep|make|call|run)\b"
)
_GOTCHA = _beginning_with_words(
    r"\b(?:gotchas?|caveats?|pitfalls?|watch out|look out for|beware|be careful|careful (?:with|when|not to)|heads[- ]up"
    r"|footguns?|turns? out|turned out|root cause|culprit|silently|unexpectedly|(?:is|was|were) caused by"
    r"|(?:the|a|known|common) trap|(?:do not|don't|never) forget|known (?:bug|issue)|the fix (?:is|was)\b"
    r"|the (?:real |actual )?(?:problem|issue|bug|cause) (?:is|was) that)\b"
    r"|\bthe (?:real |actual )?reason (?:is|was|it|this|they)\b(?! to\b)"
    r"|^(?:the )?(?:root )?(?:fix|cause|found it|solution) ?[:\u2013\u2014]|\b(?:that is|that's|which is) why (?:it|they|the)\b"
    r"|^(?:careful|warning|caution|important|trap) ?[:!\u2013\u2014]|^(?:be )?careful,"
    r"|\b(?:please )?note (?:well )?that (?!down\b|i\b|i'|we (?:have|also|will|now)\b|we'|you (?:asked|said)\b)"
    r"|\b(?:keep|bear) (?:it |this |that )?in mind(?! to\b)|\bbe (?:aware|warned)\b"
    r"|\b(?:one|the|a|another|only) (?:small |little )?(?:catch|snag)(?: (?:is|was|here|though)\b| ?[:,\u2013\u2014])"
    r"|\b(?:only works?|works only) (?:if|when|while|with|without|on|in|for|from)\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|do not|can't|cannot) (?:\S{1,40} ){1,4}unless\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|can't|cannot) work (?:if|when|while|with|without|until|on|in|inside)\b"
)
_REMINDER = re.compile(
    r"^(?:(?:please|also|and|but|ok|okay|oh|btw|by the way),? ){0,3}(?:(?:please )?remember(?: that\b| ?[:,\u2013\u2014-] )"
    r"|(?:(?:one|two|three|some|a few) (?:more )?)?(?:things?|facts?) to (?:remember|keep in mind|note) ?:|note to self\b"
    r"|(?:don't forget|do not forget|never forget)(?: that)?\b(?! to\b))"
)
_EXPLANATION = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hm+|well|btw|by the way|please|can you|could you),? ){0,3}"
    r"(?:explain\b|what(?:'s| is| are) (?:the difference between|an? |[\w.-]+ ?\??$)|what do(?:es)? the (?:docs?|documentation|manual|spec|readme)\b"
    r"|how (?:does|do) an? )"
)
"""Prompts that ask for general knowledge, or for the words of others."""

MIN_WORDS = 4
"""A shorter sentence warns of nothing by itself: `Silently.`"""

_DO = (
    r"(?:i (?:want|prefer|like)\b|(?:always|never|only|don't|do not|add|answer|ask|avoid|be|call|check|commit|do|explain|format"
    r"|give|include|keep|leave|make|name|prefer|put|reply|respond|review|run|show|speak|start|stop|tell|use|write)\b)"
)
_PREFERENCE = _beginning_with_words(
    r"\bi(?:'d| would)? (?:(?:really|much|always|strongly|usually|generally) )?prefer\b|\bi'd rather\b|\bi would rather\b"
    rf"|\bmy preference\b|\bfrom now on,? (?:please )?{_DO}|\bin (?:the )?future,|^(?:please )?(?:always|never) [a-z]|\bdon't ever\b"
    r"|\bi (?:always|never|usually|generally) (?:use|want|like|write|run|do|work)\b|\bi (?:don't|do not) like\b"
    r"|\bi (?:really )?(?:like|love|hate|dislike) (?:it when|when|how|to|my|tabs|spaces|short|small|plain)\b"
    r"|^please (?:keep|don't|do not|stop)\b|^stop \w{2,20}ing\b"
)
_ASKS = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hm+|well),? ){0,2}"
    r"(?:should|shall|could|can|would|do we|do you|does|did|is|are|have (?:we|you|they)|has|must we|may) "
)


_NAMES_NOTHING = re.compile(
    r"\b(?:it|that|this|them|(?:option |variant |choice |number )?(?:[a-h]|\d))(?: one)?(?:,? (?:thanks|thank you|then|please|for now))?[.! ]*$",
    re.IGNORECASE,
)
_NOWHERE = LOOKED_AT + 1


def decides(sentence: str) -> bool:
    """Return whether *sentence* states a decision; a question does not, nor a preference."""
    place = _place(sentence, _DECISION)
    return place < _NOWHERE and place < _place(sentence, _PREFERENCE)


def chooses(sentence: str) -> bool:
    """Return whether *sentence*, by the user, accepts an option it names, or takes a choice back: `ok use sops`."""
    return not prefers(sentence) and (_states(sentence, _ACCEPTANCE) or _states(sentence, _REVERSAL))


def corrects(sentence: str) -> bool:
    """Return whether *sentence*, by the user, corrects the agent."""
    return _states(sentence, _CORRECTION) or _states(sentence, _REVERSAL)


def warns(sentence: str) -> bool:
    """Return whether *sentence* warns of a trap, or names the cause of a problem."""
    return _states(sentence, _GOTCHA) and len(sentence.split()) >= MIN_WORDS


def reminds(sentence: str) -> bool:
    """Return whether *sentence*, by the user, is to be remembered: `remember that staging is wiped every Sunday`."""
    return _states(sentence, _REMINDER) and len(sentence.split()) >= MIN_WORDS


def asks_for_explanation(prompt: str) -> bool:
    """Return whether *prompt* asks what something is in general: its answer says nothing about this project."""
    return _EXPLANATION.match(_line(prompt.lstrip()[:LOOKED_AT].partition("\n")[0])) is not None


def prefers(sentence: str) -> bool:
    """Return whether *sentence*, by the user, states a preference; one that decides first states a decision only."""
    place = _place(sentence, _PREFERENCE)
    return place < _NOWHERE and place <= _place(sentence, _DECISION)


def is_important(prompt: str) -> bool:
    """Return whether *prompt* states a decision or a correction, and so is a chunk by itself."""
    return any(_is_complete(sentence) for sentence in sentences(prompt[:READ]))


def _is_complete(sentence: str) -> bool:
    return corrects(sentence) or (_states(sentence, _DECISION) and not _states(sentence, _NAMES_NOTHING))


def _states(sentence: str, pattern: re.Pattern[str]) -> bool:
    return _place(sentence, pattern) < _NOWHERE


def _place(sentence: str, pattern: re.Pattern[str]) -> int:
    """Return the position in *sentence* of a statement that *pattern* matches."""
    line = _line(sentence[:LOOKED_AT])
    asks = sentence.rstrip("\"')] ").endswith("?") or _ASKS.match(line)
    found = None if asks else pattern.search(line)
    return found.start() if found else _NOWHERE


def _line(text: str) -> str:
    return text.lower().replace("\u2019", "'")


LONGEST_NAME = 80
"""Characters; a longer text is no name."""

MAX_NAMED = 12

_FAR = 2_000
"""Characters below a label in which its list is read."""

_LABELLED = re.compile(
    r"(?:^[ \t>*_#+-]*|[.;!?)] +[*_]*)"
    r"(?:(?:rejected|discarded|dismissed|ruled out|not chosen|(?:also |other )?considered)(?: (?:alternatives?|options?))?"
    r"|(?:other |rejected )?(?:alternatives?|options)(?: (?:considered|rejected|were|are|discussed|that were rejected))?)"
    r"[*_]* ?:[*_]*(?P<rest>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(r"[(\[](?![a-z\d]\))[^()\[\]\n]{1,200}[)\]]", re.IGNORECASE)
_ITEM = re.compile(r"[ \t>]*(?:[-+*\u2022]|(?P<letter>\d{1,2}|[A-Za-z])[.)])[ \t]+(?P<text>[^\n]*)")
_LETTERED = re.compile(r"(?:^|(?<=\s))\(?(?P<letter>[A-Za-z]|\d{1,2})\)[ \t]+")
_BETWEEN = re.compile(r"[,;/]\s+(?:(?:and|or)\s+)?|\s+(?:and|or|\|)\s+")
_NAME_ENDS = re.compile(r"\s[\u2013\u2014-]+\s|:\s|[;,]\s|\s(?:because|since|as|due to|which|is|are|was|would)\b")
_LIST_MARKS = " \t*_`\"'.,;:!?"


def listed_names(text: str, statement: str) -> Iterator[str]:
    """
    Yield the names of alternatives that *text* lists under a label such as `Rejected:`, in order, without remarks.

    Args:
        text: Markdown.
        statement: The decision: `let's go with option B` leaves B out.
    """
    for label in _LABELLED.finditer(text):
        rest = label["rest"].strip(" *_")
        items = _on_the_line(rest) if rest else _below(text[label.end() : label.end() + _FAR])
        for letter, item in items:
            name = _NAME_ENDS.split(_REMARK.sub("", item).strip(_LIST_MARKS), maxsplit=1)[0].strip(_LIST_MARKS)
            if name and len(name) <= LONGEST_NAME and not name.startswith("-") and not _is_named(letter, statement):
                yield name


def _on_the_line(rest: str) -> Iterator[tuple[str | None, str]]:
    lettered = list(_LETTERED.finditer(rest))
    if len(lettered) > 1:
        ends = [mark.start() for mark in lettered[1:]] + [len(rest)]
        pairs = zip(lettered[:MAX_NAMED], ends, strict=False)
        yield from ((mark["letter"], rest[mark.end() : end]) for mark, end in pairs)
        return
    sentence = next(split_sentences(_REMARK.sub("", rest)), "")
    yield from ((None, item) for item in _BETWEEN.split(sentence)[:MAX_NAMED])


def _below(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the items of the list that *text* begins with."""
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines[:MAX_NAMED]:
        item = _ITEM.match(line)
        if not item:
            return
        yield item["letter"], item["text"]


def _is_named(letter: str | None, statement: str) -> bool:
    return letter is not None and bool(
        re.search(rf"\b(?:option|variant|choice|number|alternative) {letter}\b", statement, re.IGNORECASE)
    )


MAX_REASONS = 12
LONGEST_ALTERNATIVE = 80  # characters

_WHY = re.compile(
    r"\b(?:because|since|so that|therefore|thus|hence|due to|as it|which means|that way|in order to|otherwise"
    r"|the reason|trade-?off|advantage|drawback|overkill"
    r"|too (?:many|much|slow|big|heavy|large|costly|expensive|complex|complicated|risky|fragile|hard)"
    r"|would (?:break|fail|lose|leak|block|hide|need|have to))\b|, as\b",
    re.IGNORECASE,
)
_REASON_END = r"(?=[,.;:!?()\n]|\s(?:because|since|so that|as|for|due|when|and|but|to|which|that)\b|$)"
_INSTEAD = re.compile(
    rf"\b(?:instead of|rather than|as opposed to)\s+(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\b(?:chose|choose|picked|pick|prefer(?:red)?|went with|go with|going with|use|using)\s+"
    rf"[^\n,.;]{{1,{LONGEST_ALTERNATIVE}}}?\s+over\s+(?:using\s+)?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    rf"\b(?:decided against|ruled out|rejected|considered|alternatives? (?:is|was|would be))\s+(?!(?:alternatives?|options?)\b)"
    rf"(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"(?:,|\band) not (?:with |to use |use |using )?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}"
    rf"|\bnot (?:to use |use |using )?(?!only\b|just\b|merely\b)(?P<first>[^\n,]{{1,{LONGEST_ALTERNATIVE}}}?),? but\b",
    re.IGNORECASE,
)
"""Matched in the statement itself only: elsewhere much is negated."""

_TURN = re.compile(r"\b(?:instead of|rather than|as opposed to|over|against|not|don't|never)\b|n't\b", re.IGNORECASE)
"""The words where a statement turns from the chosen option to the others."""

_EMPHASIS_MARKS = "*_`\"' "


def alternatives(statement: str, exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """
    Return the alternatives to the decision of *statement*, in order, without repeats.

    They are the names after words such as `instead of`, `over` and `ruled out`, those listed as rejected or considered,
    and the options of the agent's questions that were not chosen.
    """
    exchanges = list(exchanges)
    texts = [statement, *(text for exchange in exchanges for text in (exchange.user, exchange.assistant))]
    refused = (found["other"] or found["first"] for found in _NOT.finditer(statement))
    named = (name.strip(_EMPHASIS_MARKS) for name in (*refused, *(name for text in texts for name in _named(text))))
    listed = (name for text in texts for name in listed_names(text, statement))
    options = (
        option
        for exchange in exchanges
        for answered in exchange.answers
        for option in answered.options
        if option and option.casefold() not in answered.answer.casefold()
    )
    chosen = _words(_TURN.split(statement, maxsplit=1)[0])
    return _unique((*(name for name in (*named, *listed) if not _is_in(name, chosen)), *options))


def _is_in(name: str, chosen: frozenset[str]) -> bool:
    return bool(words := _words(name)) and words <= chosen


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, search_terms(text)))


def reasons(exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """Return the sentences that give a reason, in order, without repeats, at most 12."""
    return _unique(reason for exchange in exchanges for reason in _reasons_in(exchange))[:MAX_REASONS]


@lru_cache(maxsize=BUFFERED)  # the same exchanges lead to several statements
def _reasons_in(exchange: Exchange) -> tuple[str, ...]:
    return tuple(
        sentence
        for text in (exchange.user, exchange.assistant)
        for sentence in sentences(text)
        if _WHY.search(sentence)
    )


def _named(text: str) -> Iterator[str]:
    found = (match for pattern in (_INSTEAD, _OVER, _AGAINST) for match in pattern.finditer(text))
    yield from (match["other"] for match in sorted(found, key=lambda match: match.start()))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (" ".join(text.split()) for text in texts)
    first = dict[str, str]()
    for line in lines:
        first.setdefault(line.casefold(), line)
    return tuple(first.values())
