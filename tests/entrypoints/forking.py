"""
Programs without their start: a process that has imported the libraries forks one child for each run.

The child is a process of its own in every way, and runs the installed console
script to its end. Nothing of hardwon is imported before, so a run still sees
its own modules, environment and files; only the libraries come for nothing.
"""

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = Path(__file__).with_name("fork_server.py")
PROGRAMS = ("hardwon", "hardwon-writer")
AT_START = ("PYTHON", "LANG", "LC_")
"""How the names of variables begin that an interpreter reads once, when it starts."""


def can_fork(program: str, variables: Mapping[str, str]) -> bool:
    """Tell whether *program* is a console script that, with this environment, any interpreter may run."""
    return program in PROGRAMS and not any(name.startswith(AT_START) for name in variables)


def fork(command: Sequence[str], folder: Path, variables: Mapping[str, str], streams: Sequence[int]) -> int:
    """
    Run a console script with its arguments in a forked process.

    Args:
        command: The script's path, then its arguments.
        folder: The working folder.
        variables: The whole environment.
        streams: File descriptors of standard input, output and error.

    Returns:
        The exit code; below 0 the signal that ended it.

    """
    server = _server()
    request = json.dumps({"command": command, "folder": str(folder), "variables": dict(variables)}).encode()
    socket.send_fds(server, [b"%12d" % len(request)], list(streams))
    server.sendall(request)
    return int(server.recv(12))


@functools.cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-P", str(SERVER), str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env={"PATH": os.environ["PATH"]})
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)  # first: it tells the server to leave
    return ours
