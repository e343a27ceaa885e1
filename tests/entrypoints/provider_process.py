"""The installed programs against a local server that plays every provider."""

import contextlib
import datetime as dt
import math
import shutil
import socket
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from hardwon.adapters.config.reader import read_settings
from hardwon.adapters.config.table import TABLE, variables
from hardwon.adapters.providers.table import PROVIDERS
from hardwon.domain.model.embedding import Vector, unit
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.context import read_workplace
from tests.adapters.providers.kinds import Fault
from tests.adapters.providers.stub_server import Answer, Recorded, StubProviders, vector_of
from tests.entrypoints.hook_process import Run, World, belonging
from tests.entrypoints.planted import IMPORTED_AT, QUESTION, Planted
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import block_of, entry
from tests.fakes.doors import Ran
from tests.machine import LONGEST_WAIT

KEY = "sk-secret-0123456789-abcdef"
KEY_NAMES = {
    provider.name: provider.key_variable for provider in PROVIDERS if provider.key_variable
}
ADDRESSES = {provider.url_variable: urlsplit(provider.url).path for provider in PROVIDERS}
"""The path after the host, by environment variable."""

SPEC = "# Spec\n\nRead the number with its unit from partner feeds.\n"


class Model(NamedTuple):
    """A provider's default model, and how wide its vectors are."""

    name: str
    dimensions: int


MODELS = {
    provider.name: Model(provider.model, provider.model_named(provider.model).dimensions)
    for provider in PROVIDERS
    if provider.model
}


def _is_reserved(field: str, text: str) -> bool:
    """Return whether only the user may give that *text* to a setting."""
    reserved = TABLE[field].reserved if field in TABLE else None
    return reserved is not None and reserved(text)


DIMENSIONS = 16
HOUR = dt.timedelta(hours=1)


class Scene:
    """
    A world whose providers are all one stub.

    Attributes:
        world: Where the programs run.
        stub: Whom they ask.
        question: The text that what is planted is as near to as its cosine says.
        named: The settings that the environment names for `configure`.

    """

    def __init__(self, world: World, stub: StubProviders) -> None:
        self.world = world
        self.stub = stub
        self.question = QUESTION
        self.named = frozenset[str]()
        self.address(stub.url)

    def begin_feature(self, spec: str = SPEC) -> None:
        """Make the project work on a feature, whose spec is what the hook searches with."""
        meta = {"slug": "csv-reader", "status": "active", "lastCompletedPhase": "design"}
        self.world.write_feature("007-csv-reader", meta, spec=spec)

    def address(self, url: str) -> None:
        """Say in the environment that every provider is at *url*."""
        self.world.variables.update({name: url + path for name, path in ADDRESSES.items()})

    def take_down(self) -> None:
        """Close the port of the providers."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.address(f"http://127.0.0.1:{port}")

    @contextlib.contextmanager
    def without_answers(self, provider: str) -> Iterator[None]:
        """Let *provider* be the one that is set, and none of them be reachable."""
        before = dict(self.world.variables)
        self.world.variables["HARDWON_EMBEDDING_PROVIDER"] = provider
        self.take_down()
        yield
        self.world.variables.update(before)

    def choose(self, provider: str, **settings: str) -> None:
        """Name *provider* as its user does, and give it its key."""
        self.configure(embedding_provider=provider, **settings)
        self.give_key(provider)

    def configure(self, **settings: str) -> None:
        """Replace the settings: of a provider on the network in the environment, others in the project."""
        shutil.rmtree(self.world.project / ".claude", ignore_errors=True)
        users = {field: text for field, text in settings.items() if _is_reserved(field, text)}
        for field in filter(self.named.__contains__, TABLE):
            del self.world.variables[variables(field)[0]]
        self.named = frozenset(users)
        self.world.variables.update({variables(field)[0]: text for field, text in users.items()})
        if of_project := {field: text for field, text in settings.items() if field not in users}:
            self.world.configure(**of_project)

    def give_key(self, provider: str) -> None:
        """Put the key of *provider* into the environment, if it has one."""
        if provider in KEY_NAMES:
            self.world.variables[KEY_NAMES[provider]] = KEY

    def take_key(self, provider: str) -> None:
        """Take the key of *provider* out of the environment."""
        del self.world.variables[KEY_NAMES[provider]]

    def remember(self, count: int) -> None:
        """Store *count* entries without vectors."""
        self.world.remember(*(entry(f"Lesson {number}") for number in range(count)))

    def plant(self, *planted: Planted) -> None:
        """Store memories, each with its vector; their ages count from now."""
        age = (dt.datetime.now(dt.UTC) - IMPORTED_AT) // HOUR * HOUR
        settings = read_settings(str(self.world.project), self.world.variables, {}).settings
        with contextlib.closing(open_memory(settings, lambda _: None)) as memory:
            here = read_workplace(memory, str(self.world.project))
            for item in planted:
                memory.repository.put(belonging(item.later(age).entry, here))
            cosines = {item.entry.searchable_text(): item.cosine for item in planted}
            [space] = memory.spaces
            space.vectors.put(
                (text, self.vector(cosine))
                for text in [*space.vectors.pending(10_000)]
                if (cosine := cosines.get(text.text)) is not None
            )

    def vector(self, cosine: float) -> Vector:
        """Return a unit vector of that cosine with the question's."""
        dimensions = int(self.world.variables["HARDWON_EMBEDDING_DIMENSIONS"])
        question = unit(array("f", vector_of(self.question, dimensions)), dimensions)
        vector = array("f", [cosine * value for value in question])
        vector[-1] = math.sqrt(1 - cosine**2)  # the question has nothing there
        return unit(vector, dimensions)

    def ask(self, *options: str) -> Ran:
        """Ask the question."""
        return hardwon(self.world, "recall", *options, *self.question.split())

    def answers(self, *options: str) -> Any:
        """Return the answers as JSON."""
        done = self.ask(*options, "--json")
        assert done.code == 0, done.stderr
        return done.items

    def names(self, *options: str) -> list[str]:
        """Return the titles of the answers, in order."""
        return [answer["title"] for answer in self.answers(*options)]

    def requests(self) -> list[Recorded]:
        """Return what the providers were asked since this was called last."""
        requests = list(self.stub.requests)
        del self.stub.requests[: len(requests)]
        return requests

    def vectors(self) -> dict[str, int]:
        """Return how many vectors each provider made that are stored."""
        counts = "SELECT s.provider, count(*) FROM vector v JOIN space s ON s.id = v.space_id GROUP BY s.provider"
        return dict(self.world.query(counts))

    def metadata(self) -> dict[str, str]:
        """Return all that the store notes about itself."""
        return dict(self.world.query("SELECT key, value FROM _metadata"))

    def holds(self, secret: str) -> list[str]:
        """Return the files of the user, the project and the store with *secret* in them."""
        files = [path for path in self.world.folder.rglob("*") if path.is_file()]
        assert files
        return [path.name for path in files if secret.encode() in path.read_bytes()]


