"""Redaction of every text in a JSON value. Standard library only: hooks need it."""

from hardwon.domain.model.redaction import redact


def redact_values(value: object) -> object:
    """Return *value*, of objects, lists and scalars, with every text and key redacted."""
    if isinstance(value, dict):
        return {redact(key): redact_values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_values(item) for item in value]
    return redact(value) if isinstance(value, str) else value
