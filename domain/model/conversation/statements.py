"""Classification of sentences: decisions, corrections, gotchas and preferences."""

import re
from collections.abc import Callable, Iterable

from hardwon.domain.model.conversation.choices import names_by_place
from hardwon.domain.model.conversation.norms import norm_in
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.topic_words import READ, salient_words, stem

MOSTLY = 0.6
"""Share of informative words in an earlier sentence that makes a repetition."""

_REPORTING = frozenset(
    map(
        stem,
        "accepted agreed chose chosen confirmed gone noted opted picked plus recorded settled"
        " understood".split(),
    )
)


COMPARED = 100
"""Earlier sentences that a repetition is looked for in."""
_NUMBER = re.compile(r"\d+")


def _counts(stems: Iterable[str]) -> bool:
    return any(map(str.isdecimal, stems))


def unrepeated(texts: Iterable[str]) -> tuple[str, ...]:
    """Drop those of *texts* that repeat an earlier one in other words."""
    kept, known = list[str](), list[frozenset[str]]()
    for text in texts:
        stems = _stems(text).union(_NUMBER.findall(text))
        recent = known[-COMPARED:]
        if not any(_repeats(stems, earlier) and not _counts(stems - earlier) for earlier in recent):
            kept.append(text)
            known.append(stems)
    return tuple(kept)


