import datetime as dt
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.ranking.candidates import (
    RankingFacts,
    RecallCandidate,
    RecallFacts,
    ScoreStatistics,
)
from hardwon.domain.model.ranking.collections import FusedPolicy
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.policy import RankingContext, judge
from hardwon.domain.model.vocabulary import TIERS
from hardwon.entrypoints.presenters.answers import FORMULAS
from tests.fakes.projects import working_in
from tests.strategies import DAY, NOW, ages

CONTEXT = RankingContext(
    size=30,
    vectors=ScoreStatistics.of([0.6, 0.2]),
    closest=0.6,
    background=0.1,
    standardised=False,
    keywords=ScoreStatistics.of([3.0, 1.0]),
    window=300,
    most_observed=1,
    workplace=working_in("here"),
    now=NOW,
    limit=10,
    terms=("oauth", "callback", "retry", "lock"),
    decay=Decay(),
)
"""Both searches found something; ten answers are wanted, so twenty places of each list count."""

BY_WORD_ONLY = CONTEXT._replace(vectors=ScoreStatistics(), closest=0.0)

FACTS = RecallFacts(
    ranking=RankingFacts(1, "a", None, 1, "medium", NOW, 0),
    kind="document",
    project="here",
    workspace=None,
    branch=None,
    permanent=False,
    content_hash="x",
    words=50,
    tier="normal",
    importance_weight=0.5,
    created_at=NOW,
    anchor_id="",
)

places = st.none() | st.integers(1, 25)
facts_of_any_worth = st.builds(
    FACTS._replace,
    tier=st.sampled_from(TIERS),
    importance_weight=st.sampled_from([0.0, 0.5, 1.0]),
    permanent=st.booleans(),
    created_at=ages.map(lambda age: NOW - 4 * age),
    anchor_id=st.sampled_from(
        ["", "oauth", "oauth-callback", "lock_retry callback OAuth", "other"]
    ),
)
contexts = st.builds(
    CONTEXT._replace,
    limit=st.integers(1, 12),
    terms=st.sampled_from([(), CONTEXT.terms]),
    decay=st.sampled_from([Decay(), Decay(mode="rates"), Decay(enabled=False), Decay(floor=0.0)]),
).map(lambda context: context._replace(closest=0.6 if context.vectors.found else 0.0))


def found_at(
    vector: int | None, keyword: int | None, facts: RecallFacts = FACTS, closeness: float = 0.6
) -> RecallCandidate:
    """Return an entry found at these places; what the searches say besides does not matter."""
    return RecallCandidate(
        facts,
        0.6 if vector else None,
        3.0 if keyword else None,
        vector,
        keyword,
        closeness=closeness if vector else None,
    )


def parts_of(candidate: RecallCandidate, context: RankingContext = CONTEXT) -> Mapping[str, float]:
    return FusedPolicy(context).parts(candidate)


def score_of(candidate: RecallCandidate, context: RankingContext = CONTEXT) -> float | None:
    return FusedPolicy(context).score(candidate)


@pytest.mark.parametrize(
    ("vector", "keyword", "rrf", "points"),
    [
        (1, 1, 2 / 61, 40.0),
        (1, None, 1 / 61, 20.0),
        (None, 1, 1 / 61, 20.0),
        (2, 5, 1 / 62 + 1 / 65, 38.44665),
    ],
)
def test_the_first_of_both_lists_has_two_sixty_firsts_and_all_forty_points(
    vector: int | None, keyword: int | None, rrf: float, points: float
) -> None:
    parts = parts_of(found_at(vector, keyword))

    assert parts["rrf"] == pytest.approx(rrf, abs=1e-12)
    assert (parts["vector_rank"], parts["keyword_rank"]) == (vector or 0, keyword or 0)
    assert 100 * 0.40 * parts["rrf"] / parts["best_rrf"] == pytest.approx(points, abs=1e-5)


