"""Outcomes of moments: the hooks and `hardwon capture` see the same, and `why` and `show` print them."""

import datetime as dt
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.credit import MAX_SHIFT
from hardwon.domain.model.injection.receipt import UNSEEN, Event, Outcome, Receipt, ReceiptEntry
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry, now
from tests.tool_transcripts import MISSING, SIGNATURE, TESTS, Host, Recording

LESSON = entry("Dev extra", f"`{SIGNATURE}`: PyYAML is only in the dev extra.")
OTHER = "FAILED tests/test_feed.py::test_size - KeyError: 'size_limit'"
SHOWN = (ReceiptEntry(LESSON.entry_id, "memory", "d"),)
FAILED_AT = dt.datetime(2026, 11, 20, 9, 0, 2, 500_000, tzinfo=dt.UTC)
"""The recording's second line after the prompt is the result of the failing run."""

Play: TypeAlias = Callable[[World, Path], object]


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.remember(LESSON)
    return empty_world


def receipt(
    event: Event = "failure", query: str = "python -m pytest -q tests", agent: str = ""
) -> Receipt:
    return Receipt(
        session_id="s-1",
        event=event,
        at=FAILED_AT,
        project="here",
        query=query,
        space=None,
        policy="adaptive",
        digest="d",
        frame=("", ""),
        shown=SHOWN,
        agent=agent,
        signature=SIGNATURE if event == "failure" else "",
    )


def shown_in(world: World, *receipts: Receipt) -> None:
    with world.opened() as memory:
        for item in receipts:
            memory.store.receipts.record(item)


def outcomes(world: World) -> list[Outcome]:
    with world.opened() as memory:
        return [item.outcome for item in memory.store.receipts.newest(limit=99)][::-1]


def by_hooks(world: World, path: Path) -> object:
    return world.hook(
        payload={
            "session_id": "s-1",
            "cwd": str(world.project),
            "transcript_path": str(path),
            "hook_event_name": "Stop",
            "last_assistant_message": "Done.",
        }
    )


def by_capture(world: World, path: Path) -> object:
    return hardwon(world, "capture", "--from", str(path), "--no-embed")


def by_worker(world: World, path: Path) -> None:
    note(str(world.store), HookEvent("s-1", "end", now(), str(world.project), str(path), ""))
    Worker(str(world.store), str(world.project)).run()


PLAYS: dict[str, Play] = {"hooks": by_hooks, "capture": by_capture, "worker": by_worker}


def begun(world: World, host: Host = "claude") -> Recording:
    """Record a session up to the failure after which the lesson is shown."""
    made = Recording(host, root=str(world.project))
    made.asks("The import must read the new settings file.")
    return made.runs(TESTS, MISSING, 1)


def save(world: World, made: Recording) -> Path:
    path = world.folder / f"{'rollout-' if made.host == 'codex' else ''}s-1.jsonl"
    path.write_text(made.text, encoding="utf-8")
    return path


Story: TypeAlias = Callable[[Recording], Recording]
STORIES: dict[str, tuple[Event, str, Story, Outcome]] = {
    "passed at once": (
        "failure",
        "python -m pytest -q tests",
        lambda made: made.edits("pyproject.toml").runs(TESTS, "12 passed in 0.3s"),
        Outcome(1, passed=True),
    ),
    "passed after another error": (
        "failure",
        "python -m pytest -q tests",
        lambda made: made.runs(TESTS, OTHER, 1).runs("pytest -q tests", "12 passed in 0.3s"),
        Outcome(2, passed=True),
    ),
    "came again": (
        "failure",
        "python -m pytest -q tests",
        lambda made: made.runs(TESTS, MISSING, 1).runs("python run.py", MISSING, 1),
        Outcome(1, 2),
    ),
    "nothing was run": (
        "failure",
        "python -m pytest -q tests",
        lambda made: made.edits("a.py").runs("git status"),
        UNSEEN,
    ),
    "the cited file was edited": (
        "file",
        "src/pool.py",
        lambda made: made.edits("src/pool.py").runs("npm run test:unit", "ok 3 tests"),
        Outcome(1, passed=True, is_edited=True),
    ),
    "the next tests failed": (
        "edit",
        "src/pool.py",
        lambda made: made.runs("make build").runs("make check", OTHER, 2).runs("make check"),
        Outcome(1, passed=False),
    ),
}


