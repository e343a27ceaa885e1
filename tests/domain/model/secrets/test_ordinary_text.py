"""The share of lines that redaction touches in text without secrets."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.quality.ordinary_lines import MADE, RUNNERS, Line
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.secrets.find import without_secrets

ROOT = Path(__file__).resolve().parents[4]
ALLOWED = 0.0003
LINES = 4_000


@pytest.mark.large
@pytest.mark.parametrize("line", MADE.values(), ids=MADE)
def test_lines_of_ordinary_files_are_untouched(line: Line) -> None:
    chance = random.Random(4)
    lines = [line(chance) for _ in range(LINES)]

    assert share_touched(lines) <= ALLOWED


@pytest.mark.large
@pytest.mark.parametrize("name", RUNNERS)
def test_logs_of_test_runners_and_hashes_in_prose_pass_unchanged(name: str) -> None:
    chance = random.Random(5)
    log = "\n".join(RUNNERS[name](chance) for _ in range(1_000))

    assert redact(log) == log


def own_files() -> Iterator[Path]:
    for folder in (
        "domain",
        "ports",
        "adapters",
        "entrypoints",
        "bench",
        "tools",
        "docs",
        "plugin",
        "requirements",
        "examples",
    ):
        yield from (
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in {".py", ".md", ".txt", ".json", ".jsonl", ".js"}
        )
    yield from ROOT.glob("*.md")


@pytest.mark.large
def test_the_lines_of_this_project_are_untouched() -> None:
    lines = [
        line
        for path in own_files()
        for line in path.read_text("utf-8", "replace").splitlines()
        if line.strip()
    ]

    assert len(lines) > 30_000
    assert share_touched(lines) <= ALLOWED


def share_touched(lines: list[str]) -> float:
    touched = [line for line in lines if without_secrets(line) != line]
    return len(touched) / len(lines)
