"""Why a call is refused, in one line that says what to change."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from pydantic import ValidationError

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.json_shapes import shown
from hardwon.entrypoints.streams import on_one_line

MOST_MISTAKES = 3
LONGEST_NAME = 80


def refusal(error: ToolError, schema: Mapping[str, Any]) -> ToolError:
    """
    Return *error* as the model should read it.

    What we did not foresee stays as it is: the SDK hides its text from the
    client and writes it to standard error.

    Args:
        error: What the SDK made of the trouble; its cause is the trouble itself.
        schema: Of the tool's arguments.

    """
    cause = error.__cause__
    if isinstance(cause, HardwonError) or (isinstance(cause, ToolError) and not isinstance(cause, UnexpectedToolError)):
        return ToolError(on_one_line(str(cause)))
    if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
        return ToolError(on_one_line("; ".join(_mistakes(cause, schema))))
    return error


def _mistakes(error: ValidationError, schema: Mapping[str, Any]) -> Iterator[str]:
    mistakes = error.errors(include_url=False, include_context=True)
    if missing := _names(mistakes, "missing"):
        yield f"missing: {missing}"
    if unknown := _names(mistakes, "extra_forbidden"):
        yield f"unknown: {unknown}, use {', '.join(schema['properties']) or 'none'}"
    others = [each for each in mistakes if each["type"] not in {"missing", "extra_forbidden"}]
    yield from map(_wrong_value, others[:MOST_MISTAKES])


def _names(mistakes: Iterable[Mapping[str, Any]], of_type: str) -> str:
    names = [_path(each["loc"])[:LONGEST_NAME] for each in mistakes if each["type"] == of_type]
    return ", ".join(names[:MOST_MISTAKES])


def _wrong_value(error: Mapping[str, Any]) -> str:
    name, value = _path(error["loc"]), shown(error["input"])
    match error["type"]:
        case "string_too_short":
            return f"{name} is blank: give it some text"
        case "value_error":
            return f"{name} is {value}: {error['ctx']['error']}"
        case "literal_error":
            return f"{name} is {value}: use {error['ctx']['expected']}"
        case _:
            return f"{name} is {value}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _path(location: tuple[str | int, ...]) -> str:
    first, *rest = location
    return str(first) + "".join(f"[{part!r}]" for part in rest)
