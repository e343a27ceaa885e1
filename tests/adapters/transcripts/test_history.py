"""The texts in the history with which a session goes on, as Claude Code and Codex keep it where the session was forked."""

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts.history import MAX_CANDIDATES, history_texts, original_of
from hardwon.domain.model.injection.receipt import LastResponse
from tests.strategies import few_examples

NOW = dt.datetime(2026, 11, 25, 21, 1, 16, 96000, dt.UTC)
SECOND = dt.timedelta(seconds=1)
RESPONSE = LastResponse(age=60, tokens=40_015)
USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 5_000,
    "cache_read_input_tokens": 35_000,
    "output_tokens": 5,
    "output_tokens_details": {"thinking_tokens": 2},
    "cache_creation": {"ephemeral_1h_input_tokens": 5_000, "ephemeral_5m_input_tokens": 0},
    "iterations": [],
}
FIRST = "01a21481-ede8-7cf0-8b57-98c920620a99"
SECOND_FORK = "01a21483-4127-7801-b801-6ac91144e940"
THIRD = "01a2148b-fad1-7313-84a2-921515cda727"


def attachment(content: str) -> dict[str, Any]:
    return {
        "type": "attachment",
        "attachment": {"type": "hook_success", "hookEvent": "SessionStart", "content": content},
    }


def developer(text: str) -> tuple[str, dict[str, Any]]:
    content = [{"type": "input_text", "text": text}]
    return "response_item", {"type": "message", "role": "developer", "content": content}


def assistant(
    age: float = 60, *, usage: object = USAGE, model: str = "claude-opus-5-5", **fields: Any
) -> dict[str, Any]:
    at = (NOW - age * SECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    message = {
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": "Done."}],
        "usage": usage,
    }
    return {
        "type": "assistant",
        "timestamp": at,
        "isSidechain": False,
        "message": message,
        **fields,
    }


class Codex:
    """The sessions of Codex 0.169, which refers to the history of a fork."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def write(
        self,
        session: str,
        *lines: tuple[str, dict[str, Any]],
        first: int = 0,
        day: str = "25",
        **meta: Any,
    ) -> str:
        """Write a rollout whose lines count on from the ordinal *first*."""
        folder = self.home / "sessions" / "2026" / "11" / day
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"rollout-2026-11-{day}T21-01-15-{session}.jsonl"
        begun = {
            "account_scoped": True,
            "session_id": session,
            "id": session,
            **meta,
            "cli_version": "0.169.0",
        }
        with path.open("w", encoding="utf-8") as file:
            for ordinal, (kind, payload) in enumerate(
                (("session_meta", begun), *lines), start=first
            ):
                line = {
                    "timestamp": "2026-11-25T21:01:16.007Z",
                    "ordinal": ordinal,
                    "type": kind,
                    "payload": payload,
                }
                file.write(json.dumps(line) + "\n")
        return str(path)

    def fork(
        self,
        session: str,
        origin: str,
        end: int,
        *lines: tuple[str, dict[str, Any]],
        day: str = "25",
    ) -> str:
        facts = {"forked_from_id": origin, "forked_from_ordinal_exclusive": end}
        return self.write(session, *lines, first=end, day=day, **facts)


class Projects:
    """A project's folder of Claude Code, which copies the history of a fork later."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, *lines: object, age: float = 60) -> str:
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        changed = (NOW - age * SECOND).timestamp() + 1
        os.utime(path, (changed, changed))
        return str(path)

    def original(self, response: LastResponse = RESPONSE) -> str:
        return original_of(str(self.folder / "of-the-fork.jsonl"), response, NOW)


@pytest.fixture
def codex(tmp_path: Path) -> Codex:
    return Codex(tmp_path)


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


def texts(path: str) -> list[str] | None:
    found = history_texts(path)
    return None if found is None else [text for text, _ in found]


def test_a_fork_of_codex_has_what_its_original_was_given_before(codex: Codex) -> None:
    codex.write(FIRST, developer("one"), developer("two"), developer("after the fork"), day="24")
    path = codex.fork(SECOND_FORK, FIRST, 3, developer("own"))

    assert texts(path) == ["one", "two", "own"]


def test_a_fork_of_a_fork_has_what_both_were_given_before(codex: Codex) -> None:
    codex.write(FIRST, developer("one"), developer("two"))
    codex.fork(SECOND_FORK, FIRST, 2, developer("three"), developer("four"))

    assert texts(codex.fork(THIRD, SECOND_FORK, 4)) == ["one", "three"]
    assert texts(codex.fork(THIRD, SECOND_FORK, 2)) == ["one"]
    assert texts(codex.fork(THIRD, SECOND_FORK, 1)) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"forked_from_id": FIRST},  # an earlier version: the history is copied
        {"forked_from_id": "none", "forked_from_ordinal_exclusive": 2},
        {"forked_from_id": f"../{FIRST}", "forked_from_ordinal_exclusive": 2},
        {"forked_from_id": "*", "forked_from_ordinal_exclusive": 2},
        {"forked_from_id": None, "forked_from_ordinal_exclusive": 2},
        {"forked_from_id": FIRST, "forked_from_ordinal_exclusive": "2"},
    ],
)
def test_a_session_that_names_no_history_elsewhere_has_its_own(
    codex: Codex, facts: dict[str, Any]
) -> None:
    codex.write(FIRST, developer("one"))

    assert texts(codex.write(SECOND_FORK, developer("own"), **facts)) == ["own"]


