"""The block of a session start counts once the host's transcript has it; `why` and `doctor` tell."""

import contextlib
import json
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import Run, World
from tests.entrypoints.programs import hardwon
from tests.strategies import lesson

ENTRY = lesson(
    "Retry a refused connection after a pause that doubles each time.",
    name="Double Every Pause Again",
)
SILENT = (0, "", "")
LATER = "2099-01-01T00:00:00.000Z"


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.remember(ENTRY)
    return empty_world


@pytest.fixture
def transcript(world: World) -> Path:
    """Return the file that the host names and writes when the first turn begins."""
    return world.folder / "transcript.jsonl"


def start(world: World, transcript: Path | None, session_id: str = "one") -> str:
    path = str(transcript or "")
    return world.hook(
        payload={**world.session_start(), "session_id": session_id, "transcript_path": path}
    ).stdout


def end(world: World, transcript: Path, event: str = "Stop", session_id: str = "one") -> Run:
    payload = {
        "session_id": session_id,
        "cwd": str(world.project),
        "transcript_path": str(transcript),
    }
    return world.hook(
        payload={**payload, "hook_event_name": event, "last_assistant_message": "Done."}
    )


def write(transcript: Path, *attachments: dict[str, object]) -> None:
    lines = ({"type": "attachment", "timestamp": LATER, "attachment": item} for item in attachments)
    transcript.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def arrived(block: str) -> dict[str, object]:
    return {
        "type": "hook_success",
        "hookName": "SessionStart:startup",
        "content": block.strip(),
        "stdout": block,
    }


CANCELLED: dict[str, object] = {
    "type": "hook_cancelled",
    "hookName": "SessionStart:startup",
    "timedOut": True,
}


def recalls(world: World) -> list[tuple[int]]:
    return world.query("SELECT recall_count FROM recall")


def delivery(world: World) -> str:
    return str(hardwon(world, "why", "one", "--json").items[0]["delivery"])


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_a_block_counts_once_when_the_transcript_has_it(
    world: World, transcript: Path, event: str
) -> None:
    block = start(world, transcript)
    before = delivery(world), recalls(world)
    write(transcript, {"type": "skill_listing"}, arrived(block))
    runs = [end(world, transcript, event) for _ in range(2)]

    assert ENTRY.name in block
    assert before == ("awaited", [])
    assert [(run.code, run.stdout, run.stderr) for run in runs] == [SILENT] * 2
    assert (delivery(world), recalls(world)) == ("delivered", [(1,)])
    assert "\ndelivery delivered: the transcript shows" in hardwon(world, "why", "one").stdout


def test_a_block_that_the_host_did_not_wait_for_is_printed_and_not_counted(
    world: World, transcript: Path
) -> None:
    block = start(world, transcript)
    write(transcript, {"type": "skill_listing"}, CANCELLED)
    end(world, transcript)

    assert (delivery(world), recalls(world)) == ("missed", [])
    assert "\ndelivery printed, not delivered: " in hardwon(world, "why", "one").stdout
    assert not world.log.exists()
    write(transcript, CANCELLED, arrived(block))  # the host resumed the session
    end(world, transcript)
    assert (delivery(world), recalls(world)) == ("delivered", [(1,)])


@pytest.mark.parametrize("content", [None, '{"type": "user", "message": {"content": "Hello."}}\n'])
def test_after_a_turn_of_a_host_whose_transcript_does_not_tell_printing_counts(
    world: World, transcript: Path, content: str | None
) -> None:
    start(world, transcript)
    if content:
        transcript.write_text(content, encoding="utf-8")
    end(world, transcript)

    assert (delivery(world), recalls(world)) == ("printed", [(1,)])
    assert "\ndelivery printed: the host does not tell" in hardwon(world, "why", "one").stdout


def test_a_session_that_ends_before_its_first_turn_counts_nothing(
    world: World, transcript: Path
) -> None:
    start(world, transcript)
    end(world, transcript, "SessionEnd")

    assert (delivery(world), recalls(world)) == ("awaited", [])


def test_without_a_transcript_printing_counts(world: World) -> None:
    start(world, None)
    world.argument_form()

    assert (delivery(world), recalls(world)) == ("printed", [(2,)])


def test_a_busy_store_is_one_line_and_the_next_turn_counts(world: World, transcript: Path) -> None:
    write(transcript, arrived(start(world, transcript)))
    with contextlib.closing(world.connect()) as other:
        other.execute("BEGIN IMMEDIATE")
        run = end(world, transcript)
    assert (run.code, run.stdout, delivery(world)) == (0, "", "awaited")
    assert [line for line in run.log if "recall not counted" in line]
    end(world, transcript)

    assert (delivery(world), recalls(world)) == ("delivered", [(1,)])


def test_doctor_reports_blocks_that_never_arrived_as_something_to_do_until_one_arrives(
    world: World, transcript: Path
) -> None:
    assert "injections" not in _findings(world)
    start(world, transcript)
    write(transcript, CANCELLED)
    end(world, transcript)
    missed = _findings(world)["injections"]
    write(transcript, arrived(start(world, transcript, "two")))
    end(world, transcript, session_id="two")

    assert missed == (True, "1 of the latest 1" + MISSED)
    assert _findings(world)["injections"] == (False, "1 of the latest 2" + MISSED)


MISSED = (
    " that a transcript tells of never reached the model, the last in session one: the host did not wait for the hook;"
    " hardwon init writes a time-out of 10 s into the host's settings, hardwon why one tells more"
)


def _findings(world: World) -> dict[str, tuple[bool, str]]:
    document = hardwon(world, "doctor", "--json").document
    return {
        finding["name"]: (finding["todo"], finding["detail"]) for finding in document["findings"]
    }
