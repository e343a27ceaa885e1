import os
from typing import Annotated

import typer

from hardwon.domain.model.errors import InvalidEntryError, StorageError, UnreadableFileError
from hardwon.domain.use_cases.filing.keep_session import Given, KeepSession
from hardwon.domain.use_cases.keeping.embed_pending import BATCH
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import ensure_storable
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.filling import Filled, fill_spaces
from hardwon.entrypoints.piping import is_piped, standard_input
from hardwon.entrypoints.workplace import read_workplace

Labels = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="A label; more with commas, or by naming it again.")
]


def save(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE|-]", help="A markdown file, kept where it is; - for standard input.")
    ] = None,
    *,
    description: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the session was about; this is what recall compares.")
    ] = None,
    tag: Labels = None,
    keyword: Labels = None,
    permanent: Annotated[bool, typer.Option("--permanent", help="Keep it for good.")] = False,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vector for later.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a session, to be found by what it was about.

    Text from standard input becomes a file in memory/sessions/, without secrets
    and <private> passages; a description alone is its own text. Without
    --description, the file's front matter or its first prose describes it.
    """
    ensure_storable(project_root)
    memory = open_for(project_root, global_store)
    keep_session = memory.keep_session(project_root, read_workplace(project_root, memory.settings))
    given = Given(description=description, tags=_split(tag), keywords=_split(keyword), permanent=permanent)
    tell = (lambda _: None) if as_json else say
    try:
        path = _named(file) or _written(file, given, keep_session)
        if not _named(file):
            tell(f"Saved: {path}")
        entry = keep_session.index(path, given)
    except UnreadableFileError as error:
        raise typer.BadParameter(str(error), param_hint="FILE") from error
    if _named(file):
        tell(f"Saved: {path}")
    tell(f"Indexed: {entry.name} (id: {entry.entry_id})")
    if not no_embed:
        tell(f"Embedded: {counted(_embed(memory), 'vector', 'vectors')} made")
    if as_json:
        print_json(entry_document(entry))
    if not no_embed:
        label_after_output(memory)


def _named(file: str | None) -> str | None:
    """Return the file that holds the session already, its links resolved."""
    return None if file in {None, "-"} else os.path.realpath(file or "")


def _written(file: str | None, given: Given, keep_session: KeepSession) -> str:
    """Return the file that holds the session now."""
    text = standard_input() if file == "-" or is_piped(patient=given.description is None) else ""
    if not text.strip() and file is None and given.description:
        text = given.description
    if not text.strip():
        raise InvalidEntryError("there is nothing to save: name a FILE, pipe a text, or give --description")
    return keep_session.write(text, given)


def _split(labels: list[str] | None) -> tuple[str, ...]:
    return tuple(each for label in labels or () for each in label.split(","))


def _embed(memory: Memory) -> int:
    try:
        filled = fill_spaces(memory, BATCH)
    except StorageError as error:
        filled = Filled(troubles=(str(error),))
    for trouble in filled.troubles:
        warn(f"saved without a vector, keyword search finds it: {trouble}")
    return filled.made
