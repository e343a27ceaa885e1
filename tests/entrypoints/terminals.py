"""Commands whose three streams are one terminal with typed answers."""

import contextlib
import os
import pty
import select
import subprocess
from typing import NamedTuple

from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import LONGEST_RUN

QUESTION = b"[y/N]"


class Talk(NamedTuple):
    """
    The dialogue at a terminal.

    Attributes:
        code: How the command ended.
        shown: All that the terminal showed, the typed answer included.

    """

    code: int
    shown: str


def answer(world: World, typed: bytes, *arguments: str, question: bytes = QUESTION) -> Talk:
    """Run a command of `hardwon` that asks a question, and type an answer."""
    ours, theirs = pty.openpty()
    command = [str(BIN / "hardwon"), *arguments]
    process = subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = _until_asked(ours, question)
    os.write(ours, typed)
    shown += _until_end(ours)
    os.close(ours)
    return Talk(process.wait(LONGEST_RUN), shown.decode())


def _until_asked(terminal: int, question: bytes) -> bytes:
    shown = b""
    while question not in shown:
        shown += _read(terminal)
    return shown


def _until_end(terminal: int) -> bytes:
    shown = b""
    with contextlib.suppress(
        OSError
    ):  # Linux says so at the end, and TimeoutError is one: the wait fails then
        while chunk := _read(terminal):
            shown += chunk
    return shown


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], LONGEST_RUN)
    if not ready:
        raise TimeoutError("the command neither asks nor ends")
    return os.read(terminal, 4_096)
