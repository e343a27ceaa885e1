from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say


def delete(
    entry_ids: Annotated[list[str], typer.Argument(metavar="ID...", help=REFERENCE_HELP, show_default=False)],
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Forget entries, all or none of those named.

    The file of a session, decision or document stays; the next index brings its entry back.
    """
    memory = open_for(project_root, global_store, create=False)
    with memory.repository.transaction():
        entries = {entry.entry_id: entry for entry in (find_entry(memory, each) for each in entry_ids)}
        for entry_id in entries:
            memory.repository.delete(entry_id)
    if as_json:
        print_json({"deleted": [_deleted(entry) for entry in entries.values()]})
        return
    for entry in entries.values():
        say(f"Deleted: {entry.name} (id: {entry.entry_id})")
        if entry.file_path:
            say(f"  its file stays, and the next hardwon index brings it back: {entry.file_path}")


def _deleted(entry: Entry) -> dict[str, object]:
    return {"id": entry.entry_id, "kind": entry.kind, "name": entry.name, "file_path": entry.file_path}
