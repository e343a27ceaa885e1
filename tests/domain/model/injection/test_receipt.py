import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import assembled, framed_by, text_digest

texts = st.text(alphabet="ab \n", max_size=8)
any_text = st.text(st.characters(exclude_categories=()), max_size=30)


@given(frame=st.lists(texts, min_size=1, max_size=5), data=st.data())
def test_a_text_is_put_together_again_from_its_frame_and_its_pieces(
    frame: list[str], data: st.DataObject
) -> None:
    pieces = data.draw(st.lists(texts, min_size=len(frame) - 1, max_size=len(frame) - 1))
    text = assembled(frame, pieces)

    found = framed_by(text, pieces)

    assert len(found) == len(frame)
    assert assembled(found, pieces) == text


def test_the_frame_is_the_text_before_between_and_after() -> None:
    assert framed_by("<one, two>", ["one", "two"]) == ("<", ", ", ">")
    assert framed_by("nothing", []) == ("nothing",)


@pytest.mark.parametrize("pieces", [["two", "one"], ["three"], ["one", "one"]])
def test_pieces_that_are_missing_or_out_of_order_are_refused(pieces: list[str]) -> None:
    with pytest.raises(ValueError, match="does not stand in the text"):
        framed_by("one, two", pieces)


def test_a_frame_of_another_number_of_pieces_is_refused() -> None:
    with pytest.raises(ValueError, match="2 parts"):
        assembled(("a", "b"), [])


@given(text=any_text)
def test_every_text_has_a_digest_that_its_characters_decide(text: str) -> None:
    assert len(text_digest(text)) == 64
    assert text_digest(text) != text_digest(f"{text}\ud800")


def test_the_digest_is_the_sha256_of_utf_8() -> None:
    assert text_digest("né") == hashlib.sha256("né".encode()).hexdigest()
