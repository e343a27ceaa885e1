"""The use case that forgets for good, with every place that keeps texts."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hardwon.adapters.agents.transcripts import KeptTranscripts
from hardwon.adapters.folders.whereabouts import LostFolders
from hardwon.adapters.git.earlier_texts import EarlierTexts
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.adapters.markdown.erase import BankLessons, FilesOfTheUser, OwnFiles
from hardwon.adapters.sqlite.capture_journal import CaptureLock
from hardwon.adapters.sqlite.erase_files import FolderTexts, OtherDatabases, StoreBytes
from hardwon.adapters.sqlite.erasure_journal import FileErasureJournal
from hardwon.domain.model.errors import StorageError
from hardwon.domain.use_cases.forget import ForgetForGood, Forgotten
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_capture import open_forget_lock, open_lock
from hardwon.entrypoints.bootstrap_folders import find_folders

Result = TypeVar("Result")

LOCK_SECONDS = 30.0


def build_forget_for_good(memory: Memory, project_root: str) -> ForgetForGood:
    """Forget in the store, in its other files, and in the files of *project_root* and of every folder that a project had."""
    store = memory.settings.global_store
    rows = memory.store.rows
    journal = FileErasureJournal(store)
    found = find_folders(memory, project_root)
    interrupted = journal.unfinished()
    roots = [*dict.fromkeys((*found.folders, *filter(os.path.isdir, interrupted.folders if interrupted else ())))]
    own_files = OwnFiles(roots)
    return ForgetForGood(
        repository=memory.repository,
        store=rows,
        places=(rows, own_files, OtherDatabases(store), FolderTexts(store)),
        banks=[BankLessons(MarkdownBankFiles(root, store)) for root in roots],
        proof=StoreBytes(store, own_files.paths),
        elsewhere=(
            *memory.store.copies,
            LostFolders(found.lost),
            FilesOfTheUser(),
            EarlierTexts(),
            KeptTranscripts(os.environ, os.path.expanduser("~")),
        ),
        journal=journal,
        clock=memory.clock,
        folders=tuple(roots),
        unreachable=found.unreachable,
    )


def while_nothing_is_captured(memory: Memory, work: Callable[[], Result]) -> Result:
    """
    Do *work* while no conversation is being captured: captures that go on give way.

    Raises:
        StorageError: one does not in time, or another process forgets for a long time.
    """
    store = memory.settings.global_store
    if not os.path.isdir(store):
        return work()
    with (
        _held(open_forget_lock(store), "hardwon forget is at work already"),
        _held(open_lock(store), "conversations are being captured now"),
    ):
        return work()


def complete_interrupted(memory: Memory, forgetting: ForgetForGood) -> Forgotten | None:
    """Complete the run that was interrupted; None without one."""
    if forgetting.journal.unfinished() is None:
        return None
    return while_nothing_is_captured(memory, forgetting.resume)


@contextmanager
def _held(lock: CaptureLock, why_not: str) -> Iterator[None]:
    if not lock.acquire(LOCK_SECONDS):
        raise StorageError(f"{why_not}: try again when it is done")
    try:
        yield
    finally:
        lock.release()
