import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.use_cases.embed_pending import EmbedPending
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, progress, say, warn
from hardwon.entrypoints.composition import Memory

SWITCHED_OFF = 'no embedder is configured: set memory_embedding_provider to "local"'


def embed(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Make every vector anew, not only missing ones.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Make the vectors that are missing. It can be stopped and run again at any time."""
    memory = open_for(project_root, global_store)
    if everything and memory.vectors:
        memory.vectors.clear()
    embedded = embed_with_progress(memory)
    pending = memory.vectors.count_pending() if memory.vectors else 0
    if as_json:
        print_json({"embedded": embedded, "pending": pending})
    else:
        say(f"{embedded} vectors made, {pending} missing.")


def embed_with_progress(memory: Memory) -> int:
    """Embed what is pending, with a progress bar; return how many. Trouble is told, not raised."""
    if memory.embed_pending is None or memory.vectors is None:
        warn(SWITCHED_OFF)
        return 0
    before = memory.vectors.count_pending()
    try:
        _embed(memory.embed_pending, before)
    except EmbedderError as error:
        warn(f"embedding stopped, keyword search finds the rest: {error}")
    return before - memory.vectors.count_pending()


def _embed(embed_pending: EmbedPending, pending: int) -> None:
    with progress() as bar:
        task = bar.add_task("embedding", total=pending)
        embed_pending(None, Deadline(time.monotonic), lambda done: bar.update(task, completed=done))
