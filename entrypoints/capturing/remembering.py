"""Keeping for good: a text, or what was said in the session that goes on."""

import os
from collections.abc import Mapping

import attrs

from hardwon.adapters.sqlite.journal.journal import SqliteCaptureJournal
from hardwon.domain.model.conversation.exchange import Exchange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.conversing.remember import Remember, Remembered, known_sessions, session_meant
from hardwon.entrypoints.capturing.alone import alone
from hardwon.entrypoints.capturing.keeping import build_capture, build_learn, build_take_in, ensure_there
from hardwon.entrypoints.cleaning import cleaning_for
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.host_session import host_session


@attrs.frozen(kw_only=True)
class Remembering:
    """
    Keep for good, in a project's files and in the store.

    Attributes:
        memory: The open store.
        project_root: The user's project.
        embed: Whether vectors are made at once.

    """

    memory: Memory
    project_root: str
    embed: bool = True

    def text(self, text: str) -> Remembered:
        """
        Keep *text*, without its secrets.

        Raises:
            InvalidEntryError: it says nothing.
            UnreadableFileError: a file can't be written.
        """
        clean = cleaning_for(self.project_root)(text)
        if not clean:
            raise InvalidEntryError("there is nothing to remember: the text is blank, or private as a whole")
        said = Exchange(clean, "", self.memory.clock.now())
        return self._remember(self.project_root).text(said, self.project_root)

    def session(self, environ: Mapping[str, str]) -> Remembered:
        """
        Keep the exchanges at hand of the session that goes on, or of the project's last one, where it began.

        Raises:
            InvalidEntryError: there is none, or nothing was said in it.
            UnreadableFileError: a file can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now.
        """
        with alone(self.memory, self.project_root):
            journal = SqliteCaptureJournal(self.memory.settings.global_store)
            sessions = known_sessions(journal.buffers(), journal.waiting())
            session_id, root = session_meant(sessions, host_session(environ), self._is_ours)[:2]
            ensure_there(session_id, root)
            take_in = build_take_in(self.memory, root, embed=self.embed)
            return self._remember(root).session(session_id, take_in)

    def _remember(self, root: str) -> Remember:
        learn = build_learn(self.memory, root, embed=self.embed)
        return Remember(capture=build_capture(self.memory, root), learn=learn)

    def _is_ours(self, project_root: str) -> bool:
        return bool(project_root) and os.path.realpath(project_root) == os.path.realpath(self.project_root)
