"""
How much of the block of a session start is relevant.

It is measured on 36 labelled starts on two stores.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal, NamedTuple

from bench.prompted_stores import PATIENCE, STANDING_STILL
from bench.quality.fresh import fresh_entries, fresh_items
from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import LessonsStore, lesson_entries, lessons_store
from hardwon.adapters.git.default_branch import DEFAULT_BRANCHES
from hardwon.domain.model.context import Branch, ContextQuery, Feature
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.use_cases.inject_at_start import InjectAtStart
from hardwon.entrypoints.bootstrap_retrieval import build_inject

LIMIT = 20
PLACES = 10
DRAWS = 2_000
"""Bootstrap samples of an interval."""

Start = Mapping[str, Any]


class StartSet(NamedTuple):
    """Labelled starts, the lessons of their store, and what a start is about."""

    starts: Sequence[Start]
    entries: Mapping[str, Entry]
    query: Callable[[Start], ContextQuery]


class Form(NamedTuple):
    """
    How a block is made.

    Attributes:
        lacks: The search for which no time was left, as on a busy machine.
    """

    framed: bool
    lacks: Literal["nothing", "vectors", "words", "both"] = "nothing"


FORMS = {
    "arguments": Form(framed=False),
    "hosts": Form(framed=True),
    "no vectors": Form(framed=True, lacks="vectors"),
    "no words": Form(framed=True, lacks="words"),
    "neither": Form(framed=True, lacks="both"),
}


class Block(NamedTuple):
    """
    The grades of a printed block, and of all lessons that are relevant.

    Attributes:
        shown: The grades of its lessons, best ranked first; 0 for one that does not help.
        relevant: The grades of all that help, highest first.
    """

    shown: list[int]
    relevant: list[int]

    @property
    def hits(self) -> int:
        """How many of its lessons help."""
        return sum(grade > 0 for grade in self.shown)

    @property
    def precision_at_10(self) -> float:
        """The share of the first ten places with a lesson that helps."""
        return sum(grade > 0 for grade in self.shown[:PLACES]) / PLACES

    @property
    def gain(self) -> float:
        """Its nDCG over the first ten places."""
        return _discounted(self.shown) / _discounted(self.relevant)


def table() -> Iterator[str]:
    """
    Yield precision with intervals of 95 %, and mean recall and nDCG@10.

    Precision is also given at 10.

    The latter two are over the starts that have relevant lessons.
    """
    yield (
        "starts     form         half  starts  shown  P@10                 precision"
        "            recall  nDCG@10"
    )
    for name, asked in start_sets().items():
        with lessons_store(asked.entries) as store:
            for form_name, form in FORMS.items():
                for half in HALVES:
                    graded = [*blocks(store, asked, half, form)]
                    yield f"{name:9}  {form_name:11}  {half:4}  {line_of(graded)}"


def start_sets() -> dict[str, StartSet]:
    """Return the sets of starts by name."""
    return {
        "scenarios": StartSet(items("scenarios.jsonl"), lesson_entries(), _query_of_scenario),
        "fresh": StartSet(fresh_items("starts"), fresh_entries(), _query_of_start),
    }


def blocks(store: LessonsStore, asked: StartSet, half: str, form: Form) -> Iterator[Block]:
    """Yield the graded blocks of the session starts of *half*."""
    inject = _lacking(build_inject(store.memory), store, form)
    for start in asked.starts:
        if start["half"] == half:
            query = asked.query(start)
            printed = inject.block_for(
                query if form.framed else query._replace(branch=None),
                limit=LIMIT,
                deadline=STANDING_STILL,
                workplace=NOWHERE,
                framed=form.framed,
            ).printed
            shown = [store.labels[scored.facts.entry_id] for scored in printed]
            yield _graded(start["grades"], shown)


class Figures(NamedTuple):
    """The figures of a group of blocks."""

    precision_at_10: float
    precision: float


def figures(graded: Sequence[Block]) -> Figures:
    """Return the figures of *graded*."""
    shown = sum(len(block.shown) for block in graded)
    return Figures(
        fmean(block.precision_at_10 for block in graded),
        sum(block.hits for block in graded) / max(shown, 1),
    )


def interval(graded: Sequence[Block]) -> tuple[Figures, Figures]:
    """Return the ends of the bootstrap intervals of 95 %, by start."""
    chance = random.Random(1)  # repeatable
    drawn = [figures(chance.choices(graded, k=len(graded))) for _ in range(DRAWS)]
    columns = [sorted(column) for column in zip(*drawn, strict=True)]
    ends = (DRAWS // 40, DRAWS - 1 - DRAWS // 40)
    low, high = (Figures(*(column[end] for column in columns)) for end in ends)
    return low, high


def line_of(graded: list[Block]) -> str:
    """Return the figures of one half in one form."""
    shown = sum(len(block.shown) for block in graded) / len(graded)
    asked = [block for block in graded if block.relevant]
    recall = fmean(block.hits / len(block.relevant) for block in asked)
    gain = fmean(block.gain for block in asked)
    ends = zip(figures(graded), *interval(graded), strict=True)
    both = "  ".join(f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in ends)
    return f"{len(graded):6}  {shown:5.1f}  {both}  {recall:6.2f}  {gain:7.2f}"


def _lacking(inject: InjectAtStart, store: LessonsStore, form: Form) -> InjectAtStart:
    """Return *inject* with all the time it needs, but for what *form* lacks."""
    retrieve = inject.retrieve._replace(embed_seconds=PATIENCE)
    if form.lacks in {"vectors", "both"}:
        retrieve = retrieve._replace(semantic=())
    if form.lacks in {"words", "both"}:
        retrieve = retrieve._replace(keywords=store.memory.store.keywords(enabled=False))
    return inject._replace(retrieve=retrieve)


def _query_of_scenario(start: Start) -> ContextQuery:
    feature = Feature(start["feature"], start["spec"], start["phase"])
    return ContextQuery(feature, tuple(start["files"]), Branch())


def _query_of_start(start: Start) -> ContextQuery:
    files = (*start["staged"], *start["changed"], *start["new"])
    feature = Feature(start["feature"], start["spec"] or "") if start["feature"] else None
    subjects = () if start["branch"] in DEFAULT_BRANCHES else tuple(start["commits"])
    return ContextQuery(feature, files, Branch(start["branch"], subjects))


def _graded(grades: Mapping[str, Any], shown: list[str]) -> Block:
    return Block([grades.get(label, 0) for label in shown], sorted(grades.values(), reverse=True))


def _discounted(grades: list[int]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades[:10], 1))
