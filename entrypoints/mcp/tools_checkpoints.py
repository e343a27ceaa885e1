"""The tools that save and restore the memory's state."""

from typing import Annotated

import attrs
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from hardwon.domain.model.checkpoint import Checkpoint, CheckpointScope
from hardwon.domain.use_cases.checkpoints import Checkpoints, RestoreOutcome
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import contents_here
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.entrypoints.mcp.references import NOT_OF_HERE
from hardwon.entrypoints.mcp.schema import (
    ADDS,
    DELETES,
    READS,
    Tool,
    ToolAnswer,
    tool,
)
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.presenters.checkpoints import checkpoint_line, metadata, restore_lines
from hardwon.entrypoints.presenters.entries import SWITCHED_OFF

Name = Annotated[str, Field(description="The checkpoint's name, such as 'before-auth-refactor'")]


class CheckpointRow(BaseModel):
    """A checkpoint as data."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    id: int
    name: str
    description: str
    created_at: str = Field(description="ISO 8601")
    memory_count: int = Field(description="The number of memories in its scope")
    snapshot_path: str = Field(description="The file that holds the whole state")
    metadata: dict[str, str] = Field(
        description="scope, project, its id, and its folder root where one is known"
    )
    missing: bool = Field(description=("Whether the file is gone, so that it can't be restored"))


class OneCheckpoint(ToolAnswer):
    """A checkpoint that was made or deleted."""

    checkpoint: CheckpointRow


class CheckpointList(ToolAnswer):
    """All checkpoints."""

    checkpoints: list[CheckpointRow] = Field(description="The newest first")


class RestoredState(ToolAnswer):
    """The result of a restore."""

    memory_count: int = Field(description="The number of memories in its scope now")
    restored: int = Field(description="The number of memories restored")
    removed: int = Field(description="The number of memories removed")
    safety_checkpoint: CheckpointRow = Field(description="The state before: restore it to undo")


@attrs.frozen
class CheckpointTools:
    """Tools that save and restore the state."""

    worker: MemoryWorker

    async def checkpoint_create(
        self,
        name: Name,
        description: Annotated[str, Field(description="The purpose of the checkpoint")] = "",
        scope: Annotated[
            CheckpointScope,
            Field(
                description=(
                    "What a restore restores: documents or all kinds of this project, or"
                    " the whole store"
                )
            ),
        ] = "documents",
    ) -> OneCheckpoint:
        """
        Save the memory's present state under a name.

        Call it before a refactoring or clean-up that changes or deletes many memories. Names are
        unique.
        """
        self._ensure_switched_on()

        def create(memory: Memory) -> Checkpoint:
            contents = contents_here(scope, self.worker.workplace(memory), self.worker.project_root)
            return Checkpoints.on(memory.store, memory.clock).create(name, description, contents)

        made = await self.worker.call(create)
        return OneCheckpoint(
            message=f"Checkpoint saved: {checkpoint_line(made)}", checkpoint=_row(made)
        )

    async def checkpoint_list(self) -> CheckpointList:
        """
        List this project's checkpoints, the newest first.

        The other checkpoint tools take their names.
        """
        checkpoints = await self.worker.call(
            lambda memory: Checkpoints.on(memory.store, memory.clock).made_in(
                self.worker.workplace(memory).own
            )
        )
        lines = [f"{at}. {checkpoint_line(item)}" for at, item in enumerate(checkpoints, 1)]
        return CheckpointList(
            message="\n".join(lines) or "No checkpoint yet: checkpoint_create makes one",
            checkpoints=[_row(item) for item in checkpoints],
        )

    async def checkpoint_restore(
        self,
        name: Name,
        scope: Annotated[
            CheckpointScope | None,
            Field(description="What to restore (default: the checkpoint's own scope)"),
        ] = None,
    ) -> RestoredState:
        """
        Restore the memory to the state of a checkpoint.

        Memories changed or deleted since are restored, memories added since are removed. Use it
        when memories were lost, or when searches no longer find what they found before. The present
        state is saved as a checkpoint first, so that this can be undone. Files do not change.
        """
        self._ensure_switched_on()

        def restore(memory: Memory) -> RestoreOutcome:
            self._ensure_of_here(memory, name, scope)
            return Checkpoints.on(memory.store, memory.clock).restore(name, scope)

        restored = await self.worker.call(restore)
        return _state(restored)

    async def checkpoint_delete(self, name: Name) -> OneCheckpoint:
        """
        Delete a checkpoint and its snapshot for good.

        Memories stay.
        """

        def delete(memory: Memory) -> Checkpoint:
            self._ensure_of_here(memory, name, "documents")
            return Checkpoints.on(memory.store, memory.clock).delete(name)

        gone = await self.worker.call(delete)
        return OneCheckpoint(message=f"Checkpoint deleted: {gone.name}", checkpoint=_row(gone))

    def _ensure_of_here(
        self, memory: Memory, name: str, scope: CheckpointScope | None = None
    ) -> None:
        """In a foreign project, refuse checkpoints of other projects or the whole store."""
        here = self.worker.workplace(memory)
        if not here.visibility.is_foreign:
            return
        contents = Checkpoints.on(memory.store, memory.clock).named(name).contents.narrowed(scope)
        if contents.project not in here.own or contents.scope == "all":
            raise ToolError(NOT_OF_HERE)

    def _ensure_switched_on(self) -> None:
        if not self.worker.settings.semantic_enabled:
            raise ToolError(SWITCHED_OFF)


def _row(checkpoint: Checkpoint) -> CheckpointRow:
    return CheckpointRow(
        id=checkpoint.number or 0,
        name=checkpoint.name,
        description=checkpoint.description,
        created_at=checkpoint.created_at.isoformat(),
        memory_count=checkpoint.memory_count,
        snapshot_path=checkpoint.snapshot_path,
        metadata=metadata(checkpoint),
        missing=not checkpoint.is_there,
    )


def _state(restored: RestoreOutcome) -> RestoredState:
    return RestoredState(
        message="\n".join(restore_lines(restored)),
        **restored.replacement._asdict(),
        safety_checkpoint=_row(restored.safety),
    )


def checkpoint_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that save and restore the state."""
    tools = CheckpointTools(worker)
    return [
        tool(tools.checkpoint_create, title="Save the state", effect=ADDS),
        tool(tools.checkpoint_list, title="List saved states", effect=READS),
        tool(tools.checkpoint_restore, title="Restore a saved state", effect=DELETES),
        tool(tools.checkpoint_delete, title="Delete a saved state", effect=DELETES),
    ]
