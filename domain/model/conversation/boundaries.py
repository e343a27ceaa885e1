"""
Topic boundaries that a prompt states.

They are slash commands, transitions such as `ok, next`, and announcements.
"""

import re
from collections.abc import Collection

from hardwon.domain.model.keywords import words_of

LOOKED_AT = 200
"""Characters of a prompt in which a transition is looked for."""

MAX_WORDS = 8
"""Words of a transition. A longer message has content of its own."""

_MUST_BE_ALL = (
    r"(?:ok|okay|alright|all right|moving on|next(?:"
    r" (?:one|up|step|topic|task|item|question|point))?)"
)
_MAY_BE_PART = r"(?:let'?s|let us|we can|time to) (?:move on|build (?:this|it)|start building)"
_FILLER = (
    r"(?:great|good|cool|perfect|fine|nice|thanks?|thank you|then|now|so|please|sounds good|looks"
    r" good|got it)"
)
_SIGNAL = rf"(?:{_MUST_BE_ALL}|{_MAY_BE_PART})"
_PUNCTUATION = r"[,.!:;…\u2013\u2014-]"
_ALL_SIGNALS = re.compile(
    rf"(?:{_FILLER}[ ,.!]+)*{_SIGNAL}(?:[ ,.!:;…\u2013\u2014-]+(?:{_SIGNAL}|{_FILLER}))*["
    r" ,.!:;…\u2013\u2014-]*"
)
_BEGINS_WITH_ONE = re.compile(
    rf"{_SIGNAL} ?{_PUNCTUATION}+ (?!but\b|however\b|wait\b)|{_MAY_BE_PART}\b"
)

_OPENER = rf"(?:{_FILLER}|ok|okay|alright|all right|and|oh)"
_SUBJECT = r"(?:things?|topics?|subjects?|questions?|matters?|tasks?)"
_OTHER = r"(?:(?:completely |totally |entirely )?(?:different|separate|unrelated)|new|another)"
_COLON = r" ?[:;.\u2013\u2014-]+ "
_THEN = r" ?[,:;.\u2013\u2014-]+ "
_SAME_SUBJECT = (
    r"(?:error|output|logs?|results?|message|tests?|build|trace(?:back)?|problem|issue|question)\b"
)
_ANNOUNCES = re.compile(
    rf"(?:{_OPENER}[ ,.!;:\u2013\u2014-]+)*(?:"
    rf"next(?: (?:up|step|item|point|{_SUBJECT}))?{_THEN}"
    rf"|now(?: (?:the|our|my) (?!{_SAME_SUBJECT})[\w-]+)? ?[:\u2013\u2014]+ |now (?:about|for|to)"
    r" (?:the|our|my) "
    rf"|(?:one |a |an )?{_OTHER} {_SUBJECT}(?: (?:now|then|entirely|altogether))?{_THEN}"
    r"|(?:now )?(?:let'?s |we can )?(?:(?:move|moving|go|going) )?(?:onto|on to) "
    rf"|switching (?:over )?to (?:[\w'/-]+ ){{0,3}}[\w'/-]+{_COLON}"
    r"|(?:let'?s )?(?:switch|chang|shift)(?:e|ing)? (?:gears|topics?|(?:the )?(?:subject|topic))\b"
    r"|(?:(?:going|coming|getting|let'?s (?:go|get)) )?back to (?:the|our|my)"
    rf" (?!{_SAME_SUBJECT})(?:[\w'/-]+ ){{0,3}}[\w'/-]+{_COLON}"
    rf"|on (?:a |an )?{_OTHER} (?:note|topic|subject|matter)\b"
    rf"|(?:separately|unrelated(?:ly)?){_THEN})"
)


def boundary_command(prompt: str, boundaries: Collection[str]) -> str | None:
    """Return the command of *boundaries* that *prompt* begins with, if any."""
    word = opening_word(prompt)
    return word if word and word in boundaries else None


def opening_word(prompt: str) -> str:
    """Return the first word of *prompt*, empty if it has none."""
    return "".join(prompt.split(maxsplit=1)[:1])


def without_opening(prompt: str, command: str | None) -> str:
    """Strip the *command* that *prompt* begins with."""
    return prompt.lstrip().removeprefix(command or "").lstrip()


def moves_on(prompt: str) -> bool:
    """Return whether *prompt* only ends a subject, such as `ok, next`."""
    line = _beginning(prompt)
    if "?" in line or len(line.split()) > MAX_WORDS or len(prompt) > LOOKED_AT:
        return False
    return bool(_ALL_SIGNALS.fullmatch(line) or _BEGINS_WITH_ONE.match(line))


def announces(prompt: str) -> bool:
    """Return whether *prompt* announces another subject: `Next: the release. …`."""
    return not moves_on(prompt) and _ANNOUNCES.match(_beginning(prompt)) is not None


def _beginning(prompt: str) -> str:
    return " ".join(prompt[:LOOKED_AT].lower().replace("\u2019", "'").split())


def label(command: str) -> str:
    """Return the topic word of *command*: `plan` for `/tlc:plan`."""
    words = words_of(command.rpartition(":")[2])
    return " ".join(word for word in words if word.isascii()) or "command"
