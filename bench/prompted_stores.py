"""Throw-away stores that are asked with prompts, to see which entries would win."""

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

from hardwon.adapters.evaluation.cache import CachingEmbedder, VectorCache
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery
from hardwon.domain.model.filters import ANYWHERE, EVERYTHING, NOWHERE, EntryFilter, Scope
from hardwon.domain.model.injection.gate_terms import PromptTerms
from hardwon.domain.model.injection.relevance_gate import Contender, Rules, choose
from hardwon.domain.model.prompt_intent import intent_of, is_worth_asking
from hardwon.domain.model.prompt_terms import identifiers
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.weigh_entries import contest_of, question_of, sentences_of
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_files import build_import_knowledge
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_embed_pending, build_recall

STANDING_STILL = Deadline(lambda: 0.0)
PATIENCE = 600.0
"""Seconds for the vector of a question: a busy machine changes no figure."""


class Asked(NamedTuple):
    """A prompt: whether it is worth a search, and which winning entries are answers."""

    searched: bool
    right: tuple[bool, ...] = ()


class Asking(NamedTuple):
    """A store that is asked, and the numbers of its entries by their ids."""

    memory: Memory
    recall: Recall
    numbers: dict[str, int]

    def ask(self, text: str, answers: Iterable[str] = (), only: EntryFilter = EVERYTHING) -> Asked:
        """Return what *text* brings up, where *answers* are the ids of what is right."""
        if not is_worth_asking(text):
            return Asked(searched=False)
        sentences = sentences_of(text, self.recall.retrieve.keywords, STANDING_STILL)
        if not any(sentences):
            return Asked(searched=False)
        question = question_of(text, only)
        found = self.recall.search(question, STANDING_STILL)
        rated = self.recall.rank(question, found)
        terms = PromptTerms(
            sentences, identifiers(text), size=found.context.size, intent=intent_of(text)
        )
        contest = contest_of(terms, found, rated)
        repository = self.memory.repository
        facts = {
            fact.ranking.number: fact
            for fact in repository.recall_facts([hit.number for hit in rated])
        }
        printed = {
            entry.number: entry for entry in repository.printed([hit.number for hit in rated])
        }
        best = [
            Contender(facts[hit.number], printed[hit.number], hit.score, hit.parts) for hit in rated
        ]
        known, unread = set(answers), Rules(contest, frozenset(), lambda: ())
        shown = [winner.contender for winner in choose(best, unread).chosen]
        return Asked(searched=True, right=tuple(winner.entry_id in known for winner in shown))

    def own(self, eval_set: EvalSet, asked: JudgedQuery) -> Asked:
        """Ask a question of the set's own store."""
        return self.ask(asked.query.text, _answers(eval_set, asked), _within(asked))

    def without_answers(self, eval_set: EvalSet, asked: JudgedQuery) -> Asked:
        """Ask it of the same store with all that answers it taken out."""
        gone = tuple(self.numbers[entry] for entry in _answers(eval_set, asked))
        return self.ask(asked.query.text, only=_within(asked)._replace(except_for=gone))


@contextmanager
def asking(
    entries: Sequence[Entry], cache: VectorCache | None, project: str = ""
) -> Iterator[Asking]:
    """
    Yield a store that is gone afterwards.

    Args:
        entries: Those it holds.
        cache: Keeps vectors between runs; None to search by word only.
        project: A folder whose knowledge bank it holds too.

    """
    with tempfile.TemporaryDirectory(prefix="hardwon-winning-") as folder:
        memory = open_memory(Settings(global_store=folder, embedding_provider="local"), print)
        memory = memory._replace(spaces=memory.spaces.first(1 if cache else 0))
        if cache:
            memory = memory.with_embedders(lambda embedder: CachingEmbedder(embedder, cache))
        with closing(memory):
            yield _filled(memory, entries, project)


def _filled(memory: Memory, entries: Sequence[Entry], project: str) -> Asking:
    with memory.repository.transaction():
        for entry in entries:
            memory.repository.put(entry)
    if project:
        build_import_knowledge(memory, project, NOWHERE).everything()
    for embed in build_embed_pending(memory.spaces)[:1]:
        embed.embed(None, Deadline(time.monotonic), lambda _: None)
    facts = memory.repository.facts(range(1, 100_000))
    recall = build_recall(memory)
    patient = recall._replace(retrieve=recall.retrieve._replace(embed_seconds=PATIENCE))
    return Asking(memory, patient, {fact.entry_id: fact.number for fact in facts})


def _answers(eval_set: EvalSet, asked: JudgedQuery) -> list[str]:
    relevant = (
        name for name, grade in asked.grades.items() if grade > 0 and name in eval_set.documents
    )
    return [eval_set.documents[name].entry_id for name in relevant]


def _within(asked: JudgedQuery) -> EntryFilter:
    group = asked.query.group
    return EVERYTHING._replace(scope=ANYWHERE if group is None else Scope((group,)))
