"""What a markdown text is called when it does not say so itself."""

import re
from collections.abc import Iterator

from hardwon.domain.model.context import COMMENT_OR_FENCE
from hardwon.domain.model.conversation.sentences import plain_text

NAME_LENGTH = 80

_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\](?:\([^()\s]{0,2000}\)|\[[^\[\]\n]{0,500}\])")

_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]++(?P<atx>\S[^\n]*)$|^ {0,3}(?P<underlined>\S[^\n]*)\n {0,3}={3,}[ \t]*$", re.MULTILINE
)
_RUN = re.compile(r"\S+(?: \S+)*")


def plain_title(markdown: str) -> str:
    """Return a title without its formatting, on one line; of a link its text alone. What is nothing else stays."""
    return " ".join(plain_text(_LINK.sub(r"\1", markdown)).split()) or markdown.strip()


def first_heading(body: str) -> str | None:
    """Return the first heading of *body* without formatting, None when it has none; code and comments don't count."""
    return next(headings(body), None)


def headings(body: str) -> Iterator[str]:
    """Yield the headings of *body* in order, without formatting; empty ones, code and comments don't count."""
    found = _HEADING.finditer(COMMENT_OR_FENCE.sub("", body))
    texts = (plain_text(_LINK.sub(r"\1", each["atx"] or each["underlined"])) for each in found)
    return filter(None, texts)


def beginning(text: str) -> str:
    """
    Return how *text* begins: its first line, cut at a word to stay under 80 characters.

    It is cut before a run of white space too, as a name has none: so *text*
    begins with its name to the letter, and no word of it counts twice.
    """
    run = _RUN.search(text)
    if not run or len(run[0]) < NAME_LENGTH:
        return run[0] if run else ""
    cut = run[0][: NAME_LENGTH - 1]
    return cut if run[0][NAME_LENGTH - 1] == " " or " " not in cut else cut.rpartition(" ")[0]
