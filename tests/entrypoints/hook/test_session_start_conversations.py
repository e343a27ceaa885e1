"""Conversations in the block of a session start."""

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.hook.request import from_payload
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import FRAME, lesson

HEADING = "### Related Conversations\n"
EARLIER = "This session, before the compaction:\n"
SESSION = "4e1079b4-1075-4398-9c17-024ebe214a8d"


@pytest.fixture
def talkative(empty_world: World) -> World:
    """Return a world that works on a parser by word alone, and talked about it."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_feature("1-parser", {"slug": "parser", "status": "active"}, spec="# Parser\n")
    empty_world.remember(
        conversation("Quotes", "The parser keeps quotes."),
        conversation("Commas", "The parser splits.", session_id=SESSION),
    )
    return empty_world


def conversation(name: str, text: str, **more: Any) -> Entry:
    return memory(
        "conversation", name, f"{text}\n\nUser\n\nAssistant\n\nassistant words", None, **more
    ).entry


def titles(text: str) -> list[str]:
    return [
        line[2:].partition(" (")[0]
        for line in text.splitlines()
        if line.startswith("- ") and " (" in line
    ]


def start(world: World, **more: object) -> str:
    return world.hook(payload={**world.session_start(), **more}).stdout


def test_they_stand_last_in_every_form_also_without_a_lesson(talkative: World) -> None:
    talkative.write_bank("patterns", lesson("Pattern: Parser"))
    plain, framed = talkative.argument_form(), talkative.hook()

    block, _, section = plain.stdout.partition(HEADING)
    assert block.endswith("- Confidence: medium\n\n")
    assert "*Memory: 1 entries from 1 | semantic: active (vector=0, fts5=1) | " in block
    assert sorted(titles(section)) == ["Commas", "Quotes"]
    assert section.endswith("\n\n---\n")
    assert "assistant words" not in section
    assert framed.stdout.endswith(f"{HEADING}{section}{FRAME[1]}\n")
    assert (plain.stderr, framed.stderr, framed.log) == ("", "", ())
    assert hardwon(talkative, "context").stdout == plain.stdout


def test_without_a_lesson_they_are_printed_and_counted(talkative: World) -> None:
    text = talkative.hook().stdout

    assert sorted(titles(text)) == ["Commas", "Quotes"]
    assert "*Memory: 0 entries from 0 | " in text
    assert talkative.query("SELECT recall_count FROM recall") == [(1,), (1,)]


@pytest.mark.parametrize(
    ("more", "session"),
    [
        ({"source": "compact"}, SESSION),
        ({"source": "compact", "session_id": ""}, ""),
        ({"source": "compact", "session_id": 7}, ""),
        ({"source": "compact", "session_id": "x" * 201}, ""),
        ({"source": "compact", "session_id": "\ud800"}, "?"),
        ({"source": "resume"}, ""),
        ({"source": ["compact"]}, ""),
    ],
)
def test_only_a_compaction_names_its_session(
    tmp_path: Path, more: dict[str, object], session: str
) -> None:
    payload = {
        "session_id": SESSION,
        "cwd": str(tmp_path),
        "hook_event_name": "SessionStart",
        **more,
    }

    assert from_payload(json.dumps(payload).encode()).compacted == session


def test_after_a_compaction_the_conversation_of_the_session_comes_first(talkative: World) -> None:
    text = start(talkative, source="compact")

    assert f"{HEADING}{EARLIER}- Commas (" in text
    assert titles(text) == ["Commas", "Quotes"]
    assert EARLIER not in start(talkative, source="compact", session_id="another")


def test_without_any_signal_the_newest_are_printed_after_a_compaction_those_of_the_session_first(
    talkative: World,
) -> None:
    talkative.folder.joinpath("project", "docs").rename(talkative.folder / "docs")

    assert titles(start(talkative, source="compact")) == ["Commas", "Quotes"]
    assert sorted(titles(start(talkative))) == ["Commas", "Quotes"]


def test_files_written_by_hand_are_listed_as_soon_as_they_are_indexed(talkative: World) -> None:
    folder = talkative.project / "memory" / "conversations"
    folder.mkdir(parents=True)
    front = f"---\nsession_id: {SESSION}\ndate: 2026-01-02\n---\n"
    text = "# Tabs\n\nThe parser reads tabs. It counts them.\n\n## User\n\nwhy?\n\n## Assistant\n\nassistant words\n"
    (folder / "2026-01-02-tabs.md").write_text(front + text)
    hardwon(talkative, "index")

    assert "\n- Tabs (conversation, 2026-01-02): The parser reads tabs. It counts them.\n" in start(
        talkative, source="compact"
    )


def test_the_room_is_a_setting_and_none_switches_them_off(talkative: World) -> None:
    talkative.variables["HARDWON_CONTEXT_TOKENS"] = "24"
    assert len(titles(talkative.hook().stdout)) == 1
    talkative.variables["HARDWON_CONTEXT_TOKENS"] = "0"

    assert talkative.hook().stdout == ""


def test_where_words_cannot_be_searched_either_every_text_is_read(talkative: World) -> None:
    talkative.variables["HARDWON_KEYWORD_SEARCH"] = "false"

    assert sorted(titles(talkative.hook().stdout)) == ["Commas", "Quotes"]
