"""How reliable relevance is: the tables on planted hits, the regression, and the command on planted sets."""

import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bench import relevance, relevance_stores
from bench.eval_sets import read_sets_below
from bench.long_sets import MadeSet
from bench.relevance import fit_lines, floor_table, reliability_table
from bench.relevance_fit import fit, floors, regression, with_meaning, words_alone
from bench.relevance_stores import Asked, Hit, Side, nonsense

WRONG = Hit(relevance=0.2, right=False, closeness=0.1, background=0.0, matched=0.2)
RIGHT = Hit(relevance=0.8, right=True, closeness=0.8, background=0.1, matched=0.9)


def asked(side: Side, *hits: Hit, answers: int = 0, keeps_right: bool = False) -> Asked:
    return Asked("planted", 10, side, hits, answers, keeps_right)


def cells(lines: Sequence[str], *beginning: str) -> list[str]:
    """Return the cells after *beginning* of the one line that begins so."""
    [line] = [line.split() for line in lines if line.split()[: len(beginning)] == list(beginning)]
    return line[len(beginning) :]


def test_the_floor_costs_the_right_answers_it_takes_away_and_those_alone() -> None:
    group = [
        asked("answerable", WRONG, RIGHT, answers=1, keeps_right=True),
        asked("answerable", RIGHT, answers=0),
        asked("answerable", WRONG, answers=1),  # was not found without a floor either
        *[asked("nonsense", WRONG, answers=number) for number in (0, 0, 0, 2)],
        asked("foreign", WRONG),
    ]
    lines = list(floor_table(group))

    assert cells(lines, "planted", "10") == ["4", "25.0%", "1", "0.0%", "2", "50.0%"]
    assert cells(lines, "all", "sets", "10") == ["4", "25.0%", "1", "0.0%", "2", "50.0%"]
    assert cells(lines, "planted", "100") == ["0", "-", "0", "-", "0", "-"]


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (0.0, "0.0"),
        (0.0999, "0.0"),
        (0.1, "0.1"),
        (0.4999, "0.4"),
        (0.5, "0.5"),
        (0.9, "0.9"),
        (1.0, "0.9"),
    ],
)
def test_a_hit_counts_in_the_tenth_of_its_relevance(value: float, band: str) -> None:
    hits = RIGHT._replace(relevance=value), WRONG._replace(relevance=value)
    lines = list(reliability_table([asked("answerable", *hits), asked("nonsense", hits[1])]))

    assert len(lines) == 11
    assert cells(lines, band, "to", f"{float(band) + 0.1:.1f}") == [
        "3",
        "33.3%",
        "2",
        "50.0%",
        "50.0%",
    ]
    assert sum(int(line.split()[3]) for line in lines[1:]) == 3


def test_the_regression_finds_the_weights_that_made_the_examples() -> None:
    draw, true = np.random.default_rng(1), np.array([-2.0, 4.0, -3.0])
    rows = draw.random((40_000, 2))
    likely = 1 / (1 + np.exp(-(true[0] + rows @ true[1:])))
    right = (draw.random(len(rows)) < likely).astype(float)

    assert regression(rows, right, np.ones(len(rows))) == pytest.approx(true, abs=0.15)


def test_a_weight_of_two_counts_like_the_example_twice() -> None:
    rows, right = np.array([[0.1], [0.3], [0.5], [0.9]]), np.array([0.0, 1.0, 0.0, 1.0])
    twice = regression(np.vstack([rows, rows[:1]]), np.append(right, 0.0), np.ones(5))

    assert regression(rows, right, np.array([2.0, 1.0, 1.0, 1.0])) == pytest.approx(twice)


def test_the_fit_learns_from_first_right_hits_and_the_best_five_of_unanswerable_questions() -> None:
    def fitted(*, sixth: float = 0.0, fifth: float = 0.1, second_right: float = 0.5) -> list[float]:
        wrong = [WRONG] * 4 + [WRONG._replace(closeness=fifth), WRONG._replace(closeness=sixth)]
        right = (WRONG._replace(closeness=0.9), RIGHT, RIGHT._replace(closeness=second_right))
        return fit(
            [asked("answerable", *right), asked("nonsense", *wrong), asked("foreign", WRONG)],
            with_meaning,
        )

    assert len(fitted()) == 4
    assert fitted(sixth=0.9) == fitted() == fitted(second_right=0.1)
    assert fitted(fifth=0.9) != fitted()
    assert fitted()[1] > 0


