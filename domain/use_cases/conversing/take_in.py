"""What waits of a session goes into files and into the store."""

from collections.abc import Callable

import attrs

from hardwon.domain.model.conversation.cleaning import Cleaning
from hardwon.domain.use_cases.conversing.capture import Capture
from hardwon.domain.use_cases.conversing.hear import hear
from hardwon.domain.use_cases.conversing.learn import Learn
from hardwon.domain.use_cases.conversing.recapture import capture_session
from hardwon.ports.clock import Clock
from hardwon.ports.transcripts import Transcripts


@attrs.frozen(kw_only=True)
class TakeIn:
    """
    Take in what the hooks were told of a session of one project; only one process at a time may.

    Attributes:
        capture: Keeps it in the project's files.
        transcripts: What hosts write down.
        learn: Brings the files into the store.
        clean: What the events tell goes through it, as the transcript does.
        clock: The time.
        warn: Told of trouble in one line.

    """

    capture: Capture
    transcripts: Transcripts
    learn: Learn
    clean: Cleaning
    clock: Clock
    warn: Callable[[str], None]

    def __call__(self, session_id: str) -> None:
        """
        Take in what waits of that session.

        Its events wait until the store knows of it, so that whoever is interrupted does all of it again.

        Raises:
            UnreadableFileError: a file of the project can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now; nothing is lost.
        """
        journal = self.capture.journal
        if not (events := journal.events(session_id)):
            return
        heard = hear(self.transcripts, journal.buffer(session_id), events, self.clock.now(), self.clean)
        if heard.trouble:
            self.warn(f"session {session_id}: {heard.trouble}; keeping what the hooks were told instead")
        captured = capture_session(self.capture, heard.buffer, heard.exchanges)
        learned = self.learn(captured.files)
        for trouble in learned.troubles:
            self.warn(trouble)
        if learned.is_known:
            self.capture.learned(captured.buffer, heard.handled)
