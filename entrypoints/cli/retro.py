"""`hardwon retro`: store the lessons of a retrospective, and review earlier ones."""

import datetime as dt
import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import typer

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidAnswerError
from hardwon.domain.model.retro.bank_edit import BankPlace
from hardwon.domain.model.retro.lesson import RetroAnswer, RetroFeature, RetroLesson, read_lessons
from hardwon.domain.use_cases.retro import KeptLesson, ReviewLearnings, RevisionOutcome, SaveRetro
from hardwon.entrypoints.bootstrap import name_of, open_memory, system_clock
from hardwon.entrypoints.bootstrap_files import (
    build_find_drift,
    change_probe,
    checked_out_branch,
    feature_probe,
    read_text,
)
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_recall
from hardwon.entrypoints.bootstrap_upkeep import build_revise_learning, build_save_retro
from hardwon.entrypoints.cli.console import USERS_MISTAKE, complain, print_json, say, warn
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.cli.options import (
    REFERENCE_HELP,
    AsJson,
    GlobalStore,
    ProjectRoot,
    find_entry,
    resolve,
)
from hardwon.entrypoints.cli.retro_json import answer_from_text
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now
from hardwon.entrypoints.presenters.entries import (
    complaints_of_gaps,
    complaints_of_length,
    drift_document,
    drift_line,
    entry_document,
    named,
    no_room_for,
    storing_confirmation,
)
from hardwon.entrypoints.presenters.text import counted, stored_text, visible
from hardwon.entrypoints.streams import standard_input
from hardwon.ports.knowledge_bank import BankFiles

NOTHING = "Nothing to keep: the answer has no entries"
STORE_SKIPPED = (
    "Skipped the store: memory_semantic_enabled is not true, the knowledge bank alone was written"
)
WRITE_EXAMPLES = """\b
The answer: {"act": {"patterns": [...], "anti_patterns": [...], "heuristics": [...]}}
Each item:  {"text", "provenance", "confidence", "keywords": [...], "reasoning"}
            and, if you like, "name" and "universal": true for a lesson of all projects
Other fields are left out with a warning. What is wrong is told at once, and nothing is written then.
The same answer again counts its lessons once more."""


