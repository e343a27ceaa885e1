"""
Parse arguments typed after a slash command.

The command's file passes the text on standard input, so that no shell interprets it, and `--typed`
on the command line. Standard library only.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.entrypoints.cli.parameters import END_OF_OPTIONS, TYPED, is_quoted, unquoted


class Allowed(NamedTuple):
    """The options that may be typed after a slash command."""

    valued: frozenset[str] = frozenset()
    switches: frozenset[str] = frozenset()


RECALL = Allowed(valued=frozenset({"--in", "--scope", "--type", "--limit", "--min-score"}))

COMMANDS: Mapping[str, Allowed] = {
    "recall": RECALL,
    "search": RECALL,
    "remember": Allowed(),
    "pause": Allowed(valued=frozenset({"--for"})),
    "resume": Allowed(),
    "why": Allowed(valued=frozenset({"--limit"}), switches=frozenset({"--verify"})),
}
"""
The commands that take `--typed`, with their options.

A text may be pasted from anywhere: options that name a path, or change the output format, are not
allowed.
"""


class TypedArguments(NamedTuple):
    """
    Typed arguments, parsed.

    Attributes:
        options: `--name=value`, or `--name` for a switch; the last of a name wins.
        text: The rest as typed, stripped.

    """

    options: tuple[str, ...]
    text: str


def _standard_input() -> str:
    from hardwon.entrypoints.streams import standard_input  # imports the markdown reader

    return standard_input()


def with_typed(arguments: Sequence[str], read: Callable[[], str] = _standard_input) -> list[str]:
    """
    Append the typed text to arguments with `--typed`.

    Args:
        arguments: A command's name and its own arguments; typed options override them.
        read: Returns what was typed; called only if the command takes `--typed`.
    """
    allowed = COMMANDS.get(arguments[0]) if arguments else None
    if allowed is None or TYPED not in _options(arguments):
        return list(arguments)
    typed = parse(read(), allowed)
    # As the system would pass it: the command gets the same bytes, whatever the locale.
    words = [END_OF_OPTIONS, os.fsdecode(typed.text.encode())] if typed.text else []
    return [*arguments, *typed.options, *words]


def parse(text: str, allowed: Allowed) -> TypedArguments:
    """
    Split *text* into options at both ends and the text between.

    `--` at the beginning, also after options, makes the rest text. A quoted text holds no options.
    """
    found = list(re.finditer(r"\S+", text))
    words = [word[0] for word in found]
    first, start = _leading(words, allowed)
    if words[start : start + 1] == [END_OF_OPTIONS]:
        return TypedArguments(tuple(first), text[found[start].end() :].strip())
    last, end = _trailing(words, start, allowed)
    return TypedArguments(
        (*first, *last), text[found[start].start() : found[end - 1].end()] if start < end else ""
    )


def _leading(words: Sequence[str], allowed: Allowed) -> tuple[list[str], int]:
    options, at = list[str](), 0
    while at < len(words):
        name, is_joined, value = words[at].partition("=")
        if words[at] in allowed.switches:
            options.append(words[at])
        elif name not in allowed.valued:
            break
        elif is_joined:
            options.append(_with_value(name, value))
        else:
            at += 1
            options.append(_with_value(name, "".join(words[at : at + 1])))
        at += 1
    return options, at


def _trailing(words: Sequence[str], start: int, allowed: Allowed) -> tuple[list[str], int]:
    """
    Return the options at the end, and the index after the last other word.

    *start* is the index of the first word of the text.
    """
    options, end = list[str](), len(words)
    while end > start and not is_quoted(words[start], words[end - 1]):
        name, is_joined, value = words[end - 1].partition("=")
        before = words[end - 2] if end - 2 >= start else ""
        if before in allowed.valued:
            end -= 1
            options.append(_with_value(before, words[end]))
        elif name in allowed.valued:
            options.append(_with_value(name, value if is_joined else ""))
        elif words[end - 1] in allowed.switches:
            options.append(name)
        else:
            break
        end -= 1
    return options[::-1], end


def _with_value(name: str, value: str) -> str:
    value = unquoted(value)
    if not value or value.startswith("--"):
        raise InvalidQueryError(f"{name} wants a value; put a text that ends with {name} in quotes")
    return f"{name}={value}"


def _options(arguments: Sequence[str]) -> Sequence[str]:
    return (
        arguments[: arguments.index(END_OF_OPTIONS)] if END_OF_OPTIONS in arguments else arguments
    )
