"""Look again at what was known before a retrospective."""

import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.use_cases.retro.look_again import LookedAt
from hardwon.domain.use_cases.retro.review import Review
from hardwon.entrypoints.changing import named
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.screen import counted, print_json, say, warn
from hardwon.entrypoints.composition import Memory, open_memory
from hardwon.entrypoints.composition.retrospecting import work_sources
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.retrospective import Work, read_work
from hardwon.entrypoints.streams import visible
from hardwon.entrypoints.workplace import read_workplace
from hardwon.ports.bank_files import BankFiles

MOST = 100
SEARCH_SECONDS = 10.0
SKIPPED = "Skipped: memory_semantic_enabled is not true, the store is left alone"
NO_SIGNALS = "Nothing to compare with: there is no active feature, and git knows of no change"
IN_NO_BANK = (
    "  in no knowledge bank: no file of docs/knowledge-bank or of the store's folder has it, the store alone counted it"
)
NOTHING_OLDER = "Nothing that was learned before this work bears on it"

OUTCOMES = """\
Ask the user about each one that this work confirms, contradicts or has outlived:
  confirmed        hardwon retro confirm ID
  changed          hardwon update ID --title TEXT --confidence low --reasoning TEXT
  retired          hardwon update ID --tier deprecated
  of all projects  hardwon retro promote ID"""

NOT_LOOKED_AT: dict[str, object] = {"skipped": SKIPPED, "entry": None, "stands_in": [], "added_to": None}

EntryId = Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)]


def review(
    *,
    limit: Annotated[int, typer.Option(min=1, max=MOST, metavar="N", help="How many learnings at most.")] = 10,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show older learnings that the feature just ended may confirm or contradict.

    Read them, judge, and ask the user before you confirm, update or retire one.
    """
    memory = _opened(project_root, global_store)
    if memory is None:
        return _tell({"skipped": SKIPPED, "entries": []}, [SKIPPED], as_json=as_json)
    work = read_work(work_sources(project_root, warn))
    found = _found(memory, project_root, work, limit)
    now = memory.clock.now()
    document = {"skipped": None, "entries": [_document(each, now) for each in found]}
    last = NO_SIGNALS if work.signals.compose() is None else OUTCOMES if found else NOTHING_OLDER
    return _tell(document, [*("\n".join(_lines(each, now)) for each in found), last], as_json=as_json)


def confirm(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Count that a learning was observed once more, in the store and in the knowledge bank."""
    memory = _opened(project_root, global_store)
    if memory is None:
        return _tell(NOT_LOOKED_AT, [SKIPPED], as_json=as_json)
    again = memory.look_again(project_root)
    looked = _looked(again.confirm, find_entry(memory, entry_id))
    line = f"Confirmed: {named(looked.entry)}, now observed {looked.entry.observation_count} times"
    return _tell(_looked_at(looked, again.bank), [line, *_files(looked, again.bank)], as_json=as_json)


def promote(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Make a project's learning one of all projects; it stays one entry."""
    memory = _opened(project_root, global_store)
    if memory is None:
        return _tell({**NOT_LOOKED_AT, "promoted": False}, [SKIPPED], as_json=as_json)
    again = memory.look_again(project_root)
    looked = _looked(again.promote, find_entry(memory, entry_id))
    is_new = looked.before.source_project is not None or looked.noted.appended is not None
    line = f"{'Promoted' if is_new else 'Unchanged, it was universal already'}: {named(looked.entry)}"
    document = {**_looked_at(looked, again.bank), "promoted": is_new}
    return _tell(document, [line, *_files(looked, again.bank)], as_json=as_json)


def _opened(project_root: str, global_store: str | None) -> Memory | None:
    """Return the store; None when it is to be left alone."""
    settings = resolve(project_root, global_store).settings
    return open_memory(settings, warn, create=False) if settings.semantic_enabled else None


def _found(memory: Memory, project_root: str, work: Work, limit: int) -> Sequence[Entry]:
    ask = Review(memory.recall, read_workplace(project_root, memory.settings))
    entries, degradations = ask(work.signals, work.began, limit, Deadline.after(SEARCH_SECONDS, time.monotonic))
    for line in degradations:
        warn(line)
    return entries


def _looked(look: Callable[[str], LookedAt], entry: Entry) -> LookedAt:
    looked = look(entry.entry_id)
    for line in looked.skipped:
        warn(line)
    return looked


def _tell(document: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        return print_json(document)
    for line in lines:
        say(line)
    return None


def _looked_at(looked: LookedAt, bank: BankFiles) -> dict[str, object]:
    appended = looked.noted.appended
    return {
        "skipped": None,
        "entry": entry_document(looked.entry),
        "stands_in": [bank.path(place) for place in looked.noted.counted],
        "added_to": bank.path(appended) if appended else None,
    }


def _files(looked: LookedAt, bank: BankFiles) -> Iterator[str]:
    yield from (f"  in {bank.path(place)}" for place in looked.noted.counted)
    if not looked.noted.counted and not looked.noted.appended:
        yield IN_NO_BANK
    if looked.noted.appended:
        yield f"  added to {bank.path(looked.noted.appended)}"


def _lines(entry: Entry, now: dt.datetime) -> list[str]:
    total, useful = entry.usage.validations
    facts = [
        f"observed {counted(entry.observation_count, 'time', 'times')}, last {counted(_days(entry, now), 'day', 'days')} ago",
        f"confidence {entry.confidence}",
        f"useful {useful} of {total} times" if total else "not judged yet",
        entry.source_project or "universal",
    ]
    return [f"{entry.entry_id}  {visible(entry.name)}", f"  {'; '.join(facts)}", f"  {visible(entry.description)}", ""]


def _days(entry: Entry, now: dt.datetime) -> int:
    return max(0, (now - entry.updated_at).days)


def _document(entry: Entry, now: dt.datetime) -> dict[str, object]:
    return {**entry_document(entry), "days_since_observed": _days(entry, now)}
