import datetime as dt
import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.filters import POLICIES, PolicyName
from hardwon.domain.model.injection.verify import recomputed as recomputed_of_receipt
from hardwon.domain.model.ranking.adaptive import passage_score
from hardwon.domain.model.ranking.candidates import (
    RankingFacts,
    RecallCandidate,
    RecallFacts,
    ScoreStatistics,
)
from hardwon.domain.model.ranking.collections import build_policy
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.policy import Parts, RankingContext, RecallPolicy, judge
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.entrypoints.presenters.answers import share_of_full
from tests.fakes.projects import working_in
from tests.strategies import DAY, NOW, cosines

HERE = working_in("here", "work", "main")
CONTEXT = RankingContext(
    size=3,
    vectors=ScoreStatistics.of([0.6, 0.2, 0.1]),
    closest=0.6,
    background=0.1,
    standardised=False,
    keywords=ScoreStatistics.of([3.0]),
    window=300,
    most_observed=1,
    workplace=HERE,
    now=NOW,
    limit=10,
    terms=("oauth", "callback"),
    decay=Decay(),
)
"""Three entries were searched: cosines 0.6, 0.2 and 0.1, and one holds a word of the question."""

FACTS = RecallFacts(
    ranking=RankingFacts(1, "a", None, 1, "medium", NOW, 0),
    kind="decision",
    project="here",
    workspace="work",
    branch=None,
    permanent=False,
    content_hash="x",
    words=50,
    tier="normal",
    importance_weight=0.5,
    created_at=NOW,
    anchor_id="",
)
OTHER_PROJECT = FACTS._replace(project="there")
ELSEWHERE = FACTS._replace(project="there", workspace="home")

keyword_scores = st.sampled_from([None, 0.5, 1.0, 3.0])


def policy(name: PolicyName, context: RankingContext = CONTEXT) -> RecallPolicy:
    return build_policy(name, context, SignalWeights())


def score(rule: RecallPolicy, candidate: RecallCandidate) -> float:
    found = rule.score(candidate)
    assert found is not None
    return found


def adaptive(context: RankingContext, *candidates: RecallCandidate) -> list[float]:
    return [round(score(policy("adaptive", context), candidate), 6) for candidate in candidates]


def test_adaptive_is_the_formula_it_names() -> None:
    mean, deviation = 0.3, math.sqrt((0.09 + 0.01 + 0.04) / 3)
    clarity = math.sqrt((0.6 - mean) / deviation / math.sqrt(2 * math.log(3)))
    words = (3.0 / math.sqrt(2)) ** 0.75

    assert adaptive(
        CONTEXT,
        RecallCandidate(FACTS, 0.6),
        RecallCandidate(FACTS, 0.2, 3.0),
        RecallCandidate(FACTS._replace(words=600), 0.6, 3.0),
    ) == [
        round(clarity * (0.6 - mean) / deviation, 6),
        round(clarity * (0.2 - mean) / deviation + 0.7 * words, 6),
        round(clarity * (0.6 - mean) / deviation * 0.5 + 0.7 * words - 0.6 * math.log(10), 6),
    ]


def test_the_rest_of_a_long_text_is_as_close_as_the_closest_text_as_far_as_words_match() -> None:
    mean, deviation = 0.3, math.sqrt((0.09 + 0.01 + 0.04) / 3)
    clarity = math.sqrt((0.6 - mean) / deviation / math.sqrt(2 * math.log(3)))
    long = FACTS._replace(words=600)
    others = 0.7 * (3.0 / math.sqrt(2)) ** 0.75 - 0.6 * math.log(10)

    for full, matched in ((4.8, 0.5), (1.2, 1.0), (0.6, 1.0)):
        context = CONTEXT._replace(keywords=CONTEXT.keywords._replace(full=full))
        meaning = clarity * (0.5 * (0.2 - mean) + 0.5 * matched * (0.6 - mean)) / deviation
        assert adaptive(context, RecallCandidate(long, 0.2, 3.0)) == [round(meaning + others, 6)]


