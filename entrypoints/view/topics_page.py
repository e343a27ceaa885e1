"""Topics: groups of entries that say similar things."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.topics import distinctive_words
from hardwon.domain.model.weeks import weeks_until
from hardwon.entrypoints.view.charts import sparkline
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.entrypoints.view.words import read_search
from hardwon.ports.overview import Clusters, EntryLabel

SAMPLED = 20
"""The number of entries whose texts name a topic: those closest to its centre."""

LISTED = 5
LONGEST_LIST = 1_000
MAX_DUPLICATES = 20
SPARK_WEEKS = 26
NO_TEXT = "only filters narrow the topics, such as kind:decision or after:2026-01-01"


class Topic(NamedTuple):
    """
    A topic.

    Attributes:
        entry_id: The id of its most central entry, by which a page names it.
        members: The closest to its centre first.
        shown: The share of its entries that were ever shown, from 0 to 1.
        first: The Monday of the week of its oldest entry.
        spark: Polyline points: how many entries were kept in each of the last weeks.
    """

    entry_id: str
    words: tuple[str, ...]
    members: Sequence[EntryLabel]
    shown: float
    first: dt.date
    spark: str


def topics_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the topics of entries with a vector, or one with all its entries."""
    search = read_search(asked.query.get("q", ""), desk.memory.registry(), desk.clock.now())
    ignored = (f"{search.text}: {NO_TEXT}",) if search.text else ()
    clusters, problem = _clusters(desk, search.only)
    labels = {label.number: label for label in desk.memory.store.overview.labels(search.only)}
    topics = _topics(desk, search.only, clusters=clusters, labels=labels)
    chosen = next((topic for topic in topics if topic.entry_id == asked.query.get("of", "")), None)
    return Page(
        "topics",
        {
            "typed": asked.query.get("q", ""),
            "complaints": [*search.complaints, *ignored],
            "topics": [chosen] if chosen else topics,
            "entries": sum(len(topic.members) for topic in topics),
            "listed": LONGEST_LIST if chosen else LISTED,
            "chosen": chosen,
            "duplicates": [
                [labels[number] for number in group if number in labels]
                for group in (clusters.duplicates or ())[:MAX_DUPLICATES]
            ],
            "is_compared": clusters.duplicates is not None,
            "problem": problem,
        },
        [_document(topic, label) for topic in topics for label in topic.members],
    )


def _clusters(desk: Desk, only: EntryFilter) -> tuple[Clusters, str]:
    try:
        clustering = desk.clustering()
        clusters = clustering.clusters(only) if clustering else Clusters()
    except HardwonError as error:
        return Clusters(), str(error)
    return (
        clusters,
        "" if clusters.topics else "No entry has a vector yet: hardwon embed makes them.",
    )


def _topics(
    desk: Desk, only: EntryFilter, *, clusters: Clusters, labels: Mapping[int, EntryLabel]
) -> list[Topic]:
    topics = [
        members
        for numbers in clusters.topics
        if (members := [labels[number] for number in numbers if number in labels])
    ]
    samples = [_sample(desk, members) for members in topics]
    words = distinctive_words(
        [[f"{entry.name} {entry.description}" for entry in texts] for texts in samples]
    )
    return [
        _topic(desk, only, members=members, words=named)
        for members, named in zip(topics, words, strict=True)
    ]


def _sample(desk: Desk, members: Sequence[EntryLabel]) -> list[Entry]:
    return desk.memory.repository.hydrate([label.number for label in members[:SAMPLED]])


def _topic(
    desk: Desk, only: EntryFilter, *, members: Sequence[EntryLabel], words: tuple[str, ...]
) -> Topic:
    memory, weeks = desk.memory, weeks_until(desk.clock.now().date(), SPARK_WEEKS)
    among = only._replace(among=tuple(sorted(label.number for label in members)))
    created = memory.store.overview.created(among)
    by_week = Counter[dt.date]()
    for group in created:
        by_week[group.week] += group.entries
    return Topic(
        entry_id=members[0].entry_id,
        words=words,
        members=members,
        shown=memory.repository.count(among._replace(shown=True)) / len(members),
        first=min(by_week),
        spark=sparkline([by_week[week] for week in weeks]),
    )


def _document(topic: Topic, label: EntryLabel) -> dict[str, object]:
    return {
        "id": label.entry_id,
        "name": label.name,
        "kind": label.kind,
        "topic": topic.entry_id,
        "words": " ".join(topic.words),
    }
