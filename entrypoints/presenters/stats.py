"""How often entries were of use: on one line, and as JSON."""

from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.use_cases.track_usage import EntryUse, Use
from hardwon.entrypoints.presenters.entries import moment


def use_figures(use: Use) -> dict[str, object]:
    """Return for JSON how often entries were of use, and which most."""
    most = [{"id": each.entry_id, "name": each.name, "influence_count": each.times} for each in use.most]
    return {"influence_count": use.times, "most_used": most}


def use_document(use: EntryUse) -> dict[str, object]:
    """Return for JSON in how many sessions an entry was of use, and what showed it, the newest first."""
    return {"influence_count": use.times, "influences": [influence_document(each) for each in use.newest]}


def influence_document(influence: Influence) -> dict[str, object]:
    """Return for JSON the sign that an entry was of use."""
    told = influence._asdict()
    return {"id": told.pop("entry_id"), **told}


def influence_line(influence: Influence) -> str:
    """Return where the sign stood, when it was seen, in which session, and its words."""
    session = f", session {influence.session_id}" if influence.session_id else ""
    phrase = f": {influence.phrase!r}" if influence.phrase else ""
    return f"{influence.how} at {moment(influence.at)}{session}{phrase}"
