"""What every tool is made with."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp.types import ToolAnnotations
from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic.alias_generators import to_camel

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
LONGEST_TITLE = 200
"""Characters; every list repeats it."""

DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


def _untitled(schema: dict[str, Any]) -> None:
    """Take out the titles that pydantic makes of names: a model reads them as often as it reads the schema."""
    schema.pop("title", None)
    for each in schema.get("properties", {}).values():
        each.pop("title", None)


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
