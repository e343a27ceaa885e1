"""Every public method of every adapter of a server, called on one member's connection."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any, NamedTuple

import attrs

from hardwon.adapters.postgres.contents import PostgresStoreContents
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.erase import PostgresRows, ServerCopies
from hardwon.adapters.postgres.forgotten import PostgresForgottenTexts
from hardwon.adapters.postgres.metadata import PostgresMetadata
from hardwon.adapters.postgres.reindexing import index_again
from hardwon.adapters.postgres.store import PostgresStore
from hardwon.domain.model.activity import FieldChange, Usage, Validations
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.export import (
    Absence,
    DeletedEntry,
    DeletedSection,
    ExportedEntry,
    ImportedSource,
)
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.model.injection.receipt import (
    ContextWindow,
    Influence,
    NearMiss,
    Outcome,
    Receipt,
    ReceiptEntry,
)
from hardwon.domain.model.project import Identity
from hardwon.ports.entries import Proposal
from hardwon.ports.erasure import ForgottenHashes
from hardwon.ports.file_state import Tombstone
from tests.contracts.worlds import ALL, IN_TIME, World
from tests.postgres_server import member, world_of
from tests.strategies import DAY, NOW, QUERY_VECTOR, SPACE, lesson, of_file, planted

FIRST = lesson("The parser waits for the lock.")
SECOND = lesson("Retry the deploy with a backoff.", age=2 * DAY)
RULE = attrs.evolve(
    lesson("Never deploy on a Friday."),
    tier="constitutional",
    trigger_phrases=("deploy on friday",),
)
FILE = of_file(
    "We decided that the cache stays.", path="cache.md", session_id="session", file_hash="1" * 64
)
SECTION = of_file("A section about the cache.", path="cache.md", anchor_id="summary")
CHAT = of_file(
    "What was said of the parser.", kind="conversation", path="chat.md", session_id="session"
)
SHARED = (FIRST, SECOND, RULE)
PERSONAL = (FILE, SECTION, CHAT)
EXPIRING = attrs.evolve(lesson("Until the next release."), tier="temporary")

SESSION = "session"
PATH = FILE.file_path or ""
BANK = "/project/patterns.md"
GONE = "/project/gone.md"
CHECKPOINT = "before"
FORGOTTEN = "A sentence that was forgotten by all who ever knew of it."
TERMS = ("parser", "cache", "deploy")
OUTCOME = Outcome(2, passed=True)
RECEIPT = Receipt(
    SESSION,
    "prompt",
    NOW,
    "here",
    "What of the parser?",
    None,
    "hybrid",
    "d" * 64,
    ("", ""),
    shown=(ReceiptEntry(FIRST.entry_id, "lesson", "d"), ReceiptEntry(FILE.entry_id, "note", "d")),
    missed=(NearMiss(SECOND.entry_id, 0.1, "too weak"),),
    delivery="awaited",
)
ERASURE = Erasure(("parser", "cache", "deploy", "section"))


class Member(NamedTuple):
    """A member's connection and all roles of the store on it."""

    address: str
    database: PostgresDatabase
    world: World

    @property
    def contents(self) -> PostgresStoreContents:
        """All records."""
        return PostgresStoreContents(self.database)

    @property
    def rows(self) -> PostgresRows:
        """The texts that are erased."""
        return PostgresRows(self.database)

    @property
    def forgotten(self) -> PostgresForgottenTexts:
        """The forgotten texts."""
        return PostgresForgottenTexts(self.database)

    @property
    def metadata(self) -> PostgresMetadata:
        """The decisions of the store."""
        return PostgresMetadata(self.database)

    @property
    def store(self) -> PostgresStore:
        """The open store."""
        return PostgresStore(self.database)

    def number_of(self, entry: Entry) -> int:
        """Return the number of an entry, one that nothing has where it is not seen."""
        return self.world.numbers().get(entry.entry_id, ALL)


@contextmanager
def joined(tenant: str | None = None) -> Iterator[Member]:
    """Yield a new member of a tenant of its own, or of the one of that name."""
    with member(tenant) as address, closing(PostgresDatabase(address)) as database:
        yield Member(address, database, world_of(database))


