import difflib
import sys

import pytest

from tests.golden.__main__ import EXPECTED, played
from tests.golden.scenarios import SCENARIOS

MOST_LINES = 60
LEAST_RUNS = 300

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="ids are hashes of paths, and /tmp is elsewhere"
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_programs_say_and_store_what_they_did_before(name: str) -> None:
    before, now = expected(name), played(name)

    changes = list(
        difflib.unified_diff(before.splitlines(), now.splitlines(), "before", "now", lineterm="")
    )
    more = f"\n... and {len(changes) - MOST_LINES} more lines" if len(changes) > MOST_LINES else ""
    listed = "\n".join(changes[:MOST_LINES])
    assert before == now, (
        f"{listed}{more}\nif this is meant: python -m tests.golden --write {name}, and look at the diff"
    )


def test_the_scenarios_run_hundreds_of_programs() -> None:
    assert sum(expected(name).count("\n$ ") for name in SCENARIOS) > LEAST_RUNS
    assert {path.stem for path in EXPECTED.iterdir()} == set(SCENARIOS)


def expected(name: str) -> str:
    return (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")
