"""`hardwon view`: a server on this machine alone, for as long as it is looked at."""

import asyncio
import contextlib
import signal
import socket
import time
import webbrowser
from collections.abc import Callable, Iterator

import uvicorn

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.view.desk import DeskThread
from hardwon.entrypoints.view.guard import Guard
from hardwon.entrypoints.view.site import Site

HOST = "127.0.0.1"
IDLE_SECONDS = 3600.0
LOOK_SECONDS = 1.0
"""How often it is looked whether the page is still used."""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`: uvicorn would end the process by the one it got, not with 0."""
        yield


def listen(port: int) -> socket.socket:
    """
    Return a socket that listens on this machine alone; port 0 means any that is free.

    Raises:
        OSError: the port is taken.
    """
    return socket.create_server((HOST, port))


class View:
    """
    The page of one run.

    Args:
        settings: The resolved settings.
        project_root: The folder in which the command was started.
        listener: Where it listens.
        warn: Called with one line about a problem.
        idle_seconds: After so long without a request the page ends.

    Attributes:
        address: The address that works once.
    """

    def __init__(
        self,
        settings: Settings,
        project_root: str,
        listener: socket.socket,
        warn: Callable[[str], None],
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        port = listener.getsockname()[1]
        guard = Guard(frozenset({f"{HOST}:{port}", f"localhost:{port}"}))
        self.address = f"http://{HOST}:{port}{guard.opening_path}"
        self._listener = listener
        self._thread = DeskThread(settings, project_root, warn)
        self._site = Site(guard, self._thread, settings.global_store)
        self._idle_seconds = idle_seconds
        config = uvicorn.Config(self._site.app(), lifespan="off", ws="none", log_config=None, access_log=False)
        config.server_header = False
        self._server = _Server(config)

    def serve(self) -> bool:
        """Serve until a signal, or for as long as requests come; return whether they ceased."""
        try:
            self._thread.open()
            return asyncio.run(self._serve())
        finally:
            self._thread.close()

    async def _serve(self) -> bool:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop)
        serving = asyncio.ensure_future(self._server.serve([self._listener]))
        while not serving.done():
            await asyncio.wait([serving], timeout=LOOK_SECONDS)
            if not self._server.should_exit and self._is_idle():
                self._stop()
                await serving
                return True
        await serving
        return False

    def _is_idle(self) -> bool:
        return time.monotonic() - self._site.last_request > self._idle_seconds

    def _stop(self) -> None:
        self._server.should_exit = True


def open_browser(address: str) -> bool:
    """Open *address* in the user's browser; return whether there is one."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
