"""
Run processes in turn and report the cost of each.

Linux counts the size of the parent into a process's peak memory, so the bench, large with numpy,
must not start them itself, and this program is as small as a Python can be. Run with ``python -I
-S``: rounds of commands as JSON in, a line of JSON out for each round.
"""

import json
import os
import sys
import time

KILOBYTES = 1 if sys.platform != "darwin" else 1024
"""Units of `ru_maxrss` in a kilobyte."""


def run(
    argv: list[str],
    text: str,
    variables: dict[str, str],
    files: dict[str, str],
    environment: dict[str, str],
) -> dict[str, float | int | str]:
    """
    Run *argv* with *files* and *text* as input.

    Return its cost and output.
    """
    for path, contents in files.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(contents)
    given, taken = os.pipe(), os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, given[0], 0),
        (os.POSIX_SPAWN_DUP2, taken[1], 1),
        *((os.POSIX_SPAWN_CLOSE, end) for end in (*given, *taken)),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, environment | variables, file_actions=streams)
    os.close(given[0])
    os.close(taken[1])
    with open(given[1], "wb") as stdin:
        stdin.write(text.encode())
    with open(taken[0], "rb") as stdout:
        output = stdout.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(pid, 0)
    return {
        "wall_ms": (time.perf_counter() - started) * 1000,
        "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1000,
        "rss_mb": usage.ru_maxrss / KILOBYTES / 1024,
        "code": os.waitstatus_to_exitcode(status),
        "output": output,
    }


if __name__ == "__main__":
    request = json.load(sys.stdin)
    for commands in request["rounds"]:
        print(
            json.dumps([run(*command, request["environment"]) for command in commands]), flush=True
        )
