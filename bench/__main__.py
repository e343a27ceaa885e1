"""`python -m bench`: figures and ratios, all measured in one run, in a throw-away folder."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the hook has it; counts only before numpy is imported

import argparse
import tempfile

from bench.beside_prompt import prompt_figures
from bench.capture_hooks import capture_figures
from bench.chunking import chunking_figures
from bench.computation import computation_figures
from bench.figures import Figure
from bench.plugin import plugin_figures
from bench.questions import cosine_figure, process_figure, question_figures
from bench.report import print_json, print_report
from bench.server import server_figures
from bench.sessions import Sessions
from bench.transcripts import transcript_figures
from bench.writing import writing_figures

MAX_DOCUMENTS = 10_000
"""A project with more is none we know."""


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="hardwon-bench-") as folder:
        figures = _measure(folder, options.sizes, options.lessons, options.repetitions)
    (print_json if options.json else print_report)(figures)


def _measure(folder: str, sizes: list[int], lessons: int, repetitions: int) -> list[Figure]:
    middle = sizes[len(sizes) // 2]
    sessions = Sessions(folder, repetitions)
    figures = computation_figures(folder, middle, repetitions)
    for entries in sizes:
        store, of_the_hook = sessions.store(entries), sessions.figures(entries)
        [hook] = [figure for figure in of_the_hook if figure.name == "hook_embedded"]
        figures += [*of_the_hook, *question_figures(store, entries)]
        figures.append(process_figure(folder, store, entries, hook.value, repetitions))
    return [
        *figures,
        cosine_figure(folder),
        *sessions.conversation_figures(sizes[0]),
        *chunking_figures(lessons, repetitions),
        sessions.module_figure(sizes[0]),
        sessions.markdown_figure(),
        *writing_figures(folder, middle, lessons, repetitions),
        *transcript_figures(folder, lessons, repetitions),
        *capture_figures(folder, lessons, repetitions),
        *prompt_figures(folder, middle, repetitions),
        *plugin_figures(folder, sessions.store(middle), repetitions),
        *server_figures(folder, [entries for entries in sizes if entries <= MAX_DOCUMENTS], repetitions),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Figures and ratios, measured in one run.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--sizes", type=_numbers, default=[1_000, 10_000, 100_000], help="entries, by commas")
    parser.add_argument("--lessons", type=int, default=1_000, help="entries of the knowledge bank to import")
    parser.add_argument("--repetitions", type=int, default=9, help="runs of each process; medians are printed")
    parser.add_argument("--quick", action="store_true", help="1,000 and 10,000 entries, 5 repetitions")
    options = parser.parse_args()
    if options.quick:
        options.sizes, options.repetitions = [1_000, 10_000], 5
    return options


def _numbers(text: str) -> list[int]:
    return sorted(map(int, text.split(",")))


if __name__ == "__main__":
    main()
