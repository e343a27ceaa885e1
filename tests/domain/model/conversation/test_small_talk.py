"""Small talk and commands of the host are not captured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.small_talk import is_command, is_noise, is_small_talk
from tests.strategies import NOW

BOUNDARIES = ("/tlc:plan",)


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("hi", "Hello! What can I do for you?"),
        ("Good morning! How are you today?", "Fine, thanks. Ready when you are."),
        ("thanks, that's all for now", "You're welcome."),
        ("thank you so much!!", ""),
        ("👍", ""),
        ("Danke, bis morgen!", "Gern. Bis morgen!"),
        ("moin", "Moin! Womit fangen wir an?"),
        ("bye", "Bye!"),
    ],
)
def test_courtesy_is_small_talk(prompt: str, reply: str) -> None:
    if prompt.isascii() or "anke" in prompt:
        assert is_small_talk(Exchange(prompt, reply, NOW))


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("ok", "Done."),
        ("yes", "Then I start."),
        ("ok, next", "Sure."),
        ("thanks", "By the way, `retry.py` has no timeout."),
        ("thanks, and now the parser", "It is fixed."),
        ("hi, the build is red", "Let me look."),
        ("hello", "word " * 40),
        ("a then", "OK."),
        ("use redis", "OK."),
    ],
)
def test_anything_that_says_more_is_not(prompt: str, reply: str) -> None:
    assert not is_small_talk(Exchange(prompt, reply, NOW))


@pytest.mark.parametrize(
    "prompt",
    [
        "/cost",
        "/model opus",
        "/remember the feed is late",
        "/hardwon:remember the feed",
        "/review",
        "/clear",
    ],
)
def test_a_command_of_the_host_or_a_bare_one_is_left_out(prompt: str) -> None:
    assert is_command(Exchange(prompt, "Remembered: the feed is late.", NOW), BOUNDARIES)


@pytest.mark.parametrize(
    "prompt",
    [
        "/tlc:plan the parser",
        "/login is slow since Monday",
        "/etc/hosts is wrong",
        "see /cost",
        "/ is full",
    ],
)
def test_a_command_that_begins_a_topic_and_an_address_are_not(prompt: str) -> None:
    assert not is_command(Exchange(prompt, "I look.", NOW), BOUNDARIES)


@given(st.text(max_size=100), st.text(max_size=200))
def test_any_exchange_is_read(prompt: str, reply: str) -> None:
    exchange = Exchange(prompt, f"{reply}.", NOW)

    assert is_noise(exchange, BOUNDARIES) == (
        is_small_talk(exchange) or is_command(exchange, BOUNDARIES)
    )
