"""Keyword labels: asked of one labeler after the other, stored with the entries that lack them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Literal, TypeAlias

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import InvalidEntryError, LabelerUnavailableError, UnusableLabelsError
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.keyword_labels import valid_labels
from hardwon.domain.use_cases.closeness import Background
from hardwon.ports.entries import EntryRepository
from hardwon.ports.keyword_labeler import KeywordLabeler

TIER_SECONDS = 5.0
"""How long one labeler may take."""

PAGE = 50

PATIENCE = 5
"""How many entries in a row no labeler may answer for: the others would fail too, after 5 s a tier each."""

LabelTier: TypeAlias = Literal["haiku", "ollama"]
Progress = Callable[[int], None]


def label_tiers(keyword_provider: str) -> tuple[LabelTier, ...]:
    """
    Return the labelers that this setting asks, in order.

    `claude` is the agent of the session: it gives labels along with an entry,
    and nobody can call it afterwards. So it is no tier: `claude` asks nobody
    and `auto` begins with Haiku.

    Args:
        keyword_provider: One of `KEYWORD_PROVIDERS`.

    """
    tiers: dict[str, tuple[LabelTier, ...]] = {
        "auto": ("haiku", "ollama"),
        "claude": (),
        "haiku": ("haiku",),
        "ollama": ("ollama",),
        "off": (),
    }
    return tiers[keyword_provider]


@attrs.frozen
class LabelChain:
    """
    Ask labelers in order until one has usable labels.

    Attributes:
        tiers: Whom to ask, first to last.
        tier_seconds: How long each may take; one that hangs is left behind.

    """

    tiers: Sequence[KeywordLabeler]
    tier_seconds: float = TIER_SECONDS

    def labels_for(self, entry: Entry, deadline: Deadline) -> tuple[str, ...]:
        """Return labels for *entry*, none when there are none to be had; never raise, never outlast *deadline*."""
        try:
            return self.ask(entry, deadline)
        except (LabelerUnavailableError, InvalidEntryError):
            return ()

    def ask(self, entry: Entry, deadline: Deadline) -> tuple[str, ...]:
        """
        Return labels for *entry*, none when all that labelers answered was unusable.

        Secrets are taken out before a labeler sees the entry.

        Raises:
            LabelerUnavailableError: no labeler answered before *deadline*; one line says why.
            UnusableLabelsError: none had a list of labels, but one answered.
            InvalidEntryError: nothing is left of the entry without its secrets.
        """
        public = redact_entry(entry)
        troubles = list[LabelerUnavailableError]()
        for tier in self.tiers:
            try:
                if labels := valid_labels(self._answer(tier, public, deadline)):
                    return labels
            except LabelerUnavailableError as error:
                troubles.append(error)
        if len(troubles) == len(self.tiers):
            raise _summed_up(troubles)
        return ()

    def _answer(self, tier: KeywordLabeler, entry: Entry, deadline: Deadline) -> list[str]:
        name = type(tier).__name__
        if deadline.passed():
            raise LabelerUnavailableError(f"{name} was not asked: no time was left")
        limit = deadline.within(self.tier_seconds)
        seconds = limit.remaining()
        try:
            return Background(lambda: tier.label(entry, limit)).result(limit)
        except TimeoutError as error:
            raise LabelerUnavailableError(f"{name} gave no answer in {seconds:.1f} s") from error


def _summed_up(troubles: Sequence[LabelerUnavailableError]) -> LabelerUnavailableError:
    has_answer = any(isinstance(trouble, UnusableLabelsError) for trouble in troubles)
    summary = "; ".join(map(str, troubles)) or "no labeler is configured"
    return UnusableLabelsError(summary) if has_answer else LabelerUnavailableError(summary)


@attrs.frozen(kw_only=True)
class Labelled:
    """
    What a run did.

    Attributes:
        labelled: How many entries have labels now that had none.
        failed: How many were tried and have none.
        trouble: Why the last one that no labeler had a list for has none; empty when there is no such.
        unanswered: How many at the end, in a row, no labeler answered for.
        last: The entry that was tried last; None when none was.

    """

    labelled: int = 0
    failed: int = 0
    trouble: str = ""
    unanswered: int = 0
    last: Entry | None = attrs.field(default=None, eq=False)


@attrs.frozen
class LabelPending:
    """
    Give entries without labels theirs, the newest first; a run tries each once.

    Attributes:
        repository: The entries.
        chain: Who makes labels.
        only: Which entries.
        patience: A run ends once no labeler answered for so many entries in a row.
        most_failed: A run ends once so many entries in all were tried and have no labels; None for no such end.

    """

    repository: EntryRepository
    chain: LabelChain
    only: EntryFilter = LEARNINGS
    patience: int = PATIENCE
    most_failed: int | None = None

    def count(self) -> int:
        """Return how many entries have no labels."""
        return self.repository.count(self._bare)

    def label(
        self, limit: int | None, deadline: Deadline, progress: Progress | None = None, after: Entry | None = None
    ) -> Labelled:
        """
        Try at most *limit* entries, all of them for None; return what became of them.

        Each entry's labels are stored before the next one is tried, so that a
        run can be cut off at any time; the next one goes on where it ended.

        Args:
            limit: How many entries at most.
            deadline: No entry is begun after it.
            progress: Called with the number tried after each entry.
            after: The run begins behind this entry and goes on with the newest; None to begin with the newest.

        Raises:
            StorageError: the store can't be read or written now; what was done before is stored.

        """
        run = Labelled()
        for tried, entry in enumerate(islice(self._unlabelled(after), limit), 1):
            if self._is_over(run) or deadline.passed():
                break
            run = attrs.evolve(self._try(entry, run, deadline), last=entry)
            if progress:
                progress(tried)
        return run

    @property
    def _bare(self) -> EntryFilter:
        return self.only._replace(unlabelled=True)

    def _is_over(self, run: Labelled) -> bool:
        has_failed_enough = self.most_failed is not None and run.failed >= self.most_failed
        return has_failed_enough or run.unanswered >= self.patience

    def _unlabelled(self, after: Entry | None) -> Iterator[Entry]:
        """Yield the entries behind *after*, then those up to it, so that none comes twice."""
        yield from self._behind(after)
        if after:
            yield from takewhile(lambda entry: not _is_behind(entry, after), self._behind(None))

    def _behind(self, last: Entry | None) -> Iterator[Entry]:
        """Yield the entries behind *last*, all for None, in an order that storing labels does not change."""
        while page := self.repository.find(self._bare, limit=PAGE, after=last):
            yield from page
            last = page[-1]

    def _try(self, entry: Entry, run: Labelled, deadline: Deadline) -> Labelled:
        try:
            labels = self.chain.ask(entry, deadline)
        except LabelerUnavailableError as error:
            unanswered = 0 if isinstance(error, UnusableLabelsError) else run.unanswered + 1
            return attrs.evolve(run, failed=run.failed + 1, trouble=str(error), unanswered=unanswered)
        except InvalidEntryError:
            labels = ()
        if not labels:
            return attrs.evolve(run, failed=run.failed + 1, unanswered=0)
        stored = store_labels(self.repository, entry.entry_id, labels)
        return attrs.evolve(run, labelled=run.labelled + stored, unanswered=0)


def _is_behind(entry: Entry, other: Entry) -> bool:
    """Tell whether *entry* comes after *other* in the order of `EntryRepository.find`."""
    return (other.updated_at, entry.entry_id) > (entry.updated_at, other.entry_id)


def store_labels(repository: EntryRepository, entry_id: str, labels: tuple[str, ...]) -> bool:
    """
    Set the labels of an entry as it stands now; tell whether that was done.

    It is not when the entry is gone or was labelled meanwhile.

    Raises:
        StorageError: the store can't be written now.
    """
    with repository.transaction():
        entry = repository.get(entry_id)
        if entry is None or entry.keywords:
            return False
        repository.put(attrs.evolve(entry, keywords=labels))
        return True
