"""
The likelihoods that decide what is shown: one form, all weights in one table.

Each is a logistic regression::

    probability = 1 / (1 + exp(-x))        x = constant + the sum of weight * feature

`MODELS` has the weights, and where they come from; `python -m bench.fit` fits them again.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

CREDIT = "credit"
"""The part with the change by outcomes."""


def logistic(log_odds: float) -> float:
    """Return the probability, in `[0, 1]`, of *log_odds*."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


class Fit(NamedTuple):
    """
    How the weights of a model were found.

    Attributes:
        sets: The labelled sets, with their size.
        method: How weights and threshold were chosen.
        date: The day of the fit.
    """

    sets: str
    method: str
    date: str


class LikelihoodModel(NamedTuple):
    """
    A logistic regression.

    Attributes:
        weights: By the names of the features.
        threshold: The least probability that counts as likely.
        number: Receipts store it; a fit gets a new one.
    """

    constant: float
    weights: Mapping[str, float]
    threshold: float
    fit: Fit
    number: int

    def of(self, features: Mapping[str, float]) -> "Likelihood":
        """
        Return the likelihood with these *features*, ignoring others.

        Raises:
            KeyError: a feature is missing.
        """
        own = {name: features[name] for name in self.weights}
        return Likelihood(self, own, features.get(CREDIT, 0.0))

    def log_odds(self, features: Mapping[str, float], credit: float = 0.0) -> float:
        """Return the `x` of *features*, changed by *credit*."""
        own = [weight * features[name] for name, weight in self.weights.items()]
        return self.constant + math.fsum([*own, credit])

    def formula(self, spelt: Mapping[str, str]) -> str:
        """Return the formula for people and programs, features *spelt* as there."""
        terms = (f" + {weight} * {spelt.get(name, name)}" for name, weight in self.weights.items())
        return f"1 / (1 + exp(-({self.constant}{''.join(terms)})))"


class Likelihood(NamedTuple):
    """
    The probability that a model gives, with all that it depends on.

    Attributes:
        credit: The change of `x` by outcomes of the entry (`credit.py`), within a bound.

    Examples:
        >>> likely = MODELS["answer by keywords"].of({"words": 0.7})
        >>> round(likely.probability, 2), likely.is_likely
        (0.64, True)
        >>> likely.terms
        [('words', 6.7, 0.7)]
    """

    model: LikelihoodModel
    features: Mapping[str, float]
    credit: float = 0.0

    @property
    def constant(self) -> float:
        """The constant of `x`."""
        return self.model.constant

    @property
    def terms(self) -> list[tuple[str, float, float]]:
        """Name, weight and value of each term of `x` but the constant."""
        own = [(name, weight, self.features[name]) for name, weight in self.model.weights.items()]
        return [*own, (CREDIT, 1.0, self.credit)] if self.credit else own

    @property
    def log_odds(self) -> float:
        """The `x`."""
        return self.model.log_odds(self.features, self.credit)

    @property
    def probability(self) -> float:
        """The probability, monotone in each feature."""
        return logistic(self.log_odds)

    @property
    def is_likely(self) -> bool:
        """Whether the probability reaches the threshold."""
        return self.probability >= self.model.threshold

    @property
    def parts(self) -> dict[str, float]:
        """The features, the probability and the model's number, for a receipt."""
        return {
            **self.features,
            **({CREDIT: self.credit} if self.credit else {}),
            "probability": self.probability,
            "model": float(self.model.number),
        }


GATE_THRESHOLD = 0.9
"""Nine of ten entries shown without a query have to help."""

_BY_HAND = "by hand after a logistic regression"
_RIDGE = "python -m bench.fit: ridge logistic regression, threshold on what was left out in turn"

