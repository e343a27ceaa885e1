"""Whatever was taken out of a file, or made private in it, is gone from the store when the file is indexed again."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
from tests.conversations import talk
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run

DECISION = "memory/decisions/parser.md"
DOCUMENT = "specs/005-parser/memory/notes.md"
SESSION = "memory/sessions/memory-20260301-120000.md"
WORD = "zanzibarite"
"""A word that no program says by itself."""

FIELDS: dict[str, tuple[str, str, object]] = {
    "tags": (f"[{WORD}]", "tags", []),
    "keywords": (f"[{WORD}]", "keywords", []),
    "files": (f"[{WORD}.py]", '"references"', []),
    "trigger_phrases": (f"[{WORD}]", "trigger_phrases", []),
    "channel": (WORD, "channel", None),
    "session_id": (WORD, "session_id", None),
    "branch": (WORD, "branch", None),
    "project": (WORD, "source_project", "project"),
    "permanent": ("true", "permanent", 0),
    "context_type": ("research", "context_type", "general"),
    "description": (f"About {WORD}.", "description", ...),
    "title": (WORD, "name", ...),
}
"""The fields of a front matter: a value, its column, and the value without it; Ellipsis for whatever the text says."""


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def put(world: World, name: str, text: str) -> Path:
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def index(world: World, *arguments: str) -> None:
    done = hardwon(world, "index", *arguments)
    assert done.code == 0, done.stderr


def value(world: World, column: str) -> Any:
    [(stored,)] = world.query(
        f"SELECT {column} FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE anchor_id = '' OR e.id = anchor_id"
    )
    return json.loads(stored) if isinstance(stored, str) and stored.startswith("[") else stored


def mentions(world: World, word: str = WORD) -> list[str]:
    """Return where the store's tables hold *word*, and whether the keyword index finds it."""
    found = [
        table
        for table in ("entry_text", "entry", "departed")
        if word in str(world.query(f"SELECT * FROM {table}"))
    ]
    matches = (
        (table, world.query(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (word,)))
        for table in ("entries_fts", "passages_fts")
    )
    return [*found, *(table for table, [(count,)] in matches if count)]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        *product([DECISION, DOCUMENT], FIELDS),
        *product([SESSION], (field for field in FIELDS if field != "title")),
    ],
)
def test_a_field_that_was_taken_out_is_cleared(world: World, name: str, field: str) -> None:
    given, column, without = FIELDS[field]
    put(world, name, f"---\n{field}: {given}\n---\nIt reads lines.\n")
    index(world)
    before = value(world, column)
    put(world, name, "---\n---\nIt reads lines.\n")
    index(world)

    after = value(world, column)
    assert after == without if without is not ... else WORD not in after
    assert before != after
    assert mentions(world) == []


@pytest.mark.parametrize("field", ["session_id", "branch", "project"])
def test_a_field_of_a_conversations_file_that_was_taken_out_is_cleared(
    world: World, field: str
) -> None:
    given, column, without = FIELDS[field]
    [path] = MarkdownConversationFiles(str(world.project)).put([talk()]).values()
    text = Path(path).read_text().replace("project: app\n", "")
    Path(path).write_text(text.replace("---\n", f"---\n{field}: {given}\n", 1))
    index(world)
    before = value(world, column)
    Path(path).write_text(text)
    index(world)

    assert (value(world, column) == before, value(world, column)) == (False, without)
    assert mentions(world) == []


