"""A network between a client and a server's socket: it delays what crosses it, and counts the round trips."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator


class Network:
    """
    A port on this machine that leads to a socket.

    Attributes:
        port: Where clients connect.
        round_trips: How often a client spoke after the server had, or for the first time.
        is_away: Whether new connections are closed at once.
        limit: After so many round trips nothing crosses it, and nothing is closed.

    """

    def __init__(self, socket: str, seconds: float) -> None:
        self._socket = socket
        self._seconds = seconds
        self.round_trips = 0
        self.limit = sys.maxsize
        self.is_away = False
        # In a thread: a browser's test leaves a loop that runs in this one.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._connect, "127.0.0.1", 0)
        self._listening = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.port: int = self._listening.sockets[0].getsockname()[1]

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_away:
            writer.close()
            return
        from_server, to_server = await asyncio.open_unix_connection(self._socket)
        spoke = ["server"]
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(
                self._forward(reader, to_server, "client", spoke),
                self._forward(from_server, writer, "server", spoke),
            )
        to_server.close()
        writer.close()

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, who: str, spoke: list[str]
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                self.round_trips += who == "client" and spoke[0] == "server"
                spoke[0] = who
                if self.round_trips > self.limit:
                    continue
                self._loop.call_later(self._seconds, writer.write, data)
        await asyncio.sleep(self._seconds)
        writer.close()

    def close(self) -> None:
        """Close the port and all that is connected to it."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._listening.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


@contextlib.contextmanager
def network_to(folder: str, seconds: float = 0.0) -> Iterator[Network]:
    """Yield a network to the server whose socket lies in *folder*; each direction takes *seconds*."""
    network = Network(f"{folder}/.s.PGSQL.5432", seconds)
    try:
        yield network
    finally:
        network.close()
