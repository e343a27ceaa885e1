"""The tables of `hardwon eval`."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from rich.table import Table
from rich.text import Text

from hardwon.domain.model.evaluation.report import (
    MEAN,
    QUALITY,
    ByPolicy,
    Change,
    Figures,
    QueryChange,
    Report,
    largest_changes,
)
from hardwon.entrypoints.presenters.text import on_one_line

HEADINGS = ("nDCG@10", "R@5", "R@10", "MRR", "hit@5", "p50 ms", "p95 ms")
"""The fields of `Figures` as people know them."""

LISTED = 20
LONGEST_TEXT = 80

Row = tuple[str, str, list[str]]
"""The set, the policy, the cells."""


def report_table(report: Report) -> Table:
    """Return all figures, set by set, then their mean."""
    sections: dict[str, ByPolicy] = {name: each.policies for name, each in report.sets.items()}
    if report.mean:
        sections[MEAN] = report.mean
    return _table(
        [(name, policy, _cells(figures)) for name, policies in sections.items() for policy, figures in policies.items()]
    )


def change_table(changes: Sequence[Change]) -> Table:
    """Return the difference of each figure, with a mark on each that got worse."""
    return _table([(change.set_name, change.policy, _change_cells(change)) for change in changes])


def regression_lines(changes: Sequence[Change]) -> Iterable[str]:
    """Yield a line for each figure that got worse."""
    headings = dict(zip(Figures._fields, HEADINGS, strict=True))
    for change in changes:
        for name in change.regressions:
            before, after = getattr(change.before, name), getattr(change.after, name)
            yield f"Regression: {change.set_name} {change.policy} {headings[name]} {before:.4f} -> {after:.4f}"


def standing_table(standings: Sequence[QueryChange]) -> Table:
    """Return the 20 questions that changed most, worst first."""
    table = Table("set", "policy", "query", box=None, pad_edge=False)
    for heading in ("before", "after", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("text")
    for each in largest_changes(standings, LISTED):
        numbers = (f"{each.before:.4f}", f"{each.after:.4f}", f"{each.change:+.4f}")
        table.add_row(*map(_plain, (each.set_name, each.policy, each.query_id, *numbers, each.text[:LONGEST_TEXT])))
    return table


def _table(rows: Sequence[Row]) -> Table:
    """Return *rows* with a gap after each set, whose name stands in every row, for whoever greps."""
    table = Table("set", "policy", box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for at, (name, policies) in enumerate(groupby(rows, key=itemgetter(0))):
        if at:
            table.add_row()
        for _, policy, cells in policies:
            table.add_row(_plain(name), _plain(policy), *map(_plain, cells))
    return table


def _cells(figures: Figures) -> list[str]:
    return [_number(name, value) for name, value in figures._asdict().items()]


def _change_cells(change: Change) -> list[str]:
    regressions = change.regressions
    return [
        f"{'! ' if name in regressions else ''}{_number(name, value, '+')}"
        for name, value in change.differences._asdict().items()
    ]


def _number(name: str, value: float, sign: str = "") -> str:
    return format(value, f"{sign}.4f" if name in QUALITY else f"{sign}.1f")


def _plain(text: str) -> Text:
    return Text(on_one_line(text))
