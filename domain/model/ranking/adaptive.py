import math
from typing import NamedTuple

from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import share
from hardwon.domain.model.ranking.relevance import relevance
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics

DELTA = 1.0
"""What a matched word adds at least, as a multiple of its idf: BM25+ (Lv & Zhai 2011)."""


def passage_score(bm25: float, matched: float, asked: float) -> float:
    """
    Return the score of a passage: its BM25+, less where words of the query are missing.

    `sqrt(matched / asked) * (bm25 + matched)`: a passage that holds one rare word of many is no
    answer yet, however rare the word.

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
"""Words; from here on a text collects words by chance."""

FULL_MATCH = 2.5
"""Times the least BM25 score of a passage that holds all words: one that is about nothing else."""


class Background(NamedTuple):
    """
    Statistics of the scores of one question over all that was searched; the names are those of printed formulas.

    Attributes:
        cosine_mean: The mean cosine, over what has a vector.
        cosine_deviation: Their population standard deviation.
        cosine_best: The highest cosine.
        clarity: How far the best cosine exceeds what chance gives, 1 when it is just that.
        evidence_deviation: Standard deviation of the BM25 scores; an entry that holds no word counts as 0.
        evidence_full: The least BM25 score of a passage that holds all words, 0 when it is not known.
        window: About how many words of a text its vector knows.

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
    `adaptive`: each question sets its own balance between meaning and words.

    ::

        score   = meaning + 0.7 words - 0.6 ln(max(length, 60) / 60)
        meaning = clarity * (known z(cosine) + (1 - known) matched z(best cosine))
        z(x)    = (x - mean) / deviation
        known   = min(1, window / length)
        matched = sqrt(min(1, bm25 / (2.5 full)))
        words   = (bm25 / deviation)^0.75
        clarity = sqrt(z(best cosine) / sqrt(2 ln N))

    Means and deviations are over everything that was searched, so a score is made of z-scores
    against the background of this very question: rare exact words win by far, vague ones don't. Of N draws at
    random the best is expected at `sqrt(2 ln N)` deviations: meaning counts by how far it exceeds that. The
    vector of a long text knows only its beginning, the `window`; the rest is taken to be as close as the closest
    text, as far as the words of its best passage match. Constants were chosen on public sets and on
    sets made to be unlike them; `docs/quality.md` says how little each of them matters.

    Args:
        context: What the searches found as a whole.

    """

    def __init__(self, context: RankingContext) -> None:
        super().__init__(context)
        vectors, keywords = context.vectors, context.keywords
        self.background = Background(
            cosine_mean=vectors.mean(vectors.found),
            cosine_deviation=vectors.deviation(vectors.found),
            cosine_best=vectors.best,
            clarity=_clarity(vectors),
            evidence_deviation=keywords.deviation(context.size),
            evidence_full=keywords.full,
            window=float(context.window),
        )

    def score(self, candidate: RecallCandidate) -> float:
        """Return the score; it has no bounds."""
        return sum(weight * value for _, weight, value in terms_of_parts(self.parts(candidate)))

    def upper_bound(self, candidate: RecallCandidate) -> float:
        """Return the score of an entry of the most favourable length: short, or so long that only its words are known."""
        background, bm25 = self.background, candidate.keyword or 0.0
        meaning = 0.0
        if candidate.vector is not None:
            unknown = _matched(bm25, background.evidence_full) * _z(background.cosine_best, background)
            meaning = background.clarity * max(_z(candidate.vector, background), unknown, 0.0)
        return meaning + KEYWORD_WEIGHT * _words(bm25, background.evidence_deviation)

    def relevance(self, candidate: RecallCandidate) -> float:
        """Return how likely *candidate* answers; unlike the score, it can be compared between questions."""
        return relevance(candidate.closeness, self.context.background, self._share_of_words(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return all that the formulas of score and relevance read; an entry without a vector has no closeness."""
        has_vector = candidate.vector is not None
        return {
            "cosine": self.background.cosine_mean if candidate.vector is None else candidate.vector,
            "has_vector": float(has_vector),
            "evidence": candidate.keyword or 0.0,
            "length": float(candidate.facts.words),
            **self.background._asdict(),
            "closeness": candidate.closeness or 0.0,
            "background": self.context.background,
            "matched": self._share_of_words(candidate),
        }

    def _share_of_words(self, candidate: RecallCandidate) -> float:
        return share(candidate.keyword, self.context.keywords.full)


def terms_of_parts(parts: Parts) -> list[tuple[str, float, float]]:
    """
    Return the terms that the score of *parts* is the sum of: name, weight and value.

    Raises:
        KeyError: a part is missing.
    """
    background = Background(**{name: parts[name] for name in Background._fields})
    length, bm25 = parts["length"], parts["evidence"]
    meaning = 0.0
    if parts["has_vector"]:
        known = min(1.0, background.window / max(length, 1))
        unknown = _matched(bm25, background.evidence_full) * _z(background.cosine_best, background)
        meaning = known * _z(parts["cosine"], background) + (1 - known) * unknown
    return [
        ("meaning", background.clarity, meaning),
        ("words", KEYWORD_WEIGHT, _words(bm25, background.evidence_deviation)),
        ("length", -LENGTH_WEIGHT, math.log(max(length, LONG) / LONG)),
    ]


def _z(cosine: float, background: Background) -> float:
    return _over(cosine - background.cosine_mean, background.cosine_deviation)


def _words(bm25: float, deviation: float) -> float:
    return math.pow(_over(bm25, deviation), KEYWORD_POWER)


def _matched(bm25: float, full: float) -> float:
    return math.sqrt(min(1.0, _over(bm25, FULL_MATCH * full)))


def _clarity(vectors: ScoreStatistics) -> float:
    best = _over(vectors.best - vectors.mean(vectors.found), vectors.deviation(vectors.found))
    return math.sqrt(max(0.0, best) / math.sqrt(2 * math.log(max(vectors.found, 2))))


def _over(value: float, deviation: float) -> float:
    return value / deviation if deviation > 0 else 0.0
