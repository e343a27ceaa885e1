"""
httpx, held to a time, a size and the words of `provider_errors`; imported with the first request only.

Where a provider listens, and the words for what went wrong there.

JSON over HTTP, for every provider on the network.

An answer with a status other than 2xx, as an error that says what to do.

Texts cut to a model's limit without its tokenizer.
"""

import json
import re
import ssl
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import attrs
import httpx

from hardwon.adapters.providers.errors import (
    ProviderAnswerUnusableError,
    ProviderError,
    ProviderRateLimitedError,
    ProviderUnavailableError,
)
from hardwon.adapters.providers.httpx_failures import failures_translated
from hardwon.domain.model.deadline import Deadline

LONGEST_EXCERPT = 200
# Providers repeat a refused key in part ("sk-ab****yz"); its first characters give such an echo away.
TELLING_PREFIX = 8


def _stripped(text: str) -> str:
    return text.strip()


def _without_slash(url: str) -> str:
    return url.strip().rstrip("/")


@attrs.frozen(kw_only=True)
class Endpoint:
    """
    One provider's address and key.

    Attributes:
        provider: Its name as users know it, such as `Gemini`.
        base_url: Scheme, host and the beginning of every path.
        key: The secret, empty for none.
        key_name: The environment variable that holds it, empty when the provider takes no key.
        key_required: Whether to refuse a request without a key.
        headers: Sent with every request.
        way_out_of_404: What to do when the address or the model does not exist.
        way_out_when_down: What to do when nobody answers.

    """

    provider: str
    base_url: str = attrs.field(converter=_without_slash)
    key: str = attrs.field(default="", converter=_stripped, repr=False)
    key_name: str = ""
    key_required: bool = False
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    way_out_of_404: str = "check the model's name"
    way_out_when_down: str = "check the network"

    @property
    def host(self) -> str:
        """The host and port of the address, without user name or password."""
        after_scheme = self.base_url.rpartition("://")[2]
        return after_scheme.partition("/")[0].rpartition("@")[2]

    def require_key(self) -> None:
        """
        Refuse to send anything with a key that is missing or can't stand in a header.

        Raises:
            ProviderUnavailableError: naming the variable to set.
        """
        if self.key_required and not self.key:
            raise ProviderUnavailableError(f"{self.provider} needs a key: set {self.key_name} in the environment")
        if not re.fullmatch(r"[!-~]*", self.key):
            raise ProviderUnavailableError(f"{self.key_name} holds characters that no key has: set it again")

    def says(self, what: str, excerpt: str = "") -> str:
        """Return one line of our own words, with at most 200 characters of *excerpt* and never the key."""
        words = self._without_key(" ".join("".join(c if c.isprintable() else " " for c in excerpt).split()))
        shortened = words if len(words) <= LONGEST_EXCERPT else words[: LONGEST_EXCERPT - 1] + "…"
        return f"{self.provider} at {self.host} {what}" + (f": {shortened}" if shortened else "")

    def _without_key(self, words: str) -> str:
        if len(self.key) < TELLING_PREFIX:
            return words
        return re.sub(re.escape(self.key[:TELLING_PREFIX]) + r"\S*", "[key]", words)


MAX_REQUEST_SECONDS = 30.0

# How long a stream may say nothing: Ollama checks a model of some gigabytes in silence.
MAX_SILENCE_SECONDS = 600.0


