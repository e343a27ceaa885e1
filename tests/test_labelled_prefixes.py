"""The labelled outputs behind the labels of a runner, and those whose beginnings mean something."""

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.model.failure import Failure, signature_of
from hardwon.domain.model.tool_output import cleaned

LABELLED = Path(__file__).parent.parent / "bench" / "labelled" / "prefixes.jsonl"
CASES = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]


def cases(kind: str, half: str) -> list[dict[str, Any]]:
    return [case for case in CASES if (case["kind"], case["half"]) == (kind, half)]


@pytest.mark.parametrize(("half", "least"), [("dev", 27), ("held", 23)])
def test_the_error_behind_a_label_is_the_first_signature(half: str, least: int) -> None:
    found = [
        Failure(case["command"], case["output"]).signature
        == signature_of(*cleaned(case["lines"][0]))
        for case in cases("prefixed", half)
    ]

    assert (len(found), sum(found) >= least) == (27, True)


@pytest.mark.parametrize("half", ["dev", "held"])
def test_a_beginning_that_means_something_stays(half: str) -> None:
    changed = [
        case["runner"]
        for case in cases("plain", half)
        if not {line for kept in case["lines"] for line in cleaned(kept)}
        <= {*Failure(case["command"], case["output"]).lines}
    ]

    assert (len(cases("plain", half)), changed) == (25, [])
