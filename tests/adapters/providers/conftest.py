import time
from collections.abc import Iterator

import pytest

from hardwon.domain.model.deadline import Deadline
from hardwon.ports.models import Task
from tests.adapters.providers.kinds import WAYS
from tests.adapters.providers.stub_server import StubProviders, running_stub


@pytest.fixture
def stub() -> Iterator[StubProviders]:
    with running_stub() as stub:
        yield stub


@pytest.fixture
def no_deadline() -> Deadline:
    return Deadline(time.monotonic)


@pytest.fixture(params=WAYS, ids=[f"{name}-{task}" for name, task in WAYS])
def way(request: pytest.FixtureRequest, stub: StubProviders) -> tuple[str, Task]:
    name: str
    name, task = request.param
    stub.dimensions = 1536 if name == "OpenAI" else 768
    return name, task