class JsonHttp:
    """
    Sends JSON to one provider and returns the JSON it answers.

    Loads httpx with the first request, keeps its connection for the next one,
    follows no redirect, takes proxies from the environment, trusts the system's
    certificates, and reads at most 64 MB.

    Args:
        endpoint: The provider's address, key and headers.
        transport: What to send through instead of the network.

    """

    def __init__(self, endpoint: Endpoint, transport: "httpx.BaseTransport | None" = None) -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._client: BoundedClient | None = None

    def post(self, path: str, body: object, deadline: Deadline) -> Any:
        """
        Return the answer to *body* sent to *path*, which begins with a slash.

        Raises:
            ProviderUnavailableError: no success, or not all of it before *deadline* or within 30 s.
            ProviderRateLimitedError: the provider wants fewer requests.
            ProviderAnswerUnusableError: the answer is no JSON.
        """
        return self._ask("POST", path, _encoded(body), deadline)

    def get(self, path: str, deadline: Deadline) -> Any:
        """Return what *path* holds; raises what `post` raises."""
        return self._ask("GET", path, None, deadline)

    def stream(self, path: str, body: object) -> Iterator[Any]:
        """
        Yield the answers to *body*, one JSON value a line, as they come.

        There is no limit but 10 minutes without a word.

        Raises:
            ProviderError: as for `post`, and for a stream that breaks off.
        """
        self.endpoint.require_key()
        for line in self.client().stream_lines("POST", path, _encoded(body), MAX_SILENCE_SECONDS):
            if line.strip():
                yield self._parsed(line)

    def seconds_until(self, deadline: Deadline) -> float:
        """
        Return how long a request may take: what is left before *deadline*, at most 30 s.

        Raises:
            ProviderUnavailableError: nothing is left.
        """
        seconds = deadline.within(MAX_REQUEST_SECONDS).remaining()
        if seconds <= 0:
            raise ProviderUnavailableError(self.endpoint.says("was not asked, no time was left"))
        return seconds

    def client(self) -> "BoundedClient":
        """
        Return the one client behind this object; its connections close with this object.

        Raises:
            ProviderUnavailableError: the environment's proxies or certificates can't be used.
        """
        if self._client is None:
            _import_httpx()

            self._client = BoundedClient(self.endpoint, self._transport)
            weakref.finalize(self, self._client.close)
        return self._client

    def _ask(self, method: str, path: str, body: bytes | None, deadline: Deadline) -> Any:
        self.endpoint.require_key()
        self.seconds_until(deadline)
        client = self.client()  # the first time, its import takes some of the seconds
        return self._parsed(client.exchange(method, path, body, self.seconds_until(deadline)))

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
    """Import httpx without its command line, whose rich, click and pygments double the 0.2 s it takes."""
    with _IMPORTING:  # several spaces are asked at once, each by a thread of its own
        if "httpx" in sys.modules:
            return
        modules: dict[str, Any] = sys.modules
        modules["httpx._main"] = None  # makes `from ._main import main` the ImportError that httpx expects
        try:
            import httpx  # noqa: F401, PLC0415  # a hook that asks no provider never needs it
        finally:
            del modules["httpx._main"]


UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY_REQUESTS = 401, 403, 404, 429
FIRST_OF_THE_SERVERS_FAULT = 500

SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s?")


def refusal(endpoint: Endpoint, response: "httpx.Response") -> ProviderError:
    """Return what *response*, read to its end and not a success, means for the user."""
    status, body = response.status_code, _json_of(response)
    said = _message_in(body) or response.text
    if status == TOO_MANY_REQUESTS:
        pause = _retry_after(response, body)
        wait = "" if pause is None else f", again in {pause:g} s"
        return ProviderRateLimitedError(endpoint.says(f"wants fewer requests (429{wait})", said), pause)
    return ProviderUnavailableError(endpoint.says(f"{_verdict(endpoint, status, response)} ({status})", said))


def _verdict(endpoint: Endpoint, status: int, response: "httpx.Response") -> str:
    if status in (UNAUTHORIZED, FORBIDDEN) or "API_KEY_INVALID" in response.text:  # Gemini says 400 to a wrong key
        return (
            f"refused the key in {endpoint.key_name}" if endpoint.key_name else "wants a key, which it can't be given"
        )
    if status == NOT_FOUND:
        return f"does not know that address or model, {endpoint.way_out_of_404}"
    if response.has_redirect_location:
        return "points to another address, which is not followed: set its base URL to that"
    if status >= FIRST_OF_THE_SERVERS_FAULT:
        return "is in trouble, try again later"
    return "refused the request"


def _json_of(response: "httpx.Response") -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _message_in(body: Any) -> str:
    """Return the words in `{"error": {"message": …}}`, `{"error": …}` or `{"detail": …}`, else nothing."""
    if isinstance(body, list) and len(body) == 1:  # Gemini's compatible front wraps its errors so
        return _message_in(body[0])
    if not isinstance(body, dict):
        return ""
    error = body.get("error") or body.get("detail")
    if isinstance(error, dict):
        error = error.get("message")
    return error if isinstance(error, str) else ""


def _retry_after(response: "httpx.Response", body: Any) -> float | None:
    """Return the seconds in `Retry-After`, as a number or a date, or in Gemini's `retryDelay`."""
    said = response.headers.get("retry-after") or _retry_delay(body)
    if match := SECONDS.fullmatch(said.strip()):
        return float(match[1])
    try:
        # Counted from the server's own clock, so that ours may be wrong.
        pause = parsedate_to_datetime(said) - parsedate_to_datetime(response.headers.get("date", ""))
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


PIECE = re.compile(r"[A-Za-z]{1,3}|[^\sA-Za-z]")
"""
What counts as one token: three ASCII letters, or any other character but white space.

English has about 4.4 characters a token and is cut at two thirds of the limit; code,
digits and Chinese have one or two, and Ollama since 0.13.5 answers an overlong text
with an error whatever `truncate` says (ollama/ollama#14186), so the count errs on that side.
"""


def cut_to_tokens(text: str, limit: int) -> str:
    """Return the beginning of *text* that holds at most *limit* tokens."""
    if len(text) <= limit:
        return text
    first_too_many = next(islice(PIECE.finditer(text), limit, None), None)
    return text if first_too_many is None else text[: first_too_many.start()].rstrip()
