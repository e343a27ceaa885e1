"""What changes entries of an open store. What is slow is imported when it is chosen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.history import SqliteHistory
from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
from hardwon.entrypoints.composition.asking import Asking

if TYPE_CHECKING:  # these bring attrs: three times Python's own start, which a session start can't spare
    from hardwon.domain.use_cases.keeping.change_entry import ChangeEntry
    from hardwon.domain.use_cases.keeping.checkpoints import Checkpoints
    from hardwon.domain.use_cases.keeping.embed_pending import EmbedPending
    from hardwon.domain.use_cases.keeping.forget import Forget
    from hardwon.domain.use_cases.keeping.store_entry import StoreEntry
    from hardwon.domain.use_cases.keeping.validate_entry import ValidateEntry


class Keeping(Asking):
    """Keeps, changes and forgets entries too."""

    @property
    def store_entry(self) -> "StoreEntry":
        """Keep a lesson."""
        from hardwon.domain.use_cases.keeping.store_entry import StoreEntry

        return StoreEntry(self.repository)

    @property
    def change_entry(self) -> "ChangeEntry":
        """Change what is known about an entry."""
        from hardwon.domain.use_cases.keeping.change_entry import ChangeEntry

        return ChangeEntry(repository=self.repository, history=self.history, clock=self.clock)

    @property
    def validate_entry(self) -> "ValidateEntry":
        """Count whether an entry was of use."""
        from hardwon.domain.use_cases.keeping.validate_entry import ValidateEntry

        usage = SqliteUsageLog(self.database)
        return ValidateEntry(
            repository=self.repository,
            usage=usage,
            history=self.history,
            receipts=self.receipts,
            influences=self.influences,
            clock=self.clock,
        )

    @property
    def history(self) -> SqliteHistory:
        """What became of entries."""
        return SqliteHistory(self.database)

    @property
    def embed_pending(self) -> "Sequence[EmbedPending]":
        """Give entries their missing vectors, one use case for each space."""
        from hardwon.domain.use_cases.keeping.embed_pending import EmbedPending

        return [EmbedPending(space.embedder, space.vectors, self.warn) for space in self.spaces]

    @property
    def forget(self) -> "Forget":
        """Delete entries."""
        from hardwon.adapters.sqlite.departures import SqliteDepartures
        from hardwon.adapters.sqlite.history import SqliteHistory
        from hardwon.adapters.sqlite.tombstones import SqliteTombstones
        from hardwon.domain.use_cases.keeping.forget import Forget

        return Forget(
            repository=self.repository,
            tombstones=SqliteTombstones(self.database),
            departures=SqliteDepartures(self.database),
            history=SqliteHistory(self.database),
            clock=self.clock,
        )

    @property
    def checkpoints(self) -> "Checkpoints":
        """Put the state of the store aside, and bring it back."""
        from hardwon.adapters.sqlite.snapshots.snapshots import SqliteSnapshots
        from hardwon.domain.use_cases.keeping.checkpoints import Checkpoints

        return Checkpoints(snapshots=SqliteSnapshots(self.database), clock=self.clock)
