"""Transcripts without what was said during a pause."""

import datetime as dt
from pathlib import Path

import pytest

from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.domain.model.pause import NEVER, Pause
from hardwon.domain.model.redaction import Cleaning
from hardwon.ports.transcripts import TranscribedExchange
from tests.transcripts import SECOND, SESSION, TranscriptLines


def transcript(**fields: object) -> tuple[TranscriptLines, list[dt.datetime]]:
    """Return five exchanges of three lines each, and when each began."""
    lines = TranscriptLines()
    begun = []
    for number in range(5):
        begun.append(lines.user(f"Prompt {number}", **fields))
        for part in ("a", "b"):
            lines.assistant({"type": "text", "text": f"Reply {number}{part}"}, **fields)
    return lines, begun


def read(
    folder: Path, lines: TranscriptLines, *pauses: Pause, position: int = 0
) -> list[TranscribedExchange]:
    file = folder / "transcript.jsonl"
    file.write_text("\n".join(lines.lines) + "\n")
    return list(JsonlTranscripts(Cleaning(), (), pauses).read(str(file), position))


def texts(transcribed: list[TranscribedExchange]) -> list[tuple[str, str]]:
    return [(turn.exchange.user, turn.exchange.assistant) for turn in transcribed]


@pytest.mark.parametrize("session_id", ["", SESSION])
def test_the_span_is_left_out_and_the_rest_stays_as_it_was(tmp_path: Path, session_id: str) -> None:
    lines, begun = transcript()
    everything = read(tmp_path, lines)
    paused = Pause(session_id, begun[1], begun[3])

    assert read(tmp_path, lines, paused) == [everything[0], everything[3], everything[4]]
    assert everything[0].is_over


def test_a_pause_of_another_session_leaves_nothing_out(tmp_path: Path) -> None:
    lines, begun = transcript()

    assert read(tmp_path, lines, Pause("another", begun[0])) == read(tmp_path, lines)


def test_lines_that_a_fork_copied_are_off_the_record_as_in_their_session(tmp_path: Path) -> None:
    lines, begun = transcript(
        sessionId="fork", forkedFrom={"sessionId": SESSION, "messageUuid": "x"}
    )

    assert len(read(tmp_path, lines, Pause(SESSION, begun[1]))) == 1


def test_an_answer_to_a_prompt_of_the_pause_is_left_out_though_the_pause_is_over(
    tmp_path: Path,
) -> None:
    lines, begun = transcript()
    paused = Pause("", begun[2], begun[2] + SECOND)

    assert [user for user, _ in texts(read(tmp_path, lines, paused))] == [
        "Prompt 0",
        "Prompt 1",
        "Prompt 3",
        "Prompt 4",
    ]


def test_a_pause_within_a_turn_takes_only_what_was_said_in_it(tmp_path: Path) -> None:
    lines, begun = transcript()
    within = Pause("", begun[2] + SECOND, begun[2] + 2 * SECOND)

    assert texts(read(tmp_path, lines, within))[2] == ("Prompt 2", "Reply 2b")


def test_a_reading_that_goes_on_from_its_place_leaves_the_span_out_too(tmp_path: Path) -> None:
    lines, begun = transcript()
    paused = Pause("", begun[1] + SECOND, begun[4])
    [*_, place] = [turn.begins_at for turn in read(tmp_path, lines)][:2]

    assert texts(read(tmp_path, lines, paused, position=place)) == [
        ("Prompt 1", ""),
        ("Prompt 4", "Reply 4a\n\nReply 4b"),
    ]


def test_a_pause_that_holds_leaves_all_out_since_it_began(tmp_path: Path) -> None:
    lines, begun = transcript()

    [first] = read(tmp_path, lines, Pause("", begun[1], NEVER))
    assert (first.exchange.user, first.is_over) == ("Prompt 0", True)
