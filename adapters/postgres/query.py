"""Conditions of an `EntryFilter`, and entries by id."""

from hardwon.adapters.sql.filter import Conditions, Where


def _in(table: str, condition: str = "true") -> str:
    return (
        f"EXISTS (SELECT 1 FROM hardwon.{table} o WHERE o.tenant = %(tenant)s AND o.number ="
        f" e.number AND {condition})"
    )


CONDITIONS = {
    "kinds": "e.kind = ANY({kinds})",
    "ranked": "NOT e.retired",
    "among": "e.number = ANY({among})",
    "except_for": "e.number != ALL({except_for})",
    "scope": (
        "(e.project = ANY({projects}) OR e.workspace = {workspace} OR right(e.workspace,"
        " length({named})) = {named} OR e.kind = ANY({anywhere}))"
    ),
    "origins": (
        f"(e.project = ANY({{origins}}) OR {_in('entry_place', 'o.project = ANY({origins})')})"
    ),
    "silent": "e.reach = 'shared' AND (e.project IS NULL OR e.project != ALL({silent}))",
    "own": "e.project = ANY({own})",
    "placed": _in("entry_place", "o.project = ANY({own})"),
    "of_others": "e.reach = 'home' AND " + _in("entry_text", "o.door = 'checkout'"),
    "unlabelled": _in("entry_text", "cardinality(o.keywords) = 0"),
    "citing": _in("entry_text", 'cardinality(o."references") > 0'),
    "gone": "e.is_gone",
    "stale": _in(
        "entry_text",
        """EXISTS (SELECT 1 FROM unnest(o.citations) place
            WHERE starts_with(place, '["changed"') OR starts_with(place, '["gone"'))""",
    ),
    "superseded": "e.superseded_by IS NOT NULL",
    "tag": _in("entry_text", "{tag} = ANY(o.tags)"),
    "source": _in("entry_text", "o.source = {source}"),
    "folder": _in("entry_text", "starts_with(o.file_path, {folder})"),
    "session": _in("entry_text", "o.session_id = {session}"),
    "except_session": _in("entry_text", "o.session_id IS DISTINCT FROM {except_session}"),
    "anchor": _in("entry_text", "o.anchor_id = {anchor}"),
    "since": "e.created_at >= to_timestamp({since})",
    "until": "e.created_at < to_timestamp({until})",
    "shown": _in("recall"),
    "not shown": f"NOT {_in('recall')}",
    "used": _in("influence"),
    "not used": f"NOT {_in('influence')}",
    "idle": (
        "e.created_at < to_timestamp({idle_second}) AND NOT"
        f" {_in('recall', 'o.last_recalled_at >= {idle_since}')}"
    ),
}


def _bind(name: str, value: object) -> Where:
    return Where(f"%({name})s", {name: list(value) if isinstance(value, tuple) else value})


MAY_DELETE = "(e.author = current_user OR e.owner = current_user OR hardwon.owns_store())"
"""Condition: the server lets this member delete the entry."""

_conditions = Conditions(CONDITIONS, _bind, always="e.tenant = %(tenant)s")
where = _conditions.where
visible = _conditions.visible


def number_of(name: str) -> str:
    """
    Return SQL for an entry's number by the id in parameter *name*.

    It is NULL without such an entry.
    """
    return (
        "(SELECT n.number FROM hardwon.entry n"
        f" WHERE n.tenant = %(tenant)s AND n.id = %({name})s ORDER BY n.owner DESC LIMIT 1)"
    )


def entry_named(expression: str) -> str:
    """Return a join with `e`, the entry of any of its ids."""
    of_tenant = "n.tenant = %(tenant)s"
    return f"""
        JOIN LATERAL (
            SELECT n.number, n.id, n.owner, 1 AS place FROM hardwon.entry n WHERE {of_tenant} AND n.id = {expression}
            UNION ALL
            SELECT n.number, n.id, n.owner, 2 FROM hardwon.entry_alias a
            JOIN hardwon.entry n ON n.tenant = a.tenant AND n.number = a.number
            WHERE {of_tenant} AND a.tenant = %(tenant)s AND a.old_id = {expression}
            ORDER BY place, owner DESC LIMIT 1
        ) e ON true
    """
