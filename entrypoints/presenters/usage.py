"""Render usage signals of entries as text and JSON."""

from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.use_cases.summarise_usage import EntryUse, UsageTotals
from hardwon.entrypoints.presenters.text import utc_text


def use_figures(use: UsageTotals) -> dict[str, object]:
    """Return total usage for JSON, and the entries used most."""
    most = [
        {"id": item.entry_id, "name": item.name, "influence_count": item.times} for item in use.most
    ]
    return {"influence_count": use.times, "most_used": most}


def use_document(use: EntryUse) -> dict[str, object]:
    """Return an entry's usage for JSON, signals newest first."""
    return {
        "influence_count": use.times,
        "influences": [influence_document(item) for item in use.newest],
    }


def influence_document(influence: Influence) -> dict[str, object]:
    """Return a usage signal for JSON."""
    fields = influence._asdict()
    return {"id": fields.pop("entry_id"), **fields}


def influence_line(influence: Influence) -> str:
    """Return where the signal stood, when, in which session, and its words."""
    session = f", session {influence.session_id}" if influence.session_id else ""
    phrase = f": {influence.phrase!r}" if influence.phrase else ""
    return f"{influence.how} at {utc_text(influence.at)}{session}{phrase}"
