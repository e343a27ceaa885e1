"""The feature that a retrospective looks back on."""

import datetime as dt
import time
from typing import NamedTuple

from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git.branch import checked_out_branch
from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.retro.lesson import Feature
from hardwon.entrypoints.spaces import Warn
from hardwon.entrypoints.workplace import name_of

GIT_SECONDS = 10.0
"""A retrospective is rare, and a large repository's diff worth waiting for."""
A_DAY = dt.timedelta(days=1)


def read_feature(project_root: str, warn: Warn) -> Feature:
    """Return what is known of the feature that is being worked on."""
    branch = checked_out_branch(project_root)
    active = FeatureFiles(project_root, warn).active_feature()
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    return Feature(
        name=active.slug if active else branch or "",
        project=name_of(project_root),
        files=GitChangeProbe(project_root, warn).feature_files(branch, deadline),
    )


class Work(NamedTuple):
    """
    What was done of late.

    Attributes:
        text: What to search by, None without any signal.
        began: When it was begun; a day ago when git does not know.

    """

    text: str | None
    began: dt.datetime


def read_work(project_root: str, now: dt.datetime, warn: Warn) -> Work:
    """Return what the feature and its branch say of the work."""
    branch = checked_out_branch(project_root)
    probe, deadline = GitChangeProbe(project_root, warn), Deadline.after(GIT_SECONDS, time.monotonic)
    signals = ContextQuery(FeatureFiles(project_root, warn).active_feature(), probe.feature_files(branch, deadline))
    began = probe.branch_started(branch, deadline) or now - A_DAY
    return Work(signals.compose(), began)
