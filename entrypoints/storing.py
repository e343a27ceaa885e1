"""What is told of a lesson that was stored, and its vector: the same through every door."""

from collections.abc import Iterable

from hardwon.domain.model.block.memory_block import LARGEST_ENTRY, needs_too_much_room
from hardwon.domain.model.entry import MAX_KEYWORDS, Entry
from hardwon.domain.model.entry_checks import distinct
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.keyword_labels import is_complete
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.keeping.embed_pending import BATCH
from hardwon.domain.use_cases.keeping.store_entry import Stored
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.filling import fill_spaces
from hardwon.entrypoints.streams import visible

SWITCHED_OFF = "memory_semantic_enabled is not true, so nothing is stored: set it to true to use the memory"


def confirmation(stored: Stored) -> list[str]:
    """Return the line that names the entry and its id, and one that says when it was known (M-A39)."""
    entry = stored.entry
    lines = [f"Stored: {visible(entry.name)} (id: {entry.entry_id})"]
    if stored.merged:
        lines.append(f"Merged: the lesson was known, now observed {entry.observation_count} times")
    return lines


def complaints_of_length(entry: Entry) -> list[str]:
    """Return one line when *entry* can't be shown, none when it can."""
    if not needs_too_much_room(entry):
        return []
    return [f"too long to be shown beside other entries: keep it under {LARGEST_ENTRY} characters"]


def complaints_of_keywords(given: Iterable[str], stored: Entry) -> list[str]:
    """Return one line that names those of the keywords *given* for which *stored* has no room, none when it has."""
    left_out = [keyword for keyword in distinct(tuple(map(redact, given))) if keyword not in stored.keywords]
    if not left_out:
        return []
    return [no_room_for(left_out)]


def no_room_for(keywords: Iterable[str]) -> str:
    """Return the line that names *keywords* that were left out."""
    return f"a learning keeps its first {MAX_KEYWORDS} keywords, these were left out: {', '.join(keywords)}"


def complaints_of_gaps(entry: Entry) -> list[str]:
    """Return one line that says what *entry* lacks, none when it is complete (M-A34)."""
    lacks = {
        "not 3 to 10 keywords of which 3 stand in its text": not is_complete(
            entry.keywords, f"{entry.description}\n{entry.reasoning}"
        ),
        "no reasoning": not entry.reasoning,
        "no references": not entry.references,
    }
    lacking = [what for what, missing in lacks.items() if missing]
    return [f"incomplete: {', '.join(lacking)}; give them the next time it is observed"] if lacking else []


def embed_now(memory: Memory) -> list[str]:
    """Give what waits its vector, if that is possible; return why it is not, one line each."""
    try:
        troubles = fill_spaces(memory, BATCH).troubles
    except StorageError as error:
        troubles = (str(error),)
    providers = {space.embedder.space.provider for space in memory.spaces}
    found_by = "the embedded model" if len(troubles) < len(providers) else "keyword search"
    return [f"stored without a vector, {found_by} finds it: {trouble}" for trouble in troubles]