CHANGES = {
    "tags": ("--tag", "mine", ["mine"]),
    "keywords": ("--keyword", "mine", ["mine"]),
    "trigger_phrases": ("--trigger", "mine", ["mine"]),
    "permanent": ("--permanent", None, 1),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_value_that_a_user_gave_stays_until_the_file_gives_another(
    world: World, field: str
) -> None:
    option, given, expected = CHANGES[field]
    put(world, DECISION, "It reads lines.\n")
    index(world)
    hardwon(world, "update", "1", option, *([given] if given else []))
    put(world, DECISION, "It reads words.\n")
    index(world, "--force")
    assert value(world, field) == expected

    put(
        world,
        DECISION,
        f"---\n{field}: {'false' if field == 'permanent' else '[theirs]'}\n---\nIt reads words.\n",
    )
    index(world)
    put(world, DECISION, "It reads bytes.\n")
    index(world)
    assert value(world, field) == FIELDS[field][2]


def test_a_value_that_a_user_gave_outlives_an_absence_of_the_file_and_one_of_the_file_does_not(
    world: World,
) -> None:
    path = put(world, DECISION, f"---\ntags: [{WORD}]\n---\nIt reads lines.\n")
    index(world)
    hardwon(world, "update", "1", "--keyword", "mine")
    for text in ("It reads words.\n", "It reads bytes.\n"):
        path.unlink()
        index(world)
        put(world, DECISION, text)
        index(world)
        put(world, DECISION, f"{text}And numbers.\n")
        index(world)

    assert (value(world, "keywords"), value(world, "tags")) == (["mine"], [])
    assert mentions(world) == []


def test_labels_that_a_session_was_saved_with_stay(world: World) -> None:
    path = put(world, SESSION, f"---\ntags: [{WORD}]\n---\nIt reads lines.\n")
    saved = hardwon(world, "save", str(path), "--tag", "mine", "--keyword", "own", "--permanent")
    assert saved.code == 0, saved.stderr
    put(world, SESSION, "It reads words.\n")
    index(world)

    assert [value(world, column) for column in ("tags", "keywords", "permanent")] == [
        ["mine"],
        ["own"],
        1,
    ]
    assert mentions(world) == []


def test_importance_is_the_stores_and_stays_when_the_file_says_nothing_of_it(world: World) -> None:
    put(world, DOCUMENT, "---\ntier: critical\nimportance_weight: 0.9\n---\nIt reads lines.\n")
    index(world)
    put(world, DOCUMENT, "It reads words.\n")
    index(world)

    assert (value(world, "tier"), value(world, "importance_weight")) == ("critical", 0.9)


HEAD = "---\ndescription: Short.\ntags: [a]\n---\n"
BEFORE_AND_AFTER = [
    (
        f"# Parser\n\nIt says {WORD} and more.\n",
        f"# Parser\n\nIt says <private>{WORD}</private> and more.\n",
    ),
    (f"# The {WORD}\n\nText.\n", f"# The <private>{WORD}</private>\n\nText.\n"),
    (f"# {WORD}\n\nText.\n", f"<private># {WORD}</private>\n\nText.\n"),
    (
        f"Text.\n\n## Triggers\n- {WORD}\n",
        f"Text.\n\n## Triggers\n<private>\n- {WORD}\n</private>\n",
    ),
    (f"{WORD}\n", f"<private>{WORD}</private>\n"),
    (f"Text.\n\n{WORD}\n", f"Text.\n\n<private>\n{WORD}\n"),
    (
        f"---\ntags: [{WORD}]\n---\nText.\n",
        f'---\ntags: ["<private>{WORD}</private>"]\n---\nText.\n',
    ),
    (f"---\ntitle: {WORD}\n---\nText.\n", f'---\ntitle: "<private>{WORD}</private>"\n---\nText.\n'),
    (
        f"---\ndescription: {WORD}\n---\nText.\n",
        f'---\ndescription: "<private>{WORD}</private>"\n---\nText.\n',
    ),
    (
        f"---\nchannel: {WORD}\n---\nText.\n",
        f'---\nchannel: "<private>{WORD}</private>"\n---\nText.\n',
    ),
    (
        f"<!-- ANCHOR:a -->\nIt says {WORD}.\n<!-- /ANCHOR:a -->\n",
        f"<!-- ANCHOR:a -->\nIt says <private>{WORD}</private>.\n<!-- /ANCHOR:a -->\n",
    ),
    (
        f"Text.\n<!-- ANCHOR:a -->\nIt says {WORD}.\n<!-- /ANCHOR:a -->\n",
        f"Text.\n<private>\n<!-- ANCHOR:a -->\nIt says {WORD}.\n<!-- /ANCHOR:a -->\n</private>\n",
    ),
    (
        f"Text.\n<!-- ANCHOR:{WORD} -->\nIt says so.\n<!-- /ANCHOR:{WORD} -->\n",
        f"Text.\n<private>\n<!-- ANCHOR:{WORD} -->\nIt says so.\n<!-- /ANCHOR:{WORD} -->\n</private>\n",
    ),
]


KINDS_OF_FILES = (DECISION, "memory/gotchas/a.md", "memory/preferences/a.md", DOCUMENT, SESSION)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (KINDS_OF_FILES[number % len(KINDS_OF_FILES)], *texts)
        for number, texts in enumerate(BEFORE_AND_AFTER)
    ],
)
def test_a_text_that_became_private_is_in_no_entry_and_no_index(
    world: World, name: str, before: str, after: str
) -> None:
    put(world, name, before)
    index(world)
    put(world, name, after)
    index(world)

    assert mentions(world) == []
    assert hardwon(world, "recall", WORD, "--json").stdout.count(WORD) <= 1  # the question


