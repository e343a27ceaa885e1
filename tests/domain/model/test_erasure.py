"""The texts and ids to erase, in texts and in the bytes of files."""

import json
import os
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.erasure import MIN_OVERLAP, Erasure, lines_of, still_unused, words_of
from tests.texts import spelled

WORD = "M\u00fchlrad"
ID = "0123456789abcdef"


def parts(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(spelled(), st.binary(max_size=40), st.integers(1, 50), st.booleans())
def test_every_spelling_is_found_in_bytes_however_they_are_read(
    pair: tuple[str, str], around: bytes, size: int, is_json: object
) -> None:
    text, other = pair
    data = (
        around
        + b"\0\0"
        + (json.dumps(other) if is_json else other).encode("utf-8", "replace")
        + b"\0\0"
        + around
    )

    assert text in Erasure((text,)).found_in_bytes(parts(data, size))


@given(spelled(), st.text(max_size=20))
@example(("Mu\u0308hl rad", "MU\u0308HL\n> RAD"), "|")
def test_every_spelling_is_erased_and_what_is_left_holds_none(
    pair: tuple[str, str], rest: str
) -> None:
    text, other = pair
    erasure = Erasure((text,))
    left = erasure.without(f"first line\n|{other}|\n{rest}\nlast line\n")

    assert not erasure.is_in(left)
    assert left.startswith("first line\n") or erasure.is_in("first line") or erasure.is_in(rest)


@pytest.mark.large
@pytest.mark.parametrize("shift", range(-16, 17, 4))
def test_a_text_over_two_windows_of_a_large_file_is_found(shift: int) -> None:
    for form in (WORD, "Mu\u0308hlrad", r"M\u00fchlrad", r"M\\u00FChlrad"):
        data = b" " * (2 * MIN_OVERLAP + shift) + form.encode() + b" " * MIN_OVERLAP
        assert Erasure((WORD,)).found_in_bytes(parts(data, MIN_OVERLAP)) == {WORD}, form


def test_a_letter_whose_accent_is_in_the_next_window_is_not_taken_for_another() -> None:
    data = b" " * (MIN_OVERLAP - 4) + "Milu\u0308".encode() + b" " * MIN_OVERLAP

    assert not Erasure(("Milu",)).found_in_bytes(parts(data, MIN_OVERLAP))
    assert Erasure(("Mil\u00fc",)).found_in_bytes(parts(data, MIN_OVERLAP))


def test_ids_are_found_beside_texts_and_without_any_nothing_is_read() -> None:
    assert Erasure((WORD,), frozenset([ID])).found_in(f"of {ID}: m\u00fchlrad") == {ID, WORD}
    assert Erasure().found_in_bytes(iter(())) == set()


def test_three_letters_are_found_in_text_and_not_by_chance_in_vectors() -> None:
    erasure = Erasure(("Ute",))

    assert erasure.found_in_bytes([b"\xff\x00Ask Ute first.\x00\xff"]) == {"Ute"}
    assert (
        erasure.found_in_bytes([b"\xff\x00\x01Ute\x02\x80\xff" + os.urandom(64).replace(b"U", b"")])
        == set()
    )
    assert Erasure(("\u6771\u4eac",)).found_in_bytes(
        [b"\xff\x00" + "\u6771\u4eac".encode() + b"\x00"]
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("one\nthe M\u00dcHLRAD\ntwo\n", "one\ntwo\n"),
        ("one\nof the plan\n> B here\ntwo\nplan  b\n", "one\ntwo\n"),
        ("plan\n\n\nb", ""),
        ("one plan\ntwo b\n", "one plan\ntwo b\n"),
    ],
)
def test_lines_that_hold_it_together_are_erased_together(text: str, left: str) -> None:
    assert Erasure((WORD, "plan B")).without(text) == left


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the `Blue` Falcon", "the Blue Falcon"),
        ("**Blue** Falcon", "of blue falcon"),
        ("a [falcon](http://blue/x)", "a falcon (http://blue/x)"),
        ("a <!-- blue --> falcon", "a   blue   falcon"),
        ("a <!-- blue --> falcon", "> a &lt;!-- blue --> falcon"),
        ("Vec<Blue>, falcon", "## Vec&#60;Blue>&#44; falcon"),
        ("R&amp;D falcon", "R&amp;D falcon"),
        ("blue &#60; falcon", "blue &amp;#60; falcon"),
    ],
)
def test_a_text_with_markup_is_found_as_entries_and_files_have_it(text: str, kept: str) -> None:
    assert Erasure((text,)).found_in(kept) == {text}


@pytest.mark.parametrize(
    ("text", "name", "is_named"),
    [
        ("Blue Falcon", "2026-03-01-falcon-exporter-blue.md", True),
        ("the M\u00fchlrad plan", "[x](../conversations/2026-03-01-muhlrad-plan-2.md)", True),
        ("M\u00fchlrad", "/memory/decisions/2026-03-01-muhlrad.md", True),
        ("Blue Falcon", "2026-03-01-blue-exporter.md", False),
        ("Blue Falcon", "blue-falcon", False),
        (f"{WORD} {WORD} falcon, which is a line of a lesson", "2026-03-01-muhlrad.md", False),
    ],
)
def test_a_text_is_found_in_the_name_of_a_memory_file_on_it(
    text: str, name: str, *, is_named: bool
) -> None:
    erasure = Erasure((text,))

    assert erasure.is_in(name) is is_named
    assert erasure.found_in_bytes([b"\0", name.encode(), b"\xff"]) == (
        {text} if is_named else set()
    )
    assert not is_named or any(word in name for word in erasure.words)


def test_lines_and_words_are_known_in_any_spelling() -> None:
    line = "The codename of the customer is M\u00fchlrad, tell nobody."
    decomposed = line.replace("\u00fc", "u\u0308").upper()

    assert lines_of([line]) == lines_of([decomposed])
    assert words_of(["M\u00fchlrad"]) == words_of(["MU\u0308HLRAD"]) == {"m\u00fchlrad"}
    assert still_unused(lines_of([line]), f"So: {decomposed}") == set()
    assert still_unused(lines_of([line]), "So: the codename") == lines_of([line])
    assert still_unused(lines_of([line]), line.replace("codename", "**codename**")) == set()
