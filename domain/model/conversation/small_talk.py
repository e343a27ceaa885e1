"""Exchanges that are not captured: small talk and slash commands."""

import re
from collections.abc import Collection

from hardwon.domain.model.conversation.boundaries import moves_on, opening_word
from hardwon.domain.model.conversation.mentions import commands_in
from hardwon.domain.model.conversation.session import Exchange

LONGEST_PROMPT = 80
"""Characters of a prompt that may be small talk."""

LONGEST_REPLY = 30
"""Words of its answer. A longer one says more."""

_COURTESY = (
    r"(?:(?:hi|hey|hello|hallo|moin)(?: [a-z]{3,10})?|hiya|yo|good (?:morning|afternoon|evening|night)|morning|evening|how are you(?: doing)?(?: today)?|how's it going|what's up"
    r"|thanks?|thank you|thx|ty|cheers|much appreciated|appreciate it|you're welcome|welcome back|no problem|np|never mind|nvm"
    r"|great(?: work| job)?|good (?:work|job)|nice(?: work| one)?|well done|awesome|amazing|cool|perfect|excellent|lovely|wow|brilliant|love it"
    r"|bye|goodbye|see you(?: tomorrow| later| soon)?|good night|have a (?:nice|good|great) (?:day|evening|weekend|one)|that's all|done for today"
    r"|slept (?:badly|well)|coffee first|haha+|lol|:\)|:-\)|just curious|makes sense|got it"
    r"|servus|guten (?:morgen|tag|abend)|gute nacht|wie geht(?:'s| es dir)?|danke(?: dir| schön| sehr)?|vielen dank|bitte(?: schön)?|gern(?: geschehen)?"
    r"|super|prima|klasse|toll|spitze|gute arbeit|tschüss?|ciao|bis (?:morgen|später|bald|dann)|schönen (?:tag|abend|feierabend)|schönes wochenende|feierabend"
    r"|hola|gracias|merci|vale|salut)"
)
_ADDRESSED = r"(?:there|again|all|everyone|so much|a lot|very much|you too|for (?:that|your help|the help|everything|now|today)|then|now|too|again|dir|euch|auch|und)"
_SMALL_TALK = re.compile(
    rf"\W*{_COURTESY}(?:[ ,.!?]+(?:{_COURTESY}|{_ADDRESSED}|and|it works|works|und))*\W*",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(
    r"`|\d|[\w-]+[/._]\w|\b(?:because|since|instead|fixed|changed|added|weil|statt|geändert)\b"
)
_NAMESPACED = re.compile(r"/[a-z][\w-]*:[\w:-]+", re.IGNORECASE)
_TAKING_WORDS = frozenset(
    "add-dir btw bug compact config conversations export feedback init mcp memory model output-style recall remember rename resume retro save"
    " sandbox theme".split()
)
"""Commands of hosts, and of hardwon, that are typed with words after them."""


def is_small_talk(exchange: Exchange) -> bool:
    """
    Return whether *exchange* is courtesy only.

    Examples:
        >>> import datetime as dt
        >>> now = dt.datetime.now(dt.UTC)
        >>> is_small_talk(Exchange("thanks, great work!", "You're welcome.", now))
        True
        >>> is_small_talk(Exchange("thanks", "I changed `retry.py` meanwhile.", now)), is_small_talk(Exchange("ok", "Done.", now))
        (False, False)
    """
    prompt, reply = exchange.user.strip(), exchange.assistant
    is_courtesy = len(prompt) <= LONGEST_PROMPT and _SMALL_TALK.fullmatch(
        prompt.replace("\u2019", "'")
    )
    if not is_courtesy or exchange.answers or moves_on(prompt):
        return False
    return len(reply.split()) <= LONGEST_REPLY and not _SUBSTANCE.search(reply)


def is_command(exchange: Exchange, boundaries: Collection[str]) -> bool:
    """
    Return whether *exchange* is a slash command that begins no topic.

    A command of *boundaries* begins a topic. `/login is slow` is about an address.

    Examples:
        >>> import datetime as dt
        >>> now = dt.datetime.now(dt.UTC)
        >>> is_command(Exchange("/remember the feed is late", "Remembered.", now), ())
        True
        >>> is_command(Exchange("/tlc:plan the parser", "1. Read.", now), ("/tlc:plan",))
        False
    """
    word = opening_word(exchange.user)
    if exchange.answers or word in boundaries or word not in commands_in(word):
        return False
    is_alone = exchange.user.strip() == word
    return is_alone or _NAMESPACED.fullmatch(word) is not None or word[1:].lower() in _TAKING_WORDS


def is_noise(exchange: Exchange, boundaries: Collection[str]) -> bool:
    """Return whether nothing of *exchange* is worth capturing."""
    return is_small_talk(exchange) or is_command(exchange, boundaries)
