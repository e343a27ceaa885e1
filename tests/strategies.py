"""Hypothesis: moments, texts, entries, vectors, markdown. Few distinct values, so that ties are common."""

import datetime as dt
import math
from array import array
from typing import Any

import attrs
from hypothesis import settings
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector, unit
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, SOURCES, Category

NOW = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
DIMENSIONS = 4
SPACE = Space(provider="planted", model="planted-4", dimensions=DIMENSIONS)

few_examples = settings(max_examples=settings().max_examples // 5)
"""For what opens a database in every example."""

WORDS = ("parser", "deploy", "cache", "lock", "retry", "socket", "émigré", "x86")

ages = st.sampled_from([-DAY, 0 * DAY, dt.timedelta(microseconds=1), DAY, 30 * DAY, 90 * DAY])
moments = ages.map(lambda age: NOW - age)

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
anything = st.text(characters, max_size=30)
texts = anything.filter(str.strip)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
phrases_or_nothing = st.just("") | phrases


def lesson(
    description: str, *, category: Category = "patterns", name: str = "Lesson", age: dt.timedelta = DAY
) -> Entry:
    """Return an entry about which only what is named matters."""
    return Entry(name=name, description=description, category=category, created_at=NOW - age, updated_at=NOW - age)


def with_text(entry: Entry, field: str, text: str) -> Entry:
    """Return *entry* with *text* in one of its fields; among the keywords it is the only one."""
    value: Any = (text,) if field == "keywords" else text
    return attrs.evolve(entry, **{field: value})


def entries_about(descriptions: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    """Return learnings that say one of *descriptions*."""
    return st.builds(
        Entry,
        name=phrases,
        description=descriptions,
        reasoning=phrases_or_nothing,
        notes=phrases_or_nothing,
        category=st.sampled_from(CATEGORIES),
        keywords=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
        references=st.lists(st.sampled_from(["src/a.py", "src/b.py"]), max_size=2).map(tuple),
        observation_count=st.integers(1, 3),
        confidence=st.sampled_from(CONFIDENCES),
        created_at=moments,
        updated_at=moments,
        source=st.sampled_from(SOURCES),
        source_project=st.none() | st.sampled_from(["here", "there"]),
    )


entries = entries_about(phrases)
"""Learnings of few words: many are the same lesson."""

odd_entries = entries_about(texts)
"""Learnings whose descriptions hold any character."""


def planted(cosine: float, direction: int = 1) -> Vector:
    """Return a unit vector of this cosine similarity to `QUERY_VECTOR`; the rest points in *direction*, from 1."""
    values = [0.0] * DIMENSIONS
    values[0] = cosine
    values[direction] = math.sqrt(max(0.0, 1 - cosine * cosine))
    return array("f", values)


QUERY_VECTOR = planted(1.0)

cosines = st.sampled_from([-1.0, -0.6, 0.0, 0.28, 0.6, 0.8, 1.0])
unit_vectors = st.builds(planted, cosines, st.integers(1, DIMENSIONS - 1))
free_unit_vectors = (
    st.lists(st.floats(-1, 1, width=32), min_size=DIMENSIONS, max_size=DIMENSIONS)
    .filter(lambda values: math.hypot(*values) > 1e-3)
    .map(lambda values: unit(array("f", values), DIMENSIONS))
)

shares = st.sampled_from([0.0, 0.1, 0.5, 1.0]) | st.floats(0, 1)
weights = (
    st.tuples(shares, shares, shares)
    .filter(lambda parts: sum(parts) > 0)
    .map(lambda parts: Weights(*(part / sum(parts) for part in parts)))
)

HEADINGS = ("Pattern: Retry", "Anti-Pattern: Lock", "Cache", "Parser first")


def bank_chunk(heading: str, description: str, *metadata: str) -> str:
    """Return one entry as a knowledge-bank file holds it."""
    return "\n".join([f"### {heading}", description, *(f"- {line}" for line in metadata), ""])


bank_chunks = st.builds(
    lambda heading, description, count, observed: bank_chunk(
        heading, description, f"Observation count: {count}", f"Last observed: {observed}"
    ),
    st.sampled_from(HEADINGS),
    phrases_or_nothing,
    st.integers(-1, 3),
    st.sampled_from(["2026-01-01T00:00:00Z", "3026-01-01T00:00:00Z", "some day", ""]),
)
banks = st.lists(bank_chunks, max_size=5).map("\n".join)
"""Markdown of knowledge-bank files; some entries have no description."""
