"""One in-memory twin for each port."""

import datetime as dt
import hashlib
import re
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs

from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.context_query import Feature
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.errors import (
    EmbedderUnavailableError,
    KeywordIndexUnavailableError,
    LabelerUnavailableError,
    NumpyMissingError,
    StorageError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.knowledge_bank import BankEntry, parse_bank
from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector, cosine
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.embedder import Embedder, Task
from hardwon.ports.entry_repository import Field
from hardwon.ports.keyword_index import Mode
from hardwon.ports.knowledge_bank import BankFile
from hardwon.ports.vector_source import VectorBlock, VectorSource
from hardwon.ports.vector_store import PendingText
from tests.strategies import NOW, SPACE

RECALL_CAP = 10


@attrs.define
class State:
    """What the fakes of one store share; entries are kept without their recall counters."""

    entries: dict[int, Entry] = attrs.field(factory=dict)
    recalls: dict[int, tuple[int, dt.datetime]] = attrs.field(factory=dict)
    vectors: dict[tuple[Space, int], tuple[str, Vector]] = attrs.field(factory=dict)
    last_seq: int = 0

    def restore(self, before: "State") -> None:
        self.entries, self.recalls, self.vectors = before.entries, before.recalls, before.vectors
        self.last_seq = before.last_seq

    def seq_of(self, entry_id: str) -> int | None:
        return next((seq for seq, entry in self.entries.items() if entry.entry_id == entry_id), None)

    def entry(self, seq: int) -> Entry:
        count, at = self.recalls.get(seq, (0, None))
        return attrs.evolve(self.entries[seq], recall_count=count, last_recalled_at=at)

    def facts(self, seq: int) -> RankingFacts:
        entry = self.entry(seq)
        return RankingFacts(
            seq,
            entry.entry_id,
            entry.category,
            entry.observation_count,
            entry.confidence,
            entry.updated_at,
            entry.recall_count,
        )

    def within(self, only: EntryFilter) -> list[int]:
        """Return the numbers of the entries of *only* in tie order."""
        return self.in_tie_order(
            seq
            for seq, entry in self.entries.items()
            if entry.kind == only.kind and only.category in {None, entry.category}
        )

    def in_tie_order(self, seqs: Iterable[int]) -> list[int]:
        by_id = sorted(seqs, key=lambda seq: self.entries[seq].entry_id)
        return sorted(by_id, key=lambda seq: self.entries[seq].updated_at, reverse=True)


def _text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _comes_after(entry: Entry, other: Entry) -> bool:
    """Tell whether *entry* stands after *other* in tie order."""
    return (other.updated_at, entry.entry_id) > (entry.updated_at, other.entry_id)


class InMemoryEntryRepository:
    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()
        self.busy = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._ensure_writable()
        before = attrs.evolve(
            self.state,
            entries=dict(self.state.entries),
            recalls=dict(self.state.recalls),
            vectors=dict(self.state.vectors),
        )
        try:
            yield
        except BaseException:
            self.state.restore(before)
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        yield

    def get(self, entry_id: str) -> Entry | None:
        seq = self.state.seq_of(entry_id)
        return None if seq is None else self.state.entry(seq)

    def put(self, entry: Entry) -> None:
        self._ensure_writable()
        state = self.state
        seq = state.seq_of(entry.entry_id)
        if seq is None:
            seq = state.last_seq = state.last_seq + 1
        created_at = state.entries[seq].created_at if seq in state.entries else entry.created_at
        state.entries[seq] = attrs.evolve(entry, created_at=created_at, recall_count=0, last_recalled_at=None)
        text_hash = _text_hash(entry.searchable_text())
        state.vectors = {key: value for key, value in state.vectors.items() if key[1] != seq or value[0] == text_hash}

    def find(self, only: EntryFilter, *, limit: int, offset: int = 0) -> list[Entry]:
        return [self.state.entry(seq) for seq in self.state.within(only)[offset : offset + limit]]

    def unlabelled(self, only: EntryFilter, *, limit: int, after: Entry | None = None) -> list[Entry]:
        bare = [entry for entry in self._unlabelled(only) if after is None or _comes_after(entry, after)]
        return bare[:limit]

    def count_unlabelled(self, only: EntryFilter) -> int:
        return len(self._unlabelled(only))

    def _unlabelled(self, only: EntryFilter) -> list[Entry]:
        return [entry for entry in map(self.state.entry, self.state.within(only)) if not entry.keywords]

    def hydrate(self, seqs: Sequence[int]) -> list[Entry]:
        return [self.state.entry(seq) for seq in seqs if seq in self.state.entries]

    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        return [
            PrintedEntry(seq, *(getattr(entry, field) for field in PrintedEntry._fields[1:]))
            for seq in seqs
            for entry in self.hydrate([seq])
        ]

    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        return [self.state.facts(seq) for seq in seqs if seq in self.state.entries]

    def newest_by_track_record(self, only: EntryFilter, k: int) -> list[RankingFacts]:
        buckets: defaultdict[tuple[object, ...], list[RankingFacts]] = defaultdict(list)
        for facts in map(self.state.facts, self.state.within(only)):
            recalls = min(facts.recall_count, RECALL_CAP)
            buckets[facts.category, facts.observation_count, facts.confidence, recalls].append(facts)
        return [facts for bucket in buckets.values() for facts in bucket[:k]]

    def sizes(self, only: EntryFilter) -> Mapping[Category, int]:
        return Counter(self.state.entries[seq].category for seq in self.state.within(only))

    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        values = [getattr(self.state.entries[seq], field) or "" for seq in self.state.within(only)]
        return dict(Counter(sorted(values)).most_common())

    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        ids = sorted(entry.entry_id for entry in self.state.entries.values())
        return [entry_id for entry_id in ids if entry_id.startswith(prefix)][:limit]

    def most_observed(self, only: EntryFilter) -> int:
        return max((self.state.entries[seq].observation_count for seq in self.state.within(only)), default=1)

    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        self._ensure_writable()
        for seq in seqs:
            if seq in self.state.entries:
                self.state.recalls[seq] = self.state.recalls.get(seq, (0, at))[0] + 1, at

    def remove(self, entry_id: str) -> None:
        """Forget an entry, as a user would."""
        seq = self.state.seq_of(entry_id)
        if seq is not None:
            del self.state.entries[seq]

    def _ensure_writable(self) -> None:
        if self.busy:
            raise StorageError("the store is busy")


class InMemoryMatches:
    def __init__(self, state: State, scores: Mapping[int, float]) -> None:
        self._state = state
        self._scores = scores

    def count(self, only: EntryFilter) -> int:
        return len(self._found(only))

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        best = sorted(self._found(only), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in best[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    def _found(self, only: EntryFilter) -> list[int]:
        return [seq for seq in self._state.within(only) if seq in self._scores]


class InMemoryKeywordIndex:
    """Scores by how often the terms occur in all."""

    def __init__(self, state: State, *, available: bool = True) -> None:
        self._state = state
        self.available = available
        self.searches: list[tuple[str, ...]] = []

    def size(self) -> int:
        self._ensure_available()
        return len(self._state.entries)

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        del deadline
        self._ensure_available()
        return {term: sum(words[term] > 0 for words in self._words().values()) for term in terms}

    def match(self, terms: Sequence[str], mode: Mode, deadline: Deadline) -> InMemoryMatches:
        del deadline
        self._ensure_available()
        self.searches.append(tuple(terms))
        combine = any if mode == "any" else all
        found = {
            seq: float(sum(words[term] for term in terms))
            for seq, words in self._words().items()
            if terms and combine(words[term] for term in terms)
        }
        return InMemoryMatches(self._state, found)

    def _words(self) -> dict[int, Counter[str]]:
        return {
            seq: Counter(re.findall(r"[^\W_]+", f"{entry.searchable_text()} {' '.join(entry.keywords)}".lower()))
            for seq, entry in self._state.entries.items()
        }

    def _ensure_available(self) -> None:
        if not self.available:
            raise KeywordIndexUnavailableError("no keyword index here")


class InMemoryVectorStore:
    """Also the source of an index."""

    def __init__(self, state: State, space: Space = SPACE) -> None:
        self._state = state
        self._space = space

    @property
    def space(self) -> Space:
        return self._space

    @property
    def dimensions(self) -> int:
        return self._space.dimensions

    def count(self) -> int:
        return len(self._embedded())

    def count_pending(self) -> int:
        return len(self._pending())

    def pending(self, limit: int) -> list[PendingText]:
        texts = [(seq, self._state.entries[seq].searchable_text()) for seq in self._pending()[: max(0, limit)]]
        return [PendingText(seq, text, _text_hash(text)) for seq, text in texts]

    def clear(self) -> None:
        self._state.vectors = {key: each for key, each in self._state.vectors.items() if key[0] != self._space}

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        for text, vector in list(vectors):
            entry = self._state.entries.get(text.seq)
            if entry and _text_hash(entry.searchable_text()) == text.text_hash:
                self._state.vectors[self._space, text.seq] = text.text_hash, vector

    def load(self) -> VectorBlock:
        return self.fetch(self._embedded())

    def fetch(self, seqs: Sequence[int]) -> VectorBlock:
        there = [seq for seq in self._embedded() if seq in set(seqs)]
        values: Vector = array("f")
        for seq in there:
            values.extend(self._state.vectors[self._space, seq][1])
        return VectorBlock(there, [self._state.entries[seq].category for seq in there], values)

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        return self._state.in_tie_order(seqs)

    def _embedded(self) -> list[int]:
        return [seq for seq in self._learnings() if (self._space, seq) in self._state.vectors]

    def _pending(self) -> list[int]:
        return [seq for seq in self._learnings() if (self._space, seq) not in self._state.vectors]

    def _learnings(self) -> list[int]:
        return self._state.within(EntryFilter())


class InMemoryVectorMatches:
    def __init__(self, source: VectorSource, query: Vector) -> None:
        self._source = source
        block = source.load()
        width = source.dimensions
        rows = [block.values[at : at + width] for at in range(0, len(block.values), width)]
        self._categories = dict(zip(block.seqs, block.categories, strict=True))
        self._scores = {seq: cosine(row, query) for seq, row in zip(block.seqs, rows, strict=True)}

    def count(self, only: EntryFilter) -> int:
        return len(self._within(only))

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        best = sorted(self._source.in_tie_order(self._within(only)), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in best[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    def _within(self, only: EntryFilter) -> list[int]:
        return [seq for seq, category in self._categories.items() if only.category in {None, category}]


class InMemoryVectorIndex:
    """Pure Python; `broken` is what goes wrong, if anything."""

    def __init__(self, source: VectorSource, *, broken: VectorIndexUnavailableError | None = None) -> None:
        self._source = source
        self._broken = broken

    def ensure_usable(self) -> None:
        if isinstance(self._broken, NumpyMissingError):
            raise self._broken

    def compare(self, query: Vector) -> InMemoryVectorMatches:
        if self._broken:
            raise self._broken
        return InMemoryVectorMatches(self._source, query)


class FixedClock:
    """Stands still until it is advanced."""

    def __init__(self, now: dt.datetime = NOW) -> None:
        self._now = now
        self._monotonic = 1_000.0

    def now(self) -> dt.datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += dt.timedelta(seconds=seconds)
        self._monotonic += seconds

    def deadline(self, seconds: float = 2.0) -> Deadline:
        return Deadline.after(seconds, self.monotonic)


class PlantedEmbedder:
    """Gives each text its planted vector, any other text one made of its hash; remembers what it was asked."""

    def __init__(self, planted: Mapping[str, Vector] | None = None, space: Space = SPACE) -> None:
        self._planted = planted or {}
        self._space = space
        self.asked: list[tuple[str, Task]] = []

    @property
    def space(self) -> Space:
        return self._space

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        del deadline
        self.asked += [(text, task) for text in texts]
        return [self._planted[text] if text in self._planted else self._of_hash(text) for text in texts]

    def _of_hash(self, text: str) -> Vector:
        digest = hashlib.shake_128(text.encode()).digest(self._space.dimensions)
        return array("f", [byte - 127.5 for byte in digest])


class UnreliableEmbedder:
    """Fails on the calls of these numbers, from 1; on all others it answers as *inner* does."""

    def __init__(self, inner: Embedder, *, failing: Iterable[int]) -> None:
        self._inner = inner
        self._failing = frozenset(failing)
        self._calls = 0

    @property
    def space(self) -> Space:
        return self._inner.space

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        self._calls += 1
        if self._calls in self._failing:
            raise EmbedderUnavailableError("no answer")
        return self._inner.embed(texts, task, deadline)


class HangingEmbedder:
    """Answers nothing until `released` is set."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.released = threading.Event()

    @property
    def space(self) -> Space:
        return self._inner.space

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        self.released.wait()
        return self._inner.embed(texts, task, deadline)


class PlantedLabeler:
    """Answers as planted, again and again; remembers whom it was asked about and the seconds it was given."""

    def __init__(self, *labels: str) -> None:
        self._labels = labels
        self.asked: list[Entry] = []
        self.seconds: list[float] = []

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        self.asked.append(entry)
        self.seconds.append(deadline.remaining())
        return list(self._labels)


class UnavailableLabeler:
    """Never answers, after doing *work*."""

    def __init__(self, why: str = "no key", work: Callable[[], None] = lambda: None) -> None:
        self._why = why
        self._work = work
        self.asked: list[Entry] = []

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del deadline
        self.asked.append(entry)
        self._work()
        raise LabelerUnavailableError(self._why)


class HangingLabeler:
    """Answers nothing until `released` is set."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del entry, deadline
        self.released.wait()
        return ["late"]


class InMemoryImportLedger:
    def __init__(self) -> None:
        self._headings: defaultdict[str, set[str]] = defaultdict(set)
        self._fingerprints: dict[str, str] = {}

    def headings(self, path: str) -> set[str]:
        return set(self._headings[path])

    def fingerprint(self, path: str) -> str | None:
        return self._fingerprints.get(path)

    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        self._headings[path] |= headings
        self._fingerprints[path] = fingerprint


class InMemoryKnowledgeBank:
    """Files by name; the name without its ending is the category, the part before the slash the project."""

    def __init__(self, texts: Mapping[str, str] | None = None, on_read: Callable[[], None] = lambda: None) -> None:
        self.texts = dict(texts or {})
        self.reads: list[str] = []
        self.unreadable: set[str] = set()
        self._on_read = on_read

    def files(self) -> Sequence[BankFile]:
        return [self._file(path, text) for path, text in self.texts.items()]

    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        self.reads.append(file.path)
        self._on_read()
        if file.path in self.unreadable:
            return None
        return parse_bank(self.texts[file.path], file.category) if file.path in self.texts else ()

    def _file(self, path: str, text: str) -> BankFile:
        project, _, name = path.rpartition("/")
        categories: dict[str, Category] = {
            "anti-patterns.md": "anti-patterns",
            "heuristics.md": "heuristics",
            "patterns.md": "patterns",
        }
        return BankFile(path, categories[name], project or None, _text_hash(text), len(text.encode()))


class InMemoryFeatureProbe:
    def __init__(self, feature: Feature | None = None) -> None:
        self._feature = feature

    def active_feature(self) -> Feature | None:
        return self._feature


class InMemoryChangeProbe:
    def __init__(self, files: Sequence[str] = ()) -> None:
        self._files = tuple(files)

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        del deadline
        return self._files