def test_adaptive_gives_nothing_for_what_is_missing() -> None:
    unsearched = CONTEXT._replace(vectors=ScoreStatistics(), keywords=ScoreStatistics())
    alike = CONTEXT._replace(
        vectors=ScoreStatistics.of([0.5, 0.5]), keywords=ScoreStatistics.of([2.0] * 3)
    )

    assert adaptive(unsearched, RecallCandidate(FACTS)) == [0.0]
    assert adaptive(alike, RecallCandidate(FACTS, 0.5, 2.0)) == [0.0]
    assert adaptive(CONTEXT, RecallCandidate(FACTS)) == [0.0]
    assert adaptive(
        CONTEXT._replace(vectors=ScoreStatistics.of([0.5])), RecallCandidate(FACTS, 0.5)
    ) == [0.0]


@pytest.mark.parametrize(
    ("facts", "similarity", "days", "expected"),
    [
        (FACTS, 0.8, 0, 0.5 * 0.8 + 0.25 + 0.25),
        (FACTS, 0.8, 30, 0.5 * 0.8 + 0.25 * 0.5 + 0.25),
        (OTHER_PROJECT, 0.8, 0, 0.5 * 0.8 + 0.25 + 0.25 * 0.5),
        (ELSEWHERE, 0.8, 0, 0.5 * 0.8 + 0.25),
        (ELSEWHERE, -0.4, 0, 0.25),
        (FACTS._replace(permanent=True), 0.8, 0, 1.2 * (0.5 * 0.8 + 0.25 + 0.25)),
        (FACTS._replace(permanent=True), 1.0, 0, 1.2),
    ],
)
def test_affinity_is_the_weighted_sum_with_its_boost(
    facts: RecallFacts, similarity: float, days: int, expected: float
) -> None:
    aged = facts._replace(ranking=facts.ranking._replace(updated_at=NOW - days * DAY))

    assert score(policy("affinity"), RecallCandidate(aged, similarity)) == pytest.approx(expected)


def test_without_a_workspace_no_other_project_is_near() -> None:
    nowhere = CONTEXT._replace(workplace=working_in("here"))
    facts = OTHER_PROJECT._replace(workspace=None)

    assert score(policy("affinity", nowhere), RecallCandidate(facts, 0.0)) == pytest.approx(0.25)


def test_branch_then_touched_files_break_ties_of_affinity_only() -> None:
    newest = FACTS._replace(ranking=FACTS.ranking._replace(entry_id="c"))
    touched = FACTS._replace(ranking=FACTS.ranking._replace(entry_id="b"))
    same_branch = FACTS._replace(branch="main", ranking=FACTS.ranking._replace(entry_id="d"))
    candidates = [
        RecallCandidate(newest, 0.6),
        RecallCandidate(touched, 0.6, touched=2),
        RecallCandidate(same_branch, 0.6),
        RecallCandidate(FACTS, 0.6),
    ]

    def order(name: PolicyName) -> list[str]:
        return [
            judgement.candidate.facts.ranking.entry_id
            for judgement in judge(policy(name), candidates)
        ]

    assert order("affinity") == ["d", "b", "a", "c"]
    assert order("cosine") == order("adaptive") == ["a", "b", "c", "d"]


def test_cosine_is_clamped_and_leaves_out_what_has_no_vector() -> None:
    assert score(policy("cosine"), RecallCandidate(FACTS, -0.3)) == 0.0
    assert score(policy("cosine"), RecallCandidate(FACTS, 0.4)) == 0.4
    assert policy("cosine").score(RecallCandidate(FACTS, keyword=3.0)) is None


@pytest.mark.parametrize("name", ["cosine", "affinity"])
def test_without_a_semantic_search_the_keyword_score_is_used(name: PolicyName) -> None:
    by_word = CONTEXT._replace(vectors=ScoreStatistics(), keywords=ScoreStatistics.of([4.0, 3.0]))

    assert policy(name, by_word).parts(RecallCandidate(FACTS, keyword=3.0))[
        "similarity"
    ] == pytest.approx(0.75 * 0.9)


@given(
    name=st.sampled_from(POLICIES),
    vector=cosines,
    more=cosines,
    keyword=keyword_scores,
    words=st.integers(0, 900),
)
def test_no_policy_scores_lower_when_meaning_fits_better(
    name: PolicyName, vector: float, more: float, keyword: float | None, words: int
) -> None:
    facts, rule = FACTS._replace(words=words), policy(name)
    pair = [RecallCandidate(facts, value, keyword) for value in sorted([vector, more])]
    worse, better = map(rule.score, pair)

    assert (worse is None) == (better is None)
    assert worse is None or better is None or worse <= better


