"""Columns and reads of entries, their trigger phrases, and proposed supersessions."""

import datetime as dt
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from hardwon.adapters.sql.database import D, Database, Decoder, Role, Row, as_given, unchanged
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.ports.entries import (
    EntryRepository,
    Field,
    ListOrder,
    Proposal,
    Proposals,
    RankingReads,
)
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

T = TypeVar("T")
RANKING_VALUES = len(RankingFacts._fields)


FACTS = (
    *(
        "kind",
        "category",
        "observation_count",
        "confidence",
        "updated_at",
        "project",
        "reach",
        "superseded_by",
    ),
    *(
        "source_project",
        "workspace",
        "branch",
        "permanent",
        "tier",
        "importance_weight",
        "context_type",
        "spec_folder",
    ),
)
"""The mutable fields of `Entry` in columns of `entry`."""

TEXTS = (
    *("name", "description", "reasoning", "notes", "keywords", "tags", "references", "citations"),
    *(
        "source",
        "file_path",
        "file_mtime",
        "file_hash",
        "trigger_phrases",
        "channel",
        "session_id",
        "own_tier",
        "door",
    ),
)
"""The mutable fields of `Entry` in columns of `entry_text`."""

COUNTERS = (
    "recall_count",
    "last_recalled_at",
    "access_count",
    "last_accessed",
    "validation_count",
    "useful_count",
)
LISTS = ("keywords", "tags", "references", "citations", "trigger_phrases")

ENTRY_FIELDS = ("number", *FACTS, "created_at", *TEXTS, "anchor_id", *COUNTERS)
"""The fields of an `Entry` that are read. Its id is derived from them."""


def fields_without(name: str, fields: Iterable[str]) -> tuple[str, ...]:
    """Return *fields* without that *name*."""
    return tuple(field for field in fields if field != name)


PRINTED_FIELDS = fields_without("origin", PrintedEntry._fields)
RULE_FIELDS = fields_without("origin", ConstitutionalText._fields)
"""The origin of an entry depends on where it is shown."""

RECALL_FIELDS = fields_without("ranking", RecallFacts._fields)
"""The fields that only recall reads."""


def columns_of(places: Mapping[str, str], fields: Iterable[str], **others: str) -> str:
    """Return the columns of *fields* at *places*, overridden by *others*."""
    return ", ".join(others.get(field) or places[field] for field in fields)


