import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.providers.embedders import PIECE, OllamaEmbedder, cut_to_tokens
from hardwon.adapters.providers.ollama import ollama_url
from hardwon.adapters.providers.table import OLLAMA
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import EmbedderError, EmbedderUnavailableError, UnusableVectorError
from tests.adapters.providers.kinds import raw, status
from tests.adapters.providers.stub_server import StubProviders


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("box:1234", "http://box:1234"),
        (" box ", "http://box:11434"),
        (":11435", "http://127.0.0.1:11435"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104  # not bound to
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://box:11434/", "http://box:11434"),
        ("http://box", "http://box:80"),
        ("https://box", "https://box:443"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("[::]:1234", "http://[::1]:1234"),
        ("[fe80::1]", "http://[fe80::1]:11434"),
        ("192.168.0.7", "http://192.168.0.7:11434"),
    ],
)
def test_a_host_is_read_as_ollama_reads_it(host: str, url: str) -> None:
    assert ollama_url(host) == url


@pytest.mark.parametrize("host", ["box:port", "box:99999", "http://[::1", "[::1"])
def test_a_host_that_can_not_be_read_fails_at_the_first_request(
    host: str, no_deadline: Deadline
) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"OLLAMA_HOST|address that can't be used"):
        OllamaEmbedder(base_url=host).embed(["one"], "query", no_deadline)


@pytest.mark.parametrize("model", OLLAMA.models)
def test_the_known_models_have_their_widths(model: str) -> None:
    widths = {"nomic-embed-text": 768, "mxbai-embed-large": 1024, "all-minilm": 384}
    assert OllamaEmbedder(model=model).space.dimensions == widths[model]


def test_the_tag_latest_makes_no_other_space() -> None:
    assert (
        OllamaEmbedder(model="all-minilm:latest").space == OllamaEmbedder(model="all-minilm").space
    )


def test_an_unknown_model_works_when_its_width_is_given(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    embedder = OllamaEmbedder(model="bge-m3:567m", dimensions=1024, base_url=stub.url)
    stub.dimensions = 1024
    embedder.embed(["one"], "query", no_deadline)
    assert embedder.space == Space(provider="ollama", model="bge-m3:567m", dimensions=1024)
    assert stub.requests[0].body["input"] == ["one"]


@pytest.mark.parametrize(
    ("pulled", "model", "expected"),
    [
        ("nomic-embed-text:latest", "nomic-embed-text", True),
        ("nomic-embed-text:latest", "nomic-embed-text:latest", True),
        ("nomic-embed-text:v1.5", "nomic-embed-text:v1.5", True),
        ("nomic-embed-text:v1.5", "nomic-embed-text", False),
        ("mxbai-embed-large:latest", "nomic-embed-text", False),
    ],
)
def test_available_means_pulled(
    stub: StubProviders, no_deadline: Deadline, pulled: str, model: str, *, expected: bool
) -> None:
    stub.models = [pulled]
    assert OllamaEmbedder(model=model, base_url=stub.url).is_available(no_deadline) is expected
    assert OllamaEmbedder(model=model, base_url=stub.url).lacks_model(no_deadline) is not expected


@pytest.mark.parametrize(
    "body", [b"garbage", b"[]", b'{"models": null}', b'{"models": [1, {"name": 2}]}']
)
def test_an_odd_list_of_models_means_not_available(
    stub: StubProviders, no_deadline: Deadline, body: bytes
) -> None:
    stub.fault = raw(body)
    assert OllamaEmbedder(base_url=stub.url).is_available(no_deadline) is False


def test_not_running_means_not_available(no_deadline: Deadline) -> None:
    assert OllamaEmbedder(base_url="127.0.0.1:1").is_available(no_deadline) is False


def test_hanging_means_not_available(stub: StubProviders) -> None:
    stub.hangs_before = True
    assert (
        OllamaEmbedder(base_url=stub.url).is_available(Deadline.after(0.1, time.monotonic)) is False
    )


def test_an_ollama_that_does_not_answer_is_not_said_to_lack_a_model(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    assert not OllamaEmbedder(base_url="127.0.0.1:1").lacks_model(no_deadline)
    stub.hangs_before = True
    assert not OllamaEmbedder(base_url=stub.url).lacks_model(Deadline.after(0.1, time.monotonic))


def test_not_running_says_how_to_start_it(no_deadline: Deadline) -> None:
    with pytest.raises(
        EmbedderUnavailableError, match="start it with `ollama serve` or set OLLAMA_HOST"
    ):
        OllamaEmbedder(base_url="127.0.0.1:1").embed(["one"], "query", no_deadline)


def test_a_missing_model_says_how_to_get_it(stub: StubProviders, no_deadline: Deadline) -> None:
    stub.fault = status(404, body={"error": 'model "all-minilm" not found, try pulling it first'})
    with pytest.raises(EmbedderUnavailableError, match="run `ollama pull all-minilm`"):
        OllamaEmbedder(model="all-minilm", base_url=stub.url).embed(["one"], "query", no_deadline)


def test_a_pull_reports_its_progress(stub: StubProviders) -> None:
    lines = b'{"status": "pulling manifest"}\n{"status": "pulling a", "total": 9, "completed": 3}\n{"status": "success"}\n'
    stub.fault = raw(lines)
    seen: list[tuple[str, int, int]] = []
    OllamaEmbedder(base_url=stub.url).pull(lambda *event: seen.append(event))
    assert seen == [("pulling manifest", 0, 0), ("pulling a", 3, 9), ("success", 0, 0)]
    assert [(r.path, r.body) for r in stub.requests] == [
        ("/api/pull", {"model": "nomic-embed-text", "stream": True})
    ]


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        (
            b'{"error": "file does not exist"}',
            EmbedderUnavailableError,
            "could not download the model: file does not",
        ),
        (
            b'{"status": "pulling a"}',
            EmbedderUnavailableError,
            "broke off the download of 'nomic-embed-text'",
        ),
        (b"", EmbedderUnavailableError, "broke off the download"),
        (b"[]", UnusableVectorError, "unknown form"),
        (b"<html>", UnusableVectorError, "no JSON"),
    ],
)
def test_a_pull_that_fails_says_so(
    stub: StubProviders, line: bytes, kind: type[EmbedderError], words: str
) -> None:
    stub.fault = raw(line)
    with pytest.raises(kind, match=words):
        OllamaEmbedder(base_url=stub.url).pull()


@given(text=st.text(), limit=st.integers(1, 40))
@example(text="word " * 50, limit=10)
@example(text="日本" * 30, limit=30)
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert text.startswith(cut)
    assert len(PIECE.findall(cut)) <= limit
    assert cut == text or len(PIECE.findall(text)) > limit


def test_english_keeps_most_of_what_a_model_reads() -> None:
    words = "the hook never waits past its deadline " * 100
    assert len(cut_to_tokens(words, 256)) > 256 * 2.5
