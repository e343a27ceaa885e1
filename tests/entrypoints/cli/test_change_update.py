"""`hardwon update` and `validate`, and their effect on `show` and `list`."""

import os
import re

import attrs
import pytest

from hardwon.domain.model.vocabulary import TIERS
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.strategies import of_file


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def facts(shown: str) -> dict[str, str]:
    """Return the facts below an entry's texts."""
    return {
        line[:14].strip(): line[14:]
        for line in shown.splitlines()
        if re.match(r"[a-z ]{14}\S", line)
    }


def test_an_update_is_reported_and_shown(world: World) -> None:
    entry = keep(world)
    done = hardwon(
        world, *("update", "1", "--title", "Say the unit", "--tier", "important", "--weight", "0.9"),
        *("--trigger", "which unit", "--trigger", "feet or metres", "--tag", "space", "--permanent"),
    )  # fmt: skip

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"Updated: Say the unit (number 1, id: {entry.entry_id})",
        "title: Name the unit -> Say the unit",
        'trigger_phrases: [] -> ["which unit", "feet or metres"]',
        "importance_weight: 0.5 -> 0.9",
        "importance_tier: normal -> important",
        'tags: [] -> ["space"]',
        "permanent: false -> true",
    ]
    shown = facts(hardwon(world, "show", entry.entry_id).stdout)
    assert shown["number"] == "1"
    assert (shown["tier"], shown["weight"], shown["context type"]) == (
        "important",
        "0.9",
        "general",
    )
    assert shown["triggers"] == "which unit, feet or metres"
    assert (shown["found"], shown["judged"], shown["expires"]) == ("never", "never", "never")


def test_the_history_is_shown_the_last_change_first(world: World) -> None:
    keep(world)
    assert "changed       never" in hardwon(world, "show", "1", "--history").stdout
    hardwon(world, "update", "1", "--title", "Say the unit")
    hardwon(world, "update", "1", "--tier", "critical")

    lines = [
        line
        for line in hardwon(world, "show", "1", "--history").stdout.splitlines()
        if line[:7] == "changed"
    ]
    assert [line.split("  ")[-1] for line in lines] == [
        "importance_tier: normal -> critical",
        "title: Name the unit -> Say the unit",
    ]
    past = hardwon(world, "show", "1", "--history", "--json").document["history"]
    assert [(item["field"], item["new"]) for item in past] == [
        ("importance_tier", "critical"),
        ("title", "Say the unit"),
    ]
    assert "history" not in hardwon(world, "show", "1", "--json").document


def test_an_update_is_json_for_scripts(world: World) -> None:
    keep(world)
    document = hardwon(world, "update", "1", "--tier", "temporary", "--json").document

    assert document["changed"] == [
        {"field": "importance_tier", "old": "normal", "new": "temporary"}
    ]
    assert document["entry"]["tier"] == "temporary"
    shown = hardwon(world, "show", "1", "--json").document
    assert shown["expires_at"] > shown["created_at"]
    assert "expires_at" in shown
    assert hardwon(world, "update", "1", "--tier", "temporary", "--json").document["changed"] == []


def test_an_empty_trigger_takes_all_away_and_no_permanent_lets_go(world: World) -> None:
    keep(world)
    hardwon(world, "update", "1", "--trigger", "which unit", "--permanent")
    done = hardwon(world, "update", "1", "--trigger", "", "--no-permanent", "--keyword", "")

    entry = hardwon(world, "show", "1", "--json").document
    assert done.code == 0
    assert (entry["trigger_phrases"], entry["permanent"], entry["keywords"]) == ([], False, [])


