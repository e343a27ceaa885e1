"""Transcripts as files: whatever their lines are, however far they are written."""

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.transcripts import utterances as lines_module
from hardwon.adapters.transcripts.reader import CUT, LONGEST_TEXT
from hardwon.domain.model.errors import UnreadableFileError
from tests.transcripts import GOOD, READER, plain, prompts, read


def test_plain_exchanges_are_read_with_their_places(tmp_path: Path) -> None:
    second = plain(timestamp="2026-11-21T11:00:00+01:00")

    one, other = read(tmp_path, GOOD + b"\r\n" + second)

    assert (one.exchange.user, one.exchange.assistant, one.begins_at, one.is_over) == (
        "A prompt",
        "A reply",
        0,
        True,
    )
    assert (other.begins_at, other.is_over, other.session_id) == (len(GOOD) + 2, False, "")
    assert [turn.exchange.at.isoformat() for turn in (one, other)] == [
        "2026-11-21T09:30:00+00:00",
        "2026-11-21T10:00:00+00:00",
    ]


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"null",
            b"3",
            b'"user":',
            b"\0\0\0",
            b"\xff\xfe",
            b'{"user": "\xff"}',
            b'{"user": "x",}',
        ),
        *(
            b'{"user": 3}',
            b'{"user": ["x"]}',
            b'{"user": null}',
            b'{"user": "", "assistant": " "}',
            b'{"user": {}}',
        ),
        *(
            b'{"type": "user"}',
            b'{"type": "user", "message": []}',
            b'{"type": "user", "message": {"content": 3}}',
        ),
        *(
            b'{"type": "assistant", "message": {"content": [3, null, {"type": "text", "text": 3}]}}',
        ),
        *(
            b'{"type": "assistant", "message": {"content": [{"type": ["text"], "text": "x"}, {"type": {}}]}}',
        ),
        *(
            b'{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": []}]}}',
        ),
        *(b'{"type": ["user"], "user": "x"}', b'{"type": "response_item", "payload": "x"}'),
        *(
            b'{"type": "response_item", "payload": {"type": "message", "role": "user", "content": "x"}}',
        ),
        b'{"user":' + b"[" * 100_000,
        b'{"user": 1' + b"0" * 5_000 + b"}",
    ],
    ids=lambda line: repr(line[:60]),
)
def test_a_line_that_cannot_be_read_costs_only_itself(tmp_path: Path, line: bytes) -> None:
    assert prompts(read(tmp_path, b"\n".join([line, GOOD, line, plain(), line]))) == [
        "A prompt",
        "Another",
    ]


@pytest.mark.parametrize(
    "when", [None, 3, "", "yesterday", "0001-01-01T00:00:00+14:00", [], {"a": 1}]
)
def test_an_exchange_that_cannot_be_dated_is_a_millisecond_after_what_came_before(
    tmp_path: Path, when: Any
) -> None:
    data = b"\n".join([GOOD, *[plain(timestamp=when)] * 3, GOOD, b""])
    several = read(tmp_path, data)

    assert [turn.exchange.at.microsecond for turn in several] == [0, 1_000, 2_000, 3_000, 0]
    assert all(
        read(tmp_path, data, turn.begins_at) == several[place:]
        for place, turn in enumerate(several)
    )


def test_there_is_no_millisecond_after_the_last(tmp_path: Path) -> None:
    last = "9999-12-31T23:59:59.999999Z"
    both = read(tmp_path, plain(timestamp=last) + b"\n" + plain(timestamp=None))

    assert [turn.exchange.at.isoformat() for turn in both] == [
        "9999-12-31T23:59:59.999000+00:00"
    ] * 2


def test_a_time_without_a_zone_is_in_utc(tmp_path: Path) -> None:
    [one] = read(tmp_path, plain(timestamp="2026-11-21 09:30"))

    assert one.exchange.at.isoformat() == "2026-11-21T09:30:00+00:00"


