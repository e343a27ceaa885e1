"""The start page: what the memory did this week, and the newest moments."""

import datetime as dt
import re
from typing import Any

import attrs
import pytest

from hardwon.domain.model.cited_place import CitedPlace
from hardwon.domain.model.injection.receipt import Outcome, Receipt, ReceiptEntry
from tests.entrypoints.hook_process import World
from tests.entrypoints.view.caller import opened
from tests.strategies import lesson

NOW = dt.datetime.now(dt.UTC)
WEEK = dt.timedelta(weeks=1)
ERROR = "ConfigError: frobnicate key missing"
LESSON = lesson(f"`{ERROR}`: set it in app.toml.", name="Frobnicate")


def helped_by_a_lesson(world: World) -> None:
    """Show a lesson at a failure, after which the command passed."""
    world.remember(
        LESSON, *(lesson(f"filler number {number}", name="Filler") for number in range(60))
    )
    call = {
        "session_id": "s1",
        "cwd": str(world.project),
        "tool_name": "Bash",
        "tool_input": {"command": "serve --once"},
    }
    failure = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{ERROR}"}
    assert "Frobnicate" in world.hook(payload={**call, **failure}).stdout
    world.query("UPDATE receipt SET outcome = ?", ["[1, 0, true, false]"])


def record(world: World, **fields: Any) -> None:
    """Record an injection of the lesson."""
    receipt = Receipt(
        session_id="s1",
        event="failure",
        at=NOW,
        project="here",
        query="make test",
        space=None,
        policy="",
        digest="",
        frame=("", ""),
        shown=(ReceiptEntry(LESSON.entry_id, "lesson", ""),),
    )
    with world.opened(warn=pytest.fail) as memory:
        memory.store.receipts.record(receipt._replace(**fields))


def figures_of(world: World) -> dict[str, int]:
    """Return the figures of the start page by name."""
    page = opened(world).get("/").text
    found = re.findall(r"<b>([\d,]+)</b> (\w+)</a>", page)
    return {name: int(value.replace(",", "")) for value, name in found}


def test_the_figures_of_this_week_are_those_of_the_lists_they_lead_to(world_by_word: World) -> None:
    cited = (CitedPlace("a.py", "changed", "a.py").stored, CitedPlace("b.py", "gone").stored)
    repair, bank = ("repair",), ()
    world_by_word.remember(
        attrs.evolve(LESSON, created_at=NOW, tags=repair, citations=cited[:1]),
        attrs.evolve(lesson("Kept now.", name="New"), created_at=NOW, citations=cited[1:]),
        attrs.evolve(lesson("Kept long ago.", name="Old"), created_at=NOW - 9 * WEEK, tags=bank),
        attrs.evolve(
            lesson("Kept of late.", name="Late"),
            created_at=NOW - WEEK,
            citations=(CitedPlace("a.py", "unchanged").stored,),
        ),
    )
    record(world_by_word, outcome=Outcome(1, passed=True))
    record(world_by_word, outcome=Outcome(1, 1))
    record(world_by_word, outcome=Outcome(1, passed=True), at=NOW - WEEK)
    caller = opened(world_by_word)

    figures = figures_of(world_by_word)

    assert figures | {"waiting": 0} == {
        "shown": 2,
        "helped": 1,
        "repaired": 1,
        "born": 2,
        "stale": 2,
        "waiting": 0,
    }
    links = re.findall(
        r'<li class="tile">\s*<a href="[^"]*?(/\w+)(\?[^"]*)?"', caller.get("/").text
    )
    lists = {
        name: caller.items(f"{path}.json{query}")
        for name, (path, query) in zip(figures, links, strict=True)
    }
    assert {name: len(lists[name]) for name in ("repaired", "born", "stale", "waiting")} == {
        name: figures[name] for name in ("repaired", "born", "stale", "waiting")
    }
    assert [session["helped"] for session in lists["helped"]] == [2]
    assert "times it went well after a lesson 1 last week" in caller.text("/")
    *_, before, now = caller.items("/start.json")
    assert [week["helped"] for week in (before, now)] == [1, 1]


