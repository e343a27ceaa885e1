"""`hardwon init`: set up project, agents and store."""

import compileall
import contextlib
import os
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Annotated

import typer

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.project import CONVERSATIONS, Conversations
from hardwon.domain.use_cases.index_files import IndexFiles, IndexOutcome
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.bootstrap_agents import (
    NAMES,
    build_agents,
    build_set_up,
    count_host_facts,
    host_memory,
    used_agents,
    write_plugin,
)
from hardwon.entrypoints.bootstrap_files import (
    build_git_exclusion,
    build_index_host_memory,
    folder_of_files,
    top_of,
)
from hardwon.entrypoints.cli.console import (
    USERS_MISTAKE,
    Yes,
    agrees,
    ask,
    can_be_asked,
    print_json,
    say,
    warn,
)
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, open_for, resolve
from hardwon.entrypoints.cli.parameters import MistakeError
from hardwon.entrypoints.cli.past_sessions import PastSessions, capture_past
from hardwon.entrypoints.cli.setup_output import (
    ConversationConsent,
    Readiness,
    SetupFolder,
    SetUpOutput,
)
from hardwon.entrypoints.cli.transfer import import_with_progress
from hardwon.entrypoints.context import look_up, read_workplace, trust_here
from hardwon.entrypoints.health import NO_AGENT, examine
from hardwon.entrypoints.presenters.text import counted
from hardwon.ports.agents import BY_PLUGIN, Agent

INIT_EXAMPLES = (
    "Then start a new session. hardwon doctor tells how agents come to call it; --remove undoes it"
    " all."
)
UNDO = "undo {}, those of every project that was set up"
TAKEN_BACK = "hardwon capture --all --undo takes it back"
SAME_SERVER = "--mcp-json is left out: the plugin of Claude Code brings the same server already"
OTHER_STORE = (
    "hooks and servers use the store of their environment: let HARDWON_STORE be {} where agents"
    " start"
)


INIT_TASKS = {"plugin": (), "remove": ("agent", "mcp_json", "dry_run", "yes")}


