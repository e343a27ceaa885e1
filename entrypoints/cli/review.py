"""`hardwon review`: everything that waits for the user's decision."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.edit_entries import ValidateEntry
from hardwon.domain.use_cases.edit_lesson import MergeLessons, ensure_mergeable
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    FileDrift,
    RepairCandidate,
    ReviewItem,
    UnjudgedNote,
    UntrustedProject,
)
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap import Memory, build_know_projects
from hardwon.entrypoints.bootstrap_upkeep import (
    build_edit_lesson,
    build_merge_lessons,
    build_review_memory,
)
from hardwon.entrypoints.capture import RepairDecision, build_keep_repairs, decide_repair
from hardwon.entrypoints.cli.console import can_be_asked, edited, print_items, print_json, say, warn
from hardwon.entrypoints.cli.edit import EMPTIED, edit, read_texts, take_over, template
from hardwon.entrypoints.cli.forget import forget
from hardwon.entrypoints.cli.options import (
    REFERENCE_HELP,
    AsJson,
    GlobalStore,
    ProjectRoot,
    find_entry,
    open_for,
)
from hardwon.entrypoints.embed_after_write import embed_now
from hardwon.entrypoints.presenters.entries import (
    change_confirmation,
    entry_document,
    judgement,
    named,
)
from hardwon.entrypoints.presenters.projects import trust_line
from hardwon.entrypoints.presenters.review import review_document, review_lines
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.ports.entries import Proposals

REVIEW_EXAMPLES = """\b
Examples:
  hardwon review
  hardwon review 42 57 --replaces
  hardwon review 42 57 --merge
  hardwon review 42 57 --keep-both"""

NOTHING = (
    "Nothing to review: no lesson seems to replace another one, and nothing else waits"
    " for a decision"
)
ROW = 20
SKIP, QUIT = "n", "q"

KEYS: Mapping[type[ReviewItem], Mapping[str, str]] = {
    DuplicatePair: {
        "k": "keep both",
        "s": "supersede the older",
        "m": "merge",
        "e": "edit the newer",
        "f": "forget the older",
    },
    FileDrift: {"t": "take the file's text over", "e": "edit", "f": "forget"},
    UntrustedProject: {"k": "keep at home", "t": "trust"},
    UnjudgedNote: {"k": "keep", "e": "edit", "f": "forget"},
    RepairCandidate: {"k": "keep", "f": "drop"},
}
"""Decisions on each type of item by key, the same as in `hardwon view`."""


def review(
    older: Annotated[
        str | None, typer.Argument(metavar="[OLDER", help=REFERENCE_HELP, show_default=False)
    ] = None,
    newer: Annotated[
        str | None, typer.Argument(metavar="NEWER]", help=REFERENCE_HELP, show_default=False)
    ] = None,
    *,
    replaces: Annotated[
        bool,
        typer.Option("--replaces", help="The newer one supersedes the older one."),
    ] = False,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Merge both in your editor. The older one is superseded."),
    ] = False,
    keep_both: Annotated[
        bool, typer.Option("--keep-both", help="Keep both. The pair is not shown again.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the repair OLDER as a gotcha.")
    ] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Drop the repair OLDER.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The maximum number to show.")] = ROW,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Review what waits for your decision.

    This is: pairs of lessons whose newer one seems to repeat or replace the older one, lessons
    changed in a knowledge bank by hand, untrusted projects, notes captured this week, and repairs
    of failed commands without a stated cause, for 30 days. In a terminal one key decides each. hardwon view shows the same in the browser.

    Until you decide, blocks and answers show only the newer one of a pair. A superseded lesson is
    ranked below all others and names its successor. hardwon edit ID --superseded-by "" undoes that.
    """
    memory = open_for(project_root, global_store, create=False)
    if older and newer is None and keep != drop:
        return _say_decision(decide_repair(memory, project_root, note_id=older, wanted=keep))
    if older is None or newer is None:
        if older or replaces or merge or keep_both:
            raise typer.BadParameter(
                "name two: the older lesson and the newer one", param_hint="OLDER NEWER"
            )
        return _list(memory, project_root, limit, as_json=as_json)
    if replaces + merge + keep_both != 1:
        raise typer.BadParameter(
            "say which: --replaces, --merge or --keep-both", param_hint="'--replaces'"
        )
    pair = find_entry(memory.repository, older), find_entry(memory.repository, newer)
    if merge:
        return _merge(
            build_merge_lessons(memory, project_root), memory.spaces, *pair, as_json=as_json
        )
    if replaces:
        return _replace(Supersede.on(memory.store, memory.clock), *pair, as_json=as_json)
    return _keep_both(memory.store.proposals, *pair, as_json=as_json)


