"""
`hardwon-mcp`: the memory for any MCP client.

Only the standard library is imported before the streams are claimed.
"""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from hardwon.domain.model.errors import StorageError
from hardwon.entrypoints.arguments import USAGE_ERROR, ProjectParser, flags
from hardwon.entrypoints.mcp.wire import claim_wire, leave, leave_soon, on_signals
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.streams import (
    NO_FOLDER,
    REINSTALL,
    ignore_empty_home,
    is_working_folder_gone,
    never_fail_to_print,
    warn,
)

if TYPE_CHECKING:
    from hardwon.entrypoints.mcp.server import MemoryServer


class Transport(Protocol):
    """Connects a server to its clients."""

    async def serve(self, server: "MemoryServer") -> None:
        """Serve until the clients have left, or the transport is stopped."""

    def stop(self) -> None:
        """End soon, also from a signal handler."""


NAME = "hardwon-mcp"
STORE_FAILURE = 2
INCOMPLETE = 2
TOKEN = "HARDWON_MCP_TOKEN"  # noqa: S105  # a variable's name
SHORTEST_TOKEN = 16
LOOPBACK = ("127.0.0.1", "localhost", "::1")
DEFAULT_PORT = 8377
LARGEST_PORT = 65535

EPILOG = f"""\
without --http it speaks MCP by standard input and output; with it, clients send
  Authorization: Bearer ...   the token in the environment variable {TOKEN}, at least {SHORTEST_TOKEN} characters

exit codes: 0 the client left or the server was stopped, 1 an argument is not valid, 2 the store can't be opened
  or the installation is incomplete"""


def main() -> None:
    """Serve until the client leaves, then exit."""
    never_fail_to_print()
    options = _parse(sys.argv[1:])
    on_signals(leave)
    try:
        leave(_serve_http(options) if options.http else _serve_stdio(options))
    except ModuleNotFoundError as error:
        leave(_failed(f"the package {error.name!r} is missing, run: {REINSTALL}", INCOMPLETE))
    except OSError as error:  # those of the store became errors of ours on their way here
        leave(
            _failed(
                NO_FOLDER if is_working_folder_gone() else error.strerror or str(error), USAGE_ERROR
            )
        )
    except Exception as error:  # noqa: BLE001  # no user ever sees a traceback
        from hardwon.entrypoints.unforeseen import log_unforeseen  # rarely needed

        leave(_failed(log_unforeseen(NAME, error), STORE_FAILURE))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = ProjectParser(NAME, "Serve the memory to an MCP client.", EPILOG)
    parser.add_argument(
        "--no-scan", action="store_true", help=("do not index the project's files at start")
    )
    parser.add_argument(
        "--http", action="store_true", help="serve streamable HTTP on this machine instead"
    )
    parser.add_argument(
        "--host", choices=LOOPBACK, default=LOOPBACK[0], help="with --http (default: %(default)s)"
    )
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        metavar="N",
        help="with --http (default: %(default)s)",
    )
    parser.add_argument(
        "--version", action="store_true", help="show program's version number and exit"
    )
    options = parser.parse(arguments)
    if options.version:
        from importlib.metadata import version  # slow

        print(f"{NAME} {version('hardwon')}")
        parser.exit()
    if not 0 <= options.port <= LARGEST_PORT:
        parser.error(
            f"--port {options.port} is no port: use 0 to {LARGEST_PORT}, 0 for any that is free"
        )
    if options.http and len(os.environ.get(TOKEN, "")) < SHORTEST_TOKEN:
        parser.error(f"--http needs a token of at least {SHORTEST_TOKEN} characters in {TOKEN}")
    return options


def _serve_stdio(options: argparse.Namespace) -> int:
    wire = claim_wire()
    from hardwon.entrypoints.mcp.stdio import StdioTransport  # this and what it brings may print

    return _serve(options, lambda: StdioTransport(wire, leave_soon))


def _serve_http(options: argparse.Namespace) -> int:
    from hardwon.entrypoints.mcp.http import LoopbackTransport, address, listen  # the SDK: a second

    listener = listen(options.host, options.port)
    print(f"{NAME}: {address(listener, options.host)}", file=sys.stderr, flush=True)
    token = os.environ[TOKEN]
    return _serve(
        options,
        lambda: LoopbackTransport(listener, host=options.host, token=token, at_end=leave_soon),
    )


def _serve(options: argparse.Namespace, make_transport: "Callable[[], Transport]") -> int:
    import anyio

    async def serve(server: "MemoryServer") -> None:
        transport = make_transport()
        on_signals(transport.stop)
        await transport.serve(server)

    code = 0
    try:
        anyio.run(serve, _build(options))
    except* StorageError as errors:
        code = _failed(_first(errors), STORE_FAILURE)
    return code


def _build(options: argparse.Namespace) -> "MemoryServer":
    from hardwon.entrypoints.bootstrap import open_server_mark, read_settings
    from hardwon.entrypoints.bootstrap_agents import hooks_call_server
    from hardwon.entrypoints.mcp.server import MemoryServer
    from hardwon.entrypoints.mcp.threads import MemoryWorker, ProjectScan, StartupScan

    logging.basicConfig(level=logging.WARNING, format=f"{NAME}: %(message)s")  # to standard error
    ignore_empty_home()
    resolved = read_settings(options.project_root, flags(options))
    for warning in resolved.warnings:
        warn(warning)
    scan = ProjectScan(resolved.settings, options.project_root, warn)
    startup_scan = None if options.no_scan else StartupScan(scan)
    mark = None
    if not options.http and hooks_call_server(os.environ):
        mark = open_server_mark(resolved.settings.global_store, os.getppid())
    return MemoryServer(
        MemoryWorker(resolved.settings, options.project_root, warn=warn, startup_scan=startup_scan),
        mark=mark,
    )


def _first(errors: BaseExceptionGroup[StorageError]) -> str:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)


def _failed(line: str, code: int) -> int:
    print(f"{NAME}: {on_one_line(line)}", file=sys.stderr)
    return code
