"""What keeps conversations beside an open store. What is slow is imported when it is chosen."""

import time
from typing import TYPE_CHECKING

from hardwon.domain.model.recall.workplace import Workplace
from hardwon.entrypoints.composition.filing import Filing

if TYPE_CHECKING:  # these bring attrs: three times Python's own start, which a session start can't spare
    from hardwon.adapters.transcripts.transcripts import JsonlTranscripts
    from hardwon.domain.use_cases.conversing.capture import Capture
    from hardwon.domain.use_cases.conversing.likeness import Likeness


class Conversing(Filing):
    """Keeps what is said too."""

    def capture(self, project_root: str, workplace: Workplace) -> "Capture":
        """Return the keeping of the project's conversations."""
        from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
        from hardwon.adapters.plan_files import ProjectPlanFiles
        from hardwon.adapters.sqlite.journal.journal import SqliteCaptureJournal
        from hardwon.domain.model.chunking.chunker import Chunker
        from hardwon.domain.use_cases.conversing.capture import Capture

        return Capture(
            chunker=Chunker(self.settings.capture_boundaries, self._likeness),
            files=MarkdownConversationFiles(project_root),
            plans=ProjectPlanFiles(project_root),
            journal=SqliteCaptureJournal(self.settings.global_store),
            workplace=workplace,
        )

    def transcripts(self, project_root: str) -> "JsonlTranscripts":
        """Return what hosts write down of sessions in the project."""
        from hardwon.adapters.transcripts.transcripts import JsonlTranscripts
        from hardwon.entrypoints.cleaning import cleaning_for

        return JsonlTranscripts(cleaning_for(project_root), self.settings.capture_boundaries)

    @property
    def _likeness(self) -> "Likeness | None":
        """What compares conversations by meaning, in the first space that is for them."""
        from hardwon.domain.use_cases.conversing.likeness import Likeness

        embedders = (space.embedder for space in self.spaces if "conversation" in space.vectors.kinds)
        embedder = next(embedders, None)
        return Likeness(embedder, time.monotonic) if embedder else None