def test_sessions_that_name_one_another_end(codex: Codex) -> None:
    codex.fork(FIRST, SECOND_FORK, 5, developer("one"))

    assert texts(codex.fork(SECOND_FORK, FIRST, 5, developer("two"))) == ["two"]


def test_a_compaction_ends_the_history_before_it(codex: Codex, projects: Projects) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "manual"},
    }
    path = codex.write(FIRST, developer("one"), ("compacted", {"message": ""}), developer("two"))

    assert texts(path) == ["two"]
    assert texts(codex.fork(SECOND_FORK, FIRST, 3)) == []
    assert texts(codex.fork(SECOND_FORK, FIRST, 2)) == ["one"]
    assert texts(projects.write("a", attachment("one"), boundary, attachment("two"))) == ["two"]
    assert texts(
        projects.write("a", attachment("one"), {"type": "user", "message": json.dumps(boundary)})
    ) == ["one"]
    assert texts(
        projects.write("a", attachment("one"), {**attachment("two"), "shape": boundary})
    ) == ["one", "two"]


def test_without_a_file_that_tells_nothing_is_known(projects: Projects) -> None:
    assert [history_texts(""), texts(projects.write("a", assistant()))] == [None, None]


@pytest.mark.parametrize("seconds", [-0.5, 0, 0.5, 3, 9])
def test_the_original_ends_with_the_response_that_the_host_describes(
    projects: Projects, seconds: float
) -> None:
    projects.write("of-an-other-size", assistant(usage={**USAGE, "output_tokens": 6}))
    projects.write("earlier", assistant(age=90))
    projects.write("later", assistant(), assistant(age=30))
    path = projects.write(
        "original", assistant(age=70), assistant(age=60 + seconds), {"type": "last-prompt"}
    )

    assert projects.original() == path


@pytest.mark.parametrize("seconds", [-2, 11])
def test_a_response_of_another_time_is_of_another_session(
    projects: Projects, seconds: float
) -> None:
    projects.write("a", assistant(age=60 + seconds), age=0)

    assert projects.original() == ""


@pytest.mark.parametrize(
    "line",
    [
        assistant(1, isSidechain=True),
        assistant(1, model="<synthetic>"),
        {"type": "user", "x": assistant(1)},
    ],
)
def test_a_line_that_is_no_response_of_the_session_is_passed_over(
    projects: Projects, line: object
) -> None:
    assert projects.original() == ""
    assert projects.write("a", assistant(), line) == projects.original()


def test_of_several_requests_the_last_one_counts(projects: Projects) -> None:
    requests = [
        {"type": "message", **USAGE, "input_tokens": 1},
        {"type": "message", **USAGE},
        {"type": "compaction"},
    ]
    path = projects.write(
        "a", assistant(usage={**USAGE, "output_tokens": 9_999, "iterations": requests})
    )

    assert projects.original() == path


@pytest.mark.parametrize("usage", [None, 3, {}, {"input_tokens": "40015"}, {"iterations": [3]}])
def test_a_response_without_its_tokens_is_not_the_described_one(
    projects: Projects, usage: object
) -> None:
    projects.write("a", assistant(usage=usage))

    assert projects.original() == ""


def test_the_file_that_was_written_to_soonest_is_found_among_many(projects: Projects) -> None:
    for number in range(MAX_CANDIDATES + 5):
        projects.write(f"{number}", assistant(age=30), age=30 - number)
    path = projects.write("z", assistant())

    assert projects.original() == path


def test_without_a_folder_or_a_file_of_it_there_is_no_original(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "other.txt").write_text(json.dumps(assistant()))

    assert original_of(str(tmp_path / "a.jsonl"), RESPONSE, NOW) == ""
    assert original_of(str(tmp_path / "none" / "a.jsonl"), RESPONSE, NOW) == ""


@given(
    lines=st.lists(
        st.binary(max_size=60)
        | st.builds(lambda b: b'{"type":"assistant","message":' + b, st.binary())
    )
)
@few_examples
def test_any_bytes_are_read_without_an_error(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    path.write_bytes(b"\n".join(lines))

    history_texts(str(path))
    assert original_of(str(path.with_name("b.jsonl")), RESPONSE, NOW) == ""
