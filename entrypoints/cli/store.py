"""`hardwon store`: copy stores, and administer a PostgreSQL server."""

import os
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import attrs
import typer
from rich.table import Table

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import ServerAddress
from hardwon.domain.use_cases.copy_store import CopyOutcome, CopyTally, preview
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_capture import wait_in_outboxes
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import administer, copy_store
from hardwon.entrypoints.cli.console import (
    Yes,
    ask,
    at_end,
    cell,
    print_items,
    print_json,
    print_table,
    progress,
    say,
    warn,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, resolve
from hardwon.entrypoints.outbox import lines_of_waiting
from hardwon.entrypoints.presenters.text import counted

HERE = "."
Role: TypeAlias = Annotated[
    str, typer.Argument(metavar="ROLE", help="The login role's name in PostgreSQL.")
]

COPY_EXAMPLES = """\b
Examples:
  hardwon store copy ~/.claude/iflow/memory postgresql://ann@db.example.org/memory
  hardwon store copy postgresql://ann@db.example.org/memory ~/memory --yes"""


def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="A folder with a store, or postgresql://…")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="The other store. A missing folder is made.")
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be copied.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """
    Copy all entries of a store into another one.

    Vectors and history are copied too. The first store stays as it is. The command first shows what
    is copied, by project and kind. On a server all members see lessons. Entries of files, such as
    conversations, are seen only by you, unless the project shares its conversations. Checkpoints
    and injection receipts are not copied. An interrupted copy continues when it is run again.
    """
    settings = resolve(HERE, None).settings
    for name, address in (("FROM", source), ("TO", target)):
        if not address.strip() or os.path.isfile(address):
            raise typer.BadParameter(
                f"{address!r} is no folder and no postgresql://… address", param_hint=f"'{name}'"
            )
    origin = _opened(source, create=False)
    if not origin.store.is_there:
        raise typer.BadParameter(f"{source!r} holds no store", param_hint="'FROM'")
    tallies = preview(origin.store.overview, origin.store.projects)
    if dry_run and as_json:
        print_items(tally._asdict() for tally in tallies)
    elif not as_json:
        _show(tallies, on_server=ServerAddress.is_one(target))
    if dry_run:
        return
    ask(
        f"copy {counted(sum(row.entries for row in tallies), 'entry', 'entries')} to"
        f" {_shown(target)}",
        yes=yes,
    )
    destination = open_memory(settings.at(target), warn)
    at_end.callback(destination.close)
    if origin.store.path == destination.store.path:
        raise typer.BadParameter("FROM and TO are the same store", param_hint="'TO'")
    with progress() as bar:
        task = bar.add_task("copying", total=sum(origin.store.contents.counts().values()))
        outcome = copy_store(origin, destination, lambda: bar.advance(task))
    _report(outcome, as_json=as_json)


def _opened(address: str, *, create: bool) -> Memory:
    memory = open_memory(resolve(HERE, None).settings.at(address), warn, create=create)
    at_end.callback(memory.close)
    return memory


def _shown(address: str) -> str:
    return str(ServerAddress(address)) if ServerAddress.is_one(address) else address


def _show(tallies: Sequence[CopyTally], *, on_server: bool) -> None:
    table = Table(
        "project", "kind", "entries", *(("seen by",) if on_server else ()), box=None, pad_edge=False
    )
    for tally in tallies:
        seen = ("all members" if tally.is_shared else "you alone",) if on_server else ()
        table.add_row(cell(tally.project or "(none)"), tally.kind, str(tally.entries), *seen)
    print_table(table)


def _report(outcome: CopyOutcome, *, as_json: bool) -> None:
    figures = {name: getattr(outcome, name) for name in ("added", "known", "forgotten", "vectors")}
    if as_json:
        print_json(figures)
        return
    left = (
        f", {outcome.forgotten} left out, as they were forgotten there" if outcome.forgotten else ""
    )
    entries = counted(outcome.added, "entry", "entries")
    say(
        f"Copied {entries} with {counted(outcome.vectors, 'vector', 'vectors')}, {outcome.known}"
        f" known already{left}."
    )


def status(*, global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """
    Show the server that keeps the store: versions, sizes, tenant and role.

    Exit code 2 means that the server can't be used; the output says what to do.
    """
    settings = resolve(HERE, global_store).settings
    administration = administer(settings.server)
    for line in lines_of_waiting(settings.global_store):  # first: the server may be away
        warn(line)
    server, facts = administration.server, administration.status()
    if as_json:
        waiting = sum(outbox.entries for outbox in wait_in_outboxes(settings.global_store))
        document = {"address": str(server), **attrs.asdict(facts, recurse=False)}
        print_json({**document, "waiting": waiting})
        return
    say(
        f"{server}: PostgreSQL {facts.server}, pgvector {facts.pgvector}, schema version"
        f" {facts.schema}"
    )
    if facts.is_standby:
        say("a standby: it can only be read")
    say(
        f"tenant {facts.tenant!r}, role {facts.role!r}:"
        f" {counted(facts.entries, 'entry', 'entries')}, {facts.personal} of them yours alone"
    )
    say(f"database: {facts.database_bytes / 1_000_000:.1f} MB")
    if facts.indexed:
        say(f"vectors are indexed for: {', '.join(map(str, facts.indexed))} dimensions")
    for line in facts.slow:
        say(line)
    if facts.bypasses:
        warn(
            f"no policy binds {facts.role!r}: it sees private entries of other members. Use a role"
            " of your own."
        )


def migrate(*, global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """
    Make or update the tables on a server, as the owner of the database.

    It can be run again at any time, also beside writers. The first run makes its role a member. It
    makes a vector index for a tenant with many vectors.
    """
    administration = administer(resolve(HERE, global_store).settings.server)
    server, added = administration.server, administration.migrate()
    if as_json:
        print_json({"address": str(server), "added": added})
        return
    done = f"schema version {added[-1]}" if added else "up to date already"
    say(f"{server}: {done}")


def add(
    role: Role,
    *,
    tenant: Annotated[
        str,
        typer.Option(
            "--tenant",
            metavar="NAME",
            help="The tenant, made if missing. Tenants see nothing of each other.",
        ),
    ] = "default",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Let a login role use the store, as the owner of the database.

        The role is made with SQL: CREATE ROLE ann LOGIN PASSWORD '…'
    """
    administration = administer(resolve(HERE, global_store).settings.server)
    administration.add_member(role, tenant)
    if as_json:
        print_json({"role": role, "tenant": tenant})
        return
    say(f"{role} is a member of {tenant!r} now.")


def remove(role: Role, *, global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """
    Take a login role's access away.

    Its entries stay.
    """
    administration = administer(resolve(HERE, global_store).settings.server)
    if not administration.remove_member(role):
        raise StorageError(f"{role!r} is no member of {administration.server}")
    if as_json:
        print_json({"role": role, "tenant": None})
        return
    say(f"{role} is no member any more. What it stored stays.")
