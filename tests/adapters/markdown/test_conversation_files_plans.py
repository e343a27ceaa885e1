import os
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.conversation_files import ProjectPlanFiles


def make(root: Path, *paths: str) -> ProjectPlanFiles:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("plan")
    return ProjectPlanFiles(str(root))


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((".planning/phases/71-PLAN.md",), ".planning/phases/71-PLAN.md"),
        (
            ("docs/features/071-parser/plan.md", "docs/features/071-parser/spec.md"),
            "docs/features/071-parser/plan.md",
        ),
        (
            ("docs/features/071-parser/spec.md", "docs/features/071-parser/a.md"),
            "docs/features/071-parser/spec.md",
        ),
        (("specs/71-parser/tasks.txt",), "specs/71-parser"),
        (("specs/71/01-steps.md", "specs/71/my-plan.md"), "specs/71/my-plan.md"),
        (("docs/plans/phase-71.md",), "docs/plans/phase-71.md"),
        (("plans/Phase 0071 feeds.md",), "plans/Phase 0071 feeds.md"),
        (("plans/71.md", "specs/71-parser/plan.md"), "specs/71-parser/plan.md"),
        (("plans/71-b.md", "plans/71-a.md"), "plans/71-a.md"),
        (
            (".planning/phases/71-CONTEXT.md", ".planning/phases/71-PLAN.md"),
            ".planning/phases/71-PLAN.md",
        ),
        (
            (
                "plans/710.md",
                "plans/171.md",
                "plans/71.1.md",
                "plans/71.txt",
                "plans/.71.md",
                "71.md",
            ),
            None,
        ),
        ((), None),
    ],
)
def test_the_plan_of_a_phase_is_found_where_plans_are_kept(
    tmp_path: Path, paths: tuple[str, ...], expected: str | None
) -> None:
    plans = make(tmp_path, *paths)

    assert plans.of_phase("71") == plans.of_phase(" 071 ") == expected


@pytest.mark.parametrize(
    "number", ["", "0", "x", "../71", "71/..", "\0", "\ud800", "9" * 5000, "71.2"]
)
def test_any_number_has_a_plan_or_none(tmp_path: Path, number: str) -> None:
    plans = make(tmp_path, "plans/71.2-more.md", "plans/000-zero.md")
    found = {"71.2": "plans/71.2-more.md", "0": "plans/000-zero.md"}

    assert plans.of_phase(number) == found.get(number or "-")


@pytest.mark.skipif(sys.platform != "linux", reason="names of Linux")
def test_a_name_that_no_link_can_hold_is_passed_over(tmp_path: Path) -> None:
    plans = make(tmp_path, "plans/71-ok.md", "plans/71-a\nb.md")
    (tmp_path / os.fsdecode(b"plans/71-\xff.md")).write_text("plan")

    assert plans.of_phase("71") == "plans/71-ok.md"


def test_a_place_that_is_no_folder_is_passed_over(tmp_path: Path) -> None:
    plans = make(tmp_path, "specs", "plans/71.md")

    assert plans.of_phase("71") == "plans/71.md"


def test_places_are_looked_through_once_however_many_phases_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = make(tmp_path, "plans/71.md", "specs/72.md")
    listed = list[str]()
    names_in = os.listdir

    def listing(folder: str) -> list[str]:
        listed.append(folder)
        return names_in(folder)

    monkeypatch.setattr(os, "listdir", listing)
    assert [plans.of_phase(number) for number in ("71", "72", "73") * 9] == [
        "plans/71.md",
        "specs/72.md",
        None,
    ] * 9
    assert len(listed) == len(set(listed))