def roles_of(user: Member) -> dict[str, object]:
    """Return all adapters with public methods, by name."""
    ports = {
        field.name: getattr(user.world, field.name)
        for field in attrs.fields(World)
        if field.name != "store_of"
    }
    others = ("contents", "rows", "forgotten", "metadata")
    return {**ports, **{name: getattr(user, name) for name in others}, "upkeep": user.store.upkeep}


def fill_shared(user: Member) -> None:
    """Store what all members of the tenant see."""
    world = user.world
    world.add(*SHARED)
    world.embed_all({user.number_of(FIRST): planted(1.0), user.number_of(SECOND): planted(0.6)})
    number = user.number_of(FIRST)
    world.history.record(number, [FieldChange("notes", "old", "new")], NOW)
    world.usage.record_access([number], NOW)
    world.usage.record_recall([number], NOW)
    world.usage.record_validation(number, useful=True)
    world.proposals.propose(Proposal(SECOND.entry_id, FIRST.entry_id, 0.5))
    project = world.projects.add(Identity("/project", "/project"), "work")
    world.projects.add_place(FIRST.entry_id, project.id)
    user.metadata.decide_provider("local")
    user.metadata.move_label_cursor(FIRST.entry_id)
    user.metadata.move_citation_cursor(FIRST.entry_id)
    user.metadata.move_embed_cursor(SPACE, number)
    user.forgotten.add("who", [FORGOTTEN], NOW)


def fill_personal(user: Member) -> None:
    """Store what is the member's alone."""
    world = user.world
    world.add(*PERSONAL)
    world.embed_all({user.number_of(FILE): planted(0.8)})
    world.history.record(user.number_of(FILE), [FieldChange("notes", "older", "newer")], NOW)
    world.receipts.record(RECEIPT)
    world.influences.record(Influence(FILE.entry_id, SESSION, "answer", "the cache stays", NOW))
    world.ledger.record(BANK, {"Backoff", "Cache"}, "1")
    world.tombstones.add(Tombstone(GONE, "summary", "1"), NOW)
    world.absences.keep(AbsentFile(GONE, {"": standing_of(FILE)}), NOW)
    world.projects.trust_below("/project", trusted=True)
    with world.snapshots.transaction():
        world.snapshots.take(
            Checkpoint(
                name=CHECKPOINT,
                description="of all",
                contents=Contents("all", "here"),
                created_at=NOW,
            )
        )


def fill(user: Member) -> None:
    """Store something in every table."""
    fill_shared(user)
    fill_personal(user)


def _found(matches: Any) -> list[object]:
    numbers = range(ALL)
    return [
        matches.count(),
        matches.top(ALL),
        matches.top(ALL, "patterns"),
        matches.scores(numbers),
        matches.statistics(),
    ]


def _opened(user: Member) -> object:
    known = user.world.snapshots.named(CHECKPOINT)
    if known is None:
        return None
    with user.world.snapshots.opened(known.snapshot_path) as snapshot:
        return type(snapshot).__name__


