"""`hardwon trial` and `hardwon lift`: find out what lessons change."""

from typing import Annotated

import typer

from hardwon.domain.model.trial import Trial, parse_share
from hardwon.domain.use_cases.measure_lift import MeasureLift
from hardwon.entrypoints.bootstrap import host_session, system_clock
from hardwon.entrypoints.bootstrap_retrieval import open_trials
from hardwon.entrypoints.cli.console import print_json, say
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for, resolve
from hardwon.entrypoints.presenters.lift import (
    lift_document,
    lift_lines,
    trial_document,
    trial_line,
)

TRIAL_ON_EXAMPLES = "Examples: hardwon trial on; hardwon trial on --share 50%"
BY_A_PERSON = "a trial is switched on by a person: run hardwon trial on in a terminal of your own"


def trial_on(
    *,
    share: Annotated[
        str,
        typer.Option(metavar="PERCENT", help="How much is withheld, from 1% to 50%."),
    ] = "10%",
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Withhold a share of the lessons, to see what they change.

    Only lessons at prompts and at moments of action are withheld. Session starts, the rules that always stand and
    what you search for stay complete. It holds for this machine, until hardwon trial off.
    """
    if host_session():
        raise typer.BadParameter(BY_A_PERSON)
    _write(Trial(parse_share(share), system_clock().now()), project_root, global_store)
    trial_status(project_root=project_root, global_store=global_store, as_json=as_json)


def trial_off(
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """End the trial, whose outcomes stay: hardwon lift."""
    _write(Trial(0.0, system_clock().now()), project_root, global_store)
    trial_status(project_root=project_root, global_store=global_store, as_json=as_json)


def trial_status(
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show whether a trial runs."""
    trial = open_trials(resolve(project_root, global_store).settings.global_store).read()
    if as_json:
        print_json({"trial": trial_document(trial)})
    else:
        say(trial_line(trial))


def _write(trial: Trial, project_root: str, global_store: str | None) -> None:
    open_trials(resolve(project_root, global_store).settings.global_store).write(trial)


def lift(
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Compare what happened after lessons that were shown and that a trial withheld.

    Failures afterwards, passes and tries, with intervals of 95 %. Most often it is too early to say.
    """
    memory = open_for(project_root, global_store, create=False)
    trial = open_trials(memory.settings.global_store).read()
    with memory.repository.snapshot():
        measured = MeasureLift(memory.store.receipts).measured()
    if as_json:
        print_json({"trial": trial_document(trial), **lift_document(measured)})
        return
    say(trial_line(trial))
    for line in lift_lines(measured):
        say(line)
