"""What was said in a section, without any formatting: what is searched for."""

import re
from collections.abc import Iterator

from hardwon.domain.model.conversation.chunk import Chunk
from hardwon.domain.model.conversation.exchange import Exchange
from hardwon.domain.model.files.plain_text import plain_text
from hardwon.domain.model.sections.section_outline import named_value
from hardwon.domain.model.sections.verbatim import unescaped

_FRAME = re.compile(r"#{2,4} .*|\*\*(?:User|Assistant|Question)\*\*|None\.|None were mentioned\.|No reason was given\.")


def plain_chunk(chunk: Chunk) -> str:
    """Return the summary of *chunk*, then all that was said; what says the same stands there once."""
    parts = (chunk.summary, *(part for exchange in chunk.exchanges for part in _said(exchange)))
    return "\n\n".join(dict.fromkeys(filter(None, map(plain_text, parts))))


def plain_section(text: str) -> str:
    """Return what any section says, each paragraph once, without the names of its parts and the facts at its head."""
    head, mark, rest = text.partition("\n### ")
    lines = [line for line in head.split("\n") if not named_value(line)] + (mark + rest).split("\n")
    told = plain_text(unescaped("\n".join(line for line in lines if not _FRAME.fullmatch(line))))
    return "\n\n".join(dict.fromkeys(told.split("\n\n")))


def _said(exchange: Exchange) -> Iterator[str]:
    yield exchange.user
    for answered in exchange.answers:
        yield f"{answered.question} {answered.answer}"
    yield exchange.assistant
