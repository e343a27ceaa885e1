"""Render a repair as the section of a gotcha, with quotations."""

from collections.abc import Iterator

from hardwon.adapters.markdown.section_text import (
    FILES,
    SESSION,
    TIME,
    code_enumeration,
    escaped,
    fact,
    file_list,
    heading,
    paragraph,
)
from hardwon.domain.model.conversation.repair import Repair, RepairNote
from hardwon.domain.model.conversation.session import timestamp
from hardwon.domain.model.redaction import redact

REPAIR = "Repair"
"""Names the signature of the error, in repairs only."""

SYMPTOM, CAUSE, CHANGE = "Symptom", "Cause", "Change"


def repair_text(note: RepairNote) -> str:
    """Render *note* as a section, without secrets."""
    return redact("\n\n".join(_blocks(note)))


def _blocks(note: RepairNote) -> Iterator[str]:
    repair = note.repair
    yield f"## {heading(note.title)}"
    yield "\n".join(_facts(note))
    yield from (
        f"### {SYMPTOM}",
        f"{_command(repair.command)} failed{_often(repair)}. Its output said:",
    )
    yield f'> "{escaped(repair.error.text)}"'
    if repair.cause:
        yield from (f"### {CAUSE}", paragraph(f'The agent said: "{repair.cause}"'))
    yield from (f"### {CHANGE}", "\n".join(_changes(note)))
    if repair.fix.files:
        yield from (f"### {FILES}", file_list(repair.fix.files))


def _command(command: str) -> str:
    return f"`{escaped(command, '`')}`"


def _often(repair: Repair) -> str:
    return f" {repair.times} times" if repair.times > 1 else ""


def _facts(note: RepairNote) -> Iterator[str]:
    yield fact(TIME, timestamp(note.repair.at))
    if note.session_id is not None:
        yield fact(SESSION, escaped(note.session_id))
    yield fact(REPAIR, escaped(note.repair.signature))


def _changes(note: RepairNote) -> Iterator[str]:
    files, commands, passed_as = note.repair.fix
    if passed_as:
        yield f"- It passed as {_command(passed_as)}."
    if commands:
        yield f"- Before it passed, the agent ran {code_enumeration(commands)}."
    if files:
        yield "- Before it passed, the agent changed these files:"
