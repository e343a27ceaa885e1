import threading

import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.deadline import Deadline
from tests.fakes.clock import FixedClock
from tests.fakes.models import LONGEST_WAIT

ENDLESS = Deadline(FixedClock().monotonic)


def test_the_answer_is_what_the_work_returned() -> None:
    assert Threads().start(lambda: 42).result(ENDLESS) == 42


def test_an_answer_of_none_is_an_answer() -> None:
    assert Threads().start(lambda: None).result(ENDLESS) is None


def test_errors_of_the_work_are_raised_to_the_waiting_caller() -> None:
    def work() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        Threads().start(work).result(ENDLESS)


def test_the_work_runs_beside_the_caller() -> None:
    asked, answered = threading.Event(), threading.Event()

    def work() -> str:
        asked.set()
        return "done" if answered.wait(LONGEST_WAIT) else "alone"

    background = Threads().start(work)
    asked.wait(LONGEST_WAIT)
    answered.set()

    assert background.result(ENDLESS) == "done"


def test_work_that_hangs_is_given_up_at_the_deadline() -> None:
    released = threading.Event()
    background = Threads().start(lambda: released.wait(LONGEST_WAIT))

    with pytest.raises(TimeoutError, match="no answer in time"):
        background.result(FixedClock().deadline(0.01))

    released.set()
    assert background.result(ENDLESS) is True


def test_work_that_hangs_never_delays_the_end_of_the_process() -> None:
    released = threading.Event()
    before = set(threading.enumerate())
    Threads().start(lambda: released.wait(LONGEST_WAIT))
    started = set(threading.enumerate()) - before

    assert all(thread.daemon for thread in started)
    released.set()
