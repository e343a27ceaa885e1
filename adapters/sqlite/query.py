"""The conditions of an `EntryFilter` in SQLite, and the order of ties."""

from collections.abc import Iterable

from hardwon.adapters.sql.database import Database
from hardwon.adapters.sql.filter import Conditions, Where

IN_PLACE = "EXISTS (SELECT 1 FROM entry_place WHERE entry_seq = e.seq AND project IN ({%s}))"


def _of_text(condition: str) -> str:
    return f"e.seq IN (SELECT entry_seq FROM entry_text WHERE {condition})"


CONDITIONS = {
    "kinds": "e.kind IN ({kinds})",
    "ranked": "e.retired = 0",
    "among": "e.seq IN (SELECT value FROM json_each({among}))",
    "except_for": "e.seq NOT IN (SELECT value FROM json_each({except_for}))",
    # Columns of indexes are first: no index has the workspace.
    "scope": (
        "(e.kind IN ({anywhere}) OR e.project IN ({projects}) OR e.workspace = {workspace} OR"
        " substr(e.workspace, -length({named})) = {named})"
    ),
    "origins": f"(e.project IN ({{origins}}) OR {IN_PLACE % 'origins'})",
    "silent": "e.reach = 'shared' AND (e.project IS NULL OR e.project NOT IN ({silent}))",
    "own": "e.project IN ({own})",
    "placed": IN_PLACE % "own",
    # Looked up by entry: a list of all would be built for every page.
    "of_others": (
        "e.reach = 'home' AND (SELECT door FROM entry_text WHERE entry_seq = e.seq) = 'checkout'"
    ),
    "unlabelled": "(SELECT keywords FROM entry_text WHERE entry_seq = e.seq) = '[]'",
    "citing": """(SELECT "references" FROM entry_text WHERE entry_seq = e.seq) != '[]'""",
    "gone": "e.is_gone",
    "stale": """
        EXISTS (SELECT 1 FROM entry_text, json_each(citations)
            WHERE entry_seq = e.seq AND (value LIKE '["changed"%' OR value LIKE '["gone"%'))
    """,
    "superseded": "e.superseded_by IS NOT NULL",
    "tag": "e.seq IN (SELECT entry_seq FROM entry_text, json_each(tags) WHERE value = {tag})",
    "source": _of_text("source = {source}"),
    "folder": _of_text("substr(file_path, 1, length({folder})) = {folder}"),
    "session": _of_text("session_id = {session}"),
    "except_session": (
        "e.seq NOT IN (SELECT entry_seq FROM entry_text WHERE session_id = {except_session})"
    ),
    "anchor": _of_text("anchor_id = {anchor}"),
    "since": "e.created_at_epoch >= {since}",
    "until": "e.created_at_epoch < {until}",
    "shown": "EXISTS (SELECT 1 FROM recall WHERE entry_seq = e.seq)",
    "not shown": "NOT EXISTS (SELECT 1 FROM recall WHERE entry_seq = e.seq)",
    "used": "EXISTS (SELECT 1 FROM influence WHERE entry_seq = e.seq)",
    "not used": "NOT EXISTS (SELECT 1 FROM influence WHERE entry_seq = e.seq)",
    "idle": (
        "e.created_at_epoch < {idle_second} AND NOT EXISTS (SELECT 1 FROM recall WHERE entry_seq ="
        " e.seq AND last_recalled_at >= {idle_since})"
    ),
}


def _bind(name: str, value: object) -> Where:
    if not isinstance(value, tuple):
        return Where(f":{name}", {name: value})
    marks = {f"{name}_{place}": item for place, item in enumerate(value)}
    return Where(", ".join(f":{mark}" for mark in marks), marks)


_conditions = Conditions(CONDITIONS, _bind)
where = _conditions.where
visible = _conditions.visible
visible_by_group = _conditions.visible_by_group
placed = _conditions.placed


IN_TIE_ORDER = """
    SELECT e.seq FROM json_each(:numbers) wanted CROSS JOIN entry e ON e.seq = wanted.value
    ORDER BY e.updated_at DESC, e.id
"""


def in_tie_order(database: Database, numbers: Iterable[int]) -> list[int]:
    """Sort *numbers*, newest first, then by id."""
    rows = database.rows(IN_TIE_ORDER, numbers=[*numbers])
    return [number for (number,) in rows]
