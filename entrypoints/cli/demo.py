"""`hardwon demo`: the main use case, on a sample project."""

import datetime as dt
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import attrs
import typer
from rich.rule import Rule
from rich.table import Table

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.ranking.prominence import Signals
from hardwon.domain.model.settings import ServerAddress, Settings
from hardwon.domain.use_cases.forget import ErasureRequest
from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment
from hardwon.domain.use_cases.inject_at_start import StartInjection
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.domain.use_cases.weigh_entries import Actor
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_inject, build_weigh_entries
from hardwon.entrypoints.bootstrap_upkeep import administer, build_forget_for_good
from hardwon.entrypoints.cli.console import out, say, warn
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.transfer import import_with_progress
from hardwon.entrypoints.context import read_signals, read_workplace
from hardwon.entrypoints.presenters.text import counted
from hardwon.examples.make_sample import SAMPLE, SampleError, make_sample

SHOWN = 6
EXPLAINED = 3
FORGOTTEN = "unclosed quote"

PROGRAM, INPUT = "src/stream.py", "in/names.csv"
SOURCE = """\
import sys

with open(sys.argv[1], "rb") as feed:
    while chunk := feed.read(65536):
        print(chunk.decode("utf-8"), end="")
"""
CHUNK = 65_536
LAST_LINES = 6
YOUR_TURN = """\
  make install                     once, in a clone; without one: uv tool install WHEEL
  hardwon init                     in your project: hooks, tools and commands for your agents"""


def demo(
    *,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="postgresql://…",
            help="Use a server, and a database that is dropped afterwards.",
        ),
    ] = None,
) -> None:
    """
    Show what hardwon does, on a sample project.

    It runs offline, in a temporary store, in under a minute.
    """
    if on is not None and not ServerAddress.is_one(on):
        raise typer.BadParameter("it is no postgresql:// address", param_hint="'--on'")
    with tempfile.TemporaryDirectory(prefix="hardwon-demo-") as folder, ExitStack() as stack:
        server = (
            stack.enter_context(administer(ServerAddress(on)).throw_away_database()) if on else None
        )
        _Demo(folder, server).run()


