"""Starting the worker so that it outlives the process that starts it. Standard library only."""

import os
import sys

MODULE = "hardwon.entrypoints.worker"


def wake(global_store: str, project_root: str) -> None:
    """
    Start the worker on a store and leave it alone: in a session of its own, without our streams.

    Args:
        global_store: The store's folder.
        project_root: Whose settings say how missing vectors are made.

    Raises:
        OSError: it can't be started.

    """
    options = ("--global-store", os.path.abspath(global_store), "--project-root", project_root)
    command = [sys.executable, "-P", "-m", MODULE, *options]
    if hasattr(os, "posix_spawn"):
        _spawn(command)
    else:
        _start_on_windows(command)


def _spawn(command: list[str]) -> None:
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    os.posix_spawn(command[0], command, os.environ, file_actions=streams, setsid=True)


def _start_on_windows(command: list[str]) -> None:
    import subprocess  # where there is no other way

    flags: int = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    nothing = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, creationflags=flags, close_fds=True)
