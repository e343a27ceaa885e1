import json
import platform
import sqlite3
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.figures import Aim, Figure

WIDTH = 120


def print_json(figures: Sequence[Figure]) -> None:
    """Print the figures for scripts."""
    rows = [
        {**figure._asdict(), "aim": figure.aim._asdict() if figure.aim else None, "met": figure.met}
        for figure in figures
    ]
    print(json.dumps({"machine": _machine(), "figures": rows}, indent=2))


def print_report(figures: Sequence[Figure]) -> None:
    """Print the figures as a table, and what became of the aims."""
    table = Table(title=_machine(), title_justify="left")
    table.add_column("figure")
    for heading in ("entries", "median", "ratio"):
        table.add_column(heading, justify="right")
    for figure in figures:
        table.add_row(_title(figure), f"{figure.entries:,}", f"{figure.value:,.1f} {figure.unit}", _ratio(figure))
    console = Console(width=WIDTH, soft_wrap=True)
    console.print(table)
    for figure in figures:
        if figure.aim:
            console.print(_verdict(figure, figure.aim), highlight=False)


def _title(figure: Figure) -> str:
    return f"{figure.title} ({figure.note})" if figure.note else figure.title


def _ratio(figure: Figure) -> str:
    return f"{figure.ratio:.1f} x {figure.ratio_to}" if figure.ratio else ""


def _verdict(figure: Figure, aim: Aim) -> str:
    measured = f"{figure.value:.1f} {figure.unit}" if aim.of == "value" else _ratio(figure)
    verdict = "met    " if figure.met else "NOT MET"
    return f"{verdict}  {_title(figure)}, {figure.entries:,} entries: {measured} (aim: {aim.most:g})"


def _machine() -> str:
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, numpy {np.__version__}, "
        f"{platform.system()} {platform.machine()}"
    )