@given(name=st.sampled_from(POLICIES), vector=st.none() | cosines, words=st.integers(0, 900))
def test_no_policy_scores_lower_when_words_fit_better(
    name: PolicyName, vector: float | None, words: int
) -> None:
    facts, rule = FACTS._replace(words=words), policy(name)
    scores = [rule.score(RecallCandidate(facts, vector, keyword)) for keyword in (0.5, 1.0, 3.0)]

    known = [value for value in scores if value is not None]
    assert known == sorted(known)


bm25s = st.floats(0.01, 30)
LENGTHS = sorted({round(1.01**power) for power in range(1_200)})


def of_long_texts(full: float, window: int) -> RankingContext:
    statistics = ScoreStatistics.of([3.0, 1.0])._replace(full=full)
    return CONTEXT._replace(keywords=statistics, window=window)


@given(
    vector=cosines,
    bm25=bm25s,
    more=st.tuples(st.floats(0, 1), st.floats(0, 10)),
    words=st.integers(0, 50_000),
    full=st.floats(0, 20),
    window=st.integers(0, 2_500),
)
def test_adaptive_scores_no_text_of_any_length_above_its_upper_bound(
    *, vector: float, bm25: float, more: tuple[float, float], words: int, full: float, window: int
) -> None:
    rule = policy("adaptive", of_long_texts(full, window))
    better = RecallCandidate(FACTS, vector + more[0], bm25 + more[1])
    upper_bound = rule.upper_bound(better)

    assert upper_bound is not None
    assert (
        score(rule, RecallCandidate(FACTS._replace(words=words), vector, keyword=bm25))
        <= upper_bound
    )


@given(vector=cosines, bm25=bm25s, full=st.floats(0.5, 20), window=st.integers(60, 2_500))
def test_the_upper_bound_of_adaptive_is_the_score_at_some_length(
    vector: float, bm25: float, full: float, window: int
) -> None:
    rule = policy("adaptive", of_long_texts(full, window))
    scores = [
        score(rule, RecallCandidate(FACTS._replace(words=words), vector, keyword=bm25))
        for words in LENGTHS
    ]

    assert rule.upper_bound(RecallCandidate(FACTS, vector, bm25)) == pytest.approx(
        max(scores), abs=1e-3
    )


def recomputed(name: PolicyName, parts: Parts) -> float:
    """Return the score as the tables of the requirements have it, from the parts alone."""
    measured = {**parts}
    match name:
        case "hybrid":
            return sum(
                measured[f"{signal}_weight"] * measured[signal]
                for signal in ("vector", "keyword", "prominence")
            )
        case "affinity":
            weighted = (
                0.5 * measured["similarity"]
                + 0.25 * measured["recency"]
                + 0.25 * measured["project"]
            )
            return measured["boost"] * weighted
        case "context":
            found = 0.35 * measured["vector"] + 0.20 * measured["file"] + 0.20 * measured["branch"]
            return found + 0.15 * measured["recency"] + 0.10 * measured["keyword"]
        case "fused":
            found = 0.40 * measured["rrf"] / measured["best_rrf"] + 0.25 * measured["boost"] / 3
            return 100 * (found + 0.20 * measured["decay"] + 0.15 * measured["overlap"])
        case "adaptive":
            deviation = measured["cosine_deviation"] or 1
            z, best = (
                (measured[name] - measured["cosine_mean"]) / deviation
                for name in ("cosine", "cosine_best")
            )
            known = min(1, measured["window"] / max(measured["length"], 1))
            full = measured["evidence_full"]
            matched = math.sqrt(min(1, measured["evidence"] / (2.5 * full))) if full else 0.0
            meaning = (
                measured["clarity"]
                * measured["has_vector"]
                * (known * z + (1 - known) * matched * best)
            )
            words = math.pow(measured["evidence"] / (measured["evidence_deviation"] or 1), 0.75)
            return meaning + 0.7 * words - 0.6 * math.log(max(measured["length"], 60) / 60)
        case _:
            return sum(measured.values())


