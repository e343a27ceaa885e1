"""Decoding of rows: each decoder takes what hardwon stores, and refuses what it never does."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.sqlite.database import IN_MEMORY, SqliteDatabase, to_text
from hardwon.adapters.sqlite.decoding import (
    DECODERS,
    Decode,
    RowDecoder,
    at_least,
    fraction,
    integer,
    number,
    one_of,
    optional,
    or_else,
    text,
    texts,
    timestamp,
)

SQLITE_VALUES = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=20)
)


@pytest.mark.parametrize(
    ("decode", "right", "wrong"),
    [
        (text, ["", "word"], [None, 1, b"word"]),
        (integer, [0, -1, 2**63 - 1], [None, "1", 1.0, b""]),
        (at_least(1), [1, 2], [0, "1", None]),
        (fraction, [0, 0.5, 1], [-0.1, 1.1, float("nan"), "0.5", None]),
        (number, [0, -1.5], [float("inf"), float("nan"), "1"]),
        (texts, ["[]", '["a"]'], ["{}", "[1]", "[", None, 1]),
        (one_of(("a", "b")), ["a"], ["A", "", None, b"a"]),
        (optional(text), [None, "a"], [1]),
        (
            timestamp,
            ["2026-11-01T10:00:00+00:00"],
            ["2026-11-01T10:00:00", "2026-13-01", "", None, 5],
        ),
    ],
)
def test_a_decoder_takes_what_is_stored_and_nothing_else(
    decode: Decode, right: list[object], wrong: list[object]
) -> None:
    for value in right:
        decode(value)
    for value in wrong:
        with pytest.raises((TypeError, ValueError)):
            decode(value)
        assert or_else(decode, "default")(value) == "default"


@given(st.sampled_from(sorted(DECODERS)), SQLITE_VALUES)
def test_a_value_is_decoded_or_its_field_is_named(field: str, value: object) -> None:
    try:
        [_] = RowDecoder([field])([value])
    except ValueError as error:
        assert str(error).startswith(f"{field}: ")  # noqa: PT017  # most values are decoded


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_time_comes_back(at: dt.datetime) -> None:
    assert timestamp(to_text(at)) == at


def test_rows_that_cannot_be_read_are_left_out_and_reported_once() -> None:
    database, warnings = SqliteDatabase(IN_MEMORY), list[str]()
    database.warn = warnings.append
    decode = RowDecoder(["seq", "tier"])
    rows = [(1, "normal"), (2, "enormous"), (3, "critical")]

    for _ in range(2):
        assert [*database.readable("entry", rows, decode)] == [[1, "normal"], [3, "critical"]]
    [warning] = warnings
    assert warning.startswith(
        "entry 2 can't be read, and is left out (tier: 'enormous' is none of "
    )
    assert warning.endswith("run: hardwon doctor --repair")


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    database = SqliteDatabase(IN_MEMORY)

    assert database.rows("SELECT CAST(x'61ff62' AS TEXT)") == [("a\ufffdb",)]
    assert database.rows("SELECT 'größe'") == [("größe",)]


def test_a_stream_goes_on_where_bytes_are_no_utf_8() -> None:
    database = SqliteDatabase(IN_MEMORY)
    values = "VALUES ('a'), ('b'), (CAST(x'ff' AS TEXT)), ('c')"

    assert [value for (value,) in database.stream(values)] == ["a", "b", "\ufffd", "c"]
