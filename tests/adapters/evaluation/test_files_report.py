import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.evaluation.files import read_report, report_document
from hardwon.domain.model.errors import InvalidEvaluationError
from hardwon.domain.model.evaluation.report import (
    EvaluationReport,
    PolicyFigures,
    QueryReport,
    SetReport,
)

shares = st.floats(0, 1)
figures = st.builds(PolicyFigures, shares, shares, shares, shares, shares, shares, shares)
names = st.text(max_size=5)
queries = st.builds(QueryReport, names, st.dictionaries(names, shares, max_size=2))
by_policy = st.dictionaries(names, figures, max_size=2)
by_query = st.dictionaries(names, queries, max_size=2)
sets = st.tuples(by_policy, by_query).map(lambda both: SetReport(*both))
reports = st.builds(EvaluationReport, st.dictionaries(names, sets, max_size=3))


@given(report=reports)
def test_a_report_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, report: EvaluationReport
) -> None:
    path = tmp_path_factory.getbasetemp() / "report.json"
    path.write_text(json.dumps(report_document(report, per_query=True), indent=2), encoding="utf-8")

    assert read_report(str(path)) == report


def test_figures_have_the_names_that_scripts_know() -> None:
    one = SetReport(
        {"rrf": PolicyFigures(1, 2, 3, 4, 5, 6, 7)}, {"q": QueryReport("text", {"rrf": 1.0})}
    )

    document = report_document(EvaluationReport({"a": one, "b": one}))
    numbers = {
        "ndcg@10": 1,
        "recall@5": 2,
        "recall@10": 3,
        "mrr": 4,
        "hit@5": 5,
        "p50_ms": 6,
        "p95_ms": 7,
    }
    assert document["sets"] == {
        "a": {"policies": {"rrf": numbers}},
        "b": {"policies": {"rrf": numbers}},
    }
    assert document["mean"] == {"policies": {"rrf": numbers}}
    assert "mean" not in report_document(EvaluationReport({"a": one}))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        "\0",
        '{"sets": []}',
        '{"sets": {"a": {}}}',
        '{"sets": {"a": {"policies": {"rrf": {"mrr": 1}}}}}',
        json.dumps({"sets": {"a": {"policies": {"rrf": dict.fromkeys(("ndcg@10", "mrr"), "1")}}}}),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(content)

    with pytest.raises(InvalidEvaluationError) as refusal:
        read_report(str(path))
    assert str(refusal.value).startswith(f"{path}: is ")
    assert "\n" not in str(refusal.value)
