"""The entries that wait for a server, and their sending by the worker."""

import os
from collections.abc import Callable
from contextlib import closing
from functools import cache

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING, NOWHERE, Workplace
from hardwon.domain.use_cases.send_outbox import SendOutbox
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry
from hardwon.entrypoints.bootstrap import open_outbox
from hardwon.entrypoints.bootstrap_capture import wait_in_outboxes
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.capture import build_learn
from hardwon.entrypoints.context import NOT_KNOWN, read_place
from hardwon.entrypoints.presenters.text import counted

OF_ANOTHER_MEMBER = (
    "{} of {} was stored as another member, so nothing is sent: to send it as this one, run"
    " hardwon store copy {} ADDRESS, then remove that folder"
)


def lines_of_waiting(store: str) -> list[str]:
    """Return a line for each server for which entries wait on this machine."""
    return [
        f"{counted(waiting.entries, 'entry waits', 'entries wait')} here for"
        f" {waiting.destination}: sent when the server is back, and is the store ({waiting.folder})"
        for waiting in wait_in_outboxes(store)
    ]


def send_waiting(server: Memory, give_way: Callable[[], None]) -> None:
    """
    Send what waits for the server that is open.

    Raises:
        StorageError: a store can't be used now, or another member stored what waits.
    """
    member = server.store.member
    with closing(open_outbox(server.settings, server.warn, member=member)) as outbox:
        if outbox.store.member != member:
            entries = counted(outbox.repository.count(EVERYTHING), "entry", "entries")
            folder = os.path.dirname(outbox.store.path)
            raise StorageError(OF_ANOTHER_MEMBER.format(entries, server.store.path, folder))
        outcome = _sending(outbox, server, give_way).send()
    if outcome.forgotten:
        texts = counted(outcome.forgotten, "text that waited was", "texts that waited were")
        server.warn(f"outbox: {texts} forgotten meanwhile, and not sent")
    for problem in outcome.problems:
        server.warn(f"outbox: {problem}")


def _sending(outbox: Memory, server: Memory, give_way: Callable[[], None]) -> SendOutbox:
    registry = outbox.registry()

    @cache
    def workplace_in(project_id: str | None) -> Workplace:
        project = registry.with_id(project_id or "")
        if project is None:
            return NOWHERE
        identity = project.identity
        workplace = read_place(server, identity.root, identity).workplace
        if not workplace.project:
            raise StorageError(NOT_KNOWN)
        return workplace

    def place_for(entry: Entry) -> PlaceEntry:
        origin = Origin(workplace_in(entry.project), entry.door or "add", entry.reach)
        return PlaceEntry(server.repository, server.store.projects, origin)

    def index_file(entry: Entry) -> None:
        project, path = registry.with_id(entry.project or ""), entry.file_path or ""
        if project is None or not os.path.isfile(path):
            return  # it was removed meanwhile
        learned = build_learn(server, project.identity.root, embed=False)((path,))
        if not learned.is_known:
            raise UnreadableFileError("; ".join(learned.problems))

    return SendOutbox(
        outbox=outbox.repository,
        server=server.repository,
        ledger=server.store.ledger,
        name=outbox.store.path,
        place_for=place_for,
        index_file=index_file,
        give_way=give_way,
    )
