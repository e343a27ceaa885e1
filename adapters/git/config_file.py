"""The grammar of git's configuration files, without their includes."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
SPACES = " \t\n\r"
"""White space by git's rules."""


class _MalformedError(ValueError):
    """Git would refuse this file."""


def values(text: str, name: str) -> list[str]:
    """
    Return the values of the setting *name*, in the file's order.

    In a malformed file, those before the error.

    Args:
        text: A configuration file of git; links to other files are ignored.
        name: In lower case, but for a subsection: `core.worktree`, `remote.origin.url`.
    """
    return [value for other, value in _settings(text) if other == name]


@lru_cache(maxsize=2)  # the user's and the repository's, for each file of a folder
def _settings(text: str) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    with suppress(_MalformedError):
        found.extend(_Settings(text))
    return found


class _Settings:
    """Names and values by the rules of git's own parser."""

    def __init__(self, text: str) -> None:
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._at = 0

    def __iter__(self) -> Iterator[tuple[str, str]]:
        section = ""
        while self._at < len(self._text):
            character = self._next()
            if character in "#;":
                self._skip_line()
            elif character == "[":
                section = self._section()
            elif _is_letter(character):
                key = character + self._key()
                value = self._assigned()
                if value is not None:
                    yield f"{section}.{key.lower()}", value
            elif character not in SPACES:
                raise _MalformedError

    def _next(self) -> str:
        """Return the next character, where the text's end is a line's end."""
        character = self._text[self._at : self._at + 1] or "\n"
        self._at += 1
        return character

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _section(self) -> str:
        name = ""
        while (character := self._next()) != "]":
            if character in SPACES:
                return f"{name.lower()}.{self._subsection(character)}"
            if not (_is_key(character) or character == "."):
                raise _MalformedError
            name += character
        return name.lower()

    def _subsection(self, character: str) -> str:
        while character in SPACES:
            if character == "\n":
                raise _MalformedError
            character = self._next()
        if character != '"':
            raise _MalformedError
        name = ""
        while (character := self._next()) != '"':
            character = self._next() if character == "\\" else character
            if character == "\n":
                raise _MalformedError
            name += character
        if self._next() != "]":
            raise _MalformedError
        return name

    def _key(self) -> str:
        start = self._at
        while _is_key(self._text[self._at : self._at + 1]):
            self._at += 1
        return self._text[start : self._at]

    def _assigned(self) -> str | None:
        """Return the value after the key, None for a key without "="."""
        character = self._next()
        while character in " \t":
            character = self._next()
        if character == "\n":
            return None
        if character != "=":
            raise _MalformedError
        return self._value()

    def _value(self) -> str:
        value, spaces, is_quoted = "", "", False
        while (character := self._next()) != "\n":
            if character in SPACES and not is_quoted:
                spaces += character if value else ""
                continue
            if character in "#;" and not is_quoted:
                self._skip_line()
                continue
            value, spaces = value + spaces, ""
            if character == '"':
                is_quoted = not is_quoted
            elif character == "\\":
                value += self._escaped()
            else:
                value += character
        if is_quoted:
            raise _MalformedError
        return value

    def _escaped(self) -> str:
        character = self._next()
        if character == "\n":
            return ""
        if character not in ESCAPES:
            raise _MalformedError
        return ESCAPES[character]


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _is_key(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "-")
