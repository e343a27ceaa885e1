"""The block of a session start when nothing is wrong: its text, and how much of it."""

import shutil

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import CATEGORIES
from tests.entrypoints.hook_process import GOLDEN, World
from tests.entrypoints.sessions import FRAME, THEN, block_of, entry, lesson
from tests.machine import bare_programs

MAX_UNITS = 9_500


def test_the_argument_form_prints_the_block_that_a_person_has_read(embedded_world: World) -> None:
    run = embedded_world.argument_form()

    assert run.stdout == (GOLDEN / "hook-block.md").read_text(encoding="utf-8")
    assert (run.code, run.stderr, run.log) == (0, "", ())


def test_the_console_script_searches_by_meaning_in_its_own_time(embedded_world: World) -> None:
    assert "active (vector=7, fts5=5) |" in embedded_world.hook().stdout


def test_the_json_form_has_what_is_relevant_of_the_same_between_two_lines(world: World) -> None:
    plain, framed = world.argument_form().stdout, world.hook().stdout

    assert (framed.splitlines()[0], framed.splitlines()[-1]) == FRAME
    assert {*block_of(framed).headings} < {*block_of(plain).headings}


def test_after_the_first_import_the_vectors_are_pending(world: World) -> None:
    shutil.rmtree(world.store)

    assert block_of(world.hook().stdout).diagnostic == (
        "*Memory: 1 entries from 7 | semantic: active (vector=0, fts5=5, pending_embedding=7)"
        ' | context: "csv reader. Read partner feeds..." | model: none*'
    )


def test_switched_off_the_line_counts_both_sides(world: World) -> None:
    world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    world.write_bank("patterns", lesson("Pattern: Everywhere"), of_all_projects=True)

    assert (
        block_of(world.hook().stdout).diagnostic
        == "*Memory: 8 entries (7 local, 1 global) | semantic: disabled*"
    )


def test_without_numpy_the_line_says_so(world: World) -> None:
    world.bin = bare_programs()

    assert block_of(world.hook().stdout).diagnostic == (
        "*Memory: 1 entries from 7 | semantic: degraded (numpy unavailable, run: make install)"
        ' | context: "csv reader. Read partner feeds..." | model: none*'
    )


def test_fields_only_the_store_needs_are_not_printed(empty_world: World) -> None:
    empty_world.remember(
        Entry(
            name="Shown",
            description="Shown too.",
            reasoning="unprinted-reasoning",
            keywords=("unprinted-keyword",),
            references=("unprinted-reference",),
            category="patterns",
            recall_count=5,
            created_at=THEN,
            updated_at=THEN,
        )
    )
    text = empty_world.hook().stdout

    assert "### Pattern: Shown\nShown too.\n" in text
    assert "unprinted" not in text
    assert "ecall" not in text


@pytest.mark.parametrize(
    "text", ["x" * 2_800, "😀" * 1_400, "long " * 100 + "\n"], ids=["long", "wide", "many"]
)
def test_the_host_never_has_to_cut_the_block(empty_world: World, text: str) -> None:
    empty_world.remember(
        *(
            entry(f"{category}-{n}", f"{category}-{n} {text}", category=category)
            for category in CATEGORIES
            for n in "0123456"
        )
    )
    run = empty_world.hook()

    assert len(run.stdout.encode("utf-16-le")) // 2 <= MAX_UNITS
    assert len(block_of(run.stdout).headings) >= 3


@pytest.mark.parametrize("text", ["語" * 700, "é" * 1_200, "Ж" * 90, "x" * 1_400])
def test_codex_which_counts_bytes_never_has_to_cut_the_block(empty_world: World, text: str) -> None:
    empty_world.remember(
        *(
            entry(f"{category}-{n}", f"{category}-{n} {text}", category=category)
            for category in CATEGORIES
            for n in "01234"
        )
    )
    rollout = str(
        empty_world.folder
        / "rollout-2026-11-25T21-01-15-01a21483-4127-7801-b801-6ac91144e940.jsonl"
    )
    run = empty_world.hook(payload={**empty_world.session_start(), "transcript_path": rollout})

    assert len(run.stdout.encode()) <= MAX_UNITS
    assert len(block_of(run.stdout).headings) >= 3


def test_each_category_has_three_entries_when_there_is_room_for_nine(empty_world: World) -> None:
    empty_world.remember(
        *(entry(f"p{n}", category="patterns", count=900) for n in range(30)),
        *(entry(f"a{n}", category="anti-patterns") for n in range(4)),
        *(entry(f"h{n}", category="heuristics") for n in range(2)),
    )
    headings = block_of(empty_world.argument_form("--limit", "9").stdout).headings

    assert [
        heading[4:].removeprefix("Anti-Pattern: ").removeprefix("Pattern: ")[0]
        for heading in headings
    ] == [*"aaahhpppp"]


# How much.


@pytest.mark.parametrize(
    ("limit", "printed"),
    [("5", 5), ("20", 20), ("30", 25), ("abc", 20), ("5.5", 20), ("99999999999999999999", 25)],
)
def test_as_many_entries_as_asked_for(empty_world: World, limit: str, printed: int) -> None:
    empty_world.remember(*(entry(f"n{n}") for n in range(25)))
    run = empty_world.argument_form("--limit", limit)

    assert len(block_of(run.stdout).headings) == printed
    assert run.code == 0
    assert bool(run.log) == (limit in {"abc", "5.5"})


@pytest.mark.parametrize("limit", ["0", "-1", "-99999999999999999999"])
def test_no_room_means_no_output(world: World, limit: str) -> None:
    run = world.argument_form(f"--limit={limit}")

    assert (run.code, run.stdout, run.stderr, run.log) == (0, "", "", ())


def test_the_projects_own_limit_counts(empty_world: World) -> None:
    empty_world.remember(*(entry(f"n{n}") for n in range(9)))
    empty_world.configure(injection_limit="4 # no more")

    assert len(block_of(empty_world.hook().stdout).headings) == 4


@pytest.mark.parametrize("value", ["false", "yes", "True", "1"])
def test_injection_switched_off_prints_nothing_and_opens_nothing(
    empty_world: World, value: str
) -> None:
    empty_world.write_bank("patterns", lesson("Pattern: Kept to itself"))
    empty_world.configure(injection_enabled=value)
    run = empty_world.hook()

    assert (run.code, run.stdout) == (0, "")
    assert not empty_world.database.exists()


def test_no_entries_mean_no_output(empty_world: World) -> None:
    run = empty_world.hook()

    assert (run.code, run.stdout, run.stderr, run.log) == (0, "", "", ())


def test_a_heading_with_marks_is_printed_as_plain_text(empty_world: World) -> None:
    empty_world.write_bank(
        "patterns", lesson("Pattern: Use `codecs`, **never** [guess](https://x.example/why)")
    )
    block = block_of(empty_world.hook().stdout)

    assert block.headings == ("### Pattern: Use codecs, never guess",)


def test_a_title_that_its_text_begins_with_is_printed_once(empty_world: World) -> None:
    empty_world.remember(
        entry("Keep raw lines", "Keep raw lines, they prove what was sent.", count=3),
        entry("Pin versions", "Pin versions.", count=2),
        entry("Cache", "Cache keys carry a version.", count=1),
    )

    assert (
        "### Pattern: Keep raw lines\n\u2026, they prove what was sent.\n- Observation count: 3\n- Confidence: medium\n\n"
        "### Pattern: Pin versions\n- Observation count: 2\n- Confidence: medium\n\n"
        "### Pattern: Cache\nCache keys carry a version.\n"
    ) in empty_world.hook().stdout
