"""Session starts with conversations, with markdown alone, and the modules that one imports."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

from bench.conversations import MAX_CONVERSATIONS, with_conversations
from bench.figures import Figure
from bench.processes import Command, Cost, clean_environment, measure, script
from bench.project import make_project
from hardwon.domain.model.injection.neutral_text import RELATED

LESSONS = 60


class _Run(NamedTuple):
    """
    Costs of the hook.

    They have a note if some runs did not do their work.
    """

    cost: Cost
    note: str


class Sessions:
    """
    Sessions in one sample project.

    Everything lives in *folder*.
    """

    def __init__(self, folder: str, repetitions: int) -> None:
        self._folder = folder
        self._repetitions = repetitions
        self._project = make_project(os.path.join(folder, "project"))
        self._bank = make_project(os.path.join(folder, "project-with-bank"), lessons=LESSONS)

    def conversation_figures(self, store: str, entries: int) -> list[Figure]:
        """
        Return the cost of the hook in a store with up to 500 conversations.

        There are at most half as many conversations as entries.
        """
        conversations = min(entries // 2, MAX_CONVERSATIONS)
        store = with_conversations(store, self._project, conversations)
        title = f"session start, {conversations} conversations"
        return [
            self._figure("hook_conversations", title, entries, self._run(store, RELATED)),
            self._figure(
                "hook_conversations_keyword",
                f"{title}, keyword only",
                entries,
                self._run(store, RELATED, HARDWON_EMBEDDING_PROVIDER="off"),
            ),
        ]

    def markdown_figure(self) -> Figure:
        """Return the cost of the markdown-only pipeline."""
        store = os.path.join(self._folder, "store-unused")
        run = self._run(
            store, "## Engineering Memory", project=self._bank, HARDWON_SEMANTIC_ENABLED="false"
        )
        return self._figure("hook_markdown", "session start, markdown only", LESSONS, run)

    def module_figure(self, store: str, entries: int) -> Figure:
        """
        Return how many modules the hook imports without an embedder.

        Raises:
            ValueError: numpy is one of them.

        """
        environment = self._environment(store, HARDWON_EMBEDDING_PROVIDER="off")
        done = subprocess.run(
            [sys.executable, "-X", "importtime", script("hardwon-hook")],
            input=self._payload(self._project),
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        modules = [
            line.rpartition("|")[2].strip()
            for line in done.stderr.splitlines()
            if "import time:" in line
        ]
        if "numpy" in modules:
            raise ValueError("the hook imports numpy without an embedder")
        return Figure(
            "modules_keyword",
            "hook, keyword only: modules imported, numpy not",
            entries,
            len(modules),
            "",
        )

    def _figure(self, name: str, title: str, entries: int, run: _Run) -> Figure:
        cost, note = run
        return Figure(name, f"{title}: CPU", entries, cost.cpu_ms, "ms", cost.times_pass, note=note)

    def _run(self, store: str, expected: str, project: str = "", **variables: str) -> _Run:
        command = Command((script("hardwon-hook"),), self._payload(project or self._project))
        cost = measure(lambda _: command, self._environment(store, **variables), self._repetitions)
        others = sum(expected not in output for output in cost.outputs)
        return _Run(cost, f"{others} of {self._repetitions} runs fell back" if others else "")

    def _payload(self, project: str) -> str:
        return json.dumps({"hook_event_name": "SessionStart", "source": "startup", "cwd": project})

    def _environment(self, store: str, **variables: str) -> dict[str, str]:
        return clean_environment(self._folder, HARDWON_STORE=store, **variables)
