"""Handlers of forms that change something."""

from collections.abc import Sequence

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange, undoing
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError, UnknownEntryError
from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.domain.use_cases.edit_entries import ChangeEntry, ValidateEntry, ids_meant
from hardwon.domain.use_cases.edit_lesson import ensure_mergeable
from hardwon.domain.use_cases.forget import ErasureOutcome, ErasurePlan, ErasureRequest
from hardwon.domain.use_cases.review_memory import LessonToReview
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap import build_know_projects, name_of
from hardwon.entrypoints.bootstrap_files import build_edit_file, with_citations
from hardwon.entrypoints.bootstrap_upkeep import (
    build_edit_lesson,
    build_forget_for_good,
    build_merge_lessons,
)
from hardwon.entrypoints.capture import (
    complete_interrupted,
    decide_repair,
    while_nothing_is_captured,
)
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now, nearest_to
from hardwon.entrypoints.lesson_draft import LessonDraft
from hardwon.entrypoints.presenters.entries import (
    by_place,
    change_confirmation,
    complaints_of_citations,
    complaints_of_length,
    complaints_of_private,
    judgement,
    storing_confirmation,
)
from hardwon.entrypoints.presenters.projects import trust_line
from hardwon.entrypoints.presenters.review import GROUPS
from hardwon.entrypoints.presenters.text import counted
from hardwon.entrypoints.review import settle, settle_group
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest, Redirect, Reply
from hardwon.entrypoints.view.entry_pages import changes_of, edit_page, known, markdown_of, state_of

MAX_CHOSEN = 1_000
NOTHING_CHOSEN = "No entry is selected: tick the boxes of those that you mean, then try again."
CHANGED_MEANWHILE = (
    "The entry was changed since the form was opened, so nothing was stored. Its present text is"
    " shown below the one that you typed."
)


def entry_path(entry_id: str) -> str:
    """Return the path of an entry's page."""
    return f"/entry/{entry_id}"


def edit(desk: Desk, asked: PageRequest) -> Reply:
    """Store a form's text, or show the form with the problem."""
    entry = known(desk, asked.values["id"])
    markdown = "" if entry.kind == "learning" else markdown_of(desk, entry)
    if asked.given("seen") != state_of(entry, markdown):
        return edit_page(desk, asked, given=asked, problem=CHANGED_MEANWHILE)
    try:
        return (
            _edit_lesson(desk, entry, asked)
            if entry.kind == "learning"
            else _edit_file(desk, entry, before=markdown, asked=asked)
        )
    except (InvalidEntryError, ForgottenError) as error:
        return edit_page(desk, asked, given=asked, problem=str(error))


def new_page(
    desk: Desk, asked: PageRequest, given: PageRequest | None = None, problem: str = ""
) -> Page:
    """Return the form for a new lesson, with what was refused."""
    del desk
    form = (given or asked).form
    typed = {field: values[0] for field, values in form.items() if values}
    return Page("new", {"form": typed, "problem": problem, "categories": CATEGORIES})


def add(desk: Desk, asked: PageRequest) -> Reply:
    """Store a new lesson, or show the form with the problem."""
    draft = LessonDraft(
        name=asked.given("name"),
        category=asked.given("category"),
        reasoning=_text(asked, "reasoning"),
        references=tuple(_text(asked, "references").splitlines()),
        text=_text(asked, "description"),
    )
    is_of_project = asked.given("reach") == "home"
    try:
        entry = draft.entry(name_of(desk.project_root) or None, desk.clock.now())
        workplace = read_workplace(desk.memory, desk.project_root)
        origin = Origin(workplace, "add", "home" if is_of_project else "everywhere")
        cited = with_citations(entry, desk.project_root)
        stored = StoreEntry.on(desk.memory.store, origin).keep(cited)
    except (InvalidEntryError, ForgottenError) as error:
        return new_page(desk, asked, given=asked, problem=str(error))
    notice = [
        *storing_confirmation(stored),
        *complaints_of_private(draft.name, draft.text, draft.reasoning),
        *complaints_of_length(stored.entry),
        *complaints_of_citations(stored.entry),
        *embed_now(desk.memory.spaces),
    ]
    near = ",".join(
        entry.entry_id for entry in nearest_to(desk.memory.spaces, stored.entry, workplace)
    )
    return Redirect(f"{entry_path(stored.entry.entry_id)}{near and f'?near={near}'}", notice)


def _edit_lesson(desk: Desk, entry: Entry, asked: PageRequest) -> Redirect:
    new = {
        "title": asked.given("name"),
        "description": _text(asked, "description"),
        "reasoning": _text(asked, "reasoning"),
    }
    old = {"title": entry.name, "description": entry.description, "reasoning": entry.reasoning}
    change = EntryChange(**{field: text for field, text in new.items() if text != old[field]})  # type: ignore[arg-type]
    return _edited(desk, entry.entry_id, change)