def write(
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER.json|-", help="The answer (- for standard input).")
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be written.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep the lessons of a retrospective in the knowledge bank and the store.

    Every lesson goes to docs/knowledge-bank/ (a universal one to the store's folder) and to the
    store. If one can't be written, none is. A known lesson is counted again.
    """
    settings, warnings = resolve(project_root, global_store).settings, _Warnings()
    opened = functools.cache(lambda: open_memory(settings, warnings.add))
    keep = build_save_retro(project_root, settings, opened)
    with _each_problem_printed():
        lessons = _lessons(answer_from_text(_text(answer)), project_root, warnings)
        kept = keep.foreseen(lessons) if dry_run else keep.save(lessons)
    warnings.add(*kept.skipped)
    stored = keep.open_store is not None and not dry_run
    if stored:
        warnings.add(*embed_now(opened().spaces))
    warnings.add(*_complaints(lessons, in_store=settings.semantic_enabled))
    if as_json:
        entries = [_written_document(each, keep.bank) for each in kept.lessons]
        print_json(
            {
                "dry_run": dry_run,
                "store_written": stored,
                "warnings": warnings.lines,
                "entries": entries,
            }
        )
    else:
        _say(kept.lessons, keep, dry_run=dry_run)
    if stored:
        label_after_output(opened().store, settings)


def _text(path: str) -> str:
    return standard_input() if path == "-" else read_text(path, "ANSWER.json")


class _Warnings:
    """Prints non-fatal problems, and remembers them."""

    def __init__(self) -> None:
        self.lines = list[str]()

    def add(self, *lines: str) -> None:
        for line in lines:
            warn(line)
            self.lines.append(line)


@contextmanager
def _each_problem_printed() -> Iterator[None]:
    try:
        yield
    except InvalidAnswerError as error:
        for line in error.problems:
            complain(f"hardwon: {line}")
        raise typer.Exit(USERS_MISTAKE) from error


def _lessons(answer: RetroAnswer, project_root: str, warnings: _Warnings) -> Sequence[RetroLesson]:
    if answer.unknown:
        names = ", ".join(sorted(answer.unknown))
        warnings.add(f"these fields are none of an entry's and were left out: {names}")
    return read_lessons(answer, read_feature(project_root, warnings.add), system_clock().now())


def _say(kept: Sequence[KeptLesson], keep: SaveRetro, *, dry_run: bool) -> None:
    if not kept:
        say(NOTHING)
    for line in _lines_of(kept, keep.bank, dry_run=dry_run):
        say(line)
    if kept and not (keep.open_store or dry_run):
        say(STORE_SKIPPED)


def _complaints(lessons: Iterable[RetroLesson], *, in_store: bool) -> Iterable[str]:
    for lesson in lessons:
        if lesson.dropped:
            yield (
                f"{lesson.place}: these keywords are too general or not 1-3 hyphenated words:"
                f" {', '.join(lesson.dropped)}"
            )
        if lesson.surplus:
            yield f"{lesson.place}: {no_room_for(lesson.surplus)}"
        entry = lesson.entry
        gaps = (*complaints_of_length(entry), *complaints_of_gaps(entry)) if in_store else ()
        yield from (f"{lesson.place}: {line}" for line in gaps)


def _lines_of(kept: Iterable[KeptLesson], bank: BankFiles, *, dry_run: bool) -> Iterable[str]:
    for each in kept:
        entry = each.lesson.entry
        yield from (
            storing_confirmation(each.stored)
            if each.stored
            else [f"{visible(entry.name)} (id: {entry.entry_id})"]
        )
        would = "would be " if dry_run else ""
        yield from (f"  {would}{did} {bank.path(place)}" for place, did in _places(each))


def _places(kept: KeptLesson) -> Iterable[tuple[BankPlace, str]]:
    yield from ((place, "counted in") for place in kept.noted.counted)
    if kept.noted.appended:
        yield kept.noted.appended, "added to"


def _written_document(kept: KeptLesson, bank: BankFiles) -> dict[str, object]:
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


MOST = 100
SEARCH_SECONDS = 10.0
REVIEW_SKIPPED = "Skipped: memory_semantic_enabled is not true, the store is left alone"
NO_SIGNALS = "Nothing to compare with: there is no active feature, and git knows of no change"
IN_NO_BANK = (
    "  in no knowledge bank: no file of docs/knowledge-bank or of the store's folder has it, the"
    " store alone counted it"
)
NOTHING_OLDER = "No older lesson is about this work"

OUTCOMES = """\
Ask the user about each one that this work confirms, contradicts or has outlived:
  confirmed        hardwon retro confirm ID
  changed          hardwon edit ID --description TEXT --reasoning TEXT
  retired          hardwon update ID --tier deprecated
  of all projects  hardwon retro promote ID"""

NOT_LOOKED_AT: dict[str, object] = {
    "skipped": REVIEW_SKIPPED,
    "entry": None,
    "stands_in": [],
    "added_to": None,
}

EntryId = Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)]


def review(
    *,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST, metavar="N", help="The maximum number of lessons.")
    ] = 10,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show older lessons that the finished feature may confirm or contradict.

        Read them, judge, and ask the user before you confirm, update or retire one.
    """
    memory = _opened(project_root, global_store)
    if memory is None:
        return _print_revised(
            {"skipped": REVIEW_SKIPPED, "entries": []}, [REVIEW_SKIPPED], as_json=as_json
        )
    workplace, now = read_workplace(memory, project_root), memory.clock.now()
    work = read_work(project_root, now, warn)
    found = _found(ReviewLearnings(build_recall(memory), workplace), work, limit)
    drifts = build_find_drift(memory, project_root, workplace).drifted()
    document = {
        "skipped": None,
        "entries": [_review_document(each, now) for each in found],
        "changed_by_hand": [*map(drift_document, drifts)],
    }
    last = NO_SIGNALS if work.signals.compose() is None else OUTCOMES if found else NOTHING_OLDER
    texts = ["\n".join(_lines(each, now)) for each in found]
    return _print_revised(document, [*texts, last, *map(drift_line, drifts)], as_json=as_json)


def confirm(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Count one more observation of a lesson, in the store and the knowledge bank."""
    memory = _opened(project_root, global_store)
    if memory is None:
        return _print_revised(NOT_LOOKED_AT, [REVIEW_SKIPPED], as_json=as_json)
    revise = build_revise_learning(memory, project_root)
    looked = _looked(revise.confirm, find_entry(memory.repository, entry_id))
    line = f"Confirmed: {named(looked.entry)}, now observed {looked.entry.observation_count} times"
    return _print_revised(
        _looked_at(looked, revise.bank), [line, *_files(looked, revise.bank)], as_json=as_json
    )


def promote(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show a project's lesson in every project, also in foreign ones.

    It stays one entry.
    """
    memory = _opened(project_root, global_store)
    if memory is None:
        return _print_revised(
            {**NOT_LOOKED_AT, "promoted": False}, [REVIEW_SKIPPED], as_json=as_json
        )
    revise = build_revise_learning(memory, project_root)
    looked = _looked(revise.promote, find_entry(memory.repository, entry_id))
    is_new = looked.before.source_project is not None or looked.noted.appended is not None
    line = (
        f"{'Promoted' if is_new else 'Unchanged, it was universal already'}: {named(looked.entry)}"
    )
    document = {**_looked_at(looked, revise.bank), "promoted": is_new}
    return _print_revised(document, [line, *_files(looked, revise.bank)], as_json=as_json)


A_DAY = dt.timedelta(days=1)
GIT_SECONDS = 10.0
"""A retrospective is rare, and a large repository's diff worth waiting for."""


class RecentWork(NamedTuple):
    """
    Recent work.

    Attributes:
        signals: The signals to search by.
        began: When it began; a day ago if git does not know.

    """

    signals: ContextQuery
    began: dt.datetime


def read_feature(project_root: str, warn: Callable[[str], None]) -> RetroFeature:
    """Return the active feature, with its changed files."""
    branch = checked_out_branch(project_root)
    signals = _signals(project_root, branch, deadline=_git_deadline(), warn=warn)
    name = signals.feature.slug if signals.feature else branch or ""
    return RetroFeature(name=name, project=name_of(project_root), files=tuple(signals.files))


def read_work(project_root: str, now: dt.datetime, warn: Callable[[str], None]) -> RecentWork:
    """Return the work on the active feature and its branch."""
    branch, deadline = checked_out_branch(project_root), _git_deadline()
    signals = _signals(project_root, branch, deadline=deadline, warn=warn)
    return RecentWork(
        signals, change_probe(project_root, warn).branch_started(branch, deadline) or now - A_DAY
    )


def _signals(
    project_root: str, branch: str | None, deadline: Deadline, warn: Callable[[str], None]
) -> ContextQuery:
    files = change_probe(project_root, warn).feature_files(branch, deadline)
    return ContextQuery(feature_probe(project_root, warn).active_feature(), files)


def _git_deadline() -> Deadline:
    return Deadline.after(GIT_SECONDS, time.monotonic)


def _opened(project_root: str, global_store: str | None) -> Memory | None:
    settings = resolve(project_root, global_store).settings
    return open_memory(settings, warn, create=False) if settings.semantic_enabled else None


def _found(review: ReviewLearnings, work: RecentWork, limit: int) -> Sequence[Entry]:
    entries, degradations = review.learnings_for(
        work.signals,
        work.began,
        limit=limit,
        deadline=Deadline.after(SEARCH_SECONDS, time.monotonic),
    )
    for line in degradations:
        warn(line)
    return entries


def _looked(look: Callable[[str], RevisionOutcome], entry: Entry) -> RevisionOutcome:
    looked = look(entry.entry_id)
    for line in looked.skipped:
        warn(line)
    return looked


def _print_revised(document: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        return print_json(document)
    for line in lines:
        say(line)
    return None


def _looked_at(looked: RevisionOutcome, bank: BankFiles) -> dict[str, object]:
    appended = looked.noted.appended
    return {
        "skipped": None,
        "entry": entry_document(looked.entry),
        "stands_in": [bank.path(place) for place in looked.noted.counted],
        "added_to": bank.path(appended) if appended else None,
    }


def _files(looked: RevisionOutcome, bank: BankFiles) -> Iterator[str]:
    yield from (f"  in {bank.path(place)}" for place in looked.noted.counted)
    if not looked.noted.counted and not looked.noted.appended:
        yield IN_NO_BANK
    if looked.noted.appended:
        yield f"  added to {bank.path(looked.noted.appended)}"


def _lines(entry: Entry, now: dt.datetime) -> list[str]:
    total, useful = entry.usage.validations
    facts = [
        (
            f"observed {counted(entry.observation_count, 'time', 'times')}, last"
            f" {counted(_days(entry, now), 'day', 'days')} ago"
        ),
        f"confidence {entry.confidence}",
        f"useful {useful} of {total} times" if total else "not judged yet",
        entry.source_project or "universal",
    ]
    return [
        f"{entry.entry_id}  {visible(entry.name)}",
        f"  {'; '.join(facts)}",
        f"  {stored_text(entry.description)}",
        "",
    ]


def _days(entry: Entry, now: dt.datetime) -> int:
    return max(0, (now - entry.updated_at).days)


def _review_document(entry: Entry, now: dt.datetime) -> dict[str, object]:
    return {**entry_document(entry), "days_since_observed": _days(entry, now)}
