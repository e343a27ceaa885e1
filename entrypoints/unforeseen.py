"""The last resort of every program: an error that no code foresaw is one line, and one in the log with the way there."""

import os
import traceback

from hardwon.entrypoints.bootstrap import store_of
from hardwon.entrypoints.bootstrap_capture import one_line, open_log

LOG = "hook.log"
FRAMES_SHOWN = 8


def log_unforeseen(program: str, error: BaseException, store: str = "") -> str:
    """
    Log *error* in the folder *store*, by default that of the environment; return the line for the user.

    The log has the last calls that led to the error, innermost first.
    """
    store = store or store_of({})
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_SHOWN:]
    calls = ", ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    problem = f"{type(error).__name__}: {error}"
    open_log(store)(f"{program}: {problem} ({calls})")
    return one_line(f"{problem}; this is a bug, {os.path.join(store, LOG)} has more: please report it")
