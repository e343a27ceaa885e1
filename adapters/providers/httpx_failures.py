"""Every way in which httpx fails, in the words of `provider_errors`."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from hardwon.adapters.providers.errors import ProviderAnswerUnusableError, ProviderError, ProviderUnavailableError
from hardwon.adapters.providers.http import Endpoint

# ValueError and ImportError: proxy settings that httpx can't use. OSError: certificates that can't be read.
# RuntimeError: no thread left, and httpx's own complaints about streams and closed clients.
MAPPED = (httpx.HTTPError, httpx.InvalidURL, httpx.CookieConflict, ValueError, ImportError, OSError, RuntimeError)


@contextmanager
def failures_translated(endpoint: Endpoint) -> Iterator[None]:
    """Raise what httpx raises within as a `ProviderError` that names *endpoint*."""
    try:
        yield
    except MAPPED as error:
        raise _failure(endpoint, error) from error


def _failure(endpoint: Endpoint, error: Exception) -> ProviderError:
    why = str(error)
    match error:
        case httpx.DecodingError():
            return ProviderAnswerUnusableError(endpoint.says("sent an answer that can't be decoded", why))
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
