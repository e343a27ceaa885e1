"""`hardwon review`: everything that waits for the user's decision."""

from collections.abc import Sequence
from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.edit_lesson import MergeLessons, ensure_mergeable
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    FileDrift,
    LessonToReview,
    ReviewItem,
    UntrustedProject,
)
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import (
    build_edit_lesson,
    build_merge_lessons,
)
from hardwon.entrypoints.capture import RepairDecision, decide_repair
from hardwon.entrypoints.cli.console import can_be_asked, print_items, print_json, say, warn
from hardwon.entrypoints.cli.edit import EMPTIED, edit, read_texts, take_over, template
from hardwon.entrypoints.cli.editor import edited
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
    named,
)
from hardwon.entrypoints.presenters.projects import trust_line
from hardwon.entrypoints.presenters.review import (
    GROUPS,
    ReviewGroup,
    grouped,
    one_screen,
    review_document,
    review_lines,
    screen_lines,
    sort_of,
)
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.review import items_to_review, settle, settle_group
from hardwon.ports.entries import Proposals

REVIEW_EXAMPLES = """\b
Examples:
  hardwon review
  hardwon review unused --drop
  hardwon review 42 57 --replaces
  hardwon review 42 57 --merge
  hardwon review 42 57 --keep-both"""

NOTHING = (
    "Nothing to review: no lesson seems to replace another one, and nothing else waits"
    " for a decision"
)
SCREEN_ITEMS = 10
SKIP, QUIT = "n", "q"


REVIEW_TASKS = dict.fromkeys(
    ("replaces", "merge", "keep_both", "keep", "drop"), ("older", "newer", "limit")
)


def review(
    older: Annotated[
        str | None,
        typer.Argument(
            metavar="[GROUP|OLDER",
            help=f"A group ({', '.join(GROUPS)}), a repair, or the older lesson of a pair.",
            show_default=False,
        ),
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
        bool, typer.Option("--keep", help="Keep all of GROUP, or the repair OLDER as a gotcha.")
    ] = False,
    drop: Annotated[
        bool, typer.Option("--drop", help="Deprecate all of GROUP, or drop the repair OLDER.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="The maximum number to show.")] = SCREEN_ITEMS,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Review what waits for your decision, ten items at a time.

    They are grouped by cause: superseded lessons, near duplicates, lessons of which every cited file is gone, harmful
    ones, those that were never shown in 90 days, notes captured this week, repairs without a stated cause, lessons
    changed in a knowledge bank by hand, and untrusted projects. In a terminal one key decides each, and a capital letter all of its group.
    A lesson that is dropped is deprecated: no search finds it. hardwon view shows the same in the browser.

    Until you decide, blocks and answers show only the newer one of a pair. A superseded lesson is
    ranked below all others and names its successor. hardwon edit ID --superseded-by "" undoes that.
    """
    memory = open_for(project_root, global_store, create=False)
    if older and older in GROUPS and newer is None:
        return _review_group(
            memory,
            project_root,
            name=older,
            key=_key_for(older, keep=keep, drop=drop),
            limit=limit,
            as_json=as_json,
        )
    if older and newer is None and keep != drop:
        return _say_decision(decide_repair(memory, project_root, note_id=older, wanted=keep))
    if older is None or newer is None:
        if older or replaces or merge or keep_both:
            raise typer.BadParameter(
                "name two: the older lesson and the newer one", param_hint="OLDER NEWER"
            )
        items = items_to_review(memory, project_root)
        return _list(memory, project_root, items, limit=limit, as_json=as_json)
    if not (replaces or merge or keep_both):
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


def _key_for(name: str, *, keep: bool, drop: bool) -> str:
    """Return the key of a decision on a whole group, empty for none."""
    dropping = "d" if "d" in GROUPS[name].keys else "f"
    return "k" if keep else dropping if drop else ""


def _review_group(
    memory: Memory, project_root: str, name: str, key: str, limit: int, *, as_json: bool
) -> None:
    if key:
        return say(settle_group(memory, project_root, name, key=key))
    items = grouped(items_to_review(memory, project_root)).get(name, [])
    return _list(memory, project_root, items, limit=limit, as_json=as_json)


def _list(
    memory: Memory,
    project_root: str,
    items: Sequence[ReviewItem],
    *,
    limit: int,
    as_json: bool,
) -> None:
    if as_json:
        shown = [review_document(item) for item in one_screen(items, limit)]
        return print_items(shown, total=len(items))
    if not items:
        return say(NOTHING)
    if can_be_asked():
        return _decide_each(memory, project_root, items, limit=limit)
    for line in screen_lines(items, limit, memory.registry()):
        say(line)
    return None


def _decide_each(
    memory: Memory, project_root: str, items: Sequence[ReviewItem], limit: int
) -> None:
    shown, decided = one_screen(items, limit), set[str]()
    sizes = {name: len(members) for name, members in grouped(items).items()}
    for place, item in enumerate(shown, 1):
        name = sort_of(item)
        if name in decided:
            continue
        say(f"{place} of {len(shown)}, {GROUPS[name].title} ({sizes[name]})")
        for line in review_lines(item, memory.registry()):
            say(on_one_line(line))
        key = _key(GROUPS[name], sizes[name])
        if key == QUIT:
            return
        if key.isupper():
            say(settle_group(memory, project_root, name, key=key.lower()))
            decided.add(name)
        elif key != SKIP:
            _decide(memory, project_root, item=item, key=key)
        say()


def _key(group: ReviewGroup, size: int) -> str:
    together = {key.upper(): f"{group.keys[key]} all {size}" for key in group.together if size > 1}
    decisions = {**group.keys, **together}
    offered = ", ".join(
        f"[{key}] {text}" for key, text in {**decisions, SKIP: "skip for now", QUIT: "quit"}.items()
    )
    typed = typer.prompt(
        f"{offered}:", default=SKIP, show_default=False, prompt_suffix=" ", err=True
    ).strip()
    if typed in together:
        return str(typed)
    allowed = typed.lower()
    return allowed if allowed in {*decisions, QUIT} else SKIP


def _decide(memory: Memory, project_root: str, item: ReviewItem, key: str) -> None:
    match item, key:
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
        case FileDrift(), "t":
            take_over(build_edit_lesson(memory, project_root), [item], say, yes=True)
        case ((DuplicatePair() | LessonToReview() | FileDrift()), ("e" | "f")):
            _edit_or_forget(memory.settings, project_root, item=item, key=key)
        case _:
            for line in settle(memory, project_root, item, key=key):
                say(on_one_line(line))


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
        case LessonToReview(entry, _) | FileDrift(_, _, entry):
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
