"""`hardwon view`: a local server, and the file that opens it."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.view.desk import DeskThread
from hardwon.entrypoints.view.guard import Guard, hosts_of
from hardwon.entrypoints.view.site import Site

HOST = "127.0.0.1"
IDLE_SECONDS = 3600.0
LOOK_SECONDS = 1.0
"""Interval of the idle check."""

LEAVING_SECONDS = 0.5
"""Grace for requests after a signal. Open connections and half-sent forms are then dropped."""

STORE_SECONDS = 0.5
"""
Grace for work on the store after that.

SQLite rolls back what was not committed.
"""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`, since uvicorn would re-raise them."""
        yield


def listen(port: int) -> socket.socket:
    """
    Return a socket that listens on this machine only.

    Port 0 means any free port.
    """
    return socket.create_server((HOST, port))


class View:
    """
    The server of one run.

    Args:
        settings: The resolved settings.
        project_root: The folder in which the command was started.
        listener: The listening socket.
        warn: Called with one line about a problem.
        idle_seconds: The server ends after so long without a request.

    Attributes:
        address: The address that works once.
        has_ended: Whether all work on the store has ended.
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
        self._guard = guard = Guard(hosts_of(port, (HOST, "localhost")))
        self._base = f"http://{HOST}:{port}"
        self.address = f"{self._base}{guard.opening_path}"
        self._opening: OpeningFile | None = None
        self._listener = listener
        self._thread = DeskThread(settings, project_root, warn)
        self._site = Site(guard, self._thread, settings.global_store)
        self._idle_seconds = idle_seconds
        self.has_ended = False
        config = uvicorn.Config(
            self._site.app(),
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,
        )
        config.server_header = False
        self._server = _Server(config)

    def open_in_browser(self) -> bool:
        """
        Open the page in the user's browser, and return whether there is one.

        The browser gets a file: other users of the machine can see command lines, and could use the
        address first.
        """
        try:
            self._opening = OpeningFile(f"{self._base}{self._guard.prefix}/", self._guard.token)
        except OSError:
            return False
        return open_browser(self._opening.address)

    def serve(self) -> bool:
        """Serve until a signal or idleness, and return whether it was idleness."""
        try:
            self._thread.open()
            return asyncio.run(self._serve())
        finally:
            self._remove_file()
            self.has_ended = self._thread.close(STORE_SECONDS)

    def _remove_file(self) -> None:
        opening, self._opening = self._opening, None
        if opening:
            opening.remove()

    async def _serve(self) -> bool:
        loop = asyncio.get_running_loop()
        serving = asyncio.ensure_future(self._server.serve([self._listener]))

        def stop() -> None:
            self._server.should_exit = True
            loop.call_later(LEAVING_SECONDS, serving.cancel)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop)
        was_idle = False
        while not serving.done():
            await asyncio.wait([serving], timeout=LOOK_SECONDS)
            if self._opening and (self._guard.is_used or self._opening.is_old):
                self._remove_file()
            if not self._server.should_exit and self._is_idle():
                was_idle = True
                stop()
        if not serving.cancelled():
            serving.result()
        return was_idle

    def _is_idle(self) -> bool:
        return time.monotonic() - self._site.last_request > self._idle_seconds


def open_browser(address: str) -> bool:
    """Open *address* in the user's browser, and return whether there is one."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


LASTS_SECONDS = 60.0
"""How long a browser has to open the file before it is removed."""

FORM = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>hardwon</title>
</head>
<body>
<form method="post" action="{address}">
<input type="hidden" name="token" value="{token}">
<button>Open the memory</button>
</form>
<script>document.forms[0].submit()</script>
</body>
</html>
"""
"""A browser without JavaScript shows the button."""


class OpeningFile:
    """A file in a folder that only its owner can read."""

    def __init__(self, address: str, token: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="hardwon-view-")  # of mode 0700
        self._made_at = time.monotonic()
        self.path = os.path.join(self._folder, "open.html")
        number = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(FORM.format(address=address, token=token))

    @property
    def address(self) -> str:
        """The `file:` address."""
        return Path(self.path).as_uri()

    @property
    def is_old(self) -> bool:
        """Whether the browser's time to open it is over."""
        return time.monotonic() - self._made_at > LASTS_SECONDS

    def remove(self) -> None:
        """Remove the file, if it is still there."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder)
