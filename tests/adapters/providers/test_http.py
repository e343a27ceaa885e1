import gc
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator

import httpx
import pytest

from hardwon.adapters.providers.endpoint import (
    Endpoint,
    ProviderAnswerUnusableError,
    ProviderError,
    ProviderUnavailableError,
)
from hardwon.adapters.providers.http import JsonHttp
from hardwon.domain.model.deadline import Deadline
from tests.adapters.providers.kinds import raw, status
from tests.adapters.providers.stub_server import StubProviders


def local(stub: StubProviders) -> JsonHttp:
    return JsonHttp(Endpoint(provider="Ollama", base_url=stub.url))


def test_a_connection_is_kept_for_the_next_request(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    http = local(stub)
    ports = []
    for _ in range(3):
        http.get("/api/tags", no_deadline)
        ports.append(stub.requests[-1].client_port)
    assert len(set(ports)) == 1


def test_the_connection_closes_with_its_owner(stub: StubProviders, no_deadline: Deadline) -> None:
    http = local(stub)
    http.get("/api/tags", no_deadline)
    client, gone = http.client(), weakref.ref(http)
    del http
    gc.collect()
    assert gone() is None
    assert client.is_closed


def test_after_a_failure_the_next_request_goes_through(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    http = local(stub)
    stub.hangs_amid = True
    with pytest.raises(ProviderUnavailableError, match="in time"):
        http.get("/api/tags", Deadline.after(0.1, time.monotonic))
    stub.hangs_amid = False
    stub.fault = status(500)
    with pytest.raises(ProviderUnavailableError, match="500"):
        http.get("/api/tags", no_deadline)
    stub.fault = None
    assert "models" in http.get("/api/tags", no_deadline)


def test_a_stream_yields_each_line_as_it_comes(stub: StubProviders) -> None:
    stub.fault = raw(b'{"a": 1}\n\n{"b": "\xc3\xa4"}\n')
    assert list(local(stub).stream("/api/pull", {})) == [{"a": 1}, {"b": "ä"}]


def test_a_stream_that_holds_no_json_is_not_used(stub: StubProviders) -> None:
    stub.fault = raw(b'{"a": 1}\n<html>\n')
    with pytest.raises(ProviderAnswerUnusableError, match="no JSON: <html>"):
        list(local(stub).stream("/api/pull", {}))


def test_a_stream_that_breaks_off_says_so() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"a": 1}\n'
        raise httpx.ReadError("gone")

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=chunks()))
    stream = JsonHttp(Endpoint(provider="Ollama", base_url="http://o"), transport).stream(
        "/api/pull", {}
    )
    assert next(stream) == {"a": 1}
    with pytest.raises(ProviderUnavailableError, match="Ollama at o broke off the exchange"):
        next(stream)


def test_a_refused_stream_says_why(stub: StubProviders) -> None:
    stub.fault = status(404, body={"error": "no such model"})
    with pytest.raises(ProviderUnavailableError, match=r"404.*no such model"):
        list(local(stub).stream("/api/pull", {}))


@pytest.mark.parametrize("proxy", ["nonsense://x", "http://127.0.0.1:1", "http://[::1"])
def test_a_proxy_that_does_not_work_is_named(
    proxy: str, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    http = JsonHttp(Endpoint(provider="Voyage", base_url="https://voyage.invalid"))
    with pytest.raises(
        ProviderUnavailableError, match=r"Voyage at voyage\.invalid .*(proxy|reached|address)"
    ):
        http.post("/v1/embeddings", {}, no_deadline)


def test_this_machines_own_servers_are_asked_without_a_proxy(
    stub: StubProviders, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert "models" in local(stub).get("/api/tags", no_deadline)


def test_a_list_of_certificates_that_is_none_means_no_trust(
    stub: StubProviders, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    http = JsonHttp(Endpoint(provider="Voyage", base_url=stub.url.replace("http", "https")))
    with pytest.raises(ProviderUnavailableError, match="SSL_CERT_FILE"):
        http.get("/", no_deadline)


def test_a_user_name_in_the_address_is_not_shown(no_deadline: Deadline) -> None:
    http = JsonHttp(Endpoint(provider="OpenAI", base_url="http://me:secret@127.0.0.1:1/v1"))
    with pytest.raises(ProviderError) as caught:
        http.get("/", no_deadline)
    assert "secret" not in str(caught.value)
    assert "127.0.0.1:1" in str(caught.value)


def test_an_endpoint_does_not_show_its_key() -> None:
    endpoint = Endpoint(
        provider="Voyage",
        base_url="https://x",
        key="sk-1",
        headers={"Authorization": "Bearer sk-1"},
    )
    assert "sk-1" not in repr(endpoint)


LAZY = """
import sys, time
from hardwon.adapters.providers.embedders import GeminiEmbedder, OllamaEmbedder, OpenAiEmbedder, VoyageEmbedder
from hardwon.domain.model.deadline import Deadline

embedders = [GeminiEmbedder("k"), OllamaEmbedder(), OpenAiEmbedder("k"), VoyageEmbedder("k")]
assert all(embedder.space and embedder.embed([], "query", Deadline(time.monotonic)) == [] for embedder in embedders)
HEAVY = {"httpx", "google.genai", "ssl", "pydantic", "numpy"}
assert not HEAVY & set(sys.modules), HEAVY & set(sys.modules)

GeminiEmbedder("k", base_url=sys.argv[1]).embed(["one"], "query", Deadline(time.monotonic))
assert "httpx" in sys.modules
HEAVY = {"google.genai", "pydantic", "rich", "click", "pygments", "numpy", "httpx._main"}
assert not HEAVY & set(sys.modules), HEAVY & set(sys.modules)

GeminiEmbedder("k", base_url=sys.argv[1]).embed(["one"], "document", Deadline(time.monotonic))
assert "google.genai" in sys.modules
"""


def test_nothing_slow_is_imported_before_it_is_needed(stub: StubProviders) -> None:
    command = [sys.executable, "-W", "error", "-c", LAZY, stub.url]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
