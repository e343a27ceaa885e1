"""The user's editor."""

import contextlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator

from hardwon.domain.model.errors import HardwonError
from hardwon.entrypoints.cli.console import complain
from hardwon.entrypoints.cli.parameters import MistakeError
from hardwon.entrypoints.presenters.text import on_one_line

FALLBACK = "vi"


class EditorFailedError(MistakeError):
    """The user's editor could not be run, or failed."""


@contextlib.contextmanager
def edited(template: str) -> Iterator[str]:
    """
    Open *template* in the user's editor and yield what was saved.

    If the editor or the caller fails with an error of hardwon, the text is kept.
    """
    handle, path = tempfile.mkstemp(prefix="hardwon-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(template)
    try:
        _run_editor(path)
        yield _saved(path)
    except (HardwonError, EditorFailedError, KeyboardInterrupt):
        _keep(path, template)
        raise
    except BaseException:
        os.unlink(path)
        raise
    os.unlink(path)


def _keep(path: str, template: str) -> None:
    if _saved(path) in {template, ""}:
        os.unlink(path)
    else:
        complain(f"What you wrote is kept in {path}")


def _saved(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _run_editor(path: str) -> None:
    """Run `$VISUAL`, `$EDITOR` or vi on the file at *path*."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    try:
        code = subprocess.run([*shlex.split(named), path], check=False).returncode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EditorFailedError(
            on_one_line(
                f"the editor {named!r} can't be started ({reason}): set EDITOR, or give the text"
            )
        ) from error
    if code:
        raise EditorFailedError(
            on_one_line(f"nothing was stored: the editor {named!r} ended with exit code {code}")
        )
