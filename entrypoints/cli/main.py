"""`hardwon`: the commands for people and scripts."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from hardwon.domain.model.errors import (
    HardwonError,
    InvalidCheckpointError,
    InvalidEntryError,
    InvalidEvaluationError,
    InvalidQueryError,
    UnknownEntryError,
)
from hardwon.entrypoints.cli.console import OK, OUR_FAILURE, USERS_MISTAKE, at_end, complain, say
from hardwon.entrypoints.cli.typed import with_typed
from hardwon.entrypoints.streams import (
    NO_FOLDER,
    collect_seldom,
    is_working_folder_gone,
    never_fail_to_print,
    silence,
)

NAME = "hardwon"
COMPLETING = "_HARDWON_COMPLETE"
"""Set in the environment by a shell that completes commands."""


class Command(NamedTuple):
    """
    Where a command is defined.

    Attributes:
        module: In this package; its `NAME_EXAMPLES`, if any, end the help of command NAME.
    """

    module: str
    function: str
    summary: str

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Import the module and register the command in *app*."""
        module = import_module(f"hardwon.entrypoints.cli.{self.module}")
        epilog = getattr(module, f"{self.function.upper()}_EXAMPLES", None)
        app.command(name, epilog=epilog, short_help=self.summary)(getattr(module, self.function))


