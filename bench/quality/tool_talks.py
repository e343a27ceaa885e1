"""
The memories of talks with tool calls, against those of a careful person.

A talk is captured as by `hardwon capture --from`, into a project and a store that are gone afterwards.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from bench.quality.labelled import FOLDER, items
from bench.quality.secrets import interval
from hardwon.domain.model.conversation.details import details_of
from hardwon.domain.model.conversation.repair import Repair
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.capture import CaptureOutcome
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.capture import TranscriptCapture

TALKS = "tool_talks"
HALVES = ("dev", "dev2", "held", "held2")
"""The first set and the second, each for fitting and for figures."""
MEMORIES = ("decision", "preference", "gotcha")
SHARED = 0.6
"""The share of the shorter text's words that equal texts have in common."""

_FOLDER = re.compile(r'"cwd": "([^"]+)"')
_WORD = re.compile(r"\w+")


class Kept(NamedTuple):
    """
    A memory that was made of a talk.

    Attributes:
        kind: As in the labels.
        statement: Why it is kept: the statement, or the cause of a repair.
        texts: All its texts, without those of the conversation beside it.
        command: The command that failed; empty for other kinds.
        waits: Whether a person has to decide on it, as it is a repair without a cause.
    """

    kind: str
    statement: str
    texts: tuple[str, ...]
    command: str = ""
    waits: bool = False

    def finds(self, item: Mapping[str, Any]) -> bool:
        """
        Return whether it is the labelled *item*.

        A repair is known by its command and its cause.
        """
        if self.kind != item["kind"]:
            return False
        if self.kind != "repair":
            return self._covers(item)
        ran, labelled = _words(self.command), _words(item["command"])
        return _most(ran & labelled, min(ran, labelled, key=len)) and (
            self._covers(item) if item["cause"] else self.waits
        )

    def is_right(self, item: Mapping[str, Any]) -> bool:
        """
        Return whether the labelled *item* has it.

        A gotcha may be the cause of a repair.
        """
        is_cause = (self.kind, item["kind"]) == ("gotcha", "repair")
        return self.finds(item) or (is_cause and self._covers(item))

    def _covers(self, item: Mapping[str, Any]) -> bool:
        own, quote = _words(self.statement), _words(item["evidence"])
        consent = plain(self.statement.partition(":")[0])
        return (
            f" {plain(item['evidence'])} ".startswith(f" {consent} ")
            or _most(own & quote, min(own, quote, key=len))
            or _most(own & (quote | _words(item["text"])), own)
        )


class Talk(NamedTuple):
    """A labelled talk and what was kept of it."""

    label: Mapping[str, Any]
    kept: Sequence[Kept]

    @property
    def traps(self) -> list[str]:
        """The quotes that were kept mostly or wholly, but must not be."""
        texts = [text for memory in self.kept for text in memory.texts]
        return [
            quote for quote in self.label["not_kept"] if any(_holds(text, quote) for text in texts)
        ]


class Figures(NamedTuple):
    """
    The figures of some kinds in some talks.

    Attributes:
        labelled: The number of items that a person would keep.
        found: How many of them a memory fits.
        kept: The number of memories.
        right: How many of them fit an item.
        waiting: The number of repairs that wait for a decision.
    """

    labelled: int
    found: int
    kept: int
    right: int
    waiting: int = 0

    @property
    def precision(self) -> float:
        """
        The share of memories that are right.

        1 without any.
        """
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """
        The share of items that were found.

        1 without any.
        """
        return self.found / self.labelled if self.labelled else 1.0


def talks(half: str) -> list[Talk]:
    """Return the captured talks of *half*."""
    labels = items(f"{TALKS}/labels.jsonl")
    return [captured(label) for label in labels if label["half"] == half]


