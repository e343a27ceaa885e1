"""Phrases by which a user ends a subject, or begins another."""

import re
from collections.abc import Collection

from hardwon.domain.model.keywords import words_of

LOOKED_AT = 200
"""Characters; later than that nobody says that the subject is another."""

MAX_WORDS = 8
"""A longer message is more than a transition."""

_MUST_BE_ALL = r"(?:ok|okay|alright|all right|moving on|next(?: (?:one|up|step|topic|task|item|question|point))?)"
_SPEAKS_FOR_ITSELF = r"(?:let'?s|let us|we can|time to) (?:move on|build (?:this|it)|start building)"
_FILLER = r"(?:great|good|cool|perfect|fine|nice|thanks?|thank you|then|now|so|please|sounds good|looks good|got it)"
_SIGNAL = rf"(?:{_MUST_BE_ALL}|{_SPEAKS_FOR_ITSELF})"
_PUNCTUATION = r"[,.!:;…\u2013\u2014-]"
_ALL_SIGNALS = re.compile(
    rf"(?:{_FILLER}[ ,.!]+)*{_SIGNAL}(?:[ ,.!:;…\u2013\u2014-]+(?:{_SIGNAL}|{_FILLER}))*[ ,.!:;…\u2013\u2014-]*"
)
_BEGINS_WITH_ONE = re.compile(rf"{_SIGNAL} ?{_PUNCTUATION}+ (?!but\b|however\b|wait\b)|{_SPEAKS_FOR_ITSELF}\b")

_OPENER = rf"(?:{_FILLER}|ok|okay|alright|all right|and|oh)"
_SUBJECT = r"(?:things?|topics?|subjects?|questions?|matters?|tasks?)"
_OTHER = r"(?:(?:completely |totally |entirely )?(?:different|separate|unrelated)|new|another)"
_COLON = r" ?[:;.\u2013\u2014-]+ "
_THEN = r" ?[,:;.\u2013\u2014-]+ "
_SAID_OF_IT = r"(?:error|output|logs?|results?|message|tests?|build|trace(?:back)?|problem|issue|question)\b"
_ANNOUNCES = re.compile(
    rf"(?:{_OPENER}[ ,.!;:\u2013\u2014-]+)*(?:"
    rf"next(?: (?:up|step|item|point|{_SUBJECT}))?{_THEN}"
    rf"|now(?: (?:the|our|my) (?!{_SAID_OF_IT})[\w-]+)? ?[:\u2013\u2014]+ |now (?:about|for|to) (?:the|our|my) "
    rf"|(?:one |a |an )?{_OTHER} {_SUBJECT}(?: (?:now|then|entirely|altogether))?{_THEN}"
    r"|(?:now )?(?:let'?s |we can )?(?:(?:move|moving|go|going) )?(?:onto|on to) "
    rf"|switching (?:over )?to (?:[\w'/-]+ ){{0,3}}[\w'/-]+{_COLON}"
    r"|(?:let'?s )?(?:switch|chang|shift)(?:e|ing)? (?:gears|topics?|(?:the )?(?:subject|topic))\b"
    rf"|on (?:a |an )?{_OTHER} (?:note|topic|subject|matter)\b"
    rf"|(?:separately|unrelated(?:ly)?){_THEN})"
)


def boundary_command(prompt: str, boundaries: Collection[str]) -> str | None:
    """Return the one of *boundaries* that *prompt* begins with as a whole word, None when there is none."""
    word = opening_word(prompt)
    return word if word and word in boundaries else None


def opening_word(prompt: str) -> str:
    """Return the word that *prompt* begins with, empty when it has none."""
    return "".join(prompt.split(maxsplit=1)[:1])


def without_opening(prompt: str, command: str | None) -> str:
    """Return *prompt* without the *command* it begins with."""
    return prompt.lstrip().removeprefix(command or "").lstrip()


def moves_on(prompt: str) -> bool:
    """Return whether *prompt* is a short message which says that the subject is dealt with, such as `ok, next`."""
    line = _beginning(prompt)
    if "?" in line or len(line.split()) > MAX_WORDS or len(prompt) > LOOKED_AT:
        return False
    return bool(_ALL_SIGNALS.fullmatch(line) or _BEGINS_WITH_ONE.match(line))


def announces(prompt: str) -> bool:
    """Return whether *prompt* begins by saying that it is about something else: `Next: the release. The image …`."""
    return not moves_on(prompt) and _ANNOUNCES.match(_beginning(prompt)) is not None


def _beginning(prompt: str) -> str:
    return " ".join(prompt[:LOOKED_AT].lower().replace("\u2019", "'").split())


def label(command: str) -> str:
    """Return what a chunk led by *command* is called: `plan` for `/tlc:plan`."""
    words = words_of(command.rpartition(":")[2])
    return " ".join(word for word in words if word.isascii()) or "command"
