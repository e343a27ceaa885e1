"""A store of lessons and a project's conversations, as capture leaves them."""

import contextlib
import datetime as dt
import os
import shutil

from bench.stores import add_vectors
from bench.texts import NOW, Writer
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.entry import Entry

MAX_CONVERSATIONS = 500
"""About half a year of them in one project."""


def with_conversations(store: str, project: str, count: int) -> str:
    """Return a copy of *store* with *count* conversations of *project*, each with a vector."""
    folder = f"{store}-conversations"
    shutil.copytree(store, folder)
    writer, name = Writer(seed=5), os.path.basename(project)
    with contextlib.closing(open_store(folder)) as database:
        repository = SqliteEntryRepository(database)
        with repository.transaction():
            for number in range(count):
                repository.put(_conversation(writer, number, name))
        add_vectors(database, MINILM_SPACE)
    return folder


def _conversation(writer: Writer, number: int, project: str) -> Entry:
    timestamp = NOW - dt.timedelta(hours=8 * number)
    return Entry(
        kind="conversation",
        name=writer.text(8),
        description=f"{writer.text(25)}.\n\n{writer.text(300)}",
        file_path=f"/elsewhere/memory/conversations/{number}.md",
        source_project=project,
        branch="main" if number % 2 else "other",
        session_id=f"session-{number // 5}",
        references=(f"src/{writer.text(1)}.py",),
        created_at=timestamp,
        updated_at=timestamp,
    )
