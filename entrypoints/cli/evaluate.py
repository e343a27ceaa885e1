"""`hardwon eval`: measure recall on judged questions or the user's own memory."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Annotated

import typer
from rich.progress import Progress, TaskID
from rich.table import Table

from hardwon.domain.model.evaluation.baselines import MEASURED
from hardwon.domain.model.evaluation.eval_set import MIN_QUESTIONS, EvalSet
from hardwon.domain.model.evaluation.report import (
    MEAN,
    QUALITY,
    ByPolicy,
    EvaluationReport,
    PolicyChange,
    PolicyFigures,
    QueryChange,
    adaptive_beside_the_better,
    changes,
    largest_changes,
    moved_queries,
)
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap_evaluation import (
    comparison_document,
    evaluate_all,
    names_of,
    own_sets,
    read_eval_set,
    read_report,
    report_document,
)
from hardwon.entrypoints.bootstrap_retrieval import OFF
from hardwon.entrypoints.cli.console import (
    USERS_MISTAKE,
    cell,
    complain,
    print_json,
    print_table,
    progress,
    say,
    warn,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.presenters.text import counted, on_one_line


def evaluate(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DIR]...",
            help="Folders with docs.jsonl, queries.jsonl (or .gz of them) and qrels.tsv.",
        ),
    ] = None,
    *,
    own: Annotated[
        bool,
        typer.Option(
            "--self", help=("Measure on your own memory. Titles and rare words are the questions.")
        ),
    ] = False,
    policies: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME", help=f"Only: {', '.join(MEASURED)}."),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(metavar="OLD.json", help="Compare with an earlier output of --json."),
    ] = None,
    fail_on_regression: Annotated[
        bool,
        typer.Option(
            "--fail-on-regression",
            help="With --compare, exit with 1 if a figure fell by more than 0.005.",
        ),
    ] = False,
    per_query: Annotated[
        bool,
        typer.Option(
            "--per-query",
            help="List the queries where adaptive differs most from the better search.",
        ),
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Measure the quality of answers, in a temporary store.

    Times are of a whole recall in a running process, without embedding the question. Vectors are
    kept for the next run in ~/.cache/hardwon.
    """
    if fail_on_regression and compare is None:
        raise typer.BadParameter(
            "there is nothing to compare with: add --compare", param_hint="--fail-on-regression"
        )
    chosen = _policies(policies or list(MEASURED))
    before = None if compare is None else read_report(compare)
    settings = resolve(project_root, global_store).settings
    sets, settings = _sets(folders or [], settings, own=own)
    report = _measure(sets, chosen, settings)
    moved = [] if before is None else changes(before, report)
    if fail_on_regression and not moved:
        raise typer.BadParameter(
            f"no set of {compare!r} was measured: nothing can be compared", param_hint="--compare"
        )
    if as_json:
        compared = {} if before is None else {"comparison": comparison_document(moved)}
        print_json({**report_document(report, per_query=per_query), **compared})
    else:
        _show(report, before, moved, per_query=per_query)
    if fail_on_regression and any(change.regressions for change in moved):
        raise typer.Exit(USERS_MISTAKE)


def _policies(wanted: Sequence[str]) -> list[str]:
    if unknown := [name for name in wanted if name not in MEASURED]:
        raise typer.BadParameter(
            f"{unknown[0]!r} is none of {', '.join(MEASURED)}", param_hint="--policy"
        )
    return [name for name in MEASURED if name in wanted]


def _sets(
    folders: Sequence[str], settings: Settings, *, own: bool
) -> tuple[list[EvalSet], Settings]:
    if not folders and not own:
        raise typer.BadParameter("name a folder to measure on, or --self", param_hint="DIR")
    sets = [
        read_eval_set(folder, name) for folder, name in zip(folders, names_of(folders), strict=True)
    ]
    if own:
        mine, settings = own_sets(settings)
        titled = len(mine[0].queries)
        if titled >= MIN_QUESTIONS:
            sets += (item for item in mine if item.queries)
        else:
            complain(
                f"Nothing to measure in your memory yet: {counted(titled, 'entry', 'entries')} with"
                f" a title that asks for something, {MIN_QUESTIONS} are needed"
            )
    return sets, settings


def _measure(sets: list[EvalSet], policies: list[str], settings: Settings) -> EvaluationReport:
    for line in (line for item in sets for line in item.warnings):
        warn(line)
    if sets and settings.embedding_provider == OFF:
        warn("no embedding provider is on: semantic policies search by keyword")
    with progress() as bar:
        report = evaluate_all(
            sets, policies, settings=settings, warn=warn, stage_of=lambda name: _Stages(bar, name)
        )
    for name, item in report.sets.items():
        for line in item.degradations:
            warn(f"{name}: some answers are without a part of the search: {line}")
    return report


