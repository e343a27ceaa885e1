"""Decisions and causes that the user and the agent state only together."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from hardwon.domain.model.conversation.actions import CAUSE_HEADING
from hardwon.domain.model.conversation.options import listed_items
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.status import reports_status
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.text import split_sentences
from hardwon.domain.model.topic_words import READ, salient_words, stem

MAX_ITEMS = 5
"""The main choices of a plan."""

MAX_RECOMMENDED = 2

LONGEST_CONSENT = 8
"""Words of a sentence whose choice the agent then names."""

SHORT_ANSWER = 4
"""Words. A shorter sentence does not say what was chosen."""

LONGEST_ANSWER = 30
"""Words of a sentence that settles a question."""

_OK = (
    r"(?:(?:ok|okay|yes|yep|yeah|sure|great|good|perfect|fine|alright|right|ja|jo|gut|genau|klar|super|prima|gern|gerne)[,.!]?"
    r" )*"
)
_LIKE = (
    r"(?:like (?:that|this)|as planned|as you (?:said|propose|suggest)|as proposed|as suggested)"
)
_DO = (
    r"(?:(?:do|let's do) (?:it|that|this|everything|all of (?:it|that|them))"
    rf"(?: (?:exactly |just )?{_LIKE})?"
    r"|(?:so )?(?:mach|machen wir|machst du) (?:das|es|alles)(?: (?:genau )?so)?|so machen wir(?:'s| das| es)?)"
)
_CONSENT = re.compile(
    rf"{_OK}(?:agreed|approved|i agree|(?:that |this |it )?(?:sounds|looks)"
    rf" (?:good|great|right|fine)|{_DO}"
    r"|(?:go|los|leg los)(?: for it)?|go ahead(?: with (?:it|that|the plan|all of (?:it|that)))?|make it so"
    rf"|(?:exactly |just ){_LIKE}|(?<=yes, ){_LIKE}|(?<=yeah, ){_LIKE}|(?<=ok, ){_LIKE}"
    r"|einverstanden|(?:das )?(?:klingt|passt|sieht)(?: so)? ?(?:gut|so|für mich)?|(?:genau |gerne? )?so(?: bitte)?|dafür)"
    rf"(?:,? (?:and |so"
    rf" |please |und |also )?(?:{_DO}|go ahead|please|thanks|then|bitte|danke|dann))*(?:[,;:]?"
    r" (?:but|except|only|just|aber|nur)\b.*)?[.! ]*",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?P<but>(?:but|except|aber|nur)\b.*?)[.! ]*$", re.IGNORECASE)
_YES = re.compile(
    rf"{_OK}(?:yes|yep|yeah|ja|jo|gern|gerne|please do|do it|mach das|bitte)(?:,? (?:please|do|bitte|do that|thanks|danke|mach das))*[.! ]*",
    re.IGNORECASE,
)
_ASKS_CHOICE = re.compile(
    r"\b(?:shall|should|can|may|do you want|want|soll(?:en|te)?|willst|möchtest|wollen)\b[^?]{0,40}?\b(?:us|we|me|i|wir|ich|du)\b[^?]{0,20}?"
    r"\b(?:use|keep|switch|drop|go with|store|pin|stick|instead|rather|nehmen|behalten|bleiben|umstellen|wechseln|statt|stattdessen)\b",
    re.IGNORECASE,
)
"""Questions whose plain yes chooses something, unlike `Shall I push?`."""

_ASKS_WHICH = re.compile(
    r"\b(?:which|what|where|how (?:long|many|much|often)|welche\w*|wohin|wie (?:lange|viele?|oft))\b[^.!\n]{0,60}$",
    re.IGNORECASE,
)
"""Questions of the user whose short answer is an offer."""

_WANTS_PLAN = re.compile(
    r"\b(?:plan|design|propos\w+|approach|strategy|concept|how (?:would|should|do|could)"
    r" (?:you|we)|vorschlag|schlag\w* vor|wie (?:würdest|sollen|sollten|machen))\b",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:i would|i'd|we could|you"
    r" could|options?|either|alternativ\w+|propos\w+|suggest\w*|recommend\w*|another way|plan"
    r"|ich würde|wir könnten|vorschlag|schlage vor|entweder|am besten)\b",
    re.IGNORECASE,
)
_RECOMMENDS = re.compile(
    r"\b(?:i would|i'd|i (?:recommend|suggest|propose)|my"
    r" (?:choice|pick|recommendation|proposal|suggestion)|best (?:is|would be)|we should"
    r"|ich würde|ich (?:empfehle|schlage)|mein(?:e)? (?:vorschlag|empfehlung|wahl)|am besten|wir sollten)\b",
    re.IGNORECASE,
)
_ASKS_ADVICE = re.compile(
    r"\b(?:compare|which|options?|alternatives?|[\w-]+ or [\w-]+|should"
    r" (?:we|i|it|the|this|that)|shall we|best|better|recommend\w*|suggest\w*"
    r"|propos\w+|advice|ideas?|opinion|what (?:would|do|should) (?:you|we|i)|do you"
    r" (?:want|prefer)|would you (?:like|prefer|rather)"
    r"|(?:how|where|when) (?:would|should|do|could|can) (?:you|we|i|it|this|that|the)|do you think|what (?:about|if))\b",
    re.IGNORECASE,
)
_ASKS_LEAVE = re.compile(
    r"\b(?:shall|should|may|can|soll|darf) (?:i|ich)\b(?!.* (?:or|oder) )|\b(?:do you )?want me to\b(?!.* or )",
    re.IGNORECASE,
)
"""Questions of the agent whether it should go on."""

_ASKS_FACT = re.compile(
    r"(?:is|are|was|were|does|did|do (?!you (?:want|prefer))|has|have|had|ist|sind|war|waren|hat|haben|gibt es|läuft)\b(?!.* (?:or|oder) )",
    re.IGNORECASE,
)
"""Questions of the agent that a fact answers."""

_OPEN = re.compile(
    r"\b(?:not sure|don't know|no idea|let me think|think about|later|another time|not now|next"
    r" (?:week|month|time)|too (?:much|early)|wait|maybe|perhaps|curious|though"
    r"|hm+(?![,.]? (?:ok|okay|yes|right|fine|good)\b)|(?:that|this|it)(?: \w{2,20})? would|(?<!the )first(?! \w+ then))\b"
    r"|\?|^\W*(?:ah+|oh|ach|aha|oha)\b(?!,? (?:ok|okay|yes|ja|so|then|dann|we|wir|let)\b)"
    r"|^\W*(?:(?:ok(?:ay)?|so|and|but|please|yes|i'm|i"
    r" am)[,.]? )*(?:(?:ask|thanks?|thank you|thx|explain|show|tell|more|why|what|how|can you|could you)\b|(?!string\b|spring\b|ping\b|\w*thing\b)\w{2,20}ing\b)",
    re.IGNORECASE,
)
"""Words of an answer that settles nothing."""

_NODS = re.compile(
    r"\W*(?:(?:hm+|ok(?:ay)?|good (?:point|idea|question)|makes sense|fair(?: enough| point)?|right|true|a+h+|aha|oh|nice|great|cool|thanks"
    r"|i see|got it|understood|interesting|stimmt|gut|klar|verstehe|alles klar|ah ja|guter punkt|sinnvoll)\W*)+",
    re.IGNORECASE,
)
"""A sentence before the answer itself."""

_ECHO = re.compile(
    r"(?P<name>(?!(?:so|that|this|there|here|then|ok|okay|as|how|what)\b)\S{2,40}(?:"
    r" \S{1,40}){0,2})(?<! as) it is(?: then)?[.!]*",
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
    spoken = sentences(planned.assistant)
    if _YES.fullmatch(consent.strip()):
        is_offer = _ASKS_WHICH.search(planned.user) and len(spoken) == 1
        return tuple(text for text in spoken[-1:] if is_offer or _ASKS_CHOICE.search(text))
    if not (
        _CONSENT.fullmatch(consent.strip())
        and (_WANTS_PLAN.search(planned.user) or _PROPOSES.search(planned.assistant))
    ):
        return ()
    items = [text for letter, text in listed_items(planned.assistant) if letter.isdecimal()]
    agreed = (
        [next(split_sentences(text), text) for text in items[:MAX_ITEMS]]
        if len(items) > 1
        else [*islice(filter(_RECOMMENDS.search, spoken), MAX_RECOMMENDED)]
    )
    limit = _LIMIT.search(consent)
    return tuple(f"{text} ({limit['but']})" for text in agreed) if limit else tuple(agreed)


def asks(exchange: Exchange) -> bool:
    """Return whether *exchange* asks for a choice, of the agent or of the user."""
    *_, last = ("", *sentences(exchange.assistant))
    return bool(
        _ASKS_ADVICE.search(exchange.user)
        or _PROPOSES.search(exchange.assistant)
        or (last.endswith("?") and not (_ASKS_LEAVE.search(last) or _ASKS_FACT.match(last)))
    )


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
    if not asks(asked) or _OPEN.search(sentence) or len(sentence.split()) > LONGEST_ANSWER:
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
    spoken = [*islice((text for text in sentences(exchange.user) if not nods(text)), 2)]
    return " ".join(spoken[: 2 if len(spoken[0].split()) < SHORT_ANSWER else 1]) if spoken else ""


def nods(sentence: str) -> bool:
    """Return whether the user's *sentence* only comes before an answer: `good point.`."""
    return _NODS.fullmatch(sentence) is not None


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
        is_named = _stems(echo["name"]) <= _stems(sentence)
        yield sentence if is_named else f"{sentence.rstrip(' .!')}: {echo['name']}"


