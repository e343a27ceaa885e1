"""The real agents get the lesson at the moment: in the next request, once."""

import time
from pathlib import Path

import pytest

from tests.clients.conftest import (
    CLAUDE_CODE,
    CLIENTS,
    CODEX,
    ERROR,
    GEMINI_CLI,
    LESSON,
    OLD_CLAUDE_CODE,
    OPENCODE,
    OTHER,
    RULE,
    Client,
    Desk,
    Set,
)
from tests.clients.scripted_model import TOKENS, Call, Request, script
from tests.entrypoints.programs import hardwon
from tests.machine import LONGEST_WAIT

pytestmark = pytest.mark.clients

FAILS = "python3 -c 'import frobnicate'"
WORDS = "Please run what is due."
DECIDED = "We decided: the image of the shop is signed once, in the build."
TASK = f"Find out why CI says {ERROR} when it imports frobnicate."
QUESTION = f"Why does CI say {ERROR} although the venv is cached?"
COUNT = "Find out why counting the herd of zebra_quux raises LockTimeout."

every_client = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.agent)


def failing(client: Client, *commands: str) -> str:
    return script(*([client.run(command)] for command in commands), words=WORDS)


def with_results(requests: list[Request], count: int) -> list[Request]:
    """Return the requests of an agent that hold *count* results."""
    return [item for item in requests if len(item.results) == count and item.is_of_agent]


