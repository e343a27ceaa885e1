"""Facts stored only in the database outlive a change of branch and a move of the file."""

from pathlib import Path
from typing import Any

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import RawClient, write_document

OWNED = (
    "title",
    "importanceTier",
    "importanceWeight",
    "triggerPhrases",
    "createdAt",
    "accessCount",
    "lastAccessed",
    "validationCount",
    "confidenceScore",
)


def owned(row: Any) -> list[Any]:
    return [row[field] for field in OWNED]


def scan(client: RawClient) -> tuple[int, int]:
    """Return how many files are in the store, and how many are gone, as the message has it."""
    answer = client.answer("memory_index_scan")
    return answer["indexed"], int(answer["message"].split(" gone")[0].split()[-1])


def row_of(client: RawClient, path: Path) -> Any:
    rows = client.answer("memory_list")["results"]
    return next(row for row in rows if row["filePath"] == str(path))


def test_a_memory_whose_file_goes_and_comes_back_is_what_it_was(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world)
    shared.call("memory_save", filePath=str(path))
    number = row_of(shared, path)["id"]
    shared.call(
        "memory_update",
        id=number,
        title="Mine",
        importanceTier="critical",
        importanceWeight=0.9,
        triggerPhrases=["rotate the key"],
    )
    for useful in (True, True, False):
        shared.call("memory_validate", id=number, wasUseful=useful)
    shared.call("memory_search", query="zebra key")
    before = row_of(shared, path)
    assert before["accessCount"] == 1

    away = path.rename(shared_world.project / "away.txt")
    assert scan(shared) == (0, 1)
    away.rename(path)
    assert scan(shared) == (1, 0)
    assert owned(row_of(shared, path)) == owned(before)

    moved = path.rename(path.with_name("moved.md"))
    assert scan(shared) == (1, 1)
    assert owned(row_of(shared, moved)) == owned(before)
    assert shared_world.query("SELECT count(*) FROM departed") == [(0,)]
