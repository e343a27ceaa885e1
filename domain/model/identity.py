"""
The identity of texts: spellings, hashes, searched text.

A text can be composed or decomposed (NFC, NFD), in any letter case, full width, with invisible
characters, and with any white space between its words. Standard library only, for the hook.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property

IGNORABLE_RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width space, joiners, direction marks
    (0x202A, 0x202E),  # bidirectional embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, bidirectional isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFF8),  # unassigned
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, and variation selectors that can carry any bytes
)

IGNORABLE = "".join(f"{chr(first)}-{chr(last)}" for first, last in IGNORABLE_RANGES)
"""Unicode's `Default_Ignorable_Code_Point`, as ranges of a regular expression."""

OWN_CASE = 3
"""Longest text that is searched in its own letter case: `IT` is no `it`."""

_LINE_MARKS = r">#*;%|!/+-"
"""Characters that begin a line which quotes, comments or lists."""

_GAP = (
    r"(?:(?<=[^\s*`])[*`]{1,3})?(?=\s)[^\S\n\r]*"
    rf"(?:[\n\r][\s{_LINE_MARKS}]*)?(?:[*`]{{1,3}}(?=[^\s*`]))?"
)
"""White space between two words, with emphasis and the marks of a new line."""

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts that put no space between words, so that a line may end anywhere."""

_UNSEEN = f"[{IGNORABLE}]"
"""Patterns are compiled when they are used: every hook imports this module."""

_BETWEEN_SPACELESS = rf"(?<=[{_SPACELESS}])(?=[{_SPACELESS}])"
_SPACE_BETWEEN_SPACELESS = rf"(?<=[{_SPACELESS}]) (?=[{_SPACELESS}])"
_ESCAPED = r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/bfnrt]"
_ENTITY = r"&(?:#(?P<code>[1-9][0-9]{0,2})|(?P<name>lt|amp));"
"""The characters that memory files have as entities."""

_CONTROLS = {r"\b": "\b", r"\f": "\f", r"\n": "\n", r"\r": "\r", r"\t": "\t"}

NESTED = 2
"""How often a text is written as JSON within JSON."""


def composed(text: str) -> str:
    """Return *text* in Unicode's normal form C."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def searchable(text: str) -> str:
    """
    Return *text* in Unicode's normal form KC.

    It has plain letters for full-width and half-width ones, ligatures and the like.

    >>> searchable("\uff21\uff30\uff29"), searchable("\uff76\uff9e")
    ('API', 'ガ')
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


_STROKED = {
    **dict(zip("ĐđĦħŁłØøŦŧıĸŊŋÐð", "DdHhLlOoTtiqNnDd", strict=True)),
    "Æ": "AE",
    "æ": "ae",
    "Œ": "OE",
    "œ": "oe",
    "ẞ": "SS",
    "ß": "ss",
    "Þ": "TH",
    "þ": "th",
}
"""Latin letters that Unicode does not decompose, as the CLDR's transliteration `Latin-ASCII` has them."""

_ACCENTS = ("\u0300", "\u0331")
"""The first and the last of the combining accents that are left out."""

POINTS = frozenset(
    map(chr, (*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7))
) | frozenset(map(chr, (0x0640, *range(0x064B, 0x0660), 0x0670, *range(0x06D6, 0x06DD))))
"""The points of Hebrew and Arabic, and the stroke that stretches words."""

_WITH_MARKS = frozenset("\u0401\u0451\u0622\u0623\u0625")
"""Letters of other scripts that are often written without their marks: io, alef."""


class _Unaccented(dict[int, str]):
    """The plain form of each character, for `str.translate`, filled on demand."""

    def __missing__(self, code: int) -> str:
        decomposed = unicodedata.normalize("NFD", chr(code))
        base, has_marks = decomposed[0], len(decomposed) > 1
        is_accented = has_marks and ("\u0370" <= base <= "\u03ff" or chr(code) in _WITH_MARKS)
        if _ACCENTS[0] <= base <= _ACCENTS[1] or base in POINTS:
            plain = ""
        elif base in _STROKED or base.isascii() or is_accented:
            plain = _STROKED.get(base, base)
        else:
            plain = chr(code)
        self[code] = plain
        return plain


_UNACCENTED = _Unaccented()


def unaccented(text: str) -> str:
    """
    Return *text* with plain letters for those with accents or strokes, and without points.

    >>> unaccented("Łódź, Straße, Đường, Αθήνα, ёж, \u0623\u064f\u0645")
    'Lodz, Strasse, Duong, Αθηνα, еж, ام'
    """
    return text if text.isascii() else text.translate(_UNACCENTED)


def folded(text: str, *, keeps_case: bool = False) -> str:
    """
    Return the form that all spellings share, but for white space.

    That is Unicode's `NFKC_Casefold`, in which the dotted and the dotless i of Turkish are one
    letter too.
    """
    if text.isascii():
        return text if keeps_case else text.lower()
    plain = unicodedata.normalize("NFKC", re.sub(_UNSEEN, "", text))
    if keeps_case:
        return plain
    lower = unicodedata.normalize("NFKC", plain.casefold())
    return lower.replace("i\u0307", "i").replace("\u0131", "i")