def wait_for_capture(at: Desk, text: str) -> None:
    """Wait until *text* is in the project's memory."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not any(text in file.read_text() for file in (at.world.project / "memory").rglob("*.md")):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@every_client
def test_a_failing_command_gets_the_lesson_in_the_next_request_once(
    desk: Set, client: Client
) -> None:
    at = desk(client)
    requests = at.ask(failing(client, "true", FAILS, FAILS))
    [first], [passed], [failed], [repeated] = (with_results(requests, count) for count in range(4))

    assert [LESSON in request.text for request in (first, passed, failed)] == [False, False, True]
    assert repeated.text.count(LESSON) == 1
    assert [receipt[:2] for receipt in at.receipts()] == [("failure", "")]


@pytest.mark.parametrize("client", [CODEX, GEMINI_CLI], ids=lambda client: client.agent)
def test_a_failure_that_a_pipe_hid_gets_it_too(desk: Set, client: Client) -> None:
    requests = desk(client).ask(failing(client, f"{FAILS} 2>&1 | tail -n 5"))
    [first], [failed] = (with_results(requests, count) for count in range(2))

    assert (LESSON in first.text, LESSON in failed.text) == (False, True)


@every_client
def test_a_resumed_session_does_not_get_it_again(desk: Set, client: Client) -> None:
    at = desk(client)
    at.ask(failing(client, FAILS))
    requests = at.ask(failing(client, FAILS), resumes=True)
    [first], [failed] = (with_results(requests, count) for count in range(2))

    assert LESSON in first.text
    assert failed.text.count(LESSON) == first.text.count(LESSON)  # Gemini CLI doubles a result
    assert len(at.receipts()) == 1


def test_a_compacted_session_of_claude_code_gets_it_again(desk: Set) -> None:
    at = desk(CLAUDE_CODE)
    at.ask(failing(CLAUDE_CODE, FAILS))
    at.ask("/compact", resumes=True)
    requests = at.ask(failing(CLAUDE_CODE, FAILS), resumes=True)
    [first], [failed] = (with_results(requests, count) for count in range(2))

    assert (first.text.count(LESSON), failed.text.count(LESSON)) == (0, 1)
    assert len(at.receipts()) == 2


def test_a_compacted_session_of_codex_gets_it_again(desk: Set) -> None:
    at = desk(CODEX)
    at.ask(failing(CODEX, "true", "true", "true", FAILS))
    settings = Path(at.world.variables["HOME"]) / ".codex" / "config.toml"
    full = f"model_auto_compact_token_limit = {11 * TOKENS}\n"  # what has been said is more
    settings.write_text(full + settings.read_text())
    requests = at.ask(failing(CODEX, FAILS), resumes=True)

    assert requests[-1].text.count(LESSON) == 1
    assert len(at.receipts()) == 2


def of_task(requests: list[Request], task: str) -> Request:
    """Return the first request of the subagent with *task*."""
    return next(
        item
        for item in requests
        if any(part.kind == "user" and part.text.strip().endswith(task) for part in item.items)
        and item.is_of_agent
    )


def assert_each_subagent_gets_its_own(at: Desk) -> None:
    """Start two subagents at once and wait until both have started."""
    client = at.client
    assert client.subagents
    waiting = [client.run("sleep 3")]
    requests = at.ask(script(client.subagents([TASK, COUNT]), waiting, words=WORDS))
    first, second = (of_task(requests, task) for task in (TASK, COUNT))

    assert [text in first.text for text in (RULE, LESSON, OTHER)] == [True, True, False]
    assert [text in second.text for text in (RULE, LESSON, OTHER)] == [True, False, True]
    assert len({receipt[1] for receipt in at.receipts() if receipt[0] == "subagent"}) == 2


@pytest.mark.parametrize("client", [CLAUDE_CODE, CODEX, OPENCODE], ids=lambda client: client.agent)
def test_subagents_at_once_get_the_rule_and_each_its_own_lesson(desk: Set, client: Client) -> None:
    at = desk(client)
    assert_each_subagent_gets_its_own(at)

    expected = "printed" if client is OPENCODE else "delivered"
    assert [receipt[2] for receipt in at.receipts()] == [expected] * 2


def test_the_running_server_answers_claude_code_without_a_process(desk: Set) -> None:
    at = desk(CLAUDE_CODE)
    at.register_server()
    herd = at.world.project / "src" / "herd.py"
    herd.parent.mkdir()
    herd.write_text("locked = False\n")
    piped = CLAUDE_CODE.run(f"{FAILS} 2>&1 | tail -n 3")
    read = Call("Read", {"file_path": str(herd)})
    requests = at.ask(script([piped], [read], words=WORDS))
    [first], [failed], [opened] = (with_results(requests, count) for count in range(3))

    assert [LESSON in request.text for request in (first, failed)] == [False, True]
    assert [OTHER in request.text for request in (failed, opened)] == [False, True]
    assert at.receipts() == [("failure", "", "delivered"), ("file", "", "delivered")]
    assert_each_subagent_gets_its_own(at)


def test_a_prompt_is_answered_by_the_running_server_and_by_a_process_without_one(
    desk: Set, tmp_path: Path
) -> None:
    at = desk(CLAUDE_CODE)
    at.register_server()
    ran = at.count_processes(tmp_path / "ran")
    [request] = at.ask(script(words=QUESTION))
    assert (request.text.count(LESSON), ran()) == (1, ["SessionStart", "Stop", "SessionEnd"])

    at.unregister_server()
    [request] = at.ask(script(words=QUESTION))
    assert (request.text.count(LESSON), "UserPromptSubmit" in ran()) == (1, True)
    assert "MCP server 'hardwon' not connected" in hardwon(at.world, "doctor").stdout


def test_a_stopped_server_holds_up_no_session_and_processes_answer_later(desk: Set) -> None:
    at = desk(CLAUDE_CODE)
    at.world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    at.register_server()
    stop = CLAUDE_CODE.run(f"kill -STOP $(cat {at.world.store}/answering-*)")
    with at.session() as ask:
        [request] = with_results(ask(script([stop], words=QUESTION)), 0)
        before = request.text.count(LESSON)
        ask(script([CLAUDE_CODE.run("true")], words=DECIDED))
        [request] = with_results(ask(script(words=f"Please look. {COUNT}")), 0)

    assert (before, OTHER in request.text) == (1, True)
    assert "'hardwon' gave no answer in time" in hardwon(at.world, "doctor").stdout
    wait_for_capture(at, DECIDED)


def test_a_prompt_of_codex_is_answered_by_the_running_server(desk: Set, tmp_path: Path) -> None:
    at = desk(CODEX)
    at.settle_without_variables()  # its servers get none
    at.put_on_path("codex")
    at.init()
    ran = at.count_processes(tmp_path / "ran")
    requests = at.ask(script(words=QUESTION))

    assert requests[-1].text.count(LESSON) == 1
    assert ran().count("UserPromptSubmit") == 0
    assert_each_subagent_gets_its_own(at)


def test_an_old_claude_code_keeps_all_its_hooks(desk: Set) -> None:
    at = desk(OLD_CLAUDE_CODE)
    requests = at.ask(failing(OLD_CLAUDE_CODE, FAILS))
    [first], [failed] = (with_results(requests, count) for count in range(2))
    assert (LESSON in first.text, LESSON in failed.text) == (False, True)

    at.world.variables["HARDWON_INJECTION_LIMIT"] = "20"
    started = at.ask(script(words=WORDS))
    assert any(RULE in request.text for request in started)
