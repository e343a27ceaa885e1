"""How long a server takes to start is measured until its first answer, and bounded."""

import time
from pathlib import Path

import pytest

from hardwon.adapters.agents import start_time
from hardwon.adapters.agents.start_time import start_seconds

PAUSE = 0.2


def program(folder: Path, text: str) -> str:
    path = folder / "hardwon-mcp"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_answer_ends_the_measurement_and_the_server(tmp_path: Path) -> None:
    answering = f'read request; sleep {PAUSE}; echo "$HARDWON_STORE" > {tmp_path}/store; echo {{}}; exec sleep 60'
    began = time.monotonic()
    seconds = start_seconds(program(tmp_path, answering))

    assert PAUSE <= seconds <= time.monotonic() - began < 60
    assert not Path((tmp_path / "store").read_text().strip()).parent.exists(), "it ran on the store of the user"


@pytest.mark.parametrize("text", ["exit 3", "exec sleep 60"])
def test_a_server_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(start_time, "LIMIT_SECONDS", PAUSE)

    assert 0 < start_seconds(program(tmp_path, text)) < 60


def test_a_program_that_is_not_there_takes_no_time(tmp_path: Path) -> None:
    assert start_seconds(str(tmp_path / "none")) == 0.0
