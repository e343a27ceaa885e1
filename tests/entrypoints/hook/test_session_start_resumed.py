"""A session that goes on gets only what is new; one whose history the host dropped gets the whole block."""

import datetime as dt
import json
from typing import Any

import pytest

from hardwon.domain.model.entry import Entry
from tests.entrypoints.hook.test_session_start_rules import HEADING, rule
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.strategies import lesson

FIRST = lesson(
    "Retry a refused connection after a pause that doubles each time.", name="Double every pause"
)
SECOND = lesson(
    "Give each connection a time-out of its own, in seconds.",
    name="Own time-outs",
    category="heuristics",
)
THIRD = lesson(
    "Close the pool before the process forks.", name="Close before fork", category="anti-patterns"
)
LATEST = lesson("Pin the version of the parser of feeds.", name="Pin the parser")
ALL = {entry.name for entry in (FIRST, SECOND, THIRD)}


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.remember(FIRST, SECOND, THIRD)
    return empty_world


class Host:
    """A host that writes a transcript; *is_named* is whether its payloads name it."""

    def __init__(self, world: World, session_id: str = "s-one", *, is_named: bool = True) -> None:
        self.world = world
        self.session_id = session_id
        self.is_named = is_named
        self.transcript = world.folder / f"{session_id}.jsonl"

    def start(self, source: str, *, arrives: bool = True, **facts: Any) -> set[str]:
        """Start the session; return the names of the lessons and rules that are printed."""
        run = self.world.hook(
            payload={**self._shared(), "hook_event_name": "SessionStart", "source": source, **facts}
        )
        assert (run.code, run.stderr, run.log) == (0, "", ())
        self._write(
            {"type": "hook_success", "content": run.stdout.strip()}
            if arrives
            else {"type": "hook_cancelled"}
        )
        return names(run.stdout)

    def stop(self) -> None:
        reply = {"hook_event_name": "Stop", "last_assistant_message": "Done."}
        assert self.world.hook(payload={**self._shared(), **reply}).code == 0

    def ask(self, prompt: str) -> set[str]:
        asked = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
        run = self.world.hook(payload={**self._shared(), **asked})
        if run.stdout:
            self._write({"type": "hook_success", "content": run.stdout.strip()})
        return names(run.stdout)

    def fork(self, session_id: str) -> "Host":
        """Return a copy of the session, whose history the host copies too."""
        copy = Host(self.world, session_id)
        copy.transcript.write_text(
            self.transcript.read_text("utf-8").replace(self.session_id, session_id), "utf-8"
        )
        return copy

    def respond(self, tokens: int) -> None:
        """Write a response of the model, as Claude Code does."""
        usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 15, "output_tokens": 5}
        self._add(
            {
                "type": "assistant",
                "message": {"role": "assistant", "model": "a-model", "usage": usage},
            }
        )

    def _shared(self) -> dict[str, Any]:
        path = {"transcript_path": str(self.transcript)} if self.is_named else {}
        return {"session_id": self.session_id, "cwd": str(self.world.project), **path}

    def _write(self, attachment: dict[str, Any]) -> None:
        self._add({"type": "attachment", "attachment": attachment})

    def _add(self, line: dict[str, Any]) -> None:
        line = {
            "timestamp": dt.datetime.now(dt.UTC).isoformat(),
            **line,
            "sessionId": self.session_id,
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class CodexHost(Host):
    """Codex 0.169, whose fork names the session that has its history."""

    def __init__(self, world: World, session_id: str, *, forked_from: str = "") -> None:
        super().__init__(world, session_id)
        folder = world.folder / "sessions" / "2026" / "11" / "25"
        folder.mkdir(parents=True, exist_ok=True)
        self.transcript = folder / f"rollout-2026-11-25T21-01-15-{session_id}.jsonl"
        origin = (
            {"forked_from_id": forked_from, "forked_from_ordinal_exclusive": 100}
            if forked_from
            else {}
        )
        self._add({"ordinal": 0, "type": "session_meta", "payload": {"id": session_id, **origin}})

    def _write(self, attachment: dict[str, Any]) -> None:
        content = [{"type": "input_text", "text": attachment["content"]}]
        self._add(
            {
                "ordinal": 1,
                "type": "response_item",
                "payload": {"role": "developer", "content": content},
            }
        )


def names(text: str) -> set[str]:
    entries: tuple[Entry, ...] = (FIRST, SECOND, THIRD, LATEST, RULE)
    return {entry.name for entry in entries if entry.name in text}


RULE = rule("Units of lengths", "Name the unit of every length.")


@pytest.mark.parametrize("is_named", [True, False])
def test_a_resumed_session_gets_no_second_block(world: World, *, is_named: bool) -> None:
    host = Host(world, is_named=is_named)

    assert host.start("startup") == ALL
    assert [host.start("resume"), host.start("resume")] == [set(), set()]


@pytest.mark.parametrize("turns", [0, 1])
def test_a_resumed_session_gets_the_lesson_and_the_rule_that_are_new_once(
    world: World, turns: int
) -> None:
    host = Host(world)
    host.start("startup")
    for _ in range(turns):
        host.stop()
    world.remember(LATEST, RULE)

    assert host.start("resume") == {LATEST.name, RULE.name}
    assert host.start("resume") == set()


def test_a_lesson_that_was_left_out_of_the_block_is_not_new(world: World) -> None:
    world.variables["HARDWON_INJECTION_LIMIT"] = "2"
    host = Host(world)
    printed = host.start("startup")

    assert len(printed) == 2
    assert host.start("resume") == set()
    world.remember(LATEST)
    assert host.start("resume") <= {LATEST.name}


def test_a_lesson_of_the_bank_with_an_early_date_is_new(world: World) -> None:
    host = Host(world)
    host.start("startup")
    world.write_bank(
        "patterns", f"### Pattern: {LATEST.name}\nPin it.\n- Last observed: 2020-01-01\n"
    )

    assert host.start("resume") == {LATEST.name}


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_a_session_whose_history_was_dropped_gets_the_whole_block_again(
    world: World, source: str
) -> None:
    host = Host(world)
    host.start("startup")

    assert host.start(source) == ALL
    assert host.start("resume") == set()
    assert host.start(source) == ALL


def test_a_block_that_did_not_arrive_is_printed_again(world: World) -> None:
    host = Host(world)
    host.start("startup", arrives=False)

    assert host.start("resume", arrives=False) == ALL
    host.stop()
    assert host.start("resume") == ALL
    assert host.start("resume") == set()


def test_only_the_new_lesson_that_did_not_arrive_is_printed_again(world: World) -> None:
    host = Host(world)
    host.start("startup")
    world.remember(LATEST)

    assert [host.start("resume", arrives=False), host.start("resume"), host.start("resume")] == [
        {LATEST.name},
        {LATEST.name},
        set(),
    ]


def test_a_fork_holds_the_block_that_its_history_carries(world: World) -> None:
    host = Host(world)
    host.start("startup")
    host.stop()
    world.remember(LATEST)
    fork = host.fork("two")

    assert [fork.start("fork"), fork.start("resume")] == [{LATEST.name}, set()]
    assert Host(world, "three").start("fork") == ALL | {LATEST.name}  # its history is not there
    assert host.start("resume") == {LATEST.name}


def test_a_fork_whose_history_is_copied_later_holds_the_block_of_its_original(world: World) -> None:
    host, fork = Host(world), Host(world, "two")
    host.start("startup")
    host.respond(tokens=40_015)
    described: dict[str, Any] = {"seconds_since_last_response": 0, "context_tokens": 40_015}
    world.remember(LATEST)

    assert Host(world, "three").start(
        "fork", seconds_since_last_response=0, context_tokens=40_016
    ) == ALL | {LATEST.name}
    assert fork.start("fork", **described) == {LATEST.name}
    assert fork.start("resume", **described) == set()
    assert Host(world, "four").start("startup", **described) == ALL | {LATEST.name}


def test_a_fork_whose_history_lies_with_its_original_holds_the_block(world: World) -> None:
    host, fork = CodexHost(world, "one"), CodexHost(world, "two", forked_from="one")
    host.start("startup")
    world.remember(LATEST)

    assert [fork.start("fork"), fork.start("resume"), fork.start("compact")] == [
        {LATEST.name},
        set(),
        ALL | {LATEST.name},
    ]
    assert CodexHost(world, "three", forked_from="none").start("fork") == ALL | {LATEST.name}


def test_without_a_store_a_fork_is_not_given_the_block_of_its_original_again(
    empty_world: World,
) -> None:
    empty_world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    empty_world.write_bank("patterns", f"### Pattern: {FIRST.name}\nRetry.\n")
    host = Host(empty_world)
    host.start("startup")
    host.respond(tokens=40_015)

    assert (
        Host(empty_world, "two").start("fork", seconds_since_last_response=0, context_tokens=40_015)
        == set()
    )
    assert Host(empty_world, "three").start(
        "fork", seconds_since_last_response=0, context_tokens=9
    ) == {FIRST.name}


def test_a_new_session_and_one_of_another_name_get_the_whole_block(world: World) -> None:
    Host(world).start("startup")

    assert Host(world, "two").start("startup") == ALL
    assert Host(world, "three").start("resume") == ALL


def test_beside_a_prompt_is_said_again_what_the_compaction_dropped(world: World) -> None:
    world.variables |= {"HARDWON_INJECTION_LIMIT": "1", "HARDWON_PROMPT_ENABLED": "true"}
    question = (
        "A refused connection: after which pause do we retry, does the pause double each time?"
    )
    host = Host(world)
    first = host.start("startup") | host.ask(question)
    second = host.ask(question)
    after = host.start("compact") | host.ask(question)

    assert (FIRST.name in first, second, FIRST.name in after) == (True, set(), True)


def test_nothing_that_is_not_printed_is_counted(world: World) -> None:
    host = Host(world)
    host.start("startup")
    host.start("resume")
    host.stop()

    assert world.query("SELECT DISTINCT recall_count FROM recall") == [(1,)]
    assert len(hardwon(world, "why", "s-one", "--json").items) == 1


def test_without_a_store_the_block_that_the_history_has_is_not_printed_again(
    empty_world: World,
) -> None:
    empty_world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    empty_world.write_bank("patterns", f"### Pattern: {FIRST.name}\nRetry.\n")
    host = Host(empty_world)

    assert [host.start("startup"), host.start("resume"), host.start("compact")] == [
        {FIRST.name},
        set(),
        {FIRST.name},
    ]
    empty_world.write_bank(
        "patterns", f"### Pattern: {FIRST.name}\nRetry.\n### Pattern: {LATEST.name}\nPin.\n"
    )
    assert host.start("resume") == {FIRST.name, LATEST.name}


def test_a_busy_store_is_one_line_and_the_whole_block(world: World) -> None:
    host = Host(world, is_named=False)
    host.start("startup")
    with world.connect() as other:
        other.execute("BEGIN IMMEDIATE")
        run = world.hook(
            payload={**world.session_start(), "session_id": "s-one", "source": "clear"}
        )

    assert names(run.stdout) == ALL
    assert [line for line in run.log if "what this session was given before is not known" in line]


def test_a_new_rule_comes_in_a_block_of_its_own(world: World) -> None:
    host = Host(world)
    host.start("startup")
    world.remember(RULE)
    run = world.hook(
        payload={**host._shared(), "hook_event_name": "SessionStart", "source": "resume"}
    )

    assert run.stdout.startswith("<hardwon-memory")
    assert HEADING in run.stdout
