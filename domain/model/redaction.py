"""
Redaction of secrets and private passages, and cleaning of captured texts.

Characters without a visible form can hide a command from a reader and show it to a model. They are
Unicode's `Default_Ignorable_Code_Point`, `Bidi_Control` and interlinear annotations. Variation
selectors of emoji stay, and so do joiners within emoji and in scripts that are misspelt without
them.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from hardwon.domain.model.host_text import without_host_text
from hardwon.domain.model.identity import IGNORABLE, IGNORABLE_RANGES
from hardwon.domain.model.secrets.find import REDACTED, has_word_of_a_rule, without_secrets

_HIDDEN = f"[{IGNORABLE}\ufff9-\ufffb]"
"""Those, and interlinear annotations."""

_EMOJI = (
    *(
        (0x00A9, 0x00A9),
        (0x00AE, 0x00AE),
        (0x203C, 0x203C),
        (0x2049, 0x2049),
        (0x2122, 0x2122),
        (0x2139, 0x2139),
    ),
    *(
        (0x2194, 0x2199),
        (0x21A9, 0x21AA),
        (0x231A, 0x231B),
        (0x2328, 0x2328),
        (0x23CF, 0x23CF),
        (0x23E9, 0x23FA),
    ),
    *(
        (0x24C2, 0x24C2),
        (0x25AA, 0x25AB),
        (0x25B6, 0x25B6),
        (0x25C0, 0x25C0),
        (0x25FB, 0x25FE),
        (0x2600, 0x27BF),
    ),
    *(
        (0x2934, 0x2935),
        (0x2B05, 0x2B07),
        (0x2B1B, 0x2B1C),
        (0x2B50, 0x2B50),
        (0x2B55, 0x2B55),
        (0x3030, 0x3030),
    ),
    *((0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1FAFF)),
)
"""Characters that can be emoji, and their neighbours in blocks of little else."""

_JOINED = (
    *((0x0600, 0x061B), (0x061D, 0x077F)),  # Arabic, Syriac
    *(
        (0x07C0, 0x07FF),
        (0x0840, 0x0DFF),
    ),  # N'Ko, Mandaic, Arabic; the scripts of India and Sri Lanka
    *((0x1000, 0x109F), (0x1780, 0x17B3), (0x17B6, 0x17FF)),  # Burmese, Khmer
    *((0x1807, 0x180A), (0x1810, 0x18AF)),  # Mongolian
    *((0x1B00, 0x1BFF), (0x1CD0, 0x1CFF)),  # Balinese, Sundanese, Batak; Vedic signs
    *((0xA800, 0xA82F), (0xA840, 0xA8FF), (0xA980, 0xA9DF), (0xAA60, 0xAA7F), (0xABC0, 0xABFF)),
    *((0xFB50, 0xFDFF), (0xFE70, 0xFEFC)),  # presentation forms of Arabic
    *((0x10A00, 0x10FFF), (0x11000, 0x11FFF), (0x1E900, 0x1E95F)),
)
"""Scripts in which a joiner decides the form of the letters beside it."""


@cache
def printable_ignorables() -> frozenset[str]:
    """Return the characters of `IGNORABLE` that Python calls printable."""
    return frozenset(
        chr(code)
        for first, last in IGNORABLE_RANGES
        for code in range(first, last + 1)
        if chr(code).isprintable()
    )


_JOINERS = "\u200c\u200d"
_JOINER = "\u200d"
_PRESENTATIONS = "\ufe0e\ufe0f"
_KEYS, _KEYCAP = "#*0123456789", "\u20e3"


def without_invisible(text: str) -> str:
    r"""
    Remove invisible characters.

    Examples:
        >>> without_invisible("a\u200bb\U000e0101\u202ec")
        'abc'
    """
    if text.isascii() or (
        printable_ignorables().isdisjoint(text)
        and text.replace("\n", "").replace("\t", "").isprintable()
    ):
        return text
    return re.sub(_HIDDEN, lambda found: found[0] if _is_needed(text, found.start()) else "", text)


def _is_needed(text: str, at: int) -> bool:
    """Return whether the invisible character belongs to the emoji or word around it."""
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


__all__ = [
    "REDACTED",
    "SHORTEST_SECRET",
    "Cleaning",
    "as_text",
    "is_cut_off",
    "may_hold_secret",
    "redact",
    "redact_values",
    "stored_form",
]

MAX_CUTS = 200
"""
Passes after which a text is dropped as malicious.