def _edited(desk: Desk, entry_id: str, change: EntryChange) -> Redirect:
    done = build_edit_lesson(desk.memory, desk.project_root).apply(entry_id, change)
    problems = embed_now(desk.memory.spaces) if done.changed.needs_vectors else ()
    return Redirect(
        entry_path(done.changed.entry.entry_id),
        [*change_confirmation(done.changed), *done.skipped, *problems],
    )


def _edit_file(desk: Desk, entry: Entry, before: str, asked: PageRequest) -> Redirect:
    memory, typed = desk.memory, _text(asked, "markdown")
    if not typed.strip():
        raise InvalidEntryError("the text is empty: to be rid of it, forget the entry")
    after = f"{typed.rstrip()}\n"
    after = after.replace("\n", "\r\n") if "\r\n" in before else after
    if after.strip() == before.strip():
        return Redirect(entry_path(entry.entry_id), ["Nothing was changed: the text is as it was"])
    edit_file = build_edit_file(
        memory, desk.project_root, read_workplace(memory, desk.project_root)
    )
    done = edit_file.apply(entry, before, after)
    notice = [
        f"Updated: {entry.name}",
        f"changed in {entry.file_path}",
        *done.warnings,
        *done.skipped,
        *embed_now(memory.spaces),
    ]
    return Redirect(entry_path(entry.entry_id), notice)


def _text(asked: PageRequest, field: str) -> str:
    return asked.given(field).replace("\r\n", "\n").replace("\r", "\n").strip()


def change(desk: Desk, asked: PageRequest) -> Reply:
    """Change an entry's tier, reach, or successor."""
    entry = known(desk, asked.values["id"])
    field, value = asked.given("field"), asked.given("value").strip()
    if field == "superseded_by":
        changed = Supersede.on(desk.memory.store, desk.memory.clock).apply(
            entry.entry_id, _meant(desk, value).entry_id if value else ""
        )
    elif field in {"importance_tier", "reach"}:
        change = EntryChange(**{field: value})  # type: ignore[arg-type]
        changed = ChangeEntry.on(desk.memory.store, desk.memory.clock).apply(entry.entry_id, change)
    else:
        raise InvalidEntryError(f"{field[:80]!r} is not changed by this form")
    problems = embed_now(desk.memory.spaces) if changed.needs_vectors else ()
    return Redirect(entry_path(changed.entry.entry_id), [*change_confirmation(changed), *problems])


def _meant(desk: Desk, reference: str) -> Entry:
    """Return the entry with that number or id."""
    found = ids_meant(desk.memory.repository, reference)
    entry = desk.memory.repository.by_id(*found) if len(found) == 1 else None
    if entry is None:
        raise UnknownEntryError(
            f"{reference[:80]!r} names no entry, or more than one: give its number or its whole id"
        )
    return entry


def undo(desk: Desk, asked: PageRequest) -> Reply:
    """Restore a field to its value before a change of the history."""
    entry = known(desk, asked.values["id"])
    wanted = next(
        (
            item.past
            for item in changes_of(desk, entry)
            if (item.past.at.isoformat(), item.past.field)
            == (asked.given("at"), asked.given("field"))
        ),
        None,
    )
    if wanted is None:
        raise InvalidEntryError(
            "There is no such change in the history any more: reload the entry."
        )
    undone = undoing(wanted)
    if entry.kind == "learning" and wanted.field in {"title", "description", "reasoning"}:
        return _edited(desk, entry.entry_id, undone)
    if wanted.field == "superseded_by":
        changed = Supersede.on(desk.memory.store, desk.memory.clock).apply(
            entry.entry_id, undone.superseded_by or ""
        )
    else:
        changed = ChangeEntry.on(desk.memory.store, desk.memory.clock).apply(entry.entry_id, undone)
    problems = embed_now(desk.memory.spaces) if changed.needs_vectors else ()
    return Redirect(entry_path(changed.entry.entry_id), [*change_confirmation(changed), *problems])


def judge(desk: Desk, asked: PageRequest) -> Reply:
    """Count that an entry was useful, or that it misled."""
    entry = known(desk, asked.values["id"])
    validated = ValidateEntry.on(desk.memory.store, desk.memory.clock).judge(
        entry.entry_id, useful=asked.given("useful") == "yes"
    )
    return Redirect(asked.given("back") or entry_path(entry.entry_id), [judgement(validated)])


