"""The writer reports any error of its input or store in one line and stores nothing."""

import datetime as dt
import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.entrypoints import writer
from hardwon.entrypoints.writer import FIELDS, entry_from_json
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import VALID, held_by_another, run, upsert, write
from tests.fakes.doors import Ran
from tests.strategies import NOW

FOUR_MEGABYTES = 4 * 1024 * 1024
JUST_TOO_DEEP_TO_BE_SHOWN = 993

BAD_JSON = {
    "": "empty",
    " \n": "empty",
    "{": "'{' is not JSON",
    "{'name': 'single quotes'}": "--entry-file",
    '{"name": "cut off': "Unterminated string",
    "{}{}": "Extra data",
    "null": "null",
    "[]": "[]: it must be a JSON object",
    '"text"': '"text"',
    "1e999": "Infinity",
    "NaN": "NaN",
    "9" * 5_000: "number that is too long",
    "[" * 100_000: "nested too deeply",
    '{"a":' * 50_000: "nested too deeply",
    "[" * JUST_TOO_DEEP_TO_BE_SHOWN + "]" * JUST_TOO_DEEP_TO_BE_SHOWN: "nested too deeply",
}

BAD_FIELDS = {
    "unknown": ({"importance": 1}, "unknown field 'importance': use name, description"),
    "unknown, long and odd": ({"\n" * 90: 1}, "unknown field"),
    "from another version": ({"entry_id": "0" * 16}, "unknown field 'entry_id'"),
    "count": ({"observation_count": 7}, "unknown field 'observation_count'"),
    "name is null": ({"name": None}, "name is null"),
    "name is a number": ({"name": 3}, "name is 3: it must be text"),
    "name is blank": ({"name": " \t\n"}, "name is blank"),
    "description is empty": ({"description": ""}, "description is blank"),
    "description is a list": ({"description": ["a"]}, 'description is ["a"]'),
    "description is all private": ({"description": "<private>x</private>"}, "description is blank"),
    "category is unknown": ({"category": "tips"}, "category is 'tips': use one of anti-patterns"),
    "category is in capitals": ({"category": "Patterns"}, "category is 'Patterns'"),
    "category is null": ({"category": None}, "category is null"),
    "category is an object": ({"category": {}}, "category is {}"),
    "confidence is unknown": (
        {"confidence": "very\nhigh"},
        "confidence is 'very\\nhigh': use one of",
    ),
    "confidence is a number": ({"confidence": 0.9}, "confidence is 0.9"),
    "source is unknown": ({"source": "dream"}, "source is 'dream': use one of retro"),
    "source is null": ({"source": None}, "source is null"),
    "keywords are text": ({"keywords": "a, b"}, 'keywords is "a, b": it must be a list of texts'),
    "keywords are numbers": ({"keywords": [1]}, "keywords is [1]"),
    "keywords are null": ({"keywords": None}, "keywords is null"),
    "references are an object": ({"references": {"a": "b"}}, "references is"),
    "references are lists": ({"references": [["a"]]}, 'references is [["a"]]'),
    "reasoning is null": ({"reasoning": None}, "reasoning is null"),
    "project is a number": ({"source_project": 1e308}, "source_project is 1e+308"),
    "project is blank": ({"source_project": " "}, "source_project is blank"),
    "NUL in the name": ({"name": "a\0b"}, "name holds a NUL character at position 1"),
    "NUL in a keyword": ({"keywords": ["a\0"]}, "keywords holds a NUL character"),
    "half a surrogate pair": (
        {"description": "a\ud800"},
        "description holds half a surrogate pair at position 1",
    ),
    "half a pair in a reference": (
        {"references": ["\udfff"]},
        "references holds half a surrogate pair",
    ),
    "half a pair in the category": ({"category": "\ud800"}, "category is '\\ud800'"),
    "half a pair as a field": ({"\ud800": ""}, "unknown field '\\ud800'"),
}

BAD_ARGUMENTS = {
    "nothing": ((), "required: --action"),
    "no entry": (("--action", "upsert"), "--entry-json --entry-file"),
    "both entries": ((*upsert(), "--entry-file", "x"), "not allowed with"),
    "unknown action": (("--action", "delete\nall", *upsert()[2:]), "delete\\nall"),
    "unknown option": ((*upsert(), "--force"), "--force"),
    "short option": (("--act", *upsert()[1:]), "--action"),
    "no value": ((*upsert(), "--global-store"), "expected one argument"),
    "no such project": ((*upsert(), "--project-root", "no/where"), "'no/where' is not a folder"),
    "project is a file": (
        (*upsert(), "--project-root", "/dev/null"),
        "'/dev/null' is not a folder",
    ),
    "no such file": (
        ("--action", "upsert", "--entry-file", "no/where\n"),
        "'no/where\\n': No such file",
    ),
    "a folder": (("--action", "upsert", "--entry-file", "."), "'.': Is a directory"),
    "a file below a file": (
        ("--action", "upsert", "--entry-file", "/dev/null/x"),
        "Not a directory",
    ),
    "an empty file": (("--action", "upsert", "--entry-file", "/dev/null"), "empty"),
    "an endless file": (("--action", "upsert", "--entry-file", "/dev/zero"), "longer than"),
}

