"""google-genai is kept on a short lead: no retries, no other address, no other key."""

import logging
import sys

import pytest
from google.genai import types

from hardwon.adapters.providers.embedders import GeminiEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError, RateLimitedError
from tests.adapters.providers.kinds import KEY, status
from tests.adapters.providers.stub_server import StubProviders


def test_the_environment_leads_it_nowhere_else(
    stub: StubProviders,
    no_deadline: Deadline,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.setenv(name, "true")
    for name in (
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ):
        monkeypatch.setenv(name, "another")
    for name in ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    GeminiEmbedder(KEY, base_url=stub.url).embed(["one"], "document", no_deadline)
    assert stub.requests[0].headers["x-goog-api-key"] == KEY
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_it_tries_once(stub: StubProviders, no_deadline: Deadline, code: int) -> None:
    stub.fault = status(code)
    with pytest.raises(RateLimitedError if code == 429 else EmbedderUnavailableError):
        GeminiEmbedder(KEY, base_url=stub.url).embed(["one"], "document", no_deadline)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("field", ["task_type", "output_dimensionality"])
def test_an_old_one_is_to_be_upgraded(
    stub: StubProviders, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    class OldConfig:
        model_fields = {  # noqa: RUF012
            name: None for name in types.EmbedContentConfig.model_fields if name != field
        }

    monkeypatch.setattr(types, "EmbedContentConfig", OldConfig)
    with pytest.raises(
        EmbedderUnavailableError, match=f"too old, it knows no {field}; run `uv tool upgrade"
    ):
        GeminiEmbedder(KEY, base_url=stub.url).embed(["one"], "document", no_deadline)
    assert stub.requests == []


def test_one_that_can_not_be_used_is_to_be_upgraded(
    stub: StubProviders, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**options: object) -> None:
        raise ValueError(f"unexpected {sorted(options)}\n  and more")

    monkeypatch.setattr(types, "HttpOptions", refuse)
    with pytest.raises(
        EmbedderUnavailableError, match=r"google-genai can't be used \(unexpected .*\); run `uv"
    ):
        GeminiEmbedder(KEY, base_url=stub.url).embed(["one"], "document", no_deadline)


def test_without_it_documents_are_not_embedded_but_queries_are(
    stub: StubProviders, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    monkeypatch.delattr("google.genai", raising=False)
    embedder = GeminiEmbedder(KEY, base_url=stub.url)
    with pytest.raises(EmbedderUnavailableError, match="google-genai is not installed"):
        embedder.embed(["one"], "document", no_deadline)
    assert len(embedder.embed(["one"], "query", no_deadline)) == 1


def test_the_rest_of_the_deadline_goes_to_the_server(stub: StubProviders) -> None:
    GeminiEmbedder(KEY, base_url=stub.url).embed(
        ["one"], "document", Deadline(lambda: 100.0, 105.0)
    )
    GeminiEmbedder(KEY, base_url=stub.url).embed(["one"], "document", Deadline(lambda: 100.0, 1e9))
    assert [recorded.headers["x-server-timeout"] for recorded in stub.requests] == ["5", "30"]