def scene_with(
    world: World, stub: StubProviders, *planted: Planted, dimensions: int = DIMENSIONS
) -> Scene:
    """Return a scene whose vectors are short, with planted memories."""
    scene = Scene(world, stub)
    scene.choose("openai", embedding_dimensions=str(dimensions))
    scene.plant(*planted)
    return scene


class Faults:
    """A fault for each request in turn, then none; knows when each request came."""

    def __init__(self, *faults: Fault | None) -> None:
        self._faults = list(faults)
        self.times: list[float] = []

    def __call__(self, answer: Answer) -> None:
        self.times.append(time.monotonic())
        fault = self._faults.pop(0) if self._faults else None
        if fault:
            fault(answer)


class Hang:
    """Hangs on request number *at*, and signals it; the waiting test may then kill the client."""

    def __init__(self, stub: StubProviders, at: int) -> None:
        self._stub = stub
        self._left = at
        self._hanging = threading.Event()

    def __call__(self, _: Answer) -> None:
        self._left -= 1
        if not self._left:
            self._stub.hangs_before = True
            self._hanging.set()

    def wait(self) -> None:
        """Return when the request has come."""
        assert self._hanging.wait(LONGEST_WAIT)

    def end(self) -> None:
        """Answer from now on."""
        self._stub.hangs_before = False
        self._stub.fault = None


def diagnostic(run: Run) -> str:
    """Return the diagnostic line of the block that was printed."""
    assert run.code == 0
    return block_of(run.stdout).diagnostic


def texts(requests: Sequence[Recorded]) -> list[str]:
    """Return the texts that were sent to be embedded, in order."""
    return [text for request in requests for text in _texts(request.body)]


def _texts(body: Any) -> list[str]:
    if "input" in body:
        return list(body["input"])
    parts = [request["content"]["parts"] for request in body.get("requests", [body])]
    return [part["text"] for [part] in parts]


def sent(requests: Sequence[Recorded]) -> str:
    """Return all that was sent, bodies and paths."""
    return "\n".join(f"{request.path} {request.body}" for request in requests)
