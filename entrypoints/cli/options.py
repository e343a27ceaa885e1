"""Options that commands share, and what they resolve to."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from hardwon.domain.model.errors import ServerAwayError, StorageError
from hardwon.domain.model.filters import COLLECTIONS, CollectionName, EntryFilter, Scope, ScopeName
from hardwon.domain.model.settings import ResolvedSettings
from hardwon.domain.model.vocabulary import Kind, Tier
from hardwon.entrypoints.bootstrap import (
    build_know_projects,
    open_memory,
    open_outbox,
    present_pause,
    read_settings,
    system_clock,
    who_asks,
)
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.cli.console import at_end, warn
from hardwon.entrypoints.cli.parameters import BadOptionError, CommandOption
from hardwon.entrypoints.context import look_up_clone
from hardwon.entrypoints.streams import readable

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.ports.entries import EntryRepository

MOST = 2**31 - 1

ALL = "all"

In: TypeAlias = Annotated[CollectionName, CommandOption("--in", help="Which collection.")]
OfKinds: TypeAlias = Annotated[
    list[str] | None,
    CommandOption(
        "--type", metavar="KIND|all", help=("Only this kind of the collection. Can be repeated.")
    ),
]
Permanent: TypeAlias = Annotated[
    bool, CommandOption("--permanent", help="Only entries that never expire.")
]
Tag: TypeAlias = Annotated[
    str | None, CommandOption(metavar="TAG", help="Only entries with this tag.")
]
OfTier: TypeAlias = Annotated[
    Tier | None, CommandOption("--tier", help="Only entries of this tier.")
]
OfSpecFolder: TypeAlias = Annotated[
    str | None,
    CommandOption("--spec-folder", metavar="FOLDER", help="Only entries of this specification."),
]
OfScope: TypeAlias = Annotated[
    ScopeName | None,
    CommandOption(
        "--scope",
        help=(
            "Where entries may come from (default: lessons that may be shown here, the"
            " others by collection). global is everything."
        ),
        show_default=False,
    ),
]
OfProject: TypeAlias = Annotated[
    str | None, CommandOption("--project", metavar="NAME", help="Only entries of this project.")
]
OfWorkspace: TypeAlias = Annotated[
    str | None,
    CommandOption(
        "--workspace",
        metavar="NAME",
        help="Only entries of this workspace, or of --project if both are given.",
    ),
]


def kinds_of(collection: CollectionName, wanted: Sequence[str] | None) -> tuple[Kind, ...]:
    """Return the *wanted* kinds of *collection*, all by default."""
    kinds = COLLECTIONS[collection].kinds
    for kind in wanted or ():
        if kind not in (*kinds, ALL):
            raise BadOptionError(
                f"{kind!r} is not in {collection}: use {', '.join((*kinds, ALL))}",
                hint="'--type'",
            )
    return kinds if not wanted or ALL in wanted else tuple(kind for kind in kinds if kind in wanted)


def chosen(
    collection: CollectionName,
    kinds: Sequence[str] | None = None,
    *,
    project: str | None = None,
    workspace: str | None = None,
    permanent: bool = False,
    tag: str | None = None,
) -> EntryFilter:
    """
    Return the filter for a command's options.

    Missing options do not filter.
    """
    return EntryFilter(
        kinds=kinds_of(collection, kinds),
        scope=Scope((), _name(workspace)),
        label=_name(project),
        permanent=permanent,
        tag=_name(tag),
    )


def _name(given: str | None) -> str | None:
    return None if given is None else readable(given)


REFERENCE_HELP = "The id, or at least its first 4 characters, or the number."


def find_entry(repository: "EntryRepository", reference: str) -> "Entry":
    """
    Return the entry with that id, id prefix or number (rule U-3).

    Digits that match both a prefix and a number are ambiguous.
    """
    from hardwon.domain.use_cases.edit_entries import (
        SHORTEST_PREFIX,
        ids_begun,
        ids_numbered,
        is_number,
    )  # 15 ms

    reference = readable(reference)
    digits = reference.removeprefix("#")
    numbered = ids_numbered(repository, digits)
    begun = [] if reference.startswith("#") else ids_begun(repository, reference)
    found = {*numbered, *begun}
    if len(found) == 1 and (entry := repository.by_id(*found)):
        return entry
    if numbered and begun:
        raise _not_found(
            f"{reference!r} begins an id and is a number: give '#{digits}' for the number, or the"
            " whole id"
        )
    if begun:
        raise _not_found(f"more than one entry begins with {reference!r}")
    if len(digits) == len(reference) < SHORTEST_PREFIX and not is_number(digits):
        raise BadOptionError(
            f"{reference!r} is too short: give at least {SHORTEST_PREFIX} characters",
            hint="ID",
        )
    raise _not_found(f"no entry has the {'number' if is_number(digits) else 'id'} {reference!r}")


def ensure_storable(project_root: str) -> None:
    """Check that the store can hold the project's paths."""
    from hardwon.domain.model.own_files import NOT_STORABLE, is_storable

    real = os.path.realpath(project_root)
    if not is_storable(real):
        raise BadOptionError(f"{real!r}: {NOT_STORABLE}", hint="'--project-root'")


