"""Keeping lessons: one, and many."""

import json
import os
import time

from bench.figures import Figure
from bench.processes import Command, clean_environment, measure, script
from bench.project import make_project
from bench.stores import build_store
from bench.texts import Writer
from hardwon.adapters.minilm.embedder import MINILM_SPACE, MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.retrieve import embed_documents


def writing_figures(folder: str, entries: int, lessons: int, repetitions: int) -> list[Figure]:
    """
    Return the costs of an upsert, an import and embedding.

    The store has *entries* entries.

    The import has *lessons* lessons.
    """
    return [
        _upsert(folder, entries, repetitions),
        *_import(folder, lessons, repetitions),
        _embedding(lessons),
    ]


def _upsert(folder: str, entries: int, repetitions: int) -> Figure:
    store = build_store(os.path.join(folder, "store-written"), entries, MINILM_SPACE)
    writer = Writer(seed=2)
    entry_texts = [
        json.dumps(
            {
                "name": writer.text(5),
                "description": writer.text(50),
                "reasoning": writer.text(10),
                "category": "patterns",
                "keywords": ["import", "parser", "encoding"],
                "references": ["src/reader.py"],
            }
        )
        for _ in range(repetitions + 1)
    ]

    def command(run: int) -> Command:
        arguments = (
            "--action",
            "upsert",
            "--global-store",
            store,
            "--entry-json",
            entry_texts[run],
        )
        return Command((script("hardwon-writer"), *arguments))

    cost = measure(command, clean_environment(folder), repetitions)
    return Figure(
        "upsert",
        "writer: one entry and its vector, CPU",
        entries,
        cost.cpu_ms,
        "ms",
        cost.times_pass,
    )


def _import(folder: str, lessons: int, repetitions: int) -> list[Figure]:
    project = make_project(os.path.join(folder, "project-to-import"), lessons)

    def command(run: int) -> Command:
        store = os.path.join(folder, f"store-imported-{run}")
        arguments = ("import", "--no-embed", "--project-root", project, "--global-store", store)
        return Command((script("hardwon"), *arguments))

    cost = measure(command, clean_environment(folder), repetitions)
    title = "import --no-embed of a knowledge bank, CPU"
    return [
        Figure("import", title, lessons, cost.cpu_ms, "ms", cost.times_pass),
        Figure(
            "import_rate",
            "import --no-embed, all in all",
            lessons,
            lessons / cost.wall_ms * 1000,
            "entries/s",
        ),
    ]


def _embedding(lessons: int) -> Figure:
    writer = Writer(seed=3)
    texts = [writer.text(56) for _ in range(min(lessons, 200))]
    embedder = MiniLmEmbedder()
    embed_documents(embedder, texts[:1], Deadline(time.monotonic))
    started = time.process_time()
    embed_documents(embedder, texts, Deadline(time.monotonic))
    rate = len(texts) / (time.process_time() - started)
    return Figure("embedding_rate", "embedding texts of 56 words", len(texts), rate, "texts/CPU-s")
