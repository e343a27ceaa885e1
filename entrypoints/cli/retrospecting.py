"""Keep what a retrospective taught."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from hardwon.domain.model.errors import InvalidAnswerError
from hardwon.domain.model.retro.answer import Answer
from hardwon.domain.model.retro.banks import BankPlace
from hardwon.domain.model.retro.lesson import Lesson, read_lessons
from hardwon.domain.use_cases.retro.keep_retro import KeepRetro, Kept
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.options import USERS_MISTAKE, AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.screen import complain, print_json, say, warn
from hardwon.entrypoints.composition import open_memory
from hardwon.entrypoints.composition.retrospecting import keep_retro, work_sources
from hardwon.entrypoints.piping import read_text
from hardwon.entrypoints.retro_json import answer_from_text
from hardwon.entrypoints.retrospective import read_feature
from hardwon.entrypoints.storing import complaints_of_gaps, complaints_of_length, confirmation, embed_now, no_room_for
from hardwon.entrypoints.streams import visible
from hardwon.ports.bank_files import BankFiles

NOTHING = "Nothing to keep: the answer has no entries"
SKIPPED = "Skipped the store: memory_semantic_enabled is not true, the knowledge bank alone was written"
EXAMPLES = """\b
The answer: {"act": {"patterns": [...], "anti_patterns": [...], "heuristics": [...]}}
Each item:  {"text", "provenance", "confidence", "keywords": [...], "reasoning"}
            and, if you like, "name" and "universal": true for a lesson of all projects
Other fields are left out with a warning. What is wrong is told at once, and nothing is written then.
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

    Every lesson goes to docs/knowledge-bank/ (a universal one to the store's folder) and to the store; when one can't
    be written, none is. What is known is counted once more.
    """
    settings, warnings = resolve(project_root, global_store).settings, _Warnings()
    opened = functools.cache(lambda: open_memory(settings, warnings.tell))
    keep = keep_retro(project_root, settings, opened)
    with _each_trouble_told():
        lessons = _lessons(answer_from_text(read_text(answer, "ANSWER.json")), project_root, warnings)
        kept = keep.foreseen(lessons) if dry_run else keep(lessons)
    warnings.tell(*kept.skipped)
    stored = keep.open_store is not None and not dry_run
    if stored:
        warnings.tell(*embed_now(opened()))
    warnings.tell(*_complaints(lessons, in_store=settings.semantic_enabled))
    if as_json:
        entries = [_document(each, keep.bank) for each in kept.lessons]
        print_json({"dry_run": dry_run, "store_written": stored, "warnings": warnings.told, "entries": entries})
    else:
        _say(kept.lessons, keep, dry_run=dry_run)
    if stored:
        label_after_output(opened())


class _Warnings:
    """Tells of trouble that stops nothing, and remembers it."""

    def __init__(self) -> None:
        self.told = list[str]()

    def tell(self, *lines: str) -> None:
        for line in lines:
            warn(line)
            self.told.append(line)


@contextmanager
def _each_trouble_told() -> Iterator[None]:
    """Leave when the answer can't be kept, with a line for each thing that is wrong."""
    try:
        yield
    except InvalidAnswerError as error:
        for line in error.troubles:
            complain(f"hardwon: {line}")
        raise typer.Exit(USERS_MISTAKE) from error


def _lessons(answer: Answer, project_root: str, warnings: _Warnings) -> Sequence[Lesson]:
    if answer.unknown:
        names = ", ".join(sorted(answer.unknown))
        warnings.tell(f"these fields are none of an entry's and were left out: {names}")
    sources = work_sources(project_root, warnings.tell)
    return read_lessons(answer, read_feature(sources, project_root), sources.clock.now())


def _say(kept: Sequence[Kept], keep: KeepRetro, *, dry_run: bool) -> None:
    if not kept:
        say(NOTHING)
    for line in _told(kept, keep.bank, dry_run=dry_run):
        say(line)
    if kept and not (keep.open_store or dry_run):
        say(SKIPPED)


def _complaints(lessons: Iterable[Lesson], *, in_store: bool) -> Iterable[str]:
    for lesson in lessons:
        if lesson.dropped:
            yield f"{lesson.place}: these keywords are too general or not 1-3 hyphenated words: {', '.join(lesson.dropped)}"
        if lesson.surplus:
            yield f"{lesson.place}: {no_room_for(lesson.surplus)}"
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
