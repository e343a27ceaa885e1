"""
`python -m bench.relevance FOLDER`: how reliable the relevance of `hardwon recall` over everything
is.

FOLDER holds evaluation sets, a folder each, whose subjects have nothing in common. Stores of 5 to
2,000 entries are drawn from each of them and asked questions that they answer, those of
`bench/nonsense.txt`, and questions of the other sets. `--fit` fits the weights of
`domain/model/likelihood.py`; vectors are kept in the cache of `hardwon eval`.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product

from bench.eval_sets import read_sets_below
from bench.relevance_fit import Inputs, fit, floors, with_meaning, words_alone
from bench.relevance_stores import STORES, Asked, Hit, Side, ask_all
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.entrypoints.bootstrap_evaluation import cache_folder

ALL = "all sets"
BANDS = 10


def floor_table(asked: Sequence[Asked]) -> Iterator[str]:
    """
    Yield the answered unanswerable questions and the right answers lost to the floor.

    They are for each set and size.
    """
    yield f"{'set':16} {'entries':>7}  nonsense answered   foreign answered  answerable     lost"
    names = list(dict.fromkeys(question.set_name for question in asked))
    for name, entries in product((*names, ALL), STORES):
        group = [
            question
            for question in asked
            if question.entries == entries and name in (question.set_name, ALL)
        ]
        wrong = " ".join(
            f"{_cells(_answered(group, side)):>18}" for side in ("nonsense", "foreign")
        )
        lost = [not question.keeps_right for question in group if question.first_right]
        yield f"{name:16} {entries:7,} {wrong}  {_cells(lost):>18}"


def reliability_table(asked: Sequence[Asked]) -> Iterator[str]:
    """
    Yield the share of right hits for each tenth of relevance.

    It is given among all hits, and among the best hits of the questions.
    """
    yield "relevance     hits    right  best hits    right  of answerable questions"
    hits = [hit for question in asked for hit in question.hits]
    best = [question for question in asked if question.hits]
    for band in range(BANDS):
        all_right = [hit.right for hit in hits if _band(hit) == band]
        within = [question for question in best if _band(question.hits[0]) == band]
        best_right = [question.hits[0].right for question in within]
        answerable = [question.side == "answerable" for question in within]
        counted = (
            f"{len(all_right):7,} {_share(all_right):>8} {len(best_right):10,}"
            f" {_share(best_right):>8}"
        )
        yield f"{band / BANDS:.1f} to {(band + 1) / BANDS:.1f} {counted} {_share(answerable):>24}"


def fit_lines(asked: Sequence[Asked], inputs: Inputs) -> Iterator[str]:
    """Yield the regression's intercept and weights, and what floors cost."""
    fitted = fit(asked, inputs)
    yield (
        f"fitted: intercept {fitted[0]:.2f}, weights"
        f" {', '.join(f'{weight:.2f}' for weight in fitted[1:])}"
    )
    yield "  lost  intercept  nonsense  foreign   (with that intercept the floor is 0.5)"
    for floor in floors(asked, inputs, fitted):
        yield (
            f"{floor.lost:6.1%} {floor.intercept:10.2f} {_share(floor.nonsense):>9}"
            f" {_share(floor.foreign):>8}"
        )


def _answered(group: Sequence[Asked], side: Side) -> list[bool]:
    return [question.answers > 0 for question in group if question.side == side]


def _cells(cases: Sequence[bool]) -> str:
    return f"{len(cases):,} {_share(cases):>8}"


def _share(cases: Sequence[bool]) -> str:
    return f"{sum(cases) / len(cases):.1%}" if cases else "-"


def _band(hit: Hit) -> int:
    return min(int(hit.relevance * BANDS), BANDS - 1)


def main() -> None:
    """Print the tables with vectors, then those of words only."""
    parser = argparse.ArgumentParser(prog="python -m bench.relevance", description=__doc__)
    parser.add_argument("folder", help="holds the evaluation sets")
    parser.add_argument("--fit", action="store_true", help="fit the weights again")
    parser.add_argument("--seed", type=int, default=3, help="draws the stores and questions")
    options = parser.parse_args()
    sets = read_sets_below(options.folder)
    with closing(VectorCache(cache_folder(), print)) as cache:
        both = ask_all(sets, cache, options.seed)
    for heading, asked, inputs in (
        ("meaning and words", both.meaning, with_meaning),
        ("words only", both.words, words_alone),
    ):
        print(f"\n{heading}\n", *floor_table(asked), "", *reliability_table(asked), sep="\n")
        if options.fit:
            print("", *fit_lines(asked, inputs), sep="\n")


if __name__ == "__main__":
    main()
