"""The server that `forking.py` starts: forks a child for each request, which runs the requested script to its end."""

import contextlib
import gc
import json
import os
import runpy
import signal
import socket
import sys
from importlib import import_module
from typing import Any

LONGEST_RUN_SECONDS = 600


def serve(client: socket.socket) -> None:
    """Fork for each request; return in the programs alone."""
    while True:
        length, descriptors, _, _ = socket.recv_fds(client, 12, 4)
        if not length:
            sys.exit()
        request = json.loads(client.recv(int(length), socket.MSG_WAITALL))
        if not os.fork():
            client.close()
            start(request, descriptors[:3], socket.socket(fileno=descriptors[3]))
            return
        for descriptor in descriptors:
            os.close(descriptor)
        reap()


def reap() -> None:
    """Wait for those that have told how their programs ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def start(request: Any, streams: list[int], asker: socket.socket) -> None:
    """Fork the program; tell its pid and its exit code; return in the program alone."""
    child = os.fork()
    if not child:
        asker.close()
        become(request, streams)
        return
    for stream in streams:
        os.close(stream)
    asker.sendall(b"%12d" % child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(BrokenPipeError):  # the client may be gone
        asker.sendall(b"%12d" % code)
    os._exit(0)


def become(request: Any, streams: list[int]) -> None:
    """Take the streams, the environment, the folder and the arguments of the program."""
    for own, stream in enumerate(streams):
        os.dup2(stream, own)
        os.close(stream)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    sys.argv = request["command"]
    signal.alarm(LONGEST_RUN_SECONDS)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a forked process has no threads of its parent
    _, server, *libraries = sys.argv
    for library in libraries:
        import_module(library)
    gc.freeze()  # a child that collects what it shares would copy it
    serve(socket.socket(fileno=int(server)))
    runpy.run_path(sys.argv[0], run_name="__main__")
