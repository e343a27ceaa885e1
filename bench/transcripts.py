"""Reading a session's transcript, in a process of its own."""

import os
import sys

from bench.figures import Aim, Figure
from bench.processes import INTERPRETER, Command, Cost, clean_environment, measure
from tests.transcripts import make_transcript

LINES_A_LESSON = 120
"""So that a thousand lessons stand for a session of 50 MB."""

MADE_LINES = 2_000
FEW = 3
"""Runs: each reads for seconds."""

MEGABYTES = Aim(60, "value")

READ = """
import sys
from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.domain.model.redaction import Cleaning

reader = JsonlTranscripts(Cleaning("/home/me/proj", "/home/me"), BOUNDARY_COMMANDS)
print(sum(1 for _ in reader.read(sys.argv[1])))
"""


def transcript_figures(folder: str, lessons: int, repetitions: int) -> list[Figure]:
    """
    Return the memory peak and the reading pace of a long session.

    Python's own memory is left out.
    """
    path = os.path.join(folder, "session.jsonl")
    lines = _write(path, lessons * LINES_A_LESSON)
    megabytes = os.path.getsize(path) / 1_000_000

    def cost(*command: str) -> Cost:
        return measure(lambda _: Command(command), clean_environment(folder), min(repetitions, FEW))

    reading, python = cost(sys.executable, "-c", READ, path), cost(*INTERPRETER)
    title = f"reading a transcript of {megabytes:.1f} MB"
    above = reading.rss_mb - python.rss_mb
    pace = megabytes / (reading.cpu_ms - python.cpu_ms) * 1000
    return [
        Figure(
            "transcript_memory",
            f"{title}: peak memory above Python's own",
            lines,
            above,
            "MB",
            aim=MEGABYTES,
        ),
        Figure("transcript_rate", title, lines, pace, "MB/CPU-s"),
    ]


def _write(path: str, lines: int) -> int:
    """Write a transcript of about so many repeated lines, and return their number."""
    text = make_transcript(min(lines, MADE_LINES)).text
    times = max(1, lines // text.count("\n"))
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(text for _ in range(times))
    return times * text.count("\n")
