"""Transcripts as bytes, and what is read of them."""

import json
from pathlib import Path
from typing import Any

from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.ports.transcripts import Transcribed
from tests.transcript_lines import HOME, PROJECT_ROOT

READER = JsonlTranscripts(Cleaning(PROJECT_ROOT, HOME), BOUNDARY_COMMANDS)
WHEN = "2026-11-21T09:30:00Z"
GOOD = json.dumps({"user": "A prompt", "assistant": "A reply", "timestamp": WHEN}).encode()


def read(folder: Path, data: bytes, position: int = 0) -> list[Transcribed]:
    """Return what is read of *data* as a file in *folder*."""
    file = folder / "transcript.jsonl"
    file.write_bytes(data)
    return list(READER.read(str(file), position))


def prompts(transcribed: list[Transcribed]) -> list[str]:
    """Return what the user said."""
    return [turn.exchange.user for turn in transcribed]


def plain(**fields: Any) -> bytes:
    """Return a line of a plain exchange."""
    return json.dumps(
        {"user": "Another", "assistant": "Reply", "timestamp": WHEN, **fields}
    ).encode()
