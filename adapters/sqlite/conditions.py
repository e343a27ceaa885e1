"""Conditions of a query of which only some are asked. Standard library only."""

from collections.abc import Mapping


def all_of(conditions: Mapping[str, object]) -> tuple[str, tuple[object, ...]]:
    """
    Return as one condition those of *conditions* that have a value, and their values in order.

    A query that spells out only what is asked can be answered from an index.
    """
    asked = {sql: value for sql, value in conditions.items() if value is not None}
    return " AND ".join(asked) or "true", tuple(asked.values())