class _Demo:
    def __init__(self, folder: str, server: ServerAddress | None) -> None:
        self._project = os.path.join(os.path.realpath(folder), "parser-project")
        store = os.path.join(folder, "store")
        try:
            make_sample(Path(self._project))
        except SampleError as error:
            raise HardwonError(str(error)) from error
        shutil.copytree(SAMPLE.parent / "global-memory", store)
        self._memory: Memory = open_memory(
            Settings(global_store=store, embedding_provider="local", server=server), warn
        )

    def run(self) -> None:
        """Run all chapters in order."""
        self._import()
        query = read_signals(self._project, self._deadline(), warn)
        injection = self._inject(query)
        self._show_block(query, injection)
        self._explain(injection)
        self._compare(injection)
        self._fail()
        self._write(query, injection)
        self._forget()
        self._say_goodbye()
        self._memory.close()

    def _import(self) -> None:
        _chapter("1. Import: the knowledge bank goes into the store, each entry gets a vector")
        imported = import_with_progress(self._memory, self._project)
        started = time.monotonic()
        embedded = embed_with_progress(self._memory.spaces)
        say(
            f"{imported.added} learnings imported, {embedded} vectors made in"
            f" {time.monotonic() - started:.1f} s."
        )

    def _show_block(self, query: ContextQuery, injection: StartInjection) -> None:
        _chapter("2. A session starts: what is the user working on?")
        say(textwrap.fill(query.compose() or "", 110))
        _chapter(f"3. What the agent reads (the best {SHOWN}; 20 is the default)")
        say(injection.text)

    def _explain(self, injection: StartInjection) -> None:
        _chapter(f"4. Why the first {EXPLAINED} were chosen: weight x signal")
        selected = injection.selected
        if selected is None:
            return
        table = Table(
            "score", "meaning", "words", "track record", "learning", box=None, pad_edge=False
        )
        names = self._names(injection)
        for scored, name in zip(injection.printed[:EXPLAINED], names, strict=False):
            parts = selected.parts[scored.facts.number]
            terms = (
                f"{parts[f'{signal}_weight']:.1f} x {parts[signal]:.2f}"
                for signal in Signals._fields
            )
            table.add_row(f"{scored.score:.3f}", *terms, name)
        out().print(table)

    def _compare(self, injection: StartInjection) -> None:
        _chapter("5. The same session without context: by track record only")
        by_record = self._names(self._inject(ContextQuery()))
        table = Table("with context", "by track record only", box=None, pad_edge=False)
        for left, right in zip(self._names(injection), by_record, strict=True):
            table.add_row(left, right)
        out().print(table)

    def _fail(self) -> None:
        command = f"python {PROGRAM} {INPUT}"
        _chapter("6. A command fails: the lesson that helps comes with its output")
        output = self._run_program()
        say(f"$ {command}")
        for line in output.splitlines()[-LAST_LINES:]:
            say(f"  {line}")
        actor = Actor(ContextWindow("demo"), read_workplace(self._memory, self._project))
        injection = InjectAtMoment(build_weigh_entries(self._memory, self._project)).text_for(
            Failure(command, output), actor, self._deadline()
        )
        for line in injection.text.splitlines()[1:-1]:  # without the host's frame
            say(line)

    def _run_program(self) -> str:
        """Run a program that decodes half an umlaut, and return its error."""
        for name, content in (
            (PROGRAM, SOURCE.encode()),
            (INPUT, b"x" * (CHUNK - 1) + "ä".encode()),
        ):
            path = Path(self._project, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        failed = subprocess.run(
            [sys.executable, PROGRAM, INPUT],
            cwd=self._project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        output = failed.stderr.decode(errors="replace")
        return output.replace(os.path.join(self._project, ""), "")

    def _write(self, query: ContextQuery, before: StartInjection) -> None:
        _chapter("7. The agent stores a lesson; the next session has it")
        stored = StoreEntry.on(self._memory.store, Origin(NOWHERE, "add")).keep(
            redact_entry(_lesson(self._memory.clock.now()))
        )
        say(f"Stored: {stored.entry.name} (id: {stored.entry.entry_id})")
        embed_with_progress(self._memory.spaces)
        after = self._names(self._inject(query))
        for place, name in enumerate(after, 1):
            say(f"{place}. {name}{'' if name in self._names(before) else '   <- new'}")

    def _forget(self) -> None:
        _chapter(f"8. Forgotten means gone: hardwon forget {FORGOTTEN!r}")
        forgetting = attrs.evolve(build_forget_for_good(self._memory, self._project), elsewhere=())
        plan = forgetting.plan(ErasureRequest(text=FORGOTTEN))
        done = forgetting.erase(plan.begun)
        for entry in plan.entries:
            say(f"Forgotten: {entry.name}")
        left = "nothing is left" if done.is_proven else "something is left"
        say(
            f"Searched {counted(done.searched, 'file', 'files')} byte by byte: {left}. It comes"
            " back by no import, capture or clone."
        )

    def _say_goodbye(self) -> None:
        _chapter("Your turn (the store of this demo is gone again)")
        say(YOUR_TURN)

    def _inject(self, query: ContextQuery) -> StartInjection:
        return build_inject(self._memory).block_for(query, limit=SHOWN, deadline=self._deadline())

    def _names(self, injection: StartInjection) -> Sequence[str]:
        entries = self._memory.repository.hydrate(
            [scored.facts.number for scored in injection.printed]
        )
        return [entry.name for entry in entries]

    @staticmethod
    def _deadline() -> Deadline:
        return Deadline.after(30, time.monotonic)


def _lesson(now: dt.datetime) -> Entry:
    return Entry(
        name="A damaged record and an unclosed quote look alike",
        description=(
            "The file parser met a quote that was never closed, read 40,000 records as one field"
            " and reported the error at the last line. Remember the line number where a quote"
            " opens, bound how many lines a field may span, report the malformed record there, and"
            " recover at the next line that has the right number of columns."
        ),
        reasoning="A partner's file failed on its last line; the mistake was on line 17.",
        category="anti-patterns",
        created_at=now,
        updated_at=now,
    )


def _chapter(title: str) -> None:
    out().print()
    out().print(Rule(title, align="left"))
