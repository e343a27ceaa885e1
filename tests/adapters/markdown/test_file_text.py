import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.file_text import UNKNOWN, decode_file

WINDOWS = "it is read as Windows-1252, as it is not UTF-8: save it as UTF-8"
BEGINS_A_MARK = ("\0", "\ufeff")
UTF_16 = "it is read as UTF-16: save it as UTF-8"


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=50).filter(
        lambda text: text[:1] not in BEGINS_A_MARK
    )
)
def test_utf_8_is_read_without_a_word_and_utf_16_with_one(text: str) -> None:
    assert decode_file(text.encode()) == decode_file(text.encode("utf-8-sig")) == (text, "")
    assert decode_file(text.encode("utf-16")) == (text, UTF_16)


@given(data=st.binary(max_size=50))
def test_no_byte_is_replaced_without_a_word(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        text, note = decode_file(data)
        assert note or text.encode() == data.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    "text",
    [
        "Die Prüfsumme der Bürgerbüros",
        "“Zitat” für 50 €",
        "Gruß“ für alle",
        "L'été à la plage",
        "señor",
        "Ærø\r\n\tÅs",
    ],
)
def test_windows_1252_is_read_with_a_word(text: str) -> None:
    assert decode_file(text.encode("cp1252")) == (text, WINDOWS)


def test_stray_bytes_in_utf_8_cost_nothing_else() -> None:
    note = "2 bytes of it, no UTF-8, read as Windows-1252: save it as UTF-8"

    assert decode_file("Grüße für ".encode() + b"\xfc und \xe4") == ("Grüße für ü und ä", note)


@pytest.mark.parametrize(
    "data",
    [
        "проверка кириллицы".encode("cp1251"),
        "日本語のテスト".encode("shift-jis"),
        b"a\x81b",
        b"\xff\xfea",
        "a".encode("utf-32"),
        b"\x89PNG\r\n\x1a\n\x01\x02",
    ],
    ids=ascii,
)
def test_other_encodings_are_named(data: bytes) -> None:
    with pytest.raises(ValueError, match=UNKNOWN):
        decode_file(data)
