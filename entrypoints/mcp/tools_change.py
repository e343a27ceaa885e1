"""The tools that change what is known about a memory, and that judge it."""

from typing import Annotated

import attrs
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import Field
from pydantic.alias_generators import to_camel

from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.importance.tiers import TIER_PURPOSES
from hardwon.domain.model.vocabulary import Tier
from hardwon.domain.use_cases.keeping.change_entry import Changed
from hardwon.domain.use_cases.keeping.validate_entry import Validated
from hardwon.entrypoints.changing import confirmation, judgement
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.host_session import host_session
from hardwon.entrypoints.mcp.references import Reference, find
from hardwon.entrypoints.mcp.rows import MemoryRow, row_of
from hardwon.entrypoints.mcp.tool import ADDS, CHANGES, LONGEST_TITLE, Answer, WireModel, purposes, tool
from hardwon.entrypoints.mcp.worker import MemoryWorker

NOTHING_TO_CHANGE = "nothing to change: give title, triggerPhrases, importanceWeight or importanceTier"
ASK_FIRST = (
    "Promotion offered: most who used it found it useful. Ask the user whether it should become critical;"
    " if so, call memory_update with importanceTier critical"
)


class ChangedField(WireModel):
    """One field that was changed, its values as text or JSON."""

    field: str
    old: str | None
    new: str | None


class UpdatedMemory(Answer):
    """What became of a change."""

    changed: list[ChangedField] = Field(description="The fields that are not as they were")
    memory: MemoryRow = Field(description="The memory as it now is")
    sections_followed: int = Field(description="How many sections of the file took its tier over")
    sections_kept: int = Field(description="How many kept another tier, which was set for them alone")
    warnings: list[str] = Field(description="What did not go well; it is changed all the same")


class ValidatedMemory(Answer):
    """What became of a judgement."""

    id: int
    entry_id: str
    validation_count: int = Field(description="How often it was judged, this time included")
    confidence_score: float = Field(description="The share of judgements that called it useful")
    promotion_offered: bool = Field(description="Whether the user should be asked to make it critical")


@attrs.frozen
class ChangeTools:
    """Tools that change memories."""

    worker: MemoryWorker

    async def memory_update(
        self,
        id: Reference,  # noqa: A002  # requirement D-T5.1's word
        title: Annotated[str, Field(max_length=LONGEST_TITLE, description="New title, one line")] = "",
        trigger_phrases: Annotated[
            list[str] | None,
            Field(description="What a user says when it matters, instead of those it has: 20 at most; [] for none"),
        ] = None,
        importance_weight: Annotated[
            Annotated[float, Field(ge=0, le=1)] | None,
            Field(description="0 to 1: its order among what is always shown; at 1 it never loses worth with age"),
        ] = None,
        importance_tier: Annotated[Tier | None, Field(description=purposes(TIER_PURPOSES))] = None,
    ) -> UpdatedMemory:
        """
        Change a memory's title, trigger phrases or importance; what is not given stays.

        Use it when a memory is outdated (importanceTier deprecated: no search finds it any more, nor its
        sections, but for those that were given a tier themselves), turned out to matter (important, critical), or should come up on certain words (triggerPhrases). Ask the
        user before you make one critical or constitutional. What was there before is kept in its history.
        """
        change = EntryChange(
            title=title or None,
            trigger_phrases=None if trigger_phrases is None else tuple(trigger_phrases),
            importance_weight=importance_weight,
            importance_tier=importance_tier,
        )
        if change.is_empty:
            raise ToolError(NOTHING_TO_CHANGE)
        changed = await self.worker.call(lambda memory: memory.change_entry(find(memory, id).entry_id, change))
        return _updated(changed, await self.worker.embed() if changed.needs_vectors else [])

    async def memory_validate(
        self,
        id: Reference,  # noqa: A002  # requirement D-T7.1's word
        was_useful: Annotated[bool, Field(strict=True, description="true when it helped, false when it misled")],
    ) -> ValidatedMemory:
        """
        Say whether a memory was of use, once you have relied on it.

        After 5 judgements of which 90 % were good, the answer offers promotion: ask the user then,
        nothing is promoted by itself.
        """
        return await self.worker.call(lambda memory: _validate(memory, id, useful=was_useful))


def _updated(changed: Changed, warnings: list[str]) -> UpdatedMemory:
    return UpdatedMemory(
        message="\n".join([*confirmation(changed), *(f"Warning: {line}" for line in warnings)]),
        changed=[_on_the_wire(each) for each in changed.changes],
        memory=row_of(changed.entry),
        sections_followed=changed.sections.followed,
        sections_kept=changed.sections.kept,
        warnings=warnings,
    )


def _on_the_wire(change: FieldChange) -> ChangedField:
    return ChangedField(field=to_camel(change.field), old=change.old, new=change.new)


def _validate(memory: Memory, reference: int | str, *, useful: bool) -> ValidatedMemory:
    validated = memory.validate_entry(find(memory, reference).entry_id, useful=useful, session_id=host_session())
    row, offered = row_of(validated.entry), validated.offers_promotion
    return ValidatedMemory(
        message="\n".join(_told(validated)),
        id=row.id,
        entry_id=row.entry_id,
        validation_count=row.validation_count,
        confidence_score=row.confidence_score,
        promotion_offered=offered,
    )


def _told(validated: Validated) -> list[str]:
    return [judgement(validated), *([ASK_FIRST] if validated.offers_promotion else [])]


def change_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that change memories."""
    tools = ChangeTools(worker)
    return [
        tool(tools.memory_update, title="Change a memory", effect=CHANGES),
        tool(tools.memory_validate, title="Judge a memory", effect=ADDS),
    ]