def init(
    *,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="|".join(NAMES),
            help="Only this agent. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    mcp_json: Annotated[
        bool,
        typer.Option(
            "--mcp-json", help=("Also add the server as memory-server to the project's .mcp.json.")
        ),
    ] = False,
    yes: Yes = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be written.")
    ] = False,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Undo what was written, in every project. Memories stay."),
    ] = False,
    bring_in: Annotated[
        bool | None,
        typer.Option(
            "--import/--no-import",
            help="Import Claude Code's own memory of the project.",
        ),
    ] = None,
    conversations: Annotated[
        Conversations | None,
        typer.Option(
            help=(
                "How conversations are kept: shared by git, private (ignored by git), or"
                " off (not kept)."
            ),
            show_default=False,
        ),
    ] = None,
    everywhere: Annotated[
        bool | None,
        typer.Option(
            "--conversations-everywhere/--no-conversations-everywhere",
            help="Keep the conversations of every project, not only of those where init ran.",
            show_default=False,
        ),
    ] = None,
    plugin: Annotated[
        str | None,
        typer.Option(
            "--plugin",
            metavar="FOLDER",
            help="Only write the plugin for Claude Code into this folder.",
            show_default=False,
        ),
    ] = None,
    project_root: Annotated[
        str | None,
        typer.Option(
            "--project-root",
            metavar="PATH",
            help=(
                "The project (default: the git repository that holds the working folder, else that"
                " folder)."
            ),
            show_default=False,
        ),
    ] = None,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Give your coding agents a memory: hooks, tools and commands.

    It shows each change before it writes. A second run finds nothing to do. It sets up the agents
    whose folder or program it finds.
    """
    if plugin is not None:
        _write_plugin(plugin, as_json=as_json)
        return
    project = find_project(project_root, os.curdir, os.path.expanduser("~"))
    settings = resolve(project.folder, global_store).settings
    store = settings.global_store
    agents = _chosen(agent, _built(mcp_json=mcp_json, remove=remove), everything=remove)
    set_up = build_set_up(store)
    if remove:
        plan = set_up.plan_removal(agents, project.root, everything=agent is None)
    else:
        plan = set_up.plan_for(agents, project.root)
    with SetUpOutput(
        plan, agents, project, is_removal=remove, is_whole=dry_run, as_json=as_json
    ) as output:
        if not dry_run:
            _ask(len(plan.steps), UNDO if remove else "write {}", yes=yes)
        if remove and not dry_run:
            has_record = not set_up.record.is_empty
            output.show_undone(
                set_up.undo(plan, everything=agent is None),
                store,
                agent or (),
                has_record=has_record,
            )
        elif not dry_run:
            if settings.server:
                open_for(project.folder, global_store).close()  # fails before anything is written
            if everywhere is not None:
                set_up.record.keep_everywhere(wanted=everywhere)
            output.note(set_up.carry_out(plan, project.root))
            is_asked = not (yes or as_json)
            how = keep_conversations(project, global_store, conversations, is_asked=is_asked)
            output.show_consent(how, everywhere=set_up.record.keeps_everywhere)
            _finish(
                output, project, global_store=global_store, bring_in=bring_in, is_asked=is_asked
            )
            if how and how.chosen != "off" and not as_json:
                _offer_earlier_sessions(project.folder, global_store, is_asked=is_asked)
    if output.refused:
        raise typer.Exit(USERS_MISTAKE)


def _write_plugin(folder: str, *, as_json: bool) -> None:
    """Write the plugin, and print how it is installed."""
    real = os.path.realpath(os.path.expanduser(folder))
    try:
        write_plugin(real)
    except OSError as error:
        raise typer.BadParameter(f"{real}: {error.strerror}", param_hint="'--plugin'") from error
    commands = [
        f"claude plugin marketplace add {shlex.quote(real)}",
        "claude plugin install hardwon@hardwon",
    ]
    if as_json:
        print_json({"folder": real, "commands": commands})
        return
    say(f"Wrote the plugin to {real}. To install it:")
    for command in commands:
        say(f"  {command}")


def _built(*, mcp_json: bool, remove: bool) -> list[Agent]:
    if not os.path.isabs(os.path.expanduser("~")):
        raise MistakeError("no home folder is known, where agents have their settings: set HOME")
    agents = build_agents(os.environ, mcp_json=mcp_json or remove)
    if mcp_json and not remove and BY_PLUGIN in agents[0].connection().ways:
        warn(SAME_SERVER)
    return agents


def _chosen(names: Sequence[str] | None, agents: list[Agent], *, everything: bool) -> list[Agent]:
    for name in names or ():
        if name not in NAMES:
            raise typer.BadParameter(
                f"{name!r} is not one of {', '.join(NAMES)}", param_hint="'--agent'"
            )
    if names:
        return [agent for agent in agents if agent.name in names]
    return agents if everything else used_agents(agents) or _first_of(agents)


def _first_of(agents: list[Agent]) -> list[Agent]:
    warn(f"no agent found: {agents[0].title} is set up; name others with --agent")
    return agents[:1]


def _ask(files: int, what: str, *, yes: bool) -> None:
    if files:
        ask(what.format(counted(files, "file", "files")), yes=yes)


def _finish(
    output: SetUpOutput,
    project: SetupFolder,
    global_store: str | None,
    bring_in: object,
    *,
    is_asked: bool,
) -> None:
    project_root, is_project = project.folder, project.root is not None
    folder = host_memory(project_root)
    facts = count_host_facts(folder)
    wanted = bool(facts) and (
        _is_wanted(facts) if bring_in is None and is_asked else bool(bring_in)
    )
    readiness = get_ready(
        project_root, global_store, folder if wanted else None, is_project=is_project
    )
    if global_store:
        warn(OTHER_STORE.format(readiness.store))
    output.show_ready(readiness, 0 if wanted else facts)
    if problems := sum(not finding.ok for finding in readiness.findings):
        raise HardwonError(
            f"{problems} of {len(readiness.findings)} checks failed; see hardwon doctor"
        )


def _offer_earlier_sessions(project_root: str, global_store: str | None, *, is_asked: bool) -> None:
    """Show what earlier sessions hold, and offer to capture them."""
    is_asked = is_asked and can_be_asked()
    with contextlib.closing(open_for(project_root, global_store)) as memory:
        past = PastSessions(memory=memory, project_root=project_root)
        found = past.look(reads=is_asked)
        for line in found.lines() if found.number else ():
            say(line)
        if found.number and not is_asked:
            say("They are not read yet: hardwon capture --all shows and keeps what is in them")
        elif found.number and agrees(f"Read them{found.duration}? {TAKEN_BACK}"):
            capture_past(past, dry_run=False, yes=True, as_json=False)


def keep_conversations(
    project: SetupFolder, global_store: str | None, given: Conversations | None, *, is_asked: bool
) -> ConversationConsent | None:
    """Store the user's choice for the project's conversations, None outside a project."""
    if project.root is None:
        return None
    with contextlib.closing(open_for(project.root, global_store)) as memory:
        known = look_up(build_know_projects(memory), project.root)
        chosen = (
            given
            or known.chosen
            or (_asked() if is_asked and can_be_asked() else known.conversations)
        )
        exclusion, root = build_git_exclusion(), folder_of_files(project.root)
        if chosen == "shared":
            exclusion.include(root)
        else:
            exclusion.exclude(root)
        build_know_projects(memory).keep_conversations(known, chosen)
        return ConversationConsent(
            chosen,
            root,
            is_repository=known.identity.is_repository,
            tracked=exclusion.tracked(root),
        )


def _asked() -> Conversations:
    while True:
        answer: str = typer.prompt(
            "Keep conversations shared by git, private, or off (not at all)?", err=True
        )
        for choice in CONVERSATIONS:
            if answer.strip().lower() == choice:
                return choice


def _is_wanted(facts: int) -> bool:
    return agrees(
        f"Bring in the {counted(facts, 'fact', 'facts')} that Claude Code remembers of this"
        " project?"
    )


COMPILED = ("domain", "ports", "adapters", "entrypoints")


def get_ready(
    project_root: str,
    global_store: str | None,
    facts_folder: str | None,
    *,
    is_project: bool = True,
) -> Readiness:
    """
    Create the store, trust the project, import, embed, and check everything.

    Args:
        project_root: The project's folder.
        global_store: The store's folder, None for the one in the settings.
        facts_folder: Folder of Claude Code's own memory of the project, None to skip it.
        is_project: False for the user's home, or a folder above it.
    """
    compile_programs()
    memory = open_for(project_root, global_store)
    try:
        trusted = trust_here(build_know_projects(memory), project_root) if is_project else ""
        imported = import_with_progress(memory, project_root)
        facts = (
            _import_facts(
                build_index_host_memory(
                    memory,
                    facts_folder,
                    project_root=project_root,
                    workplace=read_workplace(memory, project_root),
                ),
                facts_folder,
            )
            if facts_folder
            else None
        )
        embedded = embed_with_progress(memory.spaces)
    finally:
        memory.close()
    settings = memory.settings
    return Readiness(
        store=settings.address,
        trusted=trusted,
        imported=imported,
        facts=facts,
        embedded=embedded,
        findings=[
            finding for finding in examine(settings, project_root) if finding.detail != NO_AGENT
        ],
    )


def compile_programs() -> None:
    """Compile the installed modules to byte code, ahead of hooks."""
    for name in COMPILED:
        spec = find_spec(f"hardwon.{name}")
        for folder in (spec and spec.submodule_search_locations) or ():
            if os.access(folder, os.W_OK):
                compileall.compile_dir(folder, quiet=2)


def _import_facts(index_files: IndexFiles, folder: str) -> IndexOutcome:
    indexed = index_files.index([os.path.realpath(folder)])
    for line in indexed.skipped:
        warn(f"skipped: {line}")
    return indexed


def find_project(named: str | None, working_folder: str, home: str) -> SetupFolder:
    """
    Return the project.

    Args:
        named: The folder that the user named, None for none; it wins.
        working_folder: The project if no repository contains it, unless it is or contains the home.
        home: The user's home.

    """
    if named is not None:
        return SetupFolder(os.path.realpath(named), os.path.realpath(named))
    real, home = os.path.realpath(working_folder), os.path.realpath(home)
    top = top_of(real)
    folder = real if top is None or _holds(top, home) else top
    return SetupFolder(folder, None if _holds(folder, home) else folder)


def _holds(folder: str, home: str) -> bool:
    return os.path.join(home, "").startswith(os.path.join(folder, ""))