def trust(desk: Desk, asked: PageRequest) -> Reply:
    """Trust a project, or revoke that."""
    know = build_know_projects(desk.memory)
    project = know.registry().with_id(asked.values["id"])
    if project is None:
        raise UnknownEntryError("There is no such project any more.")
    if project.is_waiting:
        raise InvalidEntryError(
            "The folder of that project is not known: hardwon project merge says which project"
            " it is."
        )
    project = know.trust(project, trusted=asked.given("trusted") == "yes")
    return Redirect(asked.given("back") or "/", [trust_line(project, know.registry())])


def change_chosen(desk: Desk, asked: PageRequest) -> Reply:
    """Change all selected entries, or none of them."""
    entries = _chosen(desk, asked)
    match asked.given("action"):
        case "tier":
            return _tier_chosen(desk, entries, asked)
        case "trust":
            return _trust_chosen(desk, entries, asked)
        case "forget":
            return forget(desk, asked)
        case action:
            raise InvalidEntryError(
                f"{action[:80]!r} is no action for entries: use tier, trust or forget"
            )


def _chosen(desk: Desk, asked: PageRequest) -> list[Entry]:
    ids = [*dict.fromkeys(asked.form.get("id", ()))]
    if not ids:
        raise InvalidEntryError(NOTHING_CHOSEN)
    if len(ids) > MAX_CHOSEN:
        raise InvalidEntryError(f"{len(ids)} entries are selected: select {MAX_CHOSEN} at most")
    return [known(desk, entry_id) for entry_id in ids]


def _tier_chosen(desk: Desk, entries: Sequence[Entry], asked: PageRequest) -> Redirect:
    wanted = EntryChange(importance_tier=asked.given("tier"))  # type: ignore[arg-type]
    change_entry = ChangeEntry.on(desk.memory.store, desk.memory.clock)
    with desk.memory.repository.transaction():
        changed = [change_entry.apply(entry.entry_id, wanted) for entry in entries]
    number = sum(bool(item.changes) for item in changed)
    problems = embed_now(desk.memory.spaces) if any(item.needs_vectors for item in changed) else ()
    summary = (
        f"{counted(number, 'entry', 'entries')} of {len(entries)} got the tier"
        f" {asked.given('tier')}"
    )
    return Redirect(asked.given("back") or "/", [summary, *problems])


def _trust_chosen(desk: Desk, entries: Sequence[Entry], asked: PageRequest) -> Redirect:
    know = build_know_projects(desk.memory)
    lines = list[str]()
    for project_id in dict.fromkeys(entry.project for entry in entries if entry.project):
        project = know.registry().with_id(project_id)
        if project and not project.is_waiting:
            lines.append(trust_line(know.trust(project, trusted=True), know.registry()))
    return Redirect(
        asked.given("back") or "/",
        lines or ["The entries that are selected belong to no project whose folder is known"],
    )


def forget(desk: Desk, asked: PageRequest) -> Reply:
    """Show what would be forgotten for good, or forget it once confirmed."""
    ids = tuple(dict.fromkeys(asked.form.get("id", ())))
    if not ids:
        raise InvalidEntryError(NOTHING_CHOSEN)
    forgetting = build_forget_for_good(desk.memory, desk.project_root)
    interrupted = complete_interrupted(desk.memory.settings.global_store, forgetting)
    plan = forgetting.plan(ErasureRequest(ids=ids))
    notes = ["An interrupted forgetting was completed"] if interrupted else []
    if plan.is_empty:
        return Redirect(asked.given("back") or "/", [*notes, "Nothing that hardwon keeps holds it"])
    if asked.given("confirmed") != "yes":
        return Page(
            "forget",
            {
                "plan": plan,
                "places": by_place(plan.found),
                "ids": ids,
                "back": asked.given("back") or "/",
                "notes": notes,
            },
        )
    begun = plan.begun._replace(keeps_banks=asked.given("keep_banks") == "yes")
    done = while_nothing_is_captured(
        desk.memory.settings.global_store, lambda: forgetting.erase(begun)
    )
    return Page(
        "forgotten",
        {
            "plan": plan,
            "done": done,
            "lines": _report(plan, done),
            "back": asked.given("back") or "/",
        },
    )


def _report(plan: ErasurePlan, done: ErasureOutcome) -> list[str]:
    nothing = "it is in none of them" if done.unreachable else "nothing is left"
    proof = "it is still in" if done.remains else nothing
    return [
        *(f"Forgotten: {entry.name}" for entry in plan.entries),
        *(f"from {place}: {kept}" for place, kept in by_place(plan.found).items()),
        f"Searched {counted(done.searched, 'file', 'files')} byte by byte: {proof}",
        *done.remains,
        *(
            f"can't be reached now: {line}; forget it once more when it can"
            for line in done.unreachable
        ),
        *(f"not changed: {line}; forget it once more" for line in done.problems),
    ]


