"""The counts of the campaigns: a loss, a double and a damaged index are seen."""

import contextlib
import sqlite3

from tests.campaigns.conftest import (
    Figures,
    count_damage,
    count_lessons,
    count_utterances,
    note_event,
)
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import keep

TEXT = "s1 is said by one door alone."


def test_a_lesson_that_is_not_listed_is_lost(empty_world: World) -> None:
    figures = Figures()
    keep(empty_world, description=TEXT)
    count_lessons(empty_world, [TEXT, "Another one."], figures)

    assert figures == {"acknowledged": 2, "lost": 1, "doubled": 0}


def test_a_lesson_that_was_kept_twice_is_doubled(empty_world: World) -> None:
    figures = Figures()
    for _ in range(2):
        keep(empty_world, description=TEXT)
    count_lessons(empty_world, [TEXT], figures)

    assert figures.bad == {"doubled": 1}


def test_an_utterance_that_is_in_no_file_is_lost_unless_a_hook_logged_that_it_came_too_late(
    empty_world: World,
) -> None:
    figures, excused = Figures(), Figures()
    note_event(empty_world, "s1", "prompt", TEXT)
    count_utterances(empty_world, [TEXT, "s2 is gone."], figures)
    with empty_world.log.open("a", encoding="utf-8") as log:
        log.write("2026-11-23T12:00:00+00:00 Stop: out of time\n")
    count_utterances(empty_world, [TEXT, "s2 is gone."], excused)

    assert figures.bad == {"lost": 1}
    assert (excused.bad, excused["not noted, but logged"]) == ({}, 1)


def test_a_damaged_index_is_seen(empty_world: World) -> None:
    figures = Figures()
    keep(empty_world, description=TEXT)
    with contextlib.closing(sqlite3.connect(empty_world.database, isolation_level=None)) as store:
        store.execute("DELETE FROM entries_fts")
    count_damage(empty_world, figures)

    assert figures.bad == {"not whole": 1}
