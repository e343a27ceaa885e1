"""The parts that tools share: references to memories, refusals in one line, the row of a memory, and the making of a tool."""

import datetime as dt
import inspect
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp.types import ToolAnnotations
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

from hardwon.domain.model.context import NOWHERE, Workplace
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import HardwonError, UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.neutral_text import without_tags
from hardwon.domain.model.json_shapes import shown
from hardwon.domain.model.vocabulary import ContextType, Kind, Tier
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.presenters.text import on_one_line

ENTRY_ID = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]{1,18}")
SHOWN_CHARACTERS = 80


def _reference(value: object) -> object:
    """Refuse at once what is neither: of a choice of two types pydantic would tell two mistakes."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("use the memory's number or its 16 hex digits")  # noqa: TRY004  # pydantic takes no TypeError
    return value


Reference: TypeAlias = Annotated[
    int | str,
    BeforeValidator(_reference),
    Field(description="Which memory: its number (id), or its entryId of 16 hex digits"),
]
"""How a tool takes a memory; `find` looks it up."""


def find(memory: Memory, reference: int | str, here: Workplace = NOWHERE) -> Entry:
    """
    Return the memory that *reference* names: its number, also as text, or its id of 16 hex digits (rule U-3).

    What can be both is an id before it is a number: 16 digits are more likely hex ones than so large a store.

    Args:
        memory: The store.
        reference: The memory's number or id.
        here: Where the user works; in a foreign project a memory that may not be shown there is unknown.

    Raises:
        UnknownEntryError: there is none.

    """
    text = str(reference).strip().lower()
    for entry in _named(memory, text):
        if _may_be_read(memory, entry, here):
            return entry
    raise UnknownEntryError(
        f"no memory has the id {str(reference)[:SHOWN_CHARACTERS]!r}:"
        " give its number or its 16 hex digits, memory_list shows both"
    )


def _named(memory: Memory, text: str) -> Iterator[Entry]:
    known = memory.repository
    if ENTRY_ID.fullmatch(text) and (entry := known.get(text) or known.reworded(text)):
        yield entry
    if NUMBER.fullmatch(text) and (entry := memory.repository.with_number(int(text))):
        yield entry


def find_own(memory: Memory, reference: int | str, here: Workplace) -> Entry:
    """
    Return the memory that *reference* names, to change it; in a foreign project one of that project.

    Raises:
        UnknownEntryError: there is none.
        ToolError: it is one of the user's from elsewhere.

    """
    entry = find(memory, reference, here)
    if here.visibility.is_foreign and entry.project not in here.own:
        raise ToolError(NOT_OF_HERE)
    return entry


def _may_be_read(memory: Memory, entry: Entry, here: Workplace) -> bool:
    if not here.visibility.is_foreign:
        return True
    only = EVERYTHING._replace(visible_in=here.visibility, among=(entry.number or 0,))
    return memory.repository.count(only) == 1


NOT_OF_HERE = (
    "it is not of this project, which is foreign: nothing else can be changed from here; hardwon trust changes that"
)

MAX_MISTAKES = 3
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
        return ToolError(without_tags(on_one_line(str(cause))))
    if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
        return ToolError(without_tags(on_one_line("; ".join(_mistakes(cause, schema)))))
    return error


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


READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
LONGEST_TITLE = 200
"""Characters; every list repeats it."""

DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


def _untitled(schema: dict[str, Any]) -> None:
    """Take out the titles that pydantic makes of names: a model reads them as often as it reads the schema."""
    schema.pop("title", None)
    for item in schema.get("properties", {}).values():
        item.pop("title", None)


def purposes(words: Mapping[Any, str]) -> str:
    """Return what each of *words* is for, as a schema tells it."""
    return "; ".join(f"{word} = {purpose}" for word, purpose in words.items())


class WireModel(BaseModel):
    """What goes over the wire, in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, json_schema_extra=_untitled)


class Answer(WireModel):
    """
    What a tool answers; further fields are data for programs.

    Attributes:
        message: The answer as a model reads it. Hosts show a model the JSON
            alone, so this is its first field; the text block says the same.

    """

    message: str = Field(description="The answer, to be read")


class _Arguments(ArgModelBase):
    model_config = ConfigDict(
        extra="forbid", alias_generator=AliasGenerator(validation_alias=to_camel), json_schema_extra=_untitled
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, arguments: Any) -> Any:
        """Take null for an argument that was left out, as models often write it."""
        is_object = isinstance(arguments, dict)
        return {name: value for name, value in arguments.items() if value is not None} if is_object else arguments


def tool(function: Callable[..., Awaitable[Answer]], *, title: str, effect: ToolAnnotations) -> Tool:
    """
    Return the tool that calls *function*; its name and docstring are the tool's, its parameters the arguments.

    Parameters are named in camel case on the wire, and arguments it does not have are refused.

    Args:
        function: Takes values annotated with `Field(description=..., ge=...)`; an
            optional text has an empty default, as `str | None` would read "null" as None.
        title: What people are shown.
        effect: One of the annotations above.

    """
    made = Tool.from_function(function, title=title, description=inspect.getdoc(function), annotations=effect)
    arguments = create_model(made.name, __base__=(_Arguments, made.fn_metadata.arg_model))
    made.fn_metadata.arg_model = arguments
    return made.model_copy(update={"parameters": arguments.model_json_schema()})


class MemoryRow(WireModel):
    """One memory, without its text."""

    id: int = Field(description="Its number, by which tools take it")
    entry_id: str = Field(description="Its id of 16 hex digits; tools take this as well")
    kind: Kind
    spec_folder: str | None = Field(description="The folder of the specification it belongs to")
    file_path: str | None = Field(description="Its file; a learning has none")
    anchor_id: str | None = Field(description="The section of that file; null for the whole file")
    title: str
    importance_tier: Tier
    importance_weight: float
    context_type: ContextType
    channel: str | None
    session_id: str | None
    created_at: dt.datetime
    created_at_epoch: int
    updated_at: dt.datetime
    access_count: int = Field(description="How often it was found or loaded")
    last_accessed: dt.datetime | None
    validation_count: int = Field(description="How often it was judged")
    confidence_score: float = Field(description="The share of judgements that called it useful; 0.5 before any")
    trigger_phrases: list[str]
    expires_at: dt.datetime | None


def row_of(entry: Entry) -> MemoryRow:
    """
    Return the row of *entry*, which the store has numbered.

    Raises:
        ValidationError: it has no number.
    """
    return MemoryRow(**row_fields(entry))


def row_fields(entry: Entry) -> dict[str, Any]:
    """Return the fields of *entry*'s row, for rows that tell more."""
    usage = entry.usage
    return {
        "id": entry.number,
        "entry_id": entry.entry_id,
        "kind": entry.kind,
        "spec_folder": entry.spec_folder,
        "file_path": entry.file_path,
        "anchor_id": entry.anchor_id or None,
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
    }
