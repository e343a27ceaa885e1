"""
Ask a running Ollama for its models, and pull them.

The API: https://docs.ollama.com/api.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from hardwon.adapters.providers.endpoint import (
    ProviderAnswerUnusableError,
    ProviderUnavailableError,
)
from hardwon.adapters.providers.http import JsonHttp
from hardwon.domain.model.deadline import Deadline

DEFAULT_PORT = 11434
PORT_OF_SCHEME = {"http": 80, "https": 443}
# Addresses to listen on, which no client can connect to.
LISTENING_ONLY = {
    "": "127.0.0.1",
    "0.0.0.0": "127.0.0.1",  # noqa: S104  # not bound to, replaced
    "::": "::1",
}

PullProgress = Callable[[str, int, int], None]
"""
Called with the activity, and the present and total bytes of the current file.

0 if unknown.
"""


def ollama_url(host: str) -> str:
    """
    Return the URL of *host*, parsed like `OLLAMA_HOST` by Ollama.

    Without a scheme the port is 11434, with one the scheme's default. An address to listen on
    becomes this machine's.
    """
    scheme, found, rest = host.strip().partition("://")
    if not found:
        scheme, rest = "http", host.strip()
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port or (PORT_OF_SCHEME.get(scheme, DEFAULT_PORT) if found else DEFAULT_PORT)
    except ValueError:
        return f"{scheme}://{rest}"  # the first request fails with a message
    name = LISTENING_ONLY.get(parts.hostname or "", parts.hostname or "")
    return f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"


def model_name(model: str) -> str:
    """Return *model* without the tag `:latest`, which is the default."""
    return model.strip().removesuffix(":latest")


def has_model(http: JsonHttp, model: str, deadline: Deadline) -> bool:
    """Return whether Ollama has *model*."""
    answer = http.get("/api/tags", deadline)
    models = answer.get("models") if isinstance(answer, dict) else None
    names = [entry.get("name") for entry in models or [] if isinstance(entry, dict)]
    return model_name(model) in [model_name(name) for name in names if isinstance(name, str)]


def pull(http: JsonHttp, model: str, progress: PullProgress | None = None) -> None:
    """Download *model*, resuming an interrupted download."""
    status = ""
    for event in http.stream("/api/pull", {"model": model, "stream": True}):
        status = _status(http, event)
        if progress:
            progress(status, *(event.get(name) or 0 for name in ("completed", "total")))
    if status != "success":
        raise ProviderUnavailableError(
            http.endpoint.says(f"broke off the download of {model!r}, try again", status)
        )


def _status(http: JsonHttp, event: Any) -> str:
    if not isinstance(event, dict):
        raise ProviderAnswerUnusableError(
            http.endpoint.says("reported on a download in an unknown form", str(event))
        )
    if error := event.get("error"):
        raise ProviderUnavailableError(
            http.endpoint.says("could not download the model", str(error))
        )
    return str(event.get("status", ""))
