"""A user's home in which agents are set up."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from hardwon.entrypoints.bootstrap_agents import build_agents
from hardwon.ports.agents import Agent
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran, hardwon

ALL = [
    word
    for name in ("claude-code", "codex", "gemini-cli", "opencode")
    for word in ("--agent", name)
]


def home(world: World) -> Path:
    return Path(world.variables["HOME"])


def tree(*folders: Path) -> dict[str, bytes | None]:
    """Return every file's bytes and every folder."""
    paths = sorted(path for folder in folders for path in folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def init(world: World, *arguments: str) -> Ran:
    return hardwon(world, "init", *arguments)


def agents_of(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Agent]:
    """Return every agent of the world's user, in this process."""
    monkeypatch.setenv("HOME", str(home(world)))
    return build_agents(world.variables)
