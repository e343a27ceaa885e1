"""`make pythons` finds each version of Python once."""

import platform
import sys
from pathlib import Path

import pytest

from tools import pythons


def pretended(folder: Path, name: str, answer: str) -> Path:
    """Make a program *name* that answers every question with *answer*."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o755)
    return program


def test_a_python_says_what_it_is() -> None:
    program = Path(getattr(sys, "_base_executable", sys.executable))

    assert pythons.asked(program) == pythons.Python(program, tuple(sys.version_info[:3]))
    assert ".".join(map(str, sys.version_info[:3])) == platform.python_version()


@pytest.mark.parametrize(
    "answer",
    [
        "PyPy 3.11.9 True",
        "CPython 3.15.0a1 True",
        "CPython 3.12.1 False",
        "CPython 3.10.13 True",
        "no version is set",
    ],
    ids=["another implementation", "a preview", "an environment", "too old", "a shim"],
)
def test_programs_that_are_no_released_python_from_3_11_on_are_left_out(
    tmp_path: Path, answer: str
) -> None:
    pretended(tmp_path, "python3.12", answer)

    assert pythons.found([tmp_path]) == []


def test_of_one_version_the_first_is_taken_and_versions_are_in_order(tmp_path: Path) -> None:
    new = pretended(tmp_path / "a", "python3", "CPython 3.13.0 True")
    old = pretended(tmp_path / "b", "python3.11", "CPython 3.11.2 True")
    pretended(tmp_path / "c", "python3.13", "CPython 3.13.0 True")
    pretended(tmp_path / "c", "python3-config", "CPython 3.14.0 True")

    found = pythons.found([tmp_path / "none", tmp_path / "a", tmp_path / "b", tmp_path / "c"])

    assert [(python.name, python.program) for python in found] == [("3.11.2", old), ("3.13.0", new)]


def test_pyenv_and_uv_and_the_path_are_searched(tmp_path: Path) -> None:
    of_pyenv = pretended(tmp_path / ".pyenv/versions/3.12.1/bin", "python3", "CPython 3.12.1 True")
    of_uv = pretended(tmp_path / "uv/cpython-3.13.0-linux/bin", "python3.13", "CPython 3.13.0 True")
    on_path = pretended(tmp_path / "bin", "python3.11", "CPython 3.11.4 True")
    environ = {"PATH": str(tmp_path / "bin"), "UV_PYTHON_INSTALL_DIR": str(tmp_path / "uv")}

    places = [place for place in pythons.folders(environ, tmp_path) if tmp_path in place.parents]

    assert [python.program for python in pythons.found(places)] == [on_path, of_pyenv, of_uv]
