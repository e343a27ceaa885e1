"""Hypothesis strategies: timestamps, texts, entries, vectors, markdown. Few distinct values, so that ties are common."""

import datetime as dt
import math
from array import array
from typing import Any, get_args

import attrs
from hypothesis import settings
from hypothesis import strategies as st

from hardwon.domain.model.cited_place import CitedPlace
from hardwon.domain.model.embedding import Space, Vector, unit
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter, Scope
from hardwon.domain.model.injection.receipt import (
    ARMS,
    Delivery,
    Event,
    Form,
    NearMiss,
    Outcome,
    Receipt,
    ReceiptEntry,
)
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.model.vocabulary import (
    CATEGORIES,
    CONFIDENCES,
    CONTEXT_TYPES,
    CONVERSATION_KINDS,
    KINDS,
    REACHES,
    SOURCES,
    TIERS,
    Category,
    Kind,
)

NOW = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
DIMENSIONS = 4
SPACE = Space(provider="planted", model="planted-4", dimensions=DIMENSIONS)

few_examples = settings(max_examples=settings().max_examples // 3)
"""For what opens a database in every example."""

WORDS = ("parser", "deploy", "cache", "lock", "retry", "socket", "émigré", "x86")

ages = st.sampled_from([-DAY, 0 * DAY, dt.timedelta(microseconds=1), DAY, 30 * DAY, 90 * DAY])
timestamps = ages.map(lambda age: NOW - age)

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
anything = st.text(characters, max_size=30)
texts = anything.filter(str.strip)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
phrases_or_nothing = st.just("") | phrases


def lesson(
    description: str,
    *,
    category: Category = "patterns",
    name: str = "Lesson",
    age: dt.timedelta = DAY,
) -> Entry:
    """Return an entry about which only what is named matters."""
    return Entry(
        name=name,
        description=description,
        category=category,
        created_at=NOW - age,
        updated_at=NOW - age,
    )


def of_file(
    description: str,
    *,
    kind: Kind = "decision",
    path: str = "one.md",
    age: dt.timedelta = DAY,
    **more: Any,
) -> Entry:
    """Return the entry of a file about which only what is named matters."""
    return Entry(
        kind=kind,
        name="File",
        description=description,
        file_path=f"/memory/{kind}/{path}",
        created_at=NOW - age,
        updated_at=NOW - age,
        **more,
    )


def with_text(entry: Entry, field: str, text: str) -> Entry:
    """Return *entry* with *text* in one of its fields; among its labels it is the only one."""
    value: Any = (text,) if field in {"keywords", "tags", "trigger_phrases"} else text
    return attrs.evolve(entry, **{field: value})


labels = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)
citations = st.lists(
    st.builds(
        CitedPlace,
        st.sampled_from(["a.py:3", "docs/café.md"]),
        st.sampled_from(["unchanged", "changed", "gone"]),
        st.sampled_from(["", "b.py"]),
    ).map(lambda place: place.stored),
    max_size=2,
).map(tuple)
references = st.lists(st.sampled_from(["src/a.py", "src/b.py"]), max_size=2).map(tuple)
projects = st.none() | st.sampled_from(["here", "there"])
labels_of_projects = st.none() | st.sampled_from(["app", "shop"])
reaches = st.sampled_from(REACHES)
doors = st.none() | st.sampled_from(("bank", "file", "checkout"))
workspaces = st.none() | st.sampled_from(["work", "home", "/src/work", "here"])
tiers = st.sampled_from(TIERS[:4])
"""Of entries that stay in the indexes; what does not has tests of its own."""

importance_weights = st.sampled_from([0.0, 0.5, 1.0])
spec_folders = st.none() | st.sampled_from(["005-memory", "049-auth"])
anchors = st.just("") | st.sampled_from(["summary", "retry-lock"])
branches = st.none() | st.sampled_from(["main", "fix/lock"])


