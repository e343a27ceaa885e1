"""The outcome of a moment is decided by the next actions of the agent, and by nothing else."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.actions import (
    Action,
    Change,
    ErrorLine,
    Remark,
    Run,
    TimedAction,
)
from hardwon.domain.model.injection.outcome import (
    LONGEST,
    further,
    observed,
    outcome_after,
)
from hardwon.domain.model.injection.receipt import OBSERVED, UNSEEN, Event, Outcome, Receipt
from hardwon.domain.model.shell_command import is_test
from tests.strategies import NOW, few_examples

SECOND = dt.timedelta(seconds=1)
ERROR = ErrorLine("ModuleNotFoundError: No module named 'yaml'", "No module named 'yaml'")
OTHER = ErrorLine("KeyError: 'size_limit'", "KeyError: 'size_limit'")
KEY = "pytest -q tests"


def receipt(event: Event = "failure", query: str = "python -m pytest -q tests") -> Receipt:
    signature = ERROR.signature if event == "failure" else ""
    return Receipt(
        "s", event, NOW, "here", query, None, "adaptive", "d", ("",), signature=signature
    )


def fails(*errors: ErrorLine, key: str = KEY) -> Run:
    return Run(key, key, failed=True, errors=errors)


def passes(key: str = KEY) -> Run:
    return Run(key, key, failed=False)


def after(shown: Receipt, *actions: Action) -> Outcome:
    return observed(shown, [TimedAction(NOW + SECOND * (n + 1), a) for n, a in enumerate(actions)])


@pytest.mark.parametrize(
    ("actions", "outcome"),
    [
        ([], UNSEEN),
        ([passes()], Outcome(1, passed=True)),
        ([fails(OTHER), passes()], Outcome(2, passed=True)),
        ([fails(ERROR)], Outcome(1, 1)),
        ([fails(ERROR), fails(OTHER), passes()], Outcome(3, 1, passed=True)),
        ([fails(ERROR, key="pytest tests/test_a.py")], Outcome(0, 1)),
        ([passes("make"), Change("src/a.py"), Remark("It was missing.")], UNSEEN),
        ([passes(), fails(ERROR)], Outcome(1, passed=True)),
    ],
)
def test_after_a_failure_the_runs_of_its_command_and_its_error_count(
    actions: list[Action], outcome: Outcome
) -> None:
    assert after(receipt(), *actions) == outcome


@pytest.mark.parametrize(
    ("event", "actions", "outcome"),
    [
        ("edit", [passes()], Outcome(1, passed=True)),
        ("edit", [fails(OTHER), passes()], Outcome(1, passed=False)),
        ("edit", [passes("cargo build")], UNSEEN),
        ("file", [passes()], UNSEEN),
        ("file", [Change("/p/src/pool.py")], Outcome(is_edited=True)),
        ("file", [Change("/p/src/pool.py"), passes()], Outcome(1, passed=True, is_edited=True)),
        ("file", [Change("/p/src/my_pool.py"), passes()], UNSEEN),
        ("file", [Change("src/pool.py"), fails(OTHER)], Outcome(1, passed=False, is_edited=True)),
        ("subagent", [passes()], UNSEEN),
        ("prompt", [fails(ERROR), passes()], UNSEEN),
        ("start", [passes()], UNSEEN),
        ("ask", [passes()], UNSEEN),
    ],
)
def test_after_an_edit_the_next_run_of_tests_decides(
    event: Event, actions: list[Action], outcome: Outcome
) -> None:
    assert after(receipt(event, "src/pool.py"), *actions) == outcome


@pytest.mark.parametrize("begun", [NOW, NOW - SECOND, NOW - LONGEST, NOW + LONGEST + SECOND])
def test_actions_before_the_moment_or_long_after_it_say_nothing(begun: dt.datetime) -> None:
    assert observed(receipt(), [TimedAction(begun, passes())]) == UNSEEN


def test_a_lesson_that_the_model_missed_has_no_outcome() -> None:
    assert not receipt()._replace(delivery="missed").is_open


@pytest.mark.parametrize(
    "key",
    [
        "npm run test:unit",
        "go test ./...",
        "tox -e py311",
        "make -j2 check",
        "pip install -e . && pytest",
    ],
)
def test_tests_are_known_by_the_name_of_program_or_target(key: str) -> None:
    assert is_test(key)


@pytest.mark.parametrize(
    "key",
    [
        "npm run build",
        "pip install pytest",
        "git commit -m test",
        "ruff check",
        "python make_test_data.py",
    ],
)
def test_other_commands_are_no_tests(key: str) -> None:
    assert not is_test(key)


runs = st.builds(
    Run,
    key=st.sampled_from([KEY, "make", "pytest tests/test_a.py"]),
    command=st.just("x"),
    failed=st.booleans(),
    errors=st.sampled_from([(), (ERROR,), (OTHER,), (OTHER, ERROR)]),
)
actions = st.lists(
    st.one_of(runs, st.builds(Change, st.sampled_from(["src/a.py", "b.py"]))), max_size=8
)


@given(
    event=st.sampled_from(OBSERVED),
    actions=actions,
    cut=st.integers(0, 8),
)
@few_examples
def test_more_of_a_transcript_never_says_less_and_a_replay_says_the_same(
    event: Event, actions: list[Action], cut: int
) -> None:
    shown = receipt(event, KEY if event == "failure" else "src/a.py")
    whole, part = after(shown, *actions), after(shown, *actions[:cut])
    stepwise = shown
    for action in actions:
        timed = TimedAction(NOW + SECOND, action)
        stepwise = stepwise._replace(outcome=outcome_after(stepwise, timed))

    assert stepwise.outcome == whole == after(shown._replace(outcome=whole), *actions)
    assert further(part, whole) == further(whole, part) == further(whole, whole) == whole
    assert whole.tries <= len(actions)
    assert whole.passed is None or whole.tries


@given(outcome=st.builds(Outcome, st.integers(0, 3), st.integers(0, 2), st.none() | st.booleans()))
def test_a_word_decides_before_what_was_observed(outcome: Outcome) -> None:
    assert outcome.has_helped(is_rejected=True, is_used=True) is False
    assert outcome.has_helped(is_used=True) is True
    assert outcome.has_helped() is (False if outcome.repeats else outcome.passed)
