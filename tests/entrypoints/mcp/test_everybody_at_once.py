"""
Two hooks, a writer, a server and a watch on one store at once: no process fails and nothing stored
is lost.

A hook that finds the store busy gives up counting after 50 ms and says so: the session does not
wait for it.
"""

import contextlib
import json
import re
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor

from tests.entrypoints.cli.test_files_watch import Watch
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, write_document
from tests.entrypoints.programs import start, upsert
from tests.machine import LONGEST_WAIT

FILES = 30
LESSONS = 6
IN_TIME = re.compile(r"0 (Warning: [^\n]+\n)*")
"""A hook that ended well, perhaps with parts out of time."""


def write_all(world: World, text: str) -> None:
    for number in range(FILES):
        write_document(
            world,
            f"005-auth/memory/{number:02}.md",
            f"# {number}\n{text}\n<!-- ANCHOR:a -->\n{text}\n<!-- /ANCHOR:a -->",
        )


def hook(world: World) -> str:
    process = start(world, "hardwon-hook")
    _, stderr = process.communicate(json.dumps(world.session_start()).encode(), LONGEST_WAIT)
    return f"{process.returncode} {stderr.decode()}"


def write(world: World, number: int) -> str:
    process = start(world, "hardwon-writer", *upsert(description=f"Lesson {number}."))
    _, stderr = process.communicate(timeout=LONGEST_WAIT)
    return f"{process.returncode} {stderr.decode()}"


def retier(world: World, title: str) -> None:
    """Change, as another process, the facts that the store is authoritative for."""
    with (
        contextlib.closing(sqlite3.connect(world.database, timeout=LONGEST_WAIT)) as connection,
        connection,
    ):
        connection.execute(
            "UPDATE entry SET tier = 'critical' WHERE seq IN (SELECT entry_seq FROM entry_text WHERE name = ?)",
            (title,),
        )


def test_everybody_works_on_one_store_at_once(world: World, connect: Connect) -> None:
    write_all(world, "One.")
    client = connect(world)
    watch = Watch(world)
    watch.wait()
    with ThreadPoolExecutor(6) as others:
        write_all(world, "Two.")
        writing = [others.submit(write, world, number) for number in range(LESSONS)]
        hooks = [others.submit(hook, world) for _ in range(2)]
        retiering = [others.submit(retier, world, str(number)) for number in range(FILES)]
        answers = [client.answer("memory_index_scan", force=True) for _ in range(3)]
        written = [item.result() for item in writing]
        hooked = [item.result() for item in hooks]
        for item in retiering:
            item.result()
    client.call("memory_index_scan")
    ran = client.end()
    code, complaints = watch.end(signal.SIGTERM)

    assert [answer["errors"] for answer in answers] == [0, 0, 0]
    assert [item for item in written if "lock" in item or not item.startswith("0 ")] == []
    assert [item for item in hooked if not IN_TIME.fullmatch(item)] == []
    assert (ran.code, ran.stderr, code, complaints) == (0, "", 0, "")
    assert world.query("SELECT count(*) FROM entries WHERE description LIKE 'Lesson %'") == [
        (LESSONS,)
    ]
    assert world.query(
        "SELECT importance_tier, count(*) FROM memory_index WHERE anchor_id IS NULL GROUP BY 1"
    ) == [("critical", FILES)]
    assert world.query("SELECT count(*) FROM memory_index WHERE content LIKE '%Two.%'") == [
        (2 * FILES,)
    ]
    assert world.query("PRAGMA integrity_check") == [("ok",)]