class Group(NamedTuple):
    """Commands under one name."""

    commands: Mapping[str, Command]
    summary: str

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Import all commands and register them under *name*."""
        group = _app()
        for item, command in self.commands.items():
            command.add_to(group, item)
        app.add_typer(group, name=name, help=self.summary)


SECTIONS: Mapping[str, Mapping[str, Command | Group]] = {
    "Every day": {
        "recall": Command("recall", "recall", "Search the memory in your own words."),
        "search": Command("recall", "recall", "The same as recall."),
        "add": Command("add", "add", "Keep a lesson."),
        "remember": Command(
            "conversations", "remember", "Keep a text or the last exchanges for good."
        ),
        "list": Command("entries", "list_entries", "List entries, the newest first."),
        "show": Command("entries", "show", "Show one entry with all its data."),
        "view": Command("view", "view", "Open the memory in the browser."),
        "why": Command("why", "why", "Show what was injected into sessions, and why."),
        "moment": Command("moment", "moment", "Show what would be said when a command fails."),
        "pause": Command("pause", "pause", "Go off the record: store and inject nothing."),
        "resume": Command("pause", "resume", "End the pause."),
    },
    "Memory": {
        "edit": Command("edit", "edit", "Correct the text of an entry."),
        "update": Command(
            "change", "update", ("Change title, tier, labels and other data of an entry.")
        ),
        "review": Command("review", "review", "Review what waits for your decision."),
        "validate": Command("change", "validate", "Record whether an entry was useful."),
        "delete": Command("change", "delete", "Delete entries. History and checkpoints keep them."),
        "forget": Command("forget", "forget", "Erase entries or texts for good, and prove it."),
        "save": Command("files", "save", "Keep a session, found by its description."),
        "capture": Command(
            "conversations", "capture", ("Capture the conversation of a transcript.")
        ),
        "index": Command("files", "index", "Index markdown files."),
        "watch": Command("files", "watch", "Index files whenever they change."),
        "import": Command(
            "transfer", "import_knowledge", ("Import an export, a knowledge bank or an index.")
        ),
        "export": Command("export", "export", "Write the whole memory to a file."),
        "project": Group(
            {
                "list": Command(
                    "project", "list_projects", "List the projects that the store knows."
                ),
                "show": Command(
                    "project", "show_project", "Show what the store knows of a project."
                ),
                "merge": Command("project", "merge", "Move all entries of one project to another."),
                "move": Command(
                    "project", "move", ("Name the new folder of a project that was moved.")
                ),
            },
            "Show projects, merge them, and follow moved ones.",
        ),
        "trust": Command("trust", "trust", "Show a project's lessons in all of yours."),
    },
    "Upkeep": {
        "stats": Command("stats", "stats", "Show counts, search methods and settings."),
        "doctor": Command(
            "doctor", "doctor", "Check the installation, the store and the settings."
        ),
        "embed": Command("embed", "embed", "Make missing vectors."),
        "label": Command("embed", "label", "Add keyword labels to entries without any."),
        "eval": Command("evaluate", "evaluate", "Measure the quality of answers."),
        "trial": Group(
            {
                "on": Command("trial", "trial_on", "Withhold a share of the lessons."),
                "off": Command("trial", "trial_off", "End the trial."),
                "status": Command("trial", "trial_status", "Show whether a trial runs."),
            },
            "Withhold some lessons, to see what they change.",
        ),
        "lift": Command("trial", "lift", "Compare what a trial showed and withheld."),
        "store": Group(
            {
                "copy": Command("store", "copy", "Copy a store between files and servers."),
                "status": Command("store", "status", "Show the server that keeps the store."),
                "migrate": Command("store", "migrate", "Make or update the tables on a server."),
                "add-member": Command("store", "add", "Let a login role use the store."),
                "remove-member": Command("store", "remove", "Take a login role's access away."),
            },
            "Keep the store on a PostgreSQL server.",
        ),
        "backup": Command("transfer", "backup", "Copy the whole store to a file."),
        "restore": Command("transfer", "restore", "Restore the store from a backup."),
        "checkpoint": Group(
            {
                "create": Command("checkpoint", "create", "Save the present state."),
                "list": Command(
                    "checkpoint", "list_checkpoints", "Show all checkpoints, the newest first."
                ),
                "restore": Command("checkpoint", "restore", "Restore the state of a checkpoint."),
                "delete": Command(
                    "checkpoint", "delete", ("Delete a checkpoint and its snapshot.")
                ),
            },
            "Save the state of the store, and restore it.",
        ),
    },
    "Agents": {
        "init": Command("init", "init", "Give your agents a memory: hooks, tools, commands."),
        "context": Command("context", "context", "Show what a session start would print."),
        "retro": Group(
            {
                "write": Command(
                    "retro", "write", ("Keep its lessons in the knowledge bank and the store.")
                ),
                "review": Command(
                    "retro", "review", ("Show older lessons that it may confirm or contradict.")
                ),
                "confirm": Command("retro", "confirm", "Count one more observation of a lesson."),
                "promote": Command("retro", "promote", "Show a lesson in every project."),
            },
            "Keep lessons of a retrospective, and review older ones.",
        ),
        "demo": Command("demo", "demo", "Show what hardwon does, on a sample project."),
    },
}
"""The commands in the order of the help, under its headings."""

COMMANDS: Mapping[str, Command | Group] = {
    name: command for commands in SECTIONS.values() for name, command in commands.items()
}

SYNONYMS: Mapping[str, str] = {
    **dict.fromkeys(("ask", "find", "query"), "recall"),
    **dict.fromkeys(("new", "learn", "write"), "add"),
    **dict.fromkeys(("remove", "rm"), "delete"),
    **dict.fromkeys(("change", "set"), "update"),
    **dict.fromkeys(("get", "cat"), "show"),
    **dict.fromkeys(("ls", "browse"), "list"),
    **dict.fromkeys(("scan", "sync", "reindex"), "index"),
    **dict.fromkeys(("status", "info", "config", "settings"), "stats"),
    **dict.fromkeys(("check", "health", "repair"), "doctor"),
    **dict.fromkeys(("setup", "install", "uninstall"), "init"),
    **dict.fromkeys(("explain", "history"), "why"),
    **dict.fromkeys(("page", "ui", "web", "dashboard"), "view"),
}
"""Words that other programs use, with our command."""


class _Commands(TyperGroup):
    """Commands under one name, with suggestions for unknown ones."""

    def meanings(self) -> Mapping[str, str]:
        """Return every known word with the command it means."""
        return {name: name for name in self.commands}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* begin with."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            if near := nearest(args[0], self.meanings()):
                error.message = f"{error.message} Did you mean {near!r}?"
            raise


class _Program(_Commands):
    """The program, which knows all commands by name before they are imported."""

    def meanings(self) -> Mapping[str, str]:
        """Return every known word with the command it means."""
        return {**{name: name for name in COMMANDS}, **SYNONYMS}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their headings, in aligned columns."""
        del ctx
        width = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{name:{width}}", command.summary) for name, command in commands.items()]
                )


