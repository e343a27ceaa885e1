"""JSON over HTTP, for every provider on the network."""

import json
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.endpoint import (
    Endpoint,
    ProviderAnswerUnusableError,
    ProviderUnavailableError,
)
from hardwon.domain.model.deadline import Deadline

if TYPE_CHECKING:
    import httpx

    from hardwon.adapters.providers.bounded_client import BoundedClient

MAX_REQUEST_SECONDS = 30.0

# Upper bound of silence in a stream: Ollama checks a model of some gigabytes without output.
MAX_SILENCE_SECONDS = 600.0


class JsonHttp:
    """
    A client of a provider that sends and receives JSON.

    It reuses its connection, follows no redirect, takes proxies from the environment, trusts the
    system's certificates, and reads at most 64 MB. *transport* replaces the network.
    """

    def __init__(self, endpoint: Endpoint, transport: "httpx.BaseTransport | None" = None) -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._client: BoundedClient | None = None

    def post(self, path: str, body: object, deadline: Deadline) -> Any:
        """Return the answer to *body* sent to *path*."""
        return self._ask("POST", path, body=_encoded(body), deadline=deadline)

    def get(self, path: str, deadline: Deadline) -> Any:
        """Return the answer to a GET of *path*."""
        return self._ask("GET", path, body=None, deadline=deadline)

    def stream(self, path: str, body: object) -> Iterator[Any]:
        """
        Yield the answers to *body*, one JSON value a line.

        The only limit is 10 minutes of silence.
        """
        self.endpoint.require_key()
        for line in self.client().stream_lines(
            "POST", path, body=_encoded(body), silence=MAX_SILENCE_SECONDS
        ):
            if line.strip():
                yield self._parsed(line)

    def seconds_until(self, deadline: Deadline) -> float:
        """Return the time limit of a request, at most 30 s."""
        seconds = deadline.within(MAX_REQUEST_SECONDS).remaining()
        if seconds <= 0:
            raise ProviderUnavailableError(self.endpoint.says("was not asked, no time was left"))
        return seconds

    def client(self) -> "BoundedClient":
        """Return the client, created at first use."""
        if self._client is None:
            _import_httpx()
            from hardwon.adapters.providers.bounded_client import BoundedClient  # noqa: PLC0415  # imports httpx

            self._client = BoundedClient(self.endpoint, self._transport)
            weakref.finalize(self, self._client.close)
        return self._client

    def _ask(self, method: str, path: str, body: bytes | None, deadline: Deadline) -> Any:
        self.endpoint.require_key()
        self.seconds_until(deadline)
        client = self.client()  # its first import takes some of the seconds
        return self._parsed(
            client.exchange(method, path, body=body, seconds=self.seconds_until(deadline))
        )

    def _parsed(self, text: bytes | str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProviderAnswerUnusableError(
                self.endpoint.says(
                    "sent an answer that is no JSON",
                    text[:500].decode(errors="replace") if isinstance(text, bytes) else text,
                )
            ) from error


def _encoded(body: object) -> bytes:
    # A lone surrogate, which JSON and UTF-8 can't carry, becomes a question mark.
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


_IMPORTING = threading.Lock()


def _import_httpx() -> None:
    """
    Import httpx without its command line.

    Its imports (rich, click and pygments) would double the 0.2 s it takes.
    """
    with _IMPORTING:  # several spaces are queried at once, in threads
        if "httpx" in sys.modules:
            return
        modules: dict[str, Any] = sys.modules
        modules["httpx._main"] = None  # makes its import the ImportError that httpx expects
        try:
            import httpx  # noqa: F401, PLC0415  # a hook that asks no provider never needs it
        finally:
            del modules["httpx._main"]
