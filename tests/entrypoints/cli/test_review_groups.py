"""The review by cause: a large store fits a screen, and what belongs together is decided together."""

import datetime as dt
from collections.abc import Iterable

import attrs
import pytest

from hardwon.domain.model.cited_place import CitedPlace
from hardwon.domain.model.entry import Entry
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon
from tests.strategies import of_file

LINES, COLUMNS = 24, 80
TODAY = dt.datetime.now(dt.UTC)
GONE = CitedPlace("src/a.py", "gone", "src/a.py").stored


def lesson(number: int, days: int, **fields: object) -> Entry:
    at = TODAY - dt.timedelta(days)
    text = f"Lesson {number}: {'a rather long explanation of what went wrong there, ' * 6}"
    values = {"name": f"Lesson {number} with a title of some length, as people write them"}
    return Entry(
        **{**values, "description": text, "category": "patterns"} | fields,  # type: ignore[arg-type]
        created_at=at,
        updated_at=at,
    )


def month_of(size: int) -> Iterable[Entry]:
    """Yield the entries of a store after a month, with each cause of a review."""
    newest = lesson(0, 1)
    yield newest
    for number in range(1, size):
        if number % 10 == 0:
            yield lesson(number, 40, superseded_by=newest.entry_id)
        elif number % 10 == 1:
            yield lesson(number, 20, references=("src/a.py",), citations=(GONE,))
        elif number % 10 < 6:
            yield lesson(number, 120)
        elif number % 10 == 6:
            note = of_file(f"Captured {number}.", kind="gotcha", path=f"/memory/{number}.md")
            yield attrs.evolve(note, created_at=TODAY, updated_at=TODAY)
        else:
            yield lesson(number, 20)


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def shown_long_ago(world: World) -> None:
    """Let something have been shown a hundred days ago."""
    first = lesson(-1, 120)
    world.remember(first)
    world.hook(payload=world.session_start())
    day = (TODAY - dt.timedelta(100)).date().isoformat()
    world.query("UPDATE receipt SET at = ? || substr(at, 11)", (day,))
    hardwon(world, "delete", first.entry_id, "--yes")


def counts(world: World) -> dict[str, int]:
    """Return the sizes of the groups."""
    found: dict[str, int] = {}
    for item in hardwon(world, "review", "--json", "--limit", "100000").items:
        found[item["sort"]] = found.get(item["sort"], 0) + 1
    return found


def test_a_store_of_two_thousand_fits_a_screen(world: World) -> None:
    shown_long_ago(world)
    world.remember(*month_of(2_000))
    done = hardwon(world, "review")
    lines = done.stdout.splitlines()

    assert (done.code, len(lines) <= LINES) == (0, True)
    assert max(map(len, lines)) <= COLUMNS
    assert [line for line in lines if not line.startswith("  ")][:4] == [
        "Superseded by a newer lesson (199): hardwon review superseded --drop",
        "Of which every cited file is gone (200): hardwon review gone --drop",
        "Never shown in 90 days (800): hardwon review unused --drop",
        "Captured this week (100): hardwon review note --keep",
    ]
    assert sum(line.startswith("  ") for line in lines) == 10
    document = hardwon(world, "review", "--json").document
    assert (len(document["items"]), document["total"]) == (10, 1_299)
    assert len(hardwon(world, "review", "--limit", "3", "--json").items) == 3
    assert len(hardwon(world, "review", "unused").stdout.splitlines()) <= LINES


@pytest.mark.parametrize(
    ("group", "decision", "line"),
    [
        ("superseded", "--drop", "Deprecate: 2 items superseded by a newer lesson"),
        ("gone", "--drop", "Deprecate: 2 items of which every cited file is gone"),
        ("gone", "--keep", "Keep: 2 items of which every cited file is gone"),
        ("unused", "--drop", "Deprecate: 8 items never shown in 90 days"),
        ("unused", "--keep", "Keep: 8 items never shown in 90 days"),
        ("note", "--keep", "Keep: 2 items captured this week"),
    ],
)
def test_a_group_is_decided_together(world: World, group: str, decision: str, line: str) -> None:
    shown_long_ago(world)
    world.remember(*month_of(21))
    before = counts(world)
    done = hardwon(world, "review", group, decision)

    assert (done.code, done.stdout) == (0, f"{line}\n")
    assert counts(world) == {name: size for name, size in before.items() if name != group}


def test_groups_that_need_a_look_at_each_are_not_decided_together(world: World) -> None:
    world.remember(*month_of(11))
    for group, decision in (("superseded", "--keep"), ("project", "--keep"), ("drift", "--drop")):
        done = hardwon(world, "review", group, decision)
        assert (done.code, "decided one by one" in done.stderr) == (1, True)
    assert hardwon(world, "review", "gone", "--keep", "--drop").code == 1


def test_in_a_terminal_a_capital_letter_decides_a_group_and_a_small_one_an_item(
    world: World,
) -> None:
    world.remember(*month_of(21))
    done = answer(world, b"d\nd\nD\nK\nk\nq\n", "review", question=b"[q] quit:")

    assert "[D] deprecate all 2" in done.shown
    left = counts(world)
    assert (left.get("gone"), left.get("unused"), left.get("superseded")) == (None, None, None)


def test_a_lesson_in_use_or_judged_is_not_offered_as_unused(world: World) -> None:
    shown, judged, rule = (lesson(number, 120) for number in range(3))
    world.remember(shown, judged, attrs.evolve(rule, tier="constitutional"), lesson(3, 89))
    world.hook(payload=world.session_start())
    assert counts(world) == {}


def test_a_store_in_which_nothing_was_shown_for_90_days_has_no_unused_lesson(world: World) -> None:
    world.remember(*(lesson(number, 120) for number in range(9)))
    assert counts(world) == {}
    shown_long_ago(world)
    assert counts(world).keys() == {"unused"}


def test_a_judgement_that_a_lesson_holds_ends_its_warning(world: World) -> None:
    changed = CitedPlace("src/a.py", "changed", "src/a.py").stored
    world.remember(lesson(1, 3, references=("src/a.py",), citations=(changed,)))
    assert "changed since" in hardwon(world, "show", "1").stdout
    hardwon(world, "validate", "1", "--useful")

    assert "changed since" not in hardwon(world, "show", "1").stdout