def _list(memory: Memory, project_root: str, limit: int, *, as_json: bool) -> None:
    repairs = build_keep_repairs(memory, project_root).candidates
    items = build_review_memory(memory, project_root, repairs).items()[:limit]
    if as_json:
        return print_items([review_document(item) for item in items])
    if not items:
        return say(NOTHING)
    if can_be_asked():
        return _decide_each(memory, project_root, items)
    for item in items:
        for line in review_lines(item, memory.registry()):
            say(on_one_line(line))
        say()
    return None


def _decide_each(memory: Memory, project_root: str, items: Sequence[ReviewItem]) -> None:
    for place, item in enumerate(items, 1):
        say(f"{place} of {len(items)}")
        for line in [*review_lines(item, memory.registry())][
            : -1 if isinstance(item, DuplicatePair | UnjudgedNote) else None
        ]:
            say(on_one_line(line))
        key = _key(KEYS[type(item)])
        if key == QUIT:
            return
        if key != SKIP:
            _decide(memory, project_root, item=item, key=key)
        say()


def _key(decisions: Mapping[str, str]) -> str:
    offered = ", ".join(
        f"[{key}] {text}" for key, text in {**decisions, SKIP: "skip for now", QUIT: "quit"}.items()
    )
    allowed = (
        typer.prompt(f"{offered}:", default=SKIP, show_default=False, prompt_suffix=" ", err=True)
        .strip()
        .lower()
    )
    return allowed if allowed in {*decisions, QUIT} else SKIP


def _decide(memory: Memory, project_root: str, item: ReviewItem, key: str) -> None:
    match item, key:
        case DuplicatePair(older, newer), "k":
            _keep_both(memory.store.proposals, older, newer, as_json=False)
        case DuplicatePair(older, newer), "s":
            _replace(Supersede.on(memory.store, memory.clock), older, newer, as_json=False)
        case DuplicatePair(older, newer), "m":
            _merge(
                build_merge_lessons(memory, project_root),
                memory.spaces,
                older=older,
                newer=newer,
                as_json=False,
            )
        case UntrustedProject(project), _:
            know = build_know_projects(memory)
            say(on_one_line(trust_line(know.trust(project, trusted=key == "t"), know.registry())))
        case UnjudgedNote(entry), "k":
            say(
                judgement(
                    ValidateEntry.on(memory.store, memory.clock).judge(entry.entry_id, useful=True)
                )
            )
        case RepairCandidate(note), _:
            _say_decision(
                decide_repair(memory, project_root, note_id=note.note_id, wanted=key == "k")
            )
        case FileDrift(), "t":
            take_over(build_edit_lesson(memory, project_root), [item], say, yes=True)
        case _:
            _edit_or_forget(memory.settings, project_root, item=item, key=key)


def _say_decision(decided: RepairDecision) -> None:
    for problem in decided.problems:
        warn(problem)
    say(on_one_line(decided.line))


def _edit_or_forget(settings: Settings, project_root: str, item: ReviewItem, key: str) -> None:
    """
    Run `hardwon edit` or `hardwon forget` on the lesson of *item*.

    Of a pair the newer one is edited, the older one forgotten.
    """
    store = settings.address
    match item:
        case DuplicatePair(older, newer):
            entry = newer if key == "e" else older
        case UnjudgedNote(entry) | FileDrift(_, _, entry):
            pass
        case _:
            return
    if key == "e":
        edit(entry.entry_id, project_root=project_root, global_store=store)
    else:
        forget([entry.entry_id], project_root=project_root, global_store=store)


def _merge(
    merge: MergeLessons, spaces: Spaces, older: Entry, newer: Entry, *, as_json: bool
) -> None:
    ensure_mergeable(older, newer)
    reasons = "\n\n".join(filter(None, (newer.reasoning, older.reasoning)))
    with edited(
        template(newer.name, f"{newer.description}\n\n{older.description}", reasons)
    ) as text:
        texts = read_texts(text)
        if texts is None:
            return say(EMPTIED)
        change = EntryChange(
            title=texts.name, description=texts.description, reasoning=texts.reasoning
        )
        done = merge.apply(older.entry_id, newer.entry_id, change)
    for line in (*done.skipped, *embed_now(spaces)):
        warn(line)
    if as_json:
        return print_json(entry_document(done.changed.entry))
    return say(f"Merged: {named(done.changed.entry)} takes the place of {named(older)}")


def _replace(supersede: Supersede, older: Entry, newer: Entry, *, as_json: bool) -> None:
    changed = supersede.apply(older.entry_id, newer.entry_id)
    if as_json:
        return print_json(entry_document(changed.entry))
    for line in change_confirmation(changed):
        say(line)
    return None


def _keep_both(proposals: Proposals, older: Entry, newer: Entry, *, as_json: bool) -> None:
    was_open = proposals.reject(older.entry_id, newer.entry_id)
    if not was_open:
        raise typer.BadParameter(
            "that pair is not open: hardwon review shows those that are", param_hint="OLDER NEWER"
        )
    if as_json:
        return print_json({"older": older.entry_id, "newer": newer.entry_id, "kept": "both"})
    return say(f"Both stay: {named(older)}, {named(newer)}")
