"""
Run the hook with parts of it broken: `python launch.py REPORT FAULTS REACHED [hook's arguments]`.

A fault is the name of a function below; FAULTS joins them with commas. REACHED names the time limits that stay as they are,
joined likewise; all others are a minute. REPORT gets the modules that were imported, a line each.
Nothing is imported here that Python has not imported already, so that the list is about the hook alone.
"""

import os
import sys
import time
from _frozen_importlib_external import PathFinder
from collections.abc import Callable, Collection
from typing import Any

FOR_EVER = 60.0
"""Seconds of a time limit that no machine reaches."""


def replace(owner: object, name: str, value: object) -> None:
    setattr(owner, name, value)


def hang(*_: object, **__: object) -> None:
    time.sleep(10 * FOR_EVER)  # longer than any test waits


def embedder_answers(answer: Callable[[], object]) -> None:
    from hardwon.adapters.minilm.embedder import MiniLmEmbedder

    replace(MiniLmEmbedder, "embed", lambda *_: answer())


def some_vector(dimensions: int = 384) -> object:
    from array import array

    return array("f", [1.0] * dimensions)


def embedder_answers_at_once() -> None:
    """No fault: for tests of other parts, on a machine that may be too busy to load the model in time."""
    embedder_answers(lambda: [stored_vector()])


def stored_vector() -> object:
    """Return the vector of a lesson that is stored, which is thus close to the query."""
    import sqlite3
    from array import array

    store = sqlite3.connect(os.path.join(os.environ["HARDWON_STORE"], "memory.db"))
    found = store.execute("SELECT vec FROM vector LIMIT 1").fetchone()
    return array("f", found[0]) if found else some_vector()


def embedder_refuses() -> None:
    from hardwon.domain.model.errors import EmbedderUnavailableError

    def refuse() -> None:
        raise EmbedderUnavailableError("the embedder refuses")

    embedder_answers(refuse)