@given(
    name=st.sampled_from(POLICIES),
    vector=st.none() | cosines,
    keyword=keyword_scores,
    words=st.integers(0, 900),
    permanent=st.booleans(),
)
def test_every_score_can_be_computed_from_its_parts(
    name: PolicyName, vector: float | None, keyword: float | None, words: int, *, permanent: bool
) -> None:
    candidate = RecallCandidate(
        FACTS._replace(words=words, permanent=permanent), vector, keyword, 3, 4
    )
    rule = policy(name)

    if (score_of := rule.score(candidate)) is not None:
        assert recomputed(name, rule.parts(candidate)) == pytest.approx(score_of, abs=1e-9)
        if (by_receipt := recomputed_of_receipt(name, rule.parts(candidate))) is not None:
            assert by_receipt == pytest.approx(score_of, abs=1e-9)


@given(matched=st.floats(0.1, 10), unmatched=st.floats(0, 10), bm25=st.floats(0, 20))
def test_a_passage_score_is_half_when_a_quarter_of_the_question_is_there(
    matched: float, unmatched: float, bm25: float
) -> None:
    whole = passage_score(bm25, matched, matched)

    assert whole == pytest.approx(bm25 + matched)
    assert passage_score(bm25, matched, matched + unmatched) <= whole
    assert passage_score(bm25, matched, 4 * matched) == pytest.approx(whole / 2)


def test_ties_go_to_the_newest_then_to_the_smallest_id() -> None:
    @attrs.frozen
    class Named:
        name: str
        age: dt.timedelta

    named = [Named("b", DAY), Named("a", DAY), Named("c", 0 * DAY)]
    candidates = [
        RecallCandidate(
            FACTS._replace(
                ranking=FACTS.ranking._replace(entry_id=fact.name, updated_at=NOW - fact.age)
            ),
            0.6,
        )
        for fact in named
    ]

    judged = judge(policy("cosine"), candidates)
    assert [judgement.candidate.facts.ranking.entry_id for judgement in judged] == ["c", "a", "b"]


def test_of_entries_of_equal_score_the_own_projects_comes_first() -> None:
    own = FACTS._replace(ranking=FACTS.ranking._replace(entry_id="z"))
    candidates = [
        RecallCandidate(OTHER_PROJECT, 0.6, 1.0, 1, 1),
        RecallCandidate(own, 0.6, 1.0, 1, 1),
    ]

    for name in POLICIES:
        assert judge(policy(name), candidates)[0].candidate.facts.project == "here", name


def test_an_entry_that_waits_for_its_vector_is_found_by_word_in_affinity() -> None:
    waiting, embedded = RecallCandidate(FACTS, keyword=3.0), RecallCandidate(FACTS, 0.6)

    assert policy("affinity").parts(waiting)["similarity"] == 0.9
    assert score(policy("affinity"), waiting) > score(policy("affinity"), embedded)


@given(
    keyword=keyword_scores, name=st.sampled_from(["cosine", "affinity"]), is_searched=st.booleans()
)
def test_words_alone_never_make_a_full_similarity(
    keyword: float | None, name: PolicyName, *, is_searched: bool
) -> None:
    context = CONTEXT if is_searched else CONTEXT._replace(vectors=ScoreStatistics())
    best = context._replace(keywords=ScoreStatistics.of([keyword or 1.0]))

    assert policy(name, best).parts(RecallCandidate(FACTS, keyword=keyword))["similarity"] <= 0.9
    assert policy(name, CONTEXT).parts(RecallCandidate(FACTS, 1.0, keyword))["similarity"] == 1.0


@given(score_of=st.floats(-1, 200), name=st.sampled_from(POLICIES))
def test_keyword_only_results_are_never_shown_as_a_hundred_percent(
    score_of: float, name: PolicyName
) -> None:
    share, by_keyword = (
        share_of_full(score_of, name, by_keyword_only=only) for only in (False, True)
    )

    if share is not None:
        assert by_keyword == min(share, 0.99)
        assert f"{by_keyword:.0%}" != "100%"


def test_where_several_models_were_asked_a_similarity_is_the_share_of_the_best() -> None:
    standardised = CONTEXT._replace(vectors=ScoreStatistics.of([2.0, 1.0, -1.0]), standardised=True)

    for name in ("cosine", "affinity"):
        similarities = [
            policy(name, standardised).parts(RecallCandidate(FACTS, vector))["similarity"]
            for vector in (2.0, 1.0, -1.0)
        ]
        assert similarities == [1.0, 0.5, 0.0]
