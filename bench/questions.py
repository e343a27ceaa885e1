"""
Questions to a process that stays, like the MCP server.

Vectors are loaded once; the question is embedded.
"""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from bench.figures import Aim, Figure
from bench.stores import build_store
from bench.texts import Writer, some_vectors
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.filters import COLLECTIONS, EVERYTHING
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.recall import Recall
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import build_recall
from hardwon.ports.models import Task
from tests.fakes.projects import working_in

QUESTIONS = 200
WORDS = 6
AIMS = {10_000: Aim(15, "value"), 100_000: Aim(60, "value")}
"""Milliseconds that 95 of 100 questions may take."""

SMALL = 100
SMALL_AIM = Aim(5, "value")


class _Planted:
    """Answers every text at once with the next of many random directions."""

    space = MINILM_SPACE
    max_tokens = 256

    def __init__(self) -> None:
        self._vectors = list(some_vectors(QUESTIONS, MINILM_SPACE.dimensions))
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
        Figure(
            "recall_p95",
            f"{title}: 95 of 100",
            entries,
            took[len(took) * 95 // 100],
            "ms",
            aim=AIMS.get(entries),
        ),
    ]


def cosine_figure(folder: str) -> Figure:
    """Return how long the comparison with 100 entries takes."""
    store = build_store(os.path.join(folder, f"store-{SMALL}-cosine"), SMALL, MINILM_SPACE)
    index = recall_of(store).retrieve.semantic[0].vector_index
    [query] = some_vectors(1, MINILM_SPACE.dimensions)
    took = [timed(lambda: index.compare(query, EVERYTHING).top(10)) for _ in range(QUESTIONS)]
    return Figure(
        "cosine",
        "B-39: comparing a question with 100 entries",
        SMALL,
        median(took),
        "ms",
        aim=SMALL_AIM,
    )


def recall_of(folder: str) -> Recall:
    """Return recall in the store of that folder, its questions embedded at once."""
    recall = build_recall(
        open_memory(Settings(global_store=folder, embedding_provider="local"), print)
    )
    planted = [search._replace(embedder=_Planted()) for search in recall.retrieve.semantic]
    return recall._replace(retrieve=recall.retrieve._replace(semantic=planted))


def _milliseconds(recall: Recall) -> list[float]:
    writer, everything = Writer(seed=2), COLLECTIONS["all"]
    deadline, workplace = Deadline(time.monotonic), working_in("project")
    questions = [
        RecallQuestion(
            writer.text(WORDS), EVERYTHING, everything.policy, everything.limit, None, workplace
        )
        for _ in range(QUESTIONS + 1)
    ]
    # The first question loads the model.
    return [timed(partial(recall.answer, question, deadline)) for question in questions][1:]


def timed(work: Callable[[], object]) -> float:
    """Return the CPU time of *work* in milliseconds."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000
