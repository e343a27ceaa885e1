"""The exact requests for labels to Claude Haiku and Ollama."""

import subprocess
import sys

from hardwon.adapters.providers.labelers import HaikuLabeler, OllamaLabeler, label_prompt
from hardwon.domain.model.deadline import Deadline
from tests.adapters.providers.stub_server import Answer, StubProviders
from tests.strategies import lesson

ENTRY = lesson("Retry with a budget, or sqlite drowns.", name="Retry budget")
KEY = "sk-ant-secret-0123456789"
LABELS = ["retry-budget", "sqlite"]


def test_haiku_is_asked_in_one_message(stub: StubProviders, no_deadline: Deadline) -> None:
    assert HaikuLabeler(f" {KEY}\n", base_url=f"{stub.url}/").label(ENTRY, no_deadline) == LABELS

    [request] = stub.requests
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert request.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 300,
        "messages": [{"role": "user", "content": label_prompt(ENTRY)}],
    }
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers["content-type"] == "application/json"


def test_another_claude_can_be_named(stub: StubProviders, no_deadline: Deadline) -> None:
    HaikuLabeler(KEY, "claude-next", stub.url).label(ENTRY, no_deadline)

    assert stub.requests[0].body["model"] == "claude-next"


def test_haiku_may_think_before_it_answers(stub: StubProviders, no_deadline: Deadline) -> None:
    def think_first(answer: Answer) -> None:
        answer.body["content"] = [
            {"type": "thinking", "thinking": '["not", "this"]'},
            {"type": "text", "text": "Here they are:"},
            {"type": "text", "text": '["wal-mode"]'},
        ]

    stub.fault = think_first
    assert HaikuLabeler(KEY, base_url=stub.url).label(ENTRY, no_deadline) == ["wal-mode"]


def test_ollama_is_asked_for_one_short_cool_answer(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    assert (
        OllamaLabeler(model="llama3.2", base_url=f"127.0.0.1:{stub.port}").label(ENTRY, no_deadline)
        == LABELS
    )

    [request] = stub.requests
    assert (request.method, request.path) == ("POST", "/api/chat")
    assert request.body == {
        "model": "llama3.2",
        "messages": [{"role": "user", "content": label_prompt(ENTRY)}],
        "stream": False,
        "think": False,
        "options": {"temperature": 0, "num_predict": 300},
    }


def test_a_labeler_that_is_not_asked_costs_no_import_of_httpx() -> None:
    program = (
        "import sys; from hardwon.adapters.providers.labelers import HaikuLabeler, OllamaLabeler;"
        "HaikuLabeler('k'); OllamaLabeler(model='m'); sys.exit('httpx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
