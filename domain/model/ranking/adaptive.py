"""
The policy `adaptive`: z-scores of cosine and BM25, per question.

Its relevance is the likelihood (`likelihood.py`) that an entry answers a question, comparable
between questions, stores and models. `closeness` is the entry's similarity to the question,
`background` the mean closeness of everything stored: about 0 for a question about other subjects.
`words` is the root of `matched`, the share of the question's words, weighted by rarity, that the
entry's best passage holds. `docs/measurements-of-quality.md` says how well it is calibrated.
"""

import math
from typing import NamedTuple

from hardwon.domain.model.likelihood import MODELS, logistic, model_of
from hardwon.domain.model.ranking.candidates import RecallCandidate, ScoreStatistics
from hardwon.domain.model.ranking.policy import Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import share

DELTA = 1.0
"""
Lower bound of a matched word's weight, as a multiple of its idf.

BM25+ (Lv & Zhai 2011).
"""


def passage_score(bm25: float, matched: float, asked: float) -> float:
    """
    Return the BM25+ of a passage, reduced for missing words.

    `sqrt(matched / asked) * (bm25 + matched)`: a passage with one rare word of many is no answer
    yet, however rare the word.

    Args:
        bm25: The passage's BM25 for the words of the query, at least 0.
        matched: The sum of the inverse document frequencies of the query's words in it, above 0.
        asked: The same sum over all words of the query.
    """
    return math.sqrt(matched / asked) * (bm25 + DELTA * matched)


KEYWORD_WEIGHT = 0.7
KEYWORD_POWER = 0.75
LENGTH_WEIGHT = 0.6
LONG = 60
"""Words. A longer text matches words by chance."""

ROUNDING = 1e-9
"""The error of an upper bound is smaller."""

SUBJECTS_WEIGHT = 5.0
FULL_MATCH = 2.5
"""The multiple of the least full-match BM25 score that counts as whole."""


class QuestionStatistics(NamedTuple):
    """
    Score statistics of one question over everything searched.

    Receipts store them by these names.

    Attributes:
        clarity: The ratio of the best cosine's z-score to that expected by chance.
        evidence_deviation: Standard deviation of the BM25 scores; an entry without a match counts
            as 0.
        evidence_full: The least BM25 score of a passage with all words, 0 when unknown.
        window: About how many words of a text its vector covers.
    """

    cosine_mean: float
    cosine_deviation: float
    cosine_best: float
    clarity: float
    evidence_deviation: float
    evidence_full: float
    window: float


class AdaptivePolicy(RecallPolicy):
    """
    `adaptive`: balances semantic and keyword search by the score statistics of each question.

    ::

        score   = meaning + 0.7 words - 0.6 ln(max(length, 60) / 60)
        meaning = clarity * (known z(cosine) + (1 - known) matched z(best cosine))
        z(x)    = (x - mean) / deviation
        known   = min(1, window / length)
        matched = sqrt(min(1, bm25 / (2.5 full)))
        words   = (bm25 / deviation)^0.75
        clarity = sqrt(z(best cosine) / sqrt(2 ln N))

    Means and deviations are over everything searched, so rare exact words win by far, vague ones
    don't. The best of N random draws is expected at `sqrt(2 ln N)` deviations: `clarity` compares
    with that. The vector of a long text covers only its beginning, the `window`; the rest is
    assumed as close as the closest text, in proportion to the keyword match of its best passage.
    The constants were chosen on public and on dissimilar synthetic sets; `docs/measurements-of-quality.md` has
    their sensitivity.
    """

    def __init__(self, context: RankingContext) -> None:
        super().__init__(context)
        vectors, keywords = context.vectors, context.keywords
        self.background = QuestionStatistics(
            cosine_mean=vectors.mean(vectors.found),
            cosine_deviation=vectors.deviation(vectors.found),
            cosine_best=vectors.best,
            clarity=_clarity(vectors),
            evidence_deviation=keywords.deviation(context.size),
            evidence_full=keywords.full,
            window=float(context.window),
        )

    def score(self, candidate: RecallCandidate) -> float:
        """Return the score, which is unbounded."""
        bm25, length = candidate.keyword or 0.0, float(candidate.facts.words)
        terms = _terms(self.background, candidate.vector, bm25=bm25, length=length)
        return sum(weight * value for _, weight, value in terms)

    def upper_bound(self, candidate: RecallCandidate) -> float:
        """
        Return the score at the most favourable length.

        That is a short one, or the one at which the assumed rest gains no more than the length
        costs.
        """
        background, bm25 = self.background, candidate.keyword or 0.0
        words = KEYWORD_WEIGHT * self._word_score(bm25) + ROUNDING
        if candidate.vector is None:
            return words
        near, far = _z(candidate.vector, background), _assumed(background, bm25)
        gain = background.clarity * (far - near)
        lengths = (1.0, max(LONG, gain * background.window / LENGTH_WEIGHT))
        return words + max(
            background.clarity * _meaning(background, near, far=far, length=length)
            - LENGTH_WEIGHT * _excess(length)
            for length in lengths
        )

    def relevance(self, candidate: RecallCandidate) -> float:
        """
        Return the probability that *candidate* answers.

        Unlike the score, it is comparable between questions.
        """
        matched = self._matched_share(candidate)
        return relevance(
            candidate.closeness, self.context.background, matched, is_held=candidate.holds_all
        )

    def parts(self, candidate: RecallCandidate) -> Parts:
        """
        Return all inputs of the formulas of score and relevance.

        An entry without a vector has no closeness.
        """
        has_vector = candidate.vector is not None
        return {
            "cosine": self.background.cosine_mean if candidate.vector is None else candidate.vector,
            "has_vector": float(has_vector),
            "evidence": candidate.keyword or 0.0,
            "length": float(candidate.facts.words),
            **self.background._asdict(),
            "closeness": candidate.closeness or 0.0,
            "background": self.context.background,
            "matched": self._matched_share(candidate),
            "held": float(candidate.holds_all),
        }

    def _word_score(self, bm25: float) -> float:
        return word_score(bm25, self.background.evidence_deviation)

    def _matched_share(self, candidate: RecallCandidate) -> float:
        return share(candidate.keyword, self.context.keywords.full)