READS: Mapping[str, Callable[[Member], object]] = {
    "repository.by_id": lambda user: [
        user.world.repository.by_id(entry.entry_id) for entry in (*SHARED, *PERSONAL)
    ],
    "repository.with_number": lambda user: [
        user.world.repository.with_number(number) for number in range(20)
    ],
    "repository.reworded": lambda user: [
        user.world.repository.reworded(entry.entry_id) for entry in SHARED
    ],
    "repository.with_file": lambda user: user.world.repository.with_file(PATH),
    "repository.of_file": lambda user: user.world.repository.of_file(PATH),
    "repository.files_starting_with": lambda user: user.world.repository.files_starting_with("/"),
    "repository.matching": lambda user: user.world.repository.matching(EVERYTHING, limit=-1),
    "repository.tally": lambda user: user.world.repository.tally(EVERYTHING, "kind"),
    "repository.ids_starting_with": lambda user: user.world.repository.ids_starting_with("", ALL),
    "repository.hydrate": lambda user: user.world.repository.hydrate(range(20)),
    "repository.printed": lambda user: user.world.repository.printed(range(20)),
    "repository.summaries": lambda user: user.world.repository.summaries(range(20)),
    "repository.newest_summaries": lambda user: user.world.repository.newest_summaries(
        EVERYTHING, ALL
    ),
    "repository.facts": lambda user: sorted(user.world.repository.facts(range(20))),
    "repository.recall_facts": lambda user: sorted(
        user.world.repository.recall_facts(range(20)), key=repr
    ),
    "repository.outdated": lambda user: user.world.repository.outdated(range(20)),
    "repository.references": lambda user: sorted(
        user.world.repository.references(range(20)).items()
    ),
    "repository.newest_by_track_record": lambda user: user.world.repository.newest_by_track_record(
        ALL
    ),
    "repository.sizes": lambda user: user.world.repository.sizes(),
    "repository.most_observed": lambda user: user.world.repository.most_observed(),
    "repository.constitutional": lambda user: sorted(
        user.world.repository.constitutional(EVERYTHING), key=repr
    ),
    "repository.count": lambda user: user.world.repository.count(EVERYTHING),
    "repository.forgotten": lambda user: type(user.world.repository.forgotten).__name__,
    "keywords.size": lambda user: user.world.keywords.size(),
    "keywords.frequencies": lambda user: user.world.keywords.frequencies(TERMS, IN_TIME),
    "keywords.completions": lambda user: user.world.keywords.completions(
        "dep", EVERYTHING, IN_TIME
    ),
    "keywords.match": lambda user: _found(
        user.world.keywords.match(TERMS, "any", EVERYTHING, IN_TIME)
    ),
    "keywords.weigh": lambda user: _found(user.world.keywords.weigh(TERMS, EVERYTHING, IN_TIME)),
    "vectors.has_any": lambda user: user.world.vectors.has_any(EVERYTHING),
    "vectors.count": lambda user: user.world.vectors.count(EVERYTHING),
    "vectors.count_pending": lambda user: user.world.vectors.count_pending(EVERYTHING),
    "vectors.vectors_of": lambda user: user.world.vectors.vectors_of(
        [FIRST.entry_id, FILE.entry_id]
    ),
    "vectors.pending": lambda user: user.world.vectors.pending(ALL),
    "vectors.texts": lambda user: user.world.vectors.texts(ALL),
    "vectors.version": lambda user: user.world.vectors.version(),
    "vectors.load": lambda user: sorted(user.world.vectors.load(range(20)).numbers),
    "vectors.members": lambda user: {
        name: sorted(numbers) for name, numbers in user.world.vectors.members(EVERYTHING).items()
    },
    "vectors.in_tie_order": lambda user: user.world.vectors.in_tie_order(range(20)),
    "vectors.space": lambda user: user.world.vectors.space,
    "vectors.kinds": lambda user: user.world.vectors.kinds,
    "vectors.dimensions": lambda user: user.world.vectors.dimensions,
    "vectors.number": lambda user: user.world.vectors.number,  # type: ignore[attr-defined]
    "index.ensure_usable": lambda user: user.world.index.ensure_usable(),
    "index.cpu_seconds": lambda user: user.world.index.cpu_seconds(),
    "index.compare": lambda user: _found(user.world.index.compare(QUERY_VECTOR, EVERYTHING)),
    "ledger.headings": lambda user: user.world.ledger.headings(BANK),
    "ledger.paths": lambda user: user.world.ledger.paths(),
    "ledger.fingerprint": lambda user: user.world.ledger.fingerprint(BANK),
    "history.changes_of": lambda user: [
        user.world.history.changes_of(number, ALL) for number in range(20)
    ],
    "triggers.own_changes": lambda user: user.world.triggers.own_changes(),
    "triggers.version": lambda user: user.world.triggers.version(),
    "triggers.owners": lambda user: user.world.triggers.owners(EVERYTHING),
    "snapshots.checkpoints": lambda user: user.world.snapshots.checkpoints(),
    "snapshots.named": lambda user: user.world.snapshots.named(CHECKPOINT),
    "snapshots.opened": _opened,
    "tombstones.deleted": lambda user: user.world.tombstones.deleted(GONE, "1"),
    "absences.absent_file": lambda user: user.world.absences.absent_file(GONE, "1" * 64),
    "receipts.shown_in": lambda user: user.world.receipts.shown_in(SESSION),
    "receipts.newest": lambda user: user.world.receipts.newest(limit=ALL),
    "receipts.outcomes": lambda user: user.world.receipts.outcomes(),
    "receipts.sessions_starting_with": lambda user: user.world.receipts.sessions_starting_with(
        "", ALL
    ),
    "deliveries.undelivered": lambda user: user.world.deliveries.undelivered(SESSION),
    "windows.held": lambda user: user.world.windows.held(ContextWindow(SESSION)),
    "influences.shown_texts": lambda user: user.world.influences.shown_texts(SESSION, ALL),
    "influences.counts": lambda user: user.world.influences.counts([FIRST.entry_id, FILE.entry_id]),
    "influences.newest": lambda user: user.world.influences.newest(limit=ALL),
    "influences.most_used": lambda user: user.world.influences.most_used(ALL),
    "influences.total": lambda user: user.world.influences.total(LEARNINGS),
    "projects.known": lambda user: user.world.projects.known(),
    "projects.entry_counts": lambda user: user.world.projects.entry_counts(),
    "projects.trusted_folders": lambda user: user.world.projects.trusted_folders(),
    "projects.places_of": lambda user: user.world.projects.places_of(FIRST.entry_id),
    "proposals.open": lambda user: user.world.proposals.open(ALL),
    "overview.labels": lambda user: user.world.overview.labels(EVERYTHING),
    "overview.created": lambda user: user.world.overview.created(EVERYTHING),
    "overview.shown": lambda user: user.world.overview.shown(),
    "overview.helped": lambda user: user.world.overview.helped(),
    "overview.used": lambda user: user.world.overview.used(),
    "overview.shown_of": lambda user: user.world.overview.shown_of([FIRST.entry_id, FILE.entry_id]),
    "contents.counts": lambda user: user.contents.counts(),
    "contents.records": lambda user: [*user.contents.records()],
    "contents.is_unused": lambda user: user.contents.is_unused(),
    "rows.found": lambda user: user.rows.found(ERASURE),
    "rows.texts": lambda user: [*user.rows.texts(ERASURE)],
    "rows.of_others": lambda user: user.rows.of_others(ERASURE),
    "rows.secrets": lambda user: user.rows.secrets(),
    "rows.ids_holding": lambda user: sorted(user.rows.ids_holding(ERASURE)),
    "rows.unused": lambda user: user.rows.unused(["parser", "cache", "section"], []),
    "rows.traces": lambda user: user.rows.traces(["parser", "cache"]),
    "forgotten.holds": lambda user: user.forgotten.holds([FORGOTTEN]),
    "forgotten.hashes": lambda user: user.forgotten.hashes(),
    "forgotten.without": lambda user: user.forgotten.without(FORGOTTEN),
    "metadata.automatic_provider": lambda user: user.metadata.automatic_provider,
    "metadata.label_cursor": lambda user: user.metadata.label_cursor,
    "metadata.citation_cursor": lambda user: user.metadata.citation_cursor,
    "metadata.state_at": lambda user: user.metadata.state_at(NOW),
    "metadata.embed_cursor": lambda user: user.metadata.embed_cursor(SPACE),
    "upkeep.ensure_sound": lambda user: user.store.upkeep.ensure_sound(),
    "upkeep.ensure_schema": lambda user: user.store.upkeep.ensure_schema(),
    "upkeep.unreadable": lambda user: user.store.upkeep.unreadable(),
    "upkeep.repair_rows": lambda user: user.store.upkeep.repair_rows(),
    "upkeep.ensure_keyword_index": lambda user: user.store.upkeep.ensure_keyword_index(),
    "upkeep.has_keyword_index": lambda user: user.store.upkeep.has_keyword_index(),
    "upkeep.slow_searches": lambda user: user.store.upkeep.slow_searches(),
    "upkeep.has_outdated_keywords": lambda user: user.store.upkeep.has_outdated_keywords(),
    "projects.registry": lambda user: user.store.projects.registry("own"),
    "overview.entries_by_file": lambda user: [*user.world.overview.entries_by_file()],
}
"""Reads, by the names of a role and of its method."""

