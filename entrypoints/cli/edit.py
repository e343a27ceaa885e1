"""`hardwon edit`: correct a text, or import manual edits."""

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.text import with_newlines
from hardwon.domain.use_cases.edit_lesson import EditFile, EditLesson, LessonEditOutcome
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.review_memory import FileDrift
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap_files import (
    bank_files,
    build_edit_file,
    read_markdown,
    write_markdown,
)
from hardwon.entrypoints.bootstrap_upkeep import build_edit_lesson
from hardwon.entrypoints.cli.console import agrees, can_be_asked, print_json, say, warn
from hardwon.entrypoints.cli.editor import edited
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.cli.options import (
    REFERENCE_HELP,
    AsJson,
    GlobalStore,
    ProjectRoot,
    find_entry,
    open_for,
)
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now
from hardwon.entrypoints.presenters.entries import (
    change_confirmation,
    complaints_of_private,
    drift_line,
    entry_document,
    named,
)
from hardwon.entrypoints.streams import standard_input, valid_text
from hardwon.ports.entries import EntryRepository

EDIT_EXAMPLES = """\b
Examples:
  hardwon edit 42
  hardwon edit 42 --description "Decode chunks in steps: a character can straddle two reads"
  echo '{"name": "Decode in steps", "reasoning": "Seen twice."}' | hardwon edit 42 -"""

HINT = """\
<!-- Correct the lesson below this line, and its fields above. An empty lesson, or one left as it is, changes nothing. -->
"""
UNCHANGED = "Nothing was changed: the text is as it was"
EMPTIED = "Nothing was changed: the text is empty"
NO_EDITOR = (
    "there is no terminal and no $EDITOR here: give --description, --name or --reasoning, or - for"
    " their JSON on standard input"
)


class EditedTexts(NamedTuple):
    """New texts of a lesson, None for one that stays."""

    name: str | None = None
    description: str | None = None
    reasoning: str | None = None

    def change_of(self, entry: Entry) -> EntryChange:
        """Return the change to *entry*, without unchanged texts."""
        new = {
            field: text
            for field, text in self._asdict().items()
            if text not in {None, getattr(entry, field)}
        }
        return EntryChange(
            **{"title" if field == "name" else field: text for field, text in new.items()}
        )


