"""The tools that store, change, judge and delete memories."""

import time
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import anyio.to_thread
import attrs
from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_camel

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.ranking.decay import TIER_PURPOSES
from hardwon.domain.model.vocabulary import Category, Tier
from hardwon.domain.use_cases.edit_entries import (
    ChangeEntry,
    DeleteEntries,
    EditOutcome,
    ValidateEntry,
    ValidationOutcome,
)
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.label import store_labels
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry
from hardwon.domain.use_cases.supersede import KeepInPlace, Supersede, ensure_may_replace
from hardwon.entrypoints.bootstrap import host_session, system_clock
from hardwon.entrypoints.bootstrap_files import document_folders, with_citations
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_label_chain
from hardwon.entrypoints.bootstrap_upkeep import build_edit_lesson
from hardwon.entrypoints.context import home_warning
from hardwon.entrypoints.embed_after_write import nearest_to
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.entrypoints.mcp.references import find_own
from hardwon.entrypoints.mcp.schema import (
    ADDS,
    CHANGES,
    DELETES,
    LONGEST_TITLE,
    MemoryRow,
    Reference,
    Tool,
    ToolAnswer,
    WireModel,
    purposes,
    row_of,
    tool,
)
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.mcp.tools_documents import first_lines
from hardwon.entrypoints.presenters.entries import (
    KEPT_HERE,
    NOT_SUPERSEDED,
    SWITCHED_OFF,
    change_confirmation,
    complaints_of_citations,
    complaints_of_gaps,
    complaints_of_keywords,
    complaints_of_length,
    complaints_of_private,
    judgement,
    nearest_lines,
    storing_confirmation,
)
from hardwon.entrypoints.presenters.text import visible

Text = StringConstraints(strip_whitespace=True, min_length=1)


class StoredMemory(ToolAnswer):
    """The result for the lesson."""

    entry_id: str = Field(description="The lesson's id: 16 hex digits")
    merged: bool = Field(description=("Whether the lesson was known, so that no new one was made"))
    observation_count: int = Field(description=("The number of observations, this one included"))
    keywords: list[str] = Field(
        description="Its labels; empty if none were given and no labeler answered"
    )
    embedded: bool = Field(
        description="Whether semantic search finds it already; keyword search does"
    )
    warnings: list[str] = Field(description="Problems that did not prevent storing it")


class _Kept(NamedTuple):
    """A stored lesson, its place, warnings on that, and why the server is away."""

    stored: StoredEntry
    here: Workplace
    at_home: Sequence[str]
    away: str


