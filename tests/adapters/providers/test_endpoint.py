"""Nothing that httpx, google-genai or pydantic can raise gets past an embedder."""

import inspect
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import httpx
import pydantic
import pytest
from google.genai import errors as genai_errors
from google.genai import models as genai_models

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.ports.models import Task
from tests.adapters.providers.kinds import KEY, KINDS, WAYS


def below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for heir in kind.__subclasses__():
        yield from below(heir)


def exceptions_of(module: ModuleType) -> set[type[BaseException]]:
    """Return every exception *module* names, and those below them that its package made."""
    named = {
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Exception)
    }
    package = module.__name__.partition(".")[0]
    return {
        heir
        for kind in named
        for heir in below(kind)
        if heir.__module__.partition(".")[0] == package
    }


def made(kind: type[BaseException]) -> BaseException:
    """Return an exception of *kind*, whatever its constructor wants."""
    parameters = inspect.signature(kind).parameters.values()
    given: dict[str, Any] = {
        "code": 503,
        "response_json": {"error": {"message": "no"}},
        "response": None,
    }
    needed = [
        p
        for p in parameters
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    positional = [given.get(p.name, "broken") for p in needed if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: given.get(p.name, "broken") for p in needed if p.kind is p.KEYWORD_ONLY}
    return kind(*positional, **named)


def validation_error() -> Exception:
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(list[float]).validate_python("no list")
    return caught.value


HTTPX = sorted(exceptions_of(httpx), key=lambda kind: kind.__name__)
GENAI = sorted(exceptions_of(genai_errors), key=lambda kind: kind.__name__)

ON_THE_WAY: dict[str, Callable[[], BaseException]] = {
    **{kind.__name__: partial(made, kind) for kind in HTTPX},
    "OSError": lambda: OSError(111, "Connection refused"),
    "UnicodeError": lambda: UnicodeEncodeError("ascii", KEY, 0, 1, "not ascii"),
    "RecursionError": RecursionError,
    "no thread": lambda: RuntimeError("can't start new thread"),
}

IN_THE_SDK: dict[str, Callable[[], BaseException]] = {
    **{kind.__name__: partial(made, kind) for kind in GENAI},
    "ValidationError": validation_error,
    "TypeError": lambda: TypeError("unexpected"),
    "AttributeError": lambda: AttributeError("'list' has no attribute 'get'"),
    "KeyError": lambda: KeyError("embeddings"),
}


def test_the_walk_finds_what_it_is_for() -> None:
    assert {
        httpx.ConnectTimeout,
        httpx.RemoteProtocolError,
        httpx.InvalidURL,
        httpx.StreamClosed,
    } <= set(HTTPX)
    assert {genai_errors.ClientError, genai_errors.ServerError} <= set(GENAI)
    assert len(HTTPX) > 25


@pytest.mark.parametrize(("provider", "task"), WAYS)
@pytest.mark.parametrize("name", ON_THE_WAY)
def test_a_network_failure_becomes_the_ports_error(name: str, provider: str, task: Task) -> None:
    def break_off(_: httpx.Request) -> httpx.Response:
        error = ON_THE_WAY[name]()
        raise error

    expect_one_line(provider, task, httpx.MockTransport(break_off))


@pytest.mark.parametrize("name", IN_THE_SDK)
def test_an_error_within_google_genai_becomes_the_ports_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object, **__: object) -> None:
        error = IN_THE_SDK[name]()
        raise error

    monkeypatch.setattr(genai_models.Models, "embed_content", stumble)
    expect_one_line("Gemini", "document", None)


def expect_one_line(provider: str, task: Task, transport: httpx.BaseTransport | None) -> None:
    embedder = KINDS[provider]("http://127.0.0.1", transport)
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["one"], task, Deadline.after(20.0, time.monotonic))
    assert str(caught.value).startswith(f"{provider} at 127.0.0.1")
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