_REFUSES = re.compile(
    r"\W*(?:oh |ok,? |wait,? |please )?(?:no|nope|stop|don't|do not|undo|revert|hold on|not (?:like )?(?:that|this|so|the)"
    r"|nein|nicht so|halt|lass das)\b(?! (?:problem|worries|rush|need|idea|thanks|thank)\b)",
    re.IGNORECASE,
)


def refuses(prompt: str) -> bool:
    """
    Return whether *prompt* begins by refusing what the agent just did.

    Examples:
        >>> refuses("no. always use uv here"), refuses("no problem, go on")
        (True, False)
    """
    return _REFUSES.match(prompt.replace("\u2019", "'")) is not None


MIN_WORDS = 6
"""Words of a sentence that names a cause."""

FIX_WITHIN = 4
"""Sentences after the cause."""

_FAULT = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|wrong|missing|errors?|exceptions?|crash(?:es|ed|ing)?|hangs?|stuck|slow|flaky|twice"
    r"|empty|lost|gone|disappear(?:s|ed)?|blank|time(?:s|d)?"
    r" out|since (?:last|yesterday|today|this|the)|takes? (?:\d+|ages|forever|hours|minutes|long)|too (?:long|slow|many|much|big|late)|(?:does|do|is|are|did|was|were|ca|wo)n'?t|cannot|not work\w*"
    r"|why (?:is|are|does|do|did|was)|what is the reason|but not|although|even though|dies|falls|ignore[sd]?|no longer|stopp?(?:s|ed)|stale|refused|denied|unreachable|freezes|leaks?|corrupt\w*"
    r"|still|restart(?:s|ed|ing)?|killed|random(?:ly)?|logged out|spikes?|duplicates?|unable|bugs?|problems?|weird|strange|any ?more|[45]\d\d|nan|oom|timeouts?"
    r"|nicht|kaputt|fehler\w*|schlägt|bricht|hängt|langsam|leer|falsch\w*|weg|doppelt|stürzt|abgestürzt|warum|wieso|komisch|obwohl|ignoriert)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|comes? from|came from|caused by|happens? (?:when|because|as soon"
    r" as)|(?:that|this|which) (?:is|was) why"
    r"|the (?:reason|cause|culprit)|so (?!that\b|i\b|we\b|you\b|far\b|much\b|many\b|let\b|please\b|this\b|is\b|are\b|on\b|called\b)(?=\w)"
    r"|as a result|which (?:made|makes|caused|causes|broke|breaks|left|leaves|means|meant)"
    r"|(?:that|this|which) explains|hence|turn(?:s|ed) out|weil|wegen|l(?:iegt|ag) (?:an|daran)|deshalb|deswegen|daher|dadurch|ursache|grund (?:ist|war))\b"
    r"|, (?:since|as|da)\b|^(?:so |and |yes,? |found it[.:,]? |got it[.:,]? )?it (?:was|is) (?:the|a|an|our|your)\b"
    r"|\b(?:in the end|after all),? it (?:was|is)\b"
    r"|^(?:found it|got it|there it is|here it is|that's it|(?:(?:then|so) )?(?:this|that) is it|gefunden|da ist es)\b ?[:,.\u2013\u2014-] ?\S",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:may|might|maybe|perhaps|probably|possibly|could|would|you'd|hypothetic\w+|suppos\w+|i"
    r" (?:guess|think|suspect)|suggest|should|if you|whether|vielleicht|vermutlich|könnte|würde|wahrscheinlich)\b|\?",
    re.IGNORECASE,
)
_LOG = re.compile(r"^\W*\d|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b")
_FIX = re.compile(
    r"\b(?:fixed|fixes|now|changed|set|moved|added|replaced|removed|works|passes|green|instead|solved|gone|with"
    r" \S+ (?:it|the|there)|jetzt|geändert|gesetzt|verschoben|ersetzt|entfernt|behoben|stattdessen)\b",
    re.IGNORECASE,
)


