import json
import math
import os
import sys
from array import array
from pathlib import Path

import attrs
import pytest

from hardwon.adapters.legacy_index import LARGEST_FILE, read_memory_index, write_memory_index
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.legacy_index import IndexedMemory
from tests.strategies import of_file

SESSION = attrs.evolve(
    of_file("Told.", tags=("a",), keywords=("k",), file_mtime=1_770_000_000, source_project="app"),
    kind="session",
    file_path="/no/such/memory-20260212-134206.md",
)
FIELDS = {
    "tags": ["a"],
    "descriptionKeywords": ["k"],
    "mtime": 1_770_000_000,
    "basename": "app",
    "filename": "memory-20260212-134206.md",
    "description": "Told.",
}


def index(**fields: object) -> bytes:
    return json.dumps({SESSION.file_path: fields}).encode()


def test_an_index_is_keyed_by_path_and_has_the_fields_of_its_program() -> None:
    vector = array("f", [1 / 3, -1e-9, *[0.05] * 382])
    document = json.loads(write_memory_index([(SESSION, vector)]))

    assert document == {SESSION.file_path: {**FIELDS, "embedding": [0.333333, -0.0, *[0.05] * 382]}}
    assert json.loads(write_memory_index([(SESSION, None)])) == {SESSION.file_path: FIELDS}
    assert json.loads(write_memory_index([])) == {}


def test_an_entry_with_its_vector_takes_about_four_kilobytes() -> None:
    vector = array("f", [(-1) ** number * (number + 1) / 8000.3 for number in range(384)])

    assert 3_000 < len(write_memory_index([(SESSION, vector)])) < 4_500


def test_fields_that_are_missing_empty_or_unknown_are_fine() -> None:
    read = IndexedMemory(path=SESSION.file_path or "", filename="memory-20260212-134206.md")

    assert read_memory_index(index()) == [read]
    assert read_memory_index(index(embedding=None, description=None, colour={"x": []})) == [read]
    assert read_memory_index(b"{}") == []


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [{}, [1, "a"], True, 1e30, [None], 10**30])
def test_a_field_of_the_wrong_type_is_named_with_its_key(name: str, value: object) -> None:
    with pytest.raises(InvalidEntryError) as caught:
        read_memory_index(index(**{name: value}))
    assert str(caught.value).startswith(f"'{SESSION.file_path}': {name} is ")
    assert "\n" not in str(caught.value)


def test_a_vector_is_read_unchanged() -> None:
    [read] = read_memory_index(index(embedding=[0.5, -1, 2e-3]))

    assert read.vector == array("f", [0.5, -1, 2e-3])
    assert read.brings_vector
    assert not read_memory_index(index())[0].brings_vector


@pytest.mark.parametrize(
    "value",
    ["x" * 999, {}, True, 1.5, ["0.5"], [None], [True], [[0.5]], [10**400]],
    ids=lambda value: repr(value)[:12],
)
def test_a_vector_that_is_no_list_of_numbers_leaves_the_memory_without_one(value: object) -> None:
    [read] = read_memory_index(index(**FIELDS, embedding=value))

    assert (read.vector, read.description, read.brings_vector) == (None, "Told.", True)
    assert read.vector_problem.startswith("embedding is ")
    assert len(read.vector_problem) < 120


def test_numbers_that_json_lacks_are_read_and_left_to_be_judged() -> None:
    [read] = read_memory_index(b'{"/a.md": {"embedding": [NaN, Infinity, 1e39]}}')

    assert read.vector is not None
    assert not any(map(math.isfinite, read.vector))


@pytest.mark.parametrize(
    ("given", "mtime"),
    [
        (1_770_000_000, 1_770_000_000),
        (1_770_000_000.9, 1_770_000_000),
        (1_770_000_000_123.5, 1_770_000_000),
        (-5, -5),
        (None, None),
    ],
)
def test_a_time_may_have_a_fraction_or_be_in_milliseconds(
    given: float | None, mtime: int | None
) -> None:
    [read] = read_memory_index(json.dumps({"/a.md": {"mtime": given}}).encode())

    assert read.mtime == mtime


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"1",
        b"{",
        b"\xff\xfe",
        b"\0\1\2",
        b'{"/a": 1}',
        b'{"relative/a.md": {}}',
        b'{"": {}}',
        b'{"/": {}}',
        b'{"/a\\u0000b": {}}',
        b'{"/\\ud800": {}}',
        b"[" * 100_000,
        b'{"/a": {"mtime": ' + b"9" * 5_000 + b"}}",
        b" " * (LARGEST_FILE + 1),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_data_that_is_no_index_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(InvalidEntryError) as caught:
        read_memory_index(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "folder"),
    [
        ("C:\\Users\\Mia\\shop\\memory-1.md", "shop"),
        ("d:/code/größe/memory-1.md", "größe"),
        ("\\\\server\\share\\app\\memory-1.md", "app"),
    ],
)
def test_a_path_of_windows_is_one_of_a_vanished_folder(key: str, folder: str) -> None:
    memory = read_memory_index(json.dumps({key: {"description": "x"}}).encode())[0]

    assert os.path.isabs(memory.path)
    assert os.path.basename(os.path.dirname(memory.path)) == folder
    assert memory.filename == "memory-1.md"


@pytest.mark.skipif(sys.platform == "win32", reason="links and names of POSIX")
def test_a_key_that_leads_to_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    os.symlink(os.fsencode(tmp_path) + b"/\xff.md", os.fsencode(tmp_path) + b"/a.md")

    with pytest.raises(InvalidEntryError, match=r"a\.md' .*not UTF-8"):
        read_memory_index(json.dumps({f"{tmp_path}/a.md": {}}).encode())
