"""Reports as JSON: what `hardwon eval --json` prints and `--compare` reads."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hardwon.adapters.evaluation.jsonl import Place, parse_object, read_whole
from hardwon.domain.model.evaluation.comparison import MEAN, TOLERANCE, Change
from hardwon.domain.model.evaluation.figures import Figures
from hardwon.domain.model.evaluation.report import ByPolicy, QueryReport, Report, SetReport

KEYS: Mapping[str, str] = {
    "ndcg": "ndcg@10",
    "few_recall": "recall@5",
    "recall": "recall@10",
    "mrr": "mrr",
    "few_hit": "hit@5",
    "p50_ms": "p50_ms",
    "p95_ms": "p95_ms",
}
"""The fields of `Figures` as scripts know them."""

NDCG = KEYS["ndcg"]


def report_document(report: Report, *, per_query: bool = False) -> dict[str, Any]:
    """Return *report* for JSON; *per_query* adds each question's text and nDCG@10."""
    sets = {
        name: {
            "policies": _policies(each.policies),
            **({"queries": {key: _query(query) for key, query in each.queries.items()}} if per_query else {}),
        }
        for name, each in report.sets.items()
    }
    return {"sets": sets, **({MEAN: {"policies": _policies(report.mean)}} if report.mean else {})}


def comparison_document(changes: Sequence[Change]) -> dict[str, Any]:
    """Return *changes* for JSON: the difference of each figure, and those that got worse."""
    differences: dict[str, dict[str, dict[str, float]]] = {}
    for change in changes:
        differences.setdefault(change.set_name, {})[change.policy] = _figures(change.differences)
    regressions = [
        {
            "set": change.set_name,
            "policy": change.policy,
            "figure": KEYS[name],
            "before": getattr(change.before, name),
            "after": getattr(change.after, name),
        }
        for change in changes
        for name in change.regressions
    ]
    return {"tolerance": TOLERANCE, "differences": differences, "regressions": regressions}


def read_report(path: str) -> Report:
    """
    Return a report that was printed as JSON earlier; questions only where they are in it.

    Raises:
        InvalidEvaluationError: the file can't be read, or is no such report.
    """
    place = Place(path)
    document = parse_object(place, read_whole(path))
    try:
        return Report({name: _set_report(each) for name, each in document["sets"].items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise place.refuse("is no report of `hardwon eval --json`") from error


def _set_report(document: Mapping[str, Any]) -> SetReport:
    return SetReport(
        policies={policy: _read_figures(figures) for policy, figures in document["policies"].items()},
        queries={
            key: QueryReport(query["text"], {policy: _number(value) for policy, value in query[NDCG].items()})
            for key, query in document.get("queries", {}).items()
        },
    )


def _read_figures(document: Mapping[str, Any]) -> Figures:
    return Figures(**{name: _number(document[key]) for name, key in KEYS.items()})


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(value)
    return float(value)


def _policies(policies: ByPolicy) -> dict[str, dict[str, float]]:
    return {policy: _figures(figures) for policy, figures in policies.items()}


def _figures(figures: Figures) -> dict[str, float]:
    return {KEYS[name]: value for name, value in figures._asdict().items()}


def _query(query: QueryReport) -> dict[str, Any]:
    return {"text": query.text, NDCG: dict(query.ndcg)}
