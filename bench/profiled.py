"""
`profiled.py OUT PROGRAM ARGUMENT...`: run a program of hardwon under a profile.

OUT is for `pstats`. The profile is of the main thread and counts the CPU time of the process: the
work of other threads counts where the main thread waits.
"""

import cProfile
import os
import runpy
import sys
import time

profile, leave = cProfile.Profile(time.process_time), os._exit


def end(code: int) -> None:
    """
    Keep the profile.

    Hooks leave without what Python does at its end.
    """
    profile.dump_stats(out)
    leave(code)


if __name__ == "__main__":
    out, *sys.argv = sys.argv[1:]
    os._exit = end  # type: ignore[assignment]
    profile.enable()
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        end(0)