def test_the_five_newest_moments_have_a_line_each_with_what_came_of_it(
    world_by_word: World,
) -> None:
    world_by_word.remember(LESSON)
    minute = dt.timedelta(minutes=1)
    given: list[dict[str, Any]] = [
        {"event": "file", "query": "too/old.py"},
        {"event": "file", "query": "src/app.py"},
        {"event": "edit", "query": "src/b.py", "outcome": Outcome(1, passed=False)},
        {"event": "subagent", "query": "Fix the build"},
        {"event": "prompt", "query": "no moment of action"},
        {"event": "failure", "query": "not delivered", "delivery": "missed"},
        {"event": "failure", "query": "no lesson", "shown": (), "frame": ("",)},
        {"event": "failure", "outcome": Outcome(2, 1, passed=True)},
        {"event": "failure", "query": "make lint", "outcome": Outcome(1, passed=True)},
    ]
    for place, fields in enumerate(given):
        record(world_by_word, at=NOW - 20 * minute + place * minute, **fields)

    page = opened(world_by_word).text("/").partition("Last moments")[2]

    lines = (
        "make lint failed → Frobnicate → passed at the 1st try",
        "make test failed → Frobnicate → the same error came again, then passed at the 2nd try",
        "a subagent began Fix the build → Frobnicate → no outcome seen",
        "src/b.py was edited → Frobnicate → the next tests failed",
        "src/app.py was opened → Frobnicate → no outcome seen",
    )
    assert [page.index(line) for line in lines] == sorted(page.index(line) for line in lines)
    assert not any(text in page for text in ("too/old", "no moment", "not delivered", "no lesson"))


def test_without_moments_there_are_prompts_and_without_anything_what_will_be(
    world_by_word: World,
) -> None:
    assert "How this page fills" in opened(world_by_word).text("/")
    assert "No agent was given a lesson at a moment yet." in opened(world_by_word).text("/")
    world_by_word.remember(LESSON)
    record(world_by_word, event="prompt", query="Which key is missing?")

    page = opened(world_by_word).text("/")

    assert "you asked Which key is missing? → Frobnicate → no outcome seen" in page
    assert "How this page fills" not in page


def test_a_session_is_narrowed_to_what_helped_and_named_without_a_prompt(
    world_by_word: World,
) -> None:
    world_by_word.remember(LESSON)
    caller = opened(world_by_word)
    record(world_by_word, session_id="quiet", event="start", query="main src/app.py")
    assert "In no session a lesson is known to have helped yet." in caller.text(
        "/sessions?only=helped"
    )
    record(world_by_word, session_id="good", outcome=Outcome(2, passed=True))
    record(world_by_word, session_id="bad", outcome=Outcome(2, 1, passed=True))

    titles = {item["session_id"]: item["title"] for item in caller.items("/sessions.json")}

    assert titles == {"quiet": "", "good": "make test failed", "bad": "make test failed"}
    assert [item["session_id"] for item in caller.items("/sessions.json?only=helped")] == ["good"]
    for page in ("/sessions", "/session?id=quiet"):
        assert f"Session of {NOW.astimezone():%Y-%m-%d}" in caller.text(page)
    assert 'class="outcome good"' in caller.get("/session?id=good").text
    assert 'class="outcome good"' not in caller.get("/session?id=bad").text
    assert caller.get("/sessions?only=best").status_code == 400


def test_a_session_of_300_moments_has_them_in_order_with_internals_closed(
    world_by_word: World,
) -> None:
    world_by_word.remember(LESSON)
    for place in range(300):
        record(world_by_word, query=f"make part-{place:03}", at=NOW + dt.timedelta(seconds=place))

    page = opened(world_by_word).get("/session?id=s1").text

    asked = re.findall(r"<code>make (part-\d{3})</code>", page)
    assert asked == [f"part-{place:03}" for place in range(300)]
    assert page.count("<details") >= 300
    assert "<details open" not in page


def test_long_foreign_and_future_texts_break_neither_lines_nor_figures(
    world_by_word: World,
) -> None:
    long = attrs.evolve(LESSON, name="Wide " * 800, created_at=NOW + 4 * WEEK)
    world_by_word.remember(long)
    for fields in (
        {"query": "שלום " * 1_000, "at": NOW + 5 * WEEK},
        {"query": "<script>alert(1)</script>", "at": NOW + 4 * WEEK},
        {"query": "", "session_id": "", "at": NOW},
        {"query": None, "shown": (ReceiptEntry("gone", "lesson", ""),), "at": NOW},
    ):
        record(world_by_word, **fields)

    answer = opened(world_by_word).get("/")

    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert max(map(len, re.sub(r"<[^>]+>", "", answer.text).splitlines())) < 400
    assert figures_of(world_by_word)["born"] == 0
    assert figures_of(world_by_word)["shown"] == 2
