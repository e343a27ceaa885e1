"""Earlier sessions of a project, as the agents' own transcripts keep them."""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.entrypoints.bootstrap_agents import past_transcripts
from hardwon.entrypoints.bootstrap_capture import open_journal, open_transcripts
from hardwon.entrypoints.bootstrap_files import identify
from hardwon.ports.entries import EntryRepository
from hardwon.ports.transcripts import PastTranscript

LAST_AND_NEXT = 2
"""Exchanges from the last captured one on that show that there are more."""


def sessions_to_capture(settings: Settings, repository: EntryRepository, project_root: str) -> Sequence[PastTranscript]:
    """
    Return the transcripts of the project's sessions that were not captured while they went on, the earliest first.

    Raises:
        StorageError: the store or the journal can't be read.
    """
    return [past for past in _of_project(project_root) if not _was_captured(settings, repository, project_root, past)]


def _of_project(project_root: str) -> Iterator[PastTranscript]:
    key = identify(project_root).key
    key_of = cache(lambda folder: identify(folder).key)
    for past in past_transcripts(os.environ).all():
        if key_of(past.folder) == key:
            yield past


def _was_captured(settings: Settings, repository: EntryRepository, project_root: str, past: PastTranscript) -> bool:
    """Return whether the session was captured from another source than this transcript, from all of it, or long ago."""
    path = os.path.realpath(past.path)
    buffer = open_journal(settings.global_store).buffer(past.session_id)
    if buffer is not None:
        is_own = buffer.source == "transcript" and os.path.realpath(buffer.transcript_path) == path
        following = open_transcripts(settings, project_root).read(path, buffer.position or 0) if is_own else ()
        return len([*islice(following, LAST_AND_NEXT)]) < LAST_AND_NEXT
    return repository.count(EntryFilter(kinds=CONVERSATION_KINDS, session=past.session_id)) > 0
