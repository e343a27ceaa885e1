"""The labelled opened files: each is named by the lessons that are about it, and by no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.model.citations import citations_of, names

LABELLED = Path(__file__).parent.parent / "bench" / "labelled" / "files.jsonl"
CASES = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
ROOT = re.compile(r"(?:/srv/checkout/|C:\\work\\)[a-z]+[/\\]")


def test_each_half_has_projects_of_its_own_and_files_that_no_lesson_names() -> None:
    halves = {case["project"]: case["half"] for case in CASES}

    assert len({case["id"] for case in CASES}) == len(CASES) == 60
    assert all(halves[case["project"]] == case["half"] for case in CASES)
    for half in ("dev", "held"):
        assert {bool(case["right"]) for case in CASES if case["half"] == half} == {True, False}


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']} {case['half']}" for case in CASES])
def test_a_file_is_named_by_the_lessons_about_it(case: dict[str, Any]) -> None:
    opened = ROOT.sub("", case["opened"])
    naming = [
        lesson["name"]
        for lesson in case["lessons"]
        if any(
            names(citation, opened)
            for citation in citations_of(lesson["references"], [lesson["text"]])
        )
    ]

    assert sorted(naming) == sorted(case["right"])