@attrs.frozen
class StoreTools:
    """Tools that write lessons."""

    worker: MemoryWorker

    async def store_memory(
        self,
        name: Annotated[
            str,
            Text,
            Field(
                max_length=LONGEST_TITLE,
                description="Short title on one line, such as 'Name the unit'",
            ),
        ],
        description: Annotated[
            str,
            Text,
            Field(
                description=(
                    "The lesson with its conclusion: what to do or avoid. It identifies the lesson."
                )
            ),
        ],
        reasoning: Annotated[str, Text, Field(description="Why it matters, and how it was found")],
        category: Annotated[
            Category,
            Field(
                description=(
                    "anti-patterns: to avoid; patterns: to follow; heuristics: a rule of thumb"
                )
            ),
        ],
        references: Annotated[
            list[str],
            Field(description="Files, features and projects it is about, such as 'src/reader.py'"),
        ] = [],  # noqa: B006  # pydantic hands out copies, and a model reads this default in the schema
        *,
        keywords: Annotated[
            list[str],
            Field(
                description=(
                    "3 to 10 keyword labels, such as 'retry-budget'; at least 3 of them"
                    " occur in its text. Without them a labeler, if there is one, makes"
                    " them"
                )
            ),
        ] = [],  # noqa: B006  # as above
        supersedes: Annotated[
            Reference | None,
            Field(
                description=("The number or id of a lesson that this one replaces and ranks above")
            ),
        ] = None,
    ) -> StoredMemory:
        """
        Keep a hard-won lesson for all later sessions.

        A lesson says what went wrong or worked, and why. Store what would have saved time: a cause
        that took long to find, a trap, a convention, an approach that proved itself. One lesson a
        call. A known lesson is counted again instead of stored twice. Secrets are redacted.
        """
        if not self.worker.settings.semantic_enabled:
            raise ToolError(SWITCHED_OFF)
        now = system_clock().now()
        entry = Entry(
            name=name,
            description=description,
            reasoning=reasoning,
            category=category,
            keywords=tuple(keywords),
            references=tuple(references),
            source="session-capture",
            created_at=now,
            updated_at=now,
        )
        return await self._keep(entry, keywords=keywords, supersedes=supersedes)

    async def _keep(
        self, entry: Entry, keywords: Sequence[str], supersedes: Reference | None
    ) -> StoredMemory:
        """Store at once, so that nothing is lost, then do the slow work."""
        kept = await self.worker.call(
            lambda memory: self._kept(memory, entry, supersedes), or_outbox=True
        )
        stored = kept.stored
        complaints = [*_complaints(entry, stored.entry, keywords), *kept.at_home]
        if kept.away:  # the server is not asked again
            waits = [KEPT_HERE.format(kept.away), *complaints]
            return _stored_memory(stored, labels=(), nearest=(), warnings=waits)
        labels = await anyio.to_thread.run_sync(self._labels, stored.entry, abandon_on_cancel=True)
        if labels:
            await self.worker.call(
                lambda memory: store_labels(memory.repository, stored.entry.entry_id, labels),
                or_outbox=True,
            )
        warnings = [*complaints, *await self.worker.embed()]
        return await self.worker.call(
            lambda memory: _stored_memory(
                stored,
                labels=labels,
                nearest=nearest_to(memory.spaces, stored.entry, kept.here),
                warnings=warnings,
                spaces=memory.spaces,
            ),
            or_outbox=True,
        )

    def _kept(self, memory: Memory, entry: Entry, supersedes: Reference | None) -> "_Kept":
        here = self.worker.workplace(memory)
        if memory.away and supersedes is not None:
            raise InvalidEntryError(NOT_SUPERSEDED.format(memory.away))
        replaced = (
            None if supersedes is None else find_own(memory.repository, supersedes, here).entry_id
        )
        here_learned = attrs.evolve(entry, source_project=here.label or None)
        public = with_citations(redact_entry(here_learned), self.worker.project_root)
        keep = KeepInPlace.on(memory.store, memory.clock, Origin(here, "mcp"))
        stored, at_home = keep.keep(public, replaced), home_warning(memory.registry(), here)
        return _Kept(stored, here, at_home=at_home, away=memory.away)

    def _labels(self, entry: Entry) -> tuple[str, ...]:
        if entry.keywords:
            return ()
        return build_label_chain(self.worker.settings).labels_for(entry, Deadline(time.monotonic))


def _complaints(given: Entry, stored: Entry, keywords: Sequence[str]) -> list[str]:
    return [
        *complaints_of_private(given.name, given.description, given.reasoning),
        *complaints_of_keywords(keywords, stored),
        *complaints_of_length(stored),
        *complaints_of_citations(stored),
        *(complaints_of_gaps(stored) if given.keywords else ()),
    ]


def _stored_memory(
    stored: StoredEntry,
    *,
    labels: Sequence[str],
    nearest: Sequence[Entry],
    warnings: list[str],
    spaces: Spaces | None = None,
) -> StoredMemory:
    way = f"memory_update with id: {stored.entry.entry_id}, supersedes: ID"
    return StoredMemory(
        message="\n".join(
            [
                *storing_confirmation(stored),
                *(f"Warning: {line}" for line in warnings),
                *nearest_lines(nearest, way),
            ]
        ),
        entry_id=stored.entry.entry_id,
        merged=stored.merged,
        observation_count=stored.entry.observation_count,
        keywords=[*(labels or stored.entry.keywords)],
        embedded=any(
            space.vectors.vectors_of([stored.entry.entry_id]).get(stored.entry.entry_id)
            for space in spaces or ()
        ),
        warnings=warnings,
    )


