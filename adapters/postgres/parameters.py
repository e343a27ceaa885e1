"""Parameters of statements, as they may be stored: without secrets, and as text that PostgreSQL takes."""

from typing import Any

from psycopg.types.json import Jsonb

from hardwon.domain.model.redaction import redact

SHORTEST_SECRET = 8


def public(value: Any) -> Any:
    """Return a parameter of a statement without secrets, and as text that PostgreSQL can store."""
    match value:
        case str():
            text = value.replace("\0", "\ufffd")
            return redact(text) if len(value) >= SHORTEST_SECRET else text
        case list() | tuple():
            return [public(item) for item in value]
        case dict():
            return Jsonb(_public_json(value))
        case Jsonb():
            return Jsonb(_public_json(value.obj))
        case _:
            return value


def _public_json(value: Any) -> Any:
    match value:
        case str():
            return public(value)
        case list() | tuple():
            return [_public_json(item) for item in value]
        case dict():
            return {public(name): _public_json(item) for name, item in value.items()}
        case _:
            return value
