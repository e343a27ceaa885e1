"""Cutting a conversation by subject and describing its chunks: no file, no model."""

import datetime as dt
import time
from statistics import median

from bench.figures import Figure
from bench.texts import NOW, Writer
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import Chunk, Exchange

PROMPT, REPLY = 25, 200
"""Words of a prompt and of a reply: agents answer at length."""

MAX_EXCHANGES = 500


def chunking_figures(lessons: int, repetitions: int) -> list[Figure]:
    """
    Return how many chunks a second are cut and described.

    The session has 500 exchanges, fewer for few *lessons*.
    """
    session = _session(min(lessons, MAX_EXCHANGES))
    rate = median(_chunks_per_second(session) for _ in range(repetitions))
    return [
        Figure(
            "chunking_rate",
            "cutting and describing a conversation, CPU",
            len(session),
            rate,
            "chunks/s",
        )
    ]


def _session(exchanges: int) -> list[Exchange]:
    writer = Writer(seed=3)
    return [
        Exchange(
            f"{writer.text(PROMPT)}. Look at src/reader.py.",
            " ".join(f"{writer.text(20)}." for _ in range(REPLY // 20)),
            NOW + place * dt.timedelta(minutes=1),
        )
        for place in range(exchanges)
    ]


def _chunks_per_second(session: list[Exchange]) -> float:
    started = time.process_time()
    return len(_chunks(session)) / (time.process_time() - started)


def _chunks(session: list[Exchange]) -> list[Chunk]:
    return [described(draft, "bench", None) for draft in Chunker().chunk(session)]
