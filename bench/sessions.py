"""The session-start hook as the host runs it: a whole process, JSON on standard input, a warm cache."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

from bench.conversations import MAX_CONVERSATIONS, with_conversations
from bench.figures import Aim, Figure
from bench.processes import Command, Cost, clean_environment, measure, script
from bench.project import make_project
from bench.stores import build_store
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.domain.model.injection.frame import RELATED

PROMISED_AT = 10_000
EMBEDDED = Aim(24, "ratio")
KEYWORD_ONLY = Aim(8, "ratio")
MEGABYTES = Aim(130, "value")
LESSONS = 60


class _Run(NamedTuple):
    """Return the cost of runs of the hook, and a note when some did not do what is measured: out of time, say."""

    cost: Cost
    note: str


class Sessions:
    """Sessions in one sample project; everything lives in *folder*."""

    def __init__(self, folder: str, repetitions: int) -> None:
        self._folder = folder
        self._repetitions = repetitions
        self._project = make_project(os.path.join(folder, "project"))
        self._bank = make_project(os.path.join(folder, "project-with-bank"), lessons=LESSONS)

    def store(self, entries: int) -> str:
        """Return the folder of the store of *entries* entries; `figures` fills it."""
        return os.path.join(self._folder, f"store-{entries}")

    def figures(self, entries: int) -> list[Figure]:
        """Return the figures of a store of *entries* entries."""
        store = build_store(self.store(entries), entries, MINILM_SPACE)
        embedded = self._run(store.folder, f"vector={entries},")
        keyword = self._run(store.folder, "vector=0,", HARDWON_EMBEDDING_PROVIDER="off")
        figures = [
            Figure("build", "filling the store (not measured below)", entries, store.build_seconds, "s"),
            *self._of("hook_embedded", "hook, embedded model", entries, embedded, EMBEDDED),
            *self._of("hook_keyword", "hook, keyword only", entries, keyword, KEYWORD_ONLY),
        ]
        return figures if entries == PROMISED_AT else [figure._replace(aim=None) for figure in figures]

    def conversation_figures(self, entries: int) -> list[Figure]:
        """Return the cost of the hook in that store once 500 conversations of the project, half as many as entries at most, are in it."""
        conversations = min(entries // 2, MAX_CONVERSATIONS)
        store = with_conversations(self.store(entries), self._project, conversations)
        embedded = self._run(store, RELATED)
        keyword = self._run(store, RELATED, HARDWON_EMBEDDING_PROVIDER="off")
        title = f"hook, {conversations} conversations"
        figures = (
            self._of("hook_conversations", f"{title}, embedded model", entries, embedded, EMBEDDED)[0],
            self._of("hook_conversations_keyword", f"{title}, keyword only", entries, keyword, KEYWORD_ONLY)[0],
        )
        return [figure._replace(aim=None) for figure in figures]

    def markdown_figure(self) -> Figure:
        """Return the cost of the markdown-only pipeline."""
        store = os.path.join(self._folder, "store-unused")
        cost, note = self._run(store, "## Engineering Memory", project=self._bank, HARDWON_SEMANTIC_ENABLED="false")
        return Figure(
            "hook_markdown", "hook, markdown only: CPU", LESSONS, cost.cpu_ms, "ms", cost.times_pass, note=note
        )

    def module_figure(self, entries: int) -> Figure:
        """
        Return how many modules the hook imports without an embedder.

        Raises:
            ValueError: numpy is one of them.

        """
        environment = self._environment(self.store(entries), HARDWON_EMBEDDING_PROVIDER="off")
        done = subprocess.run(
            [sys.executable, "-X", "importtime", script("hardwon-hook")],
            input=self._payload(self._project),
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        modules = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time:" in line]
        if "numpy" in modules:
            raise ValueError("the hook imports numpy without an embedder")
        return Figure("modules_keyword", "hook, keyword only: modules imported, numpy not", entries, len(modules), "")

    def _of(self, name: str, title: str, entries: int, run: _Run, aim: Aim) -> list[Figure]:
        cost, note = run
        return [
            Figure(name, f"{title}: CPU", entries, cost.cpu_ms, "ms", cost.times_pass, aim=aim, note=note),
            Figure(f"{name}_memory", f"{title}: peak memory", entries, cost.rss_mb, "MB", aim=MEGABYTES, note=note),
            Figure(f"{name}_wall", f"{title}: from start to end", entries, cost.wall_ms, "ms", note=note),
        ]

    def _run(self, store: str, expected: str, project: str = "", **variables: str) -> _Run:
        command = Command((script("hardwon-hook"),), self._payload(project or self._project))
        cost = measure(lambda _: command, self._environment(store, **variables), self._repetitions)
        others = sum(expected not in output for output in cost.outputs)
        return _Run(cost, f"{others} of {self._repetitions} runs fell back" if others else "")

    def _payload(self, project: str) -> str:
        return json.dumps({"hook_event_name": "SessionStart", "source": "startup", "cwd": project})

    def _environment(self, store: str, **variables: str) -> dict[str, str]:
        return clean_environment(self._folder, HARDWON_STORE=store, **variables)
