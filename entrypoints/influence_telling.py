"""How it is told that entries were of use."""

from collections.abc import Sequence

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.receipts.influence import Influence
from hardwon.entrypoints.composition import Memory

MOST_USED = 5
MOST_SESSIONS = 100


def influence_figures(memory: Memory, only: EntryFilter) -> dict[str, object]:
    """Return how often entries of *only* were of use, and which most."""
    most = [
        {"id": entry_id, "name": entry.name, "influence_count": count}
        for entry_id, count in memory.influences.most_used(MOST_USED, only)
        if (entry := memory.repository.get(entry_id))
    ]
    return {"influence_count": memory.influences.total(only), "most_used": most}


def influence_document(memory: Memory, entry_id: str) -> dict[str, object]:
    """Return for JSON in how many sessions an entry was of use, and what showed it, the newest first."""
    known = memory.influences.find(entry_id=entry_id, limit=MOST_SESSIONS)
    return {
        "influence_count": memory.influences.counts([entry_id]).get(entry_id, 0),
        "influences": [each._asdict() for each in known],
    }


def influence_lines(influences: Sequence[Influence]) -> list[str]:
    """Return a line for each: where the sign stood, in which session, and its words."""
    return [f"{_where(each)}{f': {each.phrase}' if each.phrase else ''}" for each in influences]


def _where(influence: Influence) -> str:
    session = f", session {influence.session_id}" if influence.session_id else ""
    return f"{influence.at:%Y-%m-%d %H:%M}  {influence.how}{session}"
