import os
import sys
import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.keeping.label import LabelChain, Labelled, LabelPending
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, progress, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.filling import label_imports
from hardwon.entrypoints.providers import build_labelers

SETTING = "memory_keyword_provider"


def label(
    *,
    limit: Annotated[int | None, typer.Option(min=0, help="How many entries at most (default: all).")] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Give entries without keyword labels theirs.

    Claude Haiku makes them (ANTHROPIC_API_KEY), else Ollama. It can be
    stopped and run again at any time.
    """
    memory = open_for(project_root, global_store)
    labelers = build_labelers(memory.settings, os.environ)
    if not labelers:
        raise typer.BadParameter(
            f"it is {memory.settings.keyword_provider!r}, which asks nobody; set it to 'auto', 'haiku' or 'ollama'",
            param_hint=SETTING,
        )
    outcome = _label(memory, LabelChain(labelers), limit)
    remaining = LabelPending(memory.repository, LabelChain(())).count()
    if outcome.trouble:
        warn(f"{counted(outcome.failed, 'entry', 'entries')} got no labels: {outcome.trouble}")
    if as_json:
        print_json({"labelled": outcome.labelled, "failed": outcome.failed, "without_labels": remaining})
    else:
        say(f"{counted(outcome.labelled, 'entry', 'entries')} labelled, {remaining} without labels.")


def label_after_output(memory: Memory) -> None:
    """Label imported entries as the last thing a command does: what it printed does not wait for a labeler."""
    sys.stdout.flush()
    label_imports(memory)


def _label(memory: Memory, chain: LabelChain, limit: int | None) -> Labelled:
    pending = LabelPending(memory.repository, chain)
    with progress() as bar:
        task = bar.add_task("labelling", total=pending.count() if limit is None else min(limit, pending.count()))
        return pending(limit, Deadline(time.monotonic), lambda done: bar.update(task, completed=done))
