"""
An httpx client with bounds on time and size.

It is imported with the first request, because it imports httpx.
"""

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx

from hardwon.adapters.providers.endpoint import (
    Endpoint,
    ProviderAnswerUnusableError,
    ProviderError,
    ProviderRateLimitedError,
    ProviderUnavailableError,
)

# ValueError and ImportError: unusable proxy settings. OSError: unreadable certificates.
# RuntimeError: no thread left, and httpx's own complaints about streams and closed clients.
MAPPED = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.CookieConflict,
    ValueError,
    ImportError,
    OSError,
    RuntimeError,
)


@contextmanager
def failures_translated(endpoint: Endpoint) -> Iterator[None]:
    """Translate httpx's errors into a `ProviderError`."""
    try:
        yield
    except MAPPED as error:
        raise _failure(endpoint, error) from error


def _failure(endpoint: Endpoint, error: Exception) -> ProviderError:
    why = str(error)
    match error:
        case httpx.DecodingError():
            return ProviderAnswerUnusableError(
                endpoint.says("sent an answer that can't be decoded", why)
            )
        case httpx.TimeoutException():
            words = "did not answer in time"
        case httpx.ProxyError():
            words = "can't be reached through the proxy, check HTTPS_PROXY and NO_PROXY"
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            words = "has an address that can't be used, check its base URL"
        case httpx.ConnectError() if _is_about_tls(error):
            words = "can't be reached safely, check https in its address and SSL_CERT_FILE"
        case httpx.ConnectError():
            words = f"can't be reached, {endpoint.way_out_when_down}"
        case httpx.HTTPError():
            words = "broke off the exchange, try again later"
        case _:
            words = "can't be asked, check the proxy and certificate settings of the environment"
    return ProviderUnavailableError(endpoint.says(words, why))


def _is_about_tls(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY_REQUESTS = 401, 403, 404, 429
MIN_SERVER_ERROR = 500

SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s?")


def refusal(endpoint: Endpoint, response: "httpx.Response") -> ProviderError:
    """Return the error for *response*, complete and without success."""
    status, body = response.status_code, _json_of(response)
    detail = _message_in(body) or response.text
    if status == TOO_MANY_REQUESTS:
        pause = _retry_after(response, body)
        wait = "" if pause is None else f", again in {pause:g} s"
        return ProviderRateLimitedError(
            endpoint.says(f"wants fewer requests (429{wait})", detail), pause
        )
    return ProviderUnavailableError(
        endpoint.says(f"{_verdict(endpoint, status, response)} ({status})", detail)
    )


def _verdict(endpoint: Endpoint, status: int, response: "httpx.Response") -> str:
    # Gemini answers 400 to a wrong key.
    if status in (UNAUTHORIZED, FORBIDDEN) or "API_KEY_INVALID" in response.text:
        return (
            f"refused the key in {endpoint.key_name}"
            if endpoint.key_name
            else "wants a key, which it can't be given"
        )
    if status == NOT_FOUND:
        return f"does not know that address or model, {endpoint.way_out_of_404}"
    if response.has_redirect_location:
        return "points to another address, which is not followed: set its base URL to that"
    if status >= MIN_SERVER_ERROR:
        return "is in trouble, try again later"
    return "refused the request"


def _json_of(response: "httpx.Response") -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _message_in(body: Any) -> str:
    if isinstance(body, list) and len(body) == 1:  # Gemini's compatible API has a list
        return _message_in(body[0])
    if not isinstance(body, dict):
        return ""
    error = body.get("error") or body.get("detail")
    if isinstance(error, dict):
        error = error.get("message")
    return error if isinstance(error, str) else ""


def _retry_after(response: "httpx.Response", body: Any) -> float | None:
    """Return the seconds to wait, from `Retry-After` or Gemini's `retryDelay`."""
    text = response.headers.get("retry-after") or _retry_delay(body)
    if match := SECONDS.fullmatch(text.strip()):
        return float(match[1])
    try:
        # Relative to the server's clock, as this machine's may be wrong.
        pause = parsedate_to_datetime(text) - parsedate_to_datetime(
            response.headers.get("date", "")
        )
    except (ValueError, TypeError):
        return None
    return max(0.0, pause.total_seconds())


def _retry_delay(body: Any) -> str:
    try:
        delays = [detail.get("retryDelay") for detail in body["error"]["details"]]
    except (KeyError, TypeError, AttributeError):
        return ""
    return next((delay for delay in delays if isinstance(delay, str)), "")


MAX_BODY_BYTES = 64 * 1024 * 1024

CONNECT_SECONDS = 30.0

HEADERS_OF_ENCODING = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(httpx.Client):
    """
    An httpx client with a timeout for the whole exchange.

    It follows no redirect, which would get the key, and raises only `ProviderError`, also for a
    status other than 2xx.
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
        """Send *body* as JSON and return the answer's body."""
        with failures_translated(self._endpoint):
            return self.send(
                self._json_request(method, path, body=body, timeout=httpx.Timeout(seconds))
            ).content

    def stream_lines(self, method: str, path: str, body: bytes, silence: float) -> Iterator[str]:
        """
        Yield the answer's lines as they come, or raise as `send` does.

        *silence* is the longest time between two lines, in seconds.
        """
        with failures_translated(self._endpoint):
            request = self._json_request(
                method, path, body=body, timeout=httpx.Timeout(silence, connect=CONNECT_SECONDS)
            )
            with closing(self.send(request, stream=True)) as response:
                yield from response.iter_lines()

    def _json_request(
        self, method: str, path: str, body: bytes | None, timeout: httpx.Timeout
    ) -> httpx.Request:
        headers = {
            **self._endpoint.headers,
            **({} if body is None else {"Content-Type": "application/json"}),
        }
        url = self._endpoint.base_url + path
        return self.build_request(method, url, content=body, headers=headers, timeout=timeout)

    def send(
        self, request: httpx.Request, *, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """Return the answer to *request*, read to its end unless *stream*."""
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
    An exchange in a separate thread, abandoned at the timeout.

    httpx's timeouts restart for each address, header line and chunk, and omit the DNS lookup.
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
                    self._endpoint.says(
                        f"sent more than {MAX_BODY_BYTES // 1024**2} MB, which is not read"
                    )
                )
        headers = [
            item for item in response.headers.multi_items() if item[0] not in HEADERS_OF_ENCODING
        ]
        return httpx.Response(
            response.status_code, headers=headers, content=bytes(body), request=response.request
        )


def _trust(url: str) -> ssl.SSLContext:
    """Trust the system's certificates (or `SSL_CERT_FILE`), else certifi's."""
    if not url.lower().startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # the list of certificates takes 20 ms
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(_certifi_list())
    return context


def _certifi_list() -> str:
    # For a Python that was built without a list, as on some Macs.
    import certifi  # noqa: PLC0415  # comes with httpx; 10 ms that few systems need

    return certifi.where()


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
