"""Which texts are spellings of one text."""

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.forgotten import comparable
from hardwon.domain.model.identity import (
    POINTS,
    Spellings,
    composed,
    folded,
    one_line,
    readings,
    unaccented,
)
from tests.texts import RESPELLINGS, SPACES, any_text, phrases, spelled

WANTED = "the M\u00fchlrad contract"


@given(spelled())
@example(("K\u00f6nig \u0130z", "KO\u0308NIG\n> i\u0307Z"))
def test_all_spellings_of_a_text_are_found(pair: tuple[str, str]) -> None:
    text, other = pair

    assert Spellings(text).are_in(other)
    assert Spellings(other).are_in(text)


@given(spelled(gaps=SPACES))
def test_all_spellings_of_a_text_compare_equal(pair: tuple[str, str]) -> None:
    text, other = pair

    assert one_line(text) == one_line(other)


def test_every_character_folds_as_it_does_in_any_form_and_case() -> None:
    for character in map(
        chr, (*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x10000))
    ):
        text = f"a{character}b"
        others = {respell(text) for respell in RESPELLINGS}
        assert {folded(other) for other in others} == {folded(text)}, hex(ord(character))


@given(any_text, spelled(), any_text)
def test_a_spelling_is_found_in_any_text(before: str, pair: tuple[str, str], after: str) -> None:
    text, other = pair
    found = Spellings(text).are_in(f"{before}|{other}|{after}")

    assert found


@given(spelled(), st.integers(1, 2))
def test_a_spelling_is_found_in_json_and_in_json_within_json(
    pair: tuple[str, str], times: int
) -> None:
    text, other = pair
    for _ in range(times):
        other = json.dumps(other)

    assert any(Spellings(text).are_in(reading) for reading in readings(other))
    assert any(
        Spellings(text).are_in(reading) for reading in readings(other.replace("\\u00fc", "\\u00FC"))
    )


@given(phrases)
def test_folding_is_idempotent_and_takes_any_normal_form(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert folded(unicodedata.normalize(form, text)) == folded(text) == folded(folded(text))
    assert composed(unicodedata.normalize("NFD", text)) == composed(text)


@pytest.mark.parametrize(
    "text",
    [
        "the Mu\u0308hlrad contract",
        "THE M\u00dcHLRAD CONTRACT",
        "\uff34\uff48\uff45 M\u00fchl\u00adrad contract",
        "the\r\nM\u00fchlrad\n\n\tcontract",
        "> the M\u00fchlrad\n> contract",
        "    # the\n    # M\u00fchlrad\n    # contract",
        "/**\n * the M\u00fchlrad\n * contract\n */",
        "// the M\u00fchlrad\n// contract",
        "-- the M\u00fchlrad\n-- contract",
        "the\u00a0M\u00fchlrad\u2003contract's",
        "the **M\u00fchlrad** contract",
        "**the** `M\u00fchlrad` *contract*",
        "- the\n- M\u00fchlrad\n- contract",
        "+ the M\u00fchlrad\n+ contract",
        "the M\u00fchlrad\n-----\ncontract",
    ],
)
def test_a_phrase_is_found_over_lines_and_in_any_script(text: str) -> None:
    assert Spellings(WANTED).are_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "the Muhlrad contract",
        "the M\u00fchlradcontract",
        "the M\u00fchlrad > contract",
        "the M\u00fchlrad, contract",
        "M\u00fchlrad contract",
        "the M\u00fchlrad contract\u0302",
    ],
)
def test_another_text_is_not_found(text: str) -> None:
    assert not Spellings(WANTED).are_in(text)


@pytest.mark.parametrize("text", ["rm * -rf", "ls **/*.py x", "a * b", "f(*x, **y) `z`", "x\n-rf"])
def test_a_text_with_marks_of_emphasis_is_found_as_it_is(text: str) -> None:
    assert Spellings(text).are_in(f"so: {text}")
    assert Spellings(f"so: {text}").are_in(f"so: {text}")


@pytest.mark.parametrize("mark", ["-", "//", "- ", "*", "> ", "`", " ", "\n"])
def test_a_long_rule_below_a_word_is_searched_in_linear_time(mark: str) -> None:
    assert not Spellings("the contract").are_in(f"the\n{mark * 20_000}\nend, contract")


