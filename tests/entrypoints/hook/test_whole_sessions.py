"""Whole sessions, from the first event to the last, as Claude Code and Codex play them."""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from hardwon.domain.model.injection.entry_text import MAX_UNITS, units
from hardwon.domain.model.injection.neutral_text import TAG
from tests.entrypoints.hook.scripted_host import ClaudeCode, Codex, Command, Outcome, ScriptedHost
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import FRAME, TITLE, rest, statuses, until, written

PLUGIN = Path(__file__).parents[3] / "plugin"
MAX_PROMPT_UNITS = 1_500
LESSON = "Pin the parser's version"
BANK = f"### Pattern: {LESSON}\nA parser that updates itself between two runs reads the same feed in two ways.\n"
QUESTION = "Our feed was read in two ways: did the parser update itself between two runs, should we pin its version?"
GARBAGE = [b"\xff\xfe{", b'{"hook_event_name": "Nonsense"}']


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a project with one lesson, in which conversations are kept and nothing is embedded."""
    empty_world.variables |= {
        "HARDWON_CAPTURE_ENABLED": "true",
        "HARDWON_EMBEDDING_PROVIDER": "off",
    }
    empty_world.write_bank("patterns", BANK)
    return empty_world


def by_itself(_: str) -> Sequence[str]:
    """Return the hook alone."""
    return [str(BIN / "hardwon-hook")]


def by_the_plugin(world: World) -> Command:
    """Return what Claude Code makes of the plugin's hooks."""
    world.variables["UV_TOOL_BIN_DIR"] = str(BIN)
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_bytes())["hooks"]

    def command(event: str) -> Sequence[str]:
        if event not in hooks:
            return []
        [hook] = hooks[event][0]["hooks"]
        return [hook["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)), *hook["args"]]

    return command


def by_init(world: World) -> Command:
    """Return what Codex makes of the hooks that `hardwon init` wrote, into another home and for another store."""
    desk = copy.copy(world)
    home = world.folder / "desk"
    desk.variables = {**world.variables, "HOME": str(home), "HARDWON_STORE": str(home / "store")}
    desk.project = home / "project"
    desk.project.mkdir(parents=True)
    assert hardwon(desk, "init", "--agent", "codex", "--yes").code == 0
    hooks = json.loads((home / ".codex" / "hooks.json").read_bytes())["hooks"]
    return lambda event: (
        ["/bin/sh", "-c", hooks[event][0]["hooks"][0]["command"]] if event in hooks else []
    )


WAYS: Mapping[str, tuple[type[ScriptedHost], Callable[[World], Command]]] = {
    "Claude Code, by the plugin": (ClaudeCode, by_the_plugin),
    "Codex, as init set it up": (Codex, by_init),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_session_from_its_start_to_its_end(world: World, way: str) -> None:
    client, output = WAYS[way]
    command = output(world)
    first = client(world, command, "first")
    assert not first.transcript.exists()
    first.start()
    _talk(first, "Which way does the importer go?", "We decided on way 1.")
    _talk(first, QUESTION, f"Yes: {LESSON}.")
    first.compact()
    first.end("clear")
    second = client(world, command, "second")
    second.start("clear")
    _talk(second, "And the exporter?", "We decided on way 2.")
    second.end()
    rest(world)
    resumed = second.start("resume", seconds_since_last_response=9)
    second.end()
    rest(world)

    assert (resumed.code, resumed.stdout, resumed.stderr) == (0, "", "")
    outcomes = [item for item in (*first.outcomes, *second.outcomes) if item is not resumed]
    _assert_every_event_went_well(outcomes)
    _assert_utterances_are_kept(world)
    _assert_all_that_arrived_is_counted(world, [first, second])
    _assert_nothing_lies_elsewhere(world, [first, second])


def test_interleaved_sessions_are_kept_apart_and_garbage_between_them_is_ignored(
    world: World,
) -> None:
    left, right = ClaudeCode(world, by_itself, "left"), Codex(world, by_itself, "right")
    left.ask("What does the left one ask?")
    right.ask("What does the right one ask?")
    garbled = [right.send("garbage", payload) for payload in GARBAGE]
    right.reply("The right answer.")
    left.reply("The left answer.")
    for host in (left, right):
        host.end()
    rest(world)

    assert {(item.code, item.stdout, "Traceback" in item.stderr) for item in garbled} == {
        (0, "", False)
    }
    _assert_every_event_went_well(
        [item for item in (*left.outcomes, *right.outcomes) if item not in garbled]
    )
    stands = statuses(world)
    assert {name: (stands[name].exchanges, stands[name].waiting) for name in ("left", "right")} == {
        "left": (1, 0),
        "right": (1, 0),
    }
    utterance = written(world)
    assert all(utterance.count(f"The {side} answer.") > 0 for side in ("left", "right"))


def test_utterances_before_a_kill_of_the_host_are_kept_by_the_next_session(world: World) -> None:
    killed = Codex(world, by_itself, "killed")
    _talk(killed, "Which way does the importer go?", "We decided on way 1.")
    assert written(world) == ""

    following = Codex(world, by_itself, "next")
    _assert_every_event_went_well([following.start()])
    until(lambda: "way 1." in written(world))
    rest(world)


def test_a_prompt_brings_up_the_lesson_it_needs_once_a_session(world: World) -> None:
    others = (
        f"### Pattern: Other {number}\nAbout thing {number}.\n- Observation count: 9\n"
        for number in range(60)
    )
    world.write_bank("patterns", BANK + "".join(others))
    world.variables["HARDWON_INJECTION_LIMIT"] = "3"
    host = ClaudeCode(world, by_itself, "first")
    shown = [host.start(), host.ask(QUESTION), host.ask(QUESTION)]
    rest(world)

    assert [LESSON in item.context for item in shown] == [False, True, False]


def _talk(host: ScriptedHost, prompt: str, reply: str) -> None:
    host.ask(prompt)
    host.reply(reply)


def _assert_every_event_went_well(outcomes: Sequence[Outcome]) -> None:
    for item in outcomes:
        assert (item.code, item.stderr) == (0, ""), item
        if item.event == "SessionStart":
            _assert_one_framed_block(item.context)
        elif item.event == "UserPromptSubmit":
            _assert_little_is_brought_up(item.context)
        else:
            assert item.stdout == "", item


def _assert_one_framed_block(text: str) -> None:
    lines = text.splitlines()
    assert (lines[0], lines[1], lines[-2], lines[-1]) == (FRAME[0], TITLE, "---", FRAME[1])
    assert text.count(f"<{TAG}") == text.count(f"</{TAG}>") == lines.count("---") == 1
    assert lines.count(f"### Pattern: {LESSON}") == 1
    assert units(text) <= MAX_UNITS


def _assert_little_is_brought_up(text: str) -> None:
    assert units(text) <= MAX_PROMPT_UNITS
    if text:
        lines = text.splitlines()
        assert (lines[0], lines[-1]) == FRAME
        assert text.count(f"<{TAG}") == 1


def _assert_utterances_are_kept(world: World) -> None:
    utterance = written(world)
    assert all(text in utterance for text in ("way 1.", "way 2.", QUESTION))
    assert BANK.splitlines()[1] not in utterance, "capture fed on what memory had put in"
    stands = statuses(world)
    assert {name: (item.exchanges, item.waiting) for name, item in stands.items()} == {
        "first": (2, 0),
        "second": (1, 0),
    }


def _assert_all_that_arrived_is_counted(world: World, hosts: Sequence[ScriptedHost]) -> None:
    """After the compaction there was no turn: its block reached no model."""
    printed = sum(
        f"### Pattern: {LESSON}" in item.context for host in hosts for item in host.outcomes
    )
    arrived = sum(f"### Pattern: {LESSON}" in text for host in hosts for text in host.given)
    counted = "SELECT recall_count FROM recall JOIN entry_text USING (entry_seq) WHERE name = ?"
    assert 0 < arrived < printed
    assert world.query(counted, [LESSON]) == [(arrived,)]


def _assert_nothing_lies_elsewhere(world: World, hosts: Sequence[ScriptedHost]) -> None:
    home, transcripts = Path(world.variables["HOME"]), {host.transcript for host in hosts}
    assert {path for path in home.rglob("*") if path.is_file()} == transcripts
    found = {
        path.relative_to(world.project).parts[:2]
        for path in world.project.rglob("*")
        if path.is_file()
    }
    assert {parts for parts in found if parts[0] != "memory"} == {("docs", "knowledge-bank")}
    assert all(
        path.suffix == ".md" for path in (world.project / "memory").rglob("*") if path.is_file()
    )
    assert not world.log.exists()
    assert not (world.folder / "exports").exists()
