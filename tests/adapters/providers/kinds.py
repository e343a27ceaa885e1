"""Each embedder on the network, ready to be made for a stub."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from hardwon.adapters.providers.embedders import (
    GeminiEmbedder,
    OllamaEmbedder,
    OpenAiEmbedder,
    RemoteEmbedder,
    VoyageEmbedder,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.ports.models import Task

if TYPE_CHECKING:
    import httpx

KEY = "sk-secret-0123456789-abcdef"

Make = Callable[[str, "httpx.BaseTransport | None"], RemoteEmbedder]

KINDS: dict[str, Make] = {
    "Gemini": lambda url, transport: GeminiEmbedder(KEY, base_url=url, transport=transport),
    "Ollama": lambda url, transport: OllamaEmbedder(base_url=url, transport=transport),
    "OpenAI": lambda url, transport: OpenAiEmbedder(KEY, base_url=f"{url}/v1", transport=transport),
    "Voyage": lambda url, transport: VoyageEmbedder(KEY, base_url=f"{url}/v1", transport=transport),
}

# Gemini's documents and queries take two ways.
WAYS: list[tuple[str, Task]] = [*((name, "query") for name in KINDS), ("Gemini", "document")]


def with_key(name: str, key: str, url: str) -> RemoteEmbedder:
    """Return the embedder *name*, which needs a key, with *key*."""
    match name:
        case "Gemini":
            return GeminiEmbedder(key, base_url=url)
        case "Voyage":
            return VoyageEmbedder(key, base_url=f"{url}/v1")
        case _:
            return OpenAiEmbedder(key)


def failure(way: tuple[str, Task], url: str, *, seconds: float = 20.0) -> EmbedderError:
    """Return what embedding raises; its message must be one line that names the provider, and never the key."""
    name, task = way
    with pytest.raises(EmbedderError) as caught:
        KINDS[name](url, None).embed(["one"], task, Deadline.after(seconds, time.monotonic))
    message = str(caught.value)
    assert message.startswith(f"{name} at 127.0.0.1")
    assert "\n" not in message
    assert len(message) < 450
    assert KEY[:8] not in message
    return caught.value
