"""Tell what was injected into sessions, and why."""

from typing import Annotated, NamedTuple

import typer

from hardwon.domain.use_cases.explaining.explain_injections import Explained
from hardwon.entrypoints.cli.choosing import MOST
from hardwon.entrypoints.cli.explaining import injection_document, injection_lines
from hardwon.entrypoints.cli.lookup import SHORTEST_PREFIX, ids_meant
from hardwon.entrypoints.cli.options import OK, USERS_MISTAKE, AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.proving import Proof
from hardwon.entrypoints.cli.screen import print_json, say
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import on_one_line, readable
from hardwon.entrypoints.workplace import name_of

EXAMPLES = """\b
Examples:
  hardwon why
  hardwon why 4e1079b4
  hardwon why --verify"""

NEWEST_OF_ENTRY = 10

NOTHING = "Nothing was injected into a session of this project yet: its next session start is told here"
NEVER = "{} was not injected into any session that is still known"
UNKNOWN = (
    "'{}' is no session with an injection and no entry: hardwon why tells of the newest injection,"
    " hardwon list shows the entries"
)


class _Asked(NamedTuple):
    """The injections that are asked for, what to say when there are none, and the entry that is asked about, if one is."""

    found: list[Explained]
    nothing: str
    entry_id: str | None = None


def why(
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION|ENTRY]",
            help="A session's or an entry's id, or its beginning; without one, the project's newest injection.",
            show_default=False,
        ),
    ] = None,
    *,
    verify: Annotated[
        bool, typer.Option("--verify", help="Put the text together again and compare it with what was injected.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, max=MOST, metavar="N", help="How many at most.")] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Tell what was injected into sessions and why, or prove it: exit code 1 then says that something differs."""
    memory = open_for(project_root, global_store, create=False)
    asked = _asked(memory, reference, limit, name_of(project_root))
    proofs = [Proof.of(each) if verify else None for each in asked.found]
    if as_json:
        print_json([_document(each, proof) for each, proof in zip(asked.found, proofs, strict=True)])
    else:
        _tell(asked, proofs)
    raise typer.Exit(OK if all(proof is None or proof.verdict.verified for proof in proofs) else USERS_MISTAKE)


def _asked(memory: Memory, reference: str | None, limit: int | None, project: str) -> _Asked:
    """
    Return what is asked for.

    Raises:
        typer.BadParameter: *reference* names nothing, or more than one thing.
    """
    explain = memory.explain_injections
    if reference is None:
        return _Asked(explain.newest(project, limit or 1), NOTHING)
    reference = readable(reference)
    sessions, entries = _sessions(memory, reference), ids_meant(memory, reference)
    if len(sessions) + len(entries) > 1:
        raise _unusable(f"{on_one_line(reference)!r} begins more than one session or entry: give more of it")
    if sessions:
        return _Asked(explain.of_session(sessions[0], limit or MOST), NOTHING)
    [entry_id] = entries or {reference.lower()}
    found = explain.of_entry(entry_id, limit or NEWEST_OF_ENTRY)
    if not (found or entries):
        raise _unusable(UNKNOWN.format(on_one_line(reference)))
    return _Asked(found, NEVER.format(entry_id), entry_id)


def _sessions(memory: Memory, reference: str) -> list[str]:
    """Return the sessions that *reference* may name, two at most; a whole name names one alone."""
    sessions = memory.receipts.sessions_starting_with(reference, 2)
    if reference in sessions:
        return [reference]
    return sessions if len(reference) >= SHORTEST_PREFIX else []


def _tell(asked: _Asked, proofs: list[Proof | None]) -> None:
    for place, (each, proof) in enumerate(zip(asked.found, proofs, strict=True)):
        if place and not proof:
            say()
        for line in proof.lines() if proof else injection_lines(each, asked.entry_id):
            say(on_one_line(line))
    if not asked.found:
        say(asked.nothing)


def _document(explained: Explained, proof: Proof | None) -> dict[str, object]:
    return {**injection_document(explained), **({"proof": proof.document()} if proof else {})}


def _unusable(what: str) -> typer.BadParameter:
    return typer.BadParameter(what, param_hint="SESSION|ENTRY")