def store_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that write lessons."""
    return [tool(StoreTools(worker).store_memory, title="Store a lesson", effect=ADDS)]


NOTHING_TO_CHANGE = (
    "nothing to change: give title, description, reasoning, triggerPhrases, importanceWeight,"
    " importanceTier or supersedes"
)
ASK_FIRST = (
    "Promotion offered: most who used it found it useful. Ask the user whether it should become"
    " critical; if so, call memory_update with importanceTier critical"
)


class ChangedField(WireModel):
    """One field that was changed, its values as text or JSON."""

    field: str
    old: str | None
    new: str | None


class UpdatedMemory(ToolAnswer):
    """The result of a change."""

    changed: list[ChangedField] = Field(description="The fields that changed")
    memory: MemoryRow = Field(description="The memory after the change")
    sections_followed: int = Field(
        description=("The number of the file's sections that took over its tier")
    )
    sections_kept: int = Field(description="The number that kept a tier of their own")
    warnings: list[str] = Field(description="Problems that did not prevent the change")


class ValidatedMemory(ToolAnswer):
    """The result of a judgement."""

    id: int
    entry_id: str
    validation_count: int = Field(description=("The number of judgements, this one included"))
    confidence_score: float = Field(description="The share of judgements that called it useful")
    promotion_offered: bool = Field(
        description="Whether the user should be asked to make it critical"
    )


@attrs.frozen
class ChangeTools:
    """Tools that change memories."""

    worker: MemoryWorker

    async def memory_update(
        self,
        id: Reference,  # noqa: A002  # requirement D-T5.1's word
        *,
        title: Annotated[
            str, Field(max_length=LONGEST_TITLE, description="New title, one line")
        ] = "",
        description: Annotated[
            str,
            Field(description=("The whole corrected lesson; not for memories of files")),
        ] = "",
        reasoning: Annotated[
            str,
            Field(description=("Why it matters and how it was found; replaces the present text")),
        ] = "",
        trigger_phrases: Annotated[
            list[str] | None,
            Field(
                description=(
                    "What a user says when it matters; at most 20. Replaces the present"
                    " phrases; [] removes them"
                )
            ),
        ] = None,
        importance_weight: Annotated[
            Annotated[float, Field(ge=0, le=1)] | None,
            Field(
                description=(
                    "0 to 1: its rank among memories that are always shown; 1 does not"
                    " decay with age"
                )
            ),
        ] = None,
        importance_tier: Annotated[Tier | None, Field(description=purposes(TIER_PURPOSES))] = None,
        supersedes: Annotated[
            Reference | None, Field(description="The lesson that this one replaces and ranks above")
        ] = None,
    ) -> UpdatedMemory:
        """
        Change a memory's text, title, trigger phrases or importance.

        Fields that are not given stay. Correct a wrong or incomplete lesson by its description; the
        knowledge bank changes too. The lesson gets another entryId, is still found by the old one,
        and keeps its counters. Use it also when a memory is outdated (importanceTier deprecated: no
        search finds it any more, nor its sections without a tier of their own), turned out to
        matter (important, critical), or should come up on certain words (triggerPhrases). Ask the
        user before you make one critical or constitutional. The history keeps the old values.
        """
        change = EntryChange(
            title=title or None,
            description=description or None,
            reasoning=reasoning or None,
            trigger_phrases=None if trigger_phrases is None else tuple(trigger_phrases),
            importance_weight=importance_weight,
            importance_tier=importance_tier,
        )
        if change.is_empty and supersedes is None:
            raise ToolError(NOTHING_TO_CHANGE)
        changed, superseded = await self.worker.call(
            lambda memory: self._apply(memory, id, change, older=supersedes)
        )
        warnings = await self.worker.embed() if changed.needs_vectors else []
        return _updated(changed, superseded, warnings)

    def _apply(
        self, memory: Memory, reference: int | str, change: EntryChange, *, older: int | str | None
    ) -> tuple[EditOutcome, EditOutcome | None]:
        """Apply *change*, then mark the lesson *older*, if any, as superseded."""
        here = self.worker.workplace(memory)
        entry = find_own(memory.repository, reference, here)
        replaced = None if older is None else find_own(memory.repository, older, here)
        if replaced:
            ensure_may_replace(entry, replaced)
        if change.description is None or entry.kind != "learning":
            changed = ChangeEntry.on(memory.store, memory.clock).apply(entry.entry_id, change)
        else:
            edit = build_edit_lesson(memory, self.worker.project_root)
            changed = edit.apply(entry.entry_id, change).changed
        if replaced is None:
            return changed, None
        supersede = Supersede.on(memory.store, memory.clock)
        return changed, supersede.apply(replaced.entry_id, changed.entry.entry_id)

    async def memory_validate(
        self,
        id: Reference,  # noqa: A002  # requirement D-T7.1's word
        was_useful: Annotated[
            bool, Field(strict=True, description="true when it helped, false when it misled")
        ],
    ) -> ValidatedMemory:
        """
        Record whether a memory was useful, after you relied on it.

        After 5 judgements, 90 % of them good, the answer offers promotion. Ask the user then:
        nothing is promoted by itself.
        """
        return await self.worker.call(
            lambda memory: _validate(
                ValidateEntry.on(memory.store, memory.clock),
                find_own(memory.repository, id, self.worker.workplace(memory)),
                useful=was_useful,
            )
        )


def _updated(
    changed: EditOutcome, superseded: EditOutcome | None, warnings: list[str]
) -> UpdatedMemory:
    told = [changed, superseded] if changed.changes else [superseded or changed]
    lines = [line for outcome in told if outcome for line in change_confirmation(outcome)]
    return UpdatedMemory(
        message="\n".join([*lines, *(f"Warning: {line}" for line in warnings)]),
        changed=[_on_the_wire(item) for item in changed.changes],
        memory=row_of(changed.entry),
        sections_followed=changed.sections.followed,
        sections_kept=changed.sections.kept,
        warnings=warnings,
    )


def _on_the_wire(change: FieldChange) -> ChangedField:
    return ChangedField(field=to_camel(change.field), old=change.old, new=change.new)


def _validate(validate: ValidateEntry, entry: Entry, *, useful: bool) -> ValidatedMemory:
    validated = validate.judge(entry.entry_id, useful=useful, session_id=host_session())
    row, offered = row_of(validated.entry), validated.offers_promotion
    return ValidatedMemory(
        message="\n".join(_change_lines(validated)),
        id=row.id,
        entry_id=row.entry_id,
        validation_count=row.validation_count,
        confidence_score=row.confidence_score,
        promotion_offered=offered,
    )


def _change_lines(validated: ValidationOutcome) -> list[str]:
    return [judgement(validated), *([ASK_FIRST] if validated.offers_promotion else [])]


def change_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that change memories."""
    tools = ChangeTools(worker)
    return [
        tool(tools.memory_update, title="Change a memory", effect=CHANGES),
        tool(tools.memory_validate, title="Judge a memory", effect=ADDS),
    ]