def test_a_hit_without_a_vector_teaches_only_the_formula_for_words() -> None:
    bare = RIGHT._replace(closeness=None, matched=4.0)

    assert with_meaning(bare) is None
    assert words_alone(bare) == [1.0]  # more than a full match tells no more
    assert with_meaning(RIGHT._replace(matched=0.25)) == [0.8, 0.1, 0.5]


def test_a_floor_is_described_by_the_right_answers_it_loses_and_the_answers_left() -> None:
    group = [asked("answerable", RIGHT._replace(matched=number / 100)) for number in range(1, 101)]
    group += [
        asked("nonsense", WRONG._replace(matched=matched)) for matched in (0.0, 0.015, 0.03, 0.5)
    ]
    lines = list(fit_lines(group, words_alone))
    by_share = {floor.lost: floor for floor in floors(group, words_alone, [-1.0, 10.0])}

    intercepts = [by_share[lost].intercept for lost in (0.0, 0.005, 0.03)]
    assert intercepts == pytest.approx(
        [-1.0, -1.0, -2.0]
    )  # the root of .01 is .1, that of .04 is .2
    assert [sum(by_share[lost].nonsense) for lost in (0.0, 0.03)] == [3, 1]
    assert (len(by_share[0.0].nonsense), by_share[0.0].foreign) == (4, [])
    assert lines[0].startswith("fitted: intercept ")
    assert cells(lines, "3.0%")[1:] == ["25.0%", "-"]


SUBJECTS = {
    "parsers": ("The parser reads {} tokens of the input grammar", "parser grammar tokens {}"),
    "wings": (
        "The wing with {} flaps has a lift coefficient of the airfoil",
        "airfoil lift wing {}",
    ),
}


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Return a folder with two sets of twelve documents, each asked for by words of it."""
    numbers = "one two three four five six seven eight nine ten eleven twelve".split()
    for name, (text, question) in SUBJECTS.items():
        MadeSet(
            [{"id": number, "text": text.format(number)} for number in numbers],
            [{"id": f"q-{number}", "text": question.format(number)} for number in numbers],
            [(f"q-{number}", number, 1) for number in numbers],
        ).write(str(tmp_path / "sets" / name))
    return tmp_path / "sets"


@pytest.mark.usefixtures("embedder_of_words")
def test_the_command_asks_stores_what_they_answer_and_what_they_cannot(
    sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module in (relevance, relevance_stores):
        monkeypatch.setattr(module, "STORES", {5: 1, 2_000: 1})
    (tmp_path / "nonsense.txt").write_text(
        "medieval falconry\nsourdough starter\nknitting a cardigan\nhello\n"
    )
    monkeypatch.setattr(relevance_stores, "NONSENSE", str(tmp_path / "nonsense.txt"))
    monkeypatch.setattr(sys, "argv", ["bench.relevance", str(sets), "--fit"])

    relevance.main()
    printed = capsys.readouterr()

    assert printed.err == ""
    by_meaning, by_words = (re.findall(".+", part) for part in printed.out.split("words only"))
    for lines in (by_meaning, by_words):
        for name in SUBJECTS:
            assert cells(lines, name, "5")[::2] == ["4", "12", "5"]
            assert cells(lines, name, "2,000")[::2] == ["4", "12", "12"]
        assert cells(lines, "all", "sets", "2,000")[5] == "0.0%"  # no right answer is lost
        assert sum(1 for line in lines if re.match(r"fitted: intercept -?\d", line)) == 1
    assert cells(by_meaning, "all", "sets", "2,000")[1:4:2] == ["0.0%", "0.0%"]


def test_the_same_seed_draws_the_same_stores(sets: Path) -> None:
    [parsers, wings] = read_sets_below(str(sets))

    def questions(seed: int) -> list[object]:
        draw = random.Random(seed)
        ids = relevance_stores._drawn(parsers, 10, draw)
        assert len(set(ids)) == len(ids) == 10
        return [ids, *relevance_stores._questions(parsers, [wings], ids, draw)]

    assert questions(1) == questions(1) != questions(2)


def test_the_nonsense_is_fifty_questions() -> None:
    assert len(nonsense()) == len(set(nonsense())) == 50
    assert all(text == text.strip() != "" for text in nonsense())
