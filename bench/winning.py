"""
`python -m bench.winning [FOLDER]`: how often memory suggests something beside a prompt, and how
often it is right.

FOLDER holds evaluation sets, as `docs/measurements-of-quality.md` describes them. Each set's questions are prompts:
asked of its own store, of it without what answers them (hard), and of another set's (easy);
ordinary prompts of agents, which nothing answers, are asked of all, one by one and three together.
An own question between two of them is "longer". Small stores are drawn from the notes, and from the
sample project, which is asked in a developer's own voice: by each line of `fitting.tsv` for the
entries it names ("fit"), by those of `near.txt` for nothing, though they share its words.
`docs/measurements-of-quality.md` has the table and what was chosen on it.
"""

import argparse
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import NamedTuple

from bench.prompted_stores import Asked, Asking, asking
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.adapters.evaluation.files import read_eval_set
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery
from hardwon.domain.model.filters import EVERYTHING
from hardwon.entrypoints.bootstrap_evaluation import cache_folder

SETS = ("til-jbranchaud", "cranfield", "beam-dialogue")
NOTES = SETS[0]
SAMPLE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "examples", "parser-project")
PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")
SMALL_SAMPLES = {5: 12, 20: 6}
HALVES = ("chosen on", "held out")
"""
The halves of the developer's prompts.

The second had no say in the choice of constants.
"""

SMALL = {5: 12, 10: 8, 20: 6, 40: 4, 80: 3, 300: 1}
"""How many entries a small store has, and how many such stores are drawn."""


class Row(NamedTuple):
    """The results of a group of prompts."""

    store: str
    prompts: str
    asked: Sequence[Asked]

    def line(self) -> str:
        """Return the group as a line of the table."""
        spoken = sum(bool(prompt.right) for prompt in self.asked)
        shown = [right for prompt in self.asked for right in prompt.right]
        precision = (
            f"{sum(shown) / len(shown):7.0%}"
            if shown and self.prompts in {"own", "longer", "fit"}
            else f"{'':7}"
        )
        share = f"{spoken / len(self.asked):8.1%}"
        return (
            f"{self.store:24} {self.prompts:9} {len(self.asked):5} {share} {len(shown):5}"
            f" {precision}"
        )


class Prompts(NamedTuple):
    """
    Prompts to agents, in their own words.

    Attributes:
        ordinary: Those that nothing answers.
        near: Those in the words of the sample project that nothing in it answers.
        fitting: Those that entries of the sample project answer, and the names of these.

    """

    ordinary: list[str]
    near: list[str]
    fitting: list[tuple[str, list[str]]]


