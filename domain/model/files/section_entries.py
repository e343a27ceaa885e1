"""What becomes of the named sections of a document: an entry each."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.files.anchors import AnchorSection, sections
from hardwon.domain.model.files.file_entry import as_named_before
from hardwon.domain.model.files.plain_text import plain_text
from hardwon.domain.model.files.titles import first_heading
from hardwon.domain.model.importance.usage import UNUSED
from hardwon.domain.model.redaction import redact

MOST_SECTIONS = 200
"""So many sections of one file become entries: none may flood the store."""

_GAP = re.compile(r"[-_./\s]+")


class SectionEntries(NamedTuple):
    """
    The entries of a document's sections.

    Attributes:
        entries: In the order the sections begin.
        complaints: What is wrong with the sections, one line each.

    """

    entries: tuple[Entry, ...] = ()
    complaints: tuple[str, ...] = ()


def section_entries(whole: Entry, body: str, known: Mapping[str, Entry]) -> SectionEntries:
    """
    Return the entries that stand for the sections of a document, without secrets.

    One matters as much as the *whole* unless its tier was set for it alone, and comes from where that does;
    whatever else the store has the word on stays as it is *known*.

    Args:
        whole: The entry of the whole document.
        body: What the file says below its front matter.
        known: What stood for its sections before, by anchor.

    Raises:
        InvalidEntryError: nothing is left of a text once secrets are out, or it breaks a rule of `Entry`.

    """
    found, complaints = sections(redact(body))
    entries = tuple(_entry(whole, section, known.get(section.anchor_id)) for section in found[:MOST_SECTIONS])
    if len(found) > MOST_SECTIONS:
        complaints += (f"only the first {MOST_SECTIONS} of {len(found)} anchors become memories of their own",)
    return SectionEntries(entries, complaints)


def _entry(whole: Entry, section: AnchorSection, known: Entry | None) -> Entry:
    name = f"{whole.name}: {_title(whole, section)}"
    owned = known or attrs.evolve(whole, keywords=(), trigger_phrases=(), usage=UNUSED, number=None)
    entry = attrs.evolve(
        whole,
        anchor_id=section.anchor_id,
        name=name,
        description=plain_text(section.text) or name,
        keywords=owned.keywords,
        trigger_phrases=owned.trigger_phrases,
        tier=owned.tier if owned.own_tier else whole.tier,
        own_tier=owned.own_tier,
        importance_weight=owned.importance_weight,
        created_at=owned.created_at,
        usage=owned.usage,
        number=owned.number,
    )
    same = known if known and known.file_hash == whole.file_hash else None
    return as_named_before(redact_entry(entry), same)


def _title(whole: Entry, section: AnchorSection) -> str:
    """Return the section's own heading, else its anchor in words."""
    heading = first_heading(section.text)
    in_words = _GAP.sub(" ", section.anchor_id).strip() or section.anchor_id
    return heading if heading and heading != whole.name else in_words