def entries_about(descriptions: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    """Return learnings that say one of *descriptions*."""
    return st.builds(
        Entry,
        name=phrases,
        description=descriptions,
        reasoning=phrases_or_nothing,
        notes=phrases_or_nothing,
        category=st.sampled_from(CATEGORIES),
        keywords=labels,
        tags=labels,
        references=references,
        citations=citations,
        observation_count=st.integers(1, 3),
        confidence=st.sampled_from(CONFIDENCES),
        created_at=timestamps,
        updated_at=timestamps,
        source=st.sampled_from(SOURCES),
        project=projects,
        reach=reaches,
        door=doors,
        source_project=labels_of_projects,
        workspace=workspaces,
        branch=branches,
        permanent=st.booleans(),
        tier=tiers,
        importance_weight=importance_weights,
        context_type=st.sampled_from(CONTEXT_TYPES[:2]),
        trigger_phrases=labels,
    )


entries = entries_about(phrases)
"""Learnings of few words: many are the same lesson."""

odd_entries = entries_about(texts)
"""Learnings whose descriptions hold any character."""

FILE_KINDS: tuple[Kind, ...] = KINDS[1:]

file_entries = st.builds(
    of_file,
    phrases,
    kind=st.sampled_from(FILE_KINDS),
    path=st.sampled_from(["one.md", "two.md", "café '\".md"]),
    age=ages,
    keywords=labels,
    tags=labels,
    references=references,
    citations=citations,
    confidence=st.sampled_from(CONFIDENCES),
    source=st.sampled_from(SOURCES),
    project=projects,
    reach=reaches,
    door=doors,
    source_project=labels_of_projects,
    workspace=workspaces,
    branch=branches,
    permanent=st.booleans(),
    tier=tiers,
    own_tier=st.booleans(),
    importance_weight=importance_weights,
    context_type=st.sampled_from(CONTEXT_TYPES[:2]),
    trigger_phrases=labels,
    spec_folder=spec_folders,
    anchor_id=anchors,
    session_id=st.none() | st.just("s"),
    file_mtime=st.none() | st.sampled_from([0, 1_767_225_600]),
    file_hash=st.none() | st.just("0" * 64),
)
"""Entries of files; each path belongs to one kind."""

all_entries = entries | file_entries

kinds_asked_for = st.sampled_from(
    [KINDS, ("learning",), CONVERSATION_KINDS, ("session",), ("document", "learning"), ()]
)
scopes = st.just(Scope()) | st.builds(
    Scope, st.sampled_from([(), ("here",), ("there",), ("here", "there")]), workspaces
)
visibilities = st.none() | st.builds(
    Visibility,
    own=st.sampled_from([(), ("here",), ("here", "there")]),
    silent=st.sampled_from([(), ("there",), ("elsewhere",)]),
    is_foreign=st.booleans(),
)
rarely = st.sampled_from([False, False, False, True])
filters = st.sampled_from([EVERYTHING, LEARNINGS]) | st.builds(
    EntryFilter,
    kinds=kinds_asked_for,
    category=st.none() | st.sampled_from(CATEGORIES),
    scope=scopes,
    anywhere=st.sampled_from([(), ("learning",), ("learning", "session")]),
    visible_in=visibilities,
    origins=st.sampled_from([(), ("here",), ("there", "elsewhere")]),
    label=labels_of_projects,
    permanent=st.booleans(),
    unlabelled=st.booleans(),
    citing=rarely,
    gone=rarely,
    stale=rarely,
    unplaced=st.booleans(),
    tag=st.none() | st.sampled_from(WORDS[:2]),
    folder=st.none() | st.sampled_from(["/", "/memory", "/memory/decision", "/memory/dec"]),
    spec_folder=spec_folders,
    anchor=st.none() | anchors,
    tier=st.none() | tiers,
    context_type=st.none() | st.sampled_from(CONTEXT_TYPES[:2]),
    source=st.none() | st.sampled_from(SOURCES),
    of_others=st.booleans(),
    session=st.none() | st.just("s"),
    except_session=st.none() | st.just("s"),
    since=st.none() | timestamps,
    until=st.none() | timestamps,
    idle_since=st.none() | timestamps,
    shown=st.none(),
    used=st.none(),
    among=st.none(),
    except_for=st.just(()),
)
"""Of any entry; what names entries by number has a test of its own."""


def is_within(entry: Entry, only: EntryFilter) -> bool:
    """Tell what every store must agree with: whether *entry* is one of those *only* asks for."""
    projects_asked_for, workspace = only.scope
    is_named = workspace == "work" and entry.workspace == "/src/work"
    shares_a_place = (
        entry.project in projects_asked_for or is_named or entry.workspace == workspace is not None
    )
    is_in_scope = shares_a_place or only.scope == Scope() or entry.kind in only.anywhere
    is_in_category = only.category is None or entry.category == only.category
    is_kept = entry.permanent or not only.permanent
    is_bare = not (only.unlabelled and entry.keywords) and not (
        (only.citing and not entry.references)
        or (only.gone and not entry.is_gone)
        or (only.stale and not entry.warning)
    )
    is_tagged = only.tag is None or only.tag in entry.tags
    is_below = only.folder is None or (entry.file_path or "").startswith(
        only.folder.rstrip("/") + "/"
    )
    asked = (
        only.spec_folder,
        only.anchor,
        only.tier,
        only.context_type,
        only.source,
        only.session,
        only.label,
    )
    facts = (
        entry.spec_folder,
        entry.anchor_id,
        entry.tier,
        entry.context_type,
        entry.source,
        entry.session_id,
    )
    own = (*facts, entry.source_project)
    is_alike = all(wish in {None, value} for wish, value in zip(asked, own, strict=True))
    is_of_sort = entry.kind in only.kinds and is_in_category and is_alike
    is_left_out = only.except_session is not None and only.except_session == entry.session_id
    is_shown = only.visible_in is None or may_be_shown(entry, only.visible_in)
    is_of = (not only.origins or entry.project in only.origins) and (
        entry.is_of_others or not only.of_others
    )
    made = entry.created_at.replace(microsecond=0)
    before = [limit for limit in (only.until, only.idle_since) if limit is not None]
    is_of_time = (only.since is None or made >= only.since) and all(
        made < limit for limit in before
    )
    return (
        is_of_sort
        and not is_left_out
        and is_in_scope
        and is_kept
        and is_bare
        and not (only.unplaced and entry.project)
        and is_tagged
        and is_below
        and is_shown
        and is_of
        and is_of_time
    )


def may_be_shown(entry: Entry, seen: Visibility) -> bool:
    """Tell what every store must agree with: whether *entry* may be shown without being asked for."""
    if entry.reach == "everywhere" or entry.project in seen.own:
        return True
    if entry.reach == "home" or (seen.is_foreign and entry.project is not None):
        return False
    return entry.project not in seen.silent


def within(only: EntryFilter, stored: list[Entry]) -> list[Entry]:
    """Return those of *stored* that *only* asks for."""
    return [entry for entry in stored if is_within(entry, only)]


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
    .map(lambda parts: SignalWeights(*(part / sum(parts) for part in parts)))
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

entry_ids = st.sampled_from(["0" * 16, "1" * 16, "2" * 16])
numbers = st.floats(allow_nan=False, allow_infinity=False)
shown_entries = st.builds(
    ReceiptEntry,
    entry_ids,
    st.sampled_from(get_args(Form)),
    st.just("d" * 64),
    st.none() | numbers,
    st.dictionaries(st.sampled_from(["vector", "vector_weight", "café"]), numbers, max_size=3),
    st.integers(0, 99),
    origin=anything,
    is_rejected=st.booleans(),
)
session_ids = st.sampled_from(["", "4e10-a", "4e10-ab", "4e10_a", "%", "Sitzung é"])
outcomes = st.builds(
    Outcome, st.integers(0, 3), st.integers(0, 2), st.none() | st.booleans(), st.booleans()
)
receipts = st.builds(
    Receipt,
    session_id=session_ids,
    event=st.sampled_from(get_args(Event)),
    at=timestamps,
    project=st.sampled_from(["here", "there"]),
    query=st.none() | texts,
    space=st.none() | st.just("planted-4"),
    policy=st.sampled_from(["hybrid", "adaptive"]),
    digest=st.just("e" * 64),
    frame=st.lists(texts, max_size=4).map(tuple),
    shown=st.lists(shown_entries, max_size=3).map(tuple),
    missed=st.lists(st.builds(NearMiss, entry_ids, numbers, texts), max_size=2).map(tuple),
    keyword_text=st.none() | texts,
    delivery=st.sampled_from(get_args(Delivery)),
    agent=st.sampled_from(["", "a10f98c7"]),
    signature=st.sampled_from(["", "KeyError: <n>"]),
    arm=st.sampled_from(ARMS),
    latest=st.integers(0, 9),
    outcome=outcomes,
)
"""Receipts of injections; numbered by the store."""
