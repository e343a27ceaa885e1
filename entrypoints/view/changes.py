"""Handlers of forms that change something."""

from collections.abc import Sequence

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange, undoing
from hardwon.domain.model.errors import InvalidEntryError, UnknownEntryError
from hardwon.domain.use_cases.edit_entries import ChangeEntry, ValidateEntry
from hardwon.domain.use_cases.forget import ErasureOutcome, ErasurePlan, ErasureRequest
from hardwon.domain.use_cases.review_memory import LessonToReview
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.bootstrap_upkeep import (
    build_edit_lesson,
    build_forget_for_good,
)
from hardwon.entrypoints.capture import (
    complete_interrupted,
    decide_repair,
    while_nothing_is_captured,
)
from hardwon.entrypoints.embed_after_write import embed_now
from hardwon.entrypoints.presenters.entries import (
    by_place,
    change_confirmation,
    judgement,
)
from hardwon.entrypoints.presenters.projects import trust_line
from hardwon.entrypoints.presenters.review import GROUPS
from hardwon.entrypoints.presenters.text import counted
from hardwon.entrypoints.review import settle, settle_group
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest, Redirect, Reply
from hardwon.entrypoints.view.entry_pages import changes_of, entry_path, known, meant
from hardwon.entrypoints.view.writing import edited

MAX_CHOSEN = 1_000
NOTHING_CHOSEN = "No entry is selected: tick the boxes of those that you mean, then try again."


def change(desk: Desk, asked: PageRequest) -> Reply:
    """Change an entry's tier, reach, or successor."""
    entry = known(desk, asked.values["id"])
    field, value = asked.given("field"), asked.given("value").strip()
    if field == "superseded_by":
        changed = Supersede.on(desk.memory.store, desk.memory.clock).apply(
            entry.entry_id, meant(desk, value).entry_id if value else ""
        )
    elif field in {"importance_tier", "reach"}:
        change = EntryChange(**{field: value})  # type: ignore[arg-type]
        changed = ChangeEntry.on(desk.memory.store, desk.memory.clock).apply(entry.entry_id, change)
    else:
        raise InvalidEntryError(f"{field[:80]!r} is not changed by this form")
    problems = embed_now(desk.memory.spaces) if changed.needs_vectors else ()
    return Redirect(entry_path(changed.entry.entry_id), [*change_confirmation(changed), *problems])


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
        return edited(desk, entry.entry_id, undone)
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
    return Redirect(asked.given("back") or "/memory", [trust_line(project, know.registry())])


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
    repository = desk.memory.repository
    found = [repository.by_id(entry_id) or repository.reworded(entry_id) for entry_id in ids]
    entries = [entry for entry in found if entry]
    if gone := len(ids) - len(entries):
        raise UnknownEntryError(
            f"{gone} of {counted(len(ids), 'selected entry', 'selected entries')} was deleted or"
            " forgotten meanwhile. Nothing was changed: go back, reload the list and select again."
        )
    return entries


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
    return Redirect(asked.given("back") or "/memory", [summary, *problems])


def _trust_chosen(desk: Desk, entries: Sequence[Entry], asked: PageRequest) -> Redirect:
    know = build_know_projects(desk.memory)
    lines = list[str]()
    for project_id in dict.fromkeys(entry.project for entry in entries if entry.project):
        project = know.registry().with_id(project_id)
        if project and not project.is_waiting:
            lines.append(trust_line(know.trust(project, trusted=True), know.registry()))
    return Redirect(
        asked.given("back") or "/memory",
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
        return Redirect(
            asked.given("back") or "/memory", [*notes, "Nothing that hardwon keeps holds it"]
        )
    if asked.given("confirmed") != "yes":
        return Page(
            "forget",
            {
                "plan": plan,
                "places": by_place(plan.found),
                "ids": ids,
                "back": asked.given("back") or "/memory",
                "notes": notes,
            },
        )
    plan = plan.keeping_banks() if asked.given("keep_banks") == "yes" else plan
    begun = plan.begun
    done = while_nothing_is_captured(
        desk.memory.settings.global_store, lambda: forgetting.erase(begun)
    )
    return Page(
        "forgotten",
        {
            "plan": plan,
            "done": done,
            "lines": _report(plan, done),
            "back": asked.given("back") or "/memory",
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


def _back(asked: PageRequest) -> str:
    """Return the place in the review where the decision was taken."""
    return asked.given("back") or "/review"


def decide(desk: Desk, asked: PageRequest) -> Reply:
    """Decide a pair: the newer learning supersedes the older, or both stay."""
    older, newer = known(desk, asked.given("older")), known(desk, asked.given("newer"))
    if asked.given("decision") == "supersede":
        changed = Supersede.on(desk.memory.store, desk.memory.clock).apply(
            older.entry_id, newer.entry_id
        )
        return Redirect(_back(asked), change_confirmation(changed))
    if asked.given("decision") == "keep":
        was_open = desk.memory.store.proposals.reject(older.entry_id, newer.entry_id)
        return Redirect(
            _back(asked),
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
    return Redirect(_back(asked), [decided.line, *decided.problems])


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
        return Redirect(_back(asked), ["That was decided already"])
    return Redirect(_back(asked), [*settle(desk.memory, desk.project_root, item, key=key)])


def decide_on_group(desk: Desk, asked: PageRequest) -> Reply:
    """Take one decision on all items of a group of the review."""
    group = asked.given("group")
    if group not in GROUPS:
        raise InvalidEntryError("Say which group.")
    line = settle_group(desk.memory, desk.project_root, group, key=asked.given("key"))
    return Redirect(_back(asked), [line])


def take_over(desk: Desk, asked: PageRequest) -> Reply:
    """Take a manual edit of a knowledge bank over into the store."""
    entry, text = known(desk, asked.values["id"]), asked.given("text")
    wanted = EntryChange(description=text) if text else EntryChange(importance_tier="deprecated")
    done = build_edit_lesson(desk.memory, desk.project_root).apply(entry.entry_id, wanted)
    problems = embed_now(desk.memory.spaces) if done.changed.needs_vectors else ()
    return Redirect(_back(asked), [*change_confirmation(done.changed), *problems])