def one_line(text: str) -> str:
    """
    Return *text* folded, on one line.

    White space becomes a space, or nothing where the script has none.
    """
    return re.sub(_SPACE_BETWEEN_SPACELESS, "", " ".join(folded(text).split()))


def spelled_line(text: str) -> str:
    r"""
    Return *text* folded, with a space where `Spellings` admits a gap.

    >>> spelled_line("The **blue**\n> Falcon")
    'the blue falcon'
    """
    return re.sub(_SPACE_BETWEEN_SPACELESS, "", re.sub(_GAP, " ", folded(text)).strip())


def readings(text: str) -> Iterator[str]:
    """Yield *text* as it is, unescaped as markdown, and as JSON, also within JSON."""
    yield text
    if "&" in text and (markdown := re.sub(_ENTITY, _entity, text)) != text:
        yield markdown
    for _ in range(NESTED):
        if "\\" not in text or (unescaped := re.sub(_ESCAPED, _unescaped, text)) == text:
            return
        yield (text := unescaped)


def _entity(found: re.Match[str]) -> str:
    return chr(int(found["code"])) if found["code"] else {"lt": "<", "amp": "&"}[found["name"]]


def _unescaped(found: re.Match[str]) -> str:
    escaped = found[0]
    if escaped.startswith(r"\u"):
        return bytes.fromhex(escaped.replace(r"\u", "")).decode("utf-16-be", "replace")
    return _CONTROLS.get(escaped, escaped[1:])


class Spellings:
    r"""
    All spellings of one text.

    A match ends where a character ends: `u` is not found in a `u` with an accent.

    Args:
        text: Any text; one that no character is seen of has no spellings.
        any_case: Whether a text of up to three characters is looked for in any letter case too.
        name: The text as it is called, by default itself.

    Attributes:
        length: A folded text with fewer characters holds no spelling.

    >>> Spellings("Stra\u00dfe 7").are_in("STRASSE\n> 7"), Spellings("IT").are_in("it")
    (True, False)
    """

    def __init__(self, text: str, *, any_case: bool = False, name: str = "") -> None:
        self.text = name or text
        self.keeps_case = not any_case and len(composed(text.strip())) <= OWN_CASE
        self._words = [
            word for word in re.split(_GAP, folded(text, keeps_case=self.keeps_case)) if word
        ]
        self.length = sum(map(len, self._words))

    @property
    def word(self) -> str:
        """
        The longest word, folded, empty for an invisible text.

        A text without it contains no spelling.
        """
        return max(self._words, key=len, default="")

    def are_in(self, text: str) -> bool:
        """
        Return whether *text*, in any spelling, contains this one.

        JSON must be unescaped by `readings` before.
        """
        return self.are_in_folded(folded(text, keeps_case=self.keeps_case))

    def are_in_folded(self, text: str) -> bool:
        """Return whether *text*, `folded` by the same letter case, contains it."""
        if not self._words or not all(part in text for part in self._solid):
            return False
        return any(_ends_a_character(text, found.end()) for found in self._pattern.finditer(text))

    @cached_property
    def _solid(self) -> list[str]:
        return [part for word in self._words for part in re.split(_BETWEEN_SPACELESS, word)]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        line = " ".join(self._words)
        parts = re.split(_BETWEEN_SPACELESS, re.sub(_SPACE_BETWEEN_SPACELESS, "", line))
        return re.compile(
            f"(?:{_GAP})?".join(_GAP.join(map(re.escape, part.split(" "))) for part in parts)
        )


def _ends_a_character(text: str, at: int) -> bool:
    return at == len(text) or not unicodedata.category(text[at]).startswith("M")


HASH_LENGTH = 16
IDENTITY = re.compile(rf"[0-9a-f]{{{HASH_LENGTH}}}")


def short_hash(*parts: str) -> str:
    """Return the 16 hex digits that identify these *parts*, in this order."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: a session start without an import needs none

    return hashlib.sha256("|".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[
        :HASH_LENGTH
    ]


def content_hash(description: str) -> str:
    """
    Return the 16 hex digits that identify a learning.

    Letter case, runs of white space and whether accents are composed do not count, so that the same
    lesson written twice is one entry.
    """
    return short_hash(" ".join(composed(description).lower().strip().split()))


def file_identity(kind: str, path: str, anchor: str = "") -> str:
    """
    Return the 16 hex digits that identify the entry of a file.

    *path* is absolute, links resolved, and its case counts; *anchor* is empty for the whole file.
    """
    return short_hash(kind, path, anchor)


def title_to_search(name: str, description: str) -> str:
    """Return *name*, or "" if the description begins with it."""
    return "" if description.startswith(name) else name


def word_count(text: str) -> int:
    """Count the words separated by white space."""
    return len(text.split())


def searchable_text(name: str, description: str, notes: str, reasoning: str) -> str:
    """Return the composed text of an entry to embed."""
    return composed(
        "\n".join(filter(None, (title_to_search(name, description), description, notes, reasoning)))
    )
