"""Damage done to good inputs, the same for the same seed."""

import random
from collections.abc import Callable, Sequence

TOKENS: Sequence[bytes] = [
    *(
        b"\0",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n\n",
        b"\t",
    ),
    *(
        b"---\n",
        b"```\n",
        b"~~~",
        b"<!-- ANCHOR:a -->",
        b"<!-- /ANCHOR:a -->",
        b"<private>",
        b"</private>",
        b"### ",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b",",
        b":",
        b"null",
        b"true",
        b"NaN",
        b"1e999",
        b"-0",
        b"9" * 5_000,
    ),
    *(
        b"[" * 3_000,
        b"{" * 3_000,
        b'{"a":' * 2_000,
        b"0001-01-01",
        b"9999-12-31T23:59:59Z",
        b"<<<<<<< a\n",
        b"=" * 60,
    ),
]
"""Byte sequences on which parsers stumble."""

PAGE = 4_096
LONGEST = 200_000
"""Bytes of a mutated input."""


def flip(data: bytearray, chance: random.Random) -> None:
    """Flip a bit."""
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def cut(data: bytearray, chance: random.Random) -> None:
    """Remove a part."""
    start = chance.randrange(len(data))
    del data[start : start + chance.choice((1, 8, 200))]


def repeat(data: bytearray, chance: random.Random) -> None:
    """Double a part."""
    start = chance.randrange(len(data))
    data[start:start] = data[start : start + chance.choice((1, 20, 1_000))]


def insert(data: bytearray, chance: random.Random) -> None:
    """Insert a token."""
    place = chance.randrange(len(data))
    data[place:place] = chance.choice(TOKENS)


def truncate(data: bytearray, chance: random.Random) -> None:
    """Remove the end."""
    del data[chance.randrange(len(data)) :]


def swap(data: bytearray, chance: random.Random) -> None:
    """Let two lines change places."""
    lines = bytes(data).split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    data[:] = b"\n".join(lines)


CHANGES: Sequence[Callable[[bytearray, random.Random], None]] = (
    flip,
    cut,
    repeat,
    insert,
    truncate,
    swap,
)


def zero_page(data: bytearray, chance: random.Random) -> None:
    """Leave nothing in one page of a database."""
    start = chance.randrange(len(data)) // PAGE * PAGE
    data[start : start + PAGE] = bytes(len(data[start : start + PAGE]))


def copy_page(data: bytearray, chance: random.Random) -> None:
    """Overwrite one page of a database by another."""
    first, second = (chance.randrange(len(data)) // PAGE * PAGE for _ in range(2))
    data[first : first + PAGE] = data[second : second + PAGE]


def damaged(good: bytes, chance: random.Random) -> bytes:
    """Return the content of a file after what disks and programs do to it."""
    data = bytearray(good)
    changes = (*[flip] * 6, zero_page, copy_page, truncate, cut, insert)
    for _ in range(chance.choice((1, 1, 3, 20))):
        if data:
            chance.choice(changes)(data, chance)
    return bytes(data)


def mutated(good: bytes, chance: random.Random) -> bytes:
    """Return *good* after one to six changes."""
    data = bytearray(good)
    for _ in range(chance.randint(1, 6)):
        if data:
            chance.choice(CHANGES)(data, chance)
    return bytes(data[:LONGEST])
