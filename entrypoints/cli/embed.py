"""`hardwon embed` and `label`: make vectors and keyword labels."""

import sys
import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embed_pending import Patience
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.label import LabelOutcome, LabelPending
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.entrypoints.bootstrap_retrieval import (
    AUTO,
    EMBEDDER_NAMES,
    LOCAL,
    build_label_pending,
    open_spaces,
    without_model,
)
from hardwon.entrypoints.cli.console import (
    OUR_FAILURE,
    agrees,
    can_be_asked,
    complain,
    download_progress,
    print_json,
    progress,
    say,
    warn,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.embed_after_write import (
    EmbedOutcome,
    embed_again,
    fill_spaces,
    label_imports,
)
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.models import DownloadableEmbedder
from hardwon.ports.store import Store

EMBEDDING_SETTING = "memory_embedding_provider"
TRIAL_SECONDS = 30
LOOK_SECONDS = 5
"""How long Ollama may take to list its models."""


def embed(
    *,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", "--rebuild", help=("Make all vectors again. An interrupted run is continued.")
        ),
    ] = False,
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help=f"From now on, let `auto` mean {', '.join(EMBEDDER_NAMES)}."
        ),
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Make missing vectors.

    It can be stopped and run again at any time.
    """
    memory = open_for(project_root, global_store)
    spaces = memory.spaces if provider is None else _changed(memory.spaces, provider)
    if not spaces:
        raise typer.BadParameter(
            f"it is {spaces.settings.embedding_provider!r}, which makes no vectors; set it to"
            " 'local' or 'auto'",
            param_hint=EMBEDDING_SETTING,
        )
    problems = offer_downloads(spaces)
    if everything:
        try_embedders(spaces)  # before a long run
    filled = embed_again_with_progress(spaces) if everything else _fill(spaces)
    problems += filled.problems
    pending = spaces.count_pending(EVERYTHING)
    if as_json:
        print_json({"embedded": filled.made, "pending": pending, "troubles": problems})
    else:
        say(f"{counted(filled.made, 'vector', 'vectors')} made, {pending} missing.")
    if problems:
        raise typer.Exit(OUR_FAILURE)


def embed_with_progress(spaces: Spaces, limit: int | None = None) -> int:
    """
    Make pending vectors, at most *limit*, with a progress bar.

    Return how many. Failures are printed, not raised.
    """
    return _fill(spaces, limit).made


def _fill(spaces: Spaces, limit: int | None = None) -> EmbedOutcome:
    if not spaces:
        return EmbedOutcome()
    with progress() as bar:
        task = bar.add_task("embedding", total=spaces.count_pending(EVERYTHING))
        filled = fill_spaces(
            spaces,
            limit,
            progress=lambda done: bar.update(task, completed=done),
            patience=_patience(spaces),
        )
    for problem in filled.problems:
        warn(f"embedding stopped, keyword search finds the rest: {problem}")
    return filled


def embed_again_with_progress(spaces: Spaces, only: EntryFilter = EVERYTHING) -> EmbedOutcome:
    """
    Rebuild the vectors of *only*, and make missing ones.

    Failures are printed, not raised.
    """
    with progress() as bar:
        task = bar.add_task(
            "embedding", total=spaces.count_embedded(only) + spaces.count_pending(EVERYTHING)
        )
        filled = embed_again(
            spaces,
            lambda done: bar.update(task, completed=done),
            patience=_patience(spaces),
            only=only,
        )
    for problem in filled.problems:
        warn(f"embedding stopped, the rest keeps its vectors: {problem}")
    return filled


def _patience(spaces: Spaces) -> Patience:
    is_remote = spaces.provider not in {None, LOCAL}
    return Patience(pause=_pause, between_batches=float(is_remote))


def _pause(seconds: float, reason: str) -> None:
    if reason:
        complain(f"Waiting {seconds:.0f} s: {reason}")
    time.sleep(seconds)


def _changed(spaces: Spaces, provider: str) -> Spaces:
    if provider not in EMBEDDER_NAMES:
        raise typer.BadParameter(
            f"{provider!r} is none of {', '.join(EMBEDDER_NAMES)}", param_hint="--provider"
        )
    named = spaces.settings.embedding_provider
    if named != AUTO:
        raise typer.BadParameter(
            f"{EMBEDDING_SETTING} names {named!r}: change it there", param_hint="--provider"
        )
    changed = open_spaces(
        spaces.settings, provider, store=spaces.store, warn=spaces.warn
    )  # not stored yet
    offer_downloads(changed)
    try_embedders(changed)
    changed.settle_provider(force=True)
    return changed


def try_embedders(spaces: Spaces) -> None:
    """Try every space in use, before old vectors are given up."""
    for space in spaces.in_use(EVERYTHING):
        embed_query(space.embedder, "memory", Deadline.after(TRIAL_SECONDS, time.monotonic))


def offer_downloads(spaces: Spaces) -> list[str]:
    """
    Offer to download each model that Ollama lacks, at a terminal.

    Returns:
        Why downloads failed, one line each, already printed.

    """
    problems = list[str]()
    deadline = Deadline.after(LOOK_SECONDS, time.monotonic)
    embedders = [space.embedder for space in spaces.in_use(EVERYTHING)] if can_be_asked() else []
    for embedder in without_model(embedders, deadline):
        if agrees(f"Ollama has no model {embedder.space.model!r}. Download it?"):
            try:
                _download(embedder)
            except EmbedderError as error:
                warn(str(error))
                problems.append(str(error))
    return problems


def _download(embedder: DownloadableEmbedder) -> None:
    model = embedder.space.model
    with download_progress() as bar:
        task = bar.add_task(model, total=None)

        def show(status: str, done: int, total: int) -> None:
            bar.update(
                task,
                description=on_one_line(f"{model}: {status}"),
                completed=done,
                total=total or None,
            )

        embedder.pull(show)


LABEL_SETTING = "memory_keyword_provider"


def label(
    *,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The maximum number of entries (default: all).")
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Add keyword labels to entries without any.

    Claude Haiku (ANTHROPIC_API_KEY) or else Ollama makes them. It can be stopped and run again at
    any time.
    """
    memory = open_for(project_root, global_store)
    pending = build_label_pending(memory.store, memory.settings)
    if not pending.chain.tiers:
        raise typer.BadParameter(
            f"it is {memory.settings.keyword_provider!r}, which asks nobody; set it to 'auto',"
            " 'haiku' or 'ollama'",
            param_hint=LABEL_SETTING,
        )
    outcome = _label(pending, limit)
    remaining = pending.count()
    if outcome.problem:
        warn(f"{counted(outcome.failed, 'entry', 'entries')} got no labels: {outcome.problem}")
    if as_json:
        print_json(
            {"labelled": outcome.labelled, "failed": outcome.failed, "without_labels": remaining}
        )
    else:
        say(
            f"{counted(outcome.labelled, 'entry', 'entries')} labelled, {remaining} without labels."
        )


def label_after_output(store: Store, settings: Settings) -> None:
    """
    Label imported entries, as the last thing a command does.

    Its output does not wait for a labeler.
    """
    sys.stdout.flush()
    label_imports(store, settings)


def _label(pending: LabelPending, limit: int | None) -> LabelOutcome:
    with progress() as bar:
        task = bar.add_task(
            "labelling", total=pending.count() if limit is None else min(limit, pending.count())
        )
        return pending.label(
            limit, Deadline(time.monotonic), lambda done: bar.update(task, completed=done)
        )
