"""The texts that a model got beside the conversation, as transcripts of Claude Code and Codex have it."""

import datetime as dt
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts import given_texts as module
from hardwon.adapters.transcripts.given_texts import given_texts
from hardwon.domain.model.injection.receipt import GivenText
from tests.strategies import few_examples

AT = "2026-11-23T11:41:19.435Z"
WHEN = dt.datetime(2026, 11, 23, 11, 41, 19, 435000, dt.UTC)


def attachment(kind: str, **fields: object) -> dict[str, object]:
    return {
        "type": "attachment",
        "timestamp": AT,
        "attachment": {"type": kind, "hookEvent": "SessionStart", **fields},
    }


def message(role: str, *texts: str) -> dict[str, object]:
    content = [{"type": "input_text", "text": text} for text in texts]
    return {
        "timestamp": AT,
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": content},
    }


def write(folder: Path, *lines: object) -> str:
    path = folder / "transcript.jsonl"
    path.write_bytes(
        b"".join(
            line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
        )
    )
    return str(path)


def test_claude_code_attaches_plain_output_and_that_of_json(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        attachment("hook_success", content="plain", stdout="plain\n"),
        attachment("hook_additional_context", content=["one", "two", 3]),
        {"type": "user", "message": {"role": "user", "content": "Hello."}},
    )

    assert given_texts(path) == [GivenText(text, WHEN) for text in ("plain", "one", "two")]


def test_codex_has_developer_messages(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        message("developer", "one", "two"),
        message("user", "Hello."),
        message("assistant", "done"),
    )

    assert given_texts(path) == [GivenText("one", WHEN), GivenText("two", WHEN)]


@pytest.mark.parametrize(
    "line",
    [
        attachment("hook_cancelled", command="hook", timedOut=True),
        attachment("hook_success", content=None, stdout="not given"),
        attachment("environment", content="not of a hook", beside={"type": "hook_success"}),
        {
            "type": "api-request-blob",
            "blob": json.dumps(attachment("hook_success", content="repeated")),
        },
        {
            "type": "response_item",
            "payload": {"role": "developer", "content": "?", "type": "x"},
            "timestamp": 3,
        }
        | {"payload": 1},
    ],
)
def test_other_attachments_are_no_text_of_a_hook(tmp_path: Path, line: object) -> None:
    assert given_texts(write(tmp_path, attachment("skill_listing"), line)) == []


def test_a_file_that_could_not_tell_is_none(tmp_path: Path) -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": "Hello."}}
    os.mkfifo(tmp_path / "pipe")

    for path in (
        "",
        str(tmp_path),
        str(tmp_path / "none"),
        str(tmp_path / "pipe"),
        write(tmp_path),
        write(tmp_path, prompt),
    ):
        assert given_texts(path) is None


@pytest.mark.parametrize("at", [None, 3, "yesterday", "2026-11-23T11:41:19"])
def test_a_text_without_a_usable_time_is_kept_without_one(tmp_path: Path, at: object) -> None:
    line = {**attachment("hook_success", content="plain"), "timestamp": at}

    assert given_texts(write(tmp_path, line)) == [GivenText("plain", None)]


def test_only_the_end_of_a_huge_transcript_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(
        tmp_path, *(attachment("hook_success", content=str(number)) for number in range(9))
    )
    size = os.path.getsize(path)
    monkeypatch.setattr(module, "MAX_BYTES", size // 3)
    found = given_texts(path) or []

    assert [text for text, _ in found] == [str(number) for number in range(9)][-len(found) :]
    assert 1 <= len(found) <= 3


@given(
    lines=st.lists(
        st.binary(max_size=60)
        | st.builds(lambda b: b'{"type": "attachment"' + b, st.binary(max_size=40))
    )
)
@few_examples
def test_any_bytes_are_read_without_an_error(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    given_texts(write(tmp_path_factory.mktemp("any"), *(line + b"\n" for line in lines)))
