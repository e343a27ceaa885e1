"""
Run tests on every Python that hardwon promises and this machine has: `make pythons`.

Pythons are looked for on PATH, in /usr/bin, and where pyenv and uv keep theirs. Each version gets
an environment, `.venv-VERSION`, with what hardwon needs and the test runner, and then the arguments
as a call of pytest.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).parent / "uv"
OLDEST = (3, 11)
NAME = re.compile(r"python3(\.\d+)?")
ASK = (
    "import platform, sys; print(platform.python_implementation(), platform.python_version(),"
    " sys.prefix == sys.base_prefix)"
)
RUNNERS = ("pytest", "pytest-xdist", "hypothesis")


class Python(NamedTuple):
    """An interpreter of this machine, and its version, such as 3, 11, 2."""

    program: Path
    version: tuple[int, ...]

    @property
    def name(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))


def folders(environ: dict[str, str], home: Path) -> Iterator[Path]:
    """Yield the folders in which Pythons may be."""
    yield Path("/usr/bin")
    yield from Path(environ.get("PYENV_ROOT", home / ".pyenv")).glob("versions/*/bin")
    yield from Path(environ.get("UV_PYTHON_INSTALL_DIR", home / ".local/share/uv/python")).glob(
        "*/bin"
    )
    yield from map(Path, filter(None, environ.get("PATH", "").split(os.pathsep)))


def found(places: Iterable[Path]) -> list[Python]:
    """
    Return one CPython of each version from the oldest promised one on, oldest first.

    Of several the first.
    """
    pythons = dict[tuple[int, ...], Python]()
    for program in (file for place in places if place.is_dir() for file in sorted(place.iterdir())):
        if NAME.fullmatch(program.name) and (python := asked(program)) and python.version >= OLDEST:
            pythons.setdefault(python.version, python)
    return [python for _, python in sorted(pythons.items())]


def asked(program: Path) -> Python | None:
    """
    Return what *program* says that it is.

    None unless it is a released CPython, outside of an environment.
    """
    try:
        answer = subprocess.run(
            [program, "-c", ASK], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    numbers = re.fullmatch(r"CPython ([\d.]+) True\n", answer)
    return Python(program, tuple(map(int, numbers[1].split(".")))) if numbers else None


def environment(python: Python) -> Path:
    """Make or update the environment of *python*, and return its interpreter."""
    folder = ROOT / f".venv-{python.name}"
    if not folder.exists():
        _uv("venv", "--quiet", "--python", str(python.program), str(folder))
    pinned = ("--requirements", "requirements/run.txt", "--constraints", "requirements/dev.txt")
    _uv("pip", "install", "--quiet", "--python", str(folder), *pinned, *RUNNERS)
    link = (
        next(folder.glob("lib/python3*/site-packages")) / "hardwon.pth"
    )  # for the processes that tests start, too
    link.write_text(f"{ROOT / '.venv/editable'}\n")
    return folder / "bin/python"


def _uv(*arguments: str) -> None:
    subprocess.run([UV, *arguments], cwd=ROOT, check=True)


def outcome(python: Python, arguments: list[str]) -> tuple[bool, str]:
    """
    Run pytest on *python*.

    Return whether all tests passed, and its last line.
    """
    try:
        program = environment(python)
    except subprocess.CalledProcessError as error:
        return (
            False,
            f"no environment: {' '.join(map(str, error.cmd))} ended with {error.returncode}",
        )
    done = subprocess.run(
        [program, "-m", "pytest", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    if done.returncode:
        print(*lines, sep="\n", flush=True)
    return done.returncode == 0, lines[-1].strip("= ") if lines else "no output"


def main() -> None:
    """
    Run pytest with these arguments on every Python, and print a summary.

    It fails if any fails.
    """
    pythons = found(folders(dict(os.environ), Path.home()))
    if not {python.version for python in pythons} - {tuple(sys.version_info[:3])}:
        print(
            f"No other Python than {sys.version.split()[0]} is here: install one more, such as"
            " Debian's python3."
        )
    outcomes = []
    for python in pythons:
        started = time.monotonic()
        passed, line = outcome(python, sys.argv[1:])
        outcomes.append(passed)
        mark = "ok  " if passed else "FAIL"
        print(
            f"{mark}  {python.name:8} {python.program}  {line}, {time.monotonic() - started:.0f} s"
            " in all",
            flush=True,
        )
    print(f"{sum(outcomes)} of {len(outcomes)} Pythons pass")
    sys.exit(not all(outcomes))


if __name__ == "__main__":
    main()
