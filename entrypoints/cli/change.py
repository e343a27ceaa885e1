"""`hardwon update`, `validate` and `delete`: change, judge or delete entries."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.retro.bank_edit import places_of
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Confidence, Tier
from hardwon.domain.use_cases.edit_entries import (
    ChangeEntry,
    DeleteEntries,
    EditOutcome,
    ValidateEntry,
)
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.entrypoints.bootstrap import host_session
from hardwon.entrypoints.bootstrap_files import bank_files, document_folders
from hardwon.entrypoints.cli.console import DryRun, Yes, ask, print_json, say, warn
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.cli.options import (
    REFERENCE_HELP,
    AsJson,
    GlobalStore,
    ProjectRoot,
    find_entry,
    open_for,
)
from hardwon.entrypoints.embed_after_write import embed_now
from hardwon.entrypoints.presenters.entries import (
    change_confirmation,
    complaints_of_keywords,
    complaints_of_private,
    entry_document,
    judgement,
)
from hardwon.entrypoints.presenters.text import counted
from hardwon.entrypoints.streams import readable, valid_text

NOTHING_TO_CHANGE = (
    "nothing to change: give --title, --tier, --weight, --confidence, --reasoning, --trigger,"
    " --keyword, --tag, --permanent, --no-permanent, --here or --everywhere"
)
WRITTEN_IN_BANKS = {"title", "confidence"}
UPDATE_EXAMPLES = "Example: hardwon update 42 --tier important --trigger 'release the parser'"


def update(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The new title on one line.")
    ] = None,
    tier: Annotated[
        Tier | None,
        typer.Option(help="How much it matters. A deprecated entry is no longer found."),
    ] = None,
    weight: Annotated[
        float | None,
        typer.Option(
            metavar="0..1",
            help="Its rank among entries that are always shown. 1 does not decay with age.",
        ),
    ] = None,
    confidence: Annotated[
        Confidence | None, typer.Option(help="How certain the lesson is.")
    ] = None,
    reasoning: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why it matters, and how it was found.")
    ] = None,
    triggers: Annotated[
        list[str] | None,
        typer.Option(
            "--trigger",
            metavar="PHRASE",
            help="A trigger phrase. Replaces all earlier ones; '' removes them.",
        ),
    ] = None,
    keywords: Annotated[
        list[str] | None,
        typer.Option(
            "--keyword", metavar="WORD", help=("A keyword label. Replaces all earlier ones.")
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="A tag. Replaces all earlier ones."),
    ] = None,
    permanent: Annotated[
        bool | None, typer.Option("--permanent/--no-permanent", help="Whether it never expires.")
    ] = None,
    here: Annotated[
        bool | None,
        typer.Option(
            "--here/--everywhere",
            help="Show a lesson only in its own project, or in all.",
        ),
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Change title, tier, labels and other data of an entry.

    Options that are not given change nothing. The title and labels of a file are read from it again
    when it changes. A knowledge bank keeps a lesson's old heading and confidence; the store's are
    shown.
    """
    title, reasoning = (text and valid_text(text) for text in (title, reasoning))
    change = EntryChange(
        title=title,
        importance_tier=tier,
        importance_weight=weight,
        confidence=confidence,
        reasoning=reasoning,
        trigger_phrases=_texts(triggers),
        keywords=_texts(keywords),
        tags=_texts(tags),
        permanent=permanent,
        reach=None if here is None else "home" if here else "everywhere",
    )
    if change.is_empty:
        raise typer.BadParameter(NOTHING_TO_CHANGE, param_hint="options")
    memory = open_for(project_root, global_store, create=False)
    for line in complaints_of_private(title or "", reasoning or ""):
        warn(line)
    changed = ChangeEntry.on(memory.store, memory.clock).apply(
        find_entry(memory.repository, entry_id).entry_id, change
    )
    for line in complaints_of_keywords(change.keywords or (), changed.entry):
        warn(line)
    _print_change(
        memory.spaces,
        changed,
        _stale_banks(memory.settings, changed, project_root),
        as_json=as_json,
    )