@pytest.mark.parametrize("line", ["> {}", "- **Topic:** {}", "## {}"])
def test_a_part_of_a_conversation_that_became_private_is_in_no_entry_and_no_index(
    world: World, line: str
) -> None:
    [path] = (
        MarkdownConversationFiles(str(world.project))
        .put([talk("Which encoding?", "encoding")])
        .values()
    )
    beginning, whole = line.format(""), Path(path).read_text()
    text = re.sub(
        rf"^{re.escape(beginning)}.*", beginning + WORD, whole, count=1, flags=re.MULTILINE
    )
    Path(path).write_text(text)
    index(world)
    assert mentions(world) != []
    Path(path).write_text(text.replace(WORD, f"<private>{WORD}</private>"))
    index(world)

    assert mentions(world) == []


def test_a_conversation_that_became_private_as_a_whole_is_in_no_entry_and_no_index(
    world: World,
) -> None:
    [path] = MarkdownConversationFiles(str(world.project)).put([talk(WORD)]).values()
    index(world)
    head, title, body = (
        Path(path).read_text().replace(f"title: {WORD}", "title: A talk").partition("\n# ")
    )
    Path(path).write_text(f"{head}\n<private>{title}{body}</private>\n")
    index(world)

    assert mentions(world) == []


def test_a_text_that_became_private_has_no_vector_any_more(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    put(world, DECISION, f"# Parser\n\nIt says {WORD}.\n")
    index(world, "--embed")
    before = world.query("SELECT text_hash FROM vector")
    put(world, DECISION, f"# Parser\n\nIt says <private>{WORD}</private>.\n")
    index(world, "--embed")

    assert before != world.query("SELECT text_hash FROM vector")
    assert world.query(
        "SELECT count(*) FROM vector JOIN entry_text USING (entry_seq, text_hash)"
    ) == [(1,)]


def test_saving_a_session_again_takes_out_what_became_private(world: World) -> None:
    path = put(world, SESSION, f"---\ntags: [{WORD}]\n---\nWe spoke of {WORD}.\n")
    run(world, "hardwon", "save", str(path))
    put(world, SESSION, f"We spoke of <private>{WORD}</private>.\n")
    run(world, "hardwon", "save", str(path))

    assert mentions(world) == []


def test_labels_of_an_imported_index_stay_unless_they_are_the_files_own(world: World) -> None:
    path = put(world, SESSION, f"---\ntags: [{WORD}]\n---\nIt reads lines.\n")
    memories = {
        str(path): {
            "filename": path.name,
            "tags": [WORD, "theirs"],
            "descriptionKeywords": ["word"],
        }
    }
    brought = put(world, "memory-index.json", json.dumps(memories))
    imported = hardwon(world, "import", str(brought))
    assert imported.code == 0, imported.stderr
    put(world, SESSION, "It reads words.\n")
    index(world)

    assert (value(world, "tags"), value(world, "keywords")) == (["theirs"], ["word"])
    assert mentions(world) == []