def reports_fault(prompt: str) -> bool:
    """Return whether *prompt* reports a fault."""
    return _FAULT.search(prompt[:READ]) is not None


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
    if not reports_fault(report):
        return ""
    for place, sentence in enumerate(reply):
        before, after = reply[place - 1 : place], reply[place + 1 : place + 1 + FIX_WITHIN]
        if _names_cause(sentence) or _is_framed(sentence, before, after):
            fixes = (
                later
                for later in after
                if later.endswith((".", "!")) and _FIX.search(later) and not reports_status(later)
            )
            return " ".join((sentence, *islice(fixes, 1)))
    return ""


def _is_framed(sentence: str, before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether *sentence* stands after `Found it.`, or before the change that repairs it."""
    is_between = any(map(_FOUND.match, before)) or any(map(_REPAIRS.match, after[:1]))
    is_whole = sentence.endswith((".", "!")) and not _OWN.match(sentence)
    return is_between and is_whole and _claims(sentence)


_FOUND = re.compile(
    r"(?:ok(?:ay)?,? |so,? )?(?:i )?(?:found (?:it|the (?:cause|problem|bug|reason))|got it|there it is|that's it|gefunden)\W*$"
    rf"|{CAUSE_HEADING}",
    re.IGNORECASE,
)
_REPAIRS = re.compile(
    r"(?:so |now )?(?:i|ich habe|wir haben|we)(?:'ve| have)? (?:now |just |then |also )?"
    r"(?!looked|tried|checked|tested|compared|searched|measured|counted|reproduced|logged|asked|followed|traced|examined|inspected|listed"
    r"|noticed|opened|expected|wanted|needed|started|ruled)"
    r"(?:\w{3,20}ed|set|put|made|gave|took|wrote|cut|split|built|let|den|die|das|es)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"(?:i|we|ich|wir|let|no|not|yes|ok|done|ja|nein)\b", re.IGNORECASE)

_OWN_DEED = re.compile(r"(?:so |and |now |also )?(?:i|ich)\b", re.IGNORECASE)


def _names_cause(sentence: str) -> bool:
    is_own = _OWN_DEED.match(sentence) is not None
    return _CAUSE.search(sentence) is not None and not is_own and _claims(sentence)


def _claims(sentence: str) -> bool:
    """Return whether *sentence* states a fact, no guess or status."""
    return (
        len(sentence.split()) >= MIN_WORDS
        and not (_GUESS.search(sentence) or _LOG.search(sentence))
        and not reports_status(sentence)
    )
