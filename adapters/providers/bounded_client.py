"""httpx, held to a time, a size and the words of `provider_errors`; imported with the first request only."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.httpx_failures import failures_translated
from hardwon.adapters.providers.provider_errors import ProviderAnswerUnusableError
from hardwon.adapters.providers.refusals import refusal

MAX_BODY_BYTES = 64 * 1024 * 1024

CONNECT_SECONDS = 30.0

ABOUT_THE_SENT_BYTES = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(httpx.Client):
    """
    An httpx client whose timeout bounds the whole exchange, from the name's lookup to the last byte.

    It follows no redirect, because the key would travel along, and raises
    nothing but `ProviderError`, also for a status other than 2xx.
    """

    def __init__(self, endpoint: Endpoint, transport: httpx.BaseTransport | None = None) -> None:
        with failures_translated(endpoint):
            super().__init__(
                verify=_trust(endpoint.base_url),
                # A proxy can't reach this machine's own servers.
                trust_env=not _is_loopback(endpoint.base_url),
                transport=transport,
                follow_redirects=False,
            )
        self._endpoint = endpoint

    def exchange(self, method: str, path: str, body: bytes | None, seconds: float) -> bytes:
        """Send *body* as JSON to *path*, return the answer's body; raises what `send` raises."""
        with failures_translated(self._endpoint):
            return self.send(self._json_request(method, path, body, httpx.Timeout(seconds))).content

    def stream_lines(self, method: str, path: str, body: bytes, silence: float) -> Iterator[str]:
        """Yield the lines of the answer as they come, *silence* seconds apart at most; raises what `send` raises."""
        with failures_translated(self._endpoint):
            request = self._json_request(method, path, body, httpx.Timeout(silence, connect=CONNECT_SECONDS))
            with closing(self.send(request, stream=True)) as response:
                yield from response.iter_lines()

    def _json_request(self, method: str, path: str, body: bytes | None, timeout: httpx.Timeout) -> httpx.Request:
        headers = {**self._endpoint.headers, **({} if body is None else {"Content-Type": "application/json"})}
        url = self._endpoint.base_url + path
        return self.build_request(method, url, content=body, headers=headers, timeout=timeout)

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """
        Return the answer to *request*, read to its end unless *stream*.

        Raises:
            ProviderError: the answer is no success, is too large, or was not all there within
                the request's timeout.
        """
        answer = super().send
        with failures_translated(self._endpoint):
            if stream:
                return self._success(answer(request, stream=True, **options))
            exchange = _Exchange(self._endpoint, lambda: answer(request, stream=True, **options))
            return self._success(exchange.response_within(request.extensions["timeout"]["read"]))

    def _success(self, response: httpx.Response) -> httpx.Response:
        if response.is_success:
            return response
        with closing(response):
            response.read()
        raise refusal(self._endpoint, response)


class _Exchange:
    """
    One exchange in a thread of its own, which may be left behind.

    httpx's timeouts count anew for each address, header line and chunk, and
    the lookup of a name has none at all.
    """

    def __init__(self, endpoint: Endpoint, start: Callable[[], httpx.Response]) -> None:
        self._endpoint = endpoint
        self._start = start
        self._response: httpx.Response | None = None
        self._error: Exception | None = None
        self._abandoned = False

    def response_within(self, seconds: float) -> httpx.Response:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        thread.join(seconds)
        if self._error:
            raise self._error
        if self._response is None:
            self._abandoned = True
            raise httpx.ReadTimeout("the answer was not complete in time")
        return self._response

    def _run(self) -> None:
        try:
            with closing(self._start()) as response:
                self._response = self._read(response)
        except Exception as error:  # noqa: BLE001  # raised again in the thread that waits
            self._error = error

    def _read(self, response: httpx.Response) -> httpx.Response:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_BODY_BYTES or self._abandoned:
                raise ProviderAnswerUnusableError(
                    self._endpoint.says(f"sent more than {MAX_BODY_BYTES // 1024**2} MB, which is not read")
                )
        headers = [item for item in response.headers.multi_items() if item[0] not in ABOUT_THE_SENT_BYTES]
        return httpx.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


def _trust(url: str) -> ssl.SSLContext:
    """Return what makes a server's certificate good: the system's list (or `SSL_CERT_FILE`), else certifi's."""
    if not url.lower().startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody; reading the list takes 20 ms
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(_certifi_list())
    return context


def _certifi_list() -> str:
    # A system whose Python was built with no list of its own, as on some Macs.
    import certifi  # noqa: PLC0415  # comes with httpx; 10 ms that few systems need

    return certifi.where()


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
