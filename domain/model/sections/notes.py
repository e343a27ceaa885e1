"""What of a chunk goes into the project's files."""

from hardwon.domain.model.conversation.chunk import Chunk
from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.sections.details import Detail, detail_text, details_of
from hardwon.domain.model.sections.file_topic import telling_words
from hardwon.domain.model.sections.plan_links import PlanOf
from hardwon.domain.model.sections.section_text import section_text


def notes_of(chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> tuple[Note, ...]:
    """
    Return the note of *chunk* itself, then one of each decision, gotcha and preference in it, each once.

    Nothing in them is a secret or private, nor is what their files are named after.

    Args:
        chunk: Described.
        workplace: Where it was said.
        plan_of: Returns the plan of a phase, as a path from the project's folder; None when there is none.

    """
    details = (_detail_note(detail, chunk, workplace, plan_of) for detail in details_of(chunk))
    notes = map(_without_secrets, (_conversation_note(chunk, workplace, plan_of), *details))
    return tuple({note.note_id: note for note in notes}.values())


def _without_secrets(note: Note) -> Note:
    """Return *note* without what only became a secret when its parts were put together."""
    return note._replace(title=redact(note.title), topic=redact(note.topic))


def _conversation_note(chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> Note:
    return Note(
        note_id=chunk.chunk_id,
        kind="conversation",
        at=chunk.starts_at,
        topic=chunk.topic,
        title=chunk.title,
        text=redact(section_text(chunk, plan_of)),
        project=workplace.project,
        branch=workplace.branch,
        permanent=chunk.permanent,
    )


def _detail_note(detail: Detail, chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> Note:
    return Note(
        note_id=detail.identity(workplace.project),
        kind=detail.kind,
        at=detail.stands_in.at,
        topic=telling_words(detail.statement),
        title=detail.title,
        text=detail_text(detail, chunk, plan_of),
        project=workplace.project,
        branch=workplace.branch,
        permanent=chunk.permanent,
    )
