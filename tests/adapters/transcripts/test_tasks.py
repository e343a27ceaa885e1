"""The task of a subagent that starts, by transcripts as Claude Code writes them."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts import tasks as module
from hardwon.adapters.transcripts.tasks import Call, Calls, wait_for_task


@attrs.define
class Session:
    """A session's transcript and the files of its subagents."""

    folder: Path
    lines: list[str] = attrs.field(factory=list)

    @property
    def path(self) -> str:
        path = self.folder / "one.jsonl"
        path.write_text("\n".join(self.lines) + "\n")
        return str(path)

    def write(self, kind: str, block: dict[str, Any], **fields: Any) -> None:
        self.lines.append(
            json.dumps({"type": kind, "message": {"role": kind, "content": [block]}, **fields})
        )

    def call(self, name: str, task: str, tool: str = "Agent", **fields: Any) -> None:
        given = {"description": "look", "prompt": task, **fields}
        self.write("assistant", {"type": "tool_use", "id": name, "name": tool, "input": given})

    def result(self, name: str, agent: str = "") -> None:
        block = {"type": "tool_result", "tool_use_id": name, "content": "launched"}
        self.write("user", block, **({"toolUseResult": {"agentId": agent}} if agent else {}))

    def claim(self, name: str, agent: str) -> None:
        self.file(f"agent-{agent}.meta.json", json.dumps({"toolUseId": name}))

    def file(self, name: str, text: str) -> None:
        folder = self.folder / "one" / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    def task(self, agent: str = "a1", kind: str = "general-purpose") -> str:
        return wait_for_task(self.path, agent, kind)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(module, "SETTLING_SECONDS", 0.0)
    monkeypatch.setattr(module, "LONGEST_WAIT_SECONDS", 0.0)
    return Session(tmp_path)


@pytest.mark.parametrize("tool", ["Agent", "Task"])
def test_the_only_open_call_is_the_one(session: Session, tool: str) -> None:
    session.call("c1", "look at the parser", tool)

    assert session.task() == "look at the parser"


def test_calls_that_are_answered_or_taken_are_not_it(session: Session) -> None:
    session.call("c1", "first")
    session.result("c1")
    session.call("c2", "second")
    session.claim("c2", "a0")
    session.call("c3", "third", subagent_type="Explore")
    session.call("c4", "fourth")

    assert session.task() == "fourth"
    assert session.task(kind="Explore") == "third"
    assert session.task(kind="reviewer") == ""


def test_of_two_open_calls_of_a_kind_neither_is_guessed(session: Session) -> None:
    session.call("c1", "first")
    session.call("c2", "second")
    assert session.task() == ""

    session.claim("c1", "a0")
    assert session.task() == "second"


def test_agents_in_the_background_are_named_in_the_results(session: Session) -> None:
    for name, agent in (("c1", "a1"), ("c2", "a2"), ("c3", "a3")):
        session.call(name, f"task of {agent}")
        session.result(name, agent)

    assert [session.task(agent) for agent in ("a3", "a1", "a2")] == [
        "task of a3",
        "task of a1",
        "task of a2",
    ]


def test_a_result_that_is_written_late_is_waited_for(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_WAIT_SECONDS", 60.0)
    session.call("c1", "first")
    session.call("c2", "second")

    def pause(_: float) -> None:
        session.result("c2", "a1")
        assert session.path

    monkeypatch.setattr("time.sleep", pause)
    assert session.task() == "second"


def test_the_only_call_so_far_is_not_taken_before_others_could_be_written(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLING_SECONDS", 60.0)
    session.call("c1", "first")

    def pause(_: float) -> None:
        session.call("c2", "second")
        session.result("c2", "a1")
        assert session.path

    monkeypatch.setattr(module, "LONGEST_WAIT_SECONDS", 90.0)
    monkeypatch.setattr("time.sleep", pause)
    assert session.task() == "second"


@given(
    kinds=st.lists(st.sampled_from(["Explore", "general-purpose"]), min_size=1, max_size=6),
    data=st.data(),
)
def test_no_agent_gets_the_task_of_another(kinds: list[str], data: st.DataObject) -> None:
    made = {f"c{place}": Call(kind, f"task {place}") for place, kind in enumerate(kinds)}
    started = data.draw(st.permutations([*made]))  # all that have begun, in whatever order
    place = data.draw(st.integers(0, len(started) - 1))
    others = [name for name in started if name != started[place]]
    claimed = {f"a{name}": name for name in data.draw(st.sets(st.sampled_from(others or [""])))}
    answered = frozenset(data.draw(st.sets(st.sampled_from(others or [""]))))
    call = made[started[place]]
    calls = Calls(made, claimed, answered)

    assert calls.task_of("me") == ""
    assert calls.open_task(call.agent_type) in {call.task, ""}
    named = Calls(made, {**claimed, "me": started[place]}, answered)
    assert named.task_of("me") == call.task


def test_a_subagent_of_a_subagent_is_found_in_its_transcript(session: Session) -> None:
    inner = Session(session.folder / "inner")
    inner.folder.mkdir()
    inner.call("c7", "of its own subagent", subagent_type="Explore")
    session.call("c1", "outer")
    session.claim("c1", "a0")
    session.file("agent-a0.jsonl", Path(inner.path).read_text())

    assert session.task("a1", "Explore") == "of its own subagent"


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "assistant", "message": "tool_use"}',
        '{"message": {"content": [{"type": "tool_use", "name": "Agent", "input": "x"}]}}',
        '{"message": {"content": ["tool_result", 7]}, "toolUseResult": ["tool_result"]}',
        '{"cut": "tool_use',
        "\x00tool_result",
        "[" * 100_000 + '"tool_use"',
    ],
    ids=range(6),
)
def test_odd_lines_are_passed_over(session: Session, line: str) -> None:
    session.lines.append(line)
    session.file("agent-x.meta.json", "[")
    session.file("agent-y.meta.json", "[7]")
    session.call("c1", "look at the parser")

    assert session.task() == "look at the parser"


def test_without_a_transcript_there_is_no_task(tmp_path: Path) -> None:
    assert wait_for_task(str(tmp_path / "none.jsonl"), "a1", "Explore") == ""
    assert wait_for_task("", "a1", "Explore") == ""
