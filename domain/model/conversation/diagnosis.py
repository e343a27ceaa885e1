"""The cause of a fault and its fix, in an agent's reply to a user who reports the fault, without any usual word of warning."""

import re
from collections.abc import Sequence
from itertools import islice

MIN_WORDS = 6
"""Words of a sentence that names a cause."""

FIX_WITHIN = 4
"""Sentences after the cause."""

_FAULT = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|wrong|missing|errors?|exceptions?|crash(?:es|ed|ing)?|hangs?|stuck|slow|flaky|twice"
    r"|empty|lost|gone|disappear(?:s|ed)?|blank|time(?:s|d) out|(?:does|do|is|are|did|was|were|ca|wo)n'?t|cannot|not work\w*"
    r"|why (?:is|are|does|do|did|was))\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|comes? from|came from|caused by|happens? (?:when|because|as soon as)|(?:that|this|which) (?:is|was) why"
    r"|the (?:reason|cause|culprit)|so (?:each|every|the|it|they|both|all) \w+ (?:was|were|got|had|is|are|gets?))\b",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:may|might|maybe|perhaps|probably|possibly|could|would|i (?:guess|think|suspect)|suggest|should|if you|whether)\b|\?",
    re.IGNORECASE,
)
_LOG = re.compile(r"^\W*\d|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b")
_FIX = re.compile(
    r"\b(?:fixed|fixes|now|changed|set|moved|added|replaced|removed|works|passes|green|instead|solved|gone|with \S+ (?:it|the|there))\b",
    re.IGNORECASE,
)


def diagnosis(report: str, reply: Sequence[str]) -> str:
    """
    Return the sentence of *reply* that names the cause of the fault in *report*, and the fix after it; empty without both.

    Examples:
        >>> reply = ["The worker was killed because its cache had no limit.", "It has 200 MB now."]
        >>> diagnosis("the worker crashes at night", reply)
        'The worker was killed because its cache had no limit. It has 200 MB now.'
        >>> diagnosis("show me the worker", reply)
        ''
    """
    if not _FAULT.search(report):
        return ""
    for place, sentence in enumerate(reply):
        if _names_cause(sentence):
            fixes = (later for later in reply[place + 1 : place + 1 + FIX_WITHIN] if _FIX.search(later))
            return " ".join((sentence, *islice(fixes, 1)))
    return ""


def _names_cause(sentence: str) -> bool:
    is_claimed = _CAUSE.search(sentence) and not (_GUESS.search(sentence) or _LOG.search(sentence))
    return bool(is_claimed) and len(sentence.split()) >= MIN_WORDS
