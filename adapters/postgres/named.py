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
    """Return the join with `e`, the entry whose id is that of *expression*."""
    return (
        "JOIN LATERAL (SELECT n.number, n.id FROM hardwon.entry n"
        f" WHERE n.tenant = %(tenant)s AND n.id = {expression} ORDER BY n.owner DESC LIMIT 1) e ON true"
    )