def captured(label: Mapping[str, Any]) -> Talk:
    """Capture a labelled talk."""
    text = (FOLDER / TALKS / label["talk"]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="hardwon-talk-") as folder:
        project, path = Path(folder, "project"), Path(folder, label["talk"])
        project.mkdir()
        for there in set(_FOLDER.findall(text)):
            text = text.replace(there, project.as_posix())
        path.write_text(text, encoding="utf-8")
        settings = Settings(global_store=str(Path(folder, "store")), embedding_provider="off")
        with closing(open_memory(settings, print)) as memory:
            capture = TranscriptCapture(memory, str(project), str(path), embed=False)
            outcome, _ = capture.keep(lambda _: None, force=False)
    return Talk(label, [*_memories(outcome)])


def _memories(outcome: CaptureOutcome) -> Iterator[Kept]:
    for detail in (detail for chunk in outcome.chunks for detail in details_of(chunk)):
        yield Kept(detail.kind, detail.statement, (detail.statement,))
    yield from (_of_repair(note.repair) for note in outcome.notes)
    yield from (_of_repair(repair)._replace(waits=True) for repair in outcome.buffer.repairs)


def _of_repair(repair: Repair) -> Kept:
    return Kept("repair", repair.cause, repair.texts, repair.command)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def plain(text: str) -> str:
    """Return *text* as words with one space between."""
    return " ".join(_WORD.findall(text.lower()))


def _holds(text: str, quote: str) -> bool:
    kept, whole = plain(text), plain(quote)
    return whole in kept or (kept in whole and len(kept) >= SHARED * len(whole))


def _most(shared: frozenset[str], of: frozenset[str]) -> bool:
    return bool(of) and len(shared) >= SHARED * len(of)


def figures(captured: Iterable[Talk], kinds: Sequence[str]) -> Figures:
    """Return the figures of *kinds* in the *captured* talks."""
    totals = Figures(0, 0, 0, 0)
    for label, memories in captured:
        wanted = [item for item in label["items"] if item["kind"] in kinds]
        of_kind = [memory for memory in memories if memory.kind in kinds]
        kept = [memory for memory in of_kind if not memory.waits]
        of_talk = Figures(
            labelled=len(wanted),
            found=sum(any(memory.finds(item) for memory in memories) for item in wanted),
            kept=len(kept),
            right=sum(any(map(memory.is_right, label["items"])) for memory in kept),
            waiting=len(of_kind) - len(kept),
        )
        totals = Figures(*(a + b for a, b in zip(totals, of_talk, strict=True)))
    return totals


def table() -> Iterator[str]:
    """Yield the figures by half and kind, then by language and by agent."""
    yield "talks       half   labelled  found  recall  95 %        kept  right  precision  95 %        waiting"
    for half in HALVES:
        of_half = talks(half)
        yield _line("all", half, figures(of_half, ("repair", *MEMORIES)))
        for kind in ("repair", *MEMORIES):
            yield _line(kind, half, figures(of_half, (kind,)))
        for name_of in (_language, _agent):
            for name in sorted({*map(name_of, of_half)}):
                chosen = [talk for talk in of_half if name_of(talk) == name]
                yield _line(name, half, figures(chosen, ("repair", *MEMORIES)))
        quotes = sum(len(talk.label["not_kept"]) for talk in of_half)
        traps = sum(len(talk.traps) for talk in of_half)
        yield f"{'traps':10}  {half:5}  {traps} of {quotes} kept"


def _line(name: str, half: str, of: Figures) -> str:
    return (
        f"{name:10}  {half:5}  {of.labelled:8}  {of.found:5}  {_share(of.recall, of.labelled)}"
        f"  {of.kept:4}  {of.right:5}  {_share(of.precision, of.kept):>9}  {of.waiting:7}"
    )


def _share(share: float, whole: int) -> str:
    if not whole:
        return f"{'':6}  {'':10}"
    low, high = interval(round(share * whole), whole)
    return f"{share:6.2f}  {low:.2f} to {high:.2f}"


def _language(talk: Talk) -> str:
    return str(talk.label["language"])


def _agent(talk: Talk) -> str:
    return str(talk.label["talk"]).split(".")[1]
