"""Tool calls of both hosts, as actions."""

import json
from pathlib import Path

import pytest

from hardwon.domain.model.conversation.actions import Change, Remark, Run
from tests.tool_transcripts import (
    CAUSE,
    HOSTS,
    MISSING,
    SIGNATURE,
    TESTS,
    Host,
    Recording,
    repaired,
)
from tests.transcripts import read

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def actions(tmp_path: Path, text: str) -> list[object]:
    return [action for new in read(tmp_path, text.encode()) for action in new.actions]


@pytest.mark.parametrize("host", HOSTS)
def test_runs_changes_and_stated_causes_are_read(tmp_path: Path, host: Host) -> None:
    found = actions(tmp_path, repaired(Recording(host)).text)

    failing, changed = found[0], [item for item in found if isinstance(item, Change)]
    assert isinstance(failing, Run)
    assert (failing.key, failing.failed) == ("pytest -q tests", True)
    assert failing.errors[0].signature == SIGNATURE
    assert [Path(change.path).name for change in changed] == ["pyproject.toml"]
    assert Remark(CAUSE) in found
    assert [item.failed for item in found if isinstance(item, Run)] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_commands_of_powershell_are_runs(tmp_path: Path) -> None:
    text = repaired(Recording("claude")).text.replace('"name": "Bash"', '"name": "PowerShell"')

    assert any(isinstance(item, Run) for item in actions(tmp_path, text))


@pytest.mark.parametrize("host", HOSTS)
def test_a_new_file_is_distinguished_from_a_changed_one(tmp_path: Path, host: Host) -> None:
    recording = Recording(host).asks("Fix it.").writes("tests/test_feed.py").edits("src/feed.py")

    found = actions(tmp_path, recording.replies("Done.").text)

    assert [change.is_new for change in found if isinstance(change, Change)] == [True, False]


@pytest.mark.parametrize(
    "output",
    [
        "<tool_use_error>InputValidationError: a command is missing</tool_use_error>",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "[Request interrupted by user for tool use]",
        "Exit code 137\nKilled",
        "Exit code 130\n^C",
        "Exit code 143\nCommand timed out after 2m 0s",
        "PreToolUse:Bash hook error: [check]: no",
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
    ],
)
def test_words_of_the_host_and_ended_commands_are_no_runs(tmp_path: Path, output: str) -> None:
    recording = Recording().asks("Fix it.")
    recording.runs("make sync", "x").replies("Done.")
    text = recording.text.replace('"content": "x"', f'"content": {json.dumps(output)}')

    assert actions(tmp_path, text.replace('"is_error": false', '"is_error": true')) == []


def test_an_interrupted_command_is_no_run(tmp_path: Path) -> None:
    text = Recording().asks("Fix it.").runs("make sync", MISSING).replies("Done.").text
    details = '"toolUseResult": {"interrupted": true}, "message"'

    assert actions(tmp_path, text.replace('"message"', details)) == []


@pytest.mark.parametrize(
    "output",
    [
        json.dumps({"output": MISSING, "metadata": {"exit_code": 1, "duration_seconds": 0.1}}),
        f"Exit code: 1\nWall time: 0.1 seconds\nOutput:\n{MISSING}",
        f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n{MISSING}",
    ],
)
def test_each_form_of_a_result_of_codex_is_read(tmp_path: Path, output: str) -> None:
    recording = Recording("codex").asks("Fix it.").runs("make sync", "x", 1).replies("Done.")
    lines = [json.loads(line) for line in recording.lines]
    lines[3]["payload"]["output"] = output

    [run] = actions(tmp_path, "\n".join(map(json.dumps, lines)))

    assert isinstance(run, Run)
    assert (run.failed, run.errors[0].signature) == (True, SIGNATURE)


def test_a_command_of_codex_that_still_runs_is_no_run(tmp_path: Path) -> None:
    recording = Recording("codex").asks("Fix it.").runs("make serve", "x").replies("Done.")
    lines = [json.loads(line) for line in recording.lines]
    lines[3]["payload"]["output"] = "Process running with session ID 7\nOutput:\nready"

    assert actions(tmp_path, "\n".join(map(json.dumps, lines))) == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_transcript_cut_anywhere_gives_a_part_of_its_actions(tmp_path: Path, host: Host) -> None:
    text = repaired(Recording(host)).text
    whole = actions(tmp_path, text)

    for end in range(200, len(text), 217):
        part = actions(tmp_path, text[:end])
        assert part == whole[: len(part)]


def test_a_result_of_ten_megabytes_is_no_run_and_harms_no_other(tmp_path: Path) -> None:
    recording = Recording().asks("Fix it.").runs("make sync", "word " * 2_000_000, 1)
    recording.runs(TESTS, MISSING, 1).replies("Done.")

    [run] = actions(tmp_path, recording.text)

    assert isinstance(run, Run)
    assert run.key == "pytest -q tests"


def test_calls_of_two_agents_keep_their_own_results(tmp_path: Path) -> None:
    recording = Recording().asks("Fix it.").runs("make sync", "fine").runs(TESTS, MISSING, 1)
    first_call, first_end, second_call, second_end = recording.lines[1:]
    lines = [recording.lines[0], first_call, second_call, second_end, first_end]

    found = actions(tmp_path, "\n".join(lines))

    assert [(run.key, run.failed) for run in found if isinstance(run, Run)] == [
        ("pytest -q tests", True),
        ("make sync", False),
    ]


def test_runs_of_a_subagent_are_not_read(tmp_path: Path) -> None:
    text = Recording().asks("Fix it.").runs(TESTS, MISSING, 1).replies("Done.").text
    lines = text.splitlines()
    lines[1:3] = [line.replace('"type"', '"isSidechain": true, "type"', 1) for line in lines[1:3]]

    assert actions(tmp_path, "\n".join(lines)) == []


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "assistant", "message": {"content": [{"type": "tool_use", "input": 7}]}}',
        '{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 3, "name": "Bash", "input": {"command": 9}}]}}',
        '{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "call_1", "content": {"x": 1}}]}}',
        '{"type": "user", "message": {"content": [{"type": "tool_result", "is_error": "yes"}]}}',
        '{"type": "response_item", "payload": {"type": "function_call", "arguments": "[1"}}',
        '{"type": "response_item", "payload": {"type": "function_call_output", "output": {"output": 3}}}',
        '{"type": "response_item", "payload": {"type": "custom_tool_call", "input": null}}',
    ],
)
def test_calls_of_unknown_shape_are_passed_over(tmp_path: Path, line: str) -> None:
    text = Recording().asks("Fix it.").replies("Done.").text

    assert actions(tmp_path, f"{text}{line}\n") == []


@pytest.mark.parametrize("host", HOSTS)
def test_no_secret_of_a_command_or_output_is_kept(tmp_path: Path, host: Host) -> None:
    error = f"fatal: unable to access the feed of Lumo with the token={SECRET} of the shop"
    recording = Recording(host).asks("Fix it.").runs(f"TOKEN={SECRET} make sync", error, 1)

    found = actions(
        tmp_path, recording.replies(f"It fails because token={SECRET} is too old.").text
    )

    assert found
    assert SECRET not in repr(found)
