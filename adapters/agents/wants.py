"""
Find steps that an agent's user still has to do.

An agent may wait for approval or trust, be switched off, or allow too little time to start. Each
step comes with the line to type.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import attrs

from hardwon.adapters.agents.config_edit import is_managed
from hardwon.adapters.agents.table import (
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI,
    NAME,
    OPENCODE,
    PLUGIN,
    is_server,
)

Document = Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Host:
    """
    An agent as it is set up.

    Attributes:
        root: The user's home, or the folder that a variable names instead.
        read: Parses a settings file; an empty document if there is none.
        start_seconds: Measures how long the server takes to answer on this machine.
        has_plugin: Whether hooks and server come from the plugin.
    """

    folder: str
    root: str
    project: str
    server: str
    read: Callable[[str], Document]
    start_seconds: Callable[[], float]
    has_plugin: bool = False

    def settings(self, *names: str) -> Document:
        """Parse a file below the folder of settings."""
        return self.read(os.path.join(self.folder, *names))


def wants_of(name: str, host: Host) -> Iterator[str]:
    """Yield the open steps of an agent, a line each."""
    if name in WANTS:
        yield from WANTS[name](host)


PENDING = (
    "the server {} of .mcp.json waits for approval: run claude in {} and agree, or: claude mcp add"
    " --scope user {} -- {}"
)
REFUSED = "the server {} of .mcp.json was refused: take it out of disabledMcpjsonServers in {}"


def _claude_code(host: Host) -> Iterator[str]:
    """
    Yield servers of the project that were refused or not approved.

    Settings in the project approve them only once the user trusted the folder.
    """
    if host.has_plugin:
        return
    state_path = os.path.join(host.root, ".claude.json")
    state = host.read(state_path)
    own = _table(_table(state, "projects"), host.project)
    if any(
        map(is_server, (*_table(state, "mcpServers").values(), *_table(own, "mcpServers").values()))
    ):
        return
    user, *others = (os.path.join(host.folder, "settings.json"), *_of_project(host.project))
    layers = {user: host.read(user), state_path: own, **{path: host.read(path) for path in others}}
    approving = layers.values() if own.get("hasTrustDialogAccepted") is True else [layers[user]]
    for name in _servers(_table(host.read(os.path.join(host.project, ".mcp.json")), "mcpServers")):
        refusing = [
            path for path, layer in layers.items() if name in _list(layer, "disabledMcpjsonServers")
        ]
        if refusing:
            yield REFUSED.format(name, refusing[0])
        elif not any(_approves(layer, name) for layer in approving):
            yield PENDING.format(name, host.project, NAME, shlex.quote(host.server))


def _of_project(project: str) -> list[str]:
    return [
        os.path.join(project, ".claude", name) for name in ("settings.local.json", "settings.json")
    ]


def _approves(layer: Document, name: str) -> bool:
    return layer.get("enableAllProjectMcpServers") is True or name in _list(
        layer, "enabledMcpjsonServers"
    )


HOOKS_OFF = "its hooks are switched off: codex features enable hooks"
UNTRUSTED = (
    "it does not run {} of its hooks, as they are new or changed: run codex, type /hooks and trust"
    " them"
)
DISABLED = "{} of its hooks are switched off: run codex, type /hooks and switch them on"
CODEX_WAITS_SECONDS = 1.0
"""
How long a run waits for a server that is not required.

Measured with Codex 0.169.0.
"""

ROOM = 3
"""A time limit must be this many times what was measured."""

DEFAULT_CODEX_SECONDS = 10.0
CODEX_SLOW = (
    "the server takes {:.1f} s to start here, and Codex may go on without its tools: put these"
    " lines below [mcp_servers.{}] in {}: required = true and startup_timeout_sec = {:.0f}"
)


def _codex(host: Host) -> Iterator[str]:
    config = host.settings("config.toml")
    features = _table(config, "features")
    if features.get("hooks", features.get("codex_hooks")) is False:
        yield HOOKS_OFF
    else:
        yield from _codex_trust(host, _table(_table(config, "hooks"), "state"))
    for name, server in _servers(_table(config, "mcp_servers")).items():
        limit = _number(server.get("startup_timeout_sec"), DEFAULT_CODEX_SECONDS)
        seconds = host.start_seconds()
        needed = seconds * ROOM
        if seconds > CODEX_WAITS_SECONDS and not (
            server.get("required") is True and limit >= needed
        ):
            path = os.path.join(host.folder, "config.toml")
            yield CODEX_SLOW.format(seconds, name, path, max(limit, needed))


def _codex_trust(host: Host, state: Document) -> Iterator[str]:
    """
    Yield advice on hooks that are untrusted or switched off.

    The plugin's hashes cover all its files, so only their trust is checked.
    """
    if host.has_plugin:
        if not any("trusted_hash" in _table(state, key) for key in state if key.startswith(PLUGIN)):
            yield UNTRUSTED.format("any")
        return
    hooks = dict(_codex_hooks(host))
    disabled = [key for key in hooks if _table(state, key).get("enabled") is False]
    untrusted = [
        key for key, digest in hooks.items() if _table(state, key).get("trusted_hash") != digest
    ]
    if untrusted:
        yield UNTRUSTED.format(_of(len(untrusted), len(hooks)))
    if disabled:
        yield DISABLED.format(_of(len(disabled), len(hooks)))


def _codex_hooks(host: Host) -> Iterator[tuple[str, str]]:
    """Yield the managed hooks: Codex's key, and the hash of trust."""
    path = os.path.join(host.folder, "hooks.json")
    for event, groups in _table(host.read(path), "hooks").items():
        own_event = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for place, group in enumerate(groups if isinstance(groups, list) else []):
            for number, hook in enumerate(_list(group, "hooks")):
                if is_managed(hook):
                    yield (
                        f"{path}:{own_event}:{place}:{number}",
                        _codex_hash(own_event, group.get("matcher"), hook),
                    )


