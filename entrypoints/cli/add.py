"""`hardwon add`: store one lesson, from the command line or an editor."""

import contextlib
from collections.abc import Sequence
from typing import Annotated

import attrs
import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.vocabulary import Category, Confidence
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry, StoreEntry
from hardwon.entrypoints.bootstrap import keep_in, name_of, system_clock
from hardwon.entrypoints.bootstrap_files import read_markdown, with_citations, write_markdown
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.cli.console import can_be_asked, print_json, say, warn
from hardwon.entrypoints.cli.editor import edited
from hardwon.entrypoints.cli.embed import label_after_output
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, resolve
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now, nearest_to, send_or_warn
from hardwon.entrypoints.lesson_draft import LessonDraft, split_keywords
from hardwon.entrypoints.presenters.entries import (
    SWITCHED_OFF,
    complaints_of_citations,
    complaints_of_keywords,
    complaints_of_length,
    complaints_of_private,
    entry_document,
    nearest_document,
    nearest_lines,
    storing_confirmation,
)
from hardwon.entrypoints.streams import is_piped, standard_input, valid_text

ADD_EXAMPLES = """\b
Examples:
  hardwon add "Decode chunks incrementally: a character can straddle two reads"
  hardwon add "Never drop bytes silently" --category anti-patterns --keyword encoding
  hardwon add"""

NOTHING = (
    "there is nothing to add: give a TEXT, pipe one, or run it in a terminal to write one in"
    " $EDITOR"
)
EMPTY = "nothing was added: the lesson is empty"
HINT = """\
<!-- Write the lesson below this line: what to do or avoid, and when. Without a name, its first words are its name.
     An empty lesson adds nothing. -->
"""


FRONT_MATTER = tuple(field.name for field in attrs.fields(LessonDraft) if field.name != "text")
"""The fields of a draft that stand above its text."""


def _template(draft: LessonDraft) -> str:
    """Return the markdown to open in the editor."""
    fields = attrs.asdict(draft, recurse=False)
    text = fields.pop("text")
    return write_markdown(fields, f"{HINT}\n{text}")


def add(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT|-]",
            help=(
                "The lesson with its conclusion (- for standard input). Without it, your"
                " editor opens."
            ),
            show_default=False,
        ),
    ] = None,
    *,
    category: Annotated[Category, typer.Option(help="The sort of lesson.")] = "heuristics",
    name: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="A short title on one line (default: the first words).",
            show_default=False,
        ),
    ] = "",
    keyword: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="A label. Separate several by commas, or repeat the option.",
            show_default=False,
        ),
    ] = None,
    reasoning: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Why it matters, and how it was found.", show_default=False
        ),
    ] = "",
    signature: Annotated[
        str,
        typer.Option(
            metavar="LINE",
            help="The error line that it explains. It is shown when a command fails with it.",
            show_default=False,
        ),
    ] = "",
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="A file or feature that it is about. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    confidence: Annotated[Confidence, typer.Option(help="How certain the lesson is.")] = "medium",
    universal: Annotated[
        bool, typer.Option("--universal", help="Do not name a project as its source.")
    ] = False,
    here: Annotated[bool, typer.Option("--here", help="Show it in this project only.")] = False,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Make the vector later.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a lesson, or count a known one again.

    Without TEXT, a terminal opens $VISUAL or $EDITOR. Secrets are redacted.
    """
    settings = resolve(project_root, global_store).settings
    if not settings.semantic_enabled:
        raise typer.TyperException(SWITCHED_OFF)
    options = LessonDraft(
        name=valid_text(name),
        category=category,
        keywords=split_keywords(map(valid_text, keyword or ())),
        reasoning=valid_text(reasoning),
        references=tuple(map(valid_text, reference or ())),
        confidence=confidence,
    )
    text = _text(words or [])
    with contextlib.ExitStack() as stack:
        draft = attrs.evolve(options, text=text or "")
        if text is None:
            draft = _read(stack.enter_context(edited(_template(options))))
        if error := valid_text(signature).strip():
            draft = attrs.evolve(draft, text=f"{draft.text}\n\nThe error: {error}")
        for line in complaints_of_private(draft.name, draft.text, draft.reasoning):
            warn(line)
        entry = draft.entry(
            None if universal else name_of(project_root) or None, system_clock().now()
        )

        def keep(memory: Memory) -> tuple[StoredEntry, Workplace]:
            workplace = read_workplace(memory, project_root)
            origin = Origin(workplace, "add", "home" if here else "everywhere")
            kept = StoreEntry.on(memory.store, origin).keep(with_citations(entry, project_root))
            return kept, workplace

        memory, (stored, workplace) = keep_in(settings, warn, keep)
    send_or_warn(memory, project_root)
    for problem in [] if no_embed else embed_now(memory.spaces):
        warn(problem)
    nearest = nearest_to(memory.spaces, stored.entry, workplace)
    _print_stored(stored, draft, nearest, as_json=as_json)
    if not no_embed:
        label_after_output(memory.store, memory.settings)


def _text(words: list[str]) -> str | None:
    """Return the lesson from arguments or standard input, None to open the editor."""
    if words and words != ["-"]:
        return valid_text(" ".join(words))
    if not words and can_be_asked():
        return None
    text = standard_input() if words or is_piped(patient=True) else ""
    if not text.strip():
        raise InvalidEntryError(NOTHING)
    return text


def _read(text: str) -> LessonDraft:
    """Parse a filled-in template."""
    markdown = read_markdown(text, is_draft=True)
    lesson = markdown.body.replace(HINT.strip(), "").strip()
    if not lesson:
        raise typer.TyperException(EMPTY)
    for complaint in markdown.complaints:
        raise InvalidEntryError(complaint)
    for field in markdown.front_matter.keys() - {*FRONT_MATTER, "text"}:
        raise InvalidEntryError(f"unknown field {field!r}: use {', '.join(FRONT_MATTER)}")
    values = {
        field: _of_shape(field, value=value) for field, value in markdown.front_matter.items()
    }
    return LessonDraft(**{**values, "text": lesson})  # type: ignore[arg-type]


def _of_shape(field: str, *, value: str | bool | tuple[str, ...]) -> str | tuple[str, ...]:
    """
    Convert the value of *field* to the type in `LessonDraft`.

    Keywords may stand in one line with commas.
    """
    if field in {"keywords", "references"} and not isinstance(value, bool):
        texts = (value,) if isinstance(value, str) else tuple(value)
        return split_keywords(texts) if field == "keywords" else texts
    if isinstance(value, str):
        return value
    raise InvalidEntryError(f"{field} is {value!r}: it must be text")


def _print_stored(
    stored: StoredEntry, draft: LessonDraft, nearest: Sequence[Entry], *, as_json: bool
) -> None:
    for line in (
        *complaints_of_keywords(draft.keywords, stored.entry),
        *complaints_of_length(stored.entry),
        *complaints_of_citations(stored.entry),
    ):
        warn(line)
    way = f"hardwon edit ID --superseded-by {stored.entry.entry_id}"
    if as_json:
        near = {"nearest": nearest_document(nearest), "to_supersede": way if nearest else None}
        print_json({**entry_document(stored.entry), "merged": stored.merged, **near})
        return
    for line in (*storing_confirmation(stored), *nearest_lines(nearest, way)):
        say(line)