def edit(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    fields: Annotated[
        str | None,
        typer.Argument(
            metavar="[-]",
            help=(
                "With -, a JSON object of name, description and reasoning is read from"
                " standard input."
            ),
            show_default=False,
        ),
    ] = None,
    *,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The new title on one line.")
    ] = None,
    description: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The corrected lesson.")
    ] = None,
    reasoning: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why it matters, and how it was found.")
    ] = None,
    superseded_by: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help=('The lesson that replaces it and is ranked above it; "" for none.')
        ),
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Correct the text of an entry.

    The store and the entry's knowledge bank or file are changed.

    Without a text it opens $VISUAL or $EDITOR. A lesson keeps its counters and is still found by
    its old id. An import does not bring its old text back. For a session or a captured section the
    editor shows the markdown of its file. Edit your own documents yourself.
    """
    memory = open_for(project_root, global_store, create=False)
    entry = find_entry(memory.repository, entry_id)
    if superseded_by is not None:
        if fields or name or description or reasoning:
            raise typer.BadParameter("goes with no text", param_hint="'--superseded-by'")
        return _supersede(
            Supersede.on(memory.store, memory.clock),
            memory.repository,
            entry=entry,
            reference=superseded_by,
            as_json=as_json,
        )
    given = _given(fields, EditedTexts(name, description, reasoning))
    if entry.file_path:
        return _edit_file(
            build_edit_file(memory, project_root, read_workplace(memory, project_root)),
            memory.spaces,
            entry=entry,
            given=given,
            as_json=as_json,
        )
    with contextlib.ExitStack() as stack:
        texts = given or read_texts(
            stack.enter_context(edited(template(entry.name, entry.description, entry.reasoning)))
        )
        if texts is None:
            return say(EMPTIED)
        for line in complaints_of_private(*filter(None, texts)):
            warn(line)
        change = texts.change_of(entry)
        if change.is_empty:
            return say(UNCHANGED)
        done = build_edit_lesson(memory, project_root).apply(entry.entry_id, change)
    return _print_edited(memory.spaces, done, project_root, as_json=as_json)


def _supersede(
    supersede: Supersede,
    repository: EntryRepository,
    entry: Entry,
    reference: str,
    *,
    as_json: bool,
) -> None:
    newer = find_entry(repository, reference).entry_id if reference.strip() else ""
    changed = supersede.apply(entry.entry_id, newer)
    if as_json:
        return print_json(
            {
                "changed": [item._asdict() for item in changed.changes],
                "changed_in": [],
                "entry": entry_document(changed.entry),
            }
        )
    for line in change_confirmation(changed):
        say(line)
    return None


def _edit_file(
    edit_file: EditFile, spaces: Spaces, entry: Entry, given: EditedTexts | None, *, as_json: bool
) -> None:
    before = edit_file.text_of(entry)
    if given:
        raise InvalidEntryError(
            f"its text is that of its file: edit {entry.file_path}, or give no text for your editor"
        )
    shown = with_newlines(before).rstrip("\n")
    with edited(f"{shown}\n") as text:
        if not text.strip() or text.rstrip("\n") == shown:
            return say(UNCHANGED if text.strip() else EMPTIED)
        after = with_newlines(before).replace(shown, text.rstrip("\n"), 1)
        done = edit_file.apply(
            entry, before, after.replace("\n", "\r\n") if "\r\n" in before else after
        )
    for line in (*done.warnings, *done.skipped, *embed_now(spaces)):
        warn(line)
    stored = spaces.store.entries.by_id(entry.entry_id) or entry
    if as_json:
        print_json({"changed_in": [entry.file_path], "entry": entry_document(stored)})
    else:
        say(f"Updated: {named(stored)}")
        say(f"  changed in {entry.file_path}")
    return None


def _given(fields: str | None, options: EditedTexts) -> EditedTexts | None:
    """Return the texts from options and standard input, None to open the editor."""
    if fields not in {None, "-"}:
        raise typer.BadParameter(f"{fields!r} is neither - nor an option", param_hint="[-]")
    read = _from_json(standard_input()) if fields else {}
    typed = {
        field: valid_text(text) for field, text in options._asdict().items() if text is not None
    }
    if read or typed:
        return EditedTexts(**{**read, **typed})
    if fields or not (can_be_asked() or os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise InvalidEntryError(NO_EDITOR)
    return None


def _from_json(text: str) -> dict[str, str]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidEntryError(f"standard input is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidEntryError(
            f"standard input must be a JSON object of {', '.join(EditedTexts._fields)}"
        )
    return _texts(fields)


def template(name: str, description: str, reasoning: str) -> str:
    """Return the markdown in which a lesson is edited."""
    return write_markdown({"name": name, "reasoning": reasoning}, f"{HINT}\n{description}\n")


def read_texts(text: str) -> EditedTexts | None:
    """Parse an edited template, None if the lesson is empty."""
    markdown = read_markdown(text, is_draft=True)
    lesson = markdown.body.replace(HINT.strip(), "").strip()
    if not lesson:
        return None
    for complaint in markdown.complaints:
        raise InvalidEntryError(complaint)
    fields = {field: "" if value == () else value for field, value in markdown.front_matter.items()}
    return EditedTexts(**_texts(fields))._replace(description=lesson)


def _texts(fields: Mapping[str, object]) -> dict[str, str]:
    """Check that *fields* are texts of a lesson."""
    texts = dict[str, str]()
    for field, value in fields.items():
        if field not in EditedTexts._fields:
            raise InvalidEntryError(
                f"unknown field {field!r}: use {', '.join(EditedTexts._fields)}"
            )
        if not isinstance(value, str):
            raise InvalidEntryError(f"{field} is {value!r}: it must be text")
        texts[field] = value
    return texts


def _print_edited(
    spaces: Spaces, done: LessonEditOutcome, project_root: str, *, as_json: bool
) -> None:
    bank = bank_files(project_root, spaces.settings)
    paths = [bank.path(place) for place in done.places]
    for line in (*done.skipped, *(embed_now(spaces) if done.changed.needs_vectors else ())):
        warn(line)
    if as_json:
        changed = [item._asdict() for item in done.changed.changes]
        print_json(
            {"changed": changed, "changed_in": paths, "entry": entry_document(done.changed.entry)}
        )
    for line in (
        ()
        if as_json
        else (*change_confirmation(done.changed), *(f"  changed in {path}" for path in paths))
    ):
        say(line)
    label_after_output(spaces.store, spaces.settings)


def take_over(
    edit_lesson: EditLesson, drifts: Sequence[FileDrift], show: Callable[[str], None], *, yes: bool
) -> list[FileDrift]:
    """
    Apply and return the manual edits that the user accepts.

    An edited lesson is reworded; a removed one is deprecated, and can be brought back.
    """
    if drifts and not yes and not can_be_asked():
        raise typer.TyperException(
            "nobody can be asked here whether to take the changes over: give --yes"
        )
    return [drift for drift in drifts if _is_taken_over(edit_lesson, drift, show, yes=yes)]


def _is_taken_over(
    edit_lesson: EditLesson, drift: FileDrift, show: Callable[[str], None], *, yes: bool
) -> bool:
    change = (
        EntryChange(description=drift.text)
        if drift.text
        else EntryChange(importance_tier="deprecated")
    )
    show(drift_line(drift))
    show(f"  before: {drift.entry.description}")
    show(f"  after:  {drift.text or 'removed'}")
    if not (
        yes
        or agrees(
            "Reword it in the store?" if drift.text else "Deprecate it, so that no search finds it?"
        )
    ):
        return False
    done = edit_lesson.apply(drift.entry.entry_id, change)
    for line in change_confirmation(done.changed):
        show(line)
    return True
