import math
from typing import NamedTuple

from hardwon.domain.model.ranking.ranking_policy import share
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.evidence import Evidence
from hardwon.domain.model.recall.policy import Parts, PlainPolicy
from hardwon.domain.model.recall.relevance import relevance

KEYWORD_WEIGHT = 0.65
KEYWORD_POWER = 0.75
LENGTH_WEIGHT = 0.2
LONG = 100
"""Words; from here on a text collects words by chance."""


class Background(NamedTuple):
    """
    How the scores of one question are spread over all that was searched.

    Attributes:
        cosine_mean: The mean cosine, over what has a vector.
        cosine_deviation: Their population standard deviation.
        clarity: How far the best cosine exceeds what chance gives, 1 when it is just that.
        evidence_deviation: That of the keyword evidence; what holds no word counts as 0.
        window: About how many words of a text its vector knows.

    """

    cosine_mean: float
    cosine_deviation: float
    clarity: float
    evidence_deviation: float
    window: float


class AdaptivePolicy(PlainPolicy):
    """
    `adaptive`: each question sets its own balance between meaning and words.

    ::

        score   = meaning + 0.65 words - 0.2 ln(max(length, 100) / 100)
        meaning = clarity * (cosine - mean) / deviation * min(1, window / length)^2
        words   = (evidence / deviation)^0.75
        clarity = sqrt((best cosine - mean) / deviation / sqrt(2 ln N))

    Means and deviations are over everything that was searched, so a score tells how far an entry stands out
    from the background of this very question: rare exact words win by far, vague ones don't. Of N draws at
    random the best is expected at `sqrt(2 ln N)` deviations: meaning counts by how far it exceeds that. The
    vector of a long text knows only its beginning, the `window`. Constants were chosen on public sets and on
    sets made to be unlike them; `docs/quality.md` says how little each of them matters.

    Args:
        evidence: What the searches found as a whole.

    """

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence)
        vectors, keywords = evidence.vectors, evidence.keywords
        self.background = Background(
            cosine_mean=vectors.mean(vectors.found),
            cosine_deviation=vectors.deviation(vectors.found),
            clarity=_clarity(vectors),
            evidence_deviation=keywords.deviation(evidence.size),
            window=float(evidence.window),
        )

    def score(self, candidate: RecallCandidate) -> float:
        """Return the score; it has no bounds."""
        background, length = self.background, candidate.facts.words
        words = math.pow(_over(candidate.keyword or 0.0, background.evidence_deviation), KEYWORD_POWER)
        score = KEYWORD_WEIGHT * words - LENGTH_WEIGHT * math.log(max(length, LONG) / LONG)
        if candidate.vector is not None:
            standing_out = _over(candidate.vector - background.cosine_mean, background.cosine_deviation)
            heard = min(1.0, background.window / max(length, 1))
            score += background.clarity * standing_out * heard * heard
        return score

    def relevance(self, candidate: RecallCandidate) -> float:
        """Return how likely *candidate* answers; unlike the score, it can be compared between questions."""
        return relevance(candidate.closeness, self.evidence.background, self._matched(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return all that the formula reads; what is missing adds nothing: a cosine is then the mean."""
        return {
            "cosine": self.background.cosine_mean if candidate.vector is None else candidate.vector,
            "evidence": candidate.keyword or 0.0,
            "length": float(candidate.facts.words),
            **self.background._asdict(),
        }

    def _matched(self, candidate: RecallCandidate) -> float:
        return share(candidate.keyword, self.evidence.keywords.full)


def terms_of_parts(parts: Parts) -> list[tuple[str, float, float]]:
    """Return the terms that the score of *parts* is the sum of: name, weight and value."""
    words = math.pow(_over(parts["evidence"], parts["evidence_deviation"]), KEYWORD_POWER)
    standing_out = _over(parts["cosine"] - parts["cosine_mean"], parts["cosine_deviation"])
    heard = min(1.0, parts["window"] / max(parts["length"], 1))
    length = math.log(max(parts["length"], LONG) / LONG)
    return [
        ("meaning", parts["clarity"], standing_out * heard * heard),
        ("words", KEYWORD_WEIGHT, words),
        ("length", -LENGTH_WEIGHT, length),
    ]


def _clarity(vectors: Spread) -> float:
    best = _over(vectors.best - vectors.mean(vectors.found), vectors.deviation(vectors.found))
    return math.sqrt(max(0.0, best) / math.sqrt(2 * math.log(max(vectors.found, 2))))


def _over(value: float, deviation: float) -> float:
    return value / deviation if deviation > 0 else 0.0
