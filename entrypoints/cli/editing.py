"""Texts that are written in the user's editor."""

import contextlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator

import typer

from hardwon.domain.model.errors import HardwonError
from hardwon.entrypoints.cli.screen import complain
from hardwon.entrypoints.streams import on_one_line

FALLBACK = "vi"


@contextlib.contextmanager
def edited(template: str) -> Iterator[str]:
    """
    Open *template* in the user's editor and yield what was saved; where an error of ours follows, the file stays.

    Raises:
        typer.TyperException: the editor could not be run, or failed.
    """
    handle, path = tempfile.mkstemp(prefix="hardwon-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(template)
    try:
        _run_editor(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        yield text
    except HardwonError:
        complain(f"What you wrote is kept in {path}")
        raise
    except BaseException:
        os.unlink(path)
        raise
    os.unlink(path)


def _run_editor(path: str) -> None:
    """
    Run `$VISUAL`, `$EDITOR` or vi on the file at *path*.

    Raises:
        typer.TyperException: it can't be started, or does not end well.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    try:
        code = subprocess.run([*shlex.split(named), path], check=False).returncode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise typer.TyperException(
            on_one_line(f"the editor {named!r} can't be started ({reason}): set EDITOR, or give the text")
        ) from error
    if code:
        raise typer.TyperException(on_one_line(f"nothing was added: the editor {named!r} ended with exit code {code}"))
