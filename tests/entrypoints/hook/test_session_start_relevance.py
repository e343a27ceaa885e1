"""For a host the block ends where lessons no longer matter to what the user works on; in the argument form it is full."""

import json

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.ranking.prominence import MIN_RELEVANCE
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import run
from tests.entrypoints.sessions import block_of, entry

ABOUT = [
    entry(f"Invoices {n}", f"Invoices are exported as ledger lines, case {n}.") for n in range(5)
]
"""Each matches the feature's words as well as the others."""


def unrelated(n: int) -> Entry:
    """Return one of 30 lessons about other things, observed far more often than any that matters."""
    return entry(f"Gardening {n}", f"Roses want sun and water, bed {n}.", count=90 + n)


@pytest.fixture
def invoicing(empty_world: World) -> World:
    """Return a world with 5 lessons about the active feature among 30 others; it searches by word only."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_feature(
        "007-export",
        {"slug": "export", "status": "active"},
        spec="# Export\n\nExport invoices as ledger lines.\n",
    )
    empty_world.remember(*ABOUT, *map(unrelated, range(30)))
    return empty_world


def names(text: str) -> list[str]:
    return [heading.removeprefix("### Pattern: ").split()[0] for heading in block_of(text).headings]


def test_for_a_host_the_block_ends_with_the_last_relevant_lesson(invoicing: World) -> None:
    assert names(invoicing.hook().stdout) == ["Invoices"] * 5


def test_the_argument_form_fills_every_place(invoicing: World) -> None:
    printed = names(invoicing.argument_form().stdout)

    assert (printed.count("Invoices"), len(printed)) == (5, 20)


def test_a_category_without_a_relevant_lesson_gets_no_place(invoicing: World) -> None:
    invoicing.remember(
        *(entry(f"Weather {n}", f"Rain in spring {n}.", category="heuristics") for n in range(7))
    )
    printed = invoicing.hook().stdout

    assert printed.count("### Pattern: Invoices") == 5
    assert "Rain in spring" not in printed


def test_with_nothing_to_go_by_the_five_of_the_best_track_record_are_printed(
    invoicing: World,
) -> None:
    (invoicing.project / "docs" / "features" / "007-export" / ".meta.json").unlink()

    assert names(invoicing.hook().stdout) == ["Gardening"] * 5


def test_where_no_word_matches_the_track_record_fills_five_places(invoicing: World) -> None:
    invoicing.write_feature("008-other", {"slug": "zygote", "status": "active"})
    (invoicing.project / "docs" / "features" / "007-export" / ".meta.json").unlink()

    assert len(names(invoicing.hook().stdout)) == 5


def test_where_the_words_match_nothing_relevant_it_fills_five_places_too(invoicing: World) -> None:
    invoicing.write_feature(
        "008-other", {"slug": "zygote", "status": "active"}, spec="# Z\n\nCells want sun.\n"
    )

    assert len(names(invoicing.hook().stdout)) == 5


def test_why_shows_the_relevance_of_each_lesson_and_of_those_that_were_left_out(
    invoicing: World,
) -> None:
    invoicing.hook()
    explained = json.loads(run(invoicing, "hardwon", "why", "--json").stdout)

    [injection] = explained["items"]
    for item in injection["entries"]:
        parts = item["parts"]
        assert parts["relevance"] >= MIN_RELEVANCE
    assert (
        f"relevance {injection['entries'][0]['parts']['relevance']:.2f} >= {MIN_RELEVANCE}"
        in run(invoicing, "hardwon", "why").stdout
    )
