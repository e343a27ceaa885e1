import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bench.figures import Aim, Figure
from bench.processes import progress


def printed(figures: Iterable[Figure]) -> Iterator[Figure]:
    """Yield *figures*, each after a line about it was printed."""
    for figure in figures:
        progress("")
        ratio, verdict = _ratio(figure), f"{_verdict(figure, figure.aim)} " if figure.aim else ""
        print(
            f"{figure.entries:>9,}  {figure.value:>9,.1f} {figure.unit:3} {ratio:12}"
            f" {verdict}{_title(figure)}",
            flush=True,
        )
        yield figure


def print_json(figures: Sequence[Figure]) -> None:
    """Print the figures for scripts."""
    rows = [
        {**figure._asdict(), "aim": figure.aim._asdict() if figure.aim else None, "met": figure.met}
        for figure in figures
    ]
    print(json.dumps({"machine": machine(), "figures": rows}, indent=2))


def print_missed(figures: Sequence[Figure]) -> None:
    """Print what became of the aims."""
    aimed = [figure for figure in figures if figure.aim]
    print(
        f"\n{machine()}\n{sum(bool(figure.met) for figure in aimed)} of {len(aimed)} aims are met;"
        " missed:"
    )
    for line in missed_lines(figures):
        print(line)


def missed_lines(figures: Iterable[Figure]) -> Iterator[str]:
    """Yield a line for each aim that is missed: by how much."""
    for figure in figures:
        if figure.aim and not figure.met:
            measured = figure.value if figure.aim.of == "value" else figure.ratio or 0
            unit = figure.unit if figure.aim.of == "value" else "x"
            more = (
                f"{measured:.1f} {unit}, {measured / figure.aim.most:.1f} times the target of"
                f" {figure.aim.most:g}"
            )
            yield f"- {_title(figure)}, {figure.entries:,} entries: {more}"


def machine() -> str:
    """Return what the figures were measured on."""
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, numpy"
        f" {np.__version__}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores, load"
        f" {os.getloadavg()[0]:.1f}"
    )


def _title(figure: Figure) -> str:
    return f"{figure.title} ({figure.note})" if figure.note else figure.title


def _ratio(figure: Figure) -> str:
    return f"{figure.ratio:.1f} x {figure.ratio_to}" if figure.ratio else ""


def _verdict(figure: Figure, aim: Aim) -> str:
    return f"[{'met' if figure.met else 'NOT MET'}, aim {aim.most:g}]"
