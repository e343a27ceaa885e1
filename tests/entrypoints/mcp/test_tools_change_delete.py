"""`memory_delete` takes memories out, and scans leave them out."""

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, Visit, Visitor, write_document
from tests.entrypoints.programs import hardwon

SECTIONED = "# Zebra\n<!-- ANCHOR:a -->\nA.\n<!-- /ANCHOR:a -->\n<!-- ANCHOR:b -->\nB.\n<!-- /ANCHOR:b -->\n"


@pytest.fixture
def client(world: World, visit: Visit) -> Visitor:
    """Return a visitor of a store with a document of two sections, another one, and a lesson."""
    write_document(world, "005-auth/memory/a.md", SECTIONED)
    write_document(world, "049-auth/memory/b.md")
    client = visit(world)
    client.call("memory_index_scan")
    client.store()
    return client


def numbers(world: World, where: str = "true") -> list[int]:
    return [
        number
        for (number,) in world.query(f"SELECT id FROM memory_index WHERE {where} ORDER BY id")
    ]


def test_a_memory_is_deleted_by_its_number_or_its_id(client: Visitor, world: World) -> None:
    [number] = numbers(world, "spec_folder = '049-auth'")
    [(document_id,)] = world.query(f"SELECT id FROM entry WHERE seq = {number}")

    assert client.answer("memory_delete", id=number)["deleted"] == 1
    assert client.answer("memory_delete", id=LESSON_ID)["deleted"] == 1
    assert numbers(world, "spec_folder = '049-auth'") == []
    assert world.query("SELECT count(*) FROM entries") == [(0,)]
    assert world.query(
        "SELECT memory_id, field_changed, old_value, new_value FROM memory_history"
    ) == [
        (number, "deleted", "Tokens", document_id),
        (number + 1, "deleted", LESSON["name"], LESSON_ID),
    ]


def test_a_deleted_memory_stays_out_until_its_file_changes_or_force_is_given(
    client: Visitor, world: World
) -> None:
    path = world.project / "specs/049-auth/memory/b.md"

    def delete_and_scan(**arguments: bool) -> tuple[int, int, int]:
        client.call("memory_delete", id=numbers(world, "spec_folder = '049-auth'")[0])
        scanned = client.answer("memory_index_scan", **arguments)
        return (
            scanned["indexed"],
            scanned["skipped"],
            len(numbers(world, "spec_folder = '049-auth'")),
        )

    assert delete_and_scan() == (0, 2, 0)
    path.touch()
    assert client.answer("memory_index_scan")["skipped"] == 2
    assert "1 deleted" in hardwon(world, "index").stdout
    path.write_text("Changed.")
    assert client.answer("memory_index_scan")["indexed"] == 1

    assert delete_and_scan(force=True) == (2, 0, 1)
    client.call("memory_delete", id=numbers(world, "spec_folder = '049-auth'")[0])
    saved = client.answer("memory_save", filePath=str(path.resolve()))
    assert saved["action"] == "indexed"
    assert numbers(world, "spec_folder = '049-auth'") == [saved["memoryId"]]


def test_a_section_that_was_deleted_stays_out_and_with_the_whole_go_its_sections(
    client: Visitor, world: World
) -> None:
    [section] = numbers(world, "anchor_id = 'a'")
    client.call("memory_delete", id=section)
    client.call("memory_index_scan")
    assert numbers(world, "anchor_id = 'a'") == []

    [whole] = numbers(world, "spec_folder = '005-auth' AND anchor_id IS NULL")
    assert client.answer("memory_delete", id=str(whole))["deleted"] == 2
    client.call("memory_index_scan")
    assert numbers(world, "spec_folder = '005-auth'") == []
    client.call("memory_index_scan", force=True)
    assert len(numbers(world, "spec_folder = '005-auth'")) == 3


def test_a_spec_folder_goes_as_a_whole_when_that_is_confirmed(
    client: Visitor, world: World
) -> None:
    before = numbers(world)
    refused = client.refusal("memory_delete", specFolder="005-auth")
    assert refused == "this deletes 3 memories of '005-auth': ask the user, then give confirm true"
    assert numbers(world) == before

    deleted = client.answer("memory_delete", specFolder="005-auth", confirm=True)
    assert (deleted["success"], deleted["deleted"]) == (True, 3)
    assert len(numbers(world)) == 1
    assert (world.project / "specs/005-auth/memory/a.md").exists()
    assert client.answer("memory_index_scan")["indexed"] == 0


def test_the_same_spec_folder_of_another_project_is_left_unchanged(
    client: Visitor, world: World
) -> None:
    other = world.folder / "other"
    (other / "specs/005-auth/memory").mkdir(parents=True)
    (other / "specs/005-auth/memory/x.md").write_text("Another project's.")
    hardwon(world, "index", "--project-root", str(other))
    client.call("memory_delete", specFolder="005-auth", confirm=True)

    assert len(numbers(world, "spec_folder = '005-auth'")) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "give either id, or specFolder with confirm true"),
        (
            {"id": 1, "specFolder": "005-auth", "confirm": True},
            "give either id, or specFolder with confirm true",
        ),
        ({"id": 99}, "no memory has the id '99'"),
        ({"id": "0123456789abcdef"}, "no memory has the id"),
        ({"specFolder": "006", "confirm": True}, "no document belongs to the spec folder '006'"),
        ({"id": True}, "id"),
        ({"id": [1]}, "id"),
        ({"folder": "x"}, "unknown: folder, use id, specFolder, confirm"),
    ],
)
def test_an_ambiguous_request_deletes_nothing(
    client: Visitor, world: World, arguments: dict[str, object], reason: str
) -> None:
    before = numbers(world)
    refused = client.refusal("memory_delete", **arguments)

    assert reason in refused
    assert "\n" not in refused
    assert numbers(world) == before
