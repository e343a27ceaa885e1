"""Capture a session from its beginning, whatever the project's files hold of it already."""

from bisect import bisect_right
from collections.abc import Iterable

import attrs

from hardwon.domain.model.conversation.drafts import SessionBuffer
from hardwon.domain.model.sections.session_sections import SectionOfSession
from hardwon.domain.use_cases.conversing.capture import Capture, Captured, Progress
from hardwon.ports.transcripts import Transcribed


def capture_session(
    capture: Capture,
    buffer: SessionBuffer,
    heard: Iterable[Transcribed],
    *,
    progress: Progress = lambda _: None,
) -> Captured:
    """
    Take in what was *heard* of a session; of one of which nothing is at hand, it takes the place of what files hold.

    It may be cut otherwise than before: by other settings, or with an embedder.
    What was kept for good stays so. Sections of other times stay as they are.

    Args:
        capture: Keeps it.
        buffer: The session as it was; empty to begin anew.
        heard: More of it, or all, in order.
        progress: Hears of it as it goes on.

    Raises:
        UnreadableFileError: a file can't be written; doing it again makes up for it.
        StorageError: the journal can't be written now.

    """
    begins = bool(buffer.session_id) and not buffer.exchanges
    replaced = tuple(capture.files.of_session(buffer.session_id)) if begins else ()
    captured = attrs.evolve(capture, replaced=replaced)(buffer, heard, progress=progress)
    if not (replaced and captured.chunks):
        return captured
    files = capture.files.remove([each.note_id for each in _outdated(replaced, captured)])
    known = attrs.evolve(captured.buffer, unlearned=tuple(sorted({*captured.buffer.unlearned, *files})))
    capture.journal.keep(known)
    return attrs.evolve(captured, buffer=known, files=known.unlearned)


def _outdated(sections: Iterable[SectionOfSession], captured: Captured) -> list[SectionOfSession]:
    """Return those of *sections* that all was written anew of, under other names."""
    chunks = sorted(captured.chunks, key=lambda chunk: chunk.starts_at)
    begins = [chunk.starts_at for chunk in chunks]
    last = max(chunk.ends_at for chunk in chunks)

    def is_covered(section: SectionOfSession) -> bool:
        """Tell whether a chunk goes on where *section* begins, and all were said before the last ended."""
        place = bisect_right(begins, section.starts_at)
        return place > 0 and section.starts_at <= chunks[place - 1].ends_at and section.ends_at <= last

    return [each for each in sections if each.note_id not in captured.note_ids and is_covered(each)]