def embedder_has_a_bug() -> None:
    embedder_answers(lambda: 1 // 0)


def embedder_hangs() -> None:
    embedder_answers(hang)


def embedder_answers_nothing() -> None:
    embedder_answers(list)


def embedder_answers_nan() -> None:
    from array import array

    embedder_answers(lambda: [array("f", [float("nan")] * 384)])


def embedder_answers_too_narrow_a_vector() -> None:
    embedder_answers(lambda: [some_vector(383)])


def comparing_takes_ages() -> None:
    from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

    replace(NumpyVectorIndex, "cpu_seconds", lambda _: 100 * FOR_EVER)


def searches_wait_for_each_other() -> None:
    """Neither search goes on before the other has begun."""
    from threading import Barrier

    from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex

    both, frequencies = Barrier(2), FtsKeywordIndex.frequencies

    def embed() -> object:
        both.wait(FOR_EVER)
        return [stored_vector()]

    def count(*arguments: Any) -> object:
        both.wait(FOR_EVER)
        return frequencies(*arguments)

    embedder_answers(embed)
    replace(FtsKeywordIndex, "frequencies", count)


def the_worker_cannot_be_started() -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("no more processes")

    replace(os, "posix_spawn", refuse)


def counting_hangs() -> None:
    """All time is over once it does so."""
    from threading import Event

    from hardwon.adapters.sqlite.activity import SqliteUsageLog
    from hardwon.entrypoints.hook import process

    begun = Event()

    def begin_and_hang(*_: object) -> None:
        begun.set()
        hang()

    replace(SqliteUsageLog, "record_recall", begin_and_hang)
    replace(process, "_sleep_until", lambda _: begun.wait())


def statements_go_through(run: Callable[[str, Callable[[str], object]], object]) -> None:
    """Let *run* see every statement; it gets the text and what executes a text with the same values."""
    import sqlite3
    from functools import partial

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> Any:
            return run(sql, lambda text: super(Connection, self).execute(text, *values))

    replace(sqlite3, "connect", partial(sqlite3.connect, factory=Connection))


def statements_are_noted() -> None:
    """No fault: SQLite itself tells which statements it runs, a line each in a file beside the report."""
    import sqlite3
    from functools import partial

    path = f"{sys.argv[1]}.statements"

    class Connection(sqlite3.Connection):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.set_trace_callback(note)

    def note(statement: str) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(statement.replace("\n", " ") + "\n")

    replace(sqlite3, "connect", partial(sqlite3.connect, factory=Connection))


def sqlite_lacks_fts5() -> None:
    """The error of a build without the module on access to one of the module's tables."""
    import sqlite3

    def run(sql: str, execute: Callable[[str], object]) -> object:
        if "fts5(" in sql or (
            "entries_fts" in sql and "sqlite_master" not in sql and "_data" not in sql
        ):
            raise sqlite3.OperationalError("no such module: fts5")
        return execute(sql)

    statements_go_through(run)


def fts5_fails() -> None:
    import sqlite3

    def run(sql: str, execute: Callable[[str], object]) -> object:
        if "MATCH" in sql:
            raise sqlite3.OperationalError("disk I/O error")
        return execute(sql)

    statements_go_through(run)


def fts5_searches_for_ever() -> None:
    """A statement that SQLite can interrupt."""
    endless = (
        "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t WHERE "
    )

    def run(sql: str, execute: Callable[[str], object]) -> object:
        bound = " AND ".join(["n IS NOT ?"] * sql.count("?"))
        return execute(endless + bound if "MATCH" in sql else sql)

    statements_go_through(run)


def fts5_hangs() -> None:
    """A statement that nothing can interrupt."""
    statements_go_through(lambda sql, execute: hang() if "MATCH" in sql else execute(sql))


def database_fails() -> None:
    import sqlite3

    def run(sql: str, execute: Callable[[str], object]) -> object:
        if "entry_text" in sql:
            raise sqlite3.OperationalError("disk I/O error")
        return execute(sql)

    statements_go_through(run)


def database_hangs() -> None:
    statements_go_through(lambda sql, execute: hang() if "entry_text" in sql else execute(sql))


RETRIEVE = "hardwon.domain.use_cases.retrieve"
BUDGETS = {
    RETRIEVE: ("WORD_SECONDS",),
    "hardwon.adapters.transcripts.tasks": ("LONGEST_WAIT_SECONDS",),
    "hardwon.entrypoints.hook.event": ("PROMPT_SECONDS",),
    "hardwon.entrypoints.hook.prompt": ("SEARCH_SECONDS",),
    "hardwon.entrypoints.hook.session_start": (
        "SEARCH_SECONDS",
        "LAST_PRINT_SECONDS",
        "GIT_SECONDS",
        "IMPORT_SECONDS",
    ),
    "hardwon.entrypoints.hook.process": ("ALARM_SECONDS", "LAST_SECONDS"),
    "hardwon.entrypoints.hook.hook": ("READING_SECONDS", "NOTING_SECONDS"),
}
"""The time limits of a hook, by module."""


def wait_longer(reached: Collection[str]) -> None:
    """Lift all limits in this process but those that are *reached*."""
    from importlib import import_module

    for name in BUDGETS:
        _stretch(import_module(name), reached)


def _stretch(module: Any, reached: Collection[str]) -> None:
    for name in BUDGETS[module.__name__]:
        if name not in reached:
            replace(module, name, FOR_EVER)
    if module.__name__ == RETRIEVE and "EMBED_SECONDS" not in reached:
        new = module.Retrieve.__new__
        *others, _, semantic_seconds, depth = new.__defaults__
        replace(new, "__defaults__", (*others, FOR_EVER, semantic_seconds, depth))


class Stretcher:
    """Lifts the limits of a module when it comes, so that imports may be counted."""

    def __init__(self, reached: Collection[str]) -> None:
        self._reached = reached

    def find_spec(self, name: str, path: Any, _: object = None) -> Any:
        """Find a module that has limits."""
        spec: Any = PathFinder.find_spec(name, path) if name in BUDGETS else None
        if spec:
            load = spec.loader.exec_module

            def load_and_stretch(module: Any) -> None:
                load(module)
                _stretch(module, self._reached)

            spec.loader.exec_module = load_and_stretch
        return spec


def stretch_imports(reached: str) -> None:
    """Lift the limits in a process that begins, but those that *reached* names."""
    sys.meta_path.insert(0, Stretcher(reached.split(",")))


def the_machine_is_quiet() -> None:
    """No fault, and in every run: a busy machine would be searched by less."""
    from hardwon.entrypoints.hook import hook

    replace(hook, "slowdown", lambda _: 1.0)


def vectors_take_more_time_than_there_is() -> None:
    from hardwon.entrypoints.hook import session_start

    replace(session_start, "SEMANTIC_CPU_SECONDS", FOR_EVER)


def no_thread_can_be_started() -> None:
    import threading

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    replace(threading.Thread, "start", refuse)


def a_started_thread_never_begins() -> None:
    """`Thread.start` waits for ever when the new thread gets a MemoryError first."""
    import threading

    replace(threading.Thread, "start", lambda _: threading.Event().wait())


def noting_takes_longer_than_a_session_start() -> None:
    from hardwon.entrypoints.hook import capture

    note_event = capture.note_event

    def note_slowly(*arguments: Any) -> None:
        time.sleep(2.5)
        note_event(*arguments)

    replace(capture, "note_event", note_slowly)


def noting_hangs() -> None:
    from hardwon.entrypoints.hook import capture, hook

    replace(hook, "NOTING_SECONDS", 2.2)
    replace(capture, "note_event", hang)


def noting_has_a_bug() -> None:
    from hardwon.entrypoints.hook import capture

    replace(capture, "note_event", lambda *_, **__: 1 // 0)


def noticing_has_a_bug() -> None:
    from hardwon.entrypoints.hook import event

    replace(event, "notice_use", lambda *_, **__: 1 // 0)


def markdown_fails_too() -> None:
    from hardwon.entrypoints.hook import markdown_pipeline

    database_fails()
    replace(markdown_pipeline, "markdown_block", lambda *_, **__: 1 // 0)


def nothing_answers() -> None:
    from hardwon.entrypoints.hook import markdown_pipeline

    database_hangs()
    replace(markdown_pipeline, "markdown_block", hang)


def report_to(path: str) -> None:
    """Make the process say what it imported."""
    leave = os._exit

    def leave_with_report(code: int) -> None:
        with open(f"{path}.part", "w") as file:
            file.write("\n".join(sys.modules))
        os.rename(f"{path}.part", path)
        leave(code)

    replace(os, "_exit", leave_with_report)


def run() -> None:
    report, faults, reached, *arguments = sys.argv[1:]
    stretch_imports(reached)
    from hardwon.entrypoints.hook.main import main

    the_machine_is_quiet()
    for fault in filter(None, faults.split(",")):
        globals()[fault]()
    sys.argv[1:] = arguments
    report_to(report)
    main()


if __name__ == "__main__":
    run()
