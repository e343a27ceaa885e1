from collections.abc import Iterator, Sequence
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
PREVIEWED = 20
"""How many entries are named before the question."""


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

    It shows what goes and asks; without a terminal it wants --yes.

    The file of a session, decision or document stays. Its entry comes back when
    the file has changed, or by hardwon index --force.
    """
    if bool(entry_ids) == (spec_folder is not None):
        raise typer.BadParameter(f"name entries, or a folder with {SPEC_FOLDER}", param_hint="ID")
    memory = open_for(project_root, global_store, create=False)
    if spec_folder is not None:
        found = _in_folder(memory, readable(spec_folder), project_root)
    else:
        found = memory.forget.affected([find_entry(memory, reference) for reference in entry_ids or ()])
    ask(f"forget {counted(len(found), 'entry', 'entries')}", yes=yes, about=_preview(found))
    deleted = memory.forget(found)
    if as_json:
        print_json({"deleted": [_deleted(entry) for entry in deleted]})
        return
    for entry in deleted:
        say(f"Deleted: {entry.name} (id: {entry.entry_id})")
        if entry.file_path and not entry.anchor_id:
            say(f"  its file stays; it comes back when that changes, or by hardwon index --force: {entry.file_path}")


def _in_folder(memory: Memory, name: str, project_root: str) -> list[Entry]:
    """
    Return the documents of a spec folder.

    Raises:
        typer.BadParameter: it has none.
    """
    found = memory.forget.documents(name, memory.document_folders(project_root))
    if not found:
        raise typer.BadParameter(f"no document belongs to {name!r}", param_hint=SPEC_FOLDER)
    return found


def _preview(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each of the first entries that would be deleted, and how many more there are."""
    for entry in entries[:PREVIEWED]:
        yield f"  {entry.category or entry.kind}  {entry.name} (id: {entry.entry_id})"
    if len(entries) > PREVIEWED:
        yield f"  and {len(entries) - PREVIEWED} more"


def _deleted(entry: Entry) -> dict[str, object]:
    return {"id": entry.entry_id, "kind": entry.kind, "name": entry.name, "file_path": entry.file_path}