def test_where_one_search_found_nothing_the_first_of_the_other_has_all_forty_points() -> None:
    parts = parts_of(found_at(None, 1), BY_WORD_ONLY)

    assert parts["rrf"] == parts["best_rrf"] == 1 / 61


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (FACTS, 40 + 25 / 3 + 20),
        (FACTS._replace(tier="constitutional"), 85),
        (
            FACTS._replace(tier="critical", anchor_id="oauth-callback/retry.lock"),
            40 + 25 * 2 / 3 + 20 + 15,
        ),
        (FACTS._replace(tier="constitutional", anchor_id="lock retry callback oauth"), 100),
        (FACTS._replace(created_at=NOW - 90 * DAY), 40 + 25 / 3 + 10),
        (FACTS._replace(created_at=NOW - 90 * DAY, importance_weight=1.0), 40 + 25 / 3 + 20),
        (FACTS._replace(created_at=NOW - 90 * DAY, permanent=True), 40 + 25 / 3 + 20),
        (FACTS._replace(created_at=NOW - 90 * DAY, tier="important"), 40 + 12.5 + 20),
        (FACTS._replace(created_at=NOW + 90 * DAY, tier="temporary"), 40 + 12.5 / 3 + 20),
        (
            FACTS._replace(created_at=NOW - 900 * DAY, anchor_id="OAuth callback"),
            40 + 25 / 3 + 2 + 7.5,
        ),
    ],
)
def test_a_score_is_the_sum_of_four_parts_of_a_hundred(facts: RecallFacts, expected: float) -> None:
    assert score_of(found_at(1, 1, facts)) == pytest.approx(expected)


def test_a_perfect_critical_entry_reaches_ninety_two() -> None:
    perfect = FACTS._replace(tier="critical", anchor_id=" ".join(CONTEXT.terms))

    assert round(score_of(found_at(1, 1, perfect)) or 0.0) == 92


def test_without_decay_age_makes_no_difference() -> None:
    ageless = CONTEXT._replace(decay=Decay(enabled=False))
    scores = {
        score_of(found_at(1, 1, FACTS._replace(created_at=NOW - days * DAY)), ageless)
        for days in (0, 90, 900)
    }

    assert len(scores) == 1


@pytest.mark.parametrize(
    ("anchor_id", "overlap"),
    [
        ("", 0),
        ("oauth-callback", 0.5),
        ("OAuth_callback_OAuth", 0.5),
        ("oauthcallback", 0),
        ("lock", 0.25),
    ],
)
def test_overlap_is_the_share_of_the_questions_words_in_the_anchor(
    anchor_id: str, overlap: float
) -> None:
    candidate = found_at(1, 1, FACTS._replace(anchor_id=anchor_id))

    assert parts_of(candidate)["overlap"] == overlap
    assert parts_of(candidate, CONTEXT._replace(terms=()))["overlap"] == 0


def test_only_twice_as_many_places_of_each_list_count_as_answers_are_wanted() -> None:
    policy = FusedPolicy(CONTEXT)

    assert policy.places == 20
    assert policy.score(found_at(20, None)) is not None
    assert policy.score(found_at(21, 21)) is None
    assert policy.score(found_at(None, None)) is None
    assert policy.parts(found_at(1, 21)) == policy.parts(found_at(1, None))


@given(context=contexts, facts=facts_of_any_worth, vector=places, keyword=places)
def test_every_score_is_what_the_formula_makes_of_the_parts(
    context: RankingContext, facts: RecallFacts, vector: int | None, keyword: int | None
) -> None:
    candidate = found_at(vector if context.vectors.found else None, keyword, facts)
    score = score_of(candidate, context)

    if score is not None:
        recomputed = eval(FORMULAS["fused"], {"__builtins__": {}}, {**parts_of(candidate, context)})  # noqa: S307  # a formula of ours
        assert score == pytest.approx(recomputed, abs=1e-9)
        assert 0 <= score <= 100 + 1e-9


