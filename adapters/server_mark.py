"""
The mark of a server that answers its client's hooks.

A shell command reads it: a file in the store's folder, named by the client's process, with the server's process. Standard
library only: hooks read it too.
"""

import contextlib
import os
import shlex

from hardwon.adapters.folder import PRIVATE
from hardwon.ports.agents import AnsweringMark
from hardwon.ports.override import override

PREFIX = "answering-"

GUARD = "{{ read -r server <{}$PPID && kill -0 $server; }} 2>/dev/null || "
"""The beginning of a shell command that ends if the client's server answers."""


class ServerMark(AnsweringMark):
    """
    The mark of the server that a client started.

    Args:
        store: The store's folder; without it there is no mark.
        client: The client's process.
    """

    def __init__(self, store: str, client: int) -> None:
        self._store = store
        self._path = os.path.join(store, f"{PREFIX}{client}")

    @override
    def set(self) -> None:
        with contextlib.suppress(OSError):
            number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
            with open(number, "w", encoding="ascii") as file:
                file.write(f"{os.getpid()}\n")

    @override
    def remove(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    @override
    def remove_dead(self) -> None:
        self.remove()
        with contextlib.suppress(OSError):
            for name in os.listdir(self._store):
                client = name.removeprefix(PREFIX)
                if client != name and client.isdecimal() and not _is_alive(int(client)):
                    ServerMark(self._store, int(client)).remove()


def guard(store: str) -> str:
    """Return the beginning of a command that ends if a server answers, by *store*."""
    return GUARD.format(shlex.quote(os.path.join(store, PREFIX)))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    except OverflowError:
        return False
    return True