WHICH = "give either id, or specFolder with confirm true"


class DeletedMemories(ToolAnswer):
    """The result of a deletion."""

    success: bool = True
    deleted: int = Field(
        description=("The number of deleted memories, sections of documents included")
    )


@attrs.frozen
class DeleteTools:
    """Tools that take memories out."""

    worker: MemoryWorker

    async def memory_delete(
        self,
        id: Reference = "",  # noqa: A002  # requirement D-T6's word
        spec_folder: Annotated[
            str, Field(description="Instead of id: all documents of this spec folder")
        ] = "",
        confirm: Annotated[bool, Field(description="Must be true to delete a spec folder")] = False,  # noqa: FBT002  # the tool's argument
    ) -> DeletedMemories:
        """
        Delete one memory, or all documents of a spec folder.

        A document's sections are deleted with it. Use it when a memory is wrong or the user asks
        for it. Make an outdated memory deprecated with memory_update instead. Files stay: a
        document comes back when its file changes, or by memory_index_scan with force.
        """
        folder = spec_folder.strip()
        if (id == "") == (folder == ""):
            raise ToolError(WHICH)
        deleted = await self.worker.call(
            lambda memory: (
                self._delete_folder(memory, folder, confirm=confirm)
                if folder
                else DeleteEntries.on(memory.store, memory.clock).delete(
                    [find_own(memory.repository, id, self.worker.workplace(memory))]
                )
            )
        )
        return DeletedMemories(message=_deletion(deleted), deleted=len(deleted))

    def _delete_folder(self, memory: Memory, name: str, *, confirm: bool) -> list[Entry]:
        folders = document_folders(memory.settings, self.worker.project_root)
        found = DeleteEntries.on(memory.store, memory.clock).documents(name, folders)
        if not found:
            raise ToolError(
                f"no document belongs to the spec folder {name[:80]!r}: memory_list shows those"
                " there are"
            )
        if not confirm:
            raise ToolError(
                f"this deletes {len(found)} memories of {name!r}: ask the user, then give confirm"
                " true"
            )
        return DeleteEntries.on(memory.store, memory.clock).spec_folder(name, folders)


def _deletion(deleted: Sequence[Entry]) -> str:
    names = [f"Deleted: {visible(entry.name)} (id: {entry.number})" for entry in deleted]
    kept = "Kept in history and checkpoints until the user runs: hardwon forget ID, such as {}"
    lines = (
        (*first_lines(names), kept.format(deleted[0].entry_id))
        if deleted
        else ["Nothing was left to delete"]
    )
    return "\n".join(lines)


def delete_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that take memories out."""
    return [tool(DeleteTools(worker).memory_delete, title="Delete memories", effect=DELETES)]
