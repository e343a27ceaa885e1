"""An answer with a status other than 2xx, as an error that says what to do."""

import json
import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.provider_errors import (
    ProviderError,
    ProviderRateLimitedError,
    ProviderUnavailableError,
)

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

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
