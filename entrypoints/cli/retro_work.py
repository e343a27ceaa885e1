"""The work under review in a retrospective: feature, branch and changed files."""

import datetime as dt
import time
from collections.abc import Callable
from typing import NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.retro.lesson import RetroFeature
from hardwon.entrypoints.bootstrap import name_of
from hardwon.entrypoints.bootstrap_files import change_probe, checked_out_branch, feature_probe

A_DAY = dt.timedelta(days=1)


GIT_SECONDS = 10.0
"""A retrospective is rare, and a large repository's diff worth waiting for."""


class RecentWork(NamedTuple):
    """
    Recent work.

    Attributes:
        signals: The signals to search by.
        began: When it began; a day ago if git does not know.

    """

    signals: ContextQuery
    began: dt.datetime


def read_feature(project_root: str, warn: Callable[[str], None]) -> RetroFeature:
    """Return the active feature, with its changed files."""
    branch = checked_out_branch(project_root)
    signals = _signals(project_root, branch, deadline=_git_deadline(), warn=warn)
    name = signals.feature.slug if signals.feature else branch or ""
    return RetroFeature(name=name, project=name_of(project_root), files=tuple(signals.files))


def read_work(project_root: str, now: dt.datetime, warn: Callable[[str], None]) -> RecentWork:
    """Return the work on the active feature and its branch."""
    branch, deadline = checked_out_branch(project_root), _git_deadline()
    signals = _signals(project_root, branch, deadline=deadline, warn=warn)
    return RecentWork(
        signals, change_probe(project_root, warn).branch_started(branch, deadline) or now - A_DAY
    )


def _signals(
    project_root: str, branch: str | None, deadline: Deadline, warn: Callable[[str], None]
) -> ContextQuery:
    files = change_probe(project_root, warn).feature_files(branch, deadline)
    return ContextQuery(feature_probe(project_root, warn).active_feature(), files)


def _git_deadline() -> Deadline:
    return Deadline.after(GIT_SECONDS, time.monotonic)