@given(
    context=contexts,
    facts=facts_of_any_worth,
    vector=places,
    keyword=places,
    better=st.integers(1, 25),
)
def test_a_better_place_never_lowers_a_score(
    context: RankingContext,
    facts: RecallFacts,
    vector: int | None,
    keyword: int | None,
    better: int,
) -> None:
    before = score_of(found_at(vector, keyword, facts), context)
    risen = [
        found_at(_nearer(vector, better), keyword, facts),
        found_at(vector, _nearer(keyword, better), facts),
    ]

    for candidate in risen:
        after = score_of(candidate, context)
        assert before is None or (after is not None and after >= before)


def _nearer(place: int | None, other: int) -> int:
    return other if place is None else min(place, other)


@given(context=contexts, facts=facts_of_any_worth, younger=ages, vector=places, keyword=places)
def test_facts_in_favour_of_an_entry_never_lower_its_score(
    context: RankingContext,
    facts: RecallFacts,
    younger: dt.timedelta,
    vector: int | None,
    keyword: int | None,
) -> None:
    in_favour = [
        facts._replace(created_at=max(facts.created_at, NOW - younger)),
        facts._replace(permanent=True),
        facts._replace(importance_weight=1.0),
        facts._replace(anchor_id=" ".join(context.terms)),
        facts._replace(tier="constitutional"),
        facts._replace(
            tier="constitutional",
            created_at=NOW,
            permanent=True,
            importance_weight=1.0,
            anchor_id="oauth callback retry lock",
        ),
    ]
    before = score_of(found_at(vector, keyword, facts), context)

    for better in in_favour:
        after = score_of(found_at(vector, keyword, better), context)
        assert (before is None) == (after is None)
        assert before is None or after is None or after >= before


@given(question=st.text())
@example("\u0e33\u0e01")  # of three letters, two signs
@example("\u5b66\u7684\u4e60")  # with a function word
def test_a_question_as_its_own_anchor_overlaps_wholly(question: str) -> None:
    terms = search_terms(question)
    overlap = parts_of(
        found_at(1, 1, FACTS._replace(anchor_id=question)), CONTEXT._replace(terms=terms)
    )["overlap"]
    assert overlap == (1.0 if terms else 0.0)


def test_of_entries_of_equal_score_the_newest_comes_first_then_the_smallest_id() -> None:
    def named(name: str, age: int) -> RecallCandidate:
        return found_at(
            1,
            1,
            FACTS._replace(
                ranking=FACTS.ranking._replace(entry_id=name, updated_at=NOW - age * DAY)
            ),
        )

    judged = judge(FusedPolicy(CONTEXT), [named("c", 1), named("b", 1), named("d", 0)])

    assert [judgement.candidate.facts.ranking.entry_id for judgement in judged] == ["d", "b", "c"]


@pytest.mark.parametrize(("closeness", "counts"), [(0.25, True), (0.249, False)])
def test_a_place_in_the_list_by_meaning_counts_for_what_comes_close(
    *, closeness: float, counts: bool
) -> None:
    policy = FusedPolicy(CONTEXT)

    by_both, by_word = found_at(1, 2, closeness=closeness), found_at(None, 2)
    assert (policy.score(found_at(1, None, closeness=closeness)) is not None) is counts
    assert (policy.score(by_both) != policy.score(by_word)) is counts


def test_no_tier_lifts_an_entry_that_neither_holds_a_word_nor_comes_close() -> None:
    rule = FACTS._replace(tier="critical", anchor_id="oauth")

    assert FusedPolicy(CONTEXT).score(found_at(1, None, rule, closeness=0.1)) is None


def test_a_search_that_finds_nothing_close_does_not_lower_the_others() -> None:
    assert FusedPolicy(CONTEXT._replace(closest=0.2)).score(found_at(None, 1)) == FusedPolicy(
        BY_WORD_ONLY
    ).score(found_at(None, 1))
