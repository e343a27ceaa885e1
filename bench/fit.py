"""
`python -m bench.fit [MODEL ...]`: fit the gates' weights of `domain/model/likelihood.py` again.

It reads the dev halves of all labelled prompts, errors and edits, asks them of the stores of
`make quality` and of smaller ones drawn from these, and fits a ridge logistic regression of "helps"
on the features that the product weighs. A case with a lesson is asked a second time without it.

Projects, or lessons, are left out in turn (ten folds, drawn five times; scores are means). On the
scores of those left out the threshold is chosen: as many cases without a lesson pass as `GATES` says. The constant is shifted so
that this threshold is a probability of 0.9. Weights of `KEPT` stay as they are in the table: the
labelled sets have neither long texts nor stores of thousands, on which those were fitted.
"""

import argparse
import math
import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bench.quality.fresh import fresh_entries, fresh_moments
from bench.quality.fresh_prompts import prompt_outcomes
from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import lesson_entries
from bench.quality.moments import (
    Ask,
    Item,
    Outcome,
    ask_after_edit,
    ask_at_failure,
    lesson_entry,
    moment_outcomes,
    vector_cache,
)
from bench.quality.secrets import interval
from bench.relevance_fit import regression
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.relevance_gate import MAX_SHOWN
from hardwon.domain.model.likelihood import MODELS, Likelihood, LikelihoodModel

FOLDS = 10
REPETITIONS = 5
STORES = {0: (1.0, 1), 60: (0.3, 1), 20: (0.15, 2)}
"""
By size, the weight of a case and how many stores are drawn.

Size 0 is all lessons.
"""

RIDGE = 1.0
MIN_DEVIATION = 0.1
"""
Features are standardised.

A smaller deviation counts as this, so that a rare one weighs little.
"""

KEPT = frozenset({"excess", "breadth", "quoted", "signed", "salience", "missing"})
SHARES = (0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08)
"""Shares of wrongly answered cases, at which the table shows how many are answered."""

Outcomes = Callable[[VectorCache | None, int], Iterator[Outcome]]


class Case(NamedTuple):
    """
    A labelled case in a store.

    Attributes:
        group: The cases with the same are left out together.
        helps: Whether the store has a lesson that helps.
        counts: Whether it is among those by which the threshold is chosen, or counted.
        rows: The features of each lesson that may be shown.
        right: Whether each of them helps.
        weight: In the regression.
    """

    group: str
    helps: bool
    counts: bool
    rows: np.ndarray
    right: np.ndarray
    weight: float


class Best(NamedTuple):
    """The most likely lesson of a case, with its log-odds."""

    case: Case
    log_odds: float
    is_right: bool


class Fitted(NamedTuple):
    """Constant and weights, and the cases by weights of the other groups."""

    solution: np.ndarray
    best: Sequence[Best]

    def threshold(self, wrong: int) -> float:
        """Return the log-odds that *wrong* of the counted cases without a lesson exceed."""
        return self._without[wrong]

    def share(self, threshold: float, *, helps: bool) -> float:
        """Return the share of counted cases above *threshold*."""
        found = self._without if not helps else [case.log_odds for case in self._of(helps=True)]
        return sum(log_odds > threshold for log_odds in found) / len(found)

    @property
    def _without(self) -> list[float]:
        return sorted((case.log_odds for case in self._of(helps=False)), reverse=True)

    def _of(self, *, helps: bool) -> Iterator[Best]:
        return (found for found in self.best if found.case.counts and found.case.helps is helps)


def prompt_cases(cache: VectorCache | None, size: int) -> Iterator[Outcome]:
    """Yield the outcomes of all labelled prompts."""
    for entries, name in ((fresh_entries(), "fresh/prompts"), (lesson_entries(), "prompts")):
        prompts = _dev(items(f"{name}.jsonl"))
        for drawn in _draws([*entries], size):
            yield from prompt_outcomes(cache, {label: entries[label] for label in drawn}, prompts)


