"""Frequent commands import no heavy library."""

import subprocess

import pytest

from tests.entrypoints.hook_process import World

HEAVY = {"attr", "cattrs", "google", "httpx", "mcp", "numpy", "rich"}


def imported(world: World, *arguments: str) -> set[str]:
    """Return the libraries that a command imports."""
    command = [
        str(world.bin / "python"),
        "-X",
        "importtime",
        str(world.bin / "hardwon"),
        *arguments,
    ]
    done = subprocess.run(
        command, env=world.variables, cwd=world.project, capture_output=True, check=True
    )
    names = (line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines())
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("arguments", [["--help"], ["stats"]], ids=" ".join)
def test_a_command_imports_nothing_heavy(embedded_world: World, arguments: list[str]) -> None:
    assert "typer" in imported(embedded_world, *arguments)
    assert not HEAVY & imported(embedded_world, *arguments)


def test_a_search_imports_numpy_and_rich_only_for_a_terminal(embedded_world: World) -> None:
    found = imported(embedded_world, "recall", "csv-reader")
    embedded_world.variables["FORCE_COLOR"] = "1"

    assert HEAVY & found == {"attr", "numpy"}
    assert "typer" not in found
    assert "rich" in imported(embedded_world, "recall", "csv-reader")
