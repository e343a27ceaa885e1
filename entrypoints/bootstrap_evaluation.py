"""Evaluation of recall on a temporary store, with cached vectors."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from hardwon.adapters.evaluation.cache import CachingEmbedder, StoppedClock, VectorCache
from hardwon.adapters.evaluation.files import (
    comparison_document,
    names_of,
    read_eval_set,
    read_report,
    report_document,
)
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.evaluation.eval_set import EvalSet, known_items, rare_words
from hardwon.domain.model.evaluation.report import EvaluationReport, SetReport
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.evaluate import Evaluate, Stage
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import build_embed_pending, build_recall
from hardwon.entrypoints.bootstrap_upkeep import administer
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Warn

__all__ = [
    "cache_folder",
    "comparison_document",
    "evaluate_all",
    "names_of",
    "own_sets",
    "read_eval_set",
    "read_report",
    "report_document",
]

OWN_SET = "self"
RARE_WORDS = "self-rare-words"
PAGE = 500


def evaluate_all(
    sets: list[EvalSet],
    policies: list[str],
    settings: Settings,
    warn: Warn,
    stage_of: Callable[[str], Stage],
) -> EvaluationReport:
    """
    Measure how well *policies* answer each of *sets*, sequentially.

    Args:
        sets: With distinct names.
        policies: At least one.
        settings: The user's; their store is not touched.
        warn: Called with one line about a problem.
        stage_of: Returns the progress reports for a set, by its name.
    """
    with closing(VectorCache(cache_folder(), warn)) as cache:
        reports = dict[str, SetReport]()
        for item in sets:
            with _throw_away(settings, item, cache=cache, warn=warn) as measure:
                reports[item.name] = measure.measure(item, policies, stage_of(item.name))
        return EvaluationReport(reports)


def own_sets(settings: Settings) -> tuple[list[EvalSet], Settings]:
    """
    Return evaluation sets from the user's store, and their settings.

    The questions are titles, and rare words. The store is only read. `auto` is replaced by its
    meaning there, so that no other provider sees its texts.
    """
    memory = open_memory(settings, lambda _: None, create=False, repair_index=False)
    with closing(memory):
        if provider := memory.spaces.provider:
            settings = settings._replace(embedding_provider=provider)
        titles = known_items(OWN_SET, list(_entries(memory.repository)))
        return [titles, rare_words(RARE_WORDS, titles)], settings


def cache_folder() -> str:
    """Return the folder for data that can be recomputed."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(
        named if os.path.isabs(named) else os.path.expanduser("~/.cache"), "hardwon"
    )


@contextmanager
def _throw_away(
    settings: Settings, eval_set: EvalSet, cache: VectorCache, warn: Warn
) -> Iterator[Evaluate]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hardwon-eval-"))
        server = (
            stack.enter_context(administer(settings.server).throw_away_database())
            if settings.server
            else None
        )
        memory = open_memory(settings._replace(global_store=folder, server=server), warn)
        spaces = memory.spaces.first(1).with_embedders(
            lambda embedder: CachingEmbedder(embedder, cache)
        )
        wired = memory._replace(spaces=spaces, clock=StoppedClock(eval_set.now))
        with closing(memory):
            embed = build_embed_pending(spaces)[0] if spaces else None
            yield Evaluate(
                repository=wired.repository,
                embed=embed,
                recall=build_recall(wired),
                monotonic=time.perf_counter,
            )


def _entries(repository: EntryRepository) -> Iterator[Entry]:
    with repository.snapshot():
        for offset in range(0, repository.count(EVERYTHING), PAGE):
            yield from repository.matching(EVERYTHING, limit=PAGE, offset=offset)
