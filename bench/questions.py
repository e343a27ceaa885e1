"""Questions to a process that stays, as the MCP server is: vectors are loaded once, the question is embedded."""

import os
import time
from collections.abc import Callable, Sequence
from statistics import median

from bench.figures import Aim, Figure
from bench.processes import Command, clean_environment, measure, script
from bench.stores import build_store, unit_vectors
from bench.texts import Writer
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.filters import COLLECTIONS, EVERYTHING
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.recall import Recall
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import build_recall
from hardwon.ports.embedder import Task
from tests.fakes.workplaces import working_in

QUESTIONS = 200
WORDS = 6
AIMS = {10_000: Aim(15, "value"), 100_000: Aim(60, "value")}
"""Milliseconds that 95 of 100 questions may take."""

SMALL = 100
SMALL_AIM = Aim(5, "value")

PROCESS_AIM = Aim(1.3, "ratio")
PROMISED_AT = 10_000


class _Planted:
    """Answers every text at once with the next of many random directions."""

    space = MINILM_SPACE
    max_tokens = 256

    def __init__(self) -> None:
        self._vectors = list(unit_vectors(QUESTIONS, MINILM_SPACE.dimensions))
        self._asked = 0

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """Return that vector for each of *texts*."""
        del task, deadline
        self._asked += 1
        return [self._vectors[self._asked % QUESTIONS] for _ in texts]


def question_figures(store: str, entries: int) -> list[Figure]:
    """Return the CPU time of questions to the store of that folder."""
    took = sorted(_milliseconds(recall_of(store)))
    title = f"recall, {WORDS} words, in a process that stays"
    return [
        Figure("recall_p50", f"{title}: median", entries, median(took), "ms"),
        Figure("recall_p95", f"{title}: 95 of 100", entries, took[len(took) * 95 // 100], "ms", aim=AIMS.get(entries)),
    ]


def process_figure(folder: str, store: str, entries: int, hook_cpu_ms: float, repetitions: int) -> Figure:
    """Return the CPU time of the command, and its ratio to the hook's."""
    environment = clean_environment(folder, HARDWON_STORE=store)
    command = Command((script("hardwon"), "recall", *Writer(seed=2).text(WORDS).split()))
    cost = measure(lambda _: command, environment, repetitions)
    aim = PROCESS_AIM if entries == PROMISED_AT else None
    ratio = cost.cpu_ms / hook_cpu_ms
    return Figure("recall_process", "hardwon recall: CPU", entries, cost.cpu_ms, "ms", ratio, "the hook", aim)


def cosine_figure(folder: str) -> Figure:
    """Return how long the comparison with 100 entries takes."""
    store = build_store(os.path.join(folder, f"store-{SMALL}-cosine"), SMALL, MINILM_SPACE)
    index = recall_of(store.folder).retrieve.semantic[0].vector_index
    [query] = unit_vectors(1, MINILM_SPACE.dimensions)
    took = [timed(lambda: index.compare(query, EVERYTHING).top(10)) for _ in range(QUESTIONS)]
    return Figure("cosine", "B-39: comparing a question with 100 entries", SMALL, median(took), "ms", aim=SMALL_AIM)


def recall_of(folder: str) -> Recall:
    """Return recall in the store of that folder, its questions embedded at once."""
    recall = build_recall(open_memory(Settings(global_store=folder, embedding_provider="local"), print))
    planted = [search._replace(embedder=_Planted()) for search in recall.retrieve.semantic]
    return recall._replace(retrieve=recall.retrieve._replace(semantic=planted))


def _milliseconds(recall: Recall) -> list[float]:
    writer, everything = Writer(seed=2), COLLECTIONS["all"]
    deadline, workplace = Deadline(time.monotonic), working_in("project")
    questions = [
        Question(writer.text(WORDS), EVERYTHING, everything.policy, everything.limit, None, workplace)
        for _ in range(QUESTIONS + 1)
    ]
    # The first question loads the model.
    return [timed(lambda asked=question: recall.answer(asked, deadline)) for question in questions][1:]


def timed(work: Callable[[], object]) -> float:
    """Return the CPU time of *work* in milliseconds."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000
