"""Hooks that call the running server, and whether an agent can."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from hardwon.adapters.agents.table import ServerHooks, is_server
from hardwon.ports.agents import HOOK_TOOL

Document: TypeAlias = Mapping[str, Any]
Version: TypeAlias = tuple[int, ...]

PROMPT = "UserPromptSubmit"


def calling_hook(hooks: ServerHooks, server: str, event: str) -> Document:
    """Return the hook of *event* that calls *server*."""
    is_of_prompt = event == PROMPT
    return {
        "type": "mcp_tool",
        "server": server,
        "tool": HOOK_TOOL,
        "input": hooks.of_prompt if is_of_prompt else hooks.fields,
        "timeout": hooks.prompt_seconds if is_of_prompt else hooks.seconds,
    }


class Client(NamedTuple):
    """
    An installed program of an agent.

    Attributes:
        version: Empty if it prints none.
    """

    path: str
    version: Version


class Reach(NamedTuple):
    """
    The server that hooks can call in all projects.

    Attributes:
        server: Its name; empty for none.
        obstacle: The reason why there is none.
    """

    server: str = ""
    obstacle: str = ""


HIDDEN = "its servers do not get the variable {}"
NO_SERVER = "no server of hardwon is registered for all projects"
NO_CLIENT = "no {} is on PATH that tells its version"
TOO_OLD = "{} is version {}, which may run no hook of such a file; {} does"

UNREACHABLE = "hooks in {} call the running server, but {}: run hardwon init"
OUTDATED = "hooks in {} run for the tools of another version: run hardwon init"
REACHABLE = (
    "its hooks can call the server {} that runs already: faster, and at opened and edited files"
    " too; run hardwon init"
)


def reach_of(hooks: ServerHooks, server: str, program: str, clients: Iterable[Client]) -> Reach:
    """
    Return the reach of *server*.

    One unknown hook silences all hooks of its file, so the oldest client decides.

    Args:
        hooks: The hooks that would call it.
        server: The name of the server that is registered for all projects; empty for none.
        program: The name of the agent's program.
        clients: The installed clients; only asked for if there is a server.
    """
    if not server:
        return Reach(obstacle=NO_SERVER)
    oldest = min(clients, key=lambda client: client.version, default=None)
    if oldest is None or not oldest.version:
        return Reach(obstacle=NO_CLIENT.format(program))
    if oldest.version < hooks.oldest:
        versions = (_text(oldest.version), _text(hooks.oldest))
        return Reach(obstacle=TOO_OLD.format(oldest.path, *versions))
    return Reach(server)


def server_in(servers: Document, program: str) -> str:
    """Return the name of the server that runs *program* on the hooks' store."""
    return next((name for name, entry in servers.items() if _is_program(entry, program)), "")


def _is_program(entry: Any, program: str) -> bool:
    if not is_server(entry):
        return False
    path = shutil.which(entry["command"]) if isinstance(entry["command"], str) else None
    has_own_store = "HARDWON_STORE" in (entry.get("env") or ()) or "--global-store" in (
        entry.get("args") or ()
    )
    return bool(path) and _is_same(path or "", program) and not has_own_store


def _is_same(path: str, program: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(program)


VERSION = re.compile(r"\d+(?:\.\d+)+")
PATIENCE_SECONDS = 10.0


def clients_on(search_path: str, program: str) -> Iterator[Client]:
    """Yield the clients on PATH, each once, with the version that it prints."""
    folders = filter(None, search_path.split(os.pathsep))
    paths = filter(None, (shutil.which(program, path=folder) for folder in folders))
    # By the path on PATH: some version managers link all programs to one, which reads its name.
    for path in {os.path.realpath(path): path for path in paths}.values():
        yield Client(path, _version(path))


def _version(path: str) -> Version:
    with suppress(OSError, subprocess.SubprocessError):
        printed = subprocess.run(  # the agent's own program, by its path
            [path, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            check=False,
        ).stdout.decode(errors="replace")
        if found := VERSION.search(printed):
            return tuple(map(int, found[0].split(".")))
    return ()


def _text(version: Version) -> str:
    return ".".join(map(str, version))
