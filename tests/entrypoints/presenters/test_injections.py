"""Injections as text."""

import pytest

from hardwon.domain.use_cases.inject_beside_prompt import PromptDryRun
from hardwon.domain.use_cases.weigh_entries import WeighedEntry
from hardwon.entrypoints.presenters.injections import dry_run_lines


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0.8999, "0.89 < 0.9"), (0.9, "0.90 >= 0.9"), (0.29, "0.29 < 0.9"), (1.0, "1.00 >= 0.9")],
)
def test_a_probability_is_never_shown_as_the_threshold_that_it_misses(
    probability: float, shown: str
) -> None:
    entry = WeighedEntry("e7348e5977a2e8ab", "Decode chunks incrementally", probability, "")
    dry_run = PromptDryRun(text="", entries=(entry,), worth_asking=True)

    assert [line for line in dry_run_lines(dry_run, on=True) if shown in line]
