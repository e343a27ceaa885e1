"""The feature that a retrospective looks back on."""

import datetime as dt
import time
from typing import NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.retro.lesson import Feature
from hardwon.entrypoints.bootstrap_retro import WorkSources
from hardwon.entrypoints.context import name_of

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
