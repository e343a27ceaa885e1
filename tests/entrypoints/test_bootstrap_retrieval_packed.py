"""Remembered queries and packed vectors at the doors: used, forgotten, repaired."""

import pytest

from hardwon.adapters.sqlite.derived import SHIFT
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, write

LESSONS = ("Deploy the zanthemur first.", "Retry the socket.", "Lock the cache.")
WIDTH = 384
MODEL = "hardwon.adapters.minilm.transformer"


def packed(world: World) -> list[bytes]:
    return [
        blob for (blob,) in world.query("SELECT packed FROM vector_block WHERE packed IS NOT NULL")
    ]


@pytest.fixture
def packed_world(empty_world: World) -> World:
    """Return a world whose first block of vectors is packed, as a lesson of the next one was stored."""
    for text in LESSONS:
        write(empty_world, description=text)
    empty_world.query(f"UPDATE sqlite_sequence SET seq = 1 << {SHIFT} WHERE name = 'entry'")
    write(empty_world, description="Read the header first.")
    assert len(packed(empty_world)) == 1
    return empty_world


def test_a_session_start_that_repeats_a_query_loads_no_model_and_prints_the_same(
    embedded_world: World,
) -> None:
    first, modules = embedded_world.launch()
    assert MODEL in modules
    assert embedded_world.query("SELECT count(*) FROM query_vector") == [(1,)]

    second, modules = embedded_world.launch()
    assert MODEL not in modules
    assert "vector=7" in second.stdout
    assert second.stdout == first.stdout


def test_forgetting_leaves_neither_a_query_nor_the_codes_of_the_entry(packed_world: World) -> None:
    packed_world.query("INSERT INTO query_vector (key, checksum, vec) VALUES (x'00', 1, x'00')")
    [before] = packed(packed_world)
    codes = before[-len(LESSONS) * WIDTH :][:WIDTH]
    assert codes in b"".join(path.read_bytes() for path in packed_world.store.iterdir())

    assert hardwon(packed_world, "forget", "zanthemur", "--yes").code == 0
    assert packed_world.query("SELECT count(*) FROM entry") == [(len(LESSONS),)]
    assert packed(packed_world) == []
    assert packed_world.query("SELECT count(*) FROM query_vector") == [(0,)]
    assert not any(codes in path.read_bytes() for path in packed_world.store.iterdir())


def test_the_doctor_packs_again_what_was_damaged_or_dropped(packed_world: World) -> None:
    before = packed(packed_world)
    block = packed_world.hook().stdout
    packed_world.query(
        "UPDATE vector_block SET packed = zeroblob(length(packed)) WHERE packed IS NOT NULL"
    )
    assert packed_world.hook().stdout == block

    hardwon(packed_world, "doctor", "--repair")
    assert packed(packed_world) == before

    packed_world.query("DROP TABLE vector_block")
    packed_world.query("DROP TABLE query_vector")
    assert packed_world.hook().stdout == block
    hardwon(packed_world, "doctor", "--repair")
    assert [len(blob) for blob in packed(packed_world)] == [len(blob) for blob in before]
    assert packed_world.query("SELECT count(*) FROM query_vector") == [(0,)]
