"""What every tool is made with."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp.types import ToolAnnotations
from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


def _untitled(schema: dict[str, Any]) -> None:
    """Take out the titles that pydantic makes of names: a model reads them as often as it reads the schema."""
    schema.pop("title", None)
    for each in schema.get("properties", {}).values():
        each.pop("title", None)


class Answer(BaseModel):
    """
    What a tool answers; further fields are data for programs, in camel case on the wire.

    Attributes:
        message: The answer as a model reads it. Hosts show a model the JSON
            alone, so this is its first field; the text block says the same.

    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, json_schema_extra=_untitled)

    message: str = Field(description="The answer, to be read")


class _Arguments(ArgModelBase):
    model_config = ConfigDict(
        extra="forbid", alias_generator=AliasGenerator(validation_alias=to_camel), json_schema_extra=_untitled
    )


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