MODELS: Mapping[str, LikelihoodModel] = {
    "prompt": LikelihoodModel(
        number=9,
        constant=-2.83,
        weights={
            "closeness": 12.41,
            "words": 2.52,
            "lead": 0.68,
            "excess": -0.8,
            "quoted": 1.6,
            "breadth": -0.68,
            "asks": -0.82,
            "concludes": 0.94,
            "continues": -0.27,
            "products": -0.51,
        },
        threshold=GATE_THRESHOLD,
        fit=Fit(
            sets="prompts.jsonl, fresh/prompts.jsonl (dev): 224 with a lesson, 484 without",
            method=f"{_RIDGE}; 4 of those without pass, at most 2.1 %",
            date="2026-11-26",
        ),
    ),
    "prompt by keywords": LikelihoodModel(
        number=10,
        constant=-1.85,
        weights={
            "words": 5.55,
            "lead": 2.04,
            "excess": -1.0,
            "quoted": 2.6,
            "breadth": -0.55,
            "asks": -0.79,
            "concludes": 0.37,
            "continues": -0.54,
            "products": -0.25,
        },
        threshold=GATE_THRESHOLD,
        fit=Fit(
            sets="as for prompt",
            method=f"{_RIDGE}; 3 of those without pass, at most 1.8 %",
            date="2026-11-26",
        ),
    ),
    "failure": LikelihoodModel(
        number=17,
        constant=-6.5,
        weights={
            "closeness": 6.56,
            "salience": 4.0,
            "information": 0.63,
            "missing": -0.97,
            "command": -0.67,
            "named": 1.46,
            "signed": 8.0,
        },
        threshold=GATE_THRESHOLD,
        fit=Fit(
            sets="errors.jsonl, fresh/errors.jsonl (dev): 128 with a lesson, 233 without",
            method=f"{_RIDGE}; whole stores, first lessons; none of those without passes",
            date="2026-11-26",
        ),
    ),
    "edit": LikelihoodModel(
        number=18,
        constant=-3.41,
        weights={
            "closeness": 10.22,
            "lead": 0.64,
            "excess": -0.8,
            "breadth": -0.68,
            "information": 0.91,
            "name": 0.57,
            "named": 2.67,
        },
        threshold=GATE_THRESHOLD,
        fit=Fit(
            sets="edits.jsonl, fresh/edits.jsonl (dev): 68 with a lesson, 157 without",
            method=f"{_RIDGE}; 1 of those without passes",
            date="2026-11-26",
        ),
    ),
    "edit by keywords": LikelihoodModel(
        number=19,
        constant=-2.37,
        weights={
            "lead": 2.06,
            "excess": -1.0,
            "breadth": -0.55,
            "information": 1.2,
            "name": 1.26,
            "named": 2.93,
        },
        threshold=GATE_THRESHOLD,
        fit=Fit(
            sets="as for edit",
            method="as for edit",
            date="2026-11-26",
        ),
    ),
    "answer": LikelihoodModel(
        number=4,
        constant=-3.1,
        weights={"closeness": 5.1, "background": 15.0, "words": 1.6},
        threshold=0.5,
        fit=Fit(
            sets="til-jbranchaud, cranfield, beam-dialogue, nonsense.txt; 5 to 2,000 entries",
            method="logistic regression of answers, scaled by one of hits; threshold at 0.5",
            date="2026-11-22",
        ),
    ),
    "answer by keywords": LikelihoodModel(
        number=5,
        constant=-4.1,
        weights={"words": 6.7},
        threshold=0.5,
        fit=Fit(sets="as for answer", method="as for answer", date="2026-11-22"),
    ),
    "start": LikelihoodModel(
        number=14,
        constant=-5.3,
        weights={"closeness": 6.9, "words": 0.76, "subjects": 2.9},
        threshold=0.2,
        fit=Fit(
            sets="starts.jsonl, scenarios.jsonl (dev, 19 starts); all lessons, draws of 100 to 12",
            method="logistic regression; a missed lesson costs four needless ones",
            date="2026-11-26",
        ),
    ),
    "start by keywords": LikelihoodModel(
        number=15,
        constant=-4.5,
        weights={"words": 0.76, "matched": 3.5, "subjects": 3.7},
        threshold=0.2,
        fit=Fit(sets="as for start", method="as for start", date="2026-11-26"),
    ),
    "start by meaning": LikelihoodModel(
        number=16,
        constant=-5.0,
        weights={"closeness": 8.7, "subjects": 4.2},
        threshold=0.2,
        fit=Fit(sets="as for start", method="as for start", date="2026-11-26"),
    ),
    "successor": LikelihoodModel(
        number=8,
        constant=-6.9,
        weights={"cosine": 9.5, "named": 1.0, "change": 1.0, "past": 1.2},
        threshold=0.9,
        fit=Fit(
            sets="pairs.jsonl (dev, 111 pairs), all pairs of lessons.jsonl",
            method=_BY_HAND,
            date="2026-11-24",
        ),
    ),
}
"""By what they are the likelihood of."""

MODELS_BY_NUMBER = {model.number: model for model in MODELS.values()}
"""Receipts of earlier fits have other numbers."""


def model_of(sort: str, *, semantic: bool) -> LikelihoodModel:
    """Return the model of this *sort*, for keyword search alone if there is one."""
    by_keywords = None if semantic else MODELS.get(f"{sort} by keywords")
    return by_keywords or MODELS[sort]
