"""
Compare a cited file with what marked its content when it was cited.

Cited lines are found again after lines were added or removed elsewhere. A cited symbol is found
by its name. A whole file has changed if a fifth of its lines is gone. White space at both ends of
a line does not count.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeAlias
from zlib import crc32

from hardwon.domain.model.citations import Citation
from hardwon.domain.model.cited_place import Mark

Lines: TypeAlias = Sequence[str]

SAMPLE_SIZE = 24
"""The number of lines by which a file is compared as a whole."""

HASH_DIGITS = 8
MAX_LOST = 0.2
"""The share of lost lines from which on a file has changed."""

MIN_KEPT = 0.6
"""The share of kept lines from which on a file is another one, moved."""

MIN_SAMPLE = 5
"""A file with fewer lines is recognised by all of its content."""

MIN_CONTENT = 24
"""The size in bytes from which on a file is recognised elsewhere."""

DISTINCT_LENGTH = 20
"""Characters of cited lines that are recognised without the lines beside them."""

MAX_LINE = 400
"""Characters of a line in which a symbol is looked for."""

MAX_STARTS = 1_000
"""The number of places at which cited lines are looked for."""

MAX_CITED_LINES = 2_000
BINARY_BYTES = 8_000


def blob_id(content: bytes) -> str:
    """
    Return the git blob id of *content*.

    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def mark_of(citation: Citation, content: bytes) -> Mark | None:
    """Return the mark of the cited *content*, None without such a line or symbol."""
    blob, lines = blob_id(content), _lines_of(content)
    if lines is None:
        return Mark(blob)
    mark = Mark(blob, _sample_of(lines))
    if citation.line:
        begin = citation.line - 1
        end = min(max(citation.last, citation.line), begin + MAX_CITED_LINES)
        return _of_lines(mark, lines, begin=begin, end=end) if begin < len(lines) else None
    if citation.symbol and " " not in citation.symbol:
        block = _block_of(citation.symbol, lines)
        return None if block is None else mark._replace(lines=_digest(block))
    return mark


def has_changed(citation: Citation, mark: Mark, content: bytes) -> bool:
    """Return whether the cited part of a file, or all of it, has changed."""
    if not mark.blob or blob_id(content) == mark.blob:
        return False
    lines = _lines_of(content)
    if lines is None:
        return True
    if mark.lines and mark.at:
        return not _has_lines(mark, lines)
    if mark.lines:
        block = _block_of(citation.symbol, lines)
        return block is None or _digest(block) != mark.lines
    return _share_kept(mark, lines) <= 1 - MAX_LOST


def is_same_file(mark: Mark, content: bytes) -> bool:
    """Return whether *content* is the marked file under another name, maybe edited."""
    if len(content) < MIN_CONTENT:
        return False
    if not mark.blob or blob_id(content) == mark.blob:
        return bool(mark.blob)
    lines = _lines_of(content)
    has_enough = len(mark.sample) >= MIN_SAMPLE * HASH_DIGITS
    return lines is not None and has_enough and _share_kept(mark, lines) >= MIN_KEPT


def _lines_of(content: bytes) -> Lines | None:
    """Return the lines of a text, None for another file."""
    if b"\0" in content[:BINARY_BYTES]:
        return None
    return content.decode("utf-8", "replace").split("\n")


def _sample_of(lines: Lines) -> str:
    """Return the smallest hashes of distinct lines, which are a fair sample."""
    return "".join(sorted({*_hashes(lines)})[:SAMPLE_SIZE])


def _share_kept(mark: Mark, lines: Lines) -> float:
    marked = [mark.sample[at : at + HASH_DIGITS] for at in range(0, len(mark.sample), HASH_DIGITS)]
    present = {*_hashes(lines)}
    return sum(line in present for line in marked) / len(marked) if marked else 0.0


def _hashes(lines: Iterable[str]) -> Iterator[str]:
    return (_hash(line) for line in map(str.strip, lines) if line)


def _hash(line: str) -> str:
    return f"{crc32(line.strip().encode('utf-8', 'surrogatepass')):08x}"


def _digest(lines: Iterable[str]) -> str:
    text = "\n".join(line.strip() for line in lines)
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[
        :16
    ]


def _of_lines(mark: Mark, lines: Lines, begin: int, end: int) -> Mark:
    """Return *mark* with the lines from *begin* to *end*, which is not included."""
    cited = lines[begin:end]
    digest, count = _digest(cited), len(cited)
    times = sum(
        1 for _ in _starts(lines, first=_hash(cited[0]), digest=digest, count=count, at=begin)
    )
    return mark._replace(
        lines=f"{digest}:{count}:{min(times, 2)}",
        around=_beside(lines, begin, -1) + _hash(cited[0]) + _beside(lines, end - 1, 1),
        at=begin + 1,
    )