COUNTED_FOR_ALL = frozenset(("upkeep.size",))
"""Methods that count the bytes of the tables of all tenants, by design."""


def _take(user: Member) -> object:
    with user.world.snapshots.transaction():
        checkpoint = Checkpoint(name="another", contents=Contents("all", "here"), created_at=NOW)
        return user.world.snapshots.take(checkpoint)


def _bring_back(user: Member) -> object:
    known = user.world.snapshots.named(CHECKPOINT)
    if known is None:
        return None
    user.world.repository.put(lesson("Stored after the checkpoint."))
    with (
        user.world.snapshots.opened(known.snapshot_path) as snapshot,
        user.world.snapshots.transaction(),
    ):
        return snapshot.bring_back(known.contents, name=CHECKPOINT, at=NOW)


def _discard(user: Member) -> object:
    known = user.world.snapshots.named(CHECKPOINT)
    if known:
        user.world.snapshots.discard(known)
    return known


def _exported(entry: Entry) -> ExportedEntry:
    influence = Influence(entry.entry_id, "other session", "edit", "words", NOW)
    return ExportedEntry(
        entry_id=entry.entry_id,
        entry=entry,
        places=("there",),
        aliases=("0" * 16,),
        influences=(influence,),
    )


def _add_records(user: Member) -> None:
    user.contents.add(DeletedEntry(900, ()))
    user.contents.add(ImportedSource(BANK, None, "2", ("Backoff", "Lock")))
    user.contents.add(Absence(AbsentFile("/project/other.md", {"": standing_of(FILE)}), None, NOW))
    user.contents.add(DeletedSection(GONE, None, "other", "2", NOW))


