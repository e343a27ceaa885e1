import pytest

from hardwon.domain.model.conversation.statements import unechoed

USER = "let's go with the index and batching instead of the replica, because the snapshot must be consistent"


@pytest.mark.parametrize(
    "echo", ["Decided: index plus batching.", "I've gone with batching and the index."]
)
def test_a_decision_that_the_agent_repeats_is_one_decision(echo: str) -> None:
    assert unechoed([(USER, True), (echo, False)]) == (USER,)


@pytest.mark.parametrize(
    "other",
    ["I'll use a heap instead of a list.", "Decided: batching, in a worker of ten threads."],
)
def test_other_decisions_of_the_agent_are_kept(other: str) -> None:
    assert unechoed([(USER, True), (other, False)]) == (USER, other)


def test_only_the_agent_echoes_and_only_earlier_utterances() -> None:
    utterances = [
        ("Decided: batching.", False),
        ("Let's use batching.", True),
        ("We decided it.", False),
    ]

    assert unechoed(utterances) == tuple(text for text, _ in utterances)
