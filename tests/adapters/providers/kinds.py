"""Each embedder on the network, and wrong answers of its provider."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from hardwon.adapters.providers.embedders import EMBEDDERS, RemoteEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.ports.models import Task

if TYPE_CHECKING:
    import httpx

import json
from typing import Any

from tests.adapters.providers.stub_server import Answer

KEY = "sk-secret-0123456789-abcdef"

Make = Callable[[str, "httpx.BaseTransport | None"], RemoteEmbedder]


def _maker(kind: type[RemoteEmbedder]) -> Make:
    path = urlsplit(kind.provider.url).path
    return lambda url, transport: kind(KEY, base_url=url + path, transport=transport)


KINDS = {kind.provider.title: _maker(kind) for kind in EMBEDDERS.values()}

# Gemini's documents and queries take two ways.
WAYS: list[tuple[str, Task]] = [*((name, "query") for name in KINDS), ("Gemini", "document")]


def with_key(name: str, key: str, url: str) -> RemoteEmbedder:
    """Return the embedder *name*, which needs a key, with *key*."""
    [kind] = [kind for kind in EMBEDDERS.values() if kind.provider.title == name]
    address = url if kind.provider.needs_key_elsewhere else ""
    return kind(key, base_url=address)


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


Fault = Callable[[Answer], None]


def status(code: int, body: Any = None, **headers: str) -> Fault:
    """Answer *code* with *body* and headers, whose underscores stand for hyphens."""

    def fault(answer: Answer) -> None:
        answer.status = code
        answer.body = {"error": {"message": f"sorry, {code}"}} if body is None else body
        answer.headers |= {name.replace("_", "-"): value for name, value in headers.items()}

    return fault


def raw(payload: bytes) -> Fault:
    """Answer 200 with *payload*."""

    def fault(answer: Answer) -> None:
        answer.raw = payload

    return fault


def truncated_json(answer: Answer) -> None:
    """End the body early, its length as announced."""
    answer.raw = json.dumps(answer.body).encode()[:-20]


def broken_off(answer: Answer) -> None:
    """Announce more than is sent."""
    answer.headers["Content-Length"] = str(len(answer.payload()) + 100)


def vectors(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """Answer with the list of vectors *change* makes of the right one, whatever the provider."""

    def fault(answer: Answer) -> None:
        answer.body = _with_vectors(answer.body, change)

    return fault


def _with_vectors(body: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    if "embedding" in body:
        changed = change([body["embedding"]["values"]])
        return {"embedding": {"values": changed[0]} if changed else {}}
    if "data" in body:
        rows = change([row["embedding"] for row in body["data"]])
        return {"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]}
    if isinstance(body["embeddings"][0], dict):
        return {
            "embeddings": [
                {"values": row} for row in change([row["values"] for row in body["embeddings"]])
            ]
        }
    return {"embeddings": change(body["embeddings"])}


def each(change: Callable[[list[Any]], Any]) -> Fault:
    """Answer with every vector changed."""
    return vectors(lambda rows: [change(row) for row in rows])


UNAVAILABLE = {
    "400": status(400),
    "401": status(401),
    "403": status(403),
    "404": status(404),
    "500": status(500),
    "503 without JSON": status(503, body="<html>"),
    "redirect": status(302, Location="http://127.0.0.1:1/"),
    "broken off": broken_off,
}

UNUSABLE = {
    "garbage": raw(b"<html>\xff\x00 hello"),
    "nothing": raw(b""),
    "deep garbage": raw(b"[" * 100_000),
    "another shape": raw(b'{"hello": [1, 2]}'),
    "a list": raw(b"[1, 2]"),
    "null": raw(b"null"),
    "a number": raw(b"1"),
    "truncated JSON": truncated_json,
    "one vector too few": vectors(lambda rows: rows[:-1]),
    "too narrow": each(lambda row: row[:-1]),
    "too wide": each(lambda row: [*row, 0.0]),
    "empty vectors": each(lambda _: []),
    "NaN": each(lambda row: [float("nan"), *row[1:]]),
    "infinity": each(lambda row: [float("inf"), *row[1:]]),
    "too large for float32": each(lambda row: [1e39, *row[1:]]),
    "too large for any float": each(lambda row: [10**400, *row[1:]]),
    "words": each(lambda row: ["one", *row[1:]]),
    "null values": each(lambda row: [None, *row[1:]]),
    "vectors that are none": each(lambda _: None),
    "not gzip": lambda answer: answer.headers.update({"Content-Encoding": "gzip"}),
}
