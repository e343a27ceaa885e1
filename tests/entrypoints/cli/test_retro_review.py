"""`hardwon retro review`, `confirm` and `promote`: steps 4b and 4c, no second row."""

import datetime as dt

import attrs
import pytest

from hardwon.domain.model.entry import Entry
from tests.entrypoints.folders import banks, on_a_feature_branch, one, rows, undated, write_retro
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.strategies import lesson

LONG_AGO = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def old(text: str, project: str | None) -> Entry:
    """Return a lesson that was last observed long ago."""
    return attrs.evolve(
        lesson(text), source_project=project, created_at=LONG_AGO, updated_at=LONG_AGO
    )


def test_older_learnings_that_the_branch_recalls_are_reviewed(world: World) -> None:
    on_a_feature_branch(world)
    world.write_feature(
        "007-x",
        {"slug": "csv-quotes", "status": "active"},
        spec="# Spec\n\nRead quotes of csv feeds.\n",
    )
    mine = old("csv quotes are doubled", "project")
    universal = old("quotes of feeds are never trusted", None)
    others = old("csv quotes elsewhere", "other")
    world.remember(mine, universal, others)
    write_retro(world, one("csv quotes of this branch"))
    before = rows(world)
    reviewed = hardwon(world, "retro", "review", "--json")

    entries = reviewed.document["entries"]
    assert {entry["id"] for entry in entries} == {mine.entry_id, universal.entry_id}
    assert all(entry["days_since_observed"] > 365 for entry in entries)
    assert entries[0].keys() >= {
        "name",
        "observation_count",
        "confidence",
        "validation_count",
        "useful_count",
    }
    assert rows(world) == before

    output = hardwon(world, "retro", "review", "--limit", "1").stdout
    assert "Ask the user" in output
    assert all(
        command in output for command in ("retro confirm ID", "update ID", "--tier deprecated")
    )


def test_without_signals_there_is_nothing_to_compare_with(world: World) -> None:
    assert "Nothing to compare with" in hardwon(world, "retro", "review").stdout
    nothing: dict[str, object] = {"skipped": None, "entries": [], "changed_by_hand": []}
    assert hardwon(world, "retro", "review", "--json").document == nothing
    assert not world.store.exists()


def test_a_confirmation_is_counted_in_both_places(world: World) -> None:
    world.write_bank(
        "patterns",
        "### Pattern: Old\nQuote.\n- Observation count: 3\n- Last observed: 2024-01-01\n",
    )
    world.import_bank()
    [(entry_id, *_)] = rows(world)
    confirmed = hardwon(world, "retro", "confirm", entry_id, "--json")
    path = str(world.project / "docs" / "knowledge-bank" / "patterns.md")

    assert confirmed.code == 0
    assert confirmed.document["entry"]["observation_count"] == 4
    assert {**confirmed.document, "entry": 0} == {
        "skipped": None,
        "entry": 0,
        "stands_in": [path],
        "added_to": None,
    }
    assert [row[2] for row in rows(world)] == [4]
    assert [*map(undated, banks(world).values())] == [
        "### Pattern: Old\nQuote.\n- Observation count: 4\n- Last observed: TODAY\n"
    ]
    assert world.query("SELECT updated_at > '2026' FROM entries") == [(1,)]
    world.import_bank()
    assert [row[2] for row in rows(world)] == [4]


def test_a_bank_that_is_gone_or_can_not_be_written_is_reported(world: World) -> None:
    write_retro(world, one("Quote every field.", name="Quoting"))
    [(entry_id, *_)] = rows(world)
    bank = world.project / "docs" / "knowledge-bank" / "patterns.md"
    bank.chmod(0o444)
    refused = hardwon(world, "retro", "confirm", entry_id)

    assert refused.stderr == f"hardwon: '{bank}' can't be written: read-only: allow writing\n"
    assert (refused.code, refused.stdout, rows(world)[0][2]) == (2, "", 1)

    bank.unlink()
    confirmed = hardwon(world, "retro", "confirm", entry_id)
    assert (confirmed.code, rows(world)[0][2]) == (0, 2)
    assert "  in no knowledge bank: " in confirmed.stdout


def test_a_retired_or_updated_entry_stays_one_row(world: World) -> None:
    entry_id = keep(world).entry_id
    changed = hardwon(
        world,
        "update",
        entry_id,
        "--confidence",
        "low",
        "--reasoning",
        "It was true of version 1 only.",
    )
    hardwon(world, "update", entry_id, "--tier", "deprecated")

    assert "confidence: medium -> low" in changed.stdout
    assert "keeps it as it was" not in changed.stdout  # it is in no knowledge bank
    assert world.query("SELECT confidence, reasoning FROM entries") == [
        ("low", "It was true of version 1 only.")
    ]
    assert len(rows(world)) == 1
    assert "Name the unit" not in world.hook().stdout


def test_the_bank_that_keeps_an_updated_lesson_as_it_was_is_reported(world: World) -> None:
    write_retro(world, one("Quote every field.", name="Quoting"))
    before = banks(world)
    [(entry_id, *_)] = rows(world)
    path = world.project / "docs" / "knowledge-bank" / "patterns.md"
    changed = hardwon(world, "update", entry_id, "--title", "Quoting, mostly").stdout

    assert changed.splitlines()[-2:] == [
        "title: Quoting -> Quoting, mostly",
        f"{path} keeps it as it was",
    ]
    assert banks(world) == before
    path.write_bytes(b"\xff")
    assert hardwon(world, "update", entry_id, "--confidence", "low").code == 0


def test_a_promoted_entry_is_one_row_of_no_project_and_is_in_the_users_own_bank(
    world: World,
) -> None:
    write_retro(world, one("Quote every field.", name="Quoting", provenance="Feature 7"))
    [(entry_id, *_)] = rows(world)
    promoted = hardwon(world, "retro", "promote", entry_id)
    files = banks(world)

    assert promoted.stdout.startswith("Promoted: Quoting")
    assert rows(world) == [(entry_id, "Quoting", 1, None)]
    assert undated(files["store/patterns.md"]) == (
        "# Patterns\n\n### Pattern: Quoting\nQuote every field.\n- Observed in: Feature 7\n"
        "- Observation count: 1\n- Confidence: medium\n- Last observed: TODAY\n"
    )
    second = hardwon(world, "retro", "promote", entry_id, "--json").document
    assert (second["promoted"], second["stands_in"], second["added_to"]) == (
        False,
        [str(world.store / "patterns.md")],
        None,
    )
    world.import_bank()
    assert (rows(world), banks(world)) == ([(entry_id, "Quoting", 1, None)], files)


def test_an_entry_that_is_unknown_or_no_learning_is_refused(world: World) -> None:
    (world.project / "memory" / "sessions").mkdir(parents=True)
    (world.project / "memory" / "sessions" / "a.md").write_text("# A\n\nText.\n")
    hardwon(world, "index")
    refused = hardwon(world, "retro", "confirm", "1")

    assert (refused.code, "learnings alone" in refused.stderr) == (1, True)
    assert hardwon(world, "retro", "promote", "99").code == 1
    assert banks(world) == {}


def test_with_memory_off_the_store_is_left_unchanged(world: World) -> None:
    world.configure(semantic_enabled="false")
    done = hardwon(world, "retro", "confirm", "1")
    reviewed = hardwon(world, "retro", "review", "--json").document

    assert (done.code, done.stdout.startswith("Skipped: ")) == (0, True)
    assert (reviewed["entries"], reviewed["skipped"].startswith("Skipped: ")) == ([], True)
    assert not world.store.exists()
