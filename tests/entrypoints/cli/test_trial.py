"""`hardwon trial` and `hardwon lift`, and the doors that mention a trial."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.model.trial import Trial
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry
from tests.strategies import NOW

ERROR = "ModuleNotFoundError: No module named 'yaml'"
LESSON = entry("Stale venv", f"`{ERROR}` on CI: the cached venv is stale, bump its key.")
OFF = "no trial runs: hardwon trial on withholds a tenth of the lessons, to see what they change\n"
RUNS = re.compile(
    r"a trial runs since 20\d\d-\d\d-\d\d \d\d:\d\d UTC: 50 % of what would be shown at prompts and"
    r" moments is withheld; hardwon lift compares, hardwon trial off ends it\n"
)
NOT_YET = "not enough yet: no outcome of a trial is known\n"


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.remember(LESSON, *(entry(f"Filler {n}", f"filler number {n}") for n in range(60)))
    return world_by_word


def session(*, withheld: bool) -> str:
    trial = Trial(0.5, NOW)
    names = (f"session {number}" for number in range(99))
    return next(name for name in names if trial.withholds(name, LESSON.entry_id) is withheld)


def fails(world: World, session_id: str, **fields: Any) -> str:
    """Return what the hook prints after a command failed."""
    payload = {
        "session_id": session_id,
        "cwd": str(world.project),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "error": f"Exit code 1\nTraceback (most recent call last):\n{ERROR}",
        **fields,
    }
    return world.hook(payload=payload).stdout


def test_a_trial_is_off_until_a_person_switches_it_on(world: World) -> None:
    assert hardwon(world, "trial", "status") == (0, OFF, "")
    assert RUNS.fullmatch(hardwon(world, "trial", "on", "--share", "50%").stdout)
    assert RUNS.fullmatch(hardwon(world, "trial", "status").stdout)
    document = json.loads(hardwon(world, "trial", "status", "--json").stdout)
    assert document["trial"]["share"] == 0.5

    assert hardwon(world, "trial", "off") == (0, OFF, "")
    assert json.loads(hardwon(world, "trial", "status", "--json").stdout) == {"trial": None}


def test_a_tenth_is_withheld_by_default(world: World) -> None:
    assert ": 10 % of what" in hardwon(world, "trial", "on").stdout


def test_no_agent_and_no_bad_share_starts_a_trial(world: World) -> None:
    refused = hardwon(world, "trial", "on", "--share", "80%")
    assert (refused.code, refused.stdout) == (1, "")
    assert "'80%' is no share: give a percentage from 1% to 50%" in refused.stderr

    world.variables["CLAUDE_CODE_SESSION_ID"] = "mine"
    refused = hardwon(world, "trial", "on")
    assert (refused.code, refused.stdout) == (1, "")
    assert "a trial is switched on by a person" in refused.stderr
    assert hardwon(world, "trial", "status").stdout == OFF


def test_no_file_of_a_project_starts_a_trial(world: World) -> None:
    for name in ("trials.jsonl", ".claude/iflow/memory/trials.jsonl"):
        path = Path(world.project, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"share": 0.5, "from": "2026-03-01T12:30:00+00:00"}\n')
    settings = Path(world.project, ".claude/iflow-dev.local.md")
    settings.write_text("---\nmemory_trial: true\nmemory_trial_share: 50%\n---\n")

    assert hardwon(world, "trial", "status").stdout == OFF
    assert ERROR in fails(world, session(withheld=True))


def test_a_withheld_lesson_is_silent_and_why_says_so(world: World) -> None:
    hardwon(world, "trial", "on", "--share", "50%")
    shown, withheld = session(withheld=False), session(withheld=True)

    assert ERROR in fails(world, shown)
    assert fails(world, withheld) == ""
    assert world.query("SELECT session_id, delivery, arm FROM receipt ORDER BY number") == [
        (shown, "printed", "shown"),
        (withheld, "missed", "withheld"),
    ]
    why = hardwon(world, "why", withheld).stdout
    assert "delivery withheld by the trial: the model did not get it" in why
    assert "wins: probability" in why
    assert json.loads(hardwon(world, "why", withheld, "--json").stdout)["items"][0]["arm"] == (
        "withheld"
    )
    assert "verified" in hardwon(world, "why", withheld, "--verify").stdout
    world.query(f"UPDATE receipt SET outcome = '{PASSED}'")
    show = hardwon(world, "show", LESSON.entry_id).stdout
    assert re.search(r"\bshown at a failure of `pytest -q` on .*: passed at the 1st try", show)
    assert re.search(r"\bwithheld at a failure of `pytest -q` on .*: passed at the 1st try", show)
    assert world.query("SELECT sum(recall_count) FROM recall") == [(1,)]


def test_switched_off_the_lesson_comes_again_and_nothing_is_lost(world: World) -> None:
    hardwon(world, "trial", "on", "--share", "50%")
    withheld = session(withheld=True)
    fails(world, withheld)
    hardwon(world, "trial", "off")

    assert fails(world, withheld) == ""  # once a session, also what was withheld
    assert ERROR in fails(world, withheld, agent_id="a10f", agent_type="reviewer")
    assert world.query("SELECT arm FROM receipt ORDER BY number") == [("withheld",), ("",)]


def test_stats_and_doctor_mention_a_running_trial(world: World) -> None:
    assert "trial" not in hardwon(world, "stats").stdout
    hardwon(world, "trial", "on", "--share", "50%")

    assert RUNS.match(hardwon(world, "stats").stdout)
    assert json.loads(hardwon(world, "stats", "--json").stdout)["trial"]["share"] == 0.5
    assert "a trial runs since" in hardwon(world, "doctor").stdout


def test_it_is_most_often_too_early(world: World) -> None:
    assert hardwon(world, "lift") == (0, OFF + NOT_YET, "")
    document = json.loads(hardwon(world, "lift", "--json").stdout)

    assert document["trial"] is None
    assert (document["sessions"], document["verdict"], document["next"]) == (0, "open", None)


def outcomes(world: World, arm: str, outcome: str, times: int) -> None:
    """Copy the receipt of the session that failed first, with that outcome of a trial."""
    copied = "event, at, project, query, policy, digest, frame, missed"
    world.query(
        f"""
        WITH RECURSIVE count (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM count WHERE number < ?3)
        INSERT INTO receipt (session_id, {copied}, arm, outcome)
        SELECT ?1 || ?2 || count.number, {copied}, ?1, ?2 FROM receipt, count WHERE receipt.number = 1
        """,
        (arm, outcome, times),
    )


PASSED, REPEATED, UNSEEN = "[1, 0, true, false]", "[3, 2, true, false]", "[]"


def test_lift_compares_both_arms_together_and_by_kind_of_moment(world: World) -> None:
    fails(world, "first")
    for arm, outcome, times in (
        ("shown", PASSED, 60),
        ("shown", REPEATED, 30),
        ("shown", UNSEEN, 10),
        ("withheld", PASSED, 5),
        ("withheld", REPEATED, 5),
    ):
        outcomes(world, arm, outcome, times)

    assert hardwon(world, "lift").stdout == f"{OFF}{COMPARED}"
    document = json.loads(hardwon(world, "lift", "--json").stdout)
    assert document["drawn"] == {"shown": 100, "withheld": 10}
    assert document["by_event"] == {"failure": document["all"]}
    assert document["all"]["failed"] == {
        "shown": pytest.approx(1 / 3),
        "withheld": 0.5,
        "low": pytest.approx(-0.444, abs=0.001),
        "high": pytest.approx(0.116, abs=0.001),
        "difference": pytest.approx(-1 / 6),
    }
    assert document["next"] == {"difference": 0.2, "sessions": 915}


COMPARED = """\
100 sessions, with a known outcome of 90 of 100 lessons shown and of 10 of 10 withheld
                             shown  withheld   difference (95 %)
all moments                     90        10
  failed afterwards, %          33        50   -17 (-44 to +12)
  passed in the end, %         100       100   +0 (-4 to +28)
  tries after a failure        1.7       2.0   -0.3 (-1.2 to +0.6)
failed command                  90        10
  failed afterwards, %          33        50   -17 (-44 to +12)
  passed in the end, %         100       100   +0 (-4 to +28)
  tries after a failure        1.7       2.0   -0.3 (-1.2 to +0.6)
not enough yet: about 915 more sessions would show a difference of 20 points
"""
