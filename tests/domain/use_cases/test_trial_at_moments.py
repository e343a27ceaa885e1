"""A trial withholds lessons at moments and prompts, and says so in receipts."""

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.verify import fits, injected_text
from hardwon.domain.model.moment import Task
from hardwon.domain.model.trial import Trial
from hardwon.domain.use_cases.inject_at_moment import MOST, InjectAtMoment
from hardwon.domain.use_cases.weigh_entries import dry_run
from tests.domain.use_cases.test_inject_at_moment import FAILURE, LESSON, RULE, TASK
from tests.fakes.session import InMemorySession, store
from tests.strategies import NOW, lesson

HALF = Trial(0.5, NOW)
YAML = lesson(LESSON)


def drawn(*, withheld: bool, entry: Entry = YAML) -> str:
    """Return a session in which *entry* is shown or withheld."""
    names = (f"session {number}" for number in range(99))
    return next(name for name in names if HALF.withholds(name, entry.entry_id) is withheld)


def test_a_withheld_lesson_leaves_the_receipt_that_it_would_have_left() -> None:
    without, session = InMemorySession(store(YAML)), InMemorySession(store(YAML), trial=HALF)
    session_id = drawn(withheld=True)

    printed, kept_back = (
        without.at(FAILURE, session_id=session_id),
        session.at(FAILURE, session_id=session_id),
    )

    assert (kept_back.text, kept_back.numbers, kept_back.receipt) == ("", (), None)
    assert printed.receipt
    assert kept_back.withheld == printed.receipt._replace(arm="withheld", delivery="missed")
    assert fits(kept_back.withheld, kept_back.withheld.shown[0])
    assert kept_back.withheld.is_open
    assert not kept_back.withheld._replace(arm="").is_open
    assert injected_text(kept_back.withheld, {YAML.entry_id: YAML}) == printed.text


def test_a_shown_lesson_is_as_without_a_trial_and_its_receipt_says_so() -> None:
    without, session = InMemorySession(store(YAML)), InMemorySession(store(YAML), trial=HALF)
    session_id = drawn(withheld=False)

    printed, shown = (own.at(FAILURE, session_id=session_id) for own in (without, session))

    assert shown.text == printed.text
    assert printed.receipt
    assert shown.receipt == printed.receipt._replace(arm="shown")
    assert shown.withheld is None


def test_a_withheld_lesson_is_withheld_once_a_session_and_agent() -> None:
    session, session_id = InMemorySession(store(YAML), trial=HALF), drawn(withheld=True)

    assert session.at(FAILURE, session_id=session_id).withheld
    assert not session.at(FAILURE, session_id=session_id).withheld
    assert session.at(FAILURE, session_id=session_id, agent="reviewer").withheld


def test_a_withheld_lesson_takes_the_place_of_a_shown_one() -> None:
    """Else a session with withheld lessons would get others in their place."""
    names = [f"frobnicate{number}x" for number in range(MOST + 2)]
    lessons = [lesson(f"`ConfigError: {name} key missing`: set it.") for name in names]
    session = InMemorySession(store(*lessons), trial=HALF)

    for name in names:
        session.at(Failure("run", f"ConfigError: {name} key missing"))

    kept = session.receipts.newest(session_id="one", limit=99)
    assert len(kept) == MOST
    assert {receipt.arm for receipt in kept} == {"shown", "withheld"}


def test_rules_are_never_withheld() -> None:
    session, session_id = InMemorySession(store(RULE, YAML), trial=HALF), drawn(withheld=True)
    printed = session.at(TASK, agent="explorer", session_id=session_id)
    bare = session.at(Task(""), agent="other", session_id=session_id)

    assert RULE.description in printed.text
    assert LESSON not in printed.text
    assert printed.receipt
    assert printed.withheld
    assert (printed.receipt.arm, len(printed.receipt.shown)) == ("", 1)
    assert [shown.entry_id for shown in printed.withheld.shown] == [YAML.entry_id]
    assert bare.receipt
    assert (bare.receipt.arm, bare.withheld) == ("", None)


@pytest.mark.parametrize("withheld", [True, False])
def test_a_lesson_beside_a_prompt_may_be_withheld(*, withheld: bool) -> None:
    session, session_id = InMemorySession(store(YAML), trial=HALF), drawn(withheld=withheld)
    found = session.ask(f"why does CI say {LESSON}", session_id)

    assert bool(found.withheld) is withheld
    assert bool(found.receipt) is not withheld


def test_nothing_is_withheld_without_a_session_or_in_a_dry_run() -> None:
    session, session_id = InMemorySession(store(YAML), trial=Trial(1.0, NOW)), drawn(withheld=True)
    actor, deadline = session.actor(session_id=session_id), session.clock.deadline()

    assert session.at(FAILURE, session_id="").text
    tried = dry_run(
        session.weigh, lambda weigh: InjectAtMoment(weigh).text_for(FAILURE, actor, deadline)
    )
    assert LESSON in tried.text


def test_a_trial_that_is_switched_within_a_session_claims_only_its_own_time() -> None:
    session = InMemorySession(store(YAML))
    session_id = drawn(withheld=True)

    arms = []
    for trial, agent in ((None, "a"), (HALF, "b"), (None, "c"), (HALF, "d")):
        session.trial = trial
        found = session.at(FAILURE, session_id=session_id, agent=agent)
        arms += [receipt.arm for receipt in (found.receipt, found.withheld) if receipt]

    assert arms == ["", "withheld", "", "withheld"]
