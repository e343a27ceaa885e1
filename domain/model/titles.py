"""Names for texts that have none."""

import re

from hardwon.domain.model.plain_text import plain_text, without_links

NAME_LENGTH = 80

_RUN = re.compile(r"\S+(?: \S+)*")


def plain_title(markdown: str) -> str:
    """Return a title without its formatting, on one line, links reduced to their text; as it is if nothing would be left."""
    return " ".join(plain_text(without_links(markdown)).split()) or markdown.strip()


def beginning(text: str) -> str:
    """
    Return the beginning of *text*: its first line, cut at a word to stay under 80 characters.

    It is cut before a run of white space too, as a name has none: so *text*
    begins with its name to the letter, and no word of it counts twice.
    """
    run = _RUN.search(text)
    if not run or len(run[0]) < NAME_LENGTH:
        return run[0] if run else ""
    cut = run[0][: NAME_LENGTH - 1]
    return cut if run[0][NAME_LENGTH - 1] == " " or " " not in cut else cut.rpartition(" ")[0]