def nearest(word: str, meanings: Mapping[str, str]) -> str | None:
    """Return the command whose word is most like *word*, None without one."""
    from difflib import get_close_matches  # only a mistake needs it

    close = get_close_matches(word.lower(), meanings, 1)
    return meanings[close[0]] if close else None


def _app(
    callback: Callable[..., None] | None = None, cls: type[TyperGroup] = _Commands
) -> typer.Typer:
    return typer.Typer(
        callback=callback,
        invoke_without_command=callback is not None,
        cls=cls,
        suggest_commands=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


USERS_MISTAKES = (
    InvalidCheckpointError,
    InvalidEntryError,
    InvalidEvaluationError,
    InvalidQueryError,
    UnknownEntryError,
    typer.Abort,  # Ctrl-C, or no answer to a question: it says nothing
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        from importlib.metadata import version  # only this option needs it, and it is slow

        say(f"{NAME} {version(NAME)}")
        raise typer.Exit


def hardwon(
    context: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """
    Keep a memory of hard-won lessons for coding agents, on your own machine.

    Without a command: what is kept, what was shown, what waits, and what to do next.
    """
    del version
    if context.invoked_subcommand is None:
        from hardwon.entrypoints.cli.overview import print_overview  # 100 ms, help needs none

        print_overview()


def program(arguments: Sequence[str]) -> typer.Typer:
    """Return `hardwon` with only the command in *arguments*."""
    app = _app(hardwon, _Program)
    named = [name for name in arguments if name in COMMANDS][:1]
    for name in COMMANDS if COMPLETING in os.environ else named:
        COMMANDS[name].add_to(app, name)
    return app


def main() -> None:
    """Run one command and exit: 0 ok, 1 the user's mistake, 2 our failure."""
    collect_seldom()
    never_fail_to_print()
    try:
        code = _run(sys.argv[1:] if sys.argv[1:] != ["help"] else ["--help"])
    except Exception as error:  # noqa: BLE001  # no user ever sees a traceback
        from hardwon.entrypoints.unforeseen import log_unforeseen  # rarely needed

        code = _failed(log_unforeseen(NAME, error), OUR_FAILURE)
    at_end.close()
    sys.exit(code)


def _run(arguments: Sequence[str]) -> int:
    try:
        arguments = with_typed(arguments)
        code = int(program(arguments)(arguments, prog_name=NAME, standalone_mode=False) or OK)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _failed(_usage(error), USERS_MISTAKE)
    except USERS_MISTAKES as error:
        return _failed(str(error) or "interrupted", USERS_MISTAKE)
    except HardwonError as error:
        return _failed(str(error), OUR_FAILURE)
    except (BrokenPipeError, SystemExit):  # the reader has left; typer and rich would exit
        silence()
        return OK
    except OSError as error:  # those of the store became errors of ours on their way here
        silence()
        gone, problem = (
            is_working_folder_gone(),
            f"{error.filename or 'standard output'}: {error.strerror or error}",
        )
        return _failed(NO_FOLDER, USERS_MISTAKE) if gone else _failed(problem, OUR_FAILURE)
    return code


MISSING = "Missing option"


def _usage(error: typer.TyperException) -> str:
    message = " ".join(error.format_message().split()).removesuffix(".")
    context, option = getattr(error, "ctx", None), getattr(error, "param", None)
    if message.startswith(MISSING):  # it names only the first of --useful and --not-useful
        message += "".join(
            f" or '{opposite}'" for opposite in getattr(option, "secondary_opts", ())
        )
    if context is None:
        return message
    return f"{message}{' See' if message.endswith('?') else '; see'} {context.command_path} --help"


def _failed(line: str, code: int) -> int:
    complain(f"{NAME}: {line}")
    return code
