import time

import attrs
import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import LabelerUnavailableError
from hardwon.domain.model.redaction import REDACTED
from hardwon.domain.model.settings import KEYWORD_PROVIDERS
from hardwon.domain.use_cases.label import LabelChain, label_tiers
from hardwon.ports.models import KeywordLabeler
from tests.fakes.clock import FixedClock
from tests.fakes.models import HangingLabeler, PlantedLabeler, UnavailableLabeler
from tests.strategies import lesson

ENTRY = lesson("Hash the content, not the path.")
SECRET = "ghp_" + "a1B2" * 9


def _labels(*tiers: KeywordLabeler, seconds: float = 60.0) -> tuple[str, ...]:
    return LabelChain(tiers, Threads()).labels_for(ENTRY, FixedClock().deadline(seconds))


@pytest.mark.parametrize(
    ("setting", "tiers"),
    [
        ("auto", ("haiku", "ollama")),
        ("claude", ()),
        ("haiku", ("haiku",)),
        ("ollama", ("ollama",)),
        ("off", ()),
    ],
)
def test_the_setting_names_the_tiers_and_the_agent_of_the_session_is_none(
    setting: str, tiers: tuple[str, ...]
) -> None:
    assert label_tiers(setting) == tiers


def test_every_setting_has_its_tiers() -> None:
    assert all(isinstance(label_tiers(setting), tuple) for setting in KEYWORD_PROVIDERS)


def test_the_first_tier_that_answers_is_the_last_one_asked() -> None:
    failing, answering, never = (
        UnavailableLabeler(),
        PlantedLabeler("Content Hash", "error", "c++"),
        PlantedLabeler("no"),
    )

    assert _labels(failing, answering, never) == ("content-hash", "cpp")
    assert failing.asked == answering.asked == [ENTRY]
    assert never.asked == []


def test_a_tier_without_a_usable_label_leaves_it_to_the_next() -> None:
    assert _labels(
        PlantedLabeler("error", "ci/cd"), PlantedLabeler(), PlantedLabeler("sqlite")
    ) == ("sqlite",)


def test_there_are_no_labels_when_all_tiers_fail() -> None:
    assert _labels(UnavailableLabeler(), PlantedLabeler("bug"), PlantedLabeler()) == ()
    assert _labels(UnavailableLabeler(), UnavailableLabeler()) == ()
    assert _labels() == ()


def test_the_caller_learns_why_no_labeler_answered() -> None:
    chain = LabelChain([UnavailableLabeler("no key"), UnavailableLabeler("not running")], Threads())

    with pytest.raises(LabelerUnavailableError, match=r"^no key; not running$"):
        chain.ask(ENTRY, FixedClock().deadline())


def test_unusable_labels_are_an_answer_too() -> None:
    chain = LabelChain([UnavailableLabeler(), PlantedLabeler("bug")], Threads())

    assert chain.ask(ENTRY, FixedClock().deadline()) == ()


def test_without_a_tier_labelling_is_unavailable() -> None:
    with pytest.raises(LabelerUnavailableError, match="no labeler is configured"):
        LabelChain([], Threads()).ask(ENTRY, FixedClock().deadline())


def test_a_tier_that_hangs_is_left_behind() -> None:
    hanging = HangingLabeler()
    chain = LabelChain([hanging, PlantedLabeler("sqlite")], Threads(), tier_seconds=0.01)

    assert chain.labels_for(ENTRY, FixedClock().deadline(60)) == ("sqlite",)
    hanging.released.set()


def test_tiers_that_all_hang_cost_their_seconds_and_say_so() -> None:
    hanging = HangingLabeler()
    chain = LabelChain([hanging, hanging], Threads(), tier_seconds=0.01)

    with pytest.raises(
        LabelerUnavailableError, match=r"HangingLabeler gave no answer in 0\.0 s; Hanging"
    ):
        chain.ask(ENTRY, FixedClock().deadline(60))
    hanging.released.set()


def test_hanging_tiers_together_never_outlast_the_deadline() -> None:
    hanging, never = HangingLabeler(), PlantedLabeler("sqlite")
    deadline = Deadline.after(0.05, time.monotonic)

    assert LabelChain([hanging, never], Threads()).labels_for(ENTRY, deadline) == ()
    assert never.asked == []
    hanging.released.set()


def test_a_tier_has_five_seconds_and_never_more_than_the_remaining_time() -> None:
    clock = FixedClock()
    slow, quick = UnavailableLabeler(work=lambda: clock.advance(4)), PlantedLabeler()

    assert LabelChain([slow, quick], Threads()).labels_for(ENTRY, clock.deadline(8)) == ()
    assert quick.seconds == [4.0]


def test_a_tier_gets_five_seconds_of_a_longer_deadline() -> None:
    tier = PlantedLabeler("sqlite")
    LabelChain([tier], Threads()).labels_for(ENTRY, Deadline(FixedClock().monotonic))

    assert tier.seconds == [5.0]


def test_no_labeler_is_called_when_no_time_is_left() -> None:
    tier = PlantedLabeler("sqlite")
    chain = LabelChain([tier], Threads())

    with pytest.raises(
        LabelerUnavailableError, match="PlantedLabeler was not asked: no time was left"
    ):
        chain.ask(ENTRY, FixedClock().deadline(0))
    assert tier.asked == []


def test_no_labeler_sees_a_secret() -> None:
    tier = PlantedLabeler("sqlite")
    text = f"Push with {SECRET}<private> and this</private>."
    entry = attrs.evolve(lesson(text, name=text), reasoning=text, notes=text, references=(text,))

    assert LabelChain([tier], Threads()).labels_for(entry, FixedClock().deadline()) == ("sqlite",)
    [seen] = tier.asked
    assert {seen.name, seen.description, seen.reasoning, seen.notes, *seen.references} == {
        f"Push with {REDACTED}."
    }


def test_an_entry_of_nothing_but_private_words_has_no_labels() -> None:
    tier = PlantedLabeler("sqlite")

    assert (
        LabelChain([tier], Threads()).labels_for(
            lesson("<private>mine</private>"), FixedClock().deadline()
        )
        == ()
    )
    assert tier.asked == []