def test_deprecating_an_entry_reports_that_it_is_found_no_more(world: World) -> None:
    keep(world)
    done = hardwon(world, "update", "1", "--tier", "deprecated")

    assert done.stdout.endswith(
        "It is deprecated: no search finds it any more, and it is kept until it is deleted\n"
    )
    assert hardwon(world, "recall", "--json", "unit").items == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("1",), "nothing to change: give --title, --tier,"),
        (("1", "--weight", "1.5"), "importance_weight is 1.5: use a number from 0 to 1"),
        (("1", "--weight", "nan"), "importance_weight is nan: use a number from 0 to 1"),
        (
            ("1", "--tier", "urgent"),
            "'urgent' is not one of 'constitutional', 'critical', 'important', 'normal',",
        ),
        (("1", "--title", " "), "title is blank: give it some text"),
        (("1", "--trigger", "ab"), "the trigger phrase 'ab' has 2 characters: use 3 to 100"),
        (("9", "--title", "x"), "no entry has the number '9'"),
        (("1", "--title", os.fsdecode(b"gr\xf6\xdfe")), "the text is not UTF-8"),
        (("1", "--tag", os.fsdecode(b"gr\xf6\xdfe")), "the text is not UTF-8"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_change_that_can_not_be_made_is_the_users_mistake(
    world: World, arguments: tuple[str, ...], message: str
) -> None:
    keep(world)
    done = hardwon(world, "update", *arguments)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr
    assert world.query("SELECT count(*) FROM history") == [(0,)]


def test_five_good_judgements_offer_a_promotion_and_make_none(world: World) -> None:
    entry = keep(world)
    output = [hardwon(world, "validate", "1", "--useful").stdout for _ in range(5)]

    assert output[3] == (
        f"Validated: Name the unit (number 1, id: {entry.entry_id}), useful 4 of 4 times, confidence score 1.00\n"
    )
    assert output[4].splitlines()[1:] == [
        f"It has proved itself: hardwon update {entry.entry_id} --tier critical makes it critical"
    ]
    document = hardwon(world, "validate", entry.entry_id, "--not-useful", "--json").document
    assert document == {
        "id": entry.entry_id,
        "number": 1,
        "validation_count": 6,
        "confidence_score": 5 / 6,
        "promotion_offered": False,
    }
    shown = facts(hardwon(world, "show", "1").stdout)
    assert (shown["tier"], shown["judged"]) == (
        "normal",
        "useful 5 of 6 times, confidence score 0.83",
    )


def test_a_judgement_needs_a_word(world: World) -> None:
    keep(world)

    assert hardwon(world, "validate", "1").code == 1
    assert hardwon(world, "validate", "9", "--useful").code == 1


def test_the_list_can_be_of_one_tier_or_one_specification(world: World) -> None:
    first, second = (
        of_file("One.", path="1.md", spec_folder="005-memory"),
        of_file("Two.", path="2.md"),
    )
    world.remember(first, attrs.evolve(second, tier="critical"))

    def listed(*options: str) -> list[str]:
        return [item["description"] for item in hardwon(world, "list", *options, "--json").items]

    assert listed("--tier", "critical") == ["Two."]
    assert listed("--tier", "normal") == listed("--spec-folder", "005-memory") == ["One."]
    assert (
        listed("--spec-folder", "005-memory", "--tier", "critical")
        == listed("--spec-folder", "005")
        == []
    )
    assert facts(hardwon(world, "show", first.entry_id).stdout)["spec folder"] == "005-memory"
    assert hardwon(world, "list", "--tier", "urgent").code == 1
    assert len(TIERS) == 6


def test_where_there_is_no_store_none_is_made(world: World) -> None:
    assert hardwon(world, "update", "0123456789abcdef", "--title", "x").code == 1
    assert hardwon(world, "validate", "0123456789abcdef", "--useful").code == 1
    assert not world.store.exists()


def test_keywords_past_ten_are_named_in_a_warning(world: World) -> None:
    keep(world)
    words = [f"k{number}" for number in range(11)]
    fits, left_out = (
        hardwon(world, "update", "1", *(part for word in given for part in ("--keyword", word)))
        for given in (words[:10], words)
    )

    assert (fits.code, fits.stderr) == (0, "")
    message = "Warning: a learning keeps its first 10 keywords, these were left out: k10\n"
    assert (left_out.code, left_out.stderr) == (0, message)
