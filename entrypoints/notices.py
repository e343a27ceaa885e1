"""
One-line notices at a session start.

They are about kept conversations, a foreign project, waiting lessons and a full journal.
"""

from typing import TYPE_CHECKING

from hardwon.domain.model.conversation.hook_event import MAX_WAITING
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import CONVERSATIONS, scope_of
from hardwon.entrypoints.bootstrap_capture import count_events, keep_as_before, reason_to_keep
from hardwon.ports.entries import EntryRepository

if TYPE_CHECKING:
    from hardwon.domain.model.filters import Workplace
    from hardwon.domain.model.project import Registry
    from hardwon.domain.model.settings import Settings
    from hardwon.entrypoints.context import ProjectPlace
    from hardwon.ports.store import Store

FULL_JOURNAL = (
    f"{MAX_WAITING:,} events of conversations wait to be kept, and with more of them the oldest are"
    " lost: hardwon capture --status tells why, hardwon capture --discard SESSION lets go those"
    " of one"
)


def standing_notice(store: "Store", folder: str, registry: "Registry") -> str:
    """Return the notice repeated at session starts until settled, else empty."""
    lines = list[str]()
    if any(project.is_waiting for project in registry.projects):
        from hardwon.entrypoints.health_projects import waiting_lines  # rarely needed

        lines += waiting_lines(store, registry)
    if is_journal_full(folder):
        lines.append(FULL_JOURNAL)
    return ". ".join(lines)


def keeping_notice(
    store: "Store", settings: "Settings", place: "ProjectPlace", project_root: str
) -> str:
    """
    Return the first session's notice of a project kept without `init`.

    It is empty for others.
    """
    project = place.project
    if settings.capture_enabled is False or project.chosen:
        return ""
    reason = reason_to_keep(settings, project_root, project.chosen)
    if reason is None:
        return ""
    from hardwon.entrypoints.bootstrap_files import folder_of_files
    from hardwon.entrypoints.presenters.projects import kept_line

    if reason == "earlier":
        keep_as_before(settings.global_store)
    elif store.receipts.newest(project=project.id, limit=1) or _has_conversations(
        store.entries, place.workplace
    ):
        return ""
    return kept_line(
        reason, folder_of_files(project_root), is_repository=project.identity.is_repository
    )


def _has_conversations(repository: EntryRepository, workplace: "Workplace") -> bool:
    return bool(repository.count(CONVERSATIONS._replace(scope=scope_of("project", workplace))))


def notice_for_first_session(store: "Store", registry: "Registry", workplace: "Workplace") -> str:
    """
    Return the first notice of a project shown at home only.

    It is empty in later sessions and for other projects.
    """
    if not (workplace.visibility.is_foreign and workplace.project):
        return ""
    from hardwon.entrypoints.presenters.projects import home_notice

    project = registry.with_id(workplace.project)
    if project is None or registry.reason(project) not in {"foreign", "unnamed"}:
        return ""
    return (
        "" if store.receipts.newest(project=project.id, limit=1) else home_notice(project, registry)
    )


def is_journal_full(store: str) -> bool:
    """Return whether the journal is full, false if unreadable."""
    try:
        return count_events(store) >= MAX_WAITING
    except StorageError:
        return False