Its cuts keep joining into new tags.
"""

MAX_REVEALED = 20
"""Passes after which a text, whose secrets keep revealing more, is dropped as malicious."""

SHORTEST_SECRET = 8
"""Characters below which a store looks for no secret."""

LONGEST_REMEMBERED = 20_000
"""Characters of a text whose redaction is cached."""

_TAG = re.compile(r"<(/?)private>", re.IGNORECASE)


def redact(text: str) -> str:
    """
    Cut out `<private>` passages and replace secrets by `[REDACTED]`.

    Known key formats, private keys, credentials in URLs and values given to
    a password, secret, token or key are secrets. Redacting twice changes nothing more.

    Examples:
        >>> redact("Log in as ada <private>my neighbour's account</private> with password: hunter2-hunter2")
        'Log in as ada  with password: [REDACTED]'
    """
    return _redacted(text) if len(text) > LONGEST_REMEMBERED else _remembered(text)


def stored_form(text: str) -> str:
    """Return *text* as an entry stores it: without invisible characters, and redacted."""
    return redact(without_invisible(text)) if text else ""


@lru_cache(maxsize=256)  # what is stored passes several doors, one after the other
def _remembered(text: str) -> str:
    return _redacted(text)


def may_hold_secret(text: str) -> bool:
    """
    Return whether `redact` may change *text*.

    Only a tag or a word of a rule lets it.

    Examples:
        >>> may_hold_secret("Name the unit"), may_hold_secret("The key opens the door")
        (False, True)
    """
    return (
        _is_suspicious(text) if len(text) > LONGEST_REMEMBERED else _remembered_as_suspicious(text)
    )


@lru_cache(maxsize=512)  # a statement repeats the texts of others, and the net sees them again
def _remembered_as_suspicious(text: str) -> bool:
    return _is_suspicious(text)


def _is_suspicious(text: str) -> bool:
    return _TAG.search(text) is not None or has_word_of_a_rule(text)


def _redacted(text: str) -> str:
    if not may_hold_secret(text):
        return text
    for _ in range(MAX_REVEALED):
        if (clean := without_secrets(_without_private(text))) == text:
            return text
        text = clean  # a key can begin where another was cut
    return ""


def is_cut_off(text: str) -> bool:
    """
    Return whether a `<private>` in *text* has no end.

    All after it is cut.

    Examples:
        >>> is_cut_off("Use <private> tags"), is_cut_off("<private>mine</private> ours")
        (True, False)
    """
    depth = 0
    for tag in _TAG.finditer(without_invisible(text)):
        depth = max(0, depth + (-1 if tag[1] else 1))
    return depth > 0


def _without_private(text: str) -> str:
    """Remove each passage with its nested ones, an unclosed one to the end."""
    for _ in range(MAX_CUTS):
        if (cut := _without_outermost(text)) == text:
            return text
        text = cut  # a cut may join two parts into a tag
    return ""


def _without_outermost(text: str) -> str:
    kept: list[str] = []
    depth, resumed = 0, 0
    for tag in _TAG.finditer(text):
        is_end = bool(tag[1])
        if depth == 0 and not is_end:
            kept.append(text[resumed : tag.start()])
        if depth == 1 and is_end:
            resumed = tag.end()
        depth += (not is_end) - (is_end and depth > 0)
    return "".join(kept) + ("" if depth else text[resumed:])


_UP_TO_A_BLANK = r"(?s).*\s"
_OTHER_LINE_ENDS = "\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]"

CUT = " […]"
"""The mark at the end of a text that was cut."""

LONGEST_SECRET = 1_000
"""Characters by which a secret is recognised."""

MAX_PASSES = 10
"""Passes after which a text, whose cuts keep revealing more, is dropped as malicious."""


def as_text(text: str) -> str:
    """Return *text* as any file can hold it: valid UTF-8, newlines, stripped."""
    valid = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return re.sub(_OTHER_LINE_ENDS, "\n", valid).strip()


class Cleaning(NamedTuple):
    """
    The cleaning of a text for a project's own files.

    Attributes:
        project_root: The project's folder: paths in it become relative.
        home: The user's folder, written as `~`; empty to keep it.
    """

    project_root: str = ""
    home: str = ""
    other_roots: tuple[str, ...] = ()
    other_homes: tuple[str, ...] = ()

    def __call__(self, text: str) -> str:
        """
        Return *text* in its `stored_form`, without injected text and local paths.

        Injected is text by memory or the host; local are paths of this machine. Idempotent. A text
        that reveals something with each pass becomes empty.
        """
        for _ in range(MAX_PASSES):
            if (clean := self._once(text)) == text:
                return clean
            text = clean
        return ""

    def beginning(self, text: str, longest: int) -> str:
        """
        Return *text* clean, cut to *longest* characters, without half a secret.

        It is cut at white space near the end if there is any, else before a possible half of a
        secret.
        """
        if len(text) <= longest:
            return self(text)
        head, tail = text[: longest - LONGEST_SECRET], text[longest - LONGEST_SECRET : longest]
        if ended := re.match(_UP_TO_A_BLANK, tail):
            return self(head + ended[0]).rstrip()
        return self(head + tail)[:-LONGEST_SECRET].rstrip()

    def _once(self, text: str) -> str:
        own = stored_form(without_host_text(as_text(text)))
        for root in _longest_first(self.project_root, *self.other_roots):
            own = _shortened(own, root, below="", itself="./")
        for home in _longest_first(self.home, *self.other_homes):
            own = _shortened(own, home, below="~/", itself="~")
        return own


def _longest_first(*folders: str) -> list[str]:
    return sorted(set(folders), key=lambda folder: (-len(folder), folder))


def _shortened(text: str, folder: str, below: str, itself: str) -> str:
    """Replace *folder* by *below* where a path continues, by *itself* where it ends."""
    path = folder.rstrip("/\\")
    if not path or path not in text:
        return text
    beginning = re.escape(path)
    named = rf"(?:(?<![\w./\\~-])|(?<=file://)){beginning}(?:(?P<below>[/\\]+(?=[^\s\"'`)\]>,;:]))|[/\\]?(?![\w-]|\.\w))"
    return re.sub(named, lambda found: below if found["below"] else itself, text)


def redact_values(value: object) -> object:
    """Redact every text and key in *value*, of objects, lists and scalars."""
    if isinstance(value, dict):
        return {redact(key): redact_values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_values(item) for item in value]
    return redact(value) if isinstance(value, str) else value