def _codex_hash(event: str, matcher: object, hook: Document) -> str:
    known = {
        "event_name": event,
        "hooks": [{"async": False, **hook} if "command" in hook else hook],
        **({"matcher": matcher} if matcher else {}),
    }
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _of(some: int, every: int) -> str:
    return f"{some} of {every}"


GEMINI_OFF = 'its hooks are switched off: take "enabled": false out of hooksConfig in {}'
GEMINI_DISABLED = "its hook is switched off: run gemini and type /hooks enable {}"
SERVER_OFF = 'the server {} is switched off: set "enabled": true for it in {}'
SLOW = (
    'the server takes {:.1f} s to start here, and {} waits {:.0f} s: set "timeout": {:.0f} for {}'
    " in {}"
)
GEMINI_SECONDS = 600.0
OPENCODE_SECONDS = 30.0
"""
Default limits.

Opencode 1.18.33 waited for a server of 20 s, and not for one of 40 s.
"""


def _gemini_cli(host: Host) -> Iterator[str]:
    path = os.path.join(host.folder, "settings.json")
    settings = host.read(path)
    hooks = _table(settings, "hooksConfig")
    if hooks.get("enabled") is False:
        yield GEMINI_OFF.format(path)
    elif NAME in _list(hooks, "disabled"):
        yield GEMINI_DISABLED.format(NAME)
    yield from _slow_servers(
        host,
        GEMINI_CLI.title,
        path=path,
        servers=_table(settings, "mcpServers"),
        default=GEMINI_SECONDS,
    )


def _opencode(host: Host) -> Iterator[str]:
    path = os.path.join(host.folder, "opencode.json")
    servers = _table(host.read(path), "mcp")
    for name, server in _servers(servers).items():
        if server.get("enabled") is False:
            yield SERVER_OFF.format(name, path)
    yield from _slow_servers(
        host, OPENCODE.title, path=path, servers=servers, default=OPENCODE_SECONDS
    )


def _slow_servers(
    host: Host, title: str, path: str, servers: Document, default: float
) -> Iterator[str]:
    """Yield servers whose time limit (milliseconds) leaves too little room to start."""
    for name, server in _servers(servers).items():
        limit = _number(server.get("timeout"), default * 1_000) / 1_000
        if (needed := host.start_seconds() * ROOM) > limit:
            yield SLOW.format(needed / ROOM, title, limit, needed * 1_000, name, path)


WANTS: Mapping[str, Callable[[Host], Iterator[str]]] = {
    CLAUDE_CODE.name: _claude_code,
    CODEX.name: _codex,
    GEMINI_CLI.name: _gemini_cli,
    OPENCODE.name: _opencode,
}


def _servers(servers: Document) -> dict[str, Document]:
    return {name: server for name, server in servers.items() if is_server(server)}


def _table(document: object, name: str) -> Document:
    value = document.get(name) if isinstance(document, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _list(document: object, name: str) -> list[Any]:
    value = document.get(name) if isinstance(document, Mapping) else None
    return value if isinstance(value, list) else []


def _number(value: object, otherwise: float) -> float:
    return (
        float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else otherwise
    )


LIMIT_SECONDS = 60.0
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hardwon", "version": "1"},
    },
}


def start_seconds(program: str) -> float:
    """
    Measure how long the MCP server *program* takes to answer.

    It is 0 if the program can't be started.
    """
    with tempfile.TemporaryDirectory() as folder, suppress(OSError):
        environ = {**os.environ, "HARDWON_STORE": os.path.join(folder, "store")}
        started = time.monotonic()
        with subprocess.Popen(
            [program],
            bufsize=0,
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as server:
            limit = threading.Timer(LIMIT_SECONDS, server.kill)
            limit.start()
            try:
                return _answered(server) - started
            finally:
                limit.cancel()
                server.kill()
    return 0.0


def _answered(server: subprocess.Popen[bytes]) -> float:
    if server.stdin and server.stdout:
        with suppress(BrokenPipeError):
            server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdout.readline()
    return time.monotonic()
