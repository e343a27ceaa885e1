"""Documents of a project, as tests plant them, and a server that knows them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardwon.domain.model.vocabulary import Kind
from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.library import Library, Planted, memory
from tests.entrypoints.mcp.raw_client import RawClient

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


class Shelf:
    """
    A server and its client.

    Attributes:
        world: Where it runs.
        client: Its client.

    """

    def __init__(self, world: World, client: RawClient) -> None:
        self.world = world
        self.client = client

    def ask(self, tool: str, **arguments: object) -> Any:
        """Return the structured answer of a tool."""
        result = self.client.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        assert result["content"][0]["text"] == result["structuredContent"]["message"]
        return result["structuredContent"]

    def found(self, query: str = "", **arguments: object) -> Any:
        """Return what a search answers."""
        return self.ask("memory_search", query=query, **arguments)

    def titles(self, query: str = "", **arguments: object) -> list[str]:
        """Return the titles of the results of a search, in order."""
        return [row["title"] for row in self.found(query, **arguments)["results"]]

    def row(self, title: str, query: str = "", **arguments: object) -> Any:
        """Return the only result of that title."""
        [row] = [row for row in self.found(query, **arguments)["results"] if row["title"] == title]
        return row


@contextlib.contextmanager
def shelf_of(folder: Path, *planted: Planted) -> Iterator[Shelf]:
    """Yield a server that knows what is *planted*, with its vectors, and makes none of those that are missing."""
    with contextlib.ExitStack() as cleanup, running_stub() as stub:
        world = World(folder / "world", cleanup)
        world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
        Library(world, stub).plant(*planted)
        client = RawClient(world, "--no-scan")
        cleanup.callback(client.kill)
        client.initialize()
        yield Shelf(world, client)
