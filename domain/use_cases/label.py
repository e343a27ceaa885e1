"""Propose keyword labels by a chain of labelers, and store them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Literal, TypeAlias

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import (
    InvalidEntryError,
    LabelerUnavailableError,
    UnusableLabelsError,
)
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.keyword_labels import valid_labels
from hardwon.ports.entries import EntryRepository
from hardwon.ports.models import Background, KeywordLabeler

TIER_SECONDS = 5.0
"""The time limit of a labeler."""

PAGE = 50

PATIENCE = 5
"""The maximum number of unanswered entries in a row."""

LabelTier: TypeAlias = Literal["haiku", "ollama"]
Progress = Callable[[int], None]


def label_tiers(keyword_provider: str) -> tuple[LabelTier, ...]:
    """
    Return the labelers of this setting, in order.

    `claude` is the agent of the session: it gives labels along with an entry and can't be called
    afterwards. So `claude` has no labeler and `auto` begins with Haiku.
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
    Ask labelers in order until one returns valid labels.

    Attributes:
        tiers: The labelers, first to last.
        tier_seconds: The time limit of each; one that hangs is abandoned.
    """

    tiers: Sequence[KeywordLabeler]
    background: Background
    tier_seconds: float = TIER_SECONDS

    def labels_for(self, entry: Entry, deadline: Deadline) -> tuple[str, ...]:
        """
        Return labels for *entry*, none if no labeler has any before *deadline*.

        Never raises.
        """
        try:
            return self.ask(entry, deadline)
        except (LabelerUnavailableError, InvalidEntryError):
            return ()

    def ask(self, entry: Entry, deadline: Deadline) -> tuple[str, ...]:
        """
        Return labels for *entry*, none if no answer has a valid one.

        Secrets are removed before a labeler gets the entry.

        Raises:
            LabelerUnavailableError: no labeler answered before *deadline*; the message has one line
                of reasons.
            UnusableLabelsError: a labeler answered, but none with a list of labels.
        """
        if not self.tiers:
            raise _summed_up(())
        public = redact_entry(entry)
        problems = list[LabelerUnavailableError]()
        for tier in self.tiers:
            try:
                if labels := valid_labels(self._answer(tier, public, deadline)):
                    return labels
            except LabelerUnavailableError as error:
                problems.append(error)
        if len(problems) == len(self.tiers):
            raise _summed_up(problems)
        return ()

    def _answer(self, tier: KeywordLabeler, entry: Entry, deadline: Deadline) -> list[str]:
        name = type(tier).__name__
        if deadline.passed():
            raise LabelerUnavailableError(f"{name} was not asked: no time was left")
        limit = deadline.within(self.tier_seconds)
        seconds = limit.remaining()
        try:
            return self.background.start(lambda: tier.label(entry, limit)).result(limit)
        except TimeoutError as error:
            raise LabelerUnavailableError(f"{name} gave no answer in {seconds:.1f} s") from error


def _summed_up(problems: Sequence[LabelerUnavailableError]) -> LabelerUnavailableError:
    has_answer = any(isinstance(problem, UnusableLabelsError) for problem in problems)
    summary = "; ".join(map(str, problems)) or "no labeler is configured"
    return UnusableLabelsError(summary) if has_answer else LabelerUnavailableError(summary)


@attrs.frozen(kw_only=True)
class LabelOutcome:
    """
    The outcome of a run.

    Attributes:
        unanswered: The number of unanswered entries in a row, at the end.
    """

    labelled: int = 0
    failed: int = 0
    problem: str = ""
    unanswered: int = 0
    last: Entry | None = attrs.field(default=None, eq=False)


@attrs.frozen
class LabelPending:
    """
    Label entries without labels, the newest first, each once in a run.

    Attributes:
        patience: A run ends after this many unanswered entries in a row.
        most_failed: A run ends after this many failures in all; None for no limit.
    """

    repository: EntryRepository
    chain: LabelChain
    only: EntryFilter = LEARNINGS
    patience: int = PATIENCE
    most_failed: int | None = None

    def count(self) -> int:
        """Return the number of entries without labels."""
        return self.repository.count(self._bare)

    def label(
        self,
        limit: int | None,
        deadline: Deadline,
        progress: Progress | None = None,
        after: Entry | None = None,
    ) -> LabelOutcome:
        """
        Try at most *limit* entries, and return the outcome.

        Labels are stored after each entry, so that an interrupted run loses nothing; the next one
        can continue where it ended.

        Args:
            limit: The maximum number of entries; None for all.
            deadline: No entry is begun after it.
            progress: Called with the number tried after each entry.
            after: Begin after this entry and wrap around to the newest; None to begin with the
                newest.
        """
        run = LabelOutcome()
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

    def _is_over(self, run: LabelOutcome) -> bool:
        has_failed_enough = self.most_failed is not None and run.failed >= self.most_failed
        return has_failed_enough or run.unanswered >= self.patience

    def _unlabelled(self, after: Entry | None) -> Iterator[Entry]:
        yield from self._behind(after)
        if after:
            yield from takewhile(lambda entry: not _is_behind(entry, after), self._behind(None))

    def _behind(self, last: Entry | None) -> Iterator[Entry]:
        """
        Yield the entries after *last*, all for None.

        Storing labels does not change their order.
        """
        while page := self.repository.matching(self._bare, limit=PAGE, after=last):
            yield from page
            last = page[-1]

    def _try(self, entry: Entry, run: LabelOutcome, deadline: Deadline) -> LabelOutcome:
        try:
            labels = self.chain.ask(entry, deadline)
        except LabelerUnavailableError as error:
            unanswered = 0 if isinstance(error, UnusableLabelsError) else run.unanswered + 1
            return attrs.evolve(
                run, failed=run.failed + 1, problem=str(error), unanswered=unanswered
            )
        except InvalidEntryError:
            labels = ()
        if not labels:
            return attrs.evolve(run, failed=run.failed + 1, unanswered=0)
        stored = store_labels(self.repository, entry.entry_id, labels)
        return attrs.evolve(run, labelled=run.labelled + stored, unanswered=0)


def _is_behind(entry: Entry, other: Entry) -> bool:
    """Return whether *entry* comes after *other* in the order of `EntryRepository.find`."""
    return (other.updated_at, entry.entry_id) > (entry.updated_at, other.entry_id)


def store_labels(repository: EntryRepository, entry_id: str, labels: tuple[str, ...]) -> bool:
    """
    Set the labels of an entry, and return whether they were set.

    They are not if the entry was deleted or labelled meanwhile.
    """
    with repository.transaction():
        entry = repository.by_id(entry_id)
        if entry is None or entry.keywords:
            return False
        repository.put(attrs.evolve(entry, keywords=labels))
        return True
