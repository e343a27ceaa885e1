"""The figures of `make quality` on the labelled sets stay as good as they are."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.eval_sets import read_sets
from bench.quality.block import FORMS, StartSet, blocks, start_sets
from bench.quality.block import Figures as BlockFigures
from bench.quality.block import figures as block_figures
from bench.quality.capture import kept
from bench.quality.docstrings import functions, measured, sets, write_set
from bench.quality.fresh import fresh_entries, fresh_items
from bench.quality.fresh_prompts import fresh_prompt_outcomes, groups
from bench.quality.gate import answers
from bench.quality.gate import figures as gate_figures
from bench.quality.labelled import HALVES
from bench.quality.lessons_store import LessonsStore, lessons_store
from bench.quality.moments import Outcome, edit_outcomes, error_outcomes
from bench.quality.moments import figures as moment_figures
from bench.quality.pairs import of_lessons, of_pairs
from bench.quality.segmentation import cuts, figures, talks
from bench.quality.tool_talks import MEMORIES
from bench.quality.tool_talks import figures as talk_figures
from bench.quality.tool_talks import talks as talks_with_tools
from hardwon.adapters.evaluation.cache import VectorCache

pytestmark = [pytest.mark.scene, pytest.mark.usefixtures("one_process")]


class StoreOfStarts(NamedTuple):
    """The store of a set of labelled starts."""

    asked: StartSet
    store: LessonsStore

    def figures(self, half: str, form: str) -> BlockFigures:
        """Return the figures of the blocks of *half*."""
        return block_figures([*blocks(self.store, self.asked, half, FORMS[form])])


@pytest.fixture(scope="module", params=["scenarios", "fresh"])
def starts(request: pytest.FixtureRequest) -> Iterator[StoreOfStarts]:
    asked = start_sets()[request.param]
    with lessons_store(asked.entries) as store:
        yield StoreOfStarts(asked, store)


@pytest.mark.parametrize("half", HALVES)
def test_a_block_for_a_host_is_more_relevant_than_a_full_one(
    starts: StoreOfStarts, half: str
) -> None:
    full, relevant = (starts.figures(half, form) for form in ("arguments", "hosts"))

    assert relevant.precision >= full.precision + 0.1
    assert relevant.precision_at_10 >= full.precision_at_10 - 0.05


@pytest.mark.parametrize("form", ["no vectors", "no words"])
def test_without_a_search_a_block_has_most_of_its_relevance(
    starts: StoreOfStarts, form: str
) -> None:
    for half in HALVES:
        full, less = (starts.figures(half, name) for name in ("hosts", form))

        assert less.precision_at_10 >= 0.85 * full.precision_at_10, half


def test_few_prompts_are_answered_wrongly_and_many_rightly(tmp_path: Path) -> None:
    with closing(VectorCache(str(tmp_path), print)) as cache:
        given = [*answers(60, cache)]
    dev, held = (
        gate_figures([answer for answer in given if answer.half == half]) for half in HALVES
    )

    assert (dev.wrong <= 0.014, dev.answered >= 0.45, dev.precision >= 0.93) == (
        True,
        True,
        True,
    ), dev
    assert (held.wrong <= 0.029, held.answered >= 0.3, held.precision >= 0.87) == (
        True,
        True,
        True,
    ), held


def test_fresh_prompts_of_every_author_are_answered_and_silent_without_their_lesson(
    tmp_path: Path,
) -> None:
    with closing(VectorCache(str(tmp_path), print)) as cache:
        outcomes = [*fresh_prompt_outcomes(cache, HALVES[1:])]
    in_question = [outcome for outcome in outcomes if "hard" not in groups(outcome)]
    of_authors = {
        author: moment_figures([outcome for outcome in outcomes if author in groups(outcome)])
        for author in ("author A", "author B", "author C", "author D")
    }
    of_all = moment_figures(in_question)

    assert (of_all.answered >= 0.4, of_all.wrong <= 0.015) == (True, True), of_all
    assert min(figures.answered for figures in of_authors.values()) >= 0.25, of_authors


def test_few_fresh_prompts_on_the_subject_of_a_lesson_are_answered_wrongly(tmp_path: Path) -> None:
    with closing(VectorCache(str(tmp_path), print)) as cache:
        outcomes = [*fresh_prompt_outcomes(cache, HALVES[:1], left_out=False)]
    of_all = moment_figures(outcomes)

    assert (of_all.answered >= 0.4, of_all.right == 1, of_all.wrong <= 0.016) == (
        True,
        True,
        True,
    ), of_all


@pytest.mark.parametrize(("half", "right", "wrong"), [("dev", 21, 0), ("held", 16, 1)])
def test_nearly_all_proposed_pairs_are_alike(half: str, right: int, wrong: int) -> None:
    outcome = of_pairs(half)

    assert outcome.right >= right
    assert outcome.found - outcome.right <= wrong


def test_of_all_pairs_in_a_store_none_is_proposed_wrongly() -> None:
    outcome = of_lessons()

    assert (outcome.found, outcome.right) == (6, 6)


@pytest.mark.parametrize(("half", "f1"), [("dev", 0.83), ("held", 0.89)])
def test_conversations_are_cut_where_their_subject_changes(half: str, f1: float) -> None:
    assert figures(map(cuts, talks(half, announced=False))).f1 >= f1


@pytest.mark.parametrize("half", HALVES)
def test_announced_changes_are_all_found_and_nothing_else(half: str) -> None:
    for talk in talks(half, announced=True):
        assert cuts(talk).found == cuts(talk).right


@pytest.mark.parametrize(
    ("half", "precision", "recall"), [("dev", 0.99, 0.95), ("held", 0.85, 0.66)]
)
def test_capture_keeps_as_much_of_what_a_person_would_keep(
    half: str, precision: float, recall: float
) -> None:
    captured = kept(half)

    assert captured.precision >= precision
    assert captured.recall >= recall


@pytest.mark.parametrize(
    ("half", "precision", "recall", "traps"),
    [
        ("dev", 0.95, 0.9, 0),
        ("dev2", 0.85, 0.8, 0),
        ("held", 0.65, 0.5, 2),
        ("held2", 0.65, 0.5, 4),
    ],
)
def test_memories_of_talks_with_tool_calls_are_right_and_most_are_found(
    half: str, precision: float, recall: float, traps: int
) -> None:
    captured = talks_with_tools(half)
    everything = talk_figures(captured, ("repair", *MEMORIES))
    repairs = talk_figures(captured, ("repair",))

    assert everything.precision >= precision
    assert everything.recall >= recall
    assert repairs.precision >= 0.8
    assert sum(len(talk.traps) for talk in captured) <= traps


def test_figures_of_moments_are_shares_of_those_with_and_without_a_lesson() -> None:
    item = {"half": "dev", "lesson": None}
    outcomes = [
        Outcome(item, helpful="a", shown="a", first="a"),
        Outcome(item, helpful="a", shown="b", first="b"),
        Outcome(item, helpful="a", shown=None, first="a"),
        Outcome(item, helpful="a", shown=None, first=None),
        Outcome(item, helpful=None, shown="b", first="b"),
        Outcome(item, helpful=None, shown=None, first="b"),
    ]

    shares = (0.5, 0.5, 0.5, 0.5)
    assert moment_figures(outcomes)[:4] == shares
    assert moment_figures(outcomes).limit == pytest.approx(0.905, abs=0.001)


@pytest.mark.soak
def test_few_moments_are_answered_wrongly_and_many_rightly(tmp_path: Path) -> None:
    with closing(VectorCache(str(tmp_path), print)) as cache:
        errors, edits = [*error_outcomes(cache)], [*edit_outcomes(cache)]
    for half, answered, edited in (("dev", 0.48, 0.35), ("held", 0.36, 0.33)):
        errors_of, edits_of = (
            moment_figures([outcome for outcome in all_of if outcome.item["half"] == half])
            for all_of in (errors, edits)
        )
        assert (errors_of.answered >= answered, errors_of.right == 1) == (True, True), errors_of
        assert (edits_of.answered >= edited, edits_of.right >= 0.89) == (True, True), edits_of
        assert (errors_of.wrong <= 0.015, edits_of.wrong <= 0.023) == (True, True)


def test_on_lessons_and_the_prompts_they_help_with_adaptive_is_above_its_better_half(
    tmp_path: Path,
) -> None:
    lessons = fresh_entries().items()
    current = {
        label: f"{entry.name}\n{entry.description}"
        for label, entry in lessons
        if not entry.superseded_by
    }
    asked = [
        (prompt["prompt"], prompt["lessons"][0])
        for prompt in fresh_items("prompts")
        if prompt["lessons"] and prompt["half"] == "held"
    ]
    write_set(tmp_path / "lessons", current, asked)
    [ndcg] = measured(read_sets([str(tmp_path / "lessons")])).values()

    assert ndcg["adaptive"] >= max(ndcg["keyword"], ndcg["vector"]) + 0.04


@pytest.mark.soak
def test_questions_about_code_are_answered_as_well_as_by_vectors_alone() -> None:
    described = functions()

    assert all(function.sentence not in function.code for function in described)
    for name, ndcg in measured(sets(described)).items():
        assert ndcg["adaptive"] >= ndcg["vector"] - 0.005, name
