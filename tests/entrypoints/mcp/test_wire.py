"""The allowance of the last answers, and whether the client can still read."""

import os
import socket
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.entrypoints.mcp.wire import Allowance, Wire


def spent_after(
    steps: Iterable[tuple[float, float]], seconds: float = 10.0, longest: float = 120.0
) -> float | None:
    """Return how much time had passed when an allowance was spent, after *steps* of passed and computed seconds."""
    now = [0.0, 0.0]
    allowance = Allowance(seconds, longest, clock=lambda: now[0], cpu=lambda: now[1])
    for passed, computed in steps:
        now[0], now[1] = now[0] + passed, now[1] + computed
        if allowance.is_spent():
            return now[0]
    return None


@pytest.mark.parametrize(
    ("step", "passed"),
    [
        ((0.25, 0.0), 10),
        ((0.25, 0.25), 10),
        ((0.25, 0.5), 10),
        ((0.25, 0.025), 100),
        ((0.25, 0.0025), 120),
    ],
    ids=["waiting", "computing", "in two threads", "a tenth of the CPU", "a hundredth"],
)
def test_the_allowance_is_time_that_waits_or_computes(
    step: tuple[float, float], passed: float
) -> None:
    assert spent_after([step] * 1000) == pytest.approx(passed, abs=0.5)


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5)), max_size=60))
def test_it_lasts_neither_less_than_its_length_nor_longer_than_it_may(
    steps: list[tuple[float, float]],
) -> None:
    total = sum(passed for passed, _ in steps)
    after = spent_after(steps)

    if after is not None:
        assert after >= 10 - 1e-6
    assert after is not None or total < 120


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_client_that_closed_its_end_is_noticed_without_writing(kind: str) -> None:
    if kind == "pipe":
        reading, writing = os.pipe()
    else:
        reading, writing = (end.detach() for end in socket.socketpair())
    with open(os.devnull, "rb") as nothing, os.fdopen(writing, "wb") as outgoing:
        wire = Wire(nothing, outgoing)
        assert wire.has_reader()
        os.close(reading)
        assert not wire.has_reader()
