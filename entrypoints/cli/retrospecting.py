"""Keep what a retrospective taught."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.retro.banks import BankPlace
from hardwon.domain.model.retro.lesson import Lesson, read_lessons
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.retro.keep_retro import KeepRetro, Kept
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.screen import print_json, say, warn
from hardwon.entrypoints.composition import Memory, open_memory
from hardwon.entrypoints.composition.filing import bank_files
from hardwon.entrypoints.piping import read_text
from hardwon.entrypoints.retro_json import answer_from_text
from hardwon.entrypoints.retrospective import read_feature
from hardwon.entrypoints.storing import complaints_of_gaps, complaints_of_length, confirmation, embed_now
from hardwon.entrypoints.streams import visible
from hardwon.ports.bank_files import BankFiles

NOTHING = "Nothing to keep: the answer has no entries"
SKIPPED = "Skipped the store: memory_semantic_enabled is not true, the knowledge bank alone was written"
EXAMPLES = """\b
The answer: {"act": {"patterns": [...], "anti_patterns": [...], "heuristics": [...]}}
Each item:  {"text", "provenance", "confidence", "keywords": [...], "reasoning"}
            and, if you like, "name" and "universal": true for a lesson of all projects
The same answer again counts its lessons once more."""


def write(
    answer: Annotated[str, typer.Argument(metavar="ANSWER.json|-", help="The answer; - for standard input.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be written, and write nothing.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep the lessons of a retrospective, in the knowledge bank and in the store.

    Every lesson goes to docs/knowledge-bank/ (a universal one to the store's folder) and to the store, or none does.
    What is known is counted once more.
    """
    settings = resolve(project_root, global_store).settings
    lessons = read_lessons(
        answer_from_text(read_text(answer, "ANSWER.json")), read_feature(project_root, warn), SystemClock().now()
    )
    bank = bank_files(project_root, settings)
    try:
        kept = _kept(lessons, bank, settings, project_root, dry_run=dry_run)
    except UnreadableFileError as error:
        raise typer.BadParameter(str(error), param_hint="knowledge bank") from error
    stored = settings.semantic_enabled and not dry_run
    for line in _complaints(lessons, in_store=settings.semantic_enabled):
        warn(line)
    if as_json:
        print_json({"dry_run": dry_run, "store_written": stored, "entries": [_document(each, bank) for each in kept]})
        return
    if not kept:
        say(NOTHING)
    for line in _told(kept, bank, dry_run=dry_run):
        say(line)
    if not (settings.semantic_enabled or dry_run):
        say(SKIPPED)


def _kept(
    lessons: Sequence[Lesson], bank: BankFiles, settings: Settings, project_root: str, *, dry_run: bool
) -> list[Kept]:
    foreseen = KeepRetro(bank, None).foreseen(lessons)  # before a store is made: nothing may be left of a refusal
    if dry_run:
        return foreseen
    if not settings.semantic_enabled:
        return KeepRetro(bank, None)(lessons)
    memory = open_memory(settings, warn)
    take_in_bank(memory, project_root)
    kept = memory.keep_retro(project_root)(lessons)
    take_in_bank(memory, project_root)
    for line in embed_now(memory):
        warn(line)
    return kept


def take_in_bank(memory: Memory, project_root: str) -> None:
    """Bring in what the banks say and the store has not seen, so that both count alike, and nothing is counted twice."""
    for line in memory.import_knowledge(project_root).everything().skipped:
        warn(line)


def _complaints(lessons: Iterable[Lesson], *, in_store: bool) -> Iterable[str]:
    for lesson in lessons:
        if lesson.dropped:
            yield f"{lesson.place}: these keywords are too general or not 1-3 hyphenated words: {', '.join(lesson.dropped)}"
        entry = lesson.entry
        gaps = (*complaints_of_length(entry), *complaints_of_gaps(entry)) if in_store else ()
        yield from (f"{lesson.place}: {line}" for line in gaps)


def _told(kept: Iterable[Kept], bank: BankFiles, *, dry_run: bool) -> Iterable[str]:
    for each in kept:
        entry = each.lesson.entry
        yield from confirmation(each.stored) if each.stored else [f"{visible(entry.name)} (id: {entry.entry_id})"]
        would = "would be " if dry_run else ""
        yield from (f"  {would}{did} {bank.path(place)}" for place, did in _places(each))


def _places(kept: Kept) -> Iterable[tuple[BankPlace, str]]:
    yield from ((place, "counted in") for place in kept.noted.counted)
    if kept.noted.appended:
        yield kept.noted.appended, "added to"


def _document(kept: Kept, bank: BankFiles) -> dict[str, object]:
    entry = kept.stored.entry if kept.stored else kept.lesson.entry
    return {
        "id": entry.entry_id,
        "name": entry.name,
        "category": entry.category,
        "source_project": entry.source_project,
        "observation_count": entry.observation_count if kept.stored else None,
        "merged": kept.stored.merged if kept.stored else None,
        "keywords": entry.keywords,
        "references": entry.references,
        "counted_in": [bank.path(place) for place in kept.noted.counted],
        "added_to": bank.path(kept.noted.appended) if kept.noted.appended else None,
    }
