"""
`python -m bench.performance`: measure the cost of every door by size.

The results go to docs/measurements.md and docs/performance.svg. A million entries are measured with
`--sizes 1000,10000,100000,1000000`: their store takes minutes and 5 GB, and so does its copy.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple, Self

from bench.__main__ import sizes_of
from bench.chart import Line, chart
from bench.cost import all_costs
from bench.figures import SIZES, Figure
from bench.report import machine, missed_lines, printed

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
PAGE = "measurements.md"
NOTHING_BEFORE: Mapping[tuple[str, int], str] = {}
DRAWN = ("start_new", "start_seen", "start_keyword", "prompt_searched", "recall", "prompt_silent")
HEAD = """# Measurements of speed

```sh
make generated PART=performance{options}
```

wrote this page, on {machine}.

Each store has lessons of about 60 words, made of docstrings of Python's library, with the model's vectors. After the store was packed, 50 lessons were stored,
50 changed and one deleted. Figures of processes are CPU (user and system time of the whole process), as a multiple of `python -c pass` in the same rounds,
medians of {repetitions}; that took {passed:.0f} ms. Figures of calls to a running server are milliseconds of its CPU until it is idle again; at prompts and moments,
milliseconds until it has answered. Deadlines are as shipped. **Bold** misses the target in brackets.{former}

![Cost against size](performance.svg)
"""
FORMER = """ Figures after "was" are those of the page before, when
`python -c pass` took {passed} ms."""
PEERS = """
## Beside other indexes

A process starts, is asked for 20 of the same entries, and ends. Figures are CPU as a multiple of `hardwon recall` in the same rounds. The others get the
question's vector, which hardwon makes itself. txtai and mcp-memory-service are left out, since their models are in no package registry.
"""
WHERE = """
## Where the time goes

These are shares of the CPU time after the start of Python, under a profiler, which overstates small functions.
"""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.performance", description="Cost by size, as a page."
    )
    parser.add_argument("--sizes", type=sizes_of, default=[*SIZES[:3]], help="entries, by commas")
    parser.add_argument(
        "--repetitions", type=int, default=15, help="runs of each process; medians are printed"
    )
    parser.add_argument("--out", default=DOCS, help="the folder that is written to")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hardwon-bench-") as folder:
        figures = [*printed(all_costs(folder, options.sizes, options.repetitions))]
    write_page(options.out, figures, options.repetitions)


def write_page(folder: str, figures: Sequence[Figure], repetitions: int) -> None:
    """
    Write `measurements.md` and `performance.svg` into *folder*.

    The figures of the page that was there come after the new ones.
    """
    before = FormerPage.read(os.path.join(folder, PAGE))
    sizes = sorted({figure.entries for figure in figures})
    options = "" if sizes == [*SIZES[:3]] else f" SIZES={','.join(map(str, sizes))}"
    doors = [figure for figure in figures if not figure.name.startswith(("where_", "peer_"))]
    missed = [*missed_lines(figures)]
    page = [
        HEAD.format(
            options=options,
            machine=machine(),
            repetitions=repetitions,
            passed=_pass_ms(doors),
            former=FORMER.format(passed=before.passed) if before.values else "",
        ),
        *table(doors, before.values),
        "\n## Missed targets\n",
        *(missed or ["None."]),
        WHERE,
        *table([figure for figure in figures if figure.name.startswith("where_")]),
        PEERS,
        *table([figure for figure in figures if figure.name.startswith("peer_")]),
    ]
    _write(folder, PAGE, "\n".join(page) + "\n")
    lines = [_line(name, doors) for name in DRAWN]
    _write(
        folder,
        "performance.svg",
        chart([line for line in lines if line.points], "CPU, times python -c pass"),
    )


def _pass_ms(figures: Sequence[Figure]) -> float:
    """Return the CPU milliseconds of `python -c pass`, the median of all rounds."""
    return median(figure.value / figure.ratio for figure in figures if figure.ratio)


class FormerPage(NamedTuple):
    """
    The page that an earlier run wrote.

    Attributes:
        values: Its figures by title and size, as they were printed.
        passed: The milliseconds of `python -c pass` then, as printed.
    """

    values: Mapping[tuple[str, int], str]
    passed: str = ""

    @classmethod
    def read(cls, path: str) -> Self:
        """Return the page at *path*, an empty one without a file."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return cls({})
        values, sizes = dict[tuple[str, int], str](), list[int]()
        for title, *cells in _rows(text):
            if not title:
                sizes = [int(size.replace(",", "")) for size in filter(None, cells)]
            for size, found in zip(sizes, map(_VALUE.match, cells), strict=False):
                if title and found:
                    values[title, size] = found[1]
        passed = re.search(r"that took (\d+) ms", text)
        return cls(values, passed[1] if passed else "")


_VALUE = re.compile(r"\**([\d.,]+ (?:x|ms|MB|%))")


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.split("|")[1:-1]]


def table(
    figures: Sequence[Figure], before: Mapping[tuple[str, int], str] = NOTHING_BEFORE
) -> Iterator[str]:
    """
    Yield the lines of a table.

    It has a row for each title and a column for each size. Former values come after the new ones.
    """
    sizes = sorted({figure.entries for figure in figures})
    yield f"| | {' | '.join(f'{entries:,}' for entries in sizes)} |"
    yield f"|---|{'---:|' * len(sizes)}"
    for title in dict.fromkeys(figure.title for figure in figures):
        of_row = {
            figure.entries: cell(figure, before.get((title, figure.entries), ""))
            for figure in figures
            if figure.title == title
        }
        yield f"| {title} | {' | '.join(of_row.get(entries, '') for entries in sizes)} |"


def cell(figure: Figure, before: str = "") -> str:
    """Return a figure with its target, its value *before*, and what went wrong."""
    value = f"{figure.ratio:.1f} x" if figure.ratio else f"{figure.value:,.1f} {figure.unit}"
    if figure.met is False:
        value = f"**{value}**"
    target = f" ({figure.aim.most:g})" if figure.aim else ""
    was, note = f", was {before}" if before else "", f": {figure.note}" if figure.note else ""
    return f"{value}{target}{was}{note}"


def _line(name: str, figures: Sequence[Figure]) -> Line:
    own = [figure for figure in figures if figure.name == name and figure.ratio]
    points = [(figure.entries, figure.ratio or 0.0) for figure in own]
    targets = [(figure.entries, figure.aim.most) for figure in own if figure.aim]
    return Line(own[0].title.removesuffix(": CPU") if own else "", points, targets)


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
