"""
The last resort of programs: one line about an unforeseen error.

The log gets another, with the calls that led to it.
"""

import os
import traceback

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.text import one_line
from hardwon.entrypoints.bootstrap import open_log, store_of

LOG = "hook.log"
FRAMES_SHOWN = 8


def log_unforeseen(program: str, error: BaseException, store: str = "") -> str:
    """
    Log *error* in *store* and return the user's line.

    The log line has the last calls before the error, innermost first.
    """
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_SHOWN:]
    calls = ", ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}"
        for frame in reversed(frames)
    )
    problem = f"{type(error).__name__}: {error}"
    try:
        store = store or store_of({})
    except StorageError:  # it has no place, and so has no log
        return one_line(f"{problem}; this is a bug: please report it")
    open_log(store)(f"{program}: {problem} ({calls})")
    return one_line(
        f"{problem}; this is a bug, {os.path.join(store, LOG)} has more: please report it"
    )