def merge_page(
    desk: Desk, asked: PageRequest, given: PageRequest | None = None, problem: str = ""
) -> Page:
    """Return the form that merges two learnings."""
    older, newer = (
        known(desk, (given or asked).query.get(name, "") or (given or asked).given(name))
        for name in ("older", "newer")
    )
    ensure_mergeable(older, newer)
    form = given.form if given else {}
    typed = {field: values[0] for field, values in form.items() if values}
    return Page("merge", {"older": older, "newer": newer, "form": typed, "problem": problem})


def begin_merge(desk: Desk, asked: PageRequest) -> Reply:
    """Return the form that merges two entries."""
    entry, other = known(desk, asked.values["id"]), _meant(desk, asked.given("other").strip())
    older, newer = sorted((entry, other), key=lambda known: (known.created_at, known.number or 0))
    return merge_page(desk, PageRequest(query={"older": older.entry_id, "newer": newer.entry_id}))


def merge(desk: Desk, asked: PageRequest) -> Reply:
    """Merge two learnings into the newer one."""
    older, newer = known(desk, asked.given("older")), known(desk, asked.given("newer"))
    wanted = {
        "title": asked.given("name"),
        "description": _text(asked, "description"),
        "reasoning": _text(asked, "reasoning"),
    }
    try:
        change = EntryChange(**wanted)  # type: ignore[arg-type]
        done = build_merge_lessons(desk.memory, desk.project_root).apply(
            older.entry_id, newer.entry_id, change
        )
    except (InvalidEntryError, ForgottenError) as error:
        return merge_page(desk, asked, given=asked, problem=str(error))
    merged = done.changed.entry
    notice = [
        f"Merged: {merged.name} takes the place of {older.name}",
        *done.skipped,
        *embed_now(desk.memory.spaces),
    ]
    return Redirect(asked.given("back") or entry_path(merged.entry_id), notice)


def decide(desk: Desk, asked: PageRequest) -> Reply:
    """Decide a pair: the newer learning supersedes the older, or both stay."""
    older, newer = known(desk, asked.given("older")), known(desk, asked.given("newer"))
    if asked.given("decision") == "supersede":
        changed = Supersede.on(desk.memory.store, desk.memory.clock).apply(
            older.entry_id, newer.entry_id
        )
        return Redirect(asked.given("back") or "/review", change_confirmation(changed))
    if asked.given("decision") == "keep":
        was_open = desk.memory.store.proposals.reject(older.entry_id, newer.entry_id)
        return Redirect(
            "/review",
            [
                (
                    f"Both stay: {older.name}, {newer.name}"
                    if was_open
                    else "That pair was decided already"
                )
            ],
        )
    raise InvalidEntryError("Say which: supersede or keep.")


def decide_on_repair(desk: Desk, asked: PageRequest) -> Reply:
    """Keep a repair as a gotcha, or drop it."""
    if asked.given("decision") not in {"keep", "drop"}:
        raise InvalidEntryError("Say which: keep or drop.")
    decided = decide_repair(
        desk.memory,
        desk.project_root,
        note_id=asked.values["id"],
        wanted=asked.given("decision") == "keep",
    )
    return Redirect("/review", [decided.line, *decided.problems])


def decide_on_lesson(desk: Desk, asked: PageRequest) -> Reply:
    """Take a decision of the review on one lesson."""
    entry_id, key = asked.given("id"), asked.given("key")
    waiting = (
        item
        for item in desk.items_to_review()
        if isinstance(item, LessonToReview) and item.entry.entry_id == entry_id
    )
    item = next(waiting, None)
    if item is None:
        return Redirect("/review", ["That was decided already"])
    return Redirect("/review", [*settle(desk.memory, desk.project_root, item, key=key)])


def decide_on_group(desk: Desk, asked: PageRequest) -> Reply:
    """Take one decision on all items of a group of the review."""
    group = asked.given("group")
    if group not in GROUPS:
        raise InvalidEntryError("Say which group.")
    line = settle_group(desk.memory, desk.project_root, group, key=asked.given("key"))
    return Redirect("/review", [line])


def take_over(desk: Desk, asked: PageRequest) -> Reply:
    """Take a manual edit of a knowledge bank over into the store."""
    entry, text = known(desk, asked.values["id"]), asked.given("text")
    wanted = EntryChange(description=text) if text else EntryChange(importance_tier="deprecated")
    done = build_edit_lesson(desk.memory, desk.project_root).apply(entry.entry_id, wanted)
    problems = embed_now(desk.memory.spaces) if done.changed.needs_vectors else ()
    return Redirect("/review", [*change_confirmation(done.changed), *problems])
