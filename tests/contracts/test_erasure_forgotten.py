"""The contract of forgotten texts, in memory and in a store."""

from collections.abc import Iterator

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import ForgottenError
from hardwon.domain.model.forgotten import comparable
from tests.contracts.worlds import MakeWorld, on_every_implementation
from tests.strategies import NOW, few_examples, lesson

TEXT = "The staging database is reset every night at three, so keep no fixture there."
OTHER = "Quixoblate ships on Fridays, and only after the canary."


@on_every_implementation
def test_a_forgotten_text_is_recognised_wherever_it_stands(make: MakeWorld) -> None:
    with make() as world:
        forgotten = world.repository.forgotten
        assert not forgotten.holds([TEXT])
        forgotten.add("0123456789abcdef", [TEXT], NOW)

        assert forgotten.holds([OTHER, f"Before.\n\n> {TEXT.upper()}\n\nAfter."])
        assert not forgotten.holds([OTHER, TEXT.replace("three", "four")])
        assert forgotten.without(f"Before.\n\n{TEXT}\n\nAfter.") == "Before.\n\nAfter."
        assert forgotten.without(OTHER) == OTHER
        assert forgotten.without(TEXT) == ""


@on_every_implementation
def test_a_forgotten_text_is_recognised_and_lifted_in_any_spelling(make: MakeWorld) -> None:
    text = "Der K\u00f6nig pr\u00fcft die Stra\u00dfe"
    others = (
        "DER KO\u0308NIG PRU\u0308FT DIE STRASSE",
        "\uff24er K\u00f6nig\npru\u0308ft\tdie Stra\u00dfe",
        text,
    )
    with make() as world:
        forgotten = world.repository.forgotten
        for other in others:
            forgotten.add(text, [text], NOW)

            assert forgotten.holds([other])
            assert forgotten.without(f"Before.\n\n{other}") == "Before."
            with pytest.raises(ForgottenError):
                world.repository.put(lesson(other))
            assert forgotten.lift(other)
            assert not forgotten.holds([other])


@on_every_implementation
def test_an_entry_with_a_forgotten_text_can_not_be_stored(make: MakeWorld) -> None:
    with make() as world:
        world.repository.forgotten.add("x", [TEXT], NOW)
        for entry in (
            lesson(TEXT),
            attrs.evolve(lesson(OTHER), reasoning=TEXT),
            attrs.evolve(lesson(OTHER), notes=TEXT),
        ):
            with pytest.raises(ForgottenError, match=f"--undo-tombstone {entry.entry_id}"):
                world.repository.put(entry)

        world.repository.put(lesson(OTHER))
        assert [*world.numbers()] == [lesson(OTHER).entry_id]


@on_every_implementation
def test_it_is_lifted_by_its_owner_for_all_owners(make: MakeWorld) -> None:
    with make() as world:
        forgotten = world.repository.forgotten
        forgotten.add("one", [TEXT], NOW)
        forgotten.add("two", [TEXT, OTHER], NOW)

        assert not forgotten.lift("three")
        assert forgotten.holds([TEXT])
        assert forgotten.lift("one")
        assert (forgotten.holds([TEXT]), forgotten.holds([OTHER])) == (False, True)
        assert not forgotten.lift("one")


@on_every_implementation
def test_only_the_paragraphs_that_hold_a_word_are_recognised(make: MakeWorld) -> None:
    with make() as world:
        world.repository.forgotten.add("x", [f"{TEXT}\n\n{OTHER}"], NOW, ["quixoblate"])

        assert world.repository.forgotten.holds([OTHER])
        assert not world.repository.forgotten.holds([TEXT])


@on_every_implementation
def test_no_text_is_read_while_nothing_is_forgotten(make: MakeWorld) -> None:
    def unreadable() -> Iterator[str]:
        raise AssertionError("read")
        yield ""

    with make() as world:
        assert not world.repository.forgotten.holds(unreadable())


@on_every_implementation
@given(st.text(min_size=1).filter(str.strip))
@few_examples
def test_any_text_is_recognised_as_it_was_given(make: MakeWorld, text: str) -> None:
    with make() as world:
        world.repository.forgotten.add("x", [text], NOW)

        assert world.repository.forgotten.holds([text]) == bool(comparable(text))
        assert world.repository.forgotten.without(text) == ("" if comparable(text) else text)


@on_every_implementation
def test_texts_that_another_store_has_forgotten_are_recognised_beside_the_own(
    make: MakeWorld,
) -> None:
    with make() as world, make() as other, make() as empty:
        forgotten = world.repository.forgotten
        forgotten.add("own", [OTHER], NOW)
        other.repository.forgotten.add("theirs", [TEXT], NOW)
        for _ in range(2):
            forgotten.adopt(other.repository.forgotten.hashes())
            forgotten.adopt(empty.repository.forgotten.hashes())

        assert (forgotten.holds([TEXT]), forgotten.holds([OTHER])) == (True, True)
        assert len(forgotten.hashes().rows) == 2
        assert forgotten.lift("theirs")
        assert (forgotten.holds([TEXT]), forgotten.holds([OTHER])) == (False, True)
