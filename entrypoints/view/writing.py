"""Forms that write a lesson: new, edited, merged."""

from collections.abc import Mapping

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import HardwonError, InvalidEntryError, UnknownEntryError
from hardwon.domain.use_cases.edit_lesson import ensure_mergeable
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.entrypoints.bootstrap import name_of
from hardwon.entrypoints.bootstrap_files import build_edit_file, with_citations
from hardwon.entrypoints.bootstrap_upkeep import build_edit_lesson, build_merge_lessons
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now, nearest_to
from hardwon.entrypoints.lesson_draft import LessonDraft, split_keywords
from hardwon.entrypoints.presenters.entries import (
    SWITCHED_OFF,
    change_confirmation,
    complaints_of_citations,
    complaints_of_keywords,
    complaints_of_length,
    complaints_of_private,
    storing_confirmation,
)
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest, Redirect, Reply
from hardwon.entrypoints.view.entry_pages import (
    edit_page,
    entry_path,
    known,
    markdown_of,
    meant,
    refusal,
    state_of,
)

CHANGED_MEANWHILE = (
    "The entry was changed since the form was opened, so nothing was stored. What is stored now is"
    " shown below the form. Store again to replace it."
)
GONE_MEANWHILE = (
    "The entry was deleted or forgotten since the form was opened, so nothing was stored. What you"
    " typed is here: store it as a new lesson, or leave it."
)
CATEGORY_WORDS: Mapping[str, str] = {
    "patterns": "pattern: do it so",
    "anti-patterns": "anti-pattern: avoid it",
    "heuristics": "heuristic: a rule of thumb",
}


def edit(desk: Desk, asked: PageRequest) -> Reply:
    """Store a form's text, or show the form with the problem."""
    try:
        entry = known(desk, asked.values["id"])
    except UnknownEntryError:
        typed = {"description": [asked.given("markdown")], **asked.form}
        return new_page(desk, asked._replace(form=typed), problem=GONE_MEANWHILE)
    try:
        markdown = markdown_of(desk, entry)
        if asked.given("seen") != state_of(entry, markdown):
            raise InvalidEntryError(CHANGED_MEANWHILE)
        return (
            _edit_lesson(desk, entry, asked)
            if entry.kind == "learning"
            else _edit_file(desk, entry, before=markdown, asked=asked)
        )
    except HardwonError as error:
        return edit_page(desk, asked, given=asked, problem=str(error))


def new_page(
    desk: Desk, asked: PageRequest, given: PageRequest | None = None, problem: str = ""
) -> Page:
    """Return the form for a new lesson, with what was refused."""
    del desk
    form = (given or asked).first_values()
    return Page("new", {"form": form, "categories": CATEGORY_WORDS, **refusal(problem)})


def add(desk: Desk, asked: PageRequest) -> Reply:
    """Store a new lesson, or show the form with the problem."""
    draft = LessonDraft(
        name=asked.given("name"),
        category=asked.given("category"),
        keywords=split_keywords([asked.given("keywords")]),
        reasoning=_text(asked, "reasoning"),
        references=tuple(_text(asked, "references").splitlines()),
        text=_text(asked, "description"),
    )
    is_of_project = asked.given("reach") == "home"
    try:
        if not desk.memory.settings.semantic_enabled:
            raise InvalidEntryError(SWITCHED_OFF)
        entry = draft.entry(name_of(desk.project_root) or None, desk.clock.now())
        workplace = read_workplace(desk.memory, desk.project_root)
        origin = Origin(workplace, "add", "home" if is_of_project else "everywhere")
        cited = with_citations(entry, desk.project_root)
        stored = StoreEntry.on(desk.memory.store, origin).keep(cited)
    except HardwonError as error:
        return new_page(desk, asked, given=asked, problem=str(error))
    notice = [
        *storing_confirmation(stored),
        *complaints_of_private(draft.name, draft.text, draft.reasoning),
        *complaints_of_keywords(draft.keywords, stored.entry),
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
    if "keywords" in asked.form:
        change = attrs.evolve(change, keywords=split_keywords([asked.given("keywords")]))
    return edited(desk, entry.entry_id, change)


def edited(desk: Desk, entry_id: str, change: EntryChange) -> Redirect:
    """Change a learning and the banks that hold it, and return its page."""
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


def merge_page(
    desk: Desk, asked: PageRequest, given: PageRequest | None = None, problem: str = ""
) -> Page:
    """Return the form that merges two learnings."""
    older, newer = (
        known(desk, (given or asked).query.get(name, "") or (given or asked).given(name))
        for name in ("older", "newer")
    )
    ensure_mergeable(older, newer)
    form = {
        "name": newer.name,
        "description": f"{newer.description}\n\n{older.description}",
        "reasoning": "\n\n".join(filter(None, (newer.reasoning, older.reasoning))),
        **(given.first_values() if given else {}),
    }
    return Page("merge", {"older": older, "newer": newer, "form": form, **refusal(problem)})


def begin_merge(desk: Desk, asked: PageRequest) -> Reply:
    """Return the form that merges two entries."""
    entry, other = known(desk, asked.values["id"]), meant(desk, asked.given("other").strip())
    older, newer = sorted((entry, other), key=lambda known: (known.created_at, known.number or 0))
    return merge_page(desk, PageRequest(query={"older": older.entry_id, "newer": newer.entry_id}))


def merge(desk: Desk, asked: PageRequest) -> Reply:
    """Merge two learnings into the newer one."""
    try:
        older, newer = known(desk, asked.given("older")), known(desk, asked.given("newer"))
    except UnknownEntryError:
        if not asked.given("description"):
            raise
        return new_page(desk, asked, problem=GONE_MEANWHILE)
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
    except HardwonError as error:
        return merge_page(desk, asked, given=asked, problem=str(error))
    merged = done.changed.entry
    notice = [
        f"Merged: {merged.name} takes the place of {older.name}",
        *done.skipped,
        *embed_now(desk.memory.spaces),
    ]
    return Redirect(asked.given("back") or entry_path(merged.entry_id), notice)
