"""An HTTP server that plays Gemini, Ollama, OpenAI, Voyage and Anthropic."""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs


@attrs.frozen
class Recorded:
    """A request as it arrived; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    client_port: int


@attrs.define
class Answer:
    """The answer that the stub is about to send."""

    body: Any
    status: int = 200
    headers: dict[str, str] = attrs.field(factory=dict)
    raw: bytes | None = None

    def payload(self) -> bytes:
        """Return the bytes of the body."""
        return json.dumps(self.body).encode() if self.raw is None else self.raw


@attrs.define
class StubProviders:
    """
    The five providers behind one port.

    Attributes:
        port: Where it listens on 127.0.0.1.
        requests: Those received, oldest first.
        dimensions: Width of the vectors for models that are not asked for one.
        models: Those that Ollama holds.
        fault: Changes every answer; None for a healthy provider.
        hangs_before: Says nothing at all until released.
        hangs_amid: Stops after ten bytes of the body until released.
        drips: Sends the body byte by byte, a hundred a second.
        date: The time by its clock, empty for the right one.
        released: Set at the end, so that whatever hangs goes on.

    """

    port: int = 0
    requests: list[Recorded] = attrs.field(factory=list)
    dimensions: int = 768
    models: list[str] = attrs.field(
        factory=lambda: ["nomic-embed-text:latest", "mxbai-embed-large:latest"]
    )
    fault: Callable[[Answer], None] | None = None
    hangs_before: bool = False
    hangs_amid: bool = False
    drips: bool = False
    date: str = ""
    released: threading.Event = attrs.field(factory=threading.Event)

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def answer(self, recorded: Recorded) -> Answer:
        """Return what the provider that is meant by the path says."""
        for pattern, play in ROUTES.items():
            if re.fullmatch(pattern, f"{recorded.method} {recorded.path}"):
                answer = Answer(play(self, recorded.body))
                break
        else:
            answer = Answer({"error": {"message": f"no such path {recorded.path}"}}, 404)
        if self.fault:
            self.fault(answer)
        return answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or headers and body are 40 ms apart
    stub: StubProviders

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client whose deadline passed hangs up
            super().handle()

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.stub.date or super().date_time_string(timestamp)

    def do_POST(self) -> None:
        self._handle(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_GET(self) -> None:
        self._handle(None)

    def _handle(self, body: Any) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        recorded = Recorded(self.command, self.path, headers, body, self.client_address[1])
        self.stub.requests.append(recorded)
        answer = self.stub.answer(recorded)
        if self.stub.hangs_before:
            self.stub.released.wait()
        try:
            self._send(answer)
        except OSError:
            self.close_connection = True  # the client has gone, as it should

    def _send(self, answer: Answer) -> None:
        payload = answer.payload()
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(payload)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload[:10])
        if self.stub.hangs_amid:
            self.stub.released.wait()
        for byte in payload[10:] if self.stub.drips else b"":
            self.wfile.write(bytes([byte]))
            self.stub.released.wait(0.01)
        if not self.stub.drips:
            self.wfile.write(payload[10:])
        self.close_connection = self.stub.hangs_amid or int(
            answer.headers.get("Content-Length", "0")
        ) > len(payload)


@contextmanager
def running_stub() -> Iterator[StubProviders]:
    """Run the providers until the block ends; whatever hangs then is let go."""
    stub = StubProviders()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    stub.port = server.server_port
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield stub
    finally:
        stub.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


MESSAGE = {"role": "assistant", "content": '["retry-budget", "sqlite"]'}


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return the vector the stub gives *text*: eight numbers of its own, exact in float32, then zeros."""
    return [byte / 256 + 1 / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]] + [0.0] * (
        dimensions - 8
    )


def _gemini_query(_: StubProviders, body: Any) -> Any:
    return {"embedding": {"values": _gemini_values(body)}}


def _gemini_documents(_: StubProviders, body: Any) -> Any:
    return {"embeddings": [{"values": _gemini_values(request)} for request in body["requests"]]}


def _gemini_values(request: Any) -> list[float]:
    [part] = request["content"]["parts"]
    return vector_of(part["text"], request["outputDimensionality"])


def _v1_embeddings(stub: StubProviders, body: Any) -> Any:
    dimensions = body.get("output_dimension") or body.get("dimensions") or stub.dimensions
    rows = [
        {"object": "embedding", "index": index, "embedding": vector_of(text, dimensions)}
        for index, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": rows, "model": body["model"]}


def _ollama_embed(stub: StubProviders, body: Any) -> Any:
    return {
        "model": body["model"],
        "embeddings": [vector_of(text, stub.dimensions) for text in body["input"]],
    }


def _ollama_tags(stub: StubProviders, _: Any) -> Any:
    return {"models": [{"name": name, "model": name, "size": 1} for name in stub.models]}


def _ollama_chat(_: StubProviders, body: Any) -> Any:
    return {"model": body["model"], "message": MESSAGE, "done": True}


def _anthropic_messages(_: StubProviders, body: Any) -> Any:
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
