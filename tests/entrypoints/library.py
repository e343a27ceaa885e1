"""Planted memories, each as near to one question as a test says."""

import contextlib
import datetime as dt
import math
import os
import socket
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from hardwon.domain.model.embedding import Vector, unit
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Kind
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.context import read_workplace
from tests.adapters.providers.stub_server import StubProviders, running_stub, vector_of
from tests.entrypoints.hook_process import World, belonging
from tests.entrypoints.mcp.conftest import RawClient
from tests.entrypoints.programs import Ran, hardwon
from tests.entrypoints.provider_process import KEY

QUESTION = "how do we lock the store"
DIMENSIONS = 16
HERE, NEIGHBOUR, WORKSPACE = "project", "neighbour", "world"
"""How the world's project, another one beside it, and the folder that holds both are called."""


HOUR = dt.timedelta(hours=1)
IMPORTED_AT = dt.datetime.now(dt.UTC)
"""When this module was imported, from which the ages of what is planted count until it is."""


class Planted(NamedTuple):
    """A memory, and the cosine of its vector with the question's; None for no vector."""

    entry: Entry
    cosine: float | None


def memory(
    kind: Kind, name: str, text: str, cosine: float | None, age_days: float = 0, **more: Any
) -> Planted:
    """Return the memory of a file about which only what is named matters."""
    timestamp = IMPORTED_AT - dt.timedelta(days=age_days)
    fields = {
        "file_path": f"/memories/{kind}/{name.lower().replace(' ', '-')}.md",
        "source_project": HERE,
        **more,
    }
    timestamps = {"created_at": timestamp, "updated_at": timestamp}
    return Planted(
        Entry(kind=kind, name=name, description=text, **{**timestamps, **fields}), cosine
    )


class Library:
    """
    A world with planted memories, whose questions are embedded by the stub.

    Attributes:
        world: Where `hardwon` runs.
        stub: The provider.
        dimensions: Width of all vectors.

    """

    def __init__(self, world: World, stub: StubProviders, dimensions: int = DIMENSIONS) -> None:
        self.world = world
        self.stub = stub
        self.dimensions = dimensions
        world.variables |= {
            "HARDWON_EMBEDDING_PROVIDER": "openai",
            "HARDWON_EMBEDDING_DIMENSIONS": str(dimensions),
            "OPENAI_BASE_URL": f"{stub.url}/v1",
            "OPENAI_API_KEY": KEY,
        }

    @property
    def workspace(self) -> str:
        """The real path of the folder that holds the project."""
        return os.path.realpath(self.world.folder)

    def plant(self, *planted: Planted) -> None:
        """Store memories, each with its vector."""
        store = str(self.world.store)
        settings = Settings(
            global_store=store, embedding_provider="openai", embedding_dimensions=self.dimensions
        )
        memory = open_memory(settings, lambda _: None)
        with contextlib.closing(memory):
            here = read_workplace(memory, str(self.world.project))
            late = (
                (dt.datetime.now(dt.UTC) - IMPORTED_AT) // HOUR * HOUR
            )  # in a run of hours ages count from the planting
            for item in planted:
                entry = attrs.evolve(
                    item.entry,
                    created_at=item.entry.created_at + late,
                    updated_at=item.entry.updated_at + late,
                )
                memory.repository.put(belonging(entry, here))
            cosines = {
                item.entry.searchable_text(): item.cosine
                for item in planted
                if item.cosine is not None
            }
            [space] = memory.spaces
            pending = [text for text in space.vectors.pending(10_000) if text.text in cosines]
            space.vectors.put((text, self.vector(cosines[text.text])) for text in pending)

    def vector(self, cosine: float) -> Vector:
        """Return a unit vector of that cosine with the question's."""
        question = unit(array("f", vector_of(QUESTION, self.dimensions)), self.dimensions)
        vector = array("f", [cosine * value for value in question])
        vector[-1] = math.sqrt(1 - cosine**2)  # the question has nothing there
        return unit(vector, self.dimensions)

    @contextlib.contextmanager
    def without_answers(self, provider: str) -> Iterator[None]:
        """Let *provider* be the one that is set, and none of them be reachable."""
        before = dict(self.world.variables)
        with socket.create_server(("127.0.0.1", 0)) as server:
            nobody = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        self.world.variables |= {"HARDWON_EMBEDDING_PROVIDER": provider, "OPENAI_BASE_URL": nobody}
        yield
        self.world.variables.update(before)

    def ask(self, *options: str) -> Ran:
        """Ask the question."""
        return hardwon(self.world, "recall", *options, *QUESTION.split())

    def answers(self, *options: str) -> Any:
        """Return the answers as JSON."""
        done = self.ask(*options, "--json")
        assert done.code == 0, done.stderr
        return done.items

    def names(self, *options: str) -> list[str]:
        """Return the titles of the answers, in order."""
        return [answer["title"] for answer in self.answers(*options)]


FOLDER = "049-auth"


def document(
    name: str, text: str, cosine: float | None = None, age_days: float = 0, **more: Any
) -> Planted:
    """Return a document of the spec folder `049-auth` about which only what is named matters."""
    file = more.pop("file", f"{name.lower().replace(' ', '-')}.md")
    folder = more.pop("spec_folder", FOLDER)
    path = f"/memories/specs/{folder}/memory/{file}"
    return memory(
        "document", name, text, cosine, age_days, file_path=path, spec_folder=folder, **more
    )


def of_kind(kind: Kind, name: str, text: str, **more: Any) -> Planted:
    """Return a memory of any kind, without a vector."""
    if kind == "learning":
        return memory(kind, name, text, None, **{"file_path": None, "category": "patterns", **more})
    return memory(kind, name, text, None, **{"file_path": f"/memories/{kind}/{text}.md", **more})


@contextlib.contextmanager
def server_with(folder: Path, *planted: Planted) -> Iterator[RawClient]:
    """Yield the client of a server that knows what is *planted*, with its vectors, and makes none of those that are missing."""
    with contextlib.ExitStack() as cleanup, running_stub() as stub:
        world = World(folder / "world", cleanup)
        world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
        Library(world, stub).plant(*planted)
        client = RawClient(world, "--no-scan")
        cleanup.callback(client.kill)
        client.initialize()
        yield client


TOKENS = "005-auth/memory/22-11-26_14-05__refresh-tokens.md"


def write_document(
    world: World, name: str = TOKENS, text: str = "# Tokens\n\nRotate the zebra key.\n"
) -> Path:
    """Write a file below the project's `specs`; return its path, links resolved."""
    path = world.project.resolve() / "specs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
