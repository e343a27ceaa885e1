"""`hardwon moment`: show what would be said at a moment of action."""

import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.edit import Edit
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.moment import Moment, OpenedFile, Task
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment
from hardwon.domain.use_cases.weigh_entries import Actor, DryRun, dry_run
from hardwon.entrypoints.bootstrap import host_session
from hardwon.entrypoints.bootstrap_retrieval import build_weigh_entries
from hardwon.entrypoints.cli.console import print_json, say
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.moments import relative_to
from hardwon.entrypoints.presenters.injections import moment_document, moment_lines
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.streams import readable, standard_input

MOMENT_EXAMPLES = """\b
Examples:
  make test 2>&1 | hardwon moment --failed "make test" --text -
  hardwon moment --failed "pytest" --text "E   ModuleNotFoundError: No module named 'yaml'" --explain
  hardwon moment --edited src/db/pool.py --text "pool = Pool(max_size=50)" --json
  hardwon moment --file src/db/pool.py
  hardwon moment --task "Add a retry to the log shipper" --explain"""

SEARCH_SECONDS = 10.0
"""A trial may take longer than an agent waits."""

ONE_OF = (
    "say what happened: --failed COMMAND, --edited PATH, --file PATH or --task TEXT, one of them"
)


def moment(
    *,
    failed: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="A command that failed.", show_default=False),
    ] = None,
    edited: Annotated[
        str | None, typer.Option(metavar="PATH", help="A file that was edited.", show_default=False)
    ] = None,
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="A file that was opened.", show_default=False)
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="The task of a subagent that starts.", show_default=False
        ),
    ] = None,
    text: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="The command's output, or the file's new text; - for standard input.",
            show_default=False,
        ),
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each lesson was weighed.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show what would be said at a moment of action.

    That is a failed command, an opened or edited file, or the start of a subagent. Nothing is
    recorded.
    """
    named = [value for value in (failed, edited, file, task) if value is not None]
    if len(named) != 1 or not named[0].strip():
        raise typer.BadParameter(ONE_OF)
    given = standard_input(errors="replace") if text == "-" else readable(text)
    memory = open_for(project_root, global_store, create=False)
    happened = (
        Task(readable(task))
        if task is not None
        else _happened(failed, edited, file, text=given, project_root=project_root)
    )
    actor = Actor(ContextWindow(host_session()), read_workplace(memory, project_root))
    tried = _dry_run(happened, actor, InjectAtMoment(build_weigh_entries(memory, project_root)))
    for line in tried.degradations if tried else ():
        memory.warn(line)
    on = _is_on(memory.settings)
    if as_json:
        print_json(moment_document(tried, on=on))
        return
    for line in moment_lines(tried, on=on, explains=explain):
        say(on_one_line(line))


def _happened(
    failed: str | None, edited: str | None, file: str | None, text: str, project_root: str
) -> Moment | None:
    if file is not None:
        return OpenedFile(relative_to(project_root, readable(file)))
    if edited is not None:
        return Edit(relative_to(project_root, readable(edited)), "", text)
    failure = Failure(readable(failed or ""), text)
    return failure if failure.error_lines and not failure.is_expected else None


def _dry_run(happened: Moment | None, actor: Actor, inject: InjectAtMoment) -> DryRun | None:
    if happened is None:
        return None
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    return dry_run(
        inject.weigh, lambda weigh: InjectAtMoment(weigh).text_for(happened, actor, deadline)
    )


def _is_on(settings: Settings) -> bool:
    return settings.moments_enabled and settings.injection_enabled and settings.semantic_enabled
