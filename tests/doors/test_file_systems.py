"""A disk that can't be written, or whose blocks are so small that SQLite's index has holes, is called what it is."""

import pytest

from tests.doors.doors import Template
from tests.doors.expected import AS_EVER, Expected, expected, matches
from tests.doors.states import may_mount

needs_mount = pytest.mark.skipif(not may_mount(), reason="needs to mount a disk in memory")
needs_loop = pytest.mark.skipif(
    not may_mount("small blocks"), reason="needs root, mkfs.ext4 and loop devices"
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Return a world that is made new for each cell."""
    return Template(tmp_path_factory.mktemp("disks"))


@needs_mount
@pytest.mark.parametrize("door", AS_EVER)
@pytest.mark.parametrize("file", ["memory.db", "WAL"])
def test_a_read_only_file_system_is_named_and_what_is_there_is_read(
    template: Template, file: str, door: str
) -> None:
    assert_output(template, "read-only disk", file, door)


@needs_loop
@pytest.mark.parametrize("door", AS_EVER)
@pytest.mark.parametrize("file", ["memory.db", "WAL"])
@pytest.mark.parametrize("state", ["9 KB left", "40 KB left"])
def test_a_full_disk_of_small_blocks_ends_no_process(
    template: Template, state: str, file: str, door: str
) -> None:
    assert_output(template, state, file, door)


def assert_output(template: Template, state: str, file: str, door: str) -> None:
    wanted: Expected = expected(state, file, door)
    output = template.ask(door, file, state)

    assert "Traceback" not in output.text, output.text
    assert "chmod" not in output.text, output.text
    assert matches(wanted, *output), f"wanted {wanted}\ngot {output.code}:\n{output.text}"