@pytest.mark.parametrize(
    ("text", "other", "any_case", "is_found"),
    [
        ("IT", "it", False, False),
        ("IT", "it", True, True),
        ("IT", "with IT", False, True),
        ("IT", "\uff29\uff34", False, True),
        ("Zo\u00eb", "Zoe\u0308", False, True),
        ("Zo\u00eb", "zo\u00eb", False, False),
        ("Zo\u00ebs", "zoe\u0308s", False, True),
        ("Ma\u00df", "MASS", False, False),
        ("Ma\u00df", "MASS", True, True),
        ("Ma\u00dfe", "MASSE", False, True),
    ],
)
def test_a_text_of_up_to_three_letters_keeps_its_case(
    text: str, other: str, any_case: object, is_found: object
) -> None:
    assert Spellings(text, any_case=bool(any_case)).are_in(other) is is_found


@pytest.mark.parametrize("text", ["u", "Mu", "x\u0302", "\u0915"])
def test_a_match_ends_where_a_character_ends(text: str) -> None:
    assert Spellings(text).are_in(f"{text} and {text}.")
    assert not Spellings(text).are_in(f"{text}\u0332")
    assert Spellings(text).are_in(f"{text}\u0332{text}")


@pytest.mark.parametrize(
    "other", ["ISTANBUL", "istanbul", "\u0130stanbul", "\u0131stanbul", "i\u0307stanbul"]
)
def test_the_four_letters_i_of_turkish_are_one(other: str) -> None:
    assert all(
        Spellings(text).are_in(other) for text in ("\u0130STANBUL", "\u0131stanbul", "Istanbul")
    )


@pytest.mark.parametrize(
    "other",
    ["\u6771\u4eac\u5927\u5b66", "\u6771\u4eac\n\u5927\u5b66", "\u6771\n> \u4eac \u5927\u5b66"],
)
def test_a_line_ends_anywhere_in_a_script_without_spaces(other: str) -> None:
    assert Spellings("\u6771\u4eac \u5927\u5b66").are_in(other)
    assert Spellings("\u6771\u4eac\u5927\u5b66").are_in(other)
    assert comparable(other) == "\u6771\u4eac\u5927\u5b66"


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u200d", "\ufeff"])
def test_a_text_of_which_nothing_is_seen_is_found_nowhere(text: str) -> None:
    assert Spellings(text).word == ""
    assert not Spellings(text).are_in(f"a{text}b {text}")


def _is_composed(sign: str) -> bool:
    return composed(sign) == sign


UNMARKED = (
    "LATIN",
    "GREEK",
    "CYRILLIC CAPITAL LETTER IO",
    "CYRILLIC SMALL LETTER IO",
    "ARABIC LETTER ALEF",
)


def test_only_latin_and_greek_letters_and_io_and_alef_lose_their_accents() -> None:
    signs = map(chr, (*range(0x3400), *range(0xA000, 0xD800), *range(0xE000, 0x10000)))
    for character in filter(_is_composed, signs):
        plain = unaccented(character)
        name = unicodedata.name(character, "")
        assert unaccented(plain) == plain, hex(ord(character))
        if plain != character:
            is_letter = name.startswith(UNMARKED) and plain.isalpha()
            assert is_letter or character in POINTS or not character.isalnum(), hex(ord(character))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\u0130\u0131 \u01fe \u01ed", "Ii O o"),
        ("\u1ec7 \u1ee3 \u1e9e", "e o SS"),
        ("\u0439 \u0457 \u30ac \ud55c", "\u0439 \u0457 \u30ac \ud55c"),
        ("a\u0301", "a"),
        ("\u0401\u0451", "\u0415\u0435"),
        ("\u0623\u0645\u0651 \u0646\u0640\u0640\u0634", "\u0627\u0645 \u0646\u0634"),
        ("\u05d4\u05b7\u05de\u05bc\u05b0\u05d8", "\u05d4\u05de\u05d8"),
    ],
)
def test_points_go_and_accents_of_other_scripts_stay(text: str, plain: str) -> None:
    assert unaccented(text) == plain
