"""The MCP server's start, its answers, and its use of memory."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from statistics import median
from typing import NamedTuple

from bench.documents import build_documents, phrases_of_each
from bench.figures import Aim, Figure
from bench.mcp_client import Call, Client, answers, conversation, running_server
from bench.processes import Command, clean_environment, measure, script
from bench.texts import Writer

CALLS_PER_REPETITION = 10
WORDS = 6
KEYWORDS_ONLY = {"HARDWON_EMBEDDING_PROVIDER": "off"}
PING = "a ping"


class _Kind(NamedTuple):
    """
    One kind of call.

    Attributes:
        name: Of its figures.
        title: The measured quantity, in words.
        tool: The called tool.
        arguments: Gives those of one call; each asks something else.
        max_ms: The aim for the 95th percentile.
        variables: Settings of the server.

    """

    name: str
    title: str
    tool: str
    arguments: Callable[[Writer], Mapping[str, object]]
    max_ms: float
    variables: Mapping[str, str] = {}

    def call(self, writer: Writer) -> Call:
        """Return the next call."""
        return self.tool, self.arguments(writer)


def _search(writer: Writer) -> Mapping[str, object]:
    return {"query": writer.text(WORDS)}


def _search_unknown_words(writer: Writer) -> Mapping[str, object]:
    """Ask in words that no document holds: only their vector finds anything."""
    return {"query": " ".join(f"zq{word}" for word in writer.text(WORDS).split())}


def _match(writer: Writer) -> Mapping[str, object]:
    return {"prompt": writer.text(3 * WORDS)}


def _lesson(writer: Writer) -> Mapping[str, object]:
    texts = {
        "name": writer.text(WORDS),
        "description": writer.text(40),
        "reasoning": writer.text(15),
    }
    return {**texts, "category": "patterns"}


KINDS = [
    _Kind("search_hybrid", "by meaning and by word", "memory_search", _search, 500),
    _Kind(
        "search_vector", "for words that are nowhere", "memory_search", _search_unknown_words, 300
    ),
    _Kind("search_keyword", "without an embedder", "memory_search", _search, 100, KEYWORDS_ONLY),
    _Kind(
        "match_triggers",
        "18 words against {phrases:,} phrases",
        "memory_match_triggers",
        _match,
        50,
    ),
    _Kind("store_memory", "its vector made at once", "store_memory", _lesson, 2_000),
]


def server_figures(folder: str, sizes: Sequence[int], repetitions: int) -> list[Figure]:
    """
    Return the figures of servers for projects of *sizes* documents.

    A missing tool is left out, and reported.
    """
    project = os.path.join(folder, "project")
    os.makedirs(project, exist_ok=True)
    figures = list[Figure]()
    for documents in sizes:
        store = build_documents(
            os.path.join(folder, f"store-documents-{documents}"), documents, project
        )
        figures += _Server(folder, project, store, documents).figures(repetitions)
    return figures


class _Server:
    """Servers in one project, on one store."""

    def __init__(self, folder: str, project: str, store: str, documents: int) -> None:
        self._project = project
        self._documents = documents
        self._environment = clean_environment(
            folder, HARDWON_STORE=store, HARDWON_KEYWORD_PROVIDER="off"
        )

    def figures(self, repetitions: int) -> list[Figure]:
        """Return all figures."""
        # A single one only shows that it works.
        calls = CALLS_PER_REPETITION * repetitions if repetitions > 1 else 1
        with running_server(self._project, self._environment) as client:
            there, ping = client.tools(), median(client.ask("ping").wall_ms for _ in range(calls))
            kinds = [kind for kind in KINDS if kind.tool in there]
            of_kinds = [figure for kind in kinds for figure in self._of(kind, client, calls, ping)]
        for missing in sorted({kind.tool for kind in KINDS} - there):
            print(f"bench: the server has no {missing}: it is left out", file=sys.stderr)
        return [
            *self._whole(kinds[0], repetitions),
            Figure("server_ping", "MCP server: a ping", self._documents, ping, "ms"),
            *of_kinds,
        ]

    def _of(self, kind: _Kind, client: Client, calls: int, ping: float) -> list[Figure]:
        """
        Return the durations of calls to a server that stays.

        It is *client*'s, if the kind wants no settings of its own.
        """
        writer = Writer(seed=5)
        with self._with_settings(kind) if kind.variables else nullcontext(client) as asked:
            asked.call(kind.call(writer))  # the first one loads
            took = sorted(asked.call(kind.call(writer)).wall_ms for _ in range(calls))
        phrases = self._documents * phrases_of_each(self._documents)
        title = f"MCP server: {kind.tool}, {kind.title.format(phrases=phrases)}"
        middle, slow = median(took), took[calls * 95 // 100]
        aim = Aim(kind.max_ms, "value")
        return [
            Figure(
                f"{kind.name}_p50",
                f"{title}: median",
                self._documents,
                middle,
                "ms",
                middle / ping,
                PING,
            ),
            Figure(
                f"{kind.name}_p95",
                f"{title}: 95 of 100",
                self._documents,
                slow,
                "ms",
                slow / ping,
                PING,
                aim,
            ),
        ]

    def _with_settings(self, kind: _Kind) -> AbstractContextManager[Client]:
        return running_server(self._project, {**self._environment, **kind.variables})

    def _whole(self, kind: _Kind, repetitions: int) -> list[Figure]:
        """Return what a server costs that answers one call."""
        call = kind.call(Writer(seed=6))
        command = Command(
            (script("hardwon-mcp"), "--project-root", self._project), conversation([call])
        )
        cost = measure(lambda _: command, self._environment, repetitions)
        failed = sum(answers(output) != 1 for output in cost.outputs)
        note = f"{failed} of {repetitions} runs gave no answer" if failed else ""
        title = f"MCP server with one {kind.tool}"
        first = median(self._first_ms(call) for _ in range(repetitions))
        return [
            Figure(
                "server",
                f"{title}: CPU",
                self._documents,
                cost.cpu_ms,
                "ms",
                cost.times_pass,
                note=note,
            ),
            Figure(
                "server_memory",
                f"{title}: peak memory",
                self._documents,
                cost.rss_mb,
                "MB",
                note=note,
            ),
            Figure(
                "server_first_answer",
                f"{title}: from start to answer",
                self._documents,
                first,
                "ms",
            ),
        ]

    def _first_ms(self, call: Call) -> float:
        started = time.perf_counter()
        with running_server(self._project, self._environment) as client:
            client.call(call)
            return (time.perf_counter() - started) * 1000
