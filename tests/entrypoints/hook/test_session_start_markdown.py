import datetime as dt
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.entrypoints.hook.markdown_pipeline import markdown_block
from tests.machine import LONGEST_WAIT

GOLDEN = Path(__file__).parents[2] / "golden"
NOW = dt.datetime(2026, 1, 2, 4, 4, 5, 678, tzinfo=dt.timezone(dt.timedelta(hours=1)))

IN_A_FRESH_PROCESS = """
import sys
before = set(sys.modules)
import datetime as dt
from hardwon.entrypoints.hook.markdown_pipeline import markdown_block
markdown_block(sys.argv[1], sys.argv[2], 20, dt.datetime.now(dt.UTC), print) or sys.exit("nothing was selected")
print(*sorted(set(sys.modules) - before))
"""


class World:
    """A project and a store on disk, and what the pipeline says of them."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.store = folder / "store"
        self.record = self.store / ".last-injection.json"
        self.warnings: list[str] = []

    def write(self, side: str, category: str, text: bytes) -> None:
        folder = self.project / "docs" / "knowledge-bank" if side == "local" else self.store
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{category}.md").write_bytes(text)

    def write_golden(self, line_end: bytes = b"\n") -> None:
        for side in ("local", "global"):
            for path in GOLDEN.glob(f"markdown-{side}-*.md"):
                category = path.stem.removeprefix(f"markdown-{side}-")
                self.write(side, category, path.read_bytes().replace(b"\n", line_end))

    def block(self, limit: int = 20) -> str:
        return markdown_block(str(self.project), str(self.store), limit, NOW, self.warnings.append)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def golden(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode()


@pytest.mark.parametrize("limit", [1, 8, 10, 20])
def test_the_block_is_the_one_made_by_hand(world: World, limit: int) -> None:
    world.write_golden()

    assert world.block(limit) == golden(f"markdown-limit-{limit}.md")
    assert world.warnings == []


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_any_line_ends_give_the_same_block(world: World, line_end: bytes) -> None:
    world.write_golden(line_end)

    assert world.block() == golden("markdown-limit-20.md")


def test_a_larger_limit_prints_no_more_than_there_is(world: World) -> None:
    world.write_golden()

    assert world.block(15) == world.block(10**30) == golden("markdown-limit-20.md")


def test_the_record_names_the_entries_in_the_order_of_choice(world: World) -> None:
    world.write_golden()
    world.block(10)

    assert world.record.read_bytes().decode() == golden("markdown-limit-10.json")


@pytest.mark.parametrize("limit", [0, -1, -(10**30)])
def test_no_room_means_no_output_and_no_record(world: World, limit: int) -> None:
    world.write_golden()

    assert world.block(limit) == ""
    assert not world.record.exists()


def test_no_files_mean_no_output_no_store_and_no_warning(world: World) -> None:
    assert world.block() == ""
    assert not world.store.exists()
    assert world.warnings == []


def test_files_without_entries_mean_no_output_and_an_old_record_stays(world: World) -> None:
    world.write("local", "patterns", b"# Patterns\n\nNothing yet.\n")
    world.write("global", "patterns", b"\n<!-- ### Pattern: x -->\n")
    world.record.write_text("from an earlier session")

    assert world.block() == ""
    assert world.record.read_text() == "from an earlier session"


def test_bad_bytes_are_replaced_and_other_scripts_kept(world: World) -> None:
    world.write("local", "heuristics", "### Größe\n大きさ ".encode() + b"\xff\xfe\n")

    assert world.block().splitlines()[4:] == [
        "### Heuristics",
        "### Größe",
        "大きさ \ufffd\ufffd",
        "",
        "---",
    ]


def test_a_store_that_cannot_be_written_still_prints(world: World) -> None:
    world.write("local", "patterns", b"### Pattern: Alone\n")
    world.store.write_text("a file where the store should be")

    assert "### Pattern: Alone\n" in world.block()
    assert len(world.warnings) == 1


def test_the_same_entry_on_both_sides_is_printed_once(world: World) -> None:
    world.write("local", "patterns", b"### Pattern: Here\nSame.\n- Observation count: 2\n")
    world.write("global", "heuristics", b"### There\nsame.\n- Observation count: 3\n")

    assert world.block().splitlines()[2:6] == [
        "*Memory: 1 entries (0 local, 1 global) | semantic: disabled*",
        "",
        "### Heuristics",
        "### There",
    ]


@pytest.mark.parametrize("root", ["with\0nul", "with\ud800surrogate"])
def test_a_project_root_no_file_system_knows_still_prints_the_store(
    world: World, root: str
) -> None:
    world.write("global", "patterns", b"### Pattern: Kept\n")

    block = markdown_block(root, str(world.store), 20, NOW, world.warnings.append)

    assert "### Pattern: Kept\n" in block
    assert [line.count("\n") for line in world.warnings] == [0, 0, 0]


def test_a_fresh_process_imports_the_standard_library_only_and_does_not_open_the_database(
    world: World,
) -> None:
    world.write_golden()
    database = world.store / "memory.db"
    database.write_bytes(b"not a database")
    os.utime(database, ns=(0, 0))

    done = subprocess.run(
        [sys.executable, "-c", IN_A_FRESH_PROCESS, str(world.project), str(world.store)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST_WAIT,
    )

    imported = {name.partition(".")[0] for name in done.stdout.split()}
    assert imported - sys.stdlib_module_names == {"hardwon"}
    assert not imported & {
        "sqlite3",
        "pathlib",
        "argparse",
        "subprocess",
        "logging",
        "dataclasses",
        "concurrent",
    }
    assert database.read_bytes() == b"not a database"
    assert sorted(path.name for path in world.store.iterdir()) == [
        ".last-injection.json",
        "anti-patterns.md",
        "heuristics.md",
        "memory.db",
    ]
