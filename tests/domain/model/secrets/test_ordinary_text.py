"""The share of lines that redaction touches in text without secrets."""

import base64
import hashlib
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardwon.domain.model.redaction import redact

ROOT = Path(__file__).resolve().parents[4]
ALLOWED = 0.0005
LINES = 4_000

Line = Callable[[random.Random], str]


def digest(chance: random.Random, size: int) -> bytes:
    return hashlib.sha512(chance.randbytes(8)).digest()[:size]


def word(chance: random.Random) -> str:
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10)))


MADE: dict[str, Line] = {
    "package-lock.json": lambda r: f'      "integrity": "sha512-{base64.b64encode(digest(r, 64)).decode()}",',
    "yarn.lock": lambda r: (
        f'  resolved "https://lock.example.org/@{word(r)}/{word(r)}/-/{word(r)}-{r.randint(0, 30)}.tgz#{digest(r, 20).hex()}"'
    ),
    "uv.lock": lambda r: (
        f'    {{ url = "https://files.example.org/{digest(r, 1).hex()}/{digest(r, 1).hex()}/{digest(r, 30).hex()}'
        f'/{word(r)}-1.{r.randint(0, 9)}.tar.gz", hash = "sha256:{digest(r, 32).hex()}", size = {r.randint(1000, 900000)} }},'
    ),
    "Cargo.lock": lambda r: f'checksum = "{digest(r, 32).hex()}"',
    "go.sum": lambda r: (
        f"github.com/{word(r)}/{word(r)} v1.{r.randint(0, 9)}.0 h1:{base64.b64encode(digest(r, 32)).decode()}"
    ),
    "git log": lambda r: f"commit {digest(r, 20).hex()}",
    "git diff": lambda r: f"index {digest(r, 5).hex()[:9]}..{digest(r, 5).hex()[:9]} 100644",
    "UUIDs": lambda r: f'  "id": "{uuid.UUID(bytes=digest(r, 16))}", "session_id": "{uuid.UUID(bytes=digest(r, 16))}",',
    "base64 lines": lambda r: base64.b64encode(digest(r, 57)).decode(),
    "images": lambda r: (
        f'<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{base64.b64encode(r.randbytes(600)).decode()}">'
    ),
    "minified JavaScript": lambda r: "".join(
        f"function {word(r)[:2]}({word(r)[0]}){{return {word(r)[0]}.{word(r)}({r.randint(0, 99)})?{word(r)[:2]}:null}}"
        for _ in range(20)
    ),
    "prose": lambda r: " ".join(word(r) for _ in range(12)) + ".",
    "logs": lambda r: (
        f"2026-03-01T12:{r.randint(10, 59)}:30.123Z INFO [{word(r)}] took {r.randint(1, 9999)} ms id={digest(r, 8).hex()}"
    ),
    "docker": lambda r: (
        f"{word(r)}/{word(r)}@sha256:{digest(r, 32).hex()}  {digest(r, 6).hex()}  {r.randint(1, 900)}MB"
    ),
    "addresses": lambda r: (
        f"https://{word(r)}.example.org:{r.randint(1000, 9000)}/{word(r)}/{digest(r, 6).hex()}?q={word(r)}@{word(r)}.org"
    ),
}


@pytest.mark.parametrize("line", MADE.values(), ids=MADE)
def test_lines_of_ordinary_files_are_untouched(line: Line) -> None:
    chance = random.Random(4)
    lines = [line(chance) for _ in range(LINES)]

    assert share_touched(lines) <= ALLOWED


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


def test_the_lines_of_this_project_are_untouched() -> None:
    lines = [line for path in own_files() for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]

    assert len(lines) > 30_000
    assert share_touched(lines) <= ALLOWED


def share_touched(lines: list[str]) -> float:
    touched = [line for line in lines if redact(line) != line]
    return len(touched) / len(lines)
