"""`hardwon import` of the memory of another program."""

import os
import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import typer

from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.own_files import MEMORY
from hardwon.domain.use_cases.import_external import (
    ExternalItems,
    ExternalOutcome,
    items_of,
)
from hardwon.entrypoints.bootstrap import name_of
from hardwon.entrypoints.bootstrap_capture import build_import_external, open_external
from hardwon.entrypoints.bootstrap_files import folder_of_files
from hardwon.entrypoints.bootstrap_upkeep import STANDARD_STREAM
from hardwon.entrypoints.capture import build_learn, capturing
from hardwon.entrypoints.cli.console import OUR_FAILURE, ask, print_json, progress, say, warn
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.options import ensure_storable, open_for
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.external_memory import ExternalMemory

PART = 200
"""Lessons of a transaction."""

MAX_PROJECTS = 10
OTHER_PROJECTS = "nothing in it is of {!r}, but of {}: run it there, or give --everywhere"
EMPTY = "it is {}, and nothing in it can be imported"
OF_OTHERS = "goes with the file of another program"
NOT_IMPORTED = "nothing was imported from it, or all was taken back"


class ExternalOptions(NamedTuple):
    """
    The options of an import from another program.

    Attributes:
        everywhere: Whether all its projects are read, and lessons shown in all of the user's.
    """

    everywhere: bool
    undo: bool
    yes: bool
    dry_run: bool
    no_embed: bool
    as_json: bool

    def ask(self, what: str, about: Iterable[str] = ()) -> None:
        """Ask for confirmation of *what*."""
        ask(what, yes=self.yes, dry_run=self.dry_run, as_json=self.as_json, about=about)


def import_external(
    file: str | None, options: ExternalOptions, project_root: str, global_store: str | None
) -> bool:
    """
    Import the memory of another program, or take that back, after a question.

    Returns:
        False for another file, or none.
    """
    external = None
    if file is not None and options.undo:
        _take_back(file, options, project_root=project_root, global_store=global_store)
        return True
    if file is not None and file != STANDARD_STREAM:
        label = None if options.everywhere else name_of(project_root)
        external = open_external(file, project_root, label)
    if file is None or external is None:
        for option in ("undo", "dry_run", "everywhere"):
            if getattr(options, option):
                raise typer.BadParameter(OF_OTHERS, param_hint=f"'--{option.replace('_', '-')}'")
        return False
    _import(external, file, options, project_root=project_root, global_store=global_store)
    return True


def _import(
    external: ExternalMemory,
    file: str,
    options: ExternalOptions,
    project_root: str,
    global_store: str | None,
) -> None:
    ensure_storable(project_root)
    with progress() as bar:
        task = bar.add_task("reading", total=None)
        items = items_of(external, partial(bar.advance, task))
    if not items.total:
        raise UnreadableFileError(_reason(external, project_root))
    about = _about(items, project_root, everywhere=options.everywhere)
    options.ask(f"import {_counts(items)} of {external.title}", about)
    memory = open_for(project_root, global_store)
    learn = build_learn(memory, project_root, embed=False)
    imports = build_import_external(
        memory, project_root, os.path.realpath(file), everywhere=options.everywhere, learn=learn
    )
    imported = ExternalOutcome()
    with progress() as bar:
        task = bar.add_task("importing", total=items.total)
        for conversation in external.conversations():
            keep = partial(imports.keep_conversation, conversation)
            imported += capturing(
                memory.settings, memory.warn, project_root=project_root, work=keep
            )
            bar.advance(task)
        lessons = external.lessons()
        while part := [*islice(lessons, PART)]:
            imported += imports.keep_lessons(part)
            bar.advance(task, len(part))
    for problem in imported.problems:
        warn(problem)
    embedded = 0 if options.no_embed else embed_with_progress(memory.spaces)
    _print_imported(imported, file, embedded, as_json=options.as_json)


def _print_imported(imported: ExternalOutcome, file: str, embedded: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"imported": imported, "embedded": embedded})
    else:
        vectors = counted(embedded, "vector", "vectors")
        say(f"Imported {_counts(imported)}, {imported.known} known already; {vectors} made.")
        if imported.conversations or imported.lessons:
            say(f"hardwon import {shlex.quote(file)} --undo takes it back")
    if imported.problems:
        raise typer.Exit(OUR_FAILURE)


def _take_back(
    file: str, options: ExternalOptions, project_root: str, global_store: str | None
) -> None:
    """Remove what was imported from *file*, which may be gone."""
    memory = open_for(project_root, global_store, create=False)
    learn = build_learn(memory, project_root, embed=False)
    imports = build_import_external(
        memory, project_root, os.path.realpath(file), everywhere=False, learn=learn
    )
    entries = imports.entries()
    if not entries:
        raise UnreadableFileError(NOT_IMPORTED)
    what = counted(len(entries), "entry", "entries")
    options.ask(f"remove {what} imported from {file}")
    learned = capturing(
        memory.settings, memory.warn, project_root=project_root, work=imports.take_back
    )
    for problem in learned.problems:
        warn(problem)
    if options.as_json:
        print_json({"removed": len(entries)})
    else:
        say(f"Removed: {what}")
    if learned.problems:
        raise typer.Exit(OUR_FAILURE)


def _about(items: ExternalItems, project_root: str, *, everywhere: bool) -> Iterator[str]:
    yield from (on_one_line(f"  {name:.100}") for name in items.names)
    more = items.total - len(items.names)
    yield from [f"  and {more} more"] * bool(more)
    folder = os.path.join(folder_of_files(project_root), MEMORY)
    if items.conversations:
        yield f"conversations are kept in {folder}"
    if items.lessons:
        place = "in all of your projects" if everywhere else "in this project only"
        yield f"lessons are shown {place}"


def _counts(items: ExternalItems | ExternalOutcome) -> str:
    return (
        f"{counted(items.conversations, 'conversation', 'conversations')} and"
        f" {counted(items.lessons, 'lesson', 'lessons')}"
    )


def _reason(external: ExternalMemory, project_root: str) -> str:
    if projects := external.projects:
        named = ", ".join(projects[:MAX_PROJECTS])
        return OTHER_PROJECTS.format(name_of(project_root), named)
    return EMPTY.format(external.title)
