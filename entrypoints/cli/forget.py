"""`hardwon forget`: erase entries and texts from everywhere, and prove it."""

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from typing import Annotated

import attrs
import typer

from hardwon.domain.model.erasure import MIN_TEXT_BYTES
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.identity import IDENTITY, folded
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import KINDS
from hardwon.domain.use_cases.edit_entries import ids_begun, ids_numbered, is_number
from hardwon.domain.use_cases.forget import (
    LESSON,
    ErasureOutcome,
    ErasurePlan,
    ErasureRequest,
    ForgetForGood,
)
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.bootstrap_upkeep import administer, build_forget_for_good, dismiss_folder
from hardwon.entrypoints.capture import complete_interrupted, while_nothing_is_captured
from hardwon.entrypoints.cli.console import (
    OUR_FAILURE,
    DryRun,
    Yes,
    agrees,
    ask,
    complain,
    print_json,
    say,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.project import ids_of_origin
from hardwon.entrypoints.presenters.entries import by_place
from hardwon.entrypoints.presenters.text import counted
from hardwon.entrypoints.streams import readable, standard_input, valid_text
from hardwon.ports.entries import EntryRepository

PREVIEWED = 20
SHORTEST_ID = 8
"""Minimum length of an id prefix. Anything shorter is a text."""

NOTHING_WANTED = (
    "say what to forget: a text, ids, or one of --since, --until, --session, --project, --origin,"
    " --kind"
)
FORGET_EXAMPLES = "Example: hardwon forget 'the codename of the customer'"


FORGET_TASKS = {"undo": (), "gone": (), "secrets": ("keep_bank", "yes", "dry_run")}


def forget(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT or ID]...",
            help="A text (- for standard input), or ids.",
            show_default=False,
        ),
    ] = None,
    *,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only entries made since then, such as 2026-11-23."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only entries made until then.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only entries of this session.")
    ] = None,
    project: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only entries of projects with this name.")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only entries of this project, by name, id or folder."),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help=("Only entries of this kind. Can be repeated.")
        ),
    ] = None,
    any_case: Annotated[
        bool,
        typer.Option(
            "--any-case", help=("Ignore letter case also for a text of up to three letters.")
        ),
    ] = False,
    keep_bank: Annotated[
        bool, typer.Option("--keep-bank", help="Do not change knowledge banks.")
    ] = False,
    secrets: Annotated[
        bool,
        typer.Option(
            "--secrets",
            help="Redact secrets in everything stored so far, by today's rules.",
        ),
    ] = False,
    undo: Annotated[
        str | None,
        typer.Option(
            "--undo-tombstone",
            metavar="ID",
            help="Allow a forgotten text to be stored again, by its id.",
        ),
    ] = None,
    vacuum: Annotated[
        bool,
        typer.Option(
            "--vacuum",
            help=(
                "On a server, also remove the bytes of deleted rows (VACUUM FULL), as the owner."
            ),
        ),
    ] = False,
    gone: Annotated[
        str | None,
        typer.Option(
            "--gone",
            metavar="FOLDER",
            help="Stop asking for a folder that is gone for good.",
            show_default=False,
        ),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Erase entries or texts for good, and prove it.

    It shows what is erased, and every place that holds it, and asks. Without a terminal it needs
    --yes, or --dry-run to show it only. Then it erases the text from the store and its copies, the journal of conversations,
    logs, and files that hardwon wrote. It searches all of these byte by byte. No import, capture or
    clone brings the text back.

    A text is found in all of its spellings: composed or decomposed, any letter case, full width, as
    JSON, and over several lines, also quoted or commented ones. hardwon delete can be undone.
    """
    memory = open_for(project_root, global_store, create=False, or_outbox=True)
    if undo is not None:
        _undo(memory.repository, readable(undo), as_json=as_json)
        return
    if gone is not None:
        _dismiss(
            memory.settings.global_store,
            os.path.realpath(os.path.expanduser(readable(gone))),
            as_json=as_json,
        )
        return
    if vacuum and memory.settings.server is None:
        raise typer.BadParameter(
            "the store is a file: each run writes it again", param_hint="'--vacuum'"
        )
    if vacuum and not (
        dry_run or wanted or since or until or session or project or origin or kinds or secrets
    ):
        administer(memory.settings.server).vacuum()
        say("The bytes of deleted rows were removed from the server's files")
        return
    forgetting = build_forget_for_good(memory, project_root)
    if secrets:
        _redact(
            memory.settings.global_store,
            forgetting,
            yes=yes,
            dry_run=dry_run,
            keep_bank=keep_bank,
            as_json=as_json,
        )
        return
    if not dry_run and (
        interrupted := complete_interrupted(memory.settings.global_store, forgetting)
    ):
        complain("An interrupted run of hardwon forget was completed")
        if not (wanted or since or until or session or project or origin or kinds):
            _report(None, interrupted, away=memory.away, as_json=as_json)
            return
    only = _filter(
        build_know_projects(memory), session=session, project=project, origin=origin, kinds=kinds
    )
    plan = forgetting.plan(
        attrs.evolve(
            _wanted(memory.repository, wanted or [], only=only, since=since, until=until),
            any_case=any_case,
        )
    )
    plan = plan.keeping_banks() if keep_bank else plan
    if plan.is_empty:
        done = forgetting.prove(plan.begun, plan.problems)
    else:
        ask("forget this for good", yes=yes, dry_run=dry_run, as_json=as_json, about=_preview(plan))
        plan = plan if _agrees_to_banks(plan, yes=yes) else plan.keeping_banks()
        begun = plan.begun
        done = while_nothing_is_captured(
            memory.settings.global_store, lambda: forgetting.erase(begun)
        )
    done = _vacuumed(memory.settings, done) if vacuum else done
    _report(plan, done, away=memory.away, as_json=as_json)


def _vacuumed(settings: Settings, done: ErasureOutcome) -> ErasureOutcome:
    """
    Run VACUUM on the server.

    A failure is added to the problems of *done*.
    """
    try:
        administer(settings.server).vacuum()
    except StorageError as error:
        return attrs.evolve(done, problems=(*done.problems, str(error)))
    return done


def _redact(
    folder: str,
    forgetting: ForgetForGood,
    *,
    yes: bool,
    dry_run: bool,
    keep_bank: bool,
    as_json: bool,
) -> None:
    """Redact secrets in what was stored before."""
    found, problems = forgetting.secrets()
    if found:
        ask(
            "redact the secrets in it",
            yes=yes,
            dry_run=dry_run,
            as_json=as_json,
            about=(f"  {place}: {kept}" for place, kept in by_place(found).items()),
        )
        problems = while_nothing_is_captured(
            folder, lambda: forgetting.redact(keeps_banks=keep_bank)
        )
    if as_json:
        print_json({"places": [item._asdict() for item in found], "problems": [*problems]})
    else:
        for place, kept in by_place(found).items():
            say(f"Redacted: {place}: {kept}")
        say(
            "Change these secrets where they are used: they were readable until now"
            if found
            else "No secret is kept"
        )
    for problem in problems:
        complain(problem)
    if problems:
        raise typer.Exit(OUR_FAILURE)


def _undo(repository: EntryRepository, owner: str, *, as_json: bool) -> None:
    """Let the text forgotten as entry *owner* be stored again."""
    if not repository.forgotten.lift(owner):
        raise typer.BadParameter(
            f"nothing was forgotten under {owner!r}", param_hint="'--undo-tombstone'"
        )
    if as_json:
        print_json({"lifted": owner})
    else:
        say("The text can be stored again; what was erased does not come back by itself")


def _dismiss(store: str, folder: str, *, as_json: bool) -> None:
    """Stop asking for *folder*."""
    if os.path.isdir(folder) and os.listdir(folder):
        raise typer.BadParameter(
            f"{folder!r} is there, and is searched: delete it first", param_hint="'--gone'"
        )
    dismiss_folder(store, folder)
    if as_json:
        print_json({"gone": folder})
    else:
        say(f"{folder} is not asked for any more, until something is written there")


def _filter(
    know: KnowProjects,
    *,
    session: str | None,
    project: str | None,
    origin: str | None,
    kinds: list[str] | None,
) -> EntryFilter:
    unknown = next((kind for kind in kinds or () if kind not in KINDS), None)
    if unknown is not None:
        raise typer.BadParameter(
            f"{unknown!r} is no kind: use {', '.join(KINDS)}", param_hint="'--kind'"
        )
    return EVERYTHING._replace(
        kinds=tuple(kind for kind in KINDS if kind in kinds) if kinds else EVERYTHING.kinds,
        session=None if session is None else readable(session),
        label=None if project is None else readable(project),
        origins=() if origin is None else ids_of_origin(know, readable(origin)),
    )


def _wanted(
    repository: EntryRepository,
    arguments: Sequence[str],
    only: EntryFilter,
    since: str | None,
    until: str | None,
) -> ErasureRequest:
    """Parse the arguments: ids if all of them are, else one text."""
    given = [standard_input().strip()] if [*arguments] == ["-"] else [*map(valid_text, arguments)]
    ids = [_id_meant(repository, argument) for argument in given]
    is_text = not all(ids)
    wanted = ErasureRequest(
        text=" ".join(given).strip() if is_text else "",
        ids=() if is_text else tuple(filter(None, ids)),
        only=only,
        since=_time(since, "'--since'"),
        until=_time(until, "'--until'", is_end=True),
    )
    if not (wanted.text or wanted.is_narrowed):
        raise typer.BadParameter(NOTHING_WANTED, param_hint="TEXT")
    if wanted.text and len(folded(wanted.text).encode()) < MIN_TEXT_BYTES:
        raise typer.BadParameter(
            f"{wanted.text!r} is too short: give at least {MIN_TEXT_BYTES} characters, or an id",
            param_hint="TEXT",
        )
    return wanted


def _id_meant(repository: EntryRepository, argument: str) -> str:
    """
    Return the id that *argument* means, empty for a text.

    It may be an id, also of a deleted entry, a prefix of one, or `#` and a number.
    """
    if IDENTITY.fullmatch(argument):
        edited = repository.reworded(argument)
        return edited.entry_id if edited else argument
    if argument.startswith("#") and is_number(argument[1:]):
        found = ids_numbered(repository, argument[1:])
    else:
        found = ids_begun(repository, argument) if len(argument) >= SHORTEST_ID else []
    return found[0] if len(found) == 1 else ""


def _time(given: str | None, hint: str, *, is_end: bool = False) -> dt.datetime | None:
    if given is None:
        return None
    try:
        time = dt.datetime.fromisoformat(given.strip()).astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise typer.BadParameter(
            f"{given!r} is no time: write 2026-11-23 or 2026-11-23T18:30", param_hint=hint
        ) from error
    return (
        time + dt.timedelta(days=1) if is_end and len(given.strip()) == len("2026-11-23") else time
    )


def _preview(plan: ErasurePlan) -> Iterator[str]:
    for entry in plan.entries[:PREVIEWED]:
        yield f"  {entry.category or entry.kind}  {entry.name} (id: {entry.entry_id})"
    if len(plan.entries) > PREVIEWED:
        yield f"  and {len(plan.entries) - PREVIEWED} more"
    yield from (f"  {place}: {kept}" for place, kept in by_place(plan.found).items())
    if plan.used_elsewhere:
        yield "  the text stays in other entries, which were not chosen"
    yield from (f"  not readable: {problem}" for problem in plan.problems)


def _agrees_to_banks(plan: ErasurePlan, *, yes: bool) -> bool:
    paths = [found.place for found in plan.found if found.noun == LESSON]
    return yes or not paths or agrees(f"Also from {', '.join(paths)}?")


def _report(plan: ErasurePlan | None, done: ErasureOutcome, *, away: str, as_json: bool) -> None:
    """Print the outcome."""
    if as_json:
        print_json(_document(plan, done))
    else:
        for line in _lines(plan, done, away):
            say(line)
    if not done.is_proven:
        raise typer.Exit(OUR_FAILURE)


def _found(done: ErasureOutcome) -> str:
    if done.remains:
        return "it is still in"
    return "it is in none of them" if done.unreachable or done.problems else "nothing is left"


def _document(plan: ErasurePlan | None, done: ErasureOutcome) -> dict[str, object]:
    entries = plan.entries if plan else ()
    return {
        "forgotten": [
            {"id": entry.entry_id, "kind": entry.kind, "name": entry.name} for entry in entries
        ],
        "places": [found._asdict() for found in (plan.found if plan else ())],
        "remains": [*done.remains],
        "beyond_reach": [*done.elsewhere],
        "problems": [*done.problems],
        "unreachable": [*done.unreachable],
        "searched_files": done.searched,
    }


def _lines(plan: ErasurePlan | None, done: ErasureOutcome, away: str) -> Iterator[str]:
    if plan and plan.is_empty and done.is_proven:
        yield "Nothing that hardwon keeps holds it"
        yield from (f"beyond reach: {line}" for line in done.elsewhere)
        return
    for entry in plan.entries if plan else ():
        yield f"Forgotten: {entry.name} (id: {entry.entry_id})"
    for place, kept in by_place(plan.found if plan else ()).items():
        yield f"  from {place}: {kept}"
    yield f"Searched {counted(done.searched, 'file', 'files')} byte by byte: {_found(done)}"
    yield from (f"  {line}" for line in done.remains)
    yield from (
        f"can't be reached now: {line}; run hardwon forget again when it can"
        for line in done.unreachable
    )
    if {*done.unreachable} - {away}:
        yield (
            "one that is gone for good is not asked for any more after: hardwon forget --gone"
            " FOLDER"
        )
    yield from (f"not changed: {line}; run hardwon forget again" for line in done.problems)
    yield "Beyond reach:"
    yield from (f"  {line}" for line in done.elsewhere)
    yield "  backups and exports that you made earlier"
    for entry in (plan.entries if plan else ())[:1]:
        yield (
            f"To let such a text be stored again: hardwon forget --undo-tombstone {entry.entry_id}"
        )
