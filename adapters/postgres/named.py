"""
Entries by their ids, in SQL.

An id can name two entries that a member sees: a personal one comes before the one that all members share.
"""


def number_of(name: str) -> str:
    """Return the number of the entry whose id is the parameter *name*, NULL without one."""
    return (
        "(SELECT n.number FROM hardwon.entry n"
        f" WHERE n.tenant = %(tenant)s AND n.id = %({name})s ORDER BY n.owner DESC LIMIT 1)"
    )


def entry_named(expression: str) -> str:
    """Return the join with `e`, the entry whose id is that of *expression*, or was until another member reworded it."""
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
