"""Use of entries as text and JSON: how often, by what sign, when."""

from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.use_cases.track_usage import EntryUse, Use
from hardwon.entrypoints.presenters.text import utc_text


def use_figures(use: Use) -> dict[str, object]:
    """Return for JSON how often entries were used, and which most."""
    most = [{"id": item.entry_id, "name": item.name, "influence_count": item.times} for item in use.most]
    return {"influence_count": use.times, "most_used": most}


def use_document(use: EntryUse) -> dict[str, object]:
    """Return for JSON in how many sessions an entry was used, and what showed it, the newest first."""
    return {"influence_count": use.times, "influences": [influence_document(item) for item in use.newest]}


def influence_document(influence: Influence) -> dict[str, object]:
    """Return for JSON the sign that an entry was used."""
    fields = influence._asdict()
    return {"id": fields.pop("entry_id"), **fields}


def influence_line(influence: Influence) -> str:
    """Return where the sign stood, when it was seen, in which session, and its words."""
    session = f", session {influence.session_id}" if influence.session_id else ""
    phrase = f": {influence.phrase!r}" if influence.phrase else ""
    return f"{influence.how} at {utc_text(influence.at)}{session}{phrase}"