@pytest.mark.parametrize(
    "when", ["1763629200000", "1763629200", "1763629200.0", '"1763629200000"', '" 1763629200.0"']
)
def test_a_time_may_be_a_number_of_seconds_or_milliseconds(tmp_path: Path, when: str) -> None:
    [one] = read(tmp_path, f'{{"user": "x", "assistant": "y", "timestamp": {when}}}\n'.encode())

    assert one.exchange.at.isoformat() == "2025-11-20T09:00:00+00:00"


def test_exchanges_of_which_none_is_dated_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableFileError, match="none of its exchanges has a timestamp, such as 2026"
    ):
        read(tmp_path, b'{"user": "x", "assistant": "y"}\n')


@pytest.mark.parametrize(
    "data", [b"\x7fELF\0\0" * 100, b"# Notes\n\nuser: hi\n", b"[1, 2]\n", b"\0"]
)
def test_data_that_is_no_transcript_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="no line of it is a record of a transcript"):
        read(tmp_path, data)


@pytest.mark.parametrize("data", [b"", b"\n \n", b'{"type": "mode"}\n', b'{"type": "us'])
def test_a_transcript_without_utterances_has_no_exchange(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, data) == []


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "gone.jsonl", "No such file")):
        with pytest.raises(UnreadableFileError, match=why):
            list(READER.read(str(path)))


def test_a_line_that_is_still_being_written_is_left_for_later(tmp_path: Path) -> None:
    whole = GOOD + b"\n" + plain()

    assert prompts(read(tmp_path, whole[:-1])) == ["A prompt"]
    assert prompts(read(tmp_path, whole)) == ["A prompt", "Another"]


@pytest.mark.parametrize("position", [1, 17, 10_000_000, -1])
def test_where_no_line_begins_all_is_read_again(tmp_path: Path, position: int) -> None:
    assert prompts(read(tmp_path, GOOD + b"\n" + plain() + b"\n", position)) == [
        "A prompt",
        "Another",
    ]


def test_a_position_at_the_very_end_is_beyond_it(tmp_path: Path) -> None:
    data = GOOD + b"\n" + plain() + b"\n"

    assert prompts(read(tmp_path, data, len(data))) == ["A prompt", "Another"]


def test_a_line_beyond_measure_is_left_out_and_those_after_it_are_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 1_000)
    long = plain(user="x" * 200_000)
    data = b"\n".join([GOOD, long, plain(), long])

    one, other = read(tmp_path, data)

    assert other.begins_at == data.index(plain()) == len(GOOD) + 1 + len(long) + 1
    assert read(tmp_path, data, other.begins_at) == [other]
    assert one.is_over


def test_a_text_beyond_measure_is_cut(tmp_path: Path) -> None:
    [one] = read(
        tmp_path, plain(user="word " * 50_000, assistant="<private>x</private>" + "x" * 2_000_000)
    )

    assert len(one.exchange.user) == LONGEST_TEXT - 1 + len(CUT)
    assert one.exchange.user.endswith(f"word{CUT}")
    assert one.exchange.assistant == "x" * LONGEST_TEXT + CUT


def test_no_secret_is_cut_in_two(tmp_path: Path) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    private = f"<private>{'x' * 999_960}</private> then {secret}"

    [one] = read(tmp_path, plain(user=private))

    assert one.exchange.user == "then"


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    turn = GOOD + b"\n" + b'{"type":"attachment","content":"' + b"x" * 500_000 + b'"}\n'
    file = tmp_path / "transcript.jsonl"
    file.write_bytes(turn * 40)
    tracemalloc.start()
    try:
        assert sum(1 for _ in READER.read(str(file))) == 40
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


class Piped(io.BytesIO):
    """A stream that cannot be rewound."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation


def test_standard_input_is_read_from_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Piped(GOOD + b"\n" + plain(timestamp=None))))

    assert prompts(list(READER.read("-", 5))) == ["A prompt", "Another"]


def test_standard_input_that_is_closed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    with pytest.raises(UnreadableFileError, match="standard input is closed"):
        list(READER.read("-"))


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    assert prompts(read(tmp_path, b"\xef\xbb\xbf" + GOOD)) == ["A prompt"]
