"""Search for a model: rules first, then answers with counts of concepts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, Self

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidQueryError, KeywordIndexUnavailableError
from hardwon.domain.model.filters import EntryFilter, seen_from
from hardwon.domain.model.injection.entry_text import within_budget
from hardwon.domain.model.keywords import concept_counts, concepts_of, terms_of
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.domain.model.ranking.policy import RecallAnswer, RecallQuestion
from hardwon.domain.use_cases.recall import Recall, RecallAnswers, calibrated
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.domain.use_cases.track_usage import count_access
from hardwon.ports.activity import UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Store


class LoadedEntries(NamedTuple):
    """Loaded entries."""

    entries: tuple[Entry, ...]
    total: int
    degradations: tuple[str, ...] = ()


class LoadEntries(NamedTuple):
    """Load whole entries and count the access."""

    repository: EntryRepository
    usage: UsageLog
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(store.entries, store.usage, clock)

    def within(self, only: EntryFilter, limit: int) -> LoadedEntries:
        """Return the newest *limit* entries of *only*, even deprecated and expired ones."""
        entries = self.repository.matching(only, limit=limit, order="created_at")
        return self._counted(entries, self.repository.count(only))

    def one(self, entry: Entry) -> LoadedEntries:
        """Return *entry* and count the access."""
        return self._counted([entry], 1)

    def _counted(self, entries: list[Entry], total: int) -> LoadedEntries:
        return LoadedEntries(
            tuple(entries), total, count_access(self.usage, entries, self.clock.now())
        )


NEITHER = "nothing to search for: give a query, 2 to 5 concepts, or both"
NOT_SEARCHED = (
    'deprecated memories are never searched: memory_list with tier "deprecated" shows them'
)
NOTHING_FOUND = (
    'try other words, fewer filters or collection "all"; if something is missing, check the index'
    " with memory_stats, bring files in with memory_index_scan, restart the server, or restore a"
    " checkpoint with checkpoint_restore"
)


class SearchResult(NamedTuple):
    """
    The outcome of a search.

    Attributes:
        rules: The constitutional entries that apply in the project, whole ones within their budget.
        counts: For each answer the number of occurrences of each concept in its file, or its text;
            empty without concepts.
        suggestion: A hint when nothing was found, else empty.
        degradations: The missing parts with their reasons, one line each.
    """

    rules: tuple[Entry, ...]
    answers: tuple[RecallAnswer, ...]
    others: tuple[RecallAnswer, ...]
    counts: tuple[Mapping[str, int], ...]
    suggestion: str
    degradations: tuple[str, ...]


class Search(NamedTuple):
    """Answer a question, together with the constitutional entries."""

    recall: Recall
    usage: UsageLog
    entries: EntryRepository

    def answers_to(
        self,
        question: RecallQuestion,
        deadline: Deadline,
        *,
        concepts: Sequence[str] = (),
        rules: bool = True,
        besides: EntryFilter | None = None,
    ) -> SearchResult:
        """
        Return the answers to *question*.

        An answer contains all *concepts*: every word of each, in some form. Rules do not count
        towards the limit. A question for one tier is answered by that tier only.

        Args:
            question: The question; an empty text is replaced by the concepts.
            deadline: The end of the time for searching.
            concepts: None, or 2 to 5.
            rules: False leaves constitutional entries out altogether.
            besides: Further entries to search, returned if they are relevant; None for none.

        Raises:
            InvalidQueryError: there is neither text nor concepts, or the concepts are invalid.
        """
        wanted = concepts_of(concepts) if concepts else ()
        question = question._replace(text=question.text.strip() or " ".join(wanted))
        if not question.text:
            raise InvalidQueryError(NEITHER)
        recall = _embedding_once(self.recall) if besides else self.recall
        problems = retire_expired(recall.repository, recall.clock.now())
        with recall.repository.snapshot():
            asked = [question, *([_calibrated(question, besides)] if besides else ())]
            recall.repository.prefetch(partial(self._first_reads, asked, deadline))
            rules_shown, question = self.rules_apart(question, wanted=rules)
            recollection = _answers(recall, question, concepts=wanted, deadline=deadline)
            others = RecallAnswers()
            if besides:
                others = _answers(
                    recall, _calibrated(question, besides), concepts=wanted, deadline=deadline
                )
        counts = [
            concept_counts(wanted, self._whole_text(answer.entry))
            for answer in recollection.answers
            if wanted
        ]
        found = [
            *rules_shown,
            *(answer.entry for answer in (*recollection.answers, *others.answers)),
        ]
        degradations = dict.fromkeys((*problems, *recollection.degradations, *others.degradations))
        return SearchResult(
            rules=tuple(rules_shown),
            answers=recollection.answers,
            others=others.answers,
            counts=tuple(counts),
            suggestion="" if recollection.answers or others.answers else _suggestion(question.only),
            degradations=(*degradations, *count_access(self.usage, found, self.recall.clock.now())),
        )

    def _first_reads(self, asked: Sequence[RecallQuestion], deadline: Deadline) -> None:
        """Read what the questions read, whatever is found."""
        for question in asked:
            self.rules_apart(question)
            self.recall.first_reads(question, deadline)

    def _whole_text(self, entry: Entry) -> str:
        """Return the text of the entry's file, else all its searchable text."""
        if not entry.file_path:
            return entry.searchable_text()
        return (self.entries.with_file(entry.file_path) or entry).description

    def rules_apart(
        self, question: RecallQuestion, *, wanted: bool = True
    ) -> tuple[list[Entry], RecallQuestion]:
        """Return the constitutional entries to show, and the question without them."""
        if question.only.tier is not None:
            return [], question
        repository = self.recall.repository
        known = repository.constitutional(seen_from(question.workplace))
        chosen = within_budget(known) if wanted else []
        left_out = tuple(sorted(rule.number for rule in (chosen if wanted else known)))
        only = question.only._replace(except_for=left_out)
        return repository.hydrate([rule.number for rule in chosen]), question._replace(only=only)


def _answers(
    recall: Recall, question: RecallQuestion, concepts: Sequence[str], deadline: Deadline
) -> RecallAnswers:
    if not concepts:
        return recall.answer_in_snapshot(question, deadline)
    words = list(dict.fromkeys(word for concept in concepts for word in terms_of(concept)))
    try:
        holding = recall.retrieve.keywords.match(
            words, "all", only=question.only, deadline=deadline
        )
    except KeywordIndexUnavailableError as error:
        return RecallAnswers(degradations=(f"concepts can't be looked for: {error}",))
    numbers = tuple(sorted(hit.number for hit in holding.top(max(1, holding.count()))))
    only, keyword_text = question.only._replace(among=numbers), " ".join((question.text, *words))
    question = question._replace(only=only, keyword_text=keyword_text)
    return recall.answer_in_snapshot(question, deadline)


def _calibrated(question: RecallQuestion, besides: EntryFilter) -> RecallQuestion:
    return calibrated(question)._replace(only=besides._replace(except_for=question.only.except_for))


def _embedding_once(recall: Recall) -> Recall:
    retrieve = recall.retrieve
    semantic = [
        space._replace(embedder=retrieve.background.memoised(space.embedder))
        for space in retrieve.semantic
    ]
    return recall._replace(retrieve=retrieve._replace(semantic=semantic))


def _suggestion(only: EntryFilter) -> str:
    return NOT_SEARCHED if only.tier == NEVER_SEARCHED else NOTHING_FOUND
