"""Whatever a provider answers, one clear line comes out, in the port's words, without the key."""

import socket
import time

import pytest

from hardwon.adapters.providers import bounded_client, http
from hardwon.adapters.providers.endpoint import (
    ProviderAnswerUnusableError,
    ProviderUnavailableError,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import unit
from hardwon.domain.model.errors import RateLimitedError, UnusableVectorError
from hardwon.ports.models import Task
from tests.adapters.providers.kinds import KINDS, UNAVAILABLE, UNUSABLE, each, failure, raw, status
from tests.adapters.providers.stub_server import StubProviders


@pytest.mark.parametrize("fault", UNAVAILABLE)
def test_a_refusal_means_unavailable(
    way: tuple[str, Task], stub: StubProviders, fault: str
) -> None:
    stub.fault = UNAVAILABLE[fault]
    assert type(failure(way, stub.url)) is ProviderUnavailableError
    assert len(stub.requests) == 1


@pytest.mark.parametrize("fault", UNUSABLE)
def test_an_answer_that_makes_no_sense_is_not_used(
    way: tuple[str, Task], stub: StubProviders, fault: str
) -> None:
    stub.fault = UNUSABLE[fault]
    assert type(failure(way, stub.url)) is ProviderAnswerUnusableError


def test_a_vector_of_zeros_can_not_be_normalised(
    way: tuple[str, Task], stub: StubProviders
) -> None:
    stub.fault = each(lambda row: [0] * len(row))
    name, task = way
    embedder = KINDS[name](stub.url, None)
    [vector] = embedder.embed(["one"], task, Deadline(time.monotonic))
    with pytest.raises(UnusableVectorError, match="zero"):
        unit(vector, embedder.space.dimensions)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        (
            {
                "Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "Wed, 99 Oct"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "9" * 5000}, None),
    ],
)
def test_too_many_requests_says_when_to_come_back(
    way: tuple[str, Task], stub: StubProviders, headers: dict[str, str], expected: float | None
) -> None:
    stub.date = headers.get("Date", "")
    stub.fault = status(
        429, **{name.replace("-", "_"): value for name, value in headers.items() if name != "Date"}
    )
    error = failure(way, stub.url)
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == expected
    assert len(stub.requests) == 1


def test_gemini_says_when_to_come_back_in_the_body(stub: StubProviders) -> None:
    details = [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]
    stub.fault = status(429, body={"error": {"message": "quota", "details": details}})
    error = failure(("Gemini", "document"), stub.url)
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 34.5
    assert "(429, again in 34.5 s): quota" in str(error)


def test_a_refused_connection(way: tuple[str, Task]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        error = failure(way, f"http://127.0.0.1:{closed.getsockname()[1]}")
    assert type(error) is ProviderUnavailableError
    assert "can't be reached" in str(error)


def test_tls_to_a_port_that_speaks_none(way: tuple[str, Task], stub: StubProviders) -> None:
    error = failure(way, stub.url.replace("http:", "https:"))
    assert type(error) is ProviderUnavailableError
    assert "can't be reached safely" in str(error)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999", "ftp://127.0.0.1", "127.0.0.1:80", "http://127.0.0.1:x"]
)
def test_an_address_that_can_not_be_used(url: str) -> None:
    assert type(failure(("Voyage", "query"), url)) is ProviderUnavailableError


@pytest.mark.parametrize("fault", ["hangs_before", "hangs_amid", "drips"])
def test_nothing_outlasts_the_deadline(
    way: tuple[str, Task], stub: StubProviders, fault: str
) -> None:
    setattr(stub, fault, True)
    error = failure(way, stub.url, seconds=0.3)
    assert type(error) is ProviderUnavailableError
    assert "time" in str(error)


def test_a_request_ends_after_thirty_seconds_whatever_the_deadline(
    way: tuple[str, Task], stub: StubProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert http.MAX_REQUEST_SECONDS == 30.0
    monkeypatch.setattr(http, "MAX_REQUEST_SECONDS", 0.2)
    stub.hangs_before = True
    assert "in time" in str(failure(way, stub.url, seconds=float("inf")))


def test_a_body_without_end_is_not_read(
    way: tuple[str, Task], stub: StubProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_client, "MAX_BODY_BYTES", 1024 * 1024)
    stub.fault = raw(b" " * (3 * 1024 * 1024))
    error = failure(way, stub.url)
    assert type(error) is ProviderAnswerUnusableError
    assert "more than 1 MB" in str(error)
