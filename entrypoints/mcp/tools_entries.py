"""The tools that read, list and count memories."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import (
    COLLECTIONS,
    EVERYTHING,
    CollectionName,
    EntryFilter,
    asked_from,
)
from hardwon.domain.model.injection.neutral_text import neutral, neutral_line
from hardwon.domain.model.vocabulary import Tier
from hardwon.domain.use_cases.search import LoadedEntries, LoadEntries
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.entrypoints.mcp.references import find
from hardwon.entrypoints.mcp.schema import (
    READS,
    MemoryRow,
    Reference,
    Tool,
    ToolAnswer,
    row_fields,
    row_of,
    tool,
)
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.stats import count
from hardwon.ports.entries import Order

MOST = 100
LARGEST_OFFSET = 2**31 - 1
ALL_CONTENT = 15_000
"""Characters of all texts in one answer. Hosts truncate answers much longer than 20,000."""

BOTH_GIVEN = 7_000
"""
Maximum length of texts that also stand in the message.

Some hosts show nothing else.
"""


class LoadedRow(MemoryRow):
    """A memory with its text."""

    content: str
    truncated: bool = Field(
        description="Whether content is the beginning only; the rest is in filePath"
    )


class LoadAnswer(ToolAnswer):
    """Whole memories."""

    total: int = Field(description="The total number")
    count: int = Field(description="The number in this answer")
    results: list[LoadedRow] = Field(description="The newest first")


class ListAnswer(ToolAnswer):
    """A page of memories."""

    total: int = Field(description="The total number")
    count: int = Field(description="The number on this page")
    offset: int = Field(description="The number before this page")
    results: list[MemoryRow]


class BrowseTools:
    """Tools that read and list memories."""

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker

    async def memory_load(
        self,
        spec_folder: Annotated[
            str, Field(description="All memories of this specification, such as 005-memory")
        ] = "",
        anchor_id: Annotated[
            str, Field(description="With specFolder: only the section of this name")
        ] = "",
        limit: Annotated[
            int, Field(ge=1, le=MOST, description=("The maximum number, the newest first"))
        ] = 10,
        *,
        id: Annotated[  # noqa: A002  # the word that all tools have for it
            Reference | None,
            Field(description="Instead of specFolder: one memory, by its number or 16-hex id"),
        ] = None,
    ) -> LoadAnswer:
        """
        Read whole memories: a spec folder, one of its sections, or one memory.

        Use it when you continue work on a specification, or to read a search result in full.
        """
        if (id is None) == (not spec_folder) or (anchor_id and not spec_folder):
            raise ToolError("give specFolder, with an anchorId if you like, or id")
        loaded = await self._worker.call(
            lambda memory: self._load(
                memory, id, spec_folder=spec_folder, anchor_id=anchor_id, limit=limit
            )
        )
        what = (
            f"id {id}"
            if id is not None
            else f"{spec_folder}#{anchor_id}"
            if anchor_id
            else spec_folder
        )
        return _load_answer(loaded, on_one_line(what))

    def _load(
        self,
        memory: Memory,
        reference: int | str | None,
        spec_folder: str,
        anchor_id: str,
        limit: int,
    ) -> LoadedEntries:
        if reference is not None:
            return LoadEntries.on(memory.store, memory.clock).one(
                find(memory.repository, reference, self._worker.workplace(memory))
            )
        wanted = EVERYTHING._replace(spec_folder=spec_folder, anchor=anchor_id or None)
        only = asked_from(
            self._worker.workplace(memory), wanted, default="project", scope="project"
        )
        return LoadEntries.on(memory.store, memory.clock).within(only, limit)

    async def memory_list(
        self,
        limit: Annotated[
            int,
            Field(
                ge=1,
                le=MOST,
                description="The page size; some hosts cut an answer of more than 25",
            ),
        ] = 20,
        offset: Annotated[
            int, Field(ge=0, le=LARGEST_OFFSET, description="The number to skip")
        ] = 0,
        spec_folder: Annotated[str, Field(description="Only of this specification")] = "",
        tier: Annotated[Tier | None, Field(description="Only of this tier")] = None,
        sort_by: Annotated[
            Order, Field(description=("The field to sort by, greatest first"))
        ] = "created_at",
        *,
        collection: Annotated[
            CollectionName,
            Field(
                description=(
                    "The collection; all: lessons that may be shown here, and every other"
                    " memory of this project"
                )
            ),
        ] = "all",
    ) -> ListAnswer:
        """
        Browse memories page by page.

        Deprecated and expired memories, which no search finds, are included. Use it to see what
        there is, or to find the id of a memory to update, validate or delete.
        """

        def listed(memory: Memory) -> tuple[int, Sequence[Entry]]:
            repository = memory.repository
            only = self._only(memory, collection)._replace(
                spec_folder=spec_folder or None, tier=tier
            )
            with repository.snapshot():
                return repository.count(only), repository.matching(
                    only, limit=limit, offset=offset, order=sort_by
                )

        total, entries = await self._worker.call(listed)
        return ListAnswer(
            message="\n".join(_listing(total, offset, entries)),
            total=total,
            count=len(entries),
            offset=offset,
            results=[*map(row_of, entries)],
        )

    def _only(self, memory: Memory, collection: CollectionName) -> EntryFilter:
        chosen = COLLECTIONS[collection]
        return asked_from(
            self._worker.workplace(memory), EntryFilter(kinds=chosen.kinds), chosen.scope
        )


def _load_answer(loaded: LoadedEntries, what: str) -> LoadAnswer:
    rows = [*_with_content(loaded.entries)]
    found = f"{len(rows)} of {loaded.total} memories of {what}"
    lines = [found if rows else f"no memory of {what}: memory_list shows those there are"]
    lines += [
        f"id {row.id} is cut: the rest is in {row.file_path or 'hardwon show'}"
        for row in rows
        if row.truncated
    ]
    lines += [f"Note: {line}" for line in loaded.degradations]
    if sum(len(row.content) for row in rows) <= BOTH_GIVEN:
        lines += [
            f"\n## {neutral_line(row.title)} (id {row.id})\n{neutral(row.content)}" for row in rows
        ]
    return LoadAnswer(message="\n".join(lines), total=loaded.total, count=len(rows), results=rows)


def _with_content(entries: Sequence[Entry]) -> Iterator[LoadedRow]:
    room = ALL_CONTENT
    for entry in entries:
        content = entry.description[:room]
        room -= len(content)
        yield LoadedRow(
            **row_fields(entry), content=content, truncated=len(content) < len(entry.description)
        )


def _listing(total: int, offset: int, entries: Sequence[Entry]) -> Iterator[str]:
    yield (
        f"{offset + 1} to {offset + len(entries)} of {total} memories"
        if entries
        else f"none of {total} memories here"
    )
    for entry in entries:
        yield f"{entry.number}: {entry.name} [{entry.tier}] {entry.spec_folder or entry.kind}"


def browse_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that read and list memories."""
    tools = BrowseTools(worker)
    return [
        tool(tools.memory_load, title="Read memories whole", effect=READS),
        tool(tools.memory_list, title="Browse the memory", effect=READS),
    ]


