"""
`python -m bench.lengths FOLDER...`: nDCG@10 by the length of the document that answers.

Each FOLDER is an evaluation set, as for `hardwon eval`. Where several documents answer a question,
the longest counts.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from statistics import fmean

from bench.eval_sets import read_sets, relevant_documents
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery
from hardwon.domain.model.evaluation.report import SetReport
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap_evaluation import evaluate_all

POLICIES = ("keyword", "vector", "weighted", "adaptive")

BOUNDS = (0, 100, 300, 600, 1_000, inf)
"""Words: where a band begins and the one before it ends."""


def length_lines(eval_set: EvalSet, report: SetReport) -> Iterator[str]:
    """
    Yield a line for all questions of a set, then one for each band.

    Bands of lengths without a question are left out.
    """
    ndcg = {query_id: query.ndcg for query_id, query in report.queries.items()}
    lengths = {asked.query.query_id: _longest(eval_set, asked) for asked in eval_set.queries}
    yield _line(eval_set.name, "all", [ndcg[query_id] for query_id in lengths])
    for least, most in pairwise(BOUNDS):
        within = [ndcg[query_id] for query_id, words in lengths.items() if least <= words < most]
        if within:
            yield _line(
                eval_set.name,
                f"{least:,} to {most:,}" if most < inf else f"{least:,} and more",
                within,
            )


def _longest(eval_set: EvalSet, asked: JudgedQuery) -> int:
    """
    Return the words of the longest document that answers.

    It is 0 if none has a text.
    """
    answers = relevant_documents(eval_set, asked)
    return max((word_count(eval_set.documents[key].description) for key in answers), default=0)


def _line(name: str, band: str, ndcg: Sequence[Mapping[str, float]]) -> str:
    means = "".join(
        f"{fmean(by_policy[policy] for by_policy in ndcg):10.4f}" for policy in POLICIES
    )
    return f"{name:16} {band:14} {len(ndcg):9}{means}"


def main() -> None:
    """Print one table over all sets."""
    parser = argparse.ArgumentParser(prog="python -m bench.lengths", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="holds an evaluation set")
    sets = read_sets(parser.parse_args().folders)
    settings = Settings(global_store="", embedding_provider="local")
    report = evaluate_all(sets, list(POLICIES), settings, print, lambda _: lambda *_: None)
    print(
        f"{'set':16} {'words':14} {'questions':>9}{''.join(f'{policy:>10}' for policy in POLICIES)}"
    )
    for eval_set in sets:
        for line in length_lines(eval_set, report.sets[eval_set.name]):
            print(line)


if __name__ == "__main__":
    main()
