"""Content of the project's files after the worker has captured a session with TLC's commands."""

import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import Conversation, statuses, written
from tests.transcripts import TranscriptLines, text_block

DISCUSSED = (
    (
        "/tlc:discuss",
        "where the jobs wait",
        "We decided to use Postgres for the queue, because it is there already.",
    ),
    ("", "And the workers?", "We chose to lock one row a worker instead of the whole table."),
)
PLANNED = "Rationale: one table is simplest. Task 1: write the migration. Task 2: write the worker."
BUILT = "We decided to use SKIP LOCKED rather than advisory locks."


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return an empty project, whose worker runs in this process and embeds nothing."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    return empty_world


def capture(world: World, transcript: TranscriptLines) -> str:
    """Have the worker capture a session that ended; return the text it wrote."""
    conversation = Conversation(world)
    conversation.transcript.write_text("\n".join(transcript.lines) + "\n", encoding="utf-8")
    conversation.note("end")
    Worker(str(world.store), str(world.project)).run()

    assert statuses(world)["first"].waiting == 0
    return written(world)


def ask(transcript: TranscriptLines, command: str, prompt: str) -> None:
    if command:
        transcript.command(command, prompt)
    else:
        transcript.user(prompt)


def section_with(text: str, words: str) -> str:
    """Return the one section in which *words* stand among the exchanges."""
    [section] = [item for item in text.split("<!-- /ANCHOR:") if f"> {words}" in item]
    return section


def test_a_discussion_is_kept_whole_with_all_its_decisions(world: World) -> None:
    transcript = TranscriptLines()
    for command, prompt, reply in DISCUSSED:
        ask(transcript, command, prompt)
        transcript.assistant(text_block(reply))
    section = section_with(capture(world, transcript), "/tlc:discuss where the jobs wait")

    assert all(prompt in section and reply in section for _, prompt, reply in DISCUSSED)
    decisions = section.partition("### Decisions")[2].partition("### Exchanges")[0]
    assert "Postgres for the queue" in decisions
    assert "lock one row a worker" in decisions


@pytest.mark.parametrize(("command", "reply"), [("/tlc:plan", PLANNED), ("/tlc:build", BUILT)])
def test_a_command_begins_a_section_that_keeps_what_came_of_it(
    world: World, command: str, reply: str
) -> None:
    transcript = TranscriptLines()
    ask(transcript, "", "Good morning, where were we?")
    transcript.assistant(text_block("At the job queue."))
    ask(transcript, command, "the job queue")
    transcript.assistant(text_block(reply))
    text = capture(world, transcript)

    assert reply in section_with(text, f"{command} the job queue")
    assert section_with(text, "Good morning") != section_with(text, f"{command} the job queue")


def test_the_users_choice_is_kept_with_its_question(world: World) -> None:
    transcript = TranscriptLines()
    ask(transcript, "", "Start on the queue, and ask me what is open.")
    question = "Which database holds the queue?"
    asked = {
        "question": question,
        "header": "Store",
        "options": [{"label": "Postgres"}, {"label": "Redis"}],
    }
    call = transcript.tool_use("AskUserQuestion", questions=[asked])
    output = f'User has answered your questions: "{question}"="Postgres". You can now continue.'
    transcript.tool_result(
        call, output, toolUseResult={"questions": [asked], "answers": {question: "Postgres"}}
    )
    transcript.assistant(text_block("Then so be it."))
    section = section_with(capture(world, transcript), "Start on the queue")

    assert "Postgres" in section.partition("### Exchanges")[2].partition(question)[2]


@pytest.mark.parametrize(
    ("area", "utterance"),
    [
        ("devops", "We decided to build one Docker image a commit in the CI pipeline."),
        (
            "infrastructure",
            "We decided to run the Kubernetes cluster on two servers behind a load balancer.",
        ),
        (
            "security",
            "We decided to rotate the encryption keys and to fix the authentication vulnerability.",
        ),
        ("code-quality", "We decided to lint and to refactor before each code review."),
    ],
)
def test_an_exchange_that_is_always_recorded_is_flagged(
    world: World, area: str, utterance: str
) -> None:
    transcript = TranscriptLines()
    ask(transcript, "", "How do we go on?")
    transcript.assistant(text_block(utterance))
    section = section_with(capture(world, transcript), "How do we go on?")

    [flags] = [line for line in section.splitlines() if line.startswith("- **Areas:**")]
    assert area in flags
