import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.evaluation.report import (
    EvaluationReport,
    MeasuredAnswers,
    PolicyFigures,
    QueryChange,
    QueryReport,
    SetReport,
    adaptive_beside_the_better,
    changes,
    largest_changes,
    moved_queries,
)

GOOD = PolicyFigures(0.8, 0.7, 0.9, 0.75, 0.7, 4.0, 9.0)

shares = st.floats(0, 1)
figures = st.builds(PolicyFigures, shares, shares, shares, shares, shares, shares, shares)


def report(**sets: dict[str, PolicyFigures]) -> EvaluationReport:
    return EvaluationReport({name: SetReport(policies, {}) for name, policies in sets.items()})


def test_the_figures_of_two_answers_by_hand() -> None:
    found = MeasuredAnswers("1", list("xxxxxa"), {"a": 1.0}, 4.0)
    first = MeasuredAnswers("2", list("b"), {"b": 1.0}, 2.0)

    assert PolicyFigures.of([found, first]) == pytest.approx(
        PolicyFigures(
            ndcg=(1 / 2.807355 + 1) / 2,
            few_recall=0.5,
            recall=1,
            mrr=(1 / 6 + 1) / 2,
            few_hit=0.5,
            p50_ms=2,
            p95_ms=4,
        )
    )
    assert PolicyFigures.of([]) == (0, 0, 0, 0, 0, 0, 0)


def test_results_below_the_tenth_do_not_count() -> None:
    late = MeasuredAnswers("1", [*"xxxxxxxxxx", "a"], {"a": 1.0}, 1.0)

    assert PolicyFigures.of([late])[:-2] == (0, 0, 0, 0, 0)


def test_a_mean_counts_every_set_the_same_and_one_set_has_none() -> None:
    low = GOOD._replace(ndcg=0.4)

    assert report(a={"rrf": GOOD}, b={"rrf": low}).mean["rrf"] == pytest.approx(
        GOOD._replace(ndcg=0.6)
    )
    assert report(a={"rrf": GOOD}, b={"vector": low}).mean == {}
    assert report(a={"rrf": GOOD}).mean == {}


@given(before=figures, after=figures)
def test_a_regression_is_a_figure_that_fell_by_over_the_tolerance(
    before: PolicyFigures, after: PolicyFigures
) -> None:
    [change] = changes(report(a={"rrf": before}), report(a={"rrf": after}))

    assert set(change.regressions) == {
        name
        for name in PolicyFigures._fields[:-2]
        if getattr(after, name) - getattr(before, name) < -0.005
    }
    assert change.differences == tuple(new - old for new, old in zip(after, before, strict=True))


def test_only_what_both_reports_have_is_compared() -> None:
    before = report(a={"rrf": GOOD, "vector": GOOD}, b={"rrf": GOOD})
    after = report(a={"rrf": GOOD, "hybrid": GOOD}, c={"rrf": GOOD})

    assert [(change.set_name, change.policy) for change in changes(before, after)] == [("a", "rrf")]


def test_means_are_compared_when_they_are_over_the_same_sets() -> None:
    before = report(a={"rrf": GOOD}, b={"rrf": GOOD})
    after = report(a={"rrf": GOOD}, b={"rrf": GOOD._replace(mrr=0.73)})

    [change] = [change for change in changes(before, after) if change.set_name == "mean"]
    assert change.regressions == ("mrr",)


def test_adaptive_is_held_against_the_better_of_both_searches() -> None:
    queries = {
        "1": QueryReport("one", {"keyword": 0.25, "vector": 0.75, "adaptive": 0.5}),
        "2": QueryReport("two", {"keyword": 0.5, "adaptive": 1.0}),
        "3": QueryReport("three", {"adaptive": 1.0}),
        "4": QueryReport("four", {"keyword": 1.0}),
    }
    standings = adaptive_beside_the_better("a", SetReport({}, queries))

    assert [(standing.query_id, standing.before, standing.change) for standing in standings] == [
        ("1", 0.75, -0.25),
        ("2", 0.5, 0.5),
    ]


def test_queries_are_compared_by_every_policy_that_both_reports_have() -> None:
    before = SetReport(
        {}, {"1": QueryReport("one", {"keyword": 1.0, "vector": 0.5}), "9": QueryReport("x", {})}
    )
    after = SetReport(
        {}, {"1": QueryReport("one", {"keyword": 0.5, "rrf": 0.5}), "2": QueryReport("two", {})}
    )

    assert moved_queries("a", before, after) == [QueryChange("a", "1", "one", "keyword", 1.0, 0.5)]


@given(pairs=st.lists(st.tuples(shares, shares), max_size=12), count=st.integers(0, 12))
def test_those_that_changed_most_come_worst_first(
    pairs: list[tuple[float, float]], count: int
) -> None:
    standings = [
        QueryChange("a", str(at), "", "rrf", before, after)
        for at, (before, after) in enumerate(pairs)
    ]
    listed = largest_changes(standings, count)
    others = [standing for standing in standings if standing not in listed]

    assert len(listed) == min(count, sum(standing.change != 0 for standing in standings))
    assert [standing.change for standing in listed] == sorted(
        standing.change for standing in listed
    )
    assert all(abs(other.change) <= abs(standing.change) for other in others for standing in listed)
