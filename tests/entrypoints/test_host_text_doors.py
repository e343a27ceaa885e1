"""Passages of the host are no words of the user at any door: hooks, transcripts, `remember`, and the question of a prompt."""

import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, entry, statuses, written

ASKED = "Which way does the parser go?"
NOISE = "quagga"
HOSTS = {
    "a notice": f"<task-notification>\n<summary>{NOISE} done</summary>\n</task-notification>\nRead the output file to retrieve the result: /tmp/{NOISE}",
    "the shell": f"<bash-input>{NOISE}</bash-input>\n<bash-stdout>{NOISE}</bash-stdout><bash-stderr></bash-stderr>",
    "a command": f"<command-name>/model</command-name>\n<command-args>{NOISE}</command-args>",
    "its output": f"<local-command-stdout>{NOISE}</local-command-stdout>",
    "a reminder": f"<system-reminder>{NOISE}</system-reminder>",
    "a hook": f"<user-prompt-submit-hook>{NOISE}</user-prompt-submit-hook>",
    "an editor": f"<ide_opened_file>{NOISE}</ide_opened_file>",
}
every_host = pytest.mark.parametrize("passage", HOSTS.values(), ids=HOSTS)


@pytest.fixture
def world(world_by_word: World, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    world_by_word.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    return world_by_word


@every_host
def test_a_message_of_the_host_is_not_noted_by_hooks_and_the_turn_goes_on(
    world: World, passage: str
) -> None:
    conversation = Conversation(world, has_transcript=False)
    conversation.ask(ASKED)
    conversation.ask(passage)
    conversation.hook("Stop", last_assistant_message="We decided on way one.")
    conversation.ask(f"{passage}\nAnd the printer?")
    conversation.hook("Stop", last_assistant_message="The other way.")
    Worker(str(world.store), "/").run()

    text = written(world)
    assert statuses(world)["first"].exchanges == 2
    assert NOISE not in text
    assert all(words in text for words in (ASKED, "We decided on way one.", "And the printer?"))


@every_host
def test_a_message_of_the_host_in_a_transcript_is_not_captured(world: World, passage: str) -> None:
    conversation = Conversation(world)
    conversation.write(f"{passage}\n{ASKED}", "We decided on way one.")
    conversation.write(passage, "That is done.")
    conversation.write(f"And the printer?\n\n{passage}", "The other way.")
    ran = hardwon(world, "capture", "--from", str(conversation.transcript))

    assert ran.code == 0, ran.stderr
    assert NOISE not in written(world)
    assert "And the printer?" in written(world)


@every_host
def test_remember_keeps_a_session_and_a_text_without_the_host(world: World, passage: str) -> None:
    conversation = Conversation(world, has_transcript=False)
    conversation.exchange(f"{passage}\n{ASKED}", "We decided on way one.")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "first"
    assert hardwon(world, "remember").code == 0
    assert hardwon(world, "remember", f"{passage}\nThe printer goes the other way.").code == 0

    text = "\n".join(path.read_text() for path in (world.project / "memory").rglob("*.md"))
    assert NOISE not in text
    assert ASKED in text
    assert "The printer goes the other way." in text


def test_a_prompt_asks_with_the_users_words_only(world: World) -> None:
    world.remember(
        entry("Columns", "Rename a column safely: over two releases."),
        *(entry(f"F {n}", f"filler {n}") for n in range(60)),
    )
    question = "how do I rename the column safely?"
    conversation = Conversation(world, has_transcript=False)
    silent = [
        conversation.ask(passage.replace(NOISE, question)).stdout for passage in HOSTS.values()
    ]
    asked = conversation.ask(f"{HOSTS['a notice']}\n{question}").stdout

    assert silent == [""] * len(HOSTS)
    assert "### Pattern: Columns" in asked
    assert world.query("SELECT query FROM receipt") == [(question,)]
