"""What a sentence does: decide, correct, warn, or say how the user wants it."""

import re

from hardwon.domain.model.chunking.salience import READ
from hardwon.domain.model.chunking.sentences import sentences

LOOKED_AT = 2_000
"""Characters of a sentence; nobody states a thing later than that."""

_WE = r"\b(?:we|i|they|the team)(?:'ve| have| had)?(?: (?:all|both|finally|now|also|just|already|then))?"
_NOT_YET = r"(?<!\bif )(?<!\bonce )(?<!\buntil )(?<!\bwhether )(?<!\bbefore )(?<!\bunless )(?<!\bwhy )(?<!\bhow )"
_END = r"(?=\s*+(?:$|[,.;:!?]|(?:to|now|for|that|we|until|before|and|first|then|again)\b))"
_NO_CHOICE = (
    r"(?! (?:(?:something|anything|everything|nothing)(?! like\b| similar\b)|else|up\b|(?:it|this|that|them) up"
    r"|(?:lunch|coffee|dinner|breakfast|you|your|me|us|by|care)\b"
    r"|(?:a|an|the|this|that|some|our|my) (?:\w{1,20} )?(?:opportunity|occasion|time|moment|chance|break|lunch|subject"
    rf"|look|topic|matter|rest){_END}))"
)
"""What stands after a verb of choosing where nothing is chosen: `let's use the opportunity`."""

_CHOOSE = (
    rf"(?:go with|stick (?:with|to)|settle on|use|adopt|switch to|choose|pick|drop|avoid|skip|leave out)\b{_NO_CHOICE}"
)
_DECISION = re.compile(
    r"^(?:(?:the|my|our|final|key|design) ){0,3}(?:decisions?|decided)(?: \S{1,20}){0,2} ?[:\u2013\u2014]"
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
    rf"{_TAKE}(?: ?\S{{1,80}}){{0,12}}$"
)
_TAKEN_BACK = r"(?:no|nope|wait|actually|on second thoughts?)"
_REVERSAL = re.compile(
    rf"^(?:(?:oh|hm+|well|hold on|sorry|and|but|so|{_TAKEN_BACK})[,.!:]? ){{0,4}}{_TAKEN_BACK}[,.!:]? (?:please )?"
    rf"(?:(?:don't|do not|never|let's|let's not|we (?:don't|won't|shouldn't|should not)) )?{_CHOOSE}"
    r"|^(?:(?:ok|okay|no|so|and|but|well|wait|actually|sorry),? ){0,3}(?:i|we) (?:want|need|meant)(?: \S{1,80}){1,12}, not "
    rf"|^(?:don't|do not)(?: \S{{1,80}}){{1,12}}[,;:\u2013\u2014] ?(?:please )?(?:just )?{_CHOOSE}"
)
"""How a user takes something back, or says what it is to be instead."""

_CORRECTION = re.compile(
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
_GOTCHA = re.compile(
    r"\b(?:gotchas?|caveats?|pitfalls?|watch out|look out for|beware|be careful|careful (?:with|when|not to)|heads[- ]up"
    r"|footguns?|turns? out|turned out|root cause|culprit|silently|unexpectedly|(?:is|was|were) caused by"
    r"|(?:the|a|known|common) trap|(?:do not|don't|never) forget|known (?:bug|issue)|the fix (?:is|was)\b"
    r"|the (?:real |actual )?(?:problem|issue|bug|cause) (?:is|was) that)\b"
    r"|^(?:careful|warning|caution|important|trap) ?[:!\u2013\u2014]|^(?:be )?careful,"
    r"|\b(?:please )?note (?:well )?that (?!down\b|i\b|i'|we (?:have|also|will|now)\b|we'|you (?:asked|said)\b)"
    r"|\b(?:keep|bear) (?:it |this |that )?in mind(?! to\b)|\bbe (?:aware|warned)\b"
    r"|\b(?:one|the|a|another|only) (?:small |little )?(?:catch|snag)(?: (?:is|was|here|though)\b| ?[:,\u2013\u2014])"
    r"|\b(?:only works?|works only) (?:if|when|while|with|without|on|in|for|from)\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|do not|can't|cannot) (?:\S{1,40} ){1,4}unless\b"
    r"|\b(?:won't|will not|doesn't|does not|don't|can't|cannot) work (?:if|when|while|with|without|until|on|in|inside)\b"
)
FEWEST_WORDS = 4
"""A shorter sentence warns of nothing by itself: `Silently.`"""

_DO = (
    r"(?:i (?:want|prefer|like)\b|(?:always|never|only|don't|do not|add|answer|ask|avoid|be|call|check|commit|do|explain|format"
    r"|give|include|keep|leave|make|name|prefer|put|reply|respond|review|run|show|speak|start|stop|tell|use|write)\b)"
)
_PREFERENCE = re.compile(
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


_NAMES_NOTHING = re.compile(r"\b(?:it|that|this|them)(?: one)?(?:,? (?:thanks|thank you|then|please|for now))?[.! ]*$")
_NOWHERE = LOOKED_AT + 1


def decides(sentence: str) -> bool:
    """Tell whether *sentence* decides something; a question does not, nor how the user always wants it."""
    place = _place(sentence, _DECISION)
    return place < _NOWHERE and place < _place(sentence, _PREFERENCE)


def chooses(sentence: str) -> bool:
    """Tell whether *sentence*, said by the user, accepts what it names, or takes a choice back: `ok use sops`."""
    return not prefers(sentence) and (_states(sentence, _ACCEPTANCE) or _states(sentence, _REVERSAL))


def corrects(sentence: str) -> bool:
    """Tell whether *sentence*, said by the user, puts something right."""
    return _states(sentence, _CORRECTION) or _states(sentence, _REVERSAL)


def warns(sentence: str) -> bool:
    """Tell whether *sentence* warns of a trap, or says what was behind a trouble."""
    return _states(sentence, _GOTCHA) and len(sentence.split()) >= FEWEST_WORDS


def prefers(sentence: str) -> bool:
    """Tell whether *sentence*, said by the user, tells how they want it; one that first decides does that only."""
    place = _place(sentence, _PREFERENCE)
    return place < _NOWHERE and place <= _place(sentence, _DECISION)


def is_important(prompt: str) -> bool:
    """Tell whether *prompt* states a decision or a correction, and so can stand by itself (requirement C-T3.9)."""
    return any(_stands_alone(sentence) for sentence in sentences(prompt[:READ]))


def _stands_alone(sentence: str) -> bool:
    return corrects(sentence) or (_states(sentence, _DECISION) and not _states(sentence, _NAMES_NOTHING))


def _states(sentence: str, pattern: re.Pattern[str]) -> bool:
    return _place(sentence, pattern) < _NOWHERE


def _place(sentence: str, pattern: re.Pattern[str]) -> int:
    """Return where *sentence* states what *pattern* finds."""
    said = sentence[:LOOKED_AT].lower().replace("\u2019", "'")
    asks = sentence.rstrip("\"')] ").endswith("?") or _ASKS.match(said)
    found = None if asks else pattern.search(said)
    return found.start() if found else _NOWHERE