@pytest.mark.parametrize(("host", "capture"), [("claude", "capture"), ("codex", "worker")])
@pytest.mark.parametrize("story", STORIES)
def test_hooks_and_capture_see_the_same_outcome_however_often(
    world: World, story: str, host: Host, capture: str
) -> None:
    event, query, play, expected = STORIES[story]
    transcript = save(world, play(begun(world, host)))
    copy = world.folder / "second"
    shown_in(world, receipt(event, query))
    shutil.copytree(world.store, copy)
    by_hooks(world, transcript)
    by_hooks(world, transcript)
    assert outcomes(world) == [expected]
    PLAYS[capture](world, transcript)
    assert outcomes(world) == [expected]

    shutil.rmtree(world.store)
    shutil.copytree(copy, world.store)
    PLAYS[capture](world, transcript)
    assert outcomes(world) == [expected]


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
def test_a_transcript_that_was_cut_takes_nothing_back_and_its_rest_is_added(
    world: World, play: Play
) -> None:
    made = begun(world).runs(TESTS, MISSING, 1)
    longer, head = save(world, made), begun(world).text
    shown_in(world, receipt())
    play(world, longer)
    longer.write_text(head + made.text[len(head) : -40], encoding="utf-8")
    play(world, longer)
    assert outcomes(world) == [Outcome(1, 1)]

    play(world, save(world, made.runs(TESTS, "12 passed in 0.3s").replies("Done.")))
    assert outcomes(world) == [Outcome(2, 1, passed=True)]


def test_agents_of_a_session_are_told_apart(world: World) -> None:
    own = save(world, begun(world).runs(TESTS, MISSING, 1))
    shown_in(world, receipt(), receipt(agent="a10f"), receipt(agent="b20e"))
    passing = begun(world).runs(TESTS, "12 passed in 0.3s")
    agents = own.with_suffix("") / "subagents"
    agents.mkdir(parents=True)
    lines = (json.dumps({**json.loads(line), "isSidechain": True}) for line in passing.lines)
    (agents / "agent-a10f.jsonl").write_text("\n".join(lines), encoding="utf-8")
    by_hooks(world, own)

    assert outcomes(world) == [Outcome(1, 1), Outcome(1, passed=True), UNSEEN]


def test_a_clock_that_went_back_claims_nothing(world: World) -> None:
    shown_in(world, receipt()._replace(at=FAILED_AT + dt.timedelta(days=1)))
    by_hooks(world, save(world, begun(world).runs(TESTS, "12 passed in 0.3s")))

    assert outcomes(world) == [UNSEEN]


def test_thousands_of_moments_and_a_broken_transcript_do_no_harm(world: World) -> None:
    shown_in(world, *(receipt(agent="a10f") for _ in range(2_000)), receipt())
    path = save(world, begun(world))
    path.write_text(
        path.read_text() + '{"type": "user", "message": {"content": [{"type":"tool_result"\n'
    )
    run = by_hooks(world, path)

    assert (run.code, run.stderr) == (0, "")  # type: ignore[attr-defined]


def test_without_a_transcript_the_events_of_the_host_are_the_outcome(world: World) -> None:
    shell: dict[str, object] = {"session_id": "s-1", "cwd": str(world.project), "tool_name": "Bash"}
    shell |= {"tool_input": {"command": "python -m pytest -q tests"}}
    error = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{OTHER}"}
    passed = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "12 passed"}}
    shown_in(world, receipt()._replace(at=dt.datetime.now(dt.UTC)))
    for event in (error, {**passed, "agent_id": "a10f"}, {**passed, "tool_name": "Read"}, passed):
        assert world.hook(payload={**shell, **event}).code == 0

    assert outcomes(world) == [Outcome(2, passed=True)]


def test_why_and_show_print_it_in_plain_words(world: World) -> None:
    shown_in(world, receipt())
    by_hooks(world, save(world, begun(world).runs(TESTS, OTHER, 1).runs(TESTS, "12 passed")))
    hardwon(world, "validate", LESSON.entry_id, "--useful")
    why, shown = hardwon(world, "why", "s-1"), hardwon(world, "show", LESSON.entry_id)
    [explained] = hardwon(world, "why", "s-1", "--json").document["items"]

    assert "outcome  passed at the 2nd try" in why.stdout
    sentence = "shown at a failure of `python -m pytest -q tests` on 20 Nov 2026"
    assert f"{sentence}: passed at the 2nd try, confirmed" in shown.stdout
    assert explained["entries"][0]["outcome"] == {
        "tries": 2,
        "repeats": 0,
        "passed": True,
        "is_edited": False,
        "word": "confirmed",
        "has_helped": True,
    }
    [kept] = hardwon(world, "show", LESSON.entry_id, "--json").document["outcomes"]
    assert (kept["event"], kept["session_id"], kept["passed"]) == ("failure", "s-1", True)


