"""Hypothesis strategies: a text, and the same text in another spelling."""

import unicodedata
from collections.abc import Callable

from hypothesis import strategies as st

from tests.strategies import characters

Respell = Callable[[str], str]

LETTERS = "aAbiIsStu\u00df\u1e9e\u0130\u0131\u00fc\u00dc\u00e9\u0439\u03c2\u03a3\u03b0\u1fb3\ufb03\u00b2\u30ac\uac01\u212a\u017f\u0149\u01f0\u0587\u1e96"


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _hyphenated(text: str) -> str:
    return "\u00ad".join(text)


RESPELLINGS: tuple[Respell, ...] = (
    *(
        lambda text, form=form: unicodedata.normalize(form, text)
        for form in ("NFC", "NFD", "NFKC", "NFKD")
    ),
    str.upper,
    str.lower,
    str.casefold,
    _full_width,
    _hyphenated,
)

letters = st.sampled_from(LETTERS) | st.characters(categories=["L", "N"])
words = st.text(letters, min_size=1, max_size=6)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
SPACES = (" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\n\n")
LINES = ("\n> ", "\n>> ", "\n# ", "\n   // ", "\n * ", "\n-- ")
any_text = st.text(characters, max_size=20)


@st.composite
def spelled(draw: st.DrawFn, gaps: tuple[str, ...] = SPACES + LINES) -> tuple[str, str]:
    """Draw a phrase of at least four characters, and another spelling of it with *gaps* between its words."""
    phrase = draw(phrases.filter(lambda drawn: len(unicodedata.normalize("NFC", drawn)) > 3))
    respelled = phrase
    for respell in draw(st.lists(st.sampled_from(RESPELLINGS), max_size=3)):
        respelled = respell(respelled)
    parts = respelled.split(" ")
    return phrase, "".join(part + draw(st.sampled_from(gaps)) for part in parts[:-1]) + parts[-1]