def _texts(given: list[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(map(valid_text, given))


def _stale_banks(settings: Settings, changed: EditOutcome, project_root: str) -> list[str]:
    """
    Return a line for each knowledge bank that still has the old values.

    A bank is a record, and stays.
    """
    if not WRITTEN_IN_BANKS & {item.field for item in changed.changes}:
        return []
    bank = bank_files(project_root, settings)
    try:
        return [
            f"{bank.path(place)} keeps it as it was"
            for place in places_of(bank.banks(), changed.entry.entry_id)
        ]
    except UnreadableFileError:  # the change is made, and other commands tell of the file
        return []


def _print_change(
    spaces: Spaces, changed: EditOutcome, stale: Sequence[str], *, as_json: bool
) -> None:
    for line in embed_now(spaces) if changed.needs_vectors else ():
        warn(line)
    if as_json:
        print_json(
            {
                "changed": [item._asdict() for item in changed.changes],
                "sections": changed.sections._asdict(),
                "entry": entry_document(changed.entry),
            }
        )
    for line in () if as_json else (*change_confirmation(changed), *stale):
        say(line)
    if changed.changes:
        label_after_output(spaces.store, spaces.settings)


def validate(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    useful: Annotated[
        bool, typer.Option("--useful/--not-useful", help="Whether it helped or misled you.")
    ],
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Record whether an entry was useful.

    After enough good judgements hardwon offers the tier critical. It promotes nothing by itself.
    """
    memory = open_for(project_root, global_store, create=False)
    validated = ValidateEntry.on(memory.store, memory.clock).judge(
        find_entry(memory.repository, entry_id).entry_id, useful=useful, session_id=host_session()
    )
    entry, offered = validated.entry, validated.offers_promotion
    if as_json:
        score = entry.usage.validations.confidence_score
        print_json(
            {
                "id": entry.entry_id,
                "number": entry.number,
                "validation_count": entry.usage.validations.total,
                "confidence_score": score,
                "promotion_offered": offered,
            }
        )
        return
    say(judgement(validated))
    if offered:
        say(
            f"It has proved itself: hardwon update {entry.entry_id} --tier critical makes it"
            " critical"
        )


SPEC_FOLDER = "--spec-folder"
PREVIEWED = 20
"""How many entries are named before the question."""


def delete(
    entry_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help=REFERENCE_HELP, show_default=False)
    ] = None,
    *,
    spec_folder: Annotated[
        str | None,
        typer.Option(
            SPEC_FOLDER, metavar="NAME", help="Delete the documents of this spec folder instead."
        ),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Delete entries, and with a document its sections.

    It shows what is deleted and asks. Without a terminal it needs --yes. It deletes all of the
    named entries or none.

    The file of a session, decision or document stays. Its entry comes back when the file changes,
    or by hardwon index --force. History and checkpoints keep the text; hardwon forget erases it
    there too.
    """
    if bool(entry_ids) == (spec_folder is not None):
        raise typer.BadParameter(f"name entries, or a folder with {SPEC_FOLDER}", param_hint="ID")
    memory = open_for(project_root, global_store, create=False)
    if spec_folder is not None:
        found = _in_folder(
            DeleteEntries.on(memory.store, memory.clock),
            memory.settings,
            name=readable(spec_folder),
            project_root=project_root,
        )
    else:
        found = DeleteEntries.on(memory.store, memory.clock).affected(
            [find_entry(memory.repository, reference) for reference in entry_ids or ()]
        )
    ask(
        f"delete {counted(len(found), 'entry', 'entries')}",
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
        about=_preview(found),
    )
    deleted = DeleteEntries.on(memory.store, memory.clock).delete(found)
    if as_json:
        print_json({"deleted": [_deleted(entry) for entry in deleted]})
        return
    for entry in deleted:
        say(f"Deleted: {entry.name} (id: {entry.entry_id})")
        if entry.file_path and not entry.anchor_id:
            say(
                "  its file stays; it comes back when that changes, or by hardwon index --force:"
                f" {entry.file_path}"
            )
    if deleted:
        say(
            "Kept in history and checkpoints until: hardwon forget"
            f" {' '.join(entry.entry_id for entry in deleted)}"
        )


def _in_folder(
    forget: DeleteEntries, settings: Settings, name: str, project_root: str
) -> list[Entry]:
    """Return the documents of a spec folder."""
    found = forget.documents(name, document_folders(settings, project_root))
    if not found:
        raise typer.BadParameter(f"no document belongs to {name!r}", param_hint=SPEC_FOLDER)
    return found


def _preview(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries[:PREVIEWED]:
        yield f"  {entry.category or entry.kind}  {entry.name} (id: {entry.entry_id})"
    if len(entries) > PREVIEWED:
        yield f"  and {len(entries) - PREVIEWED} more"


def _deleted(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.entry_id,
        "kind": entry.kind,
        "name": entry.name,
        "file_path": entry.file_path,
    }
