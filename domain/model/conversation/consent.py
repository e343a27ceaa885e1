"""Decisions and causes that the user and the agent state only together."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from hardwon.domain.model.conversation.options import listed_items
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.words import salient_words, stem
from hardwon.domain.model.plain_text import sentences, split_sentences

MAX_ITEMS = 5
"""The main choices of a plan."""

MAX_RECOMMENDED = 2

LONGEST_CONSENT = 8
"""Words of a sentence whose choice the agent then names."""

SHORT_ANSWER = 4
"""Words. A shorter sentence does not say what was chosen."""

LONGEST_ANSWER = 30
"""Words of a sentence that settles a question."""

_OK = r"(?:(?:ok|okay|yes|yep|yeah|sure|great|good|perfect|fine|alright|right)[,.!]? )*"
_DO = (
    r"(?:do|let's do) (?:it|that|this|everything|all of (?:it|that|them))(?: (?:exactly |just"
    r" )?(?:like (?:that|this)|as planned|as you said))?"
)
_CONSENT = re.compile(
    rf"{_OK}(?:agreed|approved|i agree|(?:that |this |it )?(?:sounds|looks)"
    rf" (?:good|great|right|fine)|{_DO}"
    r"|go ahead(?: with (?:it|that|the plan|all of (?:it|that)))?|make it so)(?:,? (?:and |so"
    rf" |please )?(?:{_DO}|go ahead|please|thanks|then))*(?:[,;:]?"
    r" (?:but|except|only|just)\b.*)?[.! ]*",
    re.IGNORECASE,
)
_WANTS_PLAN = re.compile(
    r"\b(?:plan|design|propos\w+|approach|strategy|concept|how (?:would|should|do|could)"
    r" (?:you|we))\b",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:i would|i'd|we could|you"
    r" could|options?|either|alternativ\w+|propos\w+|suggest\w*|recommend\w*|another way|plan)\b",
    re.IGNORECASE,
)
_RECOMMENDS = re.compile(
    r"\b(?:i would|i'd|i (?:recommend|suggest|propose)|my"
    r" (?:choice|pick|recommendation|proposal)|best (?:is|would be))\b",
    re.IGNORECASE,
)
_ASKS_ADVICE = re.compile(
    r"\b(?:compare|which|options?|alternatives?|[\w-]+ or [\w-]+|should"
    r" (?:we|i|it|the|this|that)|shall we|best|better|recommend\w*|suggest\w*"
    r"|propos\w+|advice|ideas?|opinion|what (?:would|do|should) (?:you|we|i)|do you"
    r" (?:want|prefer)|would you (?:like|prefer|rather)"
    r"|how (?:would|should|do|could|can) (?:you|we|i)|what (?:about|if))\b",
    re.IGNORECASE,
)
_ASKS_LEAVE = re.compile(
    r"\b(?:shall|should|may|can) i\b(?!.* or )|\b(?:do you )?want me to\b(?!.* or )", re.IGNORECASE
)
"""Questions of the agent whether it should go on."""

_OPEN = re.compile(
    r"\b(?:not sure|don't know|no idea|let me think|think about|later|another time|not now|next"
    r" (?:week|month|time)|too (?:much|early)|wait"
    r"|hm+|maybe|perhaps|curious|ask|thanks?|thank"
    r" you|thx|explain|show|tell|more|why|what|how|first)\b|\?|^\W*(?:(?:ok(?:ay)?|so|i'm|i"
    r" am)[,.]? )*\w{2,20}ing\b",
    re.IGNORECASE,
)
"""Words of an answer that settles nothing."""

_ECHO = re.compile(
    r"(?P<name>(?!(?:so|that|this|there|here|then|ok|okay|as|how|what)\b)\S{2,40}(?:"
    r" \S{1,40}){0,2}) it is(?: then)?[.!]*",
    re.IGNORECASE,
)


def agreed_items(consent: str, planned: Exchange) -> tuple[str, ...]:
    r"""
    Return the proposals of *planned*, if *consent* agrees to all of them.

    They are the first sentence of each numbered step, at most 5, else the sentences that recommend
    something, at most 2.

    Examples:
        >>> import datetime as dt
        >>> reply = "I would do this:\n\n1. Read the dump, not the API. It is slow.\n2. Map in SQL."
        >>> agreed_items("agreed, do it exactly like that", Exchange("import them", reply, dt.datetime.now(dt.UTC)))
        ('Read the dump, not the API.', 'Map in SQL.')
    """
    if not (
        _CONSENT.fullmatch(consent.strip())
        and (_WANTS_PLAN.search(planned.user) or _PROPOSES.search(planned.assistant))
    ):
        return ()
    items = [text for letter, text in listed_items(planned.assistant) if letter.isdecimal()]
    if len(items) > 1:
        return tuple(next(split_sentences(text), text) for text in items[:MAX_ITEMS])
    return tuple(islice(filter(_RECOMMENDS.search, sentences(planned.assistant)), MAX_RECOMMENDED))


def settles(sentence: str, asked: Exchange) -> bool:
    """
    Return whether *sentence* chooses an option that *asked* discusses.

    It shares a word with the agent's reply, and leaves nothing open.

    Examples:
        >>> import datetime as dt
        >>> asked = Exchange("redis or memcached?", "Memcached is simpler, redis persists.", dt.datetime.now(dt.UTC))
        >>> settles("memcached is enough for us", asked), settles("not sure, memcached maybe", asked)
        (True, False)
    """
    *_, last = ("", *sentences(asked.assistant))
    is_asked = (
        _ASKS_ADVICE.search(asked.user)
        or _PROPOSES.search(asked.assistant)
        or (last.rstrip().endswith("?") and not _ASKS_LEAVE.search(last))
    )
    if not is_asked or _OPEN.search(sentence) or len(sentence.split()) > LONGEST_ANSWER:
        return False
    return not _stems(sentence).isdisjoint(_stems(asked.assistant))


def whole_answer(exchange: Exchange) -> str:
    """
    Return the prompt's first sentence, with the next if it is short.

    Examples:
        >>> import datetime as dt
        >>> whole_answer(Exchange("no redis. signed cookies then. run the tests", "Done.", dt.datetime.now(dt.UTC)))
        'no redis. signed cookies then.'
    """
    spoken = [*islice(sentences(exchange.user), 2)]
    return " ".join(spoken[: 2 if len(spoken[0].split()) < SHORT_ANSWER else 1])


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, salient_words(text)))


def echoed(sentence: str, exchange: Exchange) -> Iterator[str]:
    """
    Yield the user's *sentence* with the agent's name for the choice.

    For example `the Python one then: WeasyPrint`. Nothing unless the reply begins with the name
    (`WeasyPrint it is.`), and the sentence is short and no question.
    """
    first = next(iter(sentences(exchange.assistant)), "")
    echo = _ECHO.fullmatch(first.strip())
    if echo and len(sentence.split()) <= LONGEST_CONSENT and not sentence.rstrip().endswith("?"):
        yield f"{sentence.rstrip(' .!')}: {echo['name']}"


MIN_WORDS = 6
"""Words of a sentence that names a cause."""

FIX_WITHIN = 4
"""Sentences after the cause."""

_FAULT = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|wrong|missing|errors?|exceptions?|crash(?:es|ed|ing)?|hangs?|stuck|slow|flaky|twice"
    r"|empty|lost|gone|disappear(?:s|ed)?|blank|time(?:s|d)"
    r" out|(?:does|do|is|are|did|was|were|ca|wo)n'?t|cannot|not work\w*"
    r"|why (?:is|are|does|do|did|was))\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|comes? from|came from|caused by|happens? (?:when|because|as soon"
    r" as)|(?:that|this|which) (?:is|was) why"
    r"|the (?:reason|cause|culprit)|so (?:each|every|the|it|they|both|all) \w+"
    r" (?:was|were|got|had|is|are|gets?))\b",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:may|might|maybe|perhaps|probably|possibly|could|would|i"
    r" (?:guess|think|suspect)|suggest|should|if you|whether)\b|\?",
    re.IGNORECASE,
)
_LOG = re.compile(r"^\W*\d|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b")
_FIX = re.compile(
    r"\b(?:fixed|fixes|now|changed|set|moved|added|replaced|removed|works|passes|green|instead|solved|gone|with"
    r" \S+ (?:it|the|there))\b",
    re.IGNORECASE,
)


def diagnosis(report: str, reply: Sequence[str]) -> str:
    """
    Return the sentence of *reply* that names the cause of the fault in *report*.

    The fix after it is included; empty without both.

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
            fixes = (
                later for later in reply[place + 1 : place + 1 + FIX_WITHIN] if _FIX.search(later)
            )
            return " ".join((sentence, *islice(fixes, 1)))
    return ""


def _names_cause(sentence: str) -> bool:
    is_claimed = _CAUSE.search(sentence) and not (_GUESS.search(sentence) or _LOG.search(sentence))
    return bool(is_claimed) and len(sentence.split()) >= MIN_WORDS
