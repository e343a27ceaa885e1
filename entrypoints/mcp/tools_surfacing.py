"""The tool that brings memories up by what a prompt says."""

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from hardwon.domain.model.vocabulary import Kind, Tier
from hardwon.domain.use_cases.asking.match_triggers import BroughtUp, MatchTriggers, Triggered
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.mcp.tool import READS, Answer, WireModel, tool
from hardwon.entrypoints.mcp.worker import MemoryWorker
from hardwon.entrypoints.workplace import name_of

MOST = 20


class TriggeredRow(WireModel):
    """A memory that a phrase brings up."""

    id: int = Field(description="Its number, by which memory_load brings all of it")
    entry_id: str
    kind: Kind
    title: str
    spec_folder: str | None
    file_path: str | None
    anchor_id: str | None
    importance_tier: Tier
    trigger: str = Field(description="The phrase of it that the prompt says")
    confidence: float = Field(description="1.0 for the whole prompt, 0.95 for a part of it, 0.7 for scattered words")


class TriggerAnswer(Answer):
    """What a prompt says."""

    matched: bool
    trigger: str | None = Field(description="The phrase it says with most confidence: a command's or a memory's")
    confidence: float = Field(description="How surely, 0 to 1")
    memories: list[TriggeredRow]


class SurfacingTools:
    """
    Tools that bring memories up.

    Args:
        worker: Works on the store.

    """

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker
        self._memory: Memory | None = None
        self._match: MatchTriggers | None = None

    async def memory_match_triggers(
        self,
        prompt: Annotated[str, Field(description="The user's prompt as it is")],
        limit: Annotated[int, Field(ge=1, le=MOST, description="How many memories at most")] = 3,
    ) -> TriggerAnswer:
        """
        Tell which stored trigger phrases a prompt says, and the memories they belong to; fast, no search.

        Use it at the start of a turn. When the trigger is a command, such as "save context", and no memory is
        meant, the user wants the work at hand remembered: write it down and call memory_save, or store_memory.
        """
        triggered = await self._worker.call(lambda memory: self._kept(memory)(prompt, limit))
        best = triggered.best
        return TriggerAnswer(
            message=_message(triggered),
            matched=best is not None,
            trigger=best.phrase if best else None,
            confidence=best.confidence if best else 0.0,
            memories=[*map(_row, triggered.entries)],
        )

    def _kept(self, memory: Memory) -> MatchTriggers:
        """Return the matcher; it keeps all phrases."""
        if self._match is None or memory is not self._memory:
            self._memory, self._match = memory, memory.match_triggers(name_of(self._worker.project_root))
        return self._match


def _message(triggered: Triggered) -> str:
    if triggered.best is None:
        return "no trigger phrase in this prompt"
    first = f"trigger: {triggered.best.phrase} ({triggered.best.confidence:.2f})"
    rows = (f"{each.owner.number}: {each.owner.title} (by {each.match.phrase!r})" for each in triggered.entries)
    return "\n".join([first, *rows])


def _row(each: BroughtUp) -> TriggeredRow:
    owner = each.owner
    return TriggeredRow(
        id=owner.number,
        entry_id=owner.entry_id,
        kind=owner.kind,
        title=owner.title,
        spec_folder=owner.spec_folder,
        file_path=owner.file_path,
        anchor_id=owner.anchor_id or None,
        importance_tier=owner.tier,
        trigger=each.match.phrase,
        confidence=each.match.confidence,
    )


def surfacing_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that bring memories up."""
    return [tool(SurfacingTools(worker).memory_match_triggers, title="What a prompt brings up", effect=READS)]
