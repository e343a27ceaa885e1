"""
Read entries whole.

Answer a question with all that a model needs to go on: rules first, concepts counted, a way on when nothing is found.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidQueryError, KeywordIndexUnavailableError
from hardwon.domain.model.filters import COLLECTIONS, EntryFilter
from hardwon.domain.model.injection.rules import within_budget
from hardwon.domain.model.keywords import concept_counts, concepts_of, words_of
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.domain.model.ranking.question import Answer, Question
from hardwon.domain.use_cases.recall import Recall, Recollection
from hardwon.domain.use_cases.retrieve import MemoisedEmbedder
from hardwon.domain.use_cases.track_usage import count_access
from hardwon.ports.activity import UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository


class Loaded(NamedTuple):
    """
    What was read.

    Attributes:
        entries: Those asked for.
        total: How many there are.
        degradations: What went wrong, one line each.

    """

    entries: tuple[Entry, ...]
    total: int
    degradations: tuple[str, ...] = ()


class Load(NamedTuple):
    """
    Read entries and count that.

    Attributes:
        repository: The entries.
        usage: Counts what was read.
        clock: When it was.

    """

    repository: EntryRepository
    usage: UsageLog
    clock: Clock

    def within(self, only: EntryFilter, limit: int) -> Loaded:
        """Return the newest *limit* entries of *only*, deprecated and expired ones too."""
        entries = self.repository.find(only, limit=limit, order="created_at")
        return self._counted(entries, self.repository.count(only))

    def one(self, entry: Entry) -> Loaded:
        """Return *entry* as read."""
        return self._counted([entry], 1)

    def _counted(self, entries: list[Entry], total: int) -> Loaded:
        return Loaded(tuple(entries), total, count_access(self.usage, entries, self.clock.now()))


NEITHER = "nothing to search for: give a query, 2 to 5 concepts, or both"
NOT_SEARCHED = 'deprecated memories are never searched: memory_list with tier "deprecated" shows them'
NOTHING_FOUND = (
    'try other words, fewer filters or collection "all"; if something is missing, check the index with memory_stats, '
    "bring files in with memory_index_scan, restart the server, or restore a checkpoint with checkpoint_restore"
)


class SearchResult(NamedTuple):
    """
    What came of a search.

    Attributes:
        rules: The constitutional entries that hold where the question was asked, whole ones within their budget.
        answers: Best first, none of the rules among them.
        others: Answers of other kinds, likewise.
        counts: For each answer how often each concept stands in its text, as written; none without concepts.
        suggestion: What to do when nothing answers, empty when something does.
        degradations: What was missing and why, one line each.

    """

    rules: tuple[Entry, ...]
    answers: tuple[Answer, ...]
    others: tuple[Answer, ...]
    counts: tuple[Mapping[str, int], ...]
    suggestion: str
    degradations: tuple[str, ...]


class Search(NamedTuple):
    """
    Ask, with the rules that always hold.

    Attributes:
        recall: Answers a question.
        usage: Counts what was found.

    """

    recall: Recall
    usage: UsageLog

    def find(
        self,
        question: Question,
        deadline: Deadline,
        *,
        concepts: Sequence[str] = (),
        rules: bool = True,
        besides: EntryFilter | None = None,
    ) -> SearchResult:
        """
        Return what answers *question*.

        An answer holds all *concepts*: every word of each stands in its own texts, in some form. Rules
        are not counted in the limit. A question for one tier is answered by that tier alone.

        Args:
            question: What is asked; without words the concepts are.
            deadline: When searching must be over.
            concepts: None, or 2 to 5.
            rules: False leaves constitutional entries out altogether.
            besides: Other entries to ask, which answer if they are relevant; None for no others.

        Raises:
            InvalidQueryError: there are neither words nor concepts, or the concepts are not fit.
            StorageError: the store can't be read.

        """
        wanted = concepts_of(concepts) if concepts else ()
        question = question._replace(text=question.text.strip() or " ".join(wanted))
        if not question.text:
            raise InvalidQueryError(NEITHER)
        standing, question = self.rules_apart(question, wanted=rules)
        recall = _embedding_once(self.recall) if besides else self.recall
        recollection = _answers(recall, question, wanted, deadline)
        others = Recollection()
        if besides:
            others = _answers(recall, _calibrated(question, besides), wanted, deadline)
        counts = [concept_counts(wanted, each.entry.searchable_text()) for each in recollection.answers if wanted]
        found = [*standing, *(each.entry for each in (*recollection.answers, *others.answers))]
        degradations = dict.fromkeys((*recollection.degradations, *others.degradations))
        return SearchResult(
            rules=tuple(standing),
            answers=recollection.answers,
            others=others.answers,
            counts=tuple(counts),
            suggestion="" if recollection.answers or others.answers else _suggestion(question.only),
            degradations=(*degradations, *count_access(self.usage, found, self.recall.clock.now())),
        )

    def rules_apart(self, question: Question, *, wanted: bool = True) -> tuple[list[Entry], Question]:
        """
        Return the constitutional entries to show beside the answers, and the question with none of them among its answers.

        Raises:
            StorageError: the store can't be read.
        """
        if question.only.tier is not None:
            return [], question
        repository = self.recall.repository
        known = repository.constitutional(question.workplace.project)
        chosen = within_budget(known) if wanted else []
        left_out = tuple(sorted(rule.seq for rule in (chosen if wanted else known)))
        only = question.only._replace(except_for=left_out)
        return repository.hydrate([rule.seq for rule in chosen]), question._replace(only=only)


def _answers(recall: Recall, question: Question, concepts: Sequence[str], deadline: Deadline) -> Recollection:
    if not concepts:
        return recall.answer(question, deadline)
    words = list(dict.fromkeys(word for concept in concepts for word in words_of(concept)))
    try:
        holding = recall.retrieve.keywords.match(words, "all", question.only, deadline)
    except KeywordIndexUnavailableError as error:
        return Recollection(degradations=(f"concepts can't be looked for: {error}",))
    seqs = tuple(sorted(hit.seq for hit in holding.top(holding.count())))
    only, keyword_text = question.only._replace(among=seqs), " ".join((question.text, *words))
    return recall.answer(question._replace(only=only, keyword_text=keyword_text), deadline)


def _calibrated(question: Question, besides: EntryFilter) -> Question:
    """Return *question* for the entries of *besides*, by a relevance that can stand beside other answers."""
    everything, left_out = COLLECTIONS["all"], question.only.except_for
    return question._replace(
        only=besides._replace(except_for=left_out), policy=everything.policy, minimum=everything.minimum
    )


def _embedding_once(recall: Recall) -> Recall:
    """Return *recall* with embedders that are asked once for the same text."""
    semantic = [each._replace(embedder=MemoisedEmbedder(each.embedder)) for each in recall.retrieve.semantic]
    return recall._replace(retrieve=recall.retrieve._replace(semantic=semantic))


def _suggestion(only: EntryFilter) -> str:
    return NOT_SEARCHED if only.tier == NEVER_SEARCHED else NOTHING_FOUND
