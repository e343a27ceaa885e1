"""Parts that tools share: refusals, rows, tool construction."""

import datetime as dt
import inspect
import json
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import (
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.alias_generators import to_camel

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.json_shapes import shown
from hardwon.domain.model.vocabulary import ContextType, Kind, Tier
from hardwon.entrypoints.mcp.protocol import ToolError


def _reference(value: object) -> object:
    """Refuse other types at once, as pydantic reports two mistakes for a union."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("use the memory's number or its 16 hex digits")  # noqa: TRY004  # pydantic takes no TypeError
    return value


Reference: TypeAlias = Annotated[
    int | str,
    BeforeValidator(_reference),
    Field(description="Which memory: its number (id), or its entryId of 16 hex digits"),
]
"""A tool's reference to a memory, which `find` resolves."""


MAX_MISTAKES = 3
LONGEST_NAME = 80


def _mistakes(error: ValidationError, schema: Mapping[str, Any]) -> Iterator[str]:
    mistakes = error.errors(include_url=False, include_context=True)
    if missing := _names(mistakes, "missing"):
        yield f"missing: {missing}"
    if unknown := _names(mistakes, "extra_forbidden"):
        yield f"unknown: {unknown}, use {', '.join(schema['properties']) or 'none'}"
    others = [item for item in mistakes if item["type"] not in {"missing", "extra_forbidden"}]
    yield from map(_wrong_value, others[:MAX_MISTAKES])


def _names(mistakes: Iterable[Mapping[str, Any]], of_type: str) -> str:
    names = [_path(item["loc"])[:LONGEST_NAME] for item in mistakes if item["type"] == of_type]
    return ", ".join(names[:MAX_MISTAKES])


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


def _effect(
    *, reads: bool = False, destroys: bool | None = None, repeatable: bool | None = None
) -> dict[str, bool]:
    """
    Return a tool's annotations in the protocol's terms.

    No tool reaches beyond this machine.
    """
    hints = {
        "readOnlyHint": reads,
        "destructiveHint": destroys,
        "idempotentHint": repeatable,
        "openWorldHint": False,
    }
    return {name: value for name, value in hints.items() if value is not None}


READS = _effect(reads=True)
ADDS = _effect(destroys=False, repeatable=False)
CHANGES = _effect(destroys=False, repeatable=True)
DELETES = _effect(destroys=True, repeatable=True)

LONGEST_TITLE = 200
"""Characters. Every list repeats the title."""


def _untitled(schema: dict[str, Any]) -> None:
    """Remove the titles that pydantic derives from names, which cost a model tokens."""
    schema.pop("title", None)
    for item in schema.get("properties", {}).values():
        item.pop("title", None)


def purposes(words: Mapping[Any, str]) -> str:
    """Join words and their purposes for a schema's description."""
    return "; ".join(f"{word} = {purpose}" for word, purpose in words.items())


class WireModel(BaseModel):
    """A model that goes over the wire in camel case."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, json_schema_extra=_untitled
    )


class ToolAnswer(WireModel):
    """
    The answer of a tool.

    Attributes:
        message: The answer as a model reads it, and the text block too. Hosts show a model the JSON
            alone, so it is the first field.

    """

    message: str = Field(description="The answer as text")


class _Arguments(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        alias_generator=AliasGenerator(validation_alias=to_camel),
        json_schema_extra=_untitled,
    )

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, arguments: Any) -> Any:
        """Treat null as omitted, and parse lists that models send as JSON text."""
        texts = {
            to_camel(name) for name, field in cls.model_fields.items() if field.annotation is str
        }
        meant = {
            name: _list_or_null(value) if name not in texts else value
            for name, value in dict(arguments).items()
        }
        return {name: value for name, value in meant.items() if value is not None}


def _list_or_null(value: object) -> object:
    """Return the list, object or null in the JSON text *value*, otherwise *value*."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return value if isinstance(parsed, str | int | float) else parsed


class Tool(NamedTuple):
    """A tool."""

    description: Mapping[str, Any]
    arguments: type[BaseModel]
    function: Callable[..., Awaitable[ToolAnswer]]

    async def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Validate a client's *arguments*, and return the structured answer."""
        try:
            fit = self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise ToolError("; ".join(_mistakes(error, self.description["inputSchema"]))) from error
        answer = await self.function(
            **{name: getattr(fit, name) for name in self.arguments.model_fields}
        )
        return answer.model_dump(mode="json", by_alias=True)


def tool(
    function: Callable[..., Awaitable[ToolAnswer]], *, title: str, effect: Mapping[str, bool]
) -> Tool:
    """
    Make a tool of *function*, with its name, docstring and parameters.

    Parameters are named in camel case on the wire, and unknown arguments are refused. No output
    schema is listed: it is optional, and would cost every session's model more than all the rest.

    Args:
        function: Takes values annotated with `Field(description=..., ge=...)`. An optional text has
            an empty default, as `str | None` would read "null" as None.
        title: Display name.
        effect: One of the annotations above.
    """
    name = function.__name__
    signature = inspect.signature(function, eval_str=True)
    fields: dict[str, Any] = {
        parameter.name: (
            parameter.annotation,
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in signature.parameters.values()
    }
    arguments = create_model(name, __base__=_Arguments, **fields)
    description = {
        "name": name,
        "title": title,
        "description": inspect.getdoc(function) or "",
        "inputSchema": arguments.model_json_schema(),
        "annotations": dict(effect),
    }
    return Tool(description, arguments, function)


class MemoryRow(WireModel):
    """One memory, without its text."""

    id: int = Field(description="Its number, which tools accept")
    entry_id: str = Field(description=("Its id of 16 hex digits, which tools accept too"))
    kind: Kind
    spec_folder: str | None = Field(description="The folder of the specification it belongs to")
    file_path: str | None = Field(description="Its file; a learning has none")
    anchor_id: str | None = Field(description="The section of that file; null for the whole file")
    name: str
    title: str = Field(description="The same as name")
    importance_tier: Tier
    importance_weight: float
    context_type: ContextType
    channel: str | None
    session_id: str | None
    created_at: dt.datetime
    created_at_epoch: int
    updated_at: dt.datetime
    access_count: int = Field(description="The number of times it was found or loaded")
    last_accessed: dt.datetime | None
    validation_count: int = Field(description="The number of judgements")
    confidence_score: float = Field(
        description="The share of judgements that called it useful; 0.5 without any"
    )
    trigger_phrases: list[str]
    expires_at: dt.datetime | None
    superseded_by: str | None = Field(description="The id of the memory that replaces it")
    warning: str | None = Field(description="Which cited files changed since; null for none")


def row_of(entry: Entry) -> MemoryRow:
    """Return the row of *entry*."""
    return MemoryRow(**row_fields(entry))


def row_fields(entry: Entry) -> dict[str, Any]:
    """Return the fields of *entry*'s row, for rows with more fields."""
    usage = entry.usage
    return {
        "id": entry.number,
        "entry_id": entry.entry_id,
        "kind": entry.kind,
        "spec_folder": entry.spec_folder,
        "file_path": entry.file_path,
        "anchor_id": entry.anchor_id or None,
        "name": entry.name,
        "title": entry.name,
        "importance_tier": entry.tier,
        "importance_weight": entry.importance_weight,
        "context_type": entry.context_type,
        "channel": entry.channel,
        "session_id": entry.session_id,
        "created_at": entry.created_at,
        "created_at_epoch": math.floor(entry.created_at.timestamp()),
        "updated_at": entry.updated_at,
        "access_count": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validation_count": usage.validations.total,
        "confidence_score": usage.validations.confidence_score,
        "trigger_phrases": [*entry.trigger_phrases],
        "expires_at": entry.expires_at,
        "superseded_by": entry.superseded_by,
        "warning": entry.warning or None,
    }
