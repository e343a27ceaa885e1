"""Render projects and the origin of entries as text and JSON."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from hardwon.domain.model.own_files import MEMORY
from hardwon.domain.model.project import KeepingReason, Project, Registry, TrustReason
from hardwon.domain.model.vocabulary import Door, Reach

if TYPE_CHECKING:
    from hardwon.domain.use_cases.know_projects import KnowProjects

SHOWN_DIGITS = 8
"""Digits of a commit hash that are shown."""

STATES: Mapping[TrustReason, str] = {
    "own": "own",
    "trusted": "trusted",
    "below": "trusted",
    "foreign": "foreign",
    "unknown": "unknown",
    "unnamed": "not trusted",
    "revoked": "revoked",
    "waiting": "waiting",
}
"""One-word state of a project, by the reason for it."""

WHY: Mapping[TrustReason, str] = {
    "own": "own: you committed to it, or it is no repository of others",
    "trusted": "trusted: you said so",
    "below": "trusted: below {folder}",
    "foreign": "foreign: you never committed to it",
    "unknown": "unknown: git was not asked yet, or did not answer",
    "unnamed": "not trusted: HARDWON_TRUST=ask, and you did not name it",
    "revoked": "revoked: you said so",
    "waiting": "waiting: its folder is not known; hardwon project merge says which project it is",
}

AT_HOME = "what is learned here is shown here only; hardwon trust changes that."
HOME_NOTICES: Mapping[TrustReason, str] = {
    "foreign": f"This repository is not yours yet: {AT_HOME}",
    "unnamed": f"This project is not trusted yet: {AT_HOME}",
    "revoked": f"Trust in this project was revoked: {AT_HOME}",
    "unknown": f"It is not known yet whether this repository is yours: {AT_HOME}",
}
"""Line for agent and user in an untrusted project, by the reason for that."""

SHARED = "its lessons may be shown in all your projects"
KEPT = "its lessons are shown there only"
REACHES: Mapping[Reach, str] = {
    "everywhere": "everywhere",
    "shared": "everywhere while its project is trusted",
    "home": "in its project only",
}


class HasOrigin(Protocol):
    """An entry, as far as its origin goes."""

    @property
    def project(self) -> str | None:
        """Project id, None for no project."""
        ...

    @property
    def source_project(self) -> str | None:
        """Project label."""
        ...

    @property
    def door(self) -> Door | None:
        """How it came into the store, None if unknown."""
        ...

    @property
    def reach(self) -> Reach:
        """Where it may be shown without a query."""
        ...


def origin_document(entry: HasOrigin, labels: Mapping[str, str]) -> dict[str, object]:
    """
    Return the origin of *entry* for JSON.

    *labels* maps project ids to labels.
    """
    return {"project": origin_label(entry, labels), "door": entry.door, "reach": entry.reach}


def origin_line(entry: HasOrigin, labels: Mapping[str, str]) -> str:
    """Return the project, door and reach of *entry*."""
    door = f", by {entry.door}" if entry.door else ""
    return f"{origin_label(entry, labels) or 'no project'}{door}, shown {REACHES[entry.reach]}"


def origin_label(entry: HasOrigin, labels: Mapping[str, str]) -> str | None:
    """Return the label of the project of *entry*, None without a project."""
    return labels.get(entry.project or "") or entry.source_project


def why(project: Project, registry: Registry) -> str:
    """Return why *project* is trusted, or why not."""
    return WHY[registry.reason(project)].format(folder=registry.trusted_folder_of(project))


def home_notice(project: Project, registry: Registry) -> str:
    """Return the notice for an untrusted project, empty for a trusted one."""
    return HOME_NOTICES.get(registry.reason(project), "")


KEPT_BY: Mapping[KeepingReason, str] = {
    "everywhere": (
        ", as those of every project: hardwon init --no-conversations-everywhere changes that"
    ),
    "earlier": (
        ", as those of every project, as before: hardwon init --no-conversations-everywhere changes"
        " that"
    ),
}


def kept_line(reason: KeepingReason, folder: str, *, is_repository: bool) -> str:
    """
    Return where conversations are kept, and how to end that.

    *reason* says why they are kept.
    """
    place = os.path.join(folder, MEMORY)
    unseen = " (private: git does not see them)" if is_repository else ""
    return (
        f"Conversations here are kept as markdown in {place}{unseen}{KEPT_BY.get(reason, '')};"
        " hardwon init --conversations off ends it"
    )


def trust_line(project: Project, registry: Registry) -> str:
    """Return what of *project* is shown elsewhere, and how to change that."""
    label = registry.label_of(project.id)
    if registry.is_shared(project):
        return f"Trusted: {label}: {SHARED}; hardwon trust --revoke takes that back"
    return f"Not trusted: {label}: {KEPT}; hardwon trust changes that"


def project_document(
    project: Project, know: "KnowProjects", counts: Mapping[str, int]
) -> dict[str, object]:
    """
    Return *project* for JSON.

    *counts* are numbers of entries by project id.
    """
    registry = know.registry()
    reason = registry.reason(project)
    return {
        "id": project.id,
        "name": registry.label_of(project.id),
        "label": registry.label_of(project.id),
        "root": None if project.is_waiting else project.identity.root,
        "remote": project.remote or None,
        "first_commit": project.first_commit or None,
        "authorship": project.authorship,
        "state": STATES[reason],
        "reason": reason,
        "why": why(project, registry),
        "trust": project.trust,
        "conversations": project.conversations,
        "speaks_elsewhere": registry.is_shared(project),
        "entries": counts.get(project.id, 0),
        "joined": clones_of(project, registry),
        "gone": not project.is_waiting and know.is_gone(project),
    }


def clones_of(project: Project, registry: Registry) -> list[str]:
    """Return the folders of the other clones of *project*."""
    found = (registry.with_id(other) for other in registry.group_of(project)[1:])
    return [other.identity.root for other in found if other]


def place_of(project: Project) -> str:
    """Return the folder of *project*, with `~` for the home."""
    if project.is_waiting:
        return "no folder"
    home = os.path.join(os.path.expanduser("~"), "")
    root = project.identity.root
    return f"~/{root.removeprefix(home)}" if root.startswith(home) else root


def candidates(projects: Iterable[Project], registry: Registry) -> str:
    """Return *projects* in one line, each with its folder and id."""
    return ", ".join(
        f"{registry.label_of(item.id)} ({place_of(item)}, id {item.id})" for item in projects
    )
