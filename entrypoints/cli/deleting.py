from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.cli.consent import Yes, ask
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, say
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import readable

SPEC_FOLDER = "--spec-folder"


def delete(
    entry_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help=REFERENCE_HELP, show_default=False)
    ] = None,
    *,
    spec_folder: Annotated[
        str | None, typer.Option(SPEC_FOLDER, metavar="NAME", help="Forget the documents of this spec folder instead.")
    ] = None,
    yes: Yes = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Forget entries, all or none of those named; with a document those of its sections.

    The file of a session, decision or document stays. Its entry comes back when
    the file has changed, or by hardwon index --force.
    """
    if bool(entry_ids) == (spec_folder is not None):
        raise typer.BadParameter(f"name entries, or a folder with {SPEC_FOLDER}", param_hint="ID")
    memory = open_for(project_root, global_store, create=False)
    if spec_folder is not None:
        deleted = _delete_folder(memory, readable(spec_folder), project_root, yes=yes)
    else:
        with memory.repository.transaction():
            deleted = memory.forget([find_entry(memory, each) for each in entry_ids or ()])
    if as_json:
        print_json({"deleted": [_deleted(entry) for entry in deleted]})
        return
    for entry in deleted:
        say(f"Deleted: {entry.name} (id: {entry.entry_id})")
        if entry.file_path and not entry.anchor_id:
            say(f"  its file stays; it comes back when that changes, or by hardwon index --force: {entry.file_path}")


def _delete_folder(memory: Memory, name: str, project_root: str, *, yes: bool) -> list[Entry]:
    folders = memory.document_folders(project_root)
    found = memory.forget.documents(name, folders)
    if not found:
        raise typer.BadParameter(f"no document belongs to {name!r}", param_hint=SPEC_FOLDER)
    ask(f"forget {counted(len(found), 'entry', 'entries')} of {name!r}", yes=yes)
    return memory.forget.spec_folder(name, folders)


def _deleted(entry: Entry) -> dict[str, object]:
    return {"id": entry.entry_id, "kind": entry.kind, "name": entry.name, "file_path": entry.file_path}