BAD_FILES = {
    "latin-1": ("Größe".encode("latin-1"), "is not UTF-8"),
    "UTF-16": (json.dumps(VALID).encode("utf-16"), "is not UTF-8"),
    "binary": (bytes(range(256)), "is not UTF-8"),
    "NUL bytes": (bytes(64), "is not JSON"),
    "cut off": (json.dumps(VALID).encode()[:-1], "is not JSON"),
    "over 4 MB": (
        json.dumps({**VALID, "description": "é" * (FOUR_MEGABYTES // 2 + 1)}).encode(),
        "shorten it",
    ),
    "over 4 MB of reasoning": (
        json.dumps({**VALID, "reasoning": "x" * (FOUR_MEGABYTES + 1)}).encode(),
        "shorten it",
    ),
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world that searches by word only."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def assert_refused(world: World, done: Ran, message: str) -> None:
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith("hardwon-writer: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400
    assert not world.store.exists()
    assert list(world.folder.joinpath("home").iterdir()) == []


@pytest.mark.parametrize(("text", "message"), BAD_JSON.items(), ids=range(len(BAD_JSON)))
def test_input_that_is_no_json_object_is_refused(world: World, text: str, message: str) -> None:
    done = run(
        world, "hardwon-writer", "--action", "upsert", "--entry-file", "-", stdin=text.encode()
    )

    assert_refused(world, done, message)


@pytest.mark.parametrize(("fields", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_a_bad_field_is_refused_by_name_and_value(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    fields: dict[str, object],
    message: str,
) -> None:
    for name, value in world.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.project)

    code = writer.run(upsert(**fields))

    assert_refused(world, Ran(code, *capfd.readouterr()), message)


@pytest.mark.parametrize("name", ["name", "description", "category"])
def test_a_missing_field_is_named(world: World, name: str) -> None:
    text = json.dumps({field: value for field, value in VALID.items() if field != name})

    done = run(world, "hardwon-writer", "--action", "upsert", "--entry-json", text)

    assert_refused(world, done, f"{name} is missing: an entry needs name, description, category")


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_refused_in_one_line(
    world: World, arguments: tuple[str, ...], message: str
) -> None:
    assert_refused(world, run(world, "hardwon-writer", *arguments), message)


@pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_refused(world: World, content: bytes, message: str) -> None:
    path = world.folder / "entry.json"
    path.write_bytes(content)

    assert_refused(
        world,
        run(world, "hardwon-writer", "--action", "upsert", "--entry-file", str(path)),
        message,
    )


def test_a_closed_stdin_is_refused(world: World) -> None:
    done = run(
        world, "hardwon-writer", "--action", "upsert", "--entry-file", "-", redirections="<&-"
    )

    assert_refused(world, done, "the entry is empty")


def test_a_refused_entry_leaves_a_store_as_it_was(world: World) -> None:
    write(world)
    before = [(path.name, path.read_bytes()) for path in sorted(world.store.iterdir())]

    assert write(world, keywords=["new", "\0"]).code == 1
    assert [(path.name, path.read_bytes()) for path in sorted(world.store.iterdir())] == before


def test_an_entry_of_exactly_four_megabytes_is_kept(world: World) -> None:
    path = world.folder / "entry.json"
    path.write_text(json.dumps({**VALID, "description": "é" * (FOUR_MEGABYTES // 2)}))

    assert run(world, "hardwon-writer", "--action", "upsert", "--entry-file", str(path)).code == 0
    assert world.query("SELECT length(CAST(description AS BLOB)) FROM entries") == [
        (FOUR_MEGABYTES,)
    ]


def assert_failed(done: Ran, message: str) -> None:
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("hardwon-writer: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content", [b"not a database " * 500, b"SQLite format 3\0" + bytes(range(256)) * 40]
)
def test_a_file_that_is_no_database_stays_as_it_is(world: World, content: bytes) -> None:
    world.store.mkdir()
    world.database.write_bytes(content)

    assert_failed(write(world), "run: hardwon doctor --repair")
    assert world.database.read_bytes() == content


def test_a_store_of_a_newer_version_is_not_written(world: World) -> None:
    write(world)
    with sqlite3.connect(world.database) as connection:
        connection.execute("UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")
    connection.close()
    before = world.query("SELECT * FROM entries")

    assert_failed(write(world, description="Another."), "schema version 99")
    assert world.query("SELECT * FROM entries") == before


def test_a_file_where_the_folder_should_be_is_reported(world: World) -> None:
    world.store.write_text("mine")

    assert_failed(write(world), str(world.store))
    assert world.store.read_text() == "mine"


def test_a_folder_where_the_file_should_be_is_reported(world: World) -> None:
    world.database.mkdir(parents=True)

    assert_failed(write(world), str(world.database))


def test_a_locked_store_is_waited_for_and_then_reported(world: World) -> None:
    write(world)
    before = world.query("SELECT * FROM entries")

    with held_by_another(world):
        done = write(world, description="Another.")

    assert_failed(done, "locked")
    assert world.query("SELECT * FROM entries") == before


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=8,
)
near_entries = st.fixed_dictionaries(
    {name: st.just(value) | json_values for name, value in VALID.items()},
    optional={
        name: json_values | st.lists(st.text(max_size=5), max_size=3)
        for name in FIELDS
        if name not in VALID
    },
)


@given((json_values | near_entries).map(json.dumps) | st.text())
@example("[" * JUST_TOO_DEEP_TO_BE_SHOWN + "]" * JUST_TOO_DEEP_TO_BE_SHOWN)
@example("-" + "1" * 5_000)
@example('{"name":"\\ud800","description":"x","category":"patterns"}')
def test_any_text_is_an_entry_or_refused_in_one_line(text: str) -> None:
    try:
        entry = entry_from_json(text, project="here", now=NOW)
    except InvalidEntryError as error:
        utterance = str(error)
    else:
        utterance = entry.name
    assert utterance
    assert "\n" not in utterance


def test_the_timestamp_and_the_project_come_from_the_caller() -> None:
    now = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)

    entry = entry_from_json(json.dumps(VALID), project=Path("here").name, now=now)

    assert (entry.created_at, entry.updated_at, entry.source_project) == (now, now, "here")
