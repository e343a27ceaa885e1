"""A store of documents like a project's specifications, with vectors and trigger phrases."""

import contextlib
import os

from bench.stores import add_vectors
from bench.texts import NOW, Writer
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.triggers import MAX_PHRASES

PHRASES = 10_000
"""
Trigger phrases of a store, whatever its number of documents.

A document has 20 at most.
"""

SPECIFICATIONS = 50


def build_documents(folder: str, documents: int, project: str) -> str:
    """
    Fill a new store in *folder* with documents of the folder *project*.

    Return *folder*.
    """
    writer, name = Writer(seed=4), os.path.basename(project)
    with contextlib.closing(open_store(folder)) as database:
        repository = SqliteEntryRepository(database)
        with repository.transaction():
            for number in range(documents):
                repository.put(_document(writer, number, name, phrases_of_each(documents)))
        add_vectors(database, MINILM_SPACE)
    return folder


def phrases_of_each(documents: int) -> int:
    """Return how many phrases a document has in a store of so many."""
    return min(MAX_PHRASES, max(1, PHRASES // documents))


def _document(writer: Writer, number: int, project: str, phrases: int) -> Entry:
    folder = f"{number % SPECIFICATIONS:03}-{writer.text(1)}"
    return Entry(
        kind="document",
        name=writer.text(6),
        description=writer.text(120),
        file_path=f"/elsewhere/specs/{folder}/memory/{number}.md",
        spec_folder=folder,
        source_project=project,
        trigger_phrases=tuple(f"{writer.text(2)} {number} {place}" for place in range(phrases)),
        created_at=NOW,
        updated_at=NOW,
    )
