"""
Checks that each request is of the browser that was let in.

A request has to name this server as its host, and carry the cookie that was exchanged for the
one-time token; a change also comes from a form of ours. The token comes by the printed address, or
by the form of a file. Every answer forbids scripts, styles, frames and requests of other sites.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

COOKIE = "hardwon"
HTTP_PORT = 80
"""The port that clients omit in `Host` and `Origin`."""

OPAQUE = "null"
"""The origin of a file."""

TOKEN_BYTES = 24
REMEMBERED = 10_000
"""Limit of forms per run, as each sent form is remembered."""

HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""
Sent with every answer.

With no referrer at all, browsers would send forms from origin `null`.
"""

NOT_OPENED = (
    "This page is for the browser that hardwon view opened. Run hardwon view again and open the"
    " address that it prints."
)
OPENED_ALREADY = (
    "The address was opened before, and it works once. Run hardwon view again and open the address"
    " that it prints."
)
FOREIGN_HOST = (
    "Open the page by the address that hardwon view printed: it answers to no other name."
)
FOREIGN_ORIGIN = (
    "The request came from another page, so nothing was changed. Open the page by the address that"
    " hardwon view printed."
)
OLD_FORM = (
    "The form is not of this run of hardwon view, so nothing was changed. Reload the page and try"
    " again."
)


def hosts_of(port: int, names: Iterable[str]) -> frozenset[str]:
    """Return the valid `Host` values for *names* on *port*."""
    ports = (f":{port}", "") if port == HTTP_PORT else (f":{port}",)
    return frozenset(f"{name}{written}" for name in names for written in ports)


class Refusal(NamedTuple):
    """Status and text of a refused request."""

    status: int
    text: str


class Guard:
    """
    The secrets of one run of `hardwon view`.

    Args:
        hosts: Valid values of `Host`.
        token_of: Makes a secret; replaced in tests.

    Attributes:
        prefix: `/` and a random name, before all paths: the ports of a host share cookies, paths do
            not.
        token: Exchanged once for the cookie.
        is_used: Whether the token was exchanged.
    """

    def __init__(self, hosts: frozenset[str], token_of: Callable[[], str] | None = None) -> None:
        make = token_of or (lambda: secrets.token_urlsafe(TOKEN_BYTES))
        self.prefix = f"/{make()}"
        self._hosts = hosts
        self.token = make()
        self.is_used = False
        self._cookie = make()
        self._form_key = make().encode()
        self._sent = set[bytes]()

    @property
    def opening_path(self) -> str:
        """The path with the one-time token."""
        return f"{self.prefix}/?token={self.token}"

    def cookie_header(self) -> str:
        """Return the `Set-Cookie` header."""
        return f"{COOKIE}={self._cookie}; Path={self.prefix}; HttpOnly; SameSite=Strict"

    def admit_host(self, host: str) -> Refusal | None:
        """Check the `Host` header, against DNS rebinding."""
        return None if host in self._hosts else Refusal(421, FOREIGN_HOST)

    def admit_site(self, site: str) -> Refusal | None:
        """
        Check the `Sec-Fetch-Site` header.

        Other ports of this host are of the same site, but not of the same origin.
        """
        return None if site in {"", "none", "same-origin"} else Refusal(403, FOREIGN_ORIGIN)

    def admit_cookie(self, header: str) -> Refusal | None:
        """Check the `Cookie` header."""
        cookies = SimpleCookie()
        try:
            cookies.load(header)
        except CookieError:
            return Refusal(401, NOT_OPENED)
        given = cookies[COOKIE].value if COOKIE in cookies else ""
        return (
            None
            if hmac.compare_digest(given.encode(), self._cookie.encode())
            else Refusal(401, NOT_OPENED)
        )

    def exchange(self, token: str) -> Refusal | None:
        """Check the one-time token, and use it up."""
        if self.is_used or not hmac.compare_digest(token.encode(), self.token.encode()):
            return Refusal(401, OPENED_ALREADY if self.is_used else NOT_OPENED)
        self.is_used = True
        return None

    def admit_opening(self, origin: str | None, host: str) -> Refusal | None:
        """
        Check the origin of a page that sends the one-time token.

        A file is admitted; its origin is opaque.
        """
        return None if origin in {None, OPAQUE} else self.admit_origin(origin, host)

    def admit_origin(self, origin: str | None, host: str) -> Refusal | None:
        """Check the origin of a page that asks for a change."""
        return None if origin == f"http://{host}" else Refusal(403, FOREIGN_ORIGIN)

    def form_token(self) -> str:
        """Return a token for the forms of one page."""
        nonce = secrets.token_urlsafe(TOKEN_BYTES)
        return f"{nonce}.{self._signature(nonce)}"

    def admit_form(self, token: str) -> Refusal | None:
        """Check the token of a form."""
        nonce, _, signature = token.partition(".")
        fits = hmac.compare_digest(signature.encode(), self._signature(nonce).encode())
        return None if fits and len(self._sent) < REMEMBERED else Refusal(403, OLD_FORM)

    def was_sent(self, path: str, body: bytes) -> bool:
        """Return whether this very form was handled before."""
        return _digest(path, body) in self._sent

    def note_sent(self, path: str, body: bytes) -> None:
        """Remember that this form was handled."""
        self._sent.add(_digest(path, body))

    def _signature(self, nonce: str) -> str:
        return hmac.new(self._form_key, nonce.encode(), hashlib.sha256).hexdigest()


def _digest(path: str, body: bytes) -> bytes:
    return hashlib.sha256(path.encode() + b"\0" + body).digest()