def unechoed(decisions: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    """
    Drop the agent's decisions that repeat an earlier one of the user.

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
    """
    Compile *pattern*, whose matches all begin with a word.

    Other places, which are most, are skipped at once.
    """
    return re.compile(rf"\b(?=\w)(?:{pattern})")


_WE = (
    r"\b(?:we|i|they|the team)(?:'ve| have| had)?(?:"
    r" (?:all|both|finally|now|also|just|already|then))?"
)
_NOT_YET = (
    r"(?<!\bif )(?<!\bonce )(?<!\buntil )(?<!\bwhether )(?<!\bbefore )(?<!\bunless )(?<!\bwhy"
    r" )(?<!\bhow )"
)
_CHOICE_END = r"(?=\s*(?:$|[,.;:!?]|(?:to|now|for|that|we|until|before|and|first|then|again)\b))"
_NO_CHOICE = (
    r"(?! (?:(?:something|anything|everything|nothing)(?! like\b|"
    r" similar\b)|else|up\b|(?:it|this|that|them) up"
    r"|(?:lunch|coffee|dinner|breakfast|you|your|me|us|by|care)\b"
    r"|(?:a|an|the|this|that|some|our|my) (?:\w{1,20}"
    r" )?(?:opportunity|occasion|time|moment|chance|break|lunch|subject"
    rf"|look|topic|matter|rest){_CHOICE_END}))"
)
"""Continuations of a verb of choosing that choose nothing: `let's use the opportunity`."""

_CHOOSE = (
    r"(?:go with|stick (?:with|to)|settle on|use|adopt|switch to|choose|pick|drop|avoid|skip|leave"
    rf" out)\b{_NO_CHOICE}"
)
_DECISION = _beginning_with_words(
    r"^(?:(?:ok|okay|fine|good|great|right|yes|so|alright|perfect)[,.!]? ){0,2}"
    r"(?:(?:the|my|our|final|key|design) ){0,3}(?:decisions?|decided)(?: \S{1,20}){0,2}"
    r" ?[:\u2013\u2014]"
    rf"|{_NOT_YET}{_WE} (?:(?:decided|agreed (?:to|on|that)|opted|settled on)\b"
    rf"|(?:chose|chosen|picked|went with|gone with)\b{_NO_CHOICE})"
    r"|\b(?:it is|it's|was|been|were) decided\b(?! by\b)"
    rf"|\blet(?:'s| us|s) (?:(?:just|then|rather|better|not) ){{0,2}}{_CHOOSE}"
    rf"|\bwe(?:'ll| will| shall|'re going to| are going to) (?:just )?(?:use|go with|adopt|stick"
    rf" (?:with|to)|switch to)\b"
    rf"{_NO_CHOICE}"
    r"|\bi(?:'ll| will|'m going to| am going to) (?:just )?(?:go with|stick with|stick"
    r" to|adopt|settle on)\b"
    rf"{_NO_CHOICE}"
    rf"|(?:^|\b(?:we're|we are|i'm|i am) )going with\b{_NO_CHOICE}"
    r"|\b(?:we|i)(?:'ll| will)? (?:use|pick|choose|take|keep)(?: \S{1,80}){1,12} (?:instead"
    r" of|rather than|over)\b"
    r"|^(?:(?:ok|okay|please|so|then|yes|and),? ){0,3}(?:use|go with|pick|choose|stick with)(?:"
    r" [^\s:]{1,80}){1,12}"
    r" (?:instead of|rather than)\b"
    r"|\b(?:the|my|our|final) (?:decision|choice) (?:is|was) (?:to|that|made)\b"
    r"|\bfrom now on\b|\bab jetzt\b"
    r"|^(?:(?:die )?(?:entscheidung|beschluss)|entschieden|beschlossen) ?[:\u2013\u2014]"
    r"|\bwir haben (?:uns )?(?:\S{1,30} ){0,8}?(?:entschieden|beschlossen|geeinigt)\b"
    r"|\blass(?:t)? uns (?:\S{1,30} ){1,8}?(?:nehmen|verwenden|benutzen|behalten|weglassen)\b"
)
_TAKE = (
    r"(?:(?:use|go with|go for(?! it\b)|pick|choose|take|drop|skip|adopt|switch to|stick"
    rf" (?:with|to)|settle on)\b{_NO_CHOICE}"
    rf"|keep\b{_NO_CHOICE}(?! \w{{2,20}}ing\b| in mind\b)"
    r"|do (?!it\b|that\b|this\b|so\b|not\b|the\b|an?\b|some\b|more\b|another\b|them\b|all\b|you\b|we\b|your\b|whatever\b))"
)
_ACCEPTANCE = re.compile(
    r"^(?:please )?(?:(?:ok|okay|yes|yep|yeah|yup|sure|alright|all"
    r" right|fine|right|good|great|perfect|and|then|so|just)[,.!]? ){1,4}(?:please )?"
    rf"(?:{_TAKE}(?: ?\S{{1,80}}){{0,12}}"
    r"|(?:(?!(?:what|how|that|where|who|as|than|if|whatever|here|there|like|know|so)\b)[^\s,]{1,40}"
    r" ){1,4}it is(?: then)?[.! ]*)$"
)
_PRESENT = re.compile(
    r"^(?:(?:ok|okay|so|then|and|yes|no|fine|good|dann|also|ja|nein|gut|und),? ){0,3}"
    r"(?:we (?:go with|take|stay (?:with|on)|stick (?:with|to)|pick|choose|switch to|drop|won't use|don't use)"
    r"|(?:wir )?(?:nehmen|bleiben bei|setzen auf|wechseln (?:zu|auf)|verzichten auf)(?: wir)?)\b"
    rf"{_NO_CHOICE}(?= \S)"
    r"|^(?:neither|none of (?:them|those|these)|nope?|no)[,:;] (?:let's |we |we'll )?(?:use|take|go with)\b"
)
"""A choice that the user states as a fact: `we go with Hetzner`."""
_PASSING = re.compile(
    r"\b(?:(?:just )?this (?:time|once)|today|tonight|for (?:that|this|a moment|the moment)|again|meanwhile|diesmal|heute|nochmal)\b[^,;]{0,20}$"
)
"""The end of an instruction for now, which chooses nothing for good."""
_TAKEN_BACK = r"(?:no|nope|wait|actually|on second thoughts?)"
_REVERSAL = re.compile(
    rf"^(?:(?:oh|hm+|well|hold on|sorry|and|but|so|{_TAKEN_BACK})[,.!:]?"
    rf" ){{0,4}}{_TAKEN_BACK}[,.!:]? (?:please )?"
    r"(?:(?:don't|do not|never|let's|let's not|we (?:don't|won't|shouldn't|should not))"
    rf" )?{_CHOOSE}"
    r"|^(?:(?:ok|okay|no|so|and|but|well|wait|actually|sorry),? ){0,3}(?:i|we)"
    r" (?:want|need|meant)(?: \S{1,80}){1,12}, not "
    rf"|^(?:don't|do not)(?: \S{{1,80}}){{1,12}}[,;:\u2013\u2014] ?(?:please )?(?:just )?{_CHOOSE}"
)
"""Phrases by which a user takes something back, or replaces it."""

_CORRECTION = _beginning_with_words(
    r"^(?:oh |hm+,? )?no,? wait\b"
    r"|^(?:oh |wait,? |hm+,? )?no(?:[,!:;\u2013\u2014]+(?![,!:;\u2013\u2014]) ?| -"
    r" )(?!thanks|thank|problem|worries|rush|need\b|idea)\S+ \S"
    r"|^(?:oh |wait,? |hm+,? |well,? )?actually[,:] "
    r"|\b(?:that|this)(?:'s| is| was) (?:still )?(?:not (?:right|correct|true|what i|how"
    r" i)|wrong\b|incorrect\b|backwards\b)"
    r"|\b(?:that|this) (?:isn't|wasn't) (?:right|correct|true|what i|how i)"
    r"|\byou(?:'re| are| were) (?:wrong|mistaken)\b|\bnot what i (?:asked|meant|wanted|said)\b"
    r"|^correction ?[:,\u2013\u2014-]|\bi meant\b"
    r"|^(?:please )?(?:don't|do not|never|stop)(?: \S{1,80}){1,12}[,;:.\u2013\u2014]"
    r" ?(?:please )?(?:do|use|just|instead|write|put|keep|make|call|run)\b"
)
_GOTCHA = _beginning_with_words(
    r"\b(?:gotchas?|caveats?|pitfalls?|watch out|look out for|beware|be careful|careful"
    r" (?:with|when|not to)|heads[- ]up"
    r"|footguns?|turns? out|turned out|root cause|culprit|silently|unexpectedly|(?:is|was|were)"
    r" caused by"
    r"|(?:the|a|known|common) trap|(?:do not|don't|never) forget|known (?:bug|issue)|the fix"
    r" (?:is|was)\b"
    r"|the (?:real |actual )?(?:problem|issue|bug|cause) (?:is|was) that)\b"
    r"|\bthe (?:real |actual )?reason (?:is|was|it|this|they)\b(?! to\b)"
    r"|^(?:the )?(?:root )?(?:fix|cause|found it|solution) ?[:\u2013\u2014]|\b(?:that"
    r" is|that's|which is) why (?:it|they|the)\b"
    r"|^(?:careful|warning|caution|important|trap) ?[:!\u2013\u2014]|^(?:be )?careful,"
    r"|\b(?:please )?note (?:well )?that (?!down\b|i\b|i'|we (?:have|also|will|now)\b|we'|you"
    r" (?:asked|said)\b)"
    r"|\b(?:keep|bear) (?:it |this |that )?in mind(?! to\b)|\bbe (?:aware|warned)\b"
    r"|\b(?:one|the|a|another|only) (?:small |little )?(?:catch|snag)(?: (?:is|was|here|though)\b|"
    r" ?[:,\u2013\u2014])"
    r"|\b(?:only works?|works only) (?:if|when|while|with|without|on|in|for|from)\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|do not|can't|cannot) (?:\S{1,40} ){1,4}unless\b"
    r"|\bwithout (?:any |a )?(?:warning|notice|error)s?\b|\b(?:that|this)(?:'s| is| was) the"
    r" (?:real )?(?:cause|culprit)\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|can't|cannot) work"
    r" (?:if|when|while|with|without|until|on|in|inside)\b"
    r"|^(?:achtung|vorsicht|hinweis|wichtig|stolperfalle) ?[:,!\u2013\u2014]|\b(?:vergiss nicht|nicht vergessen|aufpassen)\b"
    r"|\b(?:die|der|das) (?:eigentliche |wahre )?(?:ursache|grund|problem|fehler) (?:ist|war|lag|liegt)\b"
    r"|\b(?:lag|liegt) (?:es )?(?:nur )?daran\b|\b(?:geht|funktioniert|läuft) nur (?:wenn|mit|ohne|auf|in|unter)\b"
)
_REMINDER = re.compile(
    r"^(?:btw|by the way|fyi|for the record)[,:]? (?=.*\b(?:if|when|whenever)\b.*[:,;]"
    r" |.*\b(?:only|never|must|needs? to)\b)"
    r"|^(?:(?:please|also|and|but|ok|okay|oh|btw|by the way),? ){0,3}(?:(?:please )?remember(?:"
    r" that\b| ?[:,\u2013\u2014-] )"
    r"|(?:merk(?:e|t)? (?:dir|euch)|denk(?:t|e)? (?:bitte )?(?:dran|daran))\b"
    r"|(?:(?:one|two|three|some|a few) (?:more )?)?(?:things?|facts?) to (?:remember|keep in"
    r" mind|note) ?:|note to self\b)"
)
_EXPLANATION = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hm+|well|btw|by the way|please|can you|could you),? ){0,3}"
    r"(?:what(?:'s| is) the difference between\b|explain (?!why\b|what"
    r" (?!an?\b)|this\b|that\b|it\b|our\b|my\b"
    r"|the (?:\w+ )?(?:bugs?|build|crash|errors?|fail\w*|issue|output|problem|tests?|trace\w*)\b)"
    r"|what(?:'s| is| are) (?:an? (?!good\b|better\b|best\b|safe\b|quick\b|clean\b)[\w-]+(?:"
    r" [\w-]+)?|\w+(?:-\w+)+) ?\??$"
    r"|how (?:does|do) (?!our\b|my\b|the\b|this\b|that\b|it\b|we\b|i\b|you\b)[\w-]+(?: [\w-]+){0,5} works?\b"
    r"|what does [\w-]+(?: [\w-]+){0,4} mean\b|was (?:ist|sind) (?:eine?|der unterschied)\b|wie funktioniert (?!unser|mein|das |der |die )"
    r"|erkläre?\b)"
)
"""Prompts that ask for general knowledge."""

MIN_WORDS = 4
"""A shorter sentence warns of nothing by itself: `Silently.`"""

_DO = (
    r"(?:i (?:want|prefer|like)\b|(?:always|never|only|don't|do"
    r" not|add|answer|ask|avoid|be|call|check|commit|do|explain|format"
    r"|give|include|keep|leave|make|name|prefer|put|reply|respond|review|run|show|speak|start|stop|tell|use|write)\b)"
)
_PREFERENCE = _beginning_with_words(
    r"\bi(?:'d| would)? (?:(?:really|much|always|strongly|usually|generally) )?prefer\b|\bi'd"
    r" rather\b|\bi would rather\b"
    rf"|\bmy preference\b|\bfrom now on,? (?:please )?{_DO}|\bin (?:the )?future,|^(?:please"
    r" )?(?:always|never) (?!mind\b)[a-z]|\bdon't ever\b"
    r"|\bi (?:always|never|usually|generally) (?:use|want|like|write|run|do|work)\b|\bi (?:don't|do"
    r" not) like\b"
    r"|\bi (?:don't|do not) want (?!to\b|it\b|that\b|this\b|you\b|any\b)"
    r"|\bi (?:really )?(?:like|love|hate|dislike) (?:it"
    r" when|when|how|to|my|tabs|spaces|short|small|plain)\b"
    r"|^please (?:keep|don't|do not|stop)\b|^stop \w{2,20}ing\b"
    r"|^(?:bitte )?(?:immer(?! noch\b)|nie|niemals) (?!ge\w+(?:en|t)\b)\S|^bitte (?:\S{1,30} )?keine?\b"
    r"|\bich (?:bevorzuge|mag (?:lieber|keine?)|(?:möchte|will|hätte|nehme|schreibe) (?:immer|nie|lieber|grundsätzlich))\b"
)
_ASKS = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hm+|well),? ){0,2}"
    r"(?:should|shall|could|can|would|do we|do you|does|did|is|are|have (?:we|you|they)|has|must"
    r" we|may) "
)


_NAMES_NOTHING = re.compile(
    r"\b(?:it|that|this|them)(?: one)?(?:,? (?:thanks|thank you|then|please|for now))?[.! ]*$"
)
_SUPPOSES = re.compile(
    r"\b(?:if|unless|whether|would|could|might|suppose|assuming|imagine|wenn|falls|würden?|könnten?)\b"
)
"""Words before a decision that make it a case to think about."""
_OTHERS = re.compile(r"\b(?:they|the team|the authors?|the maintainers?|upstream)\b")
_NOWHERE = LOOKED_AT + 1


def decides(sentence: str) -> bool:
    """
    Return whether *sentence* states a decision.

    A question does not, nor one that states a preference first.
    """
    place = _place(sentence, _DECISION.search)
    is_supposed = _SUPPOSES.search(_line(sentence[:LOOKED_AT])[:place])
    return place < _NOWHERE and place < _place_of_wish(sentence) and not is_supposed


def is_of_others(sentence: str) -> bool:
    """Return whether *sentence* is about deeds of others."""
    return _OTHERS.search(_line(sentence[:LOOKED_AT])) is not None


def chooses(sentence: str) -> bool:
    """
    Return whether the user accepts an option, or takes a choice back.

    For example `ok use sops`.
    """
    return not prefers(sentence) and (
        (_states(sentence, _ACCEPTANCE) and not _states(sentence, _PASSING))
        or _states(sentence, _REVERSAL)
        or _states(sentence, _PRESENT)
    )


def corrects(sentence: str) -> bool:
    """Return whether the user's *sentence* corrects the agent."""
    return _states(sentence, _CORRECTION) or _states(sentence, _REVERSAL)


def warns(sentence: str) -> bool:
    """Return whether *sentence* warns of a trap or names a problem's cause."""
    return _states(sentence, _GOTCHA) and len(sentence.split()) >= MIN_WORDS


def reminds(sentence: str) -> bool:
    """Return whether the user's *sentence* is to be remembered."""
    return _states(sentence, _REMINDER) and len(sentence.split()) >= MIN_WORDS


def asks_for_explanation(prompt: str) -> bool:
    """Return whether *prompt* asks for general knowledge, not about this project."""
    return _EXPLANATION.match(_line(prompt.lstrip()[:LOOKED_AT].partition("\n")[0])) is not None


def prefers(sentence: str) -> bool:
    """
    Return whether the user's *sentence* states a preference.

    One that decides first states a decision only.
    """
    place = _place_of_wish(sentence)
    return place < _NOWHERE and place <= _place(sentence, _DECISION.search)


_OBJECTION = re.compile(r"(?:because |since |and )?(?:i|we) (?:don't|do not) (?:want|like|need)\b")


def objects(sentence: str) -> bool:
    """Return whether *sentence* begins with what the user does not want."""
    return _OBJECTION.match(_line(sentence[:LOOKED_AT])) is not None


def _place_of_wish(sentence: str) -> int:
    return min(_place(sentence, _PREFERENCE.search), _place(sentence, norm_in))


def is_important(prompt: str) -> bool:
    """
    Return whether *prompt* states a decision or a correction.

    It is then a chunk by itself.
    """
    return any(_is_complete(sentence) for sentence in sentences(prompt[:READ]))


_GOES_ON = re.compile(
    r"^(?:no|nope|nein|hm+)[,.!]? (?:(?:it|that|this|they|es|das|der|die)(?:'s| is| are| ist)? )?"
    r"(?:still|(?:the )?same|didn't|did not|doesn't|does not|no (?:change|difference|luck|effect)|immer noch|noch immer|hilft nicht|gleiche)\b"
)
"""A fault that goes on corrects nothing."""


def _is_complete(sentence: str) -> bool:
    if _GOES_ON.match(_line(sentence)):
        return False
    names_nothing = _states(sentence, _NAMES_NOTHING) or names_by_place(sentence)
    return corrects(sentence) or (_states(sentence, _DECISION) and not names_nothing)


def _states(sentence: str, pattern: re.Pattern[str]) -> bool:
    return _place(sentence, pattern.search) < _NOWHERE


def _place(sentence: str, search: Callable[[str], re.Match[str] | None]) -> int:
    """
    Return the position in *sentence* of what *search* finds.

    A question states nothing.
    """
    line = _line(sentence[:LOOKED_AT])
    asks = sentence.rstrip("\"')] ").endswith("?") or _ASKS.match(line)
    found = None if asks else search(line)
    return found.start() if found else _NOWHERE


def _line(text: str) -> str:
    return text.lower().replace("\u2019", "'")