def moment_cases(name: str, ask: Ask, cache: VectorCache | None, size: int) -> Iterator[Outcome]:
    """Yield the outcomes of all labelled errors or edits."""
    for moments, entries in _moment_stores(name):
        for drawn in _draws([*entries], size):
            chosen = [entries[text] for text in drawn]
            yield from moment_outcomes(moments, chosen, ask, cache, HALVES[:1])


def _moment_stores(name: str) -> Iterator[tuple[Sequence[Item], Mapping[str, Entry]]]:
    moments, others = items(f"{name}.jsonl"), items(f"{name.removesuffix('s')}_lessons.jsonl")
    for prefix in sorted({lesson.get("set", "") for lesson in others}):
        mine = [moment for moment in moments if moment["id"].startswith(prefix)]
        lessons = (
            *(moment["lesson"] for moment in mine if moment["lesson"]),
            *(lesson for lesson in others if lesson.get("set", "") == prefix),
        )
        yield mine, {entry.entry_id: entry for entry in map(lesson_entry, lessons)}
    yield fresh_moments(name), {entry.entry_id: entry for entry in fresh_entries().values()}


def _draws(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for seed in range(STORES[size][1]):
        yield random.Random(100 * size + seed).sample(names, size) if size else names


def _dev(found: Iterable[Item]) -> list[Item]:
    return [item for item in found if item["half"] == HALVES[0]]


class Gate(NamedTuple):
    """
    How the weights of a model are fitted.

    Attributes:
        wrong: How many of the counted cases without a lesson may pass.
        counts_taken_out: Whether those whose lesson was taken out are counted.
        sizes: Of the stores that are asked, by `STORES`.
        most: How many lessons of a case are in the regression, best first.
    """

    outcomes: Outcomes
    semantic: bool
    wrong: int
    counts_taken_out: bool = True
    sizes: Sequence[int] = (*STORES,)
    most: int = MAX_SHOWN


_ERRORS: Outcomes = partial(moment_cases, "errors", ask_at_failure)
_EDITS: Outcomes = partial(moment_cases, "edits", ask_after_edit)
GATES = {
    "prompt": Gate(prompt_cases, semantic=True, wrong=4, counts_taken_out=False),
    "prompt by keywords": Gate(prompt_cases, semantic=False, wrong=3, counts_taken_out=False),
    "failure": Gate(_ERRORS, semantic=True, wrong=0, sizes=(0,), most=1),
    "edit": Gate(_EDITS, semantic=True, wrong=1),
    "edit by keywords": Gate(_EDITS, semantic=False, wrong=1),
}


def cases_of(gate: Gate, model: LikelihoodModel, cache: VectorCache) -> list[Case]:
    """Return the cases of *gate*, with the features of *model*."""
    found = list[Case]()
    for size in gate.sizes:
        weight, _ = STORES[size]
        for outcome in gate.outcomes(cache if gate.semantic else None, size):
            is_taken_out = not outcome.helpful and bool(_lessons(outcome.item))
            found.append(
                _case(
                    outcome,
                    model,
                    most=gate.most,
                    weight=weight,
                    counts=not size and (gate.counts_taken_out or not is_taken_out),
                )
            )
    return found


def _case(
    outcome: Outcome, model: LikelihoodModel, *, most: int, weight: float, counts: bool
) -> Case:
    weighed, names = outcome.weighed, [*model.weights]
    entries = weighed.contenders[:most] if weighed else ()
    wins = [entry.win(weighed.contest) for entry in entries] if weighed else []
    rows = [[win.features[name] for name in names] for win in wins if isinstance(win, Likelihood)]
    return Case(
        group=_group(outcome.item),
        helps=bool(outcome.helpful),
        counts=counts,
        rows=np.array(rows).reshape(len(rows), len(names)),
        right=np.array([entry.entry_id in outcome.all_helpful for entry in entries], dtype=float),
        weight=weight,
    )


def _lessons(item: Item) -> Sequence[object]:
    return item.get("lessons") or ([item["lesson"]] if item.get("lesson") else [])


def _group(item: Item) -> str:
    """Return the project of *item*, or its first lesson, or the prompt."""
    first = next(iter(item.get("lessons") or item.get("near") or ()), "")
    return str(item.get("project") or first or item.get("prompt"))


def fitted(cases: Sequence[Case], model: LikelihoodModel) -> Fitted:
    """Return the fit of *model* on *cases*, with the cross-validation."""
    scored = [_left_out_scores(cases, model, seed) for seed in range(REPETITIONS)]
    best = [
        _best(case, np.mean([scores[at] for scores in scored], axis=0))
        for at, case in enumerate(cases)
    ]
    return Fitted(_solution(cases, model), best)


def _left_out_scores(
    cases: Sequence[Case], model: LikelihoodModel, seed: int
) -> Sequence[np.ndarray]:
    """Return the log-odds of the lessons of each case, by weights of other groups."""
    folds = [zlib.crc32(f"{seed} {case.group}".encode()) % FOLDS for case in cases]
    solutions = {
        fold: _solution(
            [case for case, other in zip(cases, folds, strict=True) if other != fold], model
        )
        for fold in {*folds}
    }
    return [
        solutions[fold][0] + case.rows @ solutions[fold][1:]
        for case, fold in zip(cases, folds, strict=True)
    ]


def _solution(cases: Sequence[Case], model: LikelihoodModel) -> np.ndarray:
    rows, right = (
        np.concatenate([getattr(case, name) for case in cases]) for name in ("rows", "right")
    )
    weights = np.concatenate([np.full(len(case.rows), case.weight) for case in cases])
    kept = np.array([name in KEPT for name in model.weights])
    solution = np.concatenate([[0.0], np.array([*model.weights.values()]) * kept])
    free = rows[:, ~kept]
    mean, scale = free.mean(0), np.maximum(free.std(0), MIN_DEVIATION)
    found = regression(
        (free - mean) / scale, right, weights, ridge=RIDGE, offset=rows @ solution[1:]
    )
    solution[1:][~kept] = found[1:] / scale
    solution[0] = found[0] - mean @ solution[1:][~kept]
    return solution


def _best(case: Case, log_odds: np.ndarray) -> Best:
    if not len(log_odds):
        return Best(case, -math.inf, is_right=False)
    first = int(log_odds.argmax())
    return Best(case, float(log_odds[first]), bool(case.right[first]))


def lines(name: str, cache: VectorCache) -> Iterator[str]:
    """Yield constant and weights of the model *name*, and what other thresholds would give."""
    gate, model = GATES[name], MODELS[name]
    fit = fitted(cases_of(gate, model, cache), model)
    threshold = fit.threshold(gate.wrong)
    constant = fit.solution[0] - threshold + math.log(model.threshold / (1 - model.threshold))
    without = sum(case.counts and not case.helps for case, *_ in fit.best)
    helped = sum(case.counts and case.helps for case, *_ in fit.best)
    yield f"{name}: {len(fit.best)} cases, of whole stores {helped} with a lesson, {without} without"
    for feature, weight in zip(
        ("constant", *model.weights), (constant, *fit.solution[1:]), strict=True
    ):
        yield f"  {feature:11} {weight:6.2f}"
    limit = interval(gate.wrong, without)[1]
    yield f"left out: answered {fit.share(threshold, helps=True):.0%}, wrong {gate.wrong} (at most {limit:.1%})"
    answered = (fit.share(fit.threshold(int(share * without)), helps=True) for share in SHARES)
    yield "  wrong     " + "".join(f"{share:7.1%}" for share in SHARES)
    yield "  answered  " + "".join(f"{share:7.0%}" for share in answered)


def main() -> None:
    """Print the fits."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fit", description="Fit the gates' weights."
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(GATES)}")
    with vector_cache() as cache:
        for name in parser.parse_args().models or GATES:
            print(*lines(name, cache), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
