"""The tool that keeps a lesson of the session."""

import os
import time
from collections.abc import Sequence
from typing import Annotated

import anyio.to_thread
import attrs
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import Field, StringConstraints

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Category
from hardwon.domain.use_cases.keeping.label import LabelChain, store_labels
from hardwon.domain.use_cases.keeping.store_entry import Stored
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.mcp.tool import ADDS, LONGEST_TITLE, Answer, tool
from hardwon.entrypoints.mcp.worker import MemoryWorker
from hardwon.entrypoints.providers import build_labelers
from hardwon.entrypoints.storing import (
    SWITCHED_OFF,
    complaints_of_gaps,
    complaints_of_keywords,
    complaints_of_length,
    confirmation,
)
from hardwon.entrypoints.workplace import name_of

Text = StringConstraints(strip_whitespace=True, min_length=1)


class StoredMemory(Answer):
    """What became of the lesson."""

    entry_id: str = Field(description="The lesson's id: 16 hex digits")
    merged: bool = Field(description="Whether it was known already, so that no new one was made")
    observation_count: int = Field(description="How often it was observed, this time included")
    keywords: list[str] = Field(description="Its labels; none when none were given and no labeler answered")
    embedded: bool = Field(description="Whether it is found by meaning already, not by its words only")
    warnings: list[str] = Field(description="What did not go well; it is stored all the same")


@attrs.frozen
class StoreTools:
    """Tools that write lessons."""

    worker: MemoryWorker

    async def store_memory(
        self,
        name: Annotated[
            str, Text, Field(max_length=LONGEST_TITLE, description="Short title on one line, such as 'Name the unit'")
        ],
        description: Annotated[
            str,
            Text,
            Field(description="The lesson with its conclusion: what to do or avoid. It identifies the lesson."),
        ],
        reasoning: Annotated[str, Text, Field(description="Why it matters, and how it was found")],
        category: Annotated[
            Category,
            Field(description="anti-patterns: to avoid; patterns: to follow; heuristics: a rule of thumb"),
        ],
        references: Annotated[
            list[str], Field(description="Files, features and projects it is about, such as 'src/reader.py'")
        ] = [],  # noqa: B006  # pydantic hands out copies, and a model reads this default in the schema
        *,
        keywords: Annotated[
            list[str],
            Field(
                description="3 to 10 labels to find it by, such as 'retry-budget'; at least 3 of them stand in its text."
                " Without them a labeler is asked, where there is one"
            ),
        ] = [],  # noqa: B006  # as above
    ) -> StoredMemory:
        """
        Keep a hard-won lesson for all later sessions: what went wrong or worked, and why.

        Store what would have saved time had it been known: a cause that took long to find, a trap,
        a convention, an approach that proved itself. One lesson a call. A lesson that is known
        already is counted once more instead. Secrets are taken out.
        """
        if not self.worker.settings.semantic_enabled:
            raise ToolError(SWITCHED_OFF)
        now = await self.worker.call(lambda memory: memory.clock.now())
        entry = Entry(
            name=name,
            description=description,
            reasoning=reasoning,
            category=category,
            keywords=tuple(keywords),
            references=tuple(references),
            source="session-capture",
            source_project=name_of(self.worker.project_root) or None,
            created_at=now,
            updated_at=now,
        )
        return await self._keep(entry, keywords)

    async def _keep(self, entry: Entry, keywords: Sequence[str]) -> StoredMemory:
        """Store at once, for nothing may be lost; what takes its time comes after."""
        stored = await self.worker.call(lambda memory: memory.store_entry(entry))
        labels = await anyio.to_thread.run_sync(self._labels, stored.entry, abandon_on_cancel=True)
        if labels:
            await self.worker.call(lambda memory: store_labels(memory.repository, stored.entry.entry_id, labels))
        gaps = complaints_of_gaps(stored.entry) if entry.keywords else []
        left_out = complaints_of_keywords(keywords, stored.entry)
        warnings = [*left_out, *complaints_of_length(stored.entry), *gaps, *await self.worker.embed()]
        return await self.worker.call(lambda memory: _told(memory, stored, labels, warnings))

    def _labels(self, entry: Entry) -> tuple[str, ...]:
        if entry.keywords:
            return ()
        return LabelChain(build_labelers(self.worker.settings, os.environ))(entry, Deadline(time.monotonic))


def _told(memory: Memory, stored: Stored, labels: Sequence[str], warnings: list[str]) -> StoredMemory:
    return StoredMemory(
        message="\n".join([*confirmation(stored), *(f"Warning: {line}" for line in warnings)]),
        entry_id=stored.entry.entry_id,
        merged=stored.merged,
        observation_count=stored.entry.observation_count,
        keywords=[*(labels or stored.entry.keywords)],
        embedded=any(space.vectors.vector_of(stored.entry.entry_id) for space in memory.spaces),
        warnings=warnings,
    )


def store_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that write lessons."""
    return [tool(StoreTools(worker).store_memory, title="Store a lesson", effect=ADDS)]
