"""Every door of hardwon as one process that is given one text, and what it says it has kept."""

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.mcp.raw_client import LESSON
from tests.entrypoints.programs import Process, Ran, finish, start, upsert

CALLS = 12
"""How many lessons a client of the server stores."""

HANDSHAKE: dict[str, object] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "campaign", "version": "1"},
}


class Door(NamedTuple):
    """
    A way in.

    Attributes:
        name: How it is called.
        start: Starts it in a world, with a text that nothing else holds.
        kept: Tells by what it printed and that text which texts it acknowledged.

    """

    name: str
    start: Callable[[World, str], Process]
    kept: Callable[[Ran, str], Iterable[str]]

    @property
    def is_hook(self) -> bool:
        """Whether a host calls it, so that it must end with 0."""
        return self.name.startswith("hook ")


def start_process(world: World, *command: str) -> Process:
    """Start a program as a new process in the world's project."""
    return subprocess.Popen(
        command,
        cwd=world.project,
        env=world.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def session_of(text: str) -> str:
    """Return the session in which *text* is said."""
    return text.split(maxsplit=1)[0]


def _feed(process: Process, data: bytes) -> Process:
    """Write *data*, and leave the input open as hosts do."""
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(data)
        process.stdin.flush()
    return process


def _hook(event: str, **fields: str) -> Callable[[World, str], Process]:
    def start_hook(world: World, text: str) -> Process:
        payload = {
            "session_id": session_of(text),
            "cwd": str(world.project),
            "hook_event_name": event,
            "source": "startup",
            **{name: value.format(text=text) for name, value in fields.items()},
        }
        return _feed(start_process(world, str(BIN / "hardwon-hook")), json.dumps(payload).encode())

    return start_hook


def _serve(world: World, text: str) -> Process:
    messages: list[dict[str, object]] = [
        {"id": "hello", "method": "initialize", "params": HANDSHAKE}
    ]
    messages.append({"method": "notifications/initialized"})
    for number in range(CALLS):
        call = {
            "name": "store_memory",
            "arguments": {**LESSON, "description": text_of_call(text, number)},
        }
        messages.append({"id": number, "method": "tools/call", "params": call})
    lines = (json.dumps({"jsonrpc": "2.0", **message}) for message in messages)
    return _feed(start(world, "hardwon-mcp"), "".join(f"{line}\n" for line in lines).encode())


def text_of_call(text: str, number: int) -> str:
    """Return the description of one lesson that a client of the server stores."""
    return f"{text} Call {number} of it."


def _kept_by_server(ran: Ran, text: str) -> list[str]:
    answers = (
        json.loads(line) for line in ran.stdout.splitlines(keepends=True) if line.endswith("\n")
    )
    stored = [
        answer
        for answer in answers
        if "entryId" in answer.get("result", {}).get("structuredContent", {})
    ]
    return [text_of_call(text, answer["id"]) for answer in stored]


def _kept_by_command(ran: Ran, text: str) -> list[str]:
    return [text] if ran.stdout.startswith("Stored: ") else []


def _kept_by_hook(ran: Ran, text: str) -> list[str]:
    return [text] if (ran.code, ran.stderr) == (0, "") else []


def _nothing(_: Ran, __: str) -> list[str]:
    return []


def _command(*arguments: str) -> Callable[[World, str], Process]:
    return lambda world, text: start(
        world, "hardwon", *(argument.format(text=text) for argument in arguments)
    )


def _work(world: World, _: str) -> Process:
    return start_process(
        world,
        str(BIN / "python"),
        "-P",
        "-m",
        "hardwon.entrypoints.worker",
        "--global-store",
        str(world.store),
    )


WRITER = Door(
    "writer",
    lambda world, text: start(world, "hardwon-writer", *upsert(name="n", description=text)),
    _kept_by_command,
)
SERVER = Door("server", _serve, _kept_by_server)
ADD = Door("add", _command("add", "{text}", "--category", "patterns"), _kept_by_command)
SESSION_START = Door("hook SessionStart", _hook("SessionStart"), _nothing)
PROMPT = Door("hook UserPromptSubmit", _hook("UserPromptSubmit", prompt="{text}"), _kept_by_hook)
STOP = Door("hook Stop", _hook("Stop", last_assistant_message="{text}"), _kept_by_hook)
WORKER = Door("worker", _work, _nothing)
RECALL = Door("recall", _command("recall", "{text}"), _nothing)
LIST = Door("list", _command("list", "--json"), _nothing)
DOCTOR = Door("doctor", _command("doctor"), _nothing)
INDEX = Door("index", _command("index"), _nothing)

LESSON_DOORS = (WRITER, SERVER, ADD)
TALK_DOORS = (PROMPT, STOP)


def run_door(door: Door, world: World, text: str) -> Ran:
    """Run a door to its end."""
    return finish(door.start(world, text))
