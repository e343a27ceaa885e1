"""What an injection prints of an entry, from the entry as it is today."""

from typing import TYPE_CHECKING

from hardwon.domain.model.block.entry_texts import piece_text
from hardwon.domain.model.block.summary import TOLD_CHARACTERS, ToldConversation
from hardwon.domain.model.receipts.receipt import Shown

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


def reprinted(shown: Shown, entry: "Entry") -> str:
    """
    Return what stands for *entry* in the text of an injection: the functions that injections use tell it.

    Args:
        shown: How it stood there.
        entry: As it is today.

    """
    if shown.form != "conversation":
        return piece_text(shown.form, entry)
    told = _told(entry)
    return told.cut(shown.room) if shown.room else told.line


def _told(entry: "Entry") -> ToldConversation:
    beginning = entry.description[:TOLD_CHARACTERS]
    return ToldConversation(entry.number or 0, entry.entry_id, entry.kind, entry.name, beginning, entry.updated_at)
