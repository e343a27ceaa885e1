"""
Make the sample project: a small git repository with a knowledge bank and a feature in progress.

Run ``python examples/make_sample.py DEST``. Works offline, leaves the user's git configuration
alone, and gives the same commits every time.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SAMPLE = Path(__file__).resolve().parent / "parser-project"
AUTHOR = ("Sample Author", "author@example.invalid")


class SampleError(Exception):
    """The sample project cannot be made; the message is one line for the user."""


class Step(NamedTuple):
    """One commit: when, what it says, and the paths it adds."""

    when: str
    message: str
    paths: tuple[str, ...]


HISTORY = (
    Step(
        "2026-10-30T16:20:00+00:00",
        "feat(release): promote one image digest from stage to stage",
        ("README.md", "docs/features/011-release-pipeline", "src/release.py"),
    ),
    Step(
        "2026-11-11T09:05:00+00:00",
        "docs: knowledge bank, and the design of feature 014",
        ("docs/knowledge-bank", "docs/features/014-file-parser", "memory", "specs"),
    ),
    Step(
        "2026-11-12T10:40:00+00:00",
        "feat(parser): problems that name line and column",
        ("src/errors.py",),
    ),
    Step(
        "2026-11-13T14:15:00+00:00",
        "feat(parser): cut a line into fields, choose the encoding",
        ("src/tokens.py", "src/decoding.py"),
    ),
    Step(
        "2026-11-16T11:30:00+00:00",
        "feat(parser): read on after a malformed record",
        ("src/reader.py",),
    ),
)


def make_sample(destination: Path) -> None:
    """
    Copy the sample project to *destination* and give it a git history.

    Args:
        destination: A folder that is empty or does not exist yet.

    Raises:
        SampleError: *destination* is taken or cannot be written, or git is missing or fails.
    """
    if os.path.lexists(destination) and not _is_empty_folder(destination):
        raise SampleError(f"{destination} is not an empty folder: name one that is, or a new one")
    try:
        shutil.copytree(
            SAMPLE,
            destination,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", ".*_cache"),
        )
    except (OSError, shutil.Error) as error:
        raise SampleError(f"cannot copy the sample project to {destination}: {error}") from error
    _git(destination, "init", "--quiet", "--template=", "--initial-branch=main")
    for step in HISTORY:
        _git(destination, "add", "--", *step.paths)
        _git(destination, "commit", "--quiet", f"--message={step.message}", when=step.when)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _git(folder: Path, *arguments: str, when: str = "") -> None:
    name, email = AUTHOR
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith("GIT_")
    }  # GIT_DIR of a hook
    environment = inherited | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
        "GIT_COMMITTER_DATE": when,
    }
    try:
        subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise SampleError("git was not found on PATH: install it first") from error
    except subprocess.CalledProcessError as error:
        reason = " ".join(str(error.stderr).split())
        raise SampleError(f"git {arguments[0]} failed in {folder}: {reason}") from error


def main(arguments: list[str]) -> int:
    """Make the sample project in the one folder named, and say so."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python examples/make_sample.py DEST\n")
        return 1
    destination = Path(arguments[0])
    try:
        make_sample(destination)
    except SampleError as error:
        sys.stderr.write(f"make_sample: {error}\n")
        return 1
    sys.stdout.write(
        f"{destination}: the sample project, {len(HISTORY)} commits, feature 014-file-parser in"
        " progress\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
