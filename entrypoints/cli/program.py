"""The program as typer parses it: its help, and the lines about mistakes."""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from itertools import takewhile
from typing import Annotated, Any, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from hardwon.entrypoints.cli.commands import (
    COMMANDS,
    COMPLETING,
    NAME,
    PACKAGE,
    SECTIONS,
    SYNONYMS,
    Command,
    Group,
)
from hardwon.entrypoints.cli.console import OK, say
from hardwon.entrypoints.cli.parameters import (
    END_OF_OPTIONS,
    INTERRUPTED,
    BadOptionError,
    CommandOption,
    CommandWords,
    MistakeError,
)


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


WITH_ALL = ("project_root", "global_store", "as_json")
"""The parameters that go with those that are a task of their own."""


class _Command(TyperCommand):
    """
    A command that refuses contradicting options.

    The object of its context has the parameters that are a task of their own, each with those that
    go with it.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command."""
        if ctx.resilient_parsing:  # a shell completes them
            return super().parse_args(ctx, args)
        typed = {*takewhile(END_OF_OPTIONS.__ne__, args)}
        for item in self.params:
            if typed.intersection(item.opts) and (no := typed.intersection(item.secondary_opts)):
                raise _contradiction(item.opts[0], no.pop(), ctx)
        rest = super().parse_args(ctx, args)
        given = {item.name: _shown(item) for item in self.params if _is_typed(item, ctx)}
        for name, company in ctx.obj.items():
            if name in given and (others := given.keys() - {name, *company, *WITH_ALL}):
                raise _contradiction(given[name], min(given[other] for other in others), ctx)
        return rest


def _is_typed(parameter: Any, context: Any) -> bool:
    source = context.get_parameter_source(parameter.name)
    return source is not None and source.name == "COMMANDLINE"


def _shown(parameter: Any) -> str:
    is_option = parameter.param_type_name == "option"
    return str(parameter.opts[0] if is_option else parameter.human_readable_name.strip("[]."))


def _contradiction(option: str, other: str, context: Any) -> typer.BadParameter:
    return typer.BadParameter(f"goes without {other}", ctx=context, param_hint=f"'{option}'")


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
    app = _app(_declared(hardwon), _Program)
    named = [name for name in arguments if name in COMMANDS][:1]
    for name in COMMANDS if COMPLETING in os.environ else named:
        add(COMMANDS[name], app, name)
    return app


def add(command: Command | Group, app: typer.Typer, name: str) -> None:
    """Import a command, or all of a group, and register it in *app*."""
    if isinstance(command, Command):
        module = import_module(f"{PACKAGE}.{command.module}")
        examples = getattr(module, f"{command.function.upper()}_EXAMPLES", None)
        tasks = getattr(module, f"{command.function.upper()}_TASKS", {})
        register = app.command(
            name,
            cls=_Command,
            context_settings={"obj": tasks},
            epilog=examples,
            short_help=command.summary,
        )
        register(_declared(getattr(module, command.function)))
        return
    group = _app()
    for item, part in command.commands.items():
        add(part, group, item)
    app.add_typer(group, name=name, help=command.summary)


def _declared(function: Callable[..., None]) -> Callable[..., Any]:
    """Return *function* with its parameters declared for typer."""

    @wraps(function)
    def command(*arguments: Any, **values: Any) -> Any:
        try:
            return function(*arguments, **values)
        except BadOptionError as error:
            raise typer.BadParameter(error.message, param_hint=error.hint) from error

    signature = inspect.signature(function)
    parameters = signature.parameters.values()
    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[item.replace(annotation=_annotation(item.annotation)) for item in parameters]
    )
    return command


def _annotation(hint: Any) -> Any:
    if get_origin(hint) is not Annotated or not isinstance(hint.__metadata__[0], CommandOption):
        return hint
    declared = hint.__metadata__[0]
    declare = typer.Argument if isinstance(declared, CommandWords) else typer.Option
    return Annotated[hint.__origin__, declare(*declared.names, **declared.details)]


def run(arguments: Sequence[str]) -> int:
    """
    Run the command that *arguments* begin with, and return the exit code.

    Raises:
        MistakeError: the arguments are wrong, or the user interrupted it.
    """
    try:
        return int(program(arguments)(arguments, prog_name=NAME, standalone_mode=False) or OK)
    except typer.TyperException as error:
        raise MistakeError(_usage(error)) from error
    except typer.Abort as error:  # Ctrl-C, or no answer to a question
        raise MistakeError(INTERRUPTED) from error


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
