"""Use cases of a retrospective, most of which need no open store, and the work that it looks back on."""

import datetime as dt
import time
from collections.abc import Callable
from typing import NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git.identity import checked_out_branch
from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.retro.lesson import Feature
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.edit_lesson import EditLesson
from hardwon.domain.use_cases.import_knowledge import SyncBanks
from hardwon.domain.use_cases.retro import Review, ReviseLearning, SaveRetro
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_entries import build_change_entry
from hardwon.entrypoints.bootstrap_files import build_sync_banks
from hardwon.entrypoints.bootstrap_projects import name_of
from hardwon.entrypoints.bootstrap_retrieval import build_recall
from hardwon.entrypoints.context import read_workplace
from hardwon.ports.knowledge_bank import BankFiles
from hardwon.ports.store import Warn


class WorkSources(NamedTuple):
    """
    Sources of signals on the work at hand.

    Attributes:
        branch: The branch that is checked out.
        features: Knows the active feature.
        changes: Knows the files that the branch changed.
        clock: The time.

    """

    branch: str | None
    features: FeatureFiles
    changes: GitChangeProbe
    clock: SystemClock


def work_sources(project_root: str, warn: Warn) -> WorkSources:
    """Return those of the project."""
    branch = checked_out_branch(project_root)
    return WorkSources(branch, FeatureFiles(project_root, warn), GitChangeProbe(project_root, warn), SystemClock())


def bank_files(project_root: str, settings: Settings) -> BankFiles:
    """Return the knowledge banks to write to, of the project and of the user; no store is needed."""
    return MarkdownBankFiles(project_root, settings.global_store)


def build_save_retro(project_root: str, settings: Settings, open_store: Callable[[], Memory]) -> SaveRetro:
    """Keep the lessons of a retrospective; the store is opened when it is needed, if the user wants one."""
    is_wanted = settings.semantic_enabled

    def opened() -> SyncBanks:
        memory = open_store()
        return build_sync_banks(memory, project_root, read_workplace(memory, project_root))

    return SaveRetro(bank_files(project_root, settings), opened if is_wanted else None)


def build_revise_learning(memory: Memory, project_root: str) -> ReviseLearning:
    """Confirm or promote a learning."""
    bank = bank_files(project_root, memory.settings)
    sync_banks = build_sync_banks(memory, project_root, read_workplace(memory, project_root))
    return ReviseLearning(bank=bank, sync_banks=sync_banks, clock=memory.clock)


def build_edit_lesson(memory: Memory, project_root: str) -> EditLesson:
    """Change the text of a learning in the store and in the banks."""
    bank = bank_files(project_root, memory.settings)
    sync_banks = build_sync_banks(memory, project_root, read_workplace(memory, project_root))
    return EditLesson(bank=bank, sync_banks=sync_banks, change_entry=build_change_entry(memory))


def build_review(memory: Memory, project_root: str) -> Review:
    """Find older learnings that bear on a piece of work."""
    return Review(build_recall(memory), read_workplace(memory, project_root))


RETRO_GIT_SECONDS = 10.0
"""A retrospective is rare, and a large repository's diff worth waiting for."""
A_DAY = dt.timedelta(days=1)


class Work(NamedTuple):
    """
    Recent work.

    Attributes:
        signals: The signals to search by.
        began: When it was begun; a day ago when git does not know.

    """

    signals: ContextQuery
    began: dt.datetime


def read_feature(sources: WorkSources, project_root: str) -> Feature:
    """Return the feature that is being worked on."""
    signals = _signals(sources, _deadline())
    name = signals.feature.slug if signals.feature else sources.branch or ""
    return Feature(name=name, project=name_of(project_root), files=tuple(signals.files))


def read_work(sources: WorkSources) -> Work:
    """Return the work that the feature and its branch show."""
    deadline = _deadline()
    signals = _signals(sources, deadline)
    began = sources.changes.branch_started(sources.branch, deadline)
    return Work(signals, began or sources.clock.now() - A_DAY)


def _signals(sources: WorkSources, deadline: Deadline) -> ContextQuery:
    return ContextQuery(sources.features.active_feature(), sources.changes.feature_files(sources.branch, deadline))


def _deadline() -> Deadline:
    return Deadline.after(RETRO_GIT_SECONDS, time.monotonic)
