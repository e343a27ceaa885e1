import contextlib
import os
from collections.abc import Iterator
from typing import Annotated

import typer

from hardwon.adapters.transcripts.transcripts import STANDARD_INPUT
from hardwon.domain.use_cases.conversing.capture import Captured, Progress
from hardwon.entrypoints.capturing.alone import alone
from hardwon.entrypoints.capturing.chunk_document import chunk_document
from hardwon.entrypoints.capturing.transcript_capture import TranscriptCapture
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import ensure_storable
from hardwon.entrypoints.cli.options import OUR_TROUBLE, AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_items, progress, say, warn
from hardwon.entrypoints.piping import is_empty, is_piped

EXAMPLES = (
    "hardwon capture --from ~/.claude/projects/-home-me-app/4e1079b4.jsonl    "
    "hardwon capture --dry-run --json < exchanges.jsonl"
)


def capture(
    transcript: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="TRANSCRIPT|-", help="What a host wrote down (default: standard input, if it is piped)."
        ),
    ] = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell how it would be cut.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Begin anew, not where the last capture stopped.")] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Ask no embedder: cut by words, leave the vectors for later.")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Only tell what waits to be captured.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a conversation, cut by topic, as markdown in memory/conversations/.

    TRANSCRIPT is a session of Claude Code or Codex, or JSON lines of
    {"user", "assistant", "timestamp"}. Tool calls, what memory put in, secrets
    and <private> passages are left out. Where an earlier capture of the session
    stopped, this one goes on.
    """
    if status:
        from hardwon.entrypoints.cli.capture_status import status as tell_status

        tell_status(open_for(project_root, global_store, create=False), as_json=as_json)
        return
    path = _path(transcript)
    ensure_storable(project_root)
    memory = open_for(project_root, global_store, create=not dry_run)
    capturing = TranscriptCapture(memory, project_root, path, embed=not no_embed)
    if dry_run:
        with _progress() as told:
            captured = capturing.rehearse(told)
        _tell(captured, capturing.root, as_json=as_json)
        return
    with alone(memory, project_root):
        _keep(capturing, anew=force, as_json=as_json)
    if not no_embed:
        label_after_output(memory)


def _keep(capturing: TranscriptCapture, *, anew: bool, as_json: bool) -> None:
    with _progress() as told:
        captured = capturing.run(told, anew=anew)
    _tell(captured, capturing.root, as_json=as_json)
    learned = capturing.learn(captured)
    for trouble in learned.troubles:
        warn(f"the text is kept all the same: {trouble}")
    if not learned.is_known:
        raise typer.Exit(OUR_TROUBLE)


def _path(transcript: str | None) -> str:
    """Return what to read, its links resolved; `-` for standard input."""
    if transcript not in {None, STANDARD_INPUT}:
        return os.path.realpath(transcript or "")
    if transcript is None and not (is_piped(patient=True) or is_empty()):
        raise typer.BadParameter("name a TRANSCRIPT, or pipe one to standard input", param_hint="--from")
    return STANDARD_INPUT


@contextlib.contextmanager
def _progress() -> Iterator[Progress]:
    """Show how many exchanges were taken in."""
    with progress() as bar:
        task = bar.add_task("capturing exchanges", total=None)
        yield lambda exchanges: bar.update(task, completed=exchanges)


def _tell(captured: Captured, root: str, *, as_json: bool) -> None:
    if as_json:
        print_items(map(chunk_document, captured.chunks))
        return
    if not captured.chunks:
        say("Nothing to capture.")
        return
    exchanges = counted(captured.exchanges, "exchange", "exchanges")
    chunks = counted(len(captured.chunks), "chunk", "chunks")
    if not captured.files:
        say(f"Would capture: {exchanges} in {chunks}")
        for chunk in captured.chunks:
            say(f"  {chunk.title}")
        return
    files = [file for file in captured.files if os.path.exists(file)]  # capturing anew may leave one empty: it goes
    say(f"Captured: {exchanges} in {chunks}, {counted(len(files), 'file', 'files')}")
    for file in files:
        say(f"  {os.path.relpath(file, root)}")
