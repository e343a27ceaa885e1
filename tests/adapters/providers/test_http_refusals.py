"""The text of refusals, which never discloses the key."""

import time
from collections.abc import Iterator

import pytest

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Task
from tests.adapters.providers.kinds import KEY, WAYS, failure, status, with_key
from tests.adapters.providers.stub_server import StubProviders, running_stub


@pytest.fixture
def other() -> Iterator[StubProviders]:
    with running_stub() as other:
        yield other


def test_a_redirect_is_not_followed(
    way: tuple[str, Task], stub: StubProviders, other: StubProviders
) -> None:
    stub.fault = status(307, Location=f"{other.url}/v1/embeddings")
    assert "points to another address" in str(failure(way, stub.url))
    assert other.requests == []


@pytest.mark.parametrize("way", [way for way in WAYS if way[0] != "Ollama"])
def test_a_key_that_comes_back_is_not_shown(way: tuple[str, Task], stub: StubProviders) -> None:
    stub.fault = status(
        401, body={"error": {"message": f"no {KEY}, no {KEY[:9]}***{KEY[-4:]} here"}}
    )
    message = str(failure(way, stub.url))
    assert "no [key] no [key] here" in message
    assert KEY[-4:] not in message


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("Gemini", 401, "refused the key in GEMINI_API_KEY (401): sorry, 401"),
        ("Voyage", 403, "refused the key in VOYAGE_API_KEY (403): sorry, 403"),
        (
            "OpenAI",
            404,
            "does not know that address or model, check memory_embedding_model (404): sorry, 404",
        ),
        (
            "Ollama",
            404,
            "does not know that address or model, run `ollama pull nomic-embed-text` (404): sorry, 404",
        ),
        ("OpenAI", 400, "refused the request (400): sorry, 400"),
        ("Voyage", 503, "is in trouble, try again later (503): sorry, 503"),
    ],
)
def test_a_refusal_names_the_way_out(
    name: str, code: int, expected: str, stub: StubProviders
) -> None:
    stub.fault = status(code)
    assert str(failure((name, "query"), stub.url)) == f"{name} at 127.0.0.1:{stub.port} {expected}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": "model not found"}, ": model not found"),
        ({"detail": "Model x is not supported.\n Choose"}, ": Model x is not supported. Choose"),
        ([{"error": {"message": "wrapped"}}], ": wrapped"),
        ({"error": {"message": "long " * 100}}, "…"),
        ({"error": {"message": "\x1b[31mred\x00"}}, ": [31mred"),
        ({"error": {"code": 7}}, '"code": 7}}'),
    ],
)
def test_the_providers_own_words_are_kept_short(
    body: object, expected: str, stub: StubProviders
) -> None:
    stub.fault = status(400, body=body)
    assert str(failure(("Voyage", "query"), stub.url)).endswith(expected)


def test_gemini_answers_400_to_a_wrong_key(stub: StubProviders) -> None:
    details = [{"reason": "API_KEY_INVALID"}]
    stub.fault = status(400, body={"error": {"message": "API key not valid.", "details": details}})
    assert "refused the key in GEMINI_API_KEY (400): API key not valid." in str(
        failure(("Gemini", "query"), stub.url)
    )


@pytest.mark.parametrize(("name", "task"), [way for way in WAYS if way[0] != "Ollama"])
@pytest.mark.parametrize("fault", ["", "  ", "two words", "umlaut-ö", "line\nbreak"])
def test_without_a_usable_key_nothing_is_sent(
    name: str, task: Task, fault: str, stub: StubProviders
) -> None:
    embedder = with_key(name, fault, stub.url)
    with pytest.raises(EmbedderUnavailableError, match=f"{name.upper()}_API_KEY"):
        embedder.embed(["one"], task, Deadline(time.monotonic))
    assert stub.requests == []