class _Stages:
    """A progress bar for each stage of a set."""

    def __init__(self, bar: Progress, name: str) -> None:
        self._bar = bar
        self._name = name
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(on_one_line(f"{self._name}: {stage}"))
        self._bar.update(self._tasks[stage], completed=done, total=total)


def _show(
    report: EvaluationReport,
    before: EvaluationReport | None,
    moved: Sequence[PolicyChange],
    *,
    per_query: bool,
) -> None:
    if not report.sets:
        return
    print_table(report_table(report))
    if before is not None:
        _show_changes(report, before, moved)
    if per_query:
        _show_queries(report, before)


def _show_changes(
    report: EvaluationReport, before: EvaluationReport, moved: Sequence[PolicyChange]
) -> None:
    for name in report.sets.keys() - before.sets.keys():
        warn(f"the earlier report has no set {name!r}")
    if moved:
        say("\nDifference to the earlier report (! marks what fell by over 0.005):")
        print_table(change_table(moved))
    for line in regression_lines(moved):
        say(line)


def _show_queries(report: EvaluationReport, before: EvaluationReport | None) -> None:
    beside = [
        item
        for name, known in report.sets.items()
        for item in adaptive_beside_the_better(name, known)
    ]
    _show_standings("adaptive beside the better of keyword and vector", beside)
    if before is None:
        return
    shared = [name for name in report.sets if name in before.sets]
    moved = [
        item
        for name in shared
        for item in moved_queries(name, before.sets[name], report.sets[name])
    ]
    if moved:
        _show_standings("Since the earlier report", moved)
    else:
        warn("the earlier report has no figures for each query: make it with --json --per-query")


def _show_standings(heading: str, standings: Sequence[QueryChange]) -> None:
    changed = sum(item.change != 0 for item in standings)
    say(
        f"\n{heading}, nDCG@10: {changed} of {len(standings)}"
        f" differ{', worst first:' if changed else ''}"
    )
    if changed:
        print_table(standing_table(standings))


HEADINGS = ("nDCG@10", "R@5", "R@10", "MRR", "hit@5", "p50 ms", "p95 ms")
"""Column headings of the fields of `PolicyFigures`."""

LISTED = 20
LONGEST_TEXT = 80

Row = tuple[str, str, list[str]]
"""Set, policy, cells."""


def report_table(report: EvaluationReport) -> Table:
    """Return all figures set by set, then their mean."""
    sections: dict[str, ByPolicy] = {name: item.policies for name, item in report.sets.items()}
    if report.mean:
        sections[MEAN] = report.mean
    return _table(
        [
            (name, policy, _cells(figures))
            for name, policies in sections.items()
            for policy, figures in policies.items()
        ]
    )


def change_table(changes: Sequence[PolicyChange]) -> Table:
    """Return the difference of each figure, regressions marked."""
    return _table([(change.set_name, change.policy, _change_cells(change)) for change in changes])


def regression_lines(changes: Sequence[PolicyChange]) -> Iterable[str]:
    """Yield a line for each regression."""
    headings = dict(zip(PolicyFigures._fields, HEADINGS, strict=True))
    for change in changes:
        for name in change.regressions:
            before, after = getattr(change.before, name), getattr(change.after, name)
            yield (
                f"Regression: {change.set_name} {change.policy} {headings[name]} {before:.4f} ->"
                f" {after:.4f}"
            )


def standing_table(standings: Sequence[QueryChange]) -> Table:
    """Return the 20 questions that changed most, worst first."""
    table = Table("set", "policy", "query", box=None, pad_edge=False)
    for heading in ("before", "after", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("text")
    for item in largest_changes(standings, LISTED):
        numbers = (f"{item.before:.4f}", f"{item.after:.4f}", f"{item.change:+.4f}")
        table.add_row(
            *map(
                cell,
                (item.set_name, item.policy, item.query_id, *numbers, item.text[:LONGEST_TEXT]),
            )
        )
    return table


def _table(rows: Sequence[Row]) -> Table:
    """
    Return *rows* with a gap between sets.

    Each row names its set, for grep.
    """
    table = Table("set", "policy", box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for at, (name, policies) in enumerate(groupby(rows, key=itemgetter(0))):
        if at:
            table.add_row()
        for _, policy, cells in policies:
            table.add_row(cell(name), cell(policy), *map(cell, cells))
    return table


def _cells(figures: PolicyFigures) -> list[str]:
    return [_number(name, value) for name, value in figures._asdict().items()]


def _change_cells(change: PolicyChange) -> list[str]:
    regressions = change.regressions
    return [
        f"{'! ' if name in regressions else ''}{_number(name, value, '+')}"
        for name, value in change.differences._asdict().items()
    ]


def _number(name: str, value: float, sign: str = "") -> str:
    return format(value, f"{sign}.4f" if name in QUALITY else f"{sign}.1f")