def _has_lines(mark: Mark, lines: Lines) -> bool:
    """Return whether *lines* has the marked ones, where the lines beside them tell."""
    digest, count, times = mark.lines.split(":")
    before, first, after = (mark.around[at : at + HASH_DIGITS] for at in (0, 8, 16))
    found = [*_starts(lines, first=first, digest=digest, count=int(count), at=mark.at - 1)]
    if any(
        _beside(lines, start, -1) == before or _beside(lines, start + int(count) - 1, 1) == after
        for start in found
    ):
        return True
    text = "".join(
        line.strip() for start in found[:1] for line in lines[start : start + int(count)]
    )
    return len(found) == 1 and times == "1" and len(text) >= DISTINCT_LENGTH


def _starts(lines: Lines, *, first: str, digest: str, count: int, at: int) -> Iterator[int]:
    """Yield where the lines of *digest* begin, the nearest to *at* first."""
    starts = [start for start, line in enumerate(lines) if _hash(line) == first]
    starts.sort(key=lambda start: abs(start - at))
    return (
        start
        for start in islice(starts, MAX_STARTS)
        if _digest(lines[start : start + count]) == digest
    )


def _beside(lines: Lines, start: int, step: int) -> str:
    """Return the hash of the next line from *start* that is not blank."""
    places = range(start + step, len(lines) if step > 0 else -1, step)
    return next(_hashes(lines[at] for at in places), _hash(""))


_KEYWORDS = (
    "def class func function fn fun sub proc struct enum interface trait type impl const let var val mod module"
    " macro record object namespace package table view procedure"
)
_DEFINES = rf"\b(?:{'|'.join(_KEYWORDS.split())})\b[^=\n]*?(?<![\w$]){{}}(?![\w$])"
_BEGINS = r"^[\w<>*&:,\[\] ]{{0,80}}(?<![\w$]){}\s*(?:[(:=<{{]|$)"
_HAS = r"(?<![\w$]){}(?![\w$])"
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_NO_WORD = re.compile(r"[^\w\s-]")


def _block_of(symbol: str, lines: Lines) -> Lines | None:
    """
    Return the lines of the definition, or section, that *symbol* names.

    Of `Pool::close` and `Pool.close`, that of the last name, after the others.
    """
    start = -1
    for name in filter(None, re.split(r"::|[.#/]", symbol.partition("[")[0])):
        found = _line_of(name.removesuffix("()"), lines, start + 1)
        if found is None:
            return None
        start = found
    return lines[start : _end_of_block(lines, start)] if start >= 0 else None


def _line_of(name: str, lines: Lines, begin: int) -> int | None:
    """Return the line that defines *name*, else the first one that has it."""
    after = [(at, line[:MAX_LINE].strip()) for at, line in enumerate(lines) if at >= begin]
    having = [(at, line) for at, line in after if name in line]
    for form in (_DEFINES, _BEGINS):
        pattern = re.compile(form.format(re.escape(name)))
        if (found := next((at for at, line in having if pattern.search(line)), None)) is not None:
            return found
    slug, word = name.casefold(), re.compile(_HAS.format(re.escape(name)))
    headings = (
        at for at, line in after if (heading := _HEADING.match(line)) and _slug(heading[1]) == slug
    )
    return next(chain(headings, (at for at, line in having if word.search(line))), None)


def _slug(heading: str) -> str:
    return _NO_WORD.sub("", heading).strip().casefold().replace(" ", "-")


def _end_of_block(lines: Lines, start: int) -> int:
    """Return the end of the lines that are indented more than that of *start*."""
    if heading := re.match(r"#{1,6}(?= )", lines[start]):
        ends = re.compile(rf"#{{1,{len(heading[0])}}} ")
        return next(
            (at for at in range(start + 1, len(lines)) if ends.match(lines[at])), len(lines)
        )
    indent, end = _indent(lines[start]), start + 1
    for at in range(start + 1, len(lines)):
        text = lines[at].strip()
        if text and _indent(lines[at]) <= indent and not _continues(text, lines[at], indent):
            break
        end = at + 1 if text else end
    return end


def _continues(text: str, line: str, indent: int) -> bool:
    """Return whether a line closes or opens the block that began at *indent*."""
    return _indent(line) == indent and (text[0] in "{})]" or text == "end")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
