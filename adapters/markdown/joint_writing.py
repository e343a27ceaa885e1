"""Several files written, all of them or none. Standard library only."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from hardwon.adapters.markdown.whole_files import (
    beside,
    move_to_free_place,
    reason,
    refuse_changed,
    remove_if_there,
    write_new,
)


class FileChange(NamedTuple):
    """
    What is to become of one file.

    Attributes:
        path: The file itself, not a link to it; its folder is there.
        text: All that is to stand in it.
        mode: Of the file.
        before: What stands in it.
        was: What the system said of it when it was read; None when there was no such file.

    """

    path: str
    text: str
    mode: int
    before: str
    was: os.stat_result | None


class _Staged(NamedTuple):
    """A change with all that it needs on the disk: from here on, files are only renamed."""

    change: FileChange
    new: str
    old: str


class JointWriteError(OSError):
    """
    None of the files was changed.

    Attributes:
        path: The one that could not be.

    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path


def write_together(changes: Sequence[FileChange]) -> None:
    """
    Write all of *changes*, or when one fails none: what was replaced by then is put back.

    Only a process that is killed between two of them leaves the first written and the second as it was.

    Raises:
        JointWriteError: somebody else wrote one since it was read, or it can't be written.

    """
    with ExitStack() as temporaries, ExitStack() as undoing:
        staged = [_stage(change, temporaries) for change in changes]
        for change in changes:
            with _naming(change.path):
                _refuse_foreign(change)
        for each in staged:
            with _naming(each.change.path):
                undoing.callback(_put_back, each, os.stat(each.new))
                _publish(each)
        undoing.pop_all()


@contextmanager
def _naming(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise JointWriteError(path, "somebody else made it meanwhile: nothing was changed, try again") from error
    except (OSError, ValueError) as error:
        raise JointWriteError(path, reason(error)) from error


def _stage(change: FileChange, temporaries: ExitStack) -> _Staged:
    new, old = beside(change.path), beside(change.path)
    texts = {new: change.text} if change.was is None else {new: change.text, old: change.before}
    for path, text in texts.items():
        temporaries.callback(remove_if_there, path)
        with _naming(change.path):
            write_new(path, text, change.mode)
            if change.was is not None:
                os.chmod(path, change.mode)  # the umask took some of it
    return _Staged(change, new, old)


def _refuse_foreign(change: FileChange) -> None:
    if change.was is not None:
        refuse_changed(change.path, change.was)
    elif os.path.lexists(change.path):
        raise FileExistsError(change.path)


def _publish(staged: _Staged) -> None:
    if staged.change.was is None:
        move_to_free_place(staged.new, staged.change.path)
        return
    refuse_changed(staged.change.path, staged.change.was)
    os.replace(staged.new, staged.change.path)


def _put_back(staged: _Staged, ours: os.stat_result) -> None:
    """Undo a change; a file that is not *ours* was not changed yet, or somebody else wrote it since."""
    with suppress(OSError):
        refuse_changed(staged.change.path, ours)
        if staged.change.was is None:
            os.unlink(staged.change.path)
        else:
            os.replace(staged.old, staged.change.path)
