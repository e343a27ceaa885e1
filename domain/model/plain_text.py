"""Plain text, titles, descriptions and sentences of markdown."""

import re
from collections.abc import Iterator
from functools import lru_cache

from hardwon.domain.model.context import MAX_DESCRIPTION_WORDS
from hardwon.domain.model.text import lazy, split_sentences

FRONT_MATTER = lazy(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
# The first opening wins, as in CommonMark, where an unclosed block runs to the end;
# that also keeps the search linear on a hostile file.
COMMENT_OR_FENCE = lazy(
    r"<!--.*?(?:-->|\Z)"
    r"|^ {0,3}(?P<ticks>`{3,})[^`\n]*$.*?(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z)"
    r"|^ {0,3}(?P<tildes>~{3,})[^\n]*$.*?(?:^ {0,3}(?P=tildes)~*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)


@lru_cache(maxsize=2)  # title, headings and phrases of a document are read one after the other
def without_code(markdown: str) -> str:
    """Remove comments and fenced code."""
    return COMMENT_OR_FENCE.sub("", markdown)


_UNDERLINED_TITLE = lazy(r"^ {0,3}\S[^\n]*\n {0,3}={3,}[ \t]*$", re.MULTILINE)
_SECTION = lazy(r"^ {0,3}##(?:[ \t]|$)", re.MULTILINE)
_HEADING = lazy(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = lazy(r" {0,3}([-*_=])(?:[ \t]*\1){2,}[ \t]*")


def describe(markdown: str) -> str:
    """
    Return the description of a document: at most 100 words.

    That is all prose before the first `## ` heading; if there is none, the first paragraph of prose
    below it. Prose is everything but front matter, headings, HTML comments, fenced code and rules;
    lists, tables and inline markup stay.

    Returns:
        Words with one space between them; empty when there is no prose.
    """
    text = without_code(FRONT_MATTER.sub("", markdown, count=1))
    text = _UNDERLINED_TITLE.sub("", text)
    section = _SECTION.search(text)
    end = section.start() if section else len(text)
    words = (
        " ".join(_paragraphs(text[:end])).split() or next(iter(_paragraphs(text[end:])), "").split()
    )
    return " ".join(words[:MAX_DESCRIPTION_WORDS])


def _paragraphs(text: str) -> list[str]:
    lines = (
        "" if _HEADING.match(line) or _RULE.fullmatch(line) else line.strip()
        for line in text.split("\n")
    )
    return [block for block in "\n".join(lines).split("\n\n") if block.strip()]


_PLAIN_RULE = lazy(r"^[\s|:=_~+*`-]*$")
_FENCE = lazy(r"^[ \t>]*(?:`{3,}|~{3,})[ \t]*[^`\s]*[ \t]*$")
_HEAD = lazy(r"^(?P<indent>[^\S\n]*)(?:(?:#{1,6}|[-+])(?:\s+|$)|>\s*|~{3,}\s*)+")
_CLOSING_HASHES = lazy(r"\s#+\s*$")
_LINK = lazy(r"!?\[([^\[\]\n]{0,500})\]\(([^()\s]{0,2000})\)")
_ANY_LINK = lazy(r"!?\[([^\[\]\n]{0,500})\](?:\([^()\s]{0,2000}\)|\[[^\[\]\n]{0,500}\])")
_COMMENT_MARK = lazy(r"<!--|-->")
_MARKS = lazy(r"(?P<between>(?<=[^\W_])[*`]+(?=[^\W_]))|[*`]+")
_GAP = lazy(r"\n{3,}")


def plain_text(markdown: str) -> str:
    """
    Strip the formatting of *markdown*, keeping its words in order.

    Marks of headings, lists, quotes, emphasis, code, comments, rules and tables are removed, their
    text stays, as do numbers such as `#12` and names such as `C#`.
    """
    lines = map(_plain_line, _LINK.sub(r"\1 (\2)", markdown).split("\n"))
    return _GAP.sub("\n\n", "\n".join(lines)).strip()


def without_links(markdown: str) -> str:
    """Replace links and images by their text."""
    return _ANY_LINK.sub(r"\1", markdown)


def _plain_line(line: str) -> str:
    if _PLAIN_RULE.match(line) or _FENCE.match(line):
        return ""
    unmarked = _COMMENT_MARK.sub(" ", line) if "--" in line else line
    if "*" in line or "`" in line:
        unmarked = _MARKS.sub(_gap, unmarked)
    beheaded = _HEAD.sub(r"\g<indent>", unmarked)
    return (_CLOSING_HASHES.sub("", beheaded) if "#" in beheaded else beheaded).rstrip()


def _gap(marks: re.Match[str]) -> str:
    """Return the replacement of *marks*: a space where they alone separate words."""
    return " " if marks["between"] else ""


NAME_LENGTH = 80

_RUN = lazy(r"\S+(?: \S+)*")


def plain_title(markdown: str) -> str:
    """Return a title on one line, without formatting if possible."""
    return " ".join(plain_text(without_links(markdown)).split()) or markdown.strip()


def beginning(text: str) -> str:
    """
    Return the first line of *text*, below 80 characters.

    It is cut before a run of white space too, so that *text* begins with exactly this name, and no
    word of it counts twice.
    """
    run = _RUN.search(text)
    if not run or len(run[0]) < NAME_LENGTH:
        return run[0] if run else ""
    cut = run[0][: NAME_LENGTH - 1]
    return cut if run[0][NAME_LENGTH - 1] == " " or " " not in cut else cut.rpartition(" ")[0]


ENDS = ".!?"

_TABLE_ROW = lazy(r"[ \t]*\|")
_ITEM = lazy(r"[ \t>]*(?:[-+*•]|\d{1,4}[.)])[ \t]+")
_BREAK = lazy(r"[ \t>]*(?:#{1,6}(?:[ \t]|$)|[-*_=]{3,}[ \t]*$|$)")
_HAS_WORD = lazy(r"[^\W_]{2}")


def sentences(markdown: str) -> list[str]:
    """
    Return the sentences of *markdown* as plain text, in order.

    Fenced code, comments, tables and the marks of lists and headings are left out; an item of a
    list, and a heading, is a sentence even without its full stop.
    """
    return [*_sentences(markdown)]


@lru_cache(maxsize=64)  # many rules read the same reply
def _sentences(markdown: str) -> tuple[str, ...]:
    return tuple(
        sentence
        for paragraph in _blocks(COMMENT_OR_FENCE.sub("\n\n", markdown))
        for sentence in split_sentences(" ".join(plain_text(paragraph).split()))
        if _HAS_WORD.search(sentence)
    )


def _blocks(markdown: str) -> Iterator[str]:
    running = list[str]()
    for line in markdown.split("\n"):
        item = _ITEM.match(line)
        begins_block = item or _BREAK.match(line) or _TABLE_ROW.match(line)
        if begins_block and running:
            yield "\n".join(running)
            running = []
        if not _TABLE_ROW.match(line):
            running.append(line[item.end() :] if item else line)
        if line.lstrip(" \t>").startswith("#"):  # a heading is a block of its own
            yield running.pop()
    yield "\n".join(running)
