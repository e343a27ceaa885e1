"""`memory_index_scan` indexes changed files."""

import time

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visit, write_document
from tests.entrypoints.programs import hardwon

FILES = 15
LONGEST_SECONDS_OF_FIFTY = 60


def write_fifteen(world: World) -> None:
    for number in range(FILES):
        write_document(
            world, f"005-auth/memory/{number:02}.md", f"# Note {number}\n\nAbout the okapi."
        )


def test_files_are_scanned_and_those_that_changed_indexed(world: World, visit: Visit) -> None:
    write_fifteen(world)
    client = visit(world)
    first = client.answer("memory_index_scan")
    for number in range(3):
        write_document(world, f"005-auth/memory/{number:02}.md", "Changed.")
    (world.project / "specs/005-auth/memory/14.md").touch()
    second = client.answer("memory_index_scan")
    forced = client.answer("memory_index_scan", force=True)

    counts = [
        tuple(item[key] for key in ("success", "scanned", "indexed", "skipped", "errors"))
        for item in (first, second, forced)
    ]
    assert counts == [(True, 15, 15, 0, 0), (True, 15, 3, 12, 0), (True, 15, 15, 0, 0)]
    assert second["message"] == "Indexed 3 files (0 new), 12 as they were, 0 gone, 0 can't be used"


def test_one_spec_folder_is_scanned_alone(world: World, visit: Visit) -> None:
    write_fifteen(world)
    write_document(world, "049-auth/memory/other.md")
    scanned = visit(world).answer("memory_index_scan", specFolder="049-auth")

    assert (scanned["scanned"], scanned["indexed"]) == (1, 1)
    assert world.query("SELECT DISTINCT spec_folder FROM memory_index") == [("049-auth",)]


COUNTED = (
    ("named-oauth-callback", "Oauth has errors. OAuth errors, callback: errors.\n", (2, 3, 1)),
    ("headed", "# OAuth callback\n\nErrors of the callback, oauth.\n", (2, 1, 2)),
    ("below", "Before.\n\n# OAuth errors\n\nThe callback.\n", (1, 1, 1)),
    (
        "sections",
        "# OAuth\n\n<!-- ANCHOR:one -->\n## Errors\n\nOauth errors at the callback.\n<!-- /ANCHOR:one -->\n\nOAuth again.\n",
        (3, 2, 1),
    ),
    ("shouted", "OAUTH OAuth oauth, ERRORS; CALLBACK callbacks\n", (3, 1, 1)),
)


def test_concepts_are_counted_in_the_file(world: World, visit: Visit) -> None:
    for number, (name, text, _) in enumerate(COUNTED):
        write_document(world, f"01{number}-x/memory/22-11-26_14-05__{name}.md", text)
    client = visit(world)
    client.call("memory_index_scan")
    answer = client.answer("memory_search", concepts=["oauth", "errors", "callback"], limit=20)

    wanted = {
        name: dict(zip(("oauth", "errors", "callback"), counts, strict=True))
        for name, _, counts in COUNTED
    }
    found = [
        (row["filePath"].rpartition("__")[2].removesuffix(".md"), row["conceptCounts"])
        for row in answer["results"]
    ]
    assert {name for name, _ in found} == {*wanted}
    assert all(counts == wanted[name] for name, counts in found)
    lines = answer["message"].splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith("__shouted.md"))
    assert lines[at + 1].startswith("      \u2192 shouted (#")
    assert lines[at + 2] == "      \u2192 Contains: oauth (3), errors (1), callback (1)"


@pytest.mark.parametrize("name", ["../x", "a/b", ".."])
def test_an_invalid_folder_name_is_refused(world: World, visit: Visit, name: str) -> None:
    assert f"{name!r} is no spec folder" in visit(world).refusal(
        "memory_index_scan", specFolder=name
    )


def test_unusable_input_is_counted_and_reported(world: World, visit: Visit) -> None:
    write_document(world, "005-auth/memory/good.md")
    write_document(world, "005-auth/memory/bad.md").write_bytes(b"\0")
    write_document(world, "005-auth/memory/odd.md", "---\ndate: some day\n---\nText.")
    scanned = visit(world).answer("memory_index_scan")

    assert (scanned["scanned"], scanned["indexed"], scanned["errors"]) == (3, 2, 1)
    assert [line.rpartition("/")[2].split("'")[0] for line in scanned["details"]] == [
        "bad.md",
        "odd.md",
    ]
    assert all(line in scanned["message"] for line in scanned["details"])


def test_the_memories_of_files_that_are_gone_go_with_them(world: World, visit: Visit) -> None:
    client = visit(world)
    path = write_document(world, text="<!-- ANCHOR:a -->\nA.\n<!-- /ANCHOR:a -->\n")
    client.call("memory_index_scan")
    path.unlink()

    assert client.answer("memory_index_scan")["removed"] == 1
    assert world.query("SELECT count(*) FROM memory_index") == [(0,)]


def test_a_file_is_one_row_for_every_indexing_path(world: World, visit: Visit) -> None:
    path = write_document(world)
    client = visit(world)
    saved = client.answer("memory_save", filePath=str(path))
    client.call("memory_index_scan", force=True)
    hardwon(world, "index", "--force")

    assert world.query("SELECT id, file_path, anchor_id FROM memory_index") == [
        (saved["memoryId"], str(path), None)
    ]


@pytest.mark.soak
def test_fifty_files_are_indexed_and_embedded_within_a_minute(world: World, visit: Visit) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    client = visit(world)
    for number in range(50):
        write_document(
            world, f"005-auth/memory/{number:02}.md", f"# Note {number}\n\nAbout the okapi."
        )
    started = time.process_time()
    scanned = client.answer("memory_index_scan")
    seconds = time.process_time() - started

    assert (scanned["scanned"], scanned["errors"], scanned["pending"]) == (50, 0, 0)
    assert seconds < LONGEST_SECONDS_OF_FIFTY
    assert world.query("SELECT count(embedding) FROM memory_index") == [(50,)]