def test_credit_is_printed_with_its_formula_and_computed_from_json(world: World) -> None:
    outcome = Outcome(1, passed=True)
    other = (ReceiptEntry("0" * 16, "memory", "d"),)
    shown_in(
        world,
        *(receipt()._replace(outcome=outcome) for _ in range(3)),
        receipt()._replace(outcome=Outcome(1, 1)),
        *(receipt()._replace(outcome=Outcome(1, 1), shown=other) for _ in range(9)),
    )
    why, shown = hardwon(world, "why", "s-1"), hardwon(world, "show", LESSON.entry_id)
    *_, explained = hardwon(world, "why", "s-1", "--json").document["items"]
    [first, *_] = hardwon(world, "why", LESSON.entry_id, "--json").document["items"]
    credit = first["entries"][0]["credit"]
    helped, failed, prior = (credit[name] for name in ("helped", "failed", "prior"))
    good, bad = prior["strength"] * prior["mean"], prior["strength"] * (1 - prior["mean"])
    log_odds = math.log((helped + good) / good) - math.log((failed + bad) / bad)

    assert explained["entries"][0]["credit"]["helped"] == 0
    assert (helped, failed, credit["is_harmful"]) == (3, 1, False)
    assert credit["chance"] == pytest.approx((helped + good) / (4 + prior["strength"]), abs=1e-6)
    assert credit["shift"] == pytest.approx(min(log_odds, MAX_SHIFT), abs=1e-6)
    sentence = f"helped 3 of 4 times at failures: chance {credit['chance']:.2f} = (3 + "
    assert sentence in why.stdout
    assert f"credit        {sentence}" in shown.stdout
    listed = hardwon(world, "show", LESSON.entry_id, "--json").document["credits"]
    assert listed == {"failure": credit}


def test_to_be_shown_or_read_is_no_credit(world: World) -> None:
    shown_in(world, *(receipt() for _ in range(30)))
    for _ in range(3):
        hardwon(world, "show", LESSON.entry_id)
        hardwon(world, "recall", "dev extra")

    assert hardwon(world, "show", LESSON.entry_id, "--json").document["credits"] == {}


def fails_in(world: World, session_id: str) -> str:
    """Return what the hook prints after the command failed in another session."""
    payload = {"session_id": session_id, "cwd": str(world.project), "tool_name": "Bash"}
    payload |= {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{MISSING}"}
    command = {"tool_input": {"command": "python -m pytest -q tests"}}
    return world.hook(payload={**payload, **command}).stdout


def starts(world: World) -> str:
    return world.hook(payload=world.session_start()).stdout


def test_a_harmful_lesson_is_quiet_until_a_person_brings_it_back(world: World) -> None:
    other = entry("Backoff", "Retry a refused connection with a backoff.")
    world.remember(other)
    helpful = (ReceiptEntry(other.entry_id, "memory", "d"),)
    passed = receipt()._replace(shown=helpful, outcome=Outcome(1, passed=True))
    shown_in(world, *[passed] * 60)
    assert LESSON.name in starts(world)
    assert (
        LESSON.description
        in json.loads(fails_in(world, "before"))["hookSpecificOutput"]["additionalContext"]
    )

    shown_in(world, *[receipt()._replace(outcome=Outcome(1, 1))] * 9)
    assert LESSON.name not in starts(world)
    assert other.name in starts(world)
    assert fails_in(world, "harmful") == ""
    assert "harmful there" in hardwon(world, "show", LESSON.entry_id).stdout
    assert LESSON.name in hardwon(world, "review", "harmful").stdout
    assert LESSON.name in hardwon(world, "recall", "PyYAML dev extra").stdout

    hardwon(world, "validate", LESSON.entry_id, "--useful")
    assert LESSON.name in starts(world)
    assert LESSON.name not in hardwon(world, "review", "harmful").stdout
    assert LESSON.entry_id in fails_in(world, "confirmed")


def test_credit_in_a_receipt_is_verified(world: World) -> None:
    shown_in(world, *[receipt()._replace(outcome=Outcome(1, passed=True))] * 3)
    assert fails_in(world, "verified")
    [explained] = hardwon(world, "why", "verified", "--json").document["items"]

    assert explained["entries"][0]["parts"].get("credit", 0.0) == pytest.approx(
        explained["entries"][0]["credit"]["shift"], abs=1e-6
    )
    assert hardwon(world, "why", "verified", "--verify").code == 0


def test_a_rejected_lesson_did_not_help(world: World) -> None:
    shown_in(world, receipt())
    by_hooks(world, save(world, begun(world).runs(TESTS, "12 passed")))
    hardwon(world, "validate", LESSON.entry_id, "--not-useful")

    assert "passed at the 1st try, rejected" in hardwon(world, "show", LESSON.entry_id).stdout
    assert "rejected: it did not help in this session" in hardwon(world, "why", "s-1").stdout
