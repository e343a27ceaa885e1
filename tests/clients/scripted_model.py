"""A model on loopback, in three dialects, that does what the prompt's script says."""

import base64
import gzip
import itertools
import json
import re
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple, Self, TypeAlias

Document: TypeAlias = dict[str, Any]

MARK = re.compile(r"SCRIPT:([\w=-]+)")
"""The script of a prompt in base 64, which no client quotes."""

ANSWER = "All is done."


class Call(NamedTuple):
    """One call of a tool."""

    tool: str
    input: Document


def script(*steps: Sequence[Call], words: str = "Please work through this.") -> str:
    """Return a prompt that makes the model call tools, then answer."""
    encoded = base64.urlsafe_b64encode(json.dumps(steps).encode()).decode()
    return f"{words} SCRIPT:{encoded}"


class Item(NamedTuple):
    """A part of a conversation as the model reads it."""

    kind: Literal["user", "result", "other"]
    text: str


class Request(NamedTuple):
    """One request of a client, its conversation in order."""

    path: str
    body: Document
    items: Sequence[Item]

    @property
    def text(self) -> str:
        """All that the model reads."""
        return "\n".join(_strings(self.body))

    @property
    def is_of_agent(self) -> bool:
        """Whether tools are offered, which clients do not for titles and summaries."""
        return bool(self.body.get("tools"))

    @property
    def prompt(self) -> str:
        """The last prompt with a script, empty without one."""
        return next((item.text for item in reversed(self.items) if _is_script(item)), "")

    @property
    def results(self) -> list[str]:
        """The results of tools since that prompt."""
        return [item.text for item in self._since_prompt if item.kind == "result"]

    @property
    def _since_prompt(self) -> Sequence[Item]:
        places = [place for place, item in enumerate(self.items) if _is_script(item)]
        return self.items[places[-1] :] if places else ()

    @property
    def next_calls(self) -> list[Call]:
        """The calls of the script that come next, none if it has ended."""
        found = MARK.search(self.prompt)
        steps = json.loads(base64.urlsafe_b64decode(found[1])) if found else []
        done = itertools.accumulate((len(step) for step in steps), initial=0)
        return next(
            (
                [Call(*call) for call in step]
                for before, step in zip(done, steps, strict=False)
                if before == len(self.results)
            ),
            [],
        )


def _is_script(item: Item) -> bool:
    return item.kind == "user" and bool(MARK.search(item.text))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _joined(value: object) -> str:
    return "\n".join(_strings(value))


def _claude_items(body: Document) -> Iterator[Item]:
    for message in body.get("messages", ()):
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block.get("type") == "tool_result":
                yield Item("result", _joined(block.get("content")))
            else:
                is_user = message["role"] == "user" and block.get("type") == "text"
                yield Item("user", block["text"]) if is_user else Item("other", _joined(block))


def _codex_items(body: Document) -> Iterator[Item]:
    given = body.get("input", ())
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        if str(item.get("type")).endswith("_output"):
            yield Item("result", _joined(item.get("output")))
        else:
            yield Item(
                "user" if item.get("role") == "user" else "other", _joined(item.get("content"))
            )


def _gemini_items(body: Document) -> Iterator[Item]:
    for content in body.get("contents", ()):
        for part in content.get("parts", ()):
            if "functionResponse" in part:
                yield Item("result", _joined(part["functionResponse"].get("response")))
            else:
                is_user = content.get("role") == "user" and "text" in part
                yield Item("user" if is_user else "other", _joined(part))


TOKENS = 4_000
"""Tokens of each part of a conversation, as the model counts them."""


class Answer(NamedTuple):
    """
    An answer of the model.

    Attributes:
        calls: Without any, it ends in words.
        name: Unlike that of any other answer.
        tokens: Of the conversation before it.
    """

    calls: Sequence[Call]
    name: str
    tokens: int

    @property
    def usage(self) -> Document:
        """The tokens as Claude Code and Codex read them."""
        return {"input_tokens": self.tokens, "output_tokens": TOKENS}