def text_hash(text: str) -> str:
    """Return the hash that identifies the text of a vector."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """
    Return whether *entry* is left out of all indexes from the start.

    Other entries are retired when they expire.
    """
    return entry.tier == NEVER_SEARCHED


def entry_of(row: Iterable[Any]) -> "Entry":
    """Return the entry with the values of `ENTRY_FIELDS`."""
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    values = dict(zip(ENTRY_FIELDS, row, strict=True))
    validations = Validations(values.pop("validation_count"), values.pop("useful_count"))
    usage = Usage(values.pop("access_count"), values.pop("last_accessed"), validations)
    return Entry(usage=usage, **values)


class SqlEntries(Role[D], EntryRepository, RankingReads):
    """Entries in the tables `entry` and `entry_text`."""

    SELECT: str
    BY_ID: str
    BY_NUMBER: str
    BY_EARLIER_ID: str
    WITH_FILE: str
    OF_FILE: str
    HYDRATE: str
    FIND: str
    LATER: str
    CREATED: str
    BY_NAME: str
    FILES: str
    IDS: str
    COUNT: str
    TALLY: str
    SCANNED: str = ""
    """Follows the table `entry` where its rows are all read."""
    PRINTED: str
    SUMMARIES: str
    NEWEST_SUMMARIES: str
    FACTS: str
    RECALL_FACTS: str
    OUTDATED: str
    REFERENCES: str
    # Without sections of a file that is a rule as a whole: they would repeat it.
    RULES: str
    DROP_ALIAS: str
    ADD_ALIAS: str
    RENAME: tuple[str, ...]
    """The statements that replace the id `old` by `new` everywhere."""
    EXPIRED: str
    _decode: Decoder = as_given
    _decode_printed: Decoder = unchanged
    _decode_summary: Decoder = unchanged
    _decode_facts: Decoder = unchanged
    _decode_recall: Decoder = unchanged
    _decode_references: Decoder = as_given
    _decode_rule: Decoder = as_given

    @override
    def transaction(self, of: Collection[str] | None = None) -> AbstractContextManager[None]:
        return self._database.transaction(of)

    @override
    def batch(self) -> AbstractContextManager[None]:
        return self.transaction()

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def prefetch(self, reads: Callable[[], object]) -> None:
        """Do nothing: a file answers at once."""

    @override
    def by_id(self, entry_id: str) -> "Entry | None":
        return self._entry(self.BY_ID, id=entry_id)

    @override
    def with_number(self, number: int) -> "Entry | None":
        return self._entry(self.BY_NUMBER, number=number)

    @override
    def reworded(self, old_id: str) -> "Entry | None":
        return self._entry(self.BY_EARLIER_ID, id=old_id)

    @override
    def with_file(self, file_path: str) -> "Entry | None":
        return self._entry(self.WITH_FILE, file_path=file_path)

    def _entry(self, conditions: str, **parameters: object) -> "Entry | None":
        return next(iter(self._entries(conditions, **parameters)), None)

    def _entries(self, conditions: str, **parameters: object) -> "list[Entry]":
        return self._read(
            f"{self.SELECT} {conditions}", lambda row: entry_of(self._decode(row)), **parameters
        )

    def _read(self, statement: str, decode: Callable[[Row], T], **parameters: object) -> list[T]:
        return [
            *self._database.readable("entry", self._database.rows(statement, **parameters), decode)
        ]

    def _read_of(
        self, numbers: Iterable[int], statement: str, decode: Callable[[Row], T]
    ) -> list[T]:
        rows = self._rows_of(statement, [*numbers])
        return [*self._database.readable("entry", rows, decode)]

    def _rows_of(self, statement: str, numbers: Sequence[int]) -> list[Row]:
        return self._database.rows(statement, numbers=numbers)

    @override
    def of_file(self, file_path: str) -> "list[Entry]":
        return self._entries(self.OF_FILE, file_path=file_path)

    @override
    def files_starting_with(self, prefix: str) -> list[str]:
        return [path for (path,) in self._database.rows(self.FILES, prefix=prefix)]

    @override
    def matching(
        self,
        only: EntryFilter,
        *,
        limit: int,
        offset: int = 0,
        order: ListOrder = "updated_at",
        after: "Entry | None" = None,
    ) -> "list[Entry]":
        within = self._database.where(only)
        later = {"after_time": after.updated_at, "after_id": after.entry_id} if after else {}
        found = self.FIND.format(
            within=within.sql,
            later=self.LATER if after else "",
            order=self._first_by(order),
            table=self.SCANNED if only == EVERYTHING else "",
        )
        return self._entries(found, **within.parameters, **later, limit=limit, first=offset)

    def _first_by(self, order: ListOrder) -> str:
        orders: Mapping[ListOrder, str] = {
            "updated_at": "",
            "created_at": f"{self.CREATED} DESC, ",
            "recall_count": "coalesce(r.recall_count, 0) DESC, ",
            "importance_weight": "e.importance_weight DESC, ",
            "oldest": f"{self.CREATED}, ",
            "name": f"{self.BY_NAME}, ",
        }
        return orders[order]

    @override
    def reword(self, entry_id: str, entry: "Entry") -> None:
        with self._database.transaction():
            self._database.rows(self.DROP_ALIAS, id=entry.entry_id)
            self._database.rows(self.ADD_ALIAS, id=entry_id)
            for statement in self.RENAME:
                self._database.rows(statement, old=entry_id, new=entry.entry_id)
            self.put(entry)

    @override
    def retire_expired(self, now: dt.datetime) -> int:
        if not self._has_expired(now):
            return 0
        with self._database.transaction():
            expired = self._expired(now)  # another process may have retired them meanwhile
            self._retire(expired)
        return len(expired)

    def _expired(self, now: dt.datetime) -> list[int]:
        return [number for (number,) in self._database.rows(self.EXPIRED, now=now)]

    def _has_expired(self, now: dt.datetime) -> bool:
        return bool(self._expired(now))

    @abstractmethod
    def _retire(self, numbers: Sequence[int]) -> None:
        """Take entries out of all indexes, within the open transaction."""

    @override
    def hydrate(self, numbers: Sequence[int]) -> "list[Entry]":
        return self._entries(self.HYDRATE, numbers=[*numbers]) if numbers else []

    @override
    def printed(self, numbers: Sequence[int]) -> list[PrintedEntry]:
        return self._read_of(
            numbers, self.PRINTED, lambda row: PrintedEntry(*self._decode_printed(row))
        )

    @override
    def summaries(self, numbers: Sequence[int]) -> list[ConversationSummary]:
        return self._read_of(numbers, self.SUMMARIES, self._summary)

    @override
    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        return self._within(self.NEWEST_SUMMARIES, only, self._summary, limit=limit)

    def _summary(self, row: Row) -> ConversationSummary:
        return ConversationSummary(*self._decode_summary(row))

    def _within(
        self, statement: str, only: EntryFilter, decode: Callable[[Row], T], **parameters: object
    ) -> list[T]:
        within = self._database.where(only)
        return self._read(
            statement.format(within=within.sql), decode, **within.parameters, **parameters
        )

    @override
    def facts(self, numbers: Iterable[int]) -> list[RankingFacts]:
        return self._read_of(
            numbers, self.FACTS, lambda row: RankingFacts(*self._decode_facts(row))
        )

    @override
    def recall_facts(self, numbers: Iterable[int]) -> list[RecallFacts]:
        return self._read_of(numbers, self.RECALL_FACTS, self._recall_facts)

    def _recall_facts(self, row: Row) -> RecallFacts:
        facts = RankingFacts(*self._decode_facts(row[:RANKING_VALUES]))
        return RecallFacts(facts, *self._decode_recall(row[RANKING_VALUES:]))

    @override
    def outdated(self, numbers: Iterable[int]) -> frozenset[int]:
        return frozenset(
            number for (number,) in self._database.rows(self.OUTDATED, numbers=[*numbers])
        )

    @override
    def references(self, numbers: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        return dict(
            self._read_of(numbers, self.REFERENCES, lambda row: _pair(self._decode_references(row)))
        )

    @override
    def count(self, only: EntryFilter) -> int:
        within = self._database.where(only)
        return int(
            self._database.value(self.COUNT.format(within=within.sql), **within.parameters) or 0
        )

    @override
    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        within, value = self._database.where(only), f"{'t' if field == 'source' else 'e'}.{field}"
        sql = self._tally(only, field).format(value=value, within=within.sql)
        return {
            value: count
            for value, count in self._database.rows(sql, **within.parameters)
            if isinstance(value, str)
        }

    def _tally(self, only: EntryFilter, field: Field) -> str:  # noqa: ARG002  # an engine may choose by them
        return self.TALLY

    @override
    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        return [
            entry_id for (entry_id,) in self._database.rows(self.IDS, prefix=prefix, limit=limit)
        ]

    @override
    def constitutional(self, only: EntryFilter) -> list[ConstitutionalText]:
        ranked = only._replace(ranked=True)
        return self._within(
            self.RULES, ranked, lambda row: ConstitutionalText(*self._decode_rule(row))
        )


def _pair(values: Sequence[Any]) -> tuple[Any, Any]:
    first, second = values
    return first, second


class SqlTriggerSource(Role[D], TriggerSource):
    """Trigger phrases in the table `entry_text`."""

    OWNERS: str
    _decode: Decoder = as_given

    @override
    def version(self) -> int:
        return self._database.version()

    @override
    def owners(self, only: EntryFilter) -> list[TriggerOwner]:
        within = self._database.where(only._replace(ranked=True))
        rows = self._database.rows(self.OWNERS.format(within=within.sql), **within.parameters)
        return [
            *self._database.readable("entry", rows, lambda row: TriggerOwner(*self._decode(row)))
        ]


class SqlProposals(Role[Database], Proposals):
    """Pairs in the table `proposal`."""

    PROPOSE: str
    OPEN: str
    REJECT: str

    @override
    def propose(self, proposal: Proposal) -> None:
        with self._database.transaction():
            self._database.rows(self.PROPOSE, **proposal._asdict())
            self._database.note_change()

    @override
    def open(self, limit: int) -> list[Proposal]:
        return [Proposal(*row) for row in self._database.rows(self.OPEN, limit=limit)]

    @override
    def reject(self, older: str, newer: str) -> bool:
        with self._database.transaction():
            is_open = self._database.value(self.REJECT, older=older, newer=newer) is not None
            if is_open:
                self._database.note_change()
            return is_open