def _merge(user: Member) -> object:
    project = next(
        (known for known in user.world.projects.known() if known.identity.root == "/project"), None
    )
    other = user.world.projects.add(Identity("/other", "/other"), "other")
    return project and user.world.projects.merge(project.id, other.id)


def _change_project(user: Member) -> None:
    for project in user.world.projects.known():
        user.world.projects.put(project._replace(trust="trusted"))


def _embed_again(user: Member) -> None:
    texts = user.world.vectors.texts(ALL)
    user.world.vectors.put((text, planted(-1.0)) for text in texts)
    user.world.vectors.activate()  # type: ignore[attr-defined]


def _put_changed(user: Member) -> None:
    for entry in (*SHARED, *PERSONAL, EXPIRING):
        user.world.repository.put(attrs.evolve(entry, notes="Changed."))


def _validate_all(user: Member) -> None:
    for number in range(20):
        user.world.usage.record_validation(number, useful=True)


def _add_usage(user: Member) -> None:
    for number in range(20):
        user.world.usage.add(number, Usage(1, NOW, Validations(1, 1)))


WRITES: Mapping[str, Callable[[Member], object]] = {
    "repository.put": _put_changed,
    "repository.retire_expired": lambda user: user.world.repository.retire_expired(NOW + 999 * DAY),
    "repository.reword": lambda user: user.world.repository.reword(
        SECOND.entry_id, attrs.evolve(SECOND, description="Retry the deploy at once.")
    ),
    "vectors.put": _embed_again,
    "vectors.activate": _embed_again,
    "usage.record_access": lambda user: user.world.usage.record_access(range(20), NOW),
    "usage.record_recall": lambda user: user.world.usage.record_recall(range(20), NOW),
    "usage.record_validation": _validate_all,
    "usage.add": _add_usage,
    "history.record": lambda user: user.world.history.record(
        user.number_of(FIRST), [FieldChange("notes", "a", "b")], NOW
    ),
    "receipts.record": lambda user: user.world.receipts.record(RECEIPT),
    "receipts.observe": lambda user: user.world.receipts.observe(1, OUTCOME),
    "receipts.reject": lambda user: user.world.receipts.reject(
        FIRST.entry_id, SESSION, rejected=True
    ),
    "windows.empty": lambda user: user.world.windows.empty(ContextWindow(SESSION)),
    "deliveries.settle": lambda user: [
        user.world.deliveries.settle(number, "delivered") for number in range(4)
    ],
    "influences.record": lambda user: [
        user.world.influences.record(Influence(entry.entry_id, SESSION, "edit", "words", NOW))
        for entry in (*SHARED, *PERSONAL)
    ],
    "ledger.record": lambda user: user.world.ledger.record(BANK, {"Lock"}, "2"),
    "ledger.withdraw": lambda user: user.world.ledger.withdraw(BANK, {"Cache"}),
    "tombstones.add": lambda user: user.world.tombstones.add(Tombstone(GONE, "summary", "2"), NOW),
    "tombstones.forget": lambda user: user.world.tombstones.forget(GONE),
    "absences.keep": lambda user: user.world.absences.keep(
        AbsentFile(GONE, {"": standing_of(SECTION)}), NOW + 999 * DAY
    ),
    "absences.forget": lambda user: user.world.absences.forget(GONE),
    "projects.add": lambda user: user.world.projects.add(Identity("/project", "/project"), "again"),
    "projects.put": _change_project,
    "projects.add_place": lambda user: user.world.projects.add_place(FIRST.entry_id, "elsewhere"),
    "projects.trust_below": lambda user: user.world.projects.trust_below("/project", trusted=False),
    "projects.merge": _merge,
    "proposals.propose": lambda user: user.world.proposals.propose(
        Proposal(RULE.entry_id, FIRST.entry_id, 0.9)
    ),
    "proposals.reject": lambda user: user.world.proposals.reject(RULE.entry_id, FIRST.entry_id),
    "snapshots.take": _take,
    "snapshots.bring_back": _bring_back,
    "snapshots.discard": _discard,
    "contents.reserve": lambda user: user.contents.reserve(500),
    "contents.add": _add_records,
    "contents.add_activity": lambda user: [
        user.contents.add_activity(_exported(entry))
        for entry in (FIRST, FILE)
        if user.number_of(entry) != ALL
    ],
    "metadata.decide_provider": lambda user: user.metadata.decide_provider("ollama", force=True),
    "metadata.move_label_cursor": lambda user: user.metadata.move_label_cursor("moved"),
    "metadata.move_citation_cursor": lambda user: user.metadata.move_citation_cursor("moved"),
    "metadata.move_embed_cursor": lambda user: user.metadata.move_embed_cursor(SPACE, 9),
    "upkeep.rebuild_keyword_index": lambda user: index_again(user.database),
    "upkeep.refresh_keyword_index": lambda user: user.store.upkeep.refresh_keyword_index(),
    "upkeep.rebuild_vector_index": lambda user: user.store.upkeep.rebuild_vector_index(
        user.world.vectors
    ),
    "upkeep.pack": lambda user: user.store.upkeep.pack(),
    "rows.redact": lambda user: user.rows.redact(),
    "repository.delete": lambda user: [
        user.world.repository.delete(entry.entry_id) for entry in (FIRST, FILE)
    ],
    "forgotten.add": lambda user: user.forgotten.add(
        "other", ["Another sentence that is forgotten by all of them."], NOW
    ),
    "forgotten.adopt": lambda user: user.forgotten.adopt(
        ForgottenHashes((b"k" * 32,), ((b"t" * 16, b"o" * 16, NOW),))
    ),
    "forgotten.lift": lambda user: user.forgotten.lift("who"),
    "rows.erase": lambda user: user.rows.erase(ERASURE),
}
"""Writes by the names of a role and of its method, in an order in which each has something to change."""

CONTEXTS = frozenset(
    (
        "repository.transaction",
        "repository.batch",
        "repository.snapshot",
        "repository.prefetch",
        "projects.transaction",
        "snapshots.transaction",
        "contents.snapshot",
    )
)
"""Transactions, within which the others run."""

NEEDS_A_FILE = frozenset(("snapshots.back_up",))
"""Written by a copy, which reads `contents.records`."""


def held(user: Member) -> object:
    """Return what `holding` of `ServerCopies` says."""
    return ServerCopies(user.database.path, user.rows).holding(ERASURE, [])


@contextmanager
def members(*tenants: str | None) -> Iterator[list[Member]]:
    """Yield a new member of each of *tenants*, None for one of its own."""
    with ExitStack() as stack:
        yield [stack.enter_context(joined(tenant)) for tenant in tenants]