class PresentWorkPolicy(AdaptivePolicy):
    """
    `adaptive` for a session that starts.

    Its relevance is the likelihood that a lesson matters to the present work. That is no question:
    a lesson that matters has few of its words, but most often its subject. So the score has a term
    more: `5 subjects`.
    """

    def score(self, candidate: RecallCandidate) -> float:
        """Return the score, which is unbounded."""
        return super().score(candidate) + SUBJECTS_WEIGHT * candidate.subjects

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return all inputs of the formulas."""
        return {**super().parts(candidate), "subjects": candidate.subjects}

    def relevance(self, candidate: RecallCandidate) -> float:
        """Return the probability that *candidate* matters."""
        features = {
            "closeness": candidate.closeness or 0.0,
            "words": self._word_score(candidate.keyword or 0.0),
            "matched": math.sqrt(min(MAX_MATCHED, self._matched_share(candidate))),
            "subjects": candidate.subjects,
        }
        sort = "start" if self.context.keywords.found else "start by meaning"
        return model_of(sort, semantic=candidate.closeness is not None).of(features).probability


def terms_of_parts(parts: Parts) -> list[tuple[str, float, float]]:
    """
    Return the terms whose sum is the score.

    Raises:
        KeyError: a part is missing.
    """
    background = QuestionStatistics(**{name: parts[name] for name in QuestionStatistics._fields})
    cosine = parts["cosine"] if parts["has_vector"] else None
    terms = _terms(background, cosine, bm25=parts["evidence"], length=parts["length"])
    if "subjects" in parts:
        terms.append(("subjects", SUBJECTS_WEIGHT, parts["subjects"]))
    return terms


def _terms(
    background: QuestionStatistics, cosine: float | None, *, bm25: float, length: float
) -> list[tuple[str, float, float]]:
    meaning = 0.0
    if cosine is not None:
        near, far = _z(cosine, background), _assumed(background, bm25)
        meaning = _meaning(background, near, far=far, length=length)
    return [
        ("meaning", background.clarity, meaning),
        ("words", KEYWORD_WEIGHT, word_score(bm25, background.evidence_deviation)),
        ("length", -LENGTH_WEIGHT, _excess(length)),
    ]


def _meaning(background: QuestionStatistics, near: float, *, far: float, length: float) -> float:
    covered = min(1.0, background.window / max(length, 1))
    return covered * near + (1 - covered) * far


def _assumed(background: QuestionStatistics, bm25: float) -> float:
    """Return the z-score that is assumed for what the vector does not cover."""
    return _matched(bm25, background.evidence_full) * _z(background.cosine_best, background)


def _excess(length: float) -> float:
    return math.log(max(length, LONG) / LONG)


MAX_MATCHED = 1.0
"""Upper bound of `matched`: repeating the words of a question adds nothing."""

HELD = 0.51
"""
Least relevance of an entry that holds all of a precise question.

It is above the threshold.
"""

_SPELT = {"words": "min(1, matched) ** 0.5"}
FORMULA = (
    f"min(cap, max({HELD} * held, {MODELS['answer'].formula(_SPELT)} if has_vector else"
    f" {MODELS['answer by keywords'].formula(_SPELT)}))"
)
"""
The formula for people and programs, in the names of the parts.

`cap` is the lowest relevance of earlier answers, 1 first.
"""


def relevance(
    closeness: float | None, background: float, matched: float, *, is_held: bool = False
) -> float:
    """
    Return the probability that an entry answers.

    Args:
        closeness: To the question, as `ScoreStatistics.closeness` gives it; None without a vector.
        background: The mean closeness of everything searched.
        matched: Its BM25 score over the least of a full match, 0 when no word matches.
        is_held: Whether it has all that a precise question asks for: then it is at least 0.51.

    Returns:
        A value in `[0, 1]`, monotone in *closeness* and *matched*.
    """
    features = {"words": math.sqrt(min(max(matched, 0.0), MAX_MATCHED))}
    model = MODELS["answer by keywords"]
    if closeness is not None:
        features.update(closeness=closeness, background=background)
        model = MODELS["answer"]
    return max(HELD if is_held else 0.0, logistic(model.log_odds(features)))


def _z(cosine: float, background: QuestionStatistics) -> float:
    return _ratio(cosine - background.cosine_mean, background.cosine_deviation)


def word_score(bm25: float, deviation: float) -> float:
    """Return the score for words of an entry with that *bm25*: its deviations, dampened."""
    return math.pow(_ratio(bm25, deviation), KEYWORD_POWER)


def _matched(bm25: float, full: float) -> float:
    return math.sqrt(min(1.0, _ratio(bm25, FULL_MATCH * full)))


def _clarity(vectors: ScoreStatistics) -> float:
    best = _ratio(vectors.best - vectors.mean(vectors.found), vectors.deviation(vectors.found))
    return math.sqrt(max(0.0, best) / math.sqrt(2 * math.log(max(vectors.found, 2))))


def _ratio(value: float, deviation: float) -> float:
    return value / deviation if deviation > 0 else 0.0
