"""Look again at what was known before a retrospective."""

import datetime as dt
import time
from collections.abc import Callable
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.use_cases.retro.look_again import LookAgain, LookedAt
from hardwon.domain.use_cases.retro.review import Review
from hardwon.entrypoints.changing import named
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.cli.retrospecting import take_in_bank
from hardwon.entrypoints.cli.screen import counted, print_json, say, warn
from hardwon.entrypoints.composition import Memory, open_memory
from hardwon.entrypoints.composition.filing import bank_files
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.retrospective import read_work
from hardwon.entrypoints.streams import visible
from hardwon.entrypoints.workplace import read_workplace
from hardwon.ports.bank_files import BankFiles

MOST = 100
SEARCH_SECONDS = 10.0
SKIPPED = "Skipped: memory_semantic_enabled is not true, the store is left alone"
NO_SIGNALS = "Nothing to compare with: there is no active feature, and git knows of no change"
NOTHING_OLDER = "Nothing that was learned before this work bears on it"

OUTCOMES = """\
Ask the user about each one that this work confirms, contradicts or has outlived:
  confirmed        hardwon retro confirm ID
  changed          hardwon update ID --title TEXT --confidence low --reasoning TEXT
  retired          hardwon update ID --tier deprecated
  of all projects  hardwon retro promote ID"""

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
    memory = _opened(project_root, global_store, as_json=as_json)
    if memory is None:
        return
    work = read_work(project_root, memory.clock.now(), warn)
    if work.text is None:
        print_json([]) if as_json else say(NO_SIGNALS)
        return
    ask = Review(memory.recall, read_workplace(project_root, memory.settings))
    entries, degradations = ask(work.text, work.began, limit, Deadline.after(SEARCH_SECONDS, time.monotonic))
    for line in degradations:
        warn(line)
    if as_json:
        print_json([_document(each, memory.clock.now()) for each in entries])
        return
    for each in entries:
        say("\n".join(_lines(each, memory.clock.now())))
    say(OUTCOMES if entries else NOTHING_OLDER)


def confirm(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Count that a learning was observed once more, in the store and in the knowledge bank."""
    memory = _opened(project_root, global_store, as_json=as_json)
    if memory is None:
        return
    looked = _looked(memory, project_root, entry_id, LookAgain.confirm)
    if as_json:
        print_json(entry_document(looked.entry))
        return
    say(f"Confirmed: {named(looked.entry)}, now observed {looked.entry.observation_count} times")
    _tell_files(looked, bank_files(project_root, memory.settings))


def promote(
    entry_id: EntryId,
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Make a project's learning one of all projects; it stays one entry."""
    memory = _opened(project_root, global_store, as_json=as_json)
    if memory is None:
        return
    looked = _looked(memory, project_root, entry_id, LookAgain.promote)
    is_new = looked.before.source_project is not None or looked.noted.appended is not None
    if as_json:
        print_json({"promoted": is_new, "entry": entry_document(looked.entry)})
        return
    say(f"{'Promoted' if is_new else 'Unchanged, it was universal already'}: {named(looked.entry)}")
    _tell_files(looked, bank_files(project_root, memory.settings))


def _opened(project_root: str, global_store: str | None, *, as_json: bool) -> Memory | None:
    """Return the store; None, and that is told, when it is to be left alone."""
    settings = resolve(project_root, global_store).settings
    if settings.semantic_enabled:
        return open_memory(settings, warn, create=False)
    print_json({"skipped": SKIPPED}) if as_json else say(SKIPPED)
    return None


def _looked(memory: Memory, project_root: str, reference: str, look: Callable[[LookAgain, str], LookedAt]) -> LookedAt:
    entry_id = find_entry(memory, reference).entry_id
    take_in_bank(memory, project_root)
    try:
        looked = look(memory.look_again(project_root), entry_id)
    except UnreadableFileError as error:
        raise typer.BadParameter(str(error), param_hint="knowledge bank") from error
    take_in_bank(memory, project_root)
    return looked


def _tell_files(looked: LookedAt, bank: BankFiles) -> None:
    for place in looked.noted.counted:
        say(f"  in {bank.path(place)}")
    if looked.noted.appended:
        say(f"  added to {bank.path(looked.noted.appended)}")


def _lines(entry: Entry, now: dt.datetime) -> list[str]:
    total, useful = entry.usage.validations
    facts = [
        f"observed {counted(entry.observation_count, 'time', 'times')}, last {_days(entry, now)} days ago",
        f"confidence {entry.confidence}",
        f"useful {useful} of {total} times" if total else "not judged yet",
        entry.source_project or "universal",
    ]
    return [f"{entry.entry_id}  {visible(entry.name)}", f"  {'; '.join(facts)}", f"  {visible(entry.description)}", ""]


def _days(entry: Entry, now: dt.datetime) -> int:
    return max(0, (now - entry.updated_at).days)


def _document(entry: Entry, now: dt.datetime) -> dict[str, object]:
    return {**entry_document(entry), "days_since_observed": _days(entry, now)}
