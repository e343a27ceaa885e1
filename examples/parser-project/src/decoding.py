"""From bytes to text, without losing any."""

import codecs
from pathlib import Path

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(path: Path, declared: str) -> str:
    """Return the encoding the byte order mark names, else the *declared* one."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for mark, name in MARKS if start.startswith(mark)), declared)