def _not_found(what: str) -> BadOptionError:
    return BadOptionError(f"{what} (hardwon list shows them)", hint="ID")


ProjectRoot: TypeAlias = Annotated[
    str,
    CommandOption(
        "--project-root",
        metavar="PATH",
        help="The project (default: the working folder).",
        show_default=False,
    ),
]
GlobalStore: TypeAlias = Annotated[
    str | None,
    CommandOption(
        "--global-store", metavar="PATH", help="The folder that holds memory.db, or postgresql://…"
    ),
]
Typed: TypeAlias = Annotated[
    bool,
    CommandOption(
        "--typed",
        help="Read text and options from standard input, as typed after a slash command.",
    ),
]
"""`with_typed` appends what was typed, before options are parsed."""

AsJson: TypeAlias = Annotated[bool, CommandOption("--json", help="Print JSON for scripts.")]


def resolve(
    project_root: str, global_store: str | None, *, in_pause: bool = False
) -> ResolvedSettings:
    """
    Return the settings for a project, and print their warnings.

    Args:
        project_root: The project's folder.
        global_store: The store's folder, None for the one in the settings.
        in_pause: Whether an agent can run the command during a pause.
    """
    if not os.path.isdir(project_root):
        raise BadOptionError(f"{project_root!r} is not a folder", hint="'--project-root'")
    flags = {"--global-store": global_store} if global_store else {}
    resolved = read_settings(project_root, flags)
    for warning in resolved.warnings:
        warn(warning)
    if not in_pause and who_asks() == "agent":
        _ensure_not_paused(resolved.settings.global_store)
    return resolved


def _ensure_not_paused(store: str) -> None:
    if pause := present_pause(store, system_clock().now()):
        from hardwon.entrypoints.presenters.pauses import refusal  # seldom needed

        raise StorageError(refusal(pause))


def open_for(
    project_root: str,
    global_store: str | None,
    *,
    create: bool = True,
    looks_up: bool = True,
    or_outbox: bool = False,
    in_pause: bool = False,
) -> Memory:
    """
    Open the store for a project.

    Args:
        project_root: The project's folder.
        global_store: The store's folder, None for the one in the settings.
        create: False for a read-only command, which never creates a store.
        looks_up: Whether to look up at once if it is a clone of a known project.
        or_outbox: Open the outbox while the server is away; once it is back, have it sent.
        in_pause: Whether an agent can run the command during a pause.
    """
    settings = resolve(project_root, global_store, in_pause=in_pause).settings
    try:
        memory = open_memory(settings, warn, create=create)
    except ServerAwayError as error:
        if not or_outbox:
            raise error.refusal from error
        memory = open_outbox(settings, warn, error)
        looks_up = False
    at_end.callback(memory.close)  # without the words of what it deleted
    if or_outbox and settings.server and not memory.away:
        from hardwon.entrypoints.bootstrap_capture import wake_to_send

        wake_to_send(settings, project_root)
    if memory.store.upkeep.has_outdated_keywords():
        from hardwon.entrypoints.bootstrap_capture import update_keyword_index_later

        update_keyword_index_later(memory.settings, warn=memory.warn, project_root=project_root)
    if looks_up:
        look_up_clone(build_know_projects(memory), memory.registry(), project_root)
    return memory
