"""How long tests wait, on whatever machine: for an event very long, for a promise in seconds as long as the machine is slow."""

import time

LONGEST_WAIT = 300.0
"""Seconds after which a test that waits for an event gives up; it waits that long only where the event never comes."""

SPIN_SECONDS = 0.02


def slowdown() -> float:
    """Return how many seconds pass for each that this process computes, at least 1: about 1 on a quiet machine."""
    started, computed = time.monotonic(), time.thread_time()
    while time.thread_time() < computed + SPIN_SECONDS:
        pass
    return max(1.0, (time.monotonic() - started) / SPIN_SECONDS)


def in_time(seconds: float, promised: float) -> bool:
    """Return whether what took *seconds* kept the promise, as far as the machine let it."""
    return seconds < promised or seconds < promised * slowdown()
