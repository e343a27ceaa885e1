"""`hardwon`: the commands for people and scripts."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, NamedTuple

import typer

from hardwon.domain.model.errors import (
    HardwonError,
    InvalidCheckpointError,
    InvalidEntryError,
    InvalidEvaluationError,
    InvalidQueryError,
    UnknownEntryError,
)
from hardwon.entrypoints.cli.options import OK, OUR_TROUBLE, USERS_MISTAKE
from hardwon.entrypoints.cli.screen import complain, say
from hardwon.entrypoints.cli.typed import with_typed
from hardwon.entrypoints.streams import never_fail_to_print, silence

NAME = "hardwon"


class Command(NamedTuple):
    """
    Where a command is.

    Attributes:
        module: Beside this one; its `EXAMPLES`, if it has any, end the command's help.
        function: What it does.
        short_help: Its line in the list of commands; None for the first sentence of its help.

    """

    module: str
    function: str
    short_help: str | None = None

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Import it and make it a command of *app*."""
        module = import_module(f"hardwon.entrypoints.cli.{self.module}")
        epilog = getattr(module, "EXAMPLES", None)
        app.command(name, epilog=epilog, short_help=self.short_help)(getattr(module, self.function))


class Group(NamedTuple):
    """
    Commands under one name.

    Attributes:
        commands: In the order of the help.
        help: What they are about.

    """

    commands: Mapping[str, Command]
    help: str

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Import them all and make them commands of *name*."""
        group = _app()
        for each, command in self.commands.items():
            command.add_to(group, each)
        app.add_typer(group, name=name, help=self.help)


def _app(callback: Callable[..., None] | None = None) -> typer.Typer:
    return typer.Typer(
        callback=callback,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


COMMANDS: Mapping[str, Command | Group] = {
    "init": Command("setting_up", "init", "Give your agents a memory: hooks, tools, commands."),
    "recall": Command("recalling", "recall"),
    "context": Command("nearby", "context"),
    "save": Command("saving", "save"),
    "capture": Command("capturing", "capture", "Keep what a transcript of a session says."),
    "remember": Command("remembering", "remember"),
    "index": Command("indexing", "index", "Bring markdown files into the store."),
    "watch": Command("watching", "watch", "Keep the store up to date while files change."),
    "import": Command("importing", "import_knowledge", "Bring a knowledge bank or index into the store."),
    "embed": Command("embedding", "embed"),
    "export": Command("exporting", "export", "Write the sessions as a memory-index.json."),
    "label": Command("labelling", "label"),
    "list": Command("reading", "list_entries"),
    "show": Command("showing", "show"),
    "update": Command("updating", "update"),
    "validate": Command("validating", "validate"),
    "delete": Command("deleting", "delete", "Forget entries."),
    "backup": Command("backing_up", "backup", "Copy the whole store to a file."),
    "restore": Command("backing_up", "restore", "Bring all memories back from a backup."),
    "why": Command("why", "why", "Tell what was injected into sessions, and why."),
    "stats": Command("counting", "stats"),
    "doctor": Command("doctor", "doctor"),
    "eval": Command("evaluating", "evaluate", "Measure how well memory answers."),
    "demo": Command("demo", "demo", "Show what hardwon does, on a sample project."),
    "retro": Group(
        {
            "write": Command("retrospecting", "write", "Keep its lessons, in the knowledge bank and in the store."),
            "review": Command("revisiting", "review", "Show older learnings that it may confirm or contradict."),
            "confirm": Command("revisiting", "confirm", "Count that a learning was observed once more."),
            "promote": Command("revisiting", "promote", "Make a learning one of all projects."),
        },
        "Keep what a retrospective taught, and look again at the rest.",
    ),
    "checkpoint": Group(
        {
            "create": Command("checkpointing", "create"),
            "list": Command("checkpointing", "list_checkpoints"),
            "restore": Command("checkpointing", "restore", "Bring back what a checkpoint holds."),
            "delete": Command("checkpointing", "delete"),
        },
        "Put the state of the store aside, and bring it back.",
    ),
}
"""In the order of the help, which shows groups last."""


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
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Keep a memory of hard-won lessons for coding agents, on your own machine."""
    del version


def program(arguments: Sequence[str]) -> typer.Typer:
    """Return `hardwon` for *arguments*: with the command they begin with alone, as importing all is slow, or with all."""
    app = _app(hardwon)
    for name in [name for name in COMMANDS if [name] == arguments[:1]] or COMMANDS:
        COMMANDS[name].add_to(app, name)
    return app


def main() -> None:
    """Run one command and leave: 0 ok, 1 the user's mistake, 2 our trouble."""
    never_fail_to_print()
    sys.exit(_run(sys.argv[1:] or ["--help"]))


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
        return _failed(str(error), OUR_TROUBLE)
    except (BrokenPipeError, SystemExit):  # whoever reads has read enough; typer and rich would leave
        silence()
        return OK
    except OSError as error:  # those of the store became errors of ours on their way here
        silence()
        return _failed(f"{error.filename or 'standard output'}: {error.strerror or error}", OUR_TROUBLE)
    return code


def _usage(error: typer.TyperException) -> str:
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path if context else NAME} --help"


def _failed(line: str, code: int) -> int:
    complain(f"{NAME}: {line}")
    return code
