"""
The parameters of commands, and calls that need no framework to be parsed.

Commands declare `CommandOption` and `CommandWords`, of which `program.py` makes typer's: importing
that takes longer than most of them. So `plain_call` parses what is sure, and leaves the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

END_OF_OPTIONS = "--"
TYPED = "--typed"
"""The option of commands whose arguments are typed after a slash command."""

LONGEST_NUMBER = 10
QUOTES = "\"'"


class CommandOption:
    """
    An option, declared as `typer.Option` is.

    Args:
        names: As they are typed; by default `--` and the parameter's name.
        details: The other arguments of `typer.Option`.
    """

    def __init__(self, *names: str, **details: Any) -> None:
        self.names = names
        self.details = details


class CommandWords(CommandOption):
    """The words that belong to no option, declared as `typer.Argument` is."""


class MistakeError(Exception):
    """The user's mistake, as it is printed."""


INTERRUPTED = "interrupted"


class NothingAskedError(Exception):
    """A command was called without what it needs: its help is printed."""


class BadOptionError(Exception):
    """
    The value of an option, or an argument, is refused.

    Args:
        message: Says why.
        hint: Names the option, in quotes.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"Invalid value for {hint}: {message}")
        self.message = message
        self.hint = hint


class _Parameter(NamedTuple):
    """A parameter of a command's function, and its type if it is given."""

    name: str
    kind: Any
    declared: CommandOption

    @property
    def options(self) -> tuple[str, ...]:
        """Its names on the command line."""
        if isinstance(self.declared, CommandWords):
            return ()
        return self.declared.names or (f"--{self.name.replace('_', '-')}",)

    def value_of(self, text: str) -> Any:
        """Return what *text* surely stands for, else None."""
        if self.kind in (str, list[str]):
            return text
        if get_origin(self.kind) is Literal:
            return text if text in get_args(self.kind) else None
        if self.kind is int and len(text) <= LONGEST_NUMBER and text.isascii() and text.isdecimal():
            limits = self.declared.details
            return int(text) if limits["min"] <= int(text) <= limits["max"] else None
        return None


def plain_call(
    function: Callable[..., None], arguments: Sequence[str]
) -> Callable[[], None] | None:
    """
    Return the call of a command's *function* that *arguments* surely stand for.

    None for help, mistakes, rare options, and functions whose parameters typer declares.
    """
    hints = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    parameters = [*filter(None, map(_parameter, hints, hints.values()))]
    words = [item.name for item in parameters if not item.options and item.kind == list[str]]
    if len(parameters) < len(hints) or len(words) != 1:
        return None
    options = {option: item for item in parameters for option in item.options}
    values = _values(words[0], options, arguments)
    return None if values is None else partial(function, **values)


def _parameter(name: str, hint: Any) -> _Parameter | None:
    if get_origin(hint) is not Annotated or not isinstance(hint.__metadata__[0], CommandOption):
        return None
    given, *others = [kind for kind in _alternatives(hint.__origin__) if kind is not NoneType]
    return None if others else _Parameter(name, given, hint.__metadata__[0])


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _values(
    words: str, options: Mapping[str, _Parameter], arguments: Sequence[str]
) -> dict[str, Any] | None:
    """Return the values by parameter, None if one is not sure."""
    values: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        option, equals, text = argument.partition("=")
        if argument == END_OF_OPTIONS:
            values[words] = [*values.get(words, ()), *rest]
        elif argument == "-" or not argument.startswith("-"):
            values.setdefault(words, []).append(argument)
        else:
            parameter = options.get(option)
            value = parameter and _value(parameter, text if equals else None, rest)
            if parameter is None or value is None:
                return None
            if parameter.kind == list[str]:
                values.setdefault(parameter.name, []).append(value)
            else:
                values[parameter.name] = value
    return values


def _value(parameter: _Parameter, joined: str | None, rest: Iterator[str]) -> Any:
    if parameter.kind is bool:
        return True if joined is None and parameter.declared.names else None
    text = next(rest, "-") if joined is None else joined
    return None if text.startswith("-") else parameter.value_of(text)


def unquoted(text: str) -> str:
    """
    Return *text* without quotes around all of it.

    A single quote character becomes an empty text.
    """
    return text[1:-1] if text and is_quoted(text, text) else text


def is_quoted(first: str, last: str) -> bool:
    """Return whether quotes are around a text from *first* to *last*."""
    return first[0] in QUOTES and first[0] == last[-1]