class Bench:
    """
    All groups of prompts, for stores with or without vectors.

    Args:
        sets: Evaluation sets, by name.
        prompts: Prompts to agents.
        sample: How many questions of each set.
        by_meaning: Whether the stores have vectors.
        seed: Draws the questions and the small stores.

    """

    def __init__(
        self,
        sets: dict[str, EvalSet],
        prompts: Prompts,
        *,
        sample: int,
        by_meaning: bool,
        seed: int,
    ) -> None:
        self._sets = sets
        self._prompts = prompts
        self._sample = sample
        self._by_meaning = by_meaning
        self._random = random.Random(seed)  # draws a sample

    def rows(self) -> Iterator[Row]:
        """Yield every group of prompts."""
        with closing(VectorCache(cache_folder(), print)) as cache:
            for name in self._sets:
                yield from self._of_set(name, cache)
            for size, draws in SMALL.items():
                yield from self._of_small(size, draws, cache)
            yield from self._of_sample_project(cache)

    def _of_set(self, name: str, cache: VectorCache) -> Iterator[Row]:
        eval_set = self._sets[name]
        with self._asking(list(eval_set.documents.values()), cache) as store:
            drawn = sorted(self._draw(name), key=lambda asked: asked.query.group or "")
            yield Row(name, "own", [store.own(eval_set, asked) for asked in drawn])
            longer = [store.own(eval_set, self._among_others(asked)) for asked in drawn]
            yield Row(name, "longer", longer)
            yield Row(name, "hard", [store.without_answers(eval_set, asked) for asked in drawn])
            for other in self._sets.keys() - {name}:
                yield Row(
                    name, "easy", [store.ask(asked.query.text) for asked in self._draw(other)]
                )
            yield Row(name, "ordinary", [store.ask(prompt) for prompt in self._ordinary()])

    def _of_small(self, size: int, draws: int, cache: VectorCache) -> Iterator[Row]:
        eval_set = self._sets[NOTES]
        own, longer, hard, ordinary = list[Asked](), list[Asked](), list[Asked](), list[Asked]()
        for _ in range(draws):
            questions = self._random.sample(eval_set.queries, size + 60)
            entries = [
                eval_set.documents[document]
                for asked in questions[:size]
                for document in asked.grades
            ]
            with self._asking(entries, cache) as store:
                own += [store.own(eval_set, asked) for asked in questions[:size][:60]]
                hard += [store.ask(asked.query.text) for asked in questions[size:]]
                longer += [
                    store.own(eval_set, self._among_others(asked))
                    for asked in questions[:size][:60]
                ]
                ordinary += [store.ask(prompt) for prompt in self._ordinary()]
        yield Row(f"{size} notes", "own", own)
        yield Row(f"{size} notes", "longer", longer)
        yield Row(f"{size} notes", "foreign", hard)
        yield Row(f"{size} notes", "ordinary", ordinary)

    def _of_sample_project(self, cache: VectorCache) -> Iterator[Row]:
        with self._asking([], cache, project=SAMPLE) as store:
            entries = store.memory.repository.matching(EVERYTHING, limit=1_000)
            yield Row(
                "sample project",
                "own",
                [store.ask(entry.name, [entry.entry_id]) for entry in entries],
            )
            yield Row(
                "sample project", "ordinary", [store.ask(prompt) for prompt in self._ordinary()]
            )
            for other in self._sets:
                yield Row(
                    "sample project",
                    "easy",
                    [store.ask(asked.query.text) for asked in self._draw(other)],
                )
            for at, half in enumerate(HALVES):
                named = [
                    (text, _named(entries, names)) for text, names in self._prompts.fitting[at::2]
                ]
                yield Row(
                    f"sample, {half}", "fit", [store.ask(text, answers) for text, answers in named]
                )
                yield Row(
                    f"sample, {half}",
                    "near",
                    [store.ask(text) for text in self._prompts.near[at::2]],
                )
        for size, draws in SMALL_SAMPLES.items():
            yield from self._of_small_sample(entries, size, draws, cache)

    def _of_small_sample(
        self, entries: Sequence[Entry], size: int, draws: int, cache: VectorCache
    ) -> Iterator[Row]:
        fit, near = list[Asked](), list[Asked]()
        for _ in range(draws):
            drawn = self._random.sample(entries, size)
            with self._asking(drawn, cache) as store:
                for text, names in self._prompts.fitting:
                    if answers := _named(drawn, names):
                        fit.append(store.ask(text, answers))
                near += [store.ask(text) for text in self._prompts.near]
        yield Row(f"{size} of the sample", "fit", fit)
        yield Row(f"{size} of the sample", "near", near)

    def _ordinary(self) -> list[str]:
        """Return each ordinary prompt by itself, and as many of three sentences."""
        ordinary = self._prompts.ordinary
        return [*ordinary, *(_joined(self._random.sample(ordinary, 3)) for _ in ordinary)]

    def _among_others(self, asked: JudgedQuery) -> JudgedQuery:
        """Return a question with an ordinary prompt before and one after it."""
        before, after = self._random.sample(self._prompts.ordinary, 2)
        return asked._replace(
            query=asked.query._replace(text=_joined([before, asked.query.text, after]))
        )

    def _draw(self, name: str) -> list[JudgedQuery]:
        queries = self._sets[name].queries
        return self._random.sample(queries, min(self._sample, len(queries)))

    def _asking(
        self, entries: Sequence[Entry], cache: VectorCache, project: str = ""
    ) -> AbstractContextManager[Asking]:
        return asking(entries, cache if self._by_meaning else None, project)


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(
        f"{sentence[:1].upper()}{sentence[1:].rstrip('.?! ')}." for sentence in sentences
    )


def _named(entries: Sequence[Entry], names: Sequence[str]) -> list[str]:
    """Return the ids of the entries of these names, which lack the category."""
    return [
        entry.entry_id
        for entry in entries
        if entry.name in names or entry.name.partition(": ")[2] in names
    ]


def _read_prompts() -> Prompts:
    lines = [_lines(name) for name in ("ordinary.txt", "near.txt", "fitting.tsv")]
    fitting = [line.split("\t") for line in lines[2]]
    return Prompts(lines[0], lines[1], [(text, names.split(" | ")) for text, names in fitting])


def _lines(name: str) -> list[str]:
    with open(os.path.join(PROMPTS, name), encoding="utf-8") as file:
        return file.read().splitlines()


def main() -> None:
    """Print one table with vectors and one without."""
    parser = argparse.ArgumentParser(prog="python -m bench.winning", description=__doc__)
    parser.add_argument("folder", help="holds the evaluation sets")
    parser.add_argument("--sample", type=int, default=300, help="questions of each set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sets = {name: read_eval_set(os.path.join(options.folder, name), name) for name in SETS}
    prompts = _read_prompts()
    for by_meaning in (True, False):
        print(
            f"\n{'meaning and words' if by_meaning else 'words only':24} prompts   asked    spoke"
            " shown   right"
        )
        bench = Bench(
            sets, prompts, sample=options.sample, by_meaning=by_meaning, seed=options.seed
        )
        for row in bench.rows():
            print(row.line(), flush=True)


if __name__ == "__main__":
    main()
