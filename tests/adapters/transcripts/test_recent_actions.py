"""The actions before a run, of a transcript that grows."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts.action_log import RecentActions
from hardwon.domain.model.conversation.actions import Run
from hardwon.domain.model.conversation.session_actions import NO_ACTIONS, RepeatedFailure
from tests.tool_transcripts import HOSTS, MISSING, Host, Recording

COMMANDS = ("pytest -q", "npm test", "make build")
runs = st.lists(st.tuples(st.sampled_from(COMMANDS), st.booleans()), max_size=12)


def failed_before(recent: RecentActions, path: Path, command: str) -> RepeatedFailure | None:
    run = Run(command, command, failed=False)
    return recent.before(str(path), run).repeated_failure(run)


@given(host=st.sampled_from(HOSTS), made=runs, cuts=st.lists(st.integers(0, 5_000), max_size=6))
def test_a_reader_that_was_asked_before_finds_what_a_new_one_finds(
    host: Host, made: list[tuple[str, bool]], cuts: list[int]
) -> None:
    recording = Recording(host)
    for command, passes in made:
        recording.runs(command, "" if passes else MISSING, 0 if passes else 1)
    text, recent = recording.text.encode(), RecentActions()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.jsonl"
        for end in (*sorted(cuts), len(text)):
            path.write_bytes(text[:end])
            for command in COMMANDS:
                found = failed_before(recent, path, command)
                assert found == failed_before(RecentActions(), path, command)


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_text(Recording().runs("pytest -q", MISSING, 1).runs("pytest -q", MISSING, 1).text)
    return path


def test_no_line_is_read_again(twice: Path) -> None:
    recent = RecentActions()
    assert failed_before(recent, twice, "pytest -q")
    size = twice.stat().st_size
    with twice.open("r+b") as file:
        file.write(b"#" * (size - 1))
        file.seek(size)
        file.write(Recording().runs("npm test").text.encode())

    found = failed_before(recent, twice, "pytest -q")
    assert (found and found.times, failed_before(RecentActions(), twice, "pytest -q")) == (2, None)


def test_of_another_file_nothing_is_known_of_the_last(twice: Path, tmp_path: Path) -> None:
    recent, other = RecentActions(), tmp_path / "other.jsonl"
    other.write_text(Recording().runs("npm test").text)
    for path in (other, tmp_path / "missing", tmp_path, Path("a\0b")):
        assert failed_before(recent, twice, "pytest -q")
        assert recent.before(str(path), Run("pytest -q", "pytest -q", failed=False)) == NO_ACTIONS

    assert failed_before(recent, twice, "pytest -q")
    other.replace(twice)
    assert failed_before(recent, twice, "pytest -q") is None


def test_a_file_that_was_cut_is_read_from_its_beginning(twice: Path) -> None:
    recent = RecentActions()
    assert failed_before(recent, twice, "pytest -q")
    twice.write_text(Recording().runs("npm test").text)

    assert failed_before(recent, twice, "pytest -q") is None
