"""The tools that index markdown files."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Literal

import anyio.to_thread
import attrs
from pydantic import Field

from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.index_files import IndexOutcome
from hardwon.domain.use_cases.index_one_file import IndexedFile, Outcome
from hardwon.entrypoints.bootstrap_files import build_index_files
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.entrypoints.mcp.schema import (
    CHANGES,
    Tool,
    ToolAnswer,
    tool,
)
from hardwon.entrypoints.mcp.threads import MemoryWorker, ProjectScan, ScanOutcome
from hardwon.entrypoints.presenters.entries import SWITCHED_OFF, fate
from hardwon.entrypoints.presenters.text import visible

MAX_LINES = 10
"""Limit of problems in the message, as a model pays for each."""

Action = Literal["indexed", "updated", "unchanged"]
ACTIONS: dict[Outcome, Action] = {
    "new": "indexed",
    "reindexed": "indexed",
    "changed": "updated",
    "unchanged": "unchanged",
}


class SavedMemory(ToolAnswer):
    """The result for the file."""

    success: bool = True
    action: Action = Field(
        description="indexed: new or forced; updated: changed; unchanged: skipped"
    )
    memory_id: int = Field(description="The number of the memory that stands for the whole file")
    entry_id: str = Field(description="The same memory's id of 16 hex digits")
    spec_folder: str | None = Field(description="Its spec folder; empty if it is no document")
    title: str
    trigger_phrases: list[str]
    sections: int = Field(description=("The number of anchored sections that became memories"))
    embedded: bool = Field(
        description="Whether semantic search finds it already; keyword search does"
    )
    warnings: list[str] = Field(description=("Problems that did not prevent indexing it"))


class ScannedFiles(ToolAnswer):
    """The result for the files."""

    success: bool = True
    scanned: int = Field(description="The number of files read")
    indexed: int = Field(description="New and changed files; with force all")
    skipped: int = Field(description=("Unchanged files, and files whose memory was deleted"))
    errors: int = Field(description="Files that can't be used")
    removed: int = Field(description="Memories removed because their file is gone")
    pending: int = Field(description="Memories without a vector, which only keyword search finds")
    details: list[str] = Field(description="One line for each error")


@attrs.frozen
class DocumentTools:
    """Tools about files."""

    worker: MemoryWorker
    scan: ProjectScan

    async def memory_save(
        self,
        file_path: Annotated[
            str,
            Field(description="Absolute path of a markdown file in the project or a document root"),
        ],
        force: Annotated[bool, Field(description="Index it even if it did not change")] = False,  # noqa: FBT002  # the tool's argument
    ) -> SavedMemory:
        """
        Index one markdown file, or index it again after you changed it.

        Use it right after you write a file such as specs/005-auth/memory/22-11-26_14-05__tokens.md.
        The file stays where it is. Its anchored sections (<!-- ANCHOR:name --> ... <!--
        /ANCHOR:name -->) become memories of their own. An unchanged file is skipped.
        """
        self._ensure_on()
        kept = await self.worker.call(
            lambda memory: _keep(memory, self.worker.project_root, file_path, force=force)
        )
        warnings = [*kept.warnings, *await self.worker.embed()]
        return await self.worker.call(
            lambda memory: _saved(memory.spaces, memory.clock.now(), kept=kept, warnings=warnings)
        )

    async def memory_index_scan(
        self,
        spec_folder: Annotated[
            str, Field(description="Only this spec folder, such as '005-auth'")
        ] = "",
        force: Annotated[  # noqa: FBT002  # the tool's argument
            bool,
            Field(description="Also index unchanged files, and restore deleted memories"),
        ] = False,
    ) -> ScannedFiles:
        """
        Index changed memory files of the project.

        These are memory/, specs/*/memory/ and document roots. The server does so when it starts.
        Call it after something else changed files, such as a git pull. Memories of deleted files
        are removed.
        """
        self._ensure_on()
        scanned = await anyio.to_thread.run_sync(
            lambda: self.scan.run(spec_folder=spec_folder.strip(), force=force),
            abandon_on_cancel=True,
        )
        self.worker.begin_to_label()
        return _scanned_files(scanned)

    def _ensure_on(self) -> None:
        if not self.worker.settings.semantic_enabled:
            raise ToolError(SWITCHED_OFF)


def _keep(memory: Memory, project_root: str, path: str, *, force: bool) -> IndexedFile:
    index_files = build_index_files(memory, project_root, read_workplace(memory, project_root))
    file = index_files.sources.ensure_inside(path)
    return index_files.index_file(file, select="all" if force else "deleted")


def _saved(spaces: Spaces, now: dt.datetime, kept: IndexedFile, warnings: list[str]) -> SavedMemory:
    if kept.entry is None and kept.warnings:
        raise ToolError(f"nothing of it is kept: {'; '.join(kept.warnings)}")
    entry = kept.entry and spaces.store.entries.by_id(kept.entry.entry_id)
    if entry is None or entry.number is None:
        raise ToolError("the file's memory was deleted at this moment: save it again")
    vectors = spaces.vectors_for(entry.kind)
    action = ACTIONS[kept.outcome]
    is_searched = entry.expires_at is None or entry.expires_at > now
    warnings = [*warnings, *fate(entry, is_searched=is_searched)]
    first = (
        f"{action.capitalize()}: {visible(entry.name)} (id: {entry.number}, {kept.sections}"
        " sections)"
    )
    return SavedMemory(
        message="\n".join([first, *(f"Warning: {line}" for line in warnings)]),
        action=action,
        memory_id=entry.number,
        entry_id=entry.entry_id,
        spec_folder=entry.spec_folder,
        title=entry.name,
        trigger_phrases=[*entry.trigger_phrases],
        sections=kept.sections,
        embedded=bool(vectors and vectors.vectors_of([entry.entry_id]).get(entry.entry_id)),
        warnings=warnings,
    )


def _scanned_files(scanned: ScanOutcome) -> ScannedFiles:
    indexed = scanned.indexed
    done, passed = len(indexed.new) + len(indexed.changed), indexed.unchanged + indexed.deleted
    details = [*indexed.skipped, *indexed.warnings, *scanned.problems]
    return ScannedFiles(
        message="\n".join([_counts(indexed, done, passed), *first_lines(details)]),
        scanned=done + passed + len(indexed.skipped),
        indexed=done,
        skipped=passed,
        errors=len(indexed.skipped),
        removed=len(indexed.removed),
        pending=scanned.pending,
        details=details,
    )


def _counts(indexed: IndexOutcome, done: int, passed: int) -> str:
    deleted = (
        f" ({indexed.deleted} of them deleted earlier: force brings them back)"
        if indexed.deleted
        else ""
    )
    return (
        f"Indexed {done} files ({len(indexed.new)} new), {passed} as they were{deleted},"
        f" {len(indexed.removed)} gone, {len(indexed.skipped)} can't be used"
    )


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first ten of *lines*, and how many more there are."""
    more = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], *([f"and {more} more"] if more > 0 else [])]


def document_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools about files."""
    tools = DocumentTools(worker, ProjectScan(worker.settings, worker.project_root, worker.warn))
    return [
        tool(tools.memory_save, title="Index a file", effect=CHANGES),
        tool(tools.memory_index_scan, title="Index the project's files", effect=CHANGES),
    ]
