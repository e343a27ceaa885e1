"""What a session start would print, on demand."""

import os
import time
from typing import Annotated, Literal, TypeAlias

import typer

from hardwon.domain.model.block.frame import framed
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import InvalidSectionError, UnreadableFileError
from hardwon.domain.model.recall.occasion import Occasion
from hardwon.domain.model.recall.report import Report
from hardwon.domain.use_cases.asking.recall_nearby import POLICY
from hardwon.entrypoints.cli.answers import print_marked, readable_columns
from hardwon.entrypoints.cli.choosing import MOST
from hardwon.entrypoints.cli.injected import Told, told_at_start, told_of_conversations
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_items, say, warn
from hardwon.entrypoints.signals import GIT_SECONDS, read_signals
from hardwon.entrypoints.streams import on_one_line
from hardwon.entrypoints.workplace import read_workplace, with_uncommitted_files

EXAMPLES = """\b
Examples:
  hardwon context
  hardwon context --in conversations --token-budget 300
  hardwon context --write CLAUDE.md"""

Injected: TypeAlias = Literal["learnings", "conversations"]


def context(
    *,
    collection: Annotated[
        Injected, typer.Option("--in", help="The whole block, or the section of conversations alone.")
    ] = "learnings",
    limit: Annotated[int | None, typer.Option(max=MOST, metavar="N", help="How many entries at most.")] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST, metavar="N", help="How much room conversations may take, at 4 characters a token."
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Tell what the score of every conversation is made of; with --json, of every entry."
        ),
    ] = False,
    write: Annotated[
        str | None, typer.Option("--write", metavar="FILE", help="Bring it into the marked section of a file.")
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show what a session start would print; nothing is counted."""
    if write is not None and (as_json or explain):
        raise typer.BadParameter("goes with neither --json nor --explain", param_hint="'--write'")
    memory = open_for(project_root, global_store, create=False)
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    signals = read_signals(project_root, deadline, warn)
    here = with_uncommitted_files(read_workplace(project_root, memory.settings), project_root, deadline, warn)
    budget = memory.settings.context_tokens if token_budget is None else token_budget
    occasion = Occasion(here, budget)
    tell = told_at_start if collection == "learnings" else told_of_conversations
    told = tell(memory, signals, occasion, limit)
    if write is not None:
        _write(told, write, project_root)
    elif as_json:
        print_items(told.documents(explained=explain), **(told.searched.document if explain else {}))
    else:
        _show(told, Report(signals.compose() or "", POLICY, columns=readable_columns(), explained=explain))


def _show(told: Told, report: Report) -> None:
    if told.text or told.nothing:
        say(told.text.rstrip("\n") or told.nothing)
    rated = [each for each in told.conversations if each.parts]
    if report.explained and rated:
        say()
        print_marked(report.explanations(rated))


def _write(told: Told, path: str, project_root: str) -> None:
    """
    Bring what is told into the marked section of a file, with the lines that mark it as data.

    A link that a project brings along must not decide which of the user's files changes.

    Raises:
        typer.BadParameter: the file can't be used.
    """
    from hardwon.adapters.markdown.confinement import is_within
    from hardwon.adapters.markdown.marked_file import MarkedFile

    root, target = os.path.realpath(project_root), os.path.realpath(path)
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    named_inside = is_within(os.path.abspath(path), [root, os.path.abspath(project_root)]) or is_within(folder, [root])
    if named_inside and not is_within(target, [root]):
        wrong = f"{path!r} leads out of the project: name {target!r} itself if that is meant"
        raise typer.BadParameter(on_one_line(wrong), param_hint="'--write'")
    try:
        changed = MarkedFile(path).put(framed(told.text) if told.text else "")
    except (InvalidSectionError, UnreadableFileError) as error:
        raise typer.BadParameter(on_one_line(str(error)), param_hint="'--write'") from error
    if not told.text and told.nothing:
        say(told.nothing)
    say(f"Wrote {path}" if changed else f"{path} needs no change")
