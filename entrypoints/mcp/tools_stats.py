"""The tool that tells the memory in figures."""

from collections.abc import Iterator
from typing import Any

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.entrypoints.figures import count
from hardwon.entrypoints.mcp.tool import READS, Answer, tool
from hardwon.entrypoints.mcp.worker import MemoryWorker


class StatsAnswer(Answer):
    """What a store holds, in numbers."""

    entries: dict[str, Any]
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    by_context_type: dict[str, int]
    by_spec_folder: dict[str, int] = Field(description="The largest only")
    by_category: dict[str, int]
    by_confidence: dict[str, int]
    by_source: dict[str, int]
    by_project: dict[str, int]
    embedding: dict[str, Any] = Field(description="The model, what it has embedded, and its trouble if it has any")
    influence: dict[str, Any] = Field(description="How often an injected memory was of use, and which most")
    store: dict[str, Any]
    settings: dict[str, Any]
    context_weights: dict[str, float] = Field(description="What related conversations are ranked by")


class StatsTools:
    """
    Tools that count.

    Args:
        worker: Works on the store.

    """

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker

    async def memory_stats(self) -> StatsAnswer:
        """
        Tell how many memories there are and of what sort, how they are embedded, and what is wrong with that.

        Use it when a search finds less than it should.
        """
        figures = await self._worker.call(lambda memory: count(memory, EVERYTHING))
        return StatsAnswer.model_validate({"message": "\n".join(_in_words(figures)), **figures})


def _in_words(figures: dict[str, dict[str, Any]]) -> Iterator[str]:
    embedding, entries = figures["embedding"], figures["entries"]
    yield f"{entries['total']} memories, {embedding['embedded']} embedded, {embedding['pending']} waiting"
    yield f"embedding: {embedding['provider']}, {embedding['model']}, {embedding['dimensions']} dimensions"
    used = figures["influence"]
    yield f"{used['influence_count']} times an injected memory was of use in a session"
    if embedding["trouble"]:
        yield f"embedding fails, so search is by word only: {embedding['trouble']}"


def stats_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that count."""
    return [tool(StatsTools(worker).memory_stats, title="The memory in figures", effect=READS)]
