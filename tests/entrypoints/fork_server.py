"""What `forking.py` starts: for each request a child that becomes the program asked for, and runs to the script's end."""

import gc
import json
import os
import runpy
import signal
import socket
import sys
from importlib import import_module
from typing import Any

LIBRARIES = "attrs cattrs numpy typer rich.console rich.table rich.progress certifi httpx".split()
LONGEST_RUN_SECONDS = 60


def serve(client: socket.socket) -> None:
    """Fork for each request and tell the child's exit code; return in the children alone."""
    while True:
        length, streams, _, _ = socket.recv_fds(client, 12, 3)
        if not length:
            sys.exit()
        request = json.loads(client.recv(int(length), socket.MSG_WAITALL))
        child = os.fork()
        if not child:
            client.close()
            become(request, streams)
            return
        for stream in streams:
            os.close(stream)
        client.sendall(b"%12d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def become(request: Any, streams: list[int]) -> None:
    """Take the streams, the environment, the folder and the arguments of the program."""
    for own, stream in enumerate(streams):
        os.dup2(stream, own)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    sys.argv = request["command"]
    signal.alarm(LONGEST_RUN_SECONDS)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a forked process has no threads of its parent
    for library in LIBRARIES:
        import_module(library)
    gc.freeze()  # a child that collects what it shares would copy it
    serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_path(sys.argv[0], run_name="__main__")
