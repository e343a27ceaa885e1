import os
from typing import Annotated

import typer

from hardwon.domain.use_cases.conversing.remember import Remembered
from hardwon.entrypoints.capturing.remembering import Remembering
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import ensure_storable
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, Typed, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, say, warn
from hardwon.entrypoints.piping import is_piped, standard_input
from hardwon.entrypoints.streams import readable

EXAMPLES = """Examples: hardwon remember "The staging database is read-only on Fridays"; hardwon remember"""


def remember(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT|-]", help="What to keep; - for standard input. None keeps what was said.", show_default=False
        ),
    ] = None,
    *,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vector for later.")] = False,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a text, or what was said in this session, for good.

    It becomes a file in memory/conversations/ that no clean-up ever touches.
    Without TEXT, the last exchanges of the session are kept, as hooks captured them.
    """
    del typed
    ensure_storable(project_root)
    memory = open_for(project_root, global_store)
    remembering = Remembering(memory=memory, project_root=project_root, embed=not no_embed)
    given = _given(" ".join(words) if words else None)
    remembered = remembering.session(os.environ) if given is None else remembering.text(given)
    for trouble in remembered.learned.troubles:
        warn(trouble)
    if as_json:
        print_json(_document(remembered))
    else:
        _tell(remembered, os.path.realpath(project_root))
    if not no_embed:
        label_after_output(memory)


def _given(text: str | None) -> str | None:
    """Return the text to keep, None for the session."""
    if text not in {None, "-"}:
        return readable(text or "")
    piped = standard_input() if text == "-" or is_piped(patient=False) else ""
    return piped if text == "-" or piped.strip() else None


def _tell(remembered: Remembered, root: str) -> None:
    captured = remembered.captured
    for chunk in captured.chunks:
        say(f"Remembered permanently: {chunk.summary or chunk.title}")
    for file in captured.files:
        say(f"Saved: {os.path.relpath(file, root)}")
    if remembered.learned.embedded:
        say(f"Embedded: {counted(remembered.learned.embedded, 'vector', 'vectors')} made")


def _document(remembered: Remembered) -> dict[str, object]:
    captured = remembered.captured
    kept = ("chunk_id", "title", "summary", "session_id", "permanent")
    return {
        "summary": " ".join(chunk.summary or chunk.title for chunk in captured.chunks),
        "chunks": [{name: getattr(chunk, name) for name in kept} for chunk in captured.chunks],
        "files": captured.files,
        "embedded": remembered.learned.embedded,
    }
