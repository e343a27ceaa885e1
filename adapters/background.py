"""Start a program that outlives this one, without its streams."""

import os
from collections.abc import Mapping


def start(command: list[str], environment: Mapping[str, str]) -> None:
    """Start *command* and do not wait for it."""
    if hasattr(os, "posix_spawn"):
        _spawn(command, environment)
    else:
        _start_on_windows(command, environment)


def _spawn(command: list[str], environment: Mapping[str, str]) -> None:
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    os.posix_spawn(command[0], command, environment, file_actions=streams, setsid=True)


def _start_on_windows(command: list[str], environment: Mapping[str, str]) -> None:
    import subprocess  # noqa: PLC0415 - where there is no other way

    flags: int = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
        subprocess, "CREATE_NEW_PROCESS_GROUP", 0
    )
    nothing = subprocess.DEVNULL
    subprocess.Popen(
        command,
        env=environment,
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        creationflags=flags,
        close_fds=True,
    )
