"""
`python -m bench`: figures and ratios, measured in one run, printed as they come.

They are measured in a throw-away folder.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the hook has it; counts only before numpy is imported

import argparse
import contextlib
import tempfile
from collections.abc import Iterator

from bench.capture_hooks import capture_figures
from bench.chunking import chunking_figures
from bench.computation import computation_figures
from bench.cost import all_costs
from bench.figures import SIZES, Figure
from bench.plugin import plugin_figures
from bench.questions import cosine_figure, question_figures
from bench.report import print_json, print_missed, printed
from bench.server import server_figures
from bench.sessions import Sessions
from bench.stores import build_store
from bench.transcripts import transcript_figures
from bench.writing import writing_figures

MAX_DOCUMENTS = 10_000
"""A project with more is none we know."""


def main() -> None:
    """
    Measure and print.

    An interrupted run ends with what it has.
    """
    options = _options()
    made = list[Figure]()
    with (
        contextlib.suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="hardwon-bench-") as folder,
    ):
        figures = _figures(folder, options.sizes, options.lessons, options.repetitions)
        made.extend(figures if options.json else printed(figures))
    (print_json if options.json else print_missed)(made)


def _figures(folder: str, sizes: list[int], lessons: int, repetitions: int) -> Iterator[Figure]:
    yield from all_costs(folder, sizes, repetitions)
    middle, sessions = sizes[len(sizes) // 2], Sessions(folder, repetitions)
    store = build_store(os.path.join(folder, "store"), middle)
    for entries in sizes:
        yield from question_figures(
            build_store(os.path.join(folder, f"store-asked-{entries}"), entries), entries
        )
    yield from computation_figures(folder, middle, repetitions)
    yield cosine_figure(folder)
    yield from sessions.conversation_figures(store, middle)
    yield from chunking_figures(lessons, repetitions)
    yield sessions.module_figure(store, middle)
    yield sessions.markdown_figure()
    yield from writing_figures(folder, middle, lessons, repetitions)
    yield from transcript_figures(folder, lessons, repetitions)
    yield from capture_figures(folder, lessons, repetitions)
    yield from plugin_figures(folder, store, repetitions)
    yield from server_figures(
        folder, [entries for entries in sizes if entries <= MAX_DOCUMENTS], repetitions
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Figures and ratios, measured in one run."
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--sizes", type=sizes_of, default=[*SIZES[:3]], help="entries, by commas")
    parser.add_argument(
        "--lessons", type=int, default=1_000, help="entries of the knowledge bank to import"
    )
    parser.add_argument(
        "--repetitions", type=int, default=15, help="runs of each process; medians are printed"
    )
    parser.add_argument(
        "--quick", action="store_true", help="1,000 and 10,000 entries, 5 repetitions"
    )
    options = parser.parse_args()
    if options.quick:
        options.sizes, options.repetitions = [*SIZES[:2]], 5
    return options


def sizes_of(text: str) -> list[int]:
    """Return the numbers in *text*, between commas, in order."""
    return sorted(map(int, text.split(",")))


if __name__ == "__main__":
    main()
