"""Questions that the agent asks by a tool, and their answers."""

from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.model.conversation.session import Answered
from hardwon.domain.model.redaction import REDACTED
from tests.transcripts import READER, TranscriptLines


def answers(tmp_path: Path, text: Any, asked: Any = None, **details: Any) -> tuple[Answered, ...]:
    """Return what is kept of a question and its result."""
    written = TranscriptLines()
    written.user("Go on.")
    question = {"question": "Which way?", "options": [{"label": "Left"}, {"label": "Right"}]}
    tool_use_id = written.tool_use(
        "AskUserQuestion", questions=[question] if asked is None else asked
    )
    written.tool_result(tool_use_id, text, **details)
    file = tmp_path / "transcript.jsonl"
    file.write_text("\n".join(written.lines) + "\n")
    [transcribed] = READER.read(str(file))
    return transcribed.exchange.answers


QUOTED = 'User has answered your questions: "Which way?"="Left, then "up"". You can now continue.'


@pytest.mark.parametrize(
    ("text", "details", "answer"),
    [
        ("", {"toolUseResult": {"answers": {"Which way?": "Left"}}}, "Left"),
        ("", {"toolUseResult": {"answers": {"Which way?": ["Left", "Right"]}}}, "Left, Right"),
        (
            'User has answered your questions: "Which way?"="Left". You can now continue.',
            {},
            "Left",
        ),
        ('Answers: "Which way?"="Left", "And then?"="Right"', {}, "Left"),
        ('"Which way?"="Straight on" user notes: none', {"toolUseResult": "text"}, "Straight on"),
        (
            [{"type": "text", "text": '"Which way?"="Left"'}],
            {"toolUseResult": {"answers": 3}},
            "Left",
        ),
    ],
)
def test_an_answer_is_kept_with_its_question(
    tmp_path: Path, text: Any, details: dict[str, Any], answer: str
) -> None:
    assert answers(tmp_path, text, **details) == (
        Answered("Which way?", answer, ("Left", "Right")),
    )


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("The user doesn't want to proceed with this tool use.", {}),
        ('"Which way?"="', {}),
        ('"Which way?"="". ', {"toolUseResult": {"answers": {"Which way?": None}}}),
        ("", {"toolUseResult": {"answers": {"Which way?": "<private>Left</private>"}}}),
        (None, {"toolUseResult": None}),
        ([3, {"text": []}], {"toolUseResult": {"answers": ["Left"]}}),
    ],
)
def test_an_unanswered_question_is_not_kept(
    tmp_path: Path, text: Any, details: dict[str, Any]
) -> None:
    assert answers(tmp_path, text, **details) == ()


@pytest.mark.parametrize(
    "asked", [3, "x", [3], [{"question": 3}], [{"question": " "}], [{"options": 3}], {}]
)
def test_a_question_of_a_wrong_type_is_not_kept(tmp_path: Path, asked: Any) -> None:
    assert answers(tmp_path, QUOTED, asked=asked) == ()


def test_options_of_a_wrong_type_cost_only_themselves(tmp_path: Path) -> None:
    asked = [{"question": "Which way?", "options": [3, {"label": None}, {"label": "Left"}]}]

    assert answers(tmp_path, '"Which way?"="Left"', asked=asked) == (
        Answered("Which way?", "Left", ("Left",)),
    )


@pytest.mark.parametrize(
    "question", ["What is the staging password?", "Staging password:", "Set password="]
)
def test_an_answer_that_its_question_makes_a_secret_is_not_kept(
    tmp_path: Path, question: str
) -> None:
    secrets = ["hunter2" * 2, "open" + "sesame1"]
    asked = [{"question": question, "options": [{"label": secret} for secret in secrets]}]

    [kept] = answers(tmp_path, "", asked=asked, toolUseResult={"answers": {question: secrets[0]}})

    assert kept == Answered(question, REDACTED, (REDACTED, REDACTED))


def test_an_answer_without_a_secret_is_kept_beside_a_question_for_one(tmp_path: Path) -> None:
    asked = [{"question": "Which password?", "options": [{"label": "The old one"}, {"label": ""}]}]

    [kept] = answers(tmp_path, '"Which password?"="The old one".', asked=asked)

    assert kept == Answered("Which password?", "The old one", ("The old one",))