def _claude_blocks(calls: Sequence[Call], name: str) -> Iterator[tuple[Document, Document]]:
    """Yield each block of an answer as it starts, and what is then added."""
    if not calls:
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": ANSWER}
    for place, call in enumerate(calls):
        block = {"type": "tool_use", "id": f"toolu_{name}_{place}", "name": call.tool, "input": {}}
        yield block, {"type": "input_json_delta", "partial_json": json.dumps(call.input)}


def _claude_answer(answer: Answer) -> list[Document]:
    calls, name, usage = answer.calls, answer.name, answer.usage
    message = {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": "scripted"}
    open_message: Document = {**message, "content": [], "stop_reason": None, "usage": usage}
    events: list[Document] = [{"type": "message_start", "message": open_message}]
    for index, (block, delta) in enumerate(_claude_blocks(calls, name)):
        events += [
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]


def _codex_answer(answer: Answer) -> list[Document]:
    calls, name = answer.calls, answer.name
    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    spoken = {"type": "message", "role": "assistant", "id": f"msg_{name}", "content": [text]}
    called = [
        {"type": "function_call", "id": f"fc_{name}_{place}", "call_id": f"call_{name}_{place}"}
        | {**_codex_name(call.tool), "arguments": json.dumps(call.input)}
        for place, call in enumerate(calls)
    ]
    output = called or [spoken]
    details = {
        "input_tokens_details": None,
        "output_tokens_details": None,
        "total_tokens": answer.tokens + TOKENS,
    }
    done = {"id": f"resp_{name}", "output": output, "usage": answer.usage | details}
    return [
        {"type": "response.created", "response": {"id": f"resp_{name}"}},
        *(
            {"type": "response.output_item.done", "output_index": place, "item": item}
            for place, item in enumerate(output)
        ),
        {"type": "response.completed", "response": done},
    ]


def _codex_name(tool: str) -> Document:
    """Return the name of *tool*, with the namespace before its dot."""
    namespace, _, name = tool.rpartition(".")
    return {"name": name, **({"namespace": namespace} if namespace else {})}


def _gemini_answer(answer: Answer) -> list[Document]:
    calls, name = answer.calls, answer.name
    parts: list[Document] = [
        {"functionCall": {"id": f"{name}_{place}", "name": call.tool, "args": call.input}}
        for place, call in enumerate(calls)
    ]
    content = {"role": "model", "parts": parts or [{"text": ANSWER}]}
    usage = {"promptTokenCount": answer.tokens, "totalTokenCount": answer.tokens + TOKENS}
    return [{"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage}]


DIALECTS = (
    (re.compile(r"/messages$"), _claude_items, _claude_answer),
    (re.compile(r"/responses$"), _codex_items, _codex_answer),
    (re.compile(r":(?:stream)?[gG]enerateContent$"), _gemini_items, _gemini_answer),
)


class ScriptedModel(ThreadingHTTPServer):
    """The model while it answers, and the requests that it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests = list[Request]()
        self.address = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def answer(self, path: str, body: Document) -> list[Document] | None:
        """Return the events that answer *body*, None if it asks nothing."""
        for pattern, items_of, answer_of in DIALECTS:
            if pattern.search(path):
                request = Request(path, body, list(items_of(body)))
                self.requests.append(request)
                calls = request.next_calls if request.is_of_agent else []
                name, tokens = str(len(self.requests)), TOKENS * len(request.items)
                return answer_of(Answer(calls, name, tokens))
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedModel

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._send(b'{"data": [], "models": []}', "application/json")

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_POST(self) -> None:
        path, body = self.path.partition("?")[0], json.loads(self._body() or b"{}")
        events = self.server.answer(path, body)
        if events is None:
            self._send(b'{"input_tokens": 10, "totalTokens": 10}', "application/json")
        elif body.get("stream") or "stream" in path:
            self._send(b"".join(map(_event, events)), "text/event-stream")
        else:
            self._send(json.dumps(_whole(events)).encode(), "application/json")

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            raw = b"".join(self._chunks())
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _event(event: Document) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _whole(events: Sequence[Document]) -> Document:
    """Return the answer of a client that asked for no stream."""
    if "message" in events[0]:
        text = {"type": "text", "text": ANSWER}
        return {**events[0]["message"], "content": [text], "stop_reason": "end_turn"}
    whole: Document = events[-1].get("response", events[-1])
    return whole
