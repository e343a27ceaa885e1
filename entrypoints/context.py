"""
What texts of a project go through before any of them is kept. Standard library only: the capture hooks need it.

Which of the host's sessions a program was started in.

The feature that a retrospective looks back on.

What the user is working on, from git and the project's feature files.

Where the user is working, for questions that nearness answers better.
"""

import datetime as dt
import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git.probe import GitChangeProbe, checked_out_branch
from hardwon.domain.model.context import ContextQuery, Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import CollectionName
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.retro.lesson import Feature
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import WorkSources
from hardwon.entrypoints.bootstrap_models import Warn


def cleaning_for(project_root: str) -> Cleaning:
    """Return what takes out secrets, and the paths of the project and of the user's folder by whatever links they go."""
    root, *other_roots = _names(project_root) or [""]
    home, *other_homes = _names(os.path.expanduser("~"))
    return Cleaning(root, home, tuple(other_roots), tuple(other_homes))


def _names(folder: str) -> list[str]:
    """Return what *folder* is called: its real path first, then as it was named, and as the shell reached it."""
    if not folder:
        return []
    real = os.path.realpath(folder)
    reached = os.environ.get("PWD", "")
    is_reached = os.path.isabs(reached) and os.path.realpath(reached) == real
    return list(dict.fromkeys((real, os.path.abspath(folder), *([os.path.normpath(reached)] if is_reached else []))))


VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""In which Claude Code tells a program the session it runs in."""


def host_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return the session as Claude Code names it to hooks and servers; empty where nobody does."""
    return environ.get(VARIABLE, "").encode("utf-8", "replace").decode()


GIT_SECONDS = 0.5
"""What git may take (rule U-16)."""


def read_signals(project_root: str, deadline: Deadline, warn: Warn) -> ContextQuery:
    """Return the signals of the project; those not there before *deadline* are left out."""
    return ContextQuery(
        feature=FeatureFiles(project_root, warn).active_feature(),
        files=GitChangeProbe(project_root, warn).changed_files(deadline),
    )


def name_of(folder: str) -> str:
    """Return the name a project or workspace goes by: its folder's, as text that can be stored; `/` for the root."""
    return os.fsencode(os.path.basename(os.path.realpath(folder))).decode("utf-8", "replace") or os.sep


def workspace_of(project_root: str, settings: Settings) -> str | None:
    """Return the name of the workspace: the one that is set, else that of the folder that holds the project."""
    return settings.workspace or name_of(os.path.dirname(os.path.realpath(project_root)))


def read_workplace(project_root: str, settings: Settings) -> Workplace:
    """Return where *project_root* stands; free of processes."""
    return Workplace(
        project=name_of(project_root),
        workspace=workspace_of(project_root, settings),
        branch=checked_out_branch(project_root),
    )


def workplace_for(collection: CollectionName, project_root: str, settings: Settings, warn: Warn) -> Workplace:
    """Return where a question to *collection* is asked; what was touched of late matters to conversations only."""
    workplace = read_workplace(project_root, settings)
    return with_touched_files(workplace, project_root, warn) if collection == "conversations" else workplace


def with_touched_files(workplace: Workplace, project_root: str, warn: Warn) -> Workplace:
    """Return *workplace* with what git says changed of late, committed or not."""
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    committed = GitChangeProbe(project_root, warn).changed_files(deadline)
    return with_uncommitted_files(workplace._replace(touched_files=committed), project_root, deadline, warn)


def with_uncommitted_files(workplace: Workplace, project_root: str, deadline: Deadline, warn: Warn) -> Workplace:
    """Return *workplace* with what is being changed, before what was touched already."""
    changing = GitChangeProbe(project_root, warn).uncommitted_files(deadline)
    return workplace._replace(touched_files=tuple(dict.fromkeys(changing + workplace.touched_files)))


RETRO_GIT_SECONDS = 10.0
"""A retrospective is rare, and a large repository's diff worth waiting for."""
A_DAY = dt.timedelta(days=1)


class Work(NamedTuple):
    """
    What was done of late.

    Attributes:
        signals: What to search by.
        began: When it was begun; a day ago when git does not know.

    """

    signals: ContextQuery
    began: dt.datetime


def read_feature(sources: WorkSources, project_root: str) -> Feature:
    """Return what is known of the feature that is being worked on."""
    signals = _signals(sources, _deadline())
    name = signals.feature.slug if signals.feature else sources.branch or ""
    return Feature(name=name, project=name_of(project_root), files=tuple(signals.files))


def read_work(sources: WorkSources) -> Work:
    """Return what the feature and its branch say of the work."""
    deadline = _deadline()
    signals = _signals(sources, deadline)
    began = sources.changes.branch_started(sources.branch, deadline)
    return Work(signals, began or sources.clock.now() - A_DAY)


def _signals(sources: WorkSources, deadline: Deadline) -> ContextQuery:
    return ContextQuery(sources.features.active_feature(), sources.changes.feature_files(sources.branch, deadline))


def _deadline() -> Deadline:
    return Deadline.after(RETRO_GIT_SECONDS, time.monotonic)
