"""The line of a note that leads to the conversation it comes from."""

import re

from hardwon.domain.model.identity import IDENTITY
from hardwon.domain.model.sections.section_text import fact

CONVERSATION = "Conversation"

_LINE = re.compile(rf"^- \*\*{CONVERSATION}:\*\* `(?P<id>{IDENTITY.pattern})`$", re.MULTILINE)


def conversation_line(chunk_id: str) -> str:
    """Return the line, as long as nobody knows which file the conversation stands in."""
    return fact(CONVERSATION, f"`{chunk_id}`")


def conversation_of(text: str) -> str | None:
    """Return the id of the conversation whose file is still to be named in *text*, None when there is none."""
    found = _LINE.search(text)
    return found["id"] if found else None


def with_link(text: str, file_name: str) -> str:
    """Return *text* with a link to that file of the folder of conversations, which lies beside its own."""
    return _LINE.sub(lambda line: fact(CONVERSATION, f"[{line['id']}](../conversations/{file_name})"), text, count=1)
