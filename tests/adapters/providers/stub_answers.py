"""The regular answers of each provider."""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.adapters.providers.stub_server import StubProviders  # which imports this module

MESSAGE = {"role": "assistant", "content": '["retry-budget", "sqlite"]'}


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return the vector the stub gives *text*: eight numbers of its own, exact in float32, then zeros."""
    return [byte / 256 + 1 / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]] + [0.0] * (
        dimensions - 8
    )


def _gemini_query(_: "StubProviders", body: Any) -> Any:
    return {"embedding": {"values": _gemini_values(body)}}


def _gemini_documents(_: "StubProviders", body: Any) -> Any:
    return {"embeddings": [{"values": _gemini_values(request)} for request in body["requests"]]}


def _gemini_values(request: Any) -> list[float]:
    [part] = request["content"]["parts"]
    return vector_of(part["text"], request["outputDimensionality"])


def _v1_embeddings(stub: "StubProviders", body: Any) -> Any:
    dimensions = body.get("output_dimension") or body.get("dimensions") or stub.dimensions
    rows = [
        {"object": "embedding", "index": index, "embedding": vector_of(text, dimensions)}
        for index, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": rows, "model": body["model"]}


def _ollama_embed(stub: "StubProviders", body: Any) -> Any:
    return {
        "model": body["model"],
        "embeddings": [vector_of(text, stub.dimensions) for text in body["input"]],
    }


def _ollama_tags(stub: "StubProviders", _: Any) -> Any:
    return {"models": [{"name": name, "model": name, "size": 1} for name in stub.models]}


def _ollama_chat(_: "StubProviders", body: Any) -> Any:
    return {"model": body["model"], "message": MESSAGE, "done": True}


def _anthropic_messages(_: "StubProviders", body: Any) -> Any:
    content = [{"type": "text", "text": MESSAGE["content"]}]
    return {"type": "message", "role": "assistant", "model": body["model"], "content": content}


ROUTES: dict[str, Callable[..., Any]] = {
    r"POST /v1beta/models/[^/:]+:embedContent": _gemini_query,
    r"POST /v1beta/models/[^/:]+:batchEmbedContents": _gemini_documents,
    r"POST /v1/embeddings": _v1_embeddings,
    r"POST /v1/messages": _anthropic_messages,
    r"POST /api/embed": _ollama_embed,
    r"GET /api/tags": _ollama_tags,
    r"POST /api/chat": _ollama_chat,
    r"POST /api/pull": lambda _stub, _body: {"status": "success"},
}
