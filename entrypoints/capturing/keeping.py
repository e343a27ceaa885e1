"""What keeps conversations, put together from an open store."""

import os
from collections.abc import Sequence
from functools import partial

from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.use_cases.conversing.capture import Capture
from hardwon.domain.use_cases.conversing.learn import Learn, Learned
from hardwon.domain.use_cases.conversing.take_in import TakeIn
from hardwon.domain.use_cases.keeping.embed_pending import BATCH
from hardwon.entrypoints.cleaning import cleaning_for
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.filling import fill_spaces
from hardwon.entrypoints.workplace import read_workplace


def build_capture(memory: Memory, project_root: str) -> Capture:
    """Return the keeping of the project's conversations."""
    return memory.capture(project_root, read_workplace(project_root, memory.settings))


def build_take_in(memory: Memory, project_root: str, *, embed: bool = True) -> TakeIn:
    """Return the taking in of what waits of the project's sessions, with vectors if *embed* says so."""
    return TakeIn(
        capture=build_capture(memory, project_root),
        transcripts=memory.transcripts(project_root),
        learn=build_learn(memory, project_root, embed=embed),
        clean=cleaning_for(project_root),
        clock=memory.clock,
        warn=memory.warn,
    )


def build_learn(memory: Memory, project_root: str, *, embed: bool = True) -> Learn:
    """Return what brings files of the project into the store, with vectors for what waits if *embed* says so."""
    return partial(_learn, memory, os.path.realpath(project_root), embed=embed)


def ensure_there(session_id: str, project_root: str) -> None:
    """
    Refuse a session whose project is not there any more, or that the host named none of.

    Raises:
        UnreadableFileError: so it is.
    """
    if not os.path.isdir(project_root):
        raise UnreadableFileError(f"session {session_id!r}: its project {project_root!r} is no folder")


def _learn(memory: Memory, root: str, files: Sequence[str], *, embed: bool) -> Learned:
    if not files:
        return Learned()
    try:
        indexed = memory.index_files(root, read_workplace(root, memory.settings))(files)
        filled = fill_spaces(memory, BATCH) if embed else None
    except StorageError as error:
        return Learned(troubles=(f"written but not indexed: {error}",), is_known=False)
    return Learned(filled.made if filled else 0, (*indexed.skipped, *(filled.troubles if filled else ())))