class StatsAnswer(ToolAnswer):
    """Counts of a store."""

    entries: dict[str, Any]
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    by_context_type: dict[str, int]
    by_spec_folder: dict[str, int] = Field(description="The largest spec folders only")
    by_category: dict[str, int]
    by_confidence: dict[str, int]
    by_source: dict[str, int]
    by_project: dict[str, int]
    embedding: dict[str, Any] = Field(
        description="The model, its embedded memories, and its problem, if any"
    )
    influence: dict[str, Any] = Field(
        description="How often injected memories were used, and the most used ones"
    )
    asks: dict[str, int] = Field(description="How often a repair was asked for, and was kept")
    store: dict[str, Any]
    settings: dict[str, Any]
    context_weights: dict[str, float] = Field(
        description="The weights that rank related conversations"
    )


class StatsTools:
    """Tools that count."""

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker

    async def memory_stats(self) -> StatsAnswer:
        """
        Count memories by sort, and show how they are embedded and any problem.

        Use it when a search finds less than it should.
        """
        figures = await self._worker.call(
            lambda memory: count(memory, EVERYTHING, self._worker.workplace(memory).visibility)
        )
        return StatsAnswer.model_validate({"message": "\n".join(_in_words(figures)), **figures})


def _in_words(figures: dict[str, dict[str, Any]]) -> Iterator[str]:
    embedding, entries = figures["embedding"], figures["entries"]
    yield (
        f"{entries['total']} memories, {embedding['embedded']} embedded, {embedding['pending']}"
        " waiting"
    )
    yield (
        f"embedding: {embedding['provider']}, {embedding['model']}, {embedding['dimensions']}"
        " dimensions"
    )
    used = figures["influence"]
    yield f"{used['influence_count']} times an injected memory was of use in a session"
    if embedding["trouble"]:
        yield f"embedding fails, so search is by word only: {embedding['trouble']}"


def stats_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that count."""
    return [tool(StatsTools(worker).memory_stats, title="The memory in figures", effect=READS)]
