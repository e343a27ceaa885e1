"""`hardwon demo`, and the benefit of context on its sample project."""

import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_files import build_import_knowledge
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_inject
from hardwon.entrypoints.embed_after_write import fill_spaces
from hardwon.examples.make_sample import SAMPLE
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import database_of, hardwon

TOPICS: dict[str, str] = json.loads((SAMPLE.parent / "topics.json").read_text(encoding="utf-8"))
QUERY = "building a file parser with error handling"
LIMIT = 25
WANTED = {"parsing": 20, "deployment": 20, "testing": 10}


def test_the_demo_runs_offline_and_leaves_nothing_behind(empty_world: World) -> None:
    temporary = empty_world.folder / "temporary"
    temporary.mkdir()
    empty_world.variables |= {"TMPDIR": str(temporary), "COLUMNS": "100"}

    done = hardwon(empty_world, "demo")

    assert (done.code, done.stderr) == (0, "")
    chapters = [
        line.split(". ")[0] for line in done.stdout.splitlines() if line.rstrip().endswith("──")
    ]
    assert chapters[:8] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    for part in (
        "79 learnings imported, 79 vectors made",
        "file-parser: ",
        "## Engineering Memory (from knowledge bank)",
        "| semantic: ",  # active, or late on a busy machine
        "0.5 x ",
        "by track record only",
        "Stored: A damaged record and an unclosed quote look alike (id: ",
        "<- new",
    ):
        assert part in done.stdout, part
    failure = done.stdout.partition("UnicodeDecodeError: ")[2]
    assert failure.splitlines()[1].startswith("[memory ")
    assert failure.splitlines()[2] == "Decode chunks incrementally"
    assert [line.split("  ")[1] for line in done.stdout.splitlines()[-2:]] == [
        "make install",
        "hardwon init",
    ]
    assert list(temporary.iterdir()) == []
    assert list((empty_world.folder / "home").iterdir()) == []
    assert not empty_world.store.exists()


def test_a_demo_without_git_says_what_is_missing(empty_world: World) -> None:
    empty_world.variables |= {"PATH": str(empty_world.project), "TMPDIR": str(empty_world.folder)}

    done = hardwon(empty_world, "demo")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "git" in done.stderr
    assert not list(empty_world.folder.glob("hardwon-demo-*"))


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Yield a store of 50 lessons on three topics with the same track record, all with vectors."""
    store = tmp_path_factory.mktemp("fifty")
    memory = open_memory(
        Settings(global_store=str(store), embedding_provider="local"), lambda _: None
    )
    with contextlib.closing(memory):
        build_import_knowledge(memory, str(SAMPLE), NOWHERE).everything()
        left = Counter(WANTED)
        for entry_id, name in database_of(memory).rows("SELECT id, name FROM entries ORDER BY id"):
            if left[TOPICS[name]] > 0:
                left[TOPICS[name]] -= 1
            else:
                database_of(memory).rows("DELETE FROM entry WHERE id = ?", (entry_id,))
        database_of(memory).rows(
            "UPDATE entry SET observation_count = 2, confidence = 'medium', updated_at = '2026-01-01T00:00:00.000000+00:00'"
        )
        assert fill_spaces(memory.spaces, None).problems == ()
        yield memory


def topics(memory: Memory, query: ContextQuery) -> Counter[str]:
    """Return how many of the chosen entries are about each topic."""
    injection = build_inject(memory).block_for(
        query, limit=LIMIT, deadline=Deadline(time.monotonic)
    )
    assert injection.selected
    chosen = memory.repository.hydrate(
        [scored.facts.number for scored in injection.selected.ranked]
    )
    assert len(chosen) == LIMIT
    return Counter(TOPICS[entry.name] for entry in chosen)


def test_context_brings_at_least_15_of_20_parsing_lessons_into_25_and_track_record_fewer(
    fifty: Memory,
) -> None:
    by_context = topics(fifty, ContextQuery(feature=Feature(slug=QUERY)))
    by_track_record = topics(fifty, ContextQuery())

    assert by_context["parsing"] >= 15, by_context
    assert by_context["parsing"] >= by_track_record["parsing"] + 3, (by_context, by_track_record)


def test_the_sample_has_a_topic_for_every_lesson() -> None:
    headings = [
        line.removeprefix("### ").removeprefix("Anti-Pattern: ").removeprefix("Pattern: ")
        for path in (SAMPLE / "docs" / "knowledge-bank").glob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("### ")
    ]

    assert sorted(headings) == sorted(TOPICS)
