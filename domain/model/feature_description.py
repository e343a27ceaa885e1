"""How a feature's document is boiled down to its description."""

import re

from hardwon.domain.model.context_query import MAX_DESCRIPTION_WORDS

FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
# Whichever opens first wins, as in CommonMark, where what is never closed runs to
# the end; that also keeps the search linear on a hostile file.
COMMENT_OR_FENCE = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^ {0,3}(?P<ticks>`{3,})[^`\n]*$.*?(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z)"
    r"|^ {0,3}(?P<tildes>~{3,})[^\n]*$.*?(?:^ {0,3}(?P=tildes)~*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
UNDERLINED_TITLE = re.compile(r"^ {0,3}\S[^\n]*\n {0,3}={3,}[ \t]*$", re.MULTILINE)
SECTION = re.compile(r"^ {0,3}##(?:[ \t]|$)", re.MULTILINE)
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
RULE = re.compile(r" {0,3}([-*_=])(?:[ \t]*\1){2,}[ \t]*")


def describe(markdown: str) -> str:
    """
    Return what *markdown* says of itself, at most 100 words on one line.

    That is all prose before the first `## ` heading; when there is none, the
    first paragraph of prose below it (requirement A-D2.3 as M-A4 resolves it).
    Prose is everything but front matter, headings, HTML comments, fenced code
    and rules; lists, tables and inline markup stay as they are written.

    Args:
        markdown: Any text, its line ends universal newlines; never raises.

    Returns:
        Words with one space between them; empty when there is no prose.

    """
    text = COMMENT_OR_FENCE.sub("", FRONT_MATTER.sub("", markdown, count=1))
    text = UNDERLINED_TITLE.sub("", text)
    section = SECTION.search(text)
    end = section.start() if section else len(text)
    words = " ".join(_paragraphs(text[:end])).split() or next(iter(_paragraphs(text[end:])), "").split()
    return " ".join(words[:MAX_DESCRIPTION_WORDS])


def _paragraphs(text: str) -> list[str]:
    lines = ("" if HEADING.match(line) or RULE.fullmatch(line) else line.strip() for line in text.split("\n"))
    return [block for block in "\n".join(lines).split("\n\n") if block.strip()]
