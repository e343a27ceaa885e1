"""What a retrospective needs before it needs a store, or without one."""

from collections.abc import Callable
from typing import NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git.probe import GitChangeProbe, checked_out_branch
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.retro import SaveRetro
from hardwon.entrypoints.bootstrap import Memory, bank_files
from hardwon.entrypoints.bootstrap_models import Warn


class WorkSources(NamedTuple):
    """
    Who knows of the work at hand.

    Attributes:
        branch: What is checked out.
        features: Knows the active feature.
        changes: Knows what the branch changed.
        clock: The time.

    """

    branch: str | None
    features: FeatureFiles
    changes: GitChangeProbe
    clock: SystemClock


def work_sources(project_root: str, warn: Warn) -> WorkSources:
    """Return them for the project."""
    branch = checked_out_branch(project_root)
    return WorkSources(branch, FeatureFiles(project_root, warn), GitChangeProbe(project_root, warn), SystemClock())


def keep_retro(project_root: str, settings: Settings, open_store: Callable[[], Memory]) -> SaveRetro:
    """Return the keeping of what a retrospective taught; the store is opened when it is needed, if the user wants one."""
    is_wanted = settings.semantic_enabled
    opened = (lambda: open_store().sync_banks(project_root)) if is_wanted else None
    return SaveRetro(bank_files(project_root, settings), opened)
