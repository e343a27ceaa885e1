"""
Characters without a visible form, which can hide a command from a reader and show it to a model.

They are Unicode's `Default_Ignorable_Code_Point`, `Bidi_Control` and interlinear annotations. Variation selectors of emoji
stay, and so do joiners within emoji and in scripts that are misspelt without them. Standard library only, for the hook.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

_IGNORABLE = (
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

IGNORABLE = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORABLE)
"""Unicode's `Default_Ignorable_Code_Point`, as ranges of a regular expression."""

_HIDDEN = f"[{IGNORABLE}\ufff9-\ufffb]"
"""Those, and interlinear annotations."""

_EMOJI = (
    *((0x00A9, 0x00A9), (0x00AE, 0x00AE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139)),
    *((0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x23CF, 0x23CF), (0x23E9, 0x23FA)),
    *((0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6), (0x25C0, 0x25C0), (0x25FB, 0x25FE), (0x2600, 0x27BF)),
    *((0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030)),
    *((0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1FAFF)),
)
"""Characters that can be emoji, and their neighbours in blocks that hold little else."""

_JOINED = (
    *((0x0600, 0x061B), (0x061D, 0x077F)),  # Arabic, Syriac
    *((0x07C0, 0x07FF), (0x0840, 0x0DFF)),  # N'Ko, Mandaic, Arabic; the scripts of India and Sri Lanka
    *((0x1000, 0x109F), (0x1780, 0x17B3), (0x17B6, 0x17FF)),  # Burmese, Khmer
    *((0x1807, 0x180A), (0x1810, 0x18AF)),  # Mongolian
    *((0x1B00, 0x1BFF), (0x1CD0, 0x1CFF)),  # Balinese, Sundanese, Batak; Vedic signs
    *((0xA800, 0xA82F), (0xA840, 0xA8FF), (0xA980, 0xA9DF), (0xAA60, 0xAA7F), (0xABC0, 0xABFF)),
    *((0xFB50, 0xFDFF), (0xFE70, 0xFEFC)),  # presentation forms of Arabic
    *((0x10A00, 0x10FFF), (0x11000, 0x11FFF), (0x1E900, 0x1E95F)),
)
"""Scripts in which a joiner decides the form of the letters beside it."""

PRINTABLE = frozenset(
    chr(code) for first, last in _IGNORABLE for code in range(first, last + 1) if chr(code).isprintable()
)
"""Those of them that Python calls printable."""

_JOINERS = "\u200c\u200d"
_JOINER = "\u200d"
_PRESENTATIONS = "\ufe0e\ufe0f"
_KEYS, _KEYCAP = "#*0123456789", "\u20e3"


def without_invisible(text: str) -> str:
    r"""
    Return *text* without characters that are not seen.

    Examples:
        >>> without_invisible("a\u200bb\U000e0101\u202ec")
        'abc'

    """
    if text.isascii() or (PRINTABLE.isdisjoint(text) and text.replace("\n", "").replace("\t", "").isprintable()):
        return text
    return re.sub(_HIDDEN, lambda found: found[0] if _is_needed(text, found.start()) else "", text)


def _is_needed(text: str, at: int) -> bool:
    """Return whether the invisible character *at* a place belongs to the emoji or word around it."""
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if character in _PRESENTATIONS:
        return _is_in(_EMOJI, before) or (before != "" and before in _KEYS and after == _KEYCAP)
    if character not in _JOINERS:
        return False
    if _is_in(_JOINED, before):
        return True
    base = text[at - 2 : at - 1] if before and before in _PRESENTATIONS else before
    return character == _JOINER and _is_in(_EMOJI, base) and _is_in(_EMOJI, after)


def _is_in(ranges: Sequence[tuple[int, int]], character: str) -> bool:
    if not character:
        return False
    code = ord(character)
    place = bisect_right(ranges, (code, 0x110000)) - 1
    return place >= 0 and code <= ranges[place][1]
