"""
Scripts that are written without spaces, or whose particles stick to words: Han, kana, Hangul, Thai, Lao, Burmese, Khmer.

A run of such letters is searched as its overlapping pairs. A letter and the marks on it are one sign.
"""

import re
import unicodedata
from functools import cache
from itertools import pairwise

_SCRIPTS = (
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",  # Han
    "\u3041-\u309a\u309d-\u309f",  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",  # Katakana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff",  # Hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e",  # Thai
    "\u0e80-\u0ecf\u0edc-\u0edf",  # Lao
    "\u1000-\u103f\u1050-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f",  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd",  # Khmer
)


def may_be_unspaced(text: str) -> bool:
    """Return whether there may be a letter of these scripts in *text*: quick, and right when it says no."""
    return not text.isascii() and any(map(_may_be_unspaced, set(text)))


def _may_be_unspaced(sign: str) -> bool:
    return (
        "\u0e01" <= sign <= "\u17dd"
        or "\u3005" <= sign <= "\ufad9"
        or "\uff66" <= sign <= "\uff9f"
        or sign >= "\U00020000"
    )


@cache
def _run() -> re.Pattern[str]:
    """Compile the pattern of a run of one script; it takes milliseconds, which hooks in English need not wait."""
    return re.compile(f"({'|'.join(f'[{script}]+' for script in _SCRIPTS)})")


def split_at_runs(text: str) -> list[str]:
    """
    Return *text* in parts: at odd places runs of one of these scripts, at even ones what is between them.

    >>> split_at_runs("kpir后")
    ['kpir', '后', '']
    """
    return _run().split("".join(map(_assigned, text))) if may_be_unspaced(text) else [text]


def runs(text: str) -> list[str]:
    """Return the runs of these scripts in *text*."""
    return split_at_runs(text)[1::2]


def is_unspaced(word: str) -> bool:
    """Return whether *word* begins with a letter of these scripts."""
    return may_be_unspaced(word[:1]) and _run().match(word) is not None


def is_grammar(word: str) -> bool:
    """Return whether *word* is of Hiragana alone, as particles and endings are."""
    return not word.isascii() and all("\u3041" <= sign <= "\u309f" for sign in word)


def signs(run: str) -> list[str]:
    """Return the letters of *run*, each with the marks that follow it."""
    found = list[str]()
    for character in run:
        if found and _is_mark(character):
            found[-1] += character
        else:
            found.append(character)
    return found


def pairs(run: str) -> list[str]:
    """
    Return the overlapping pairs of signs of *run*; a single sign stands for itself.

    >>> pairs("浮点数")
    ['浮点', '点数']
    """
    letters = signs(run)
    return [left + right for left, right in pairwise(letters)] or letters


LETTERS_A_PIECE = 4
"""Letters of other scripts in a word piece of a model; a letter of these is a piece, mostly an unknown one."""


def share_unspaced(text: str) -> float:
    """Return the share of these scripts among the word pieces of *text*."""
    if not (unspaced := sum(map(len, runs(text)))):
        return 0.0
    others = sum(letter.isalpha() for between in split_at_runs(text)[::2] for letter in between)
    return unspaced / (unspaced + others / LETTERS_A_PIECE)


MARKS_FROM = 0xF0000
"""The first of the private letters that stand for marks in an index, as a tokenizer splits words at marks."""


def without_marks(word: str) -> str:
    """Return *word* with a private letter in place of each mark, so that no tokenizer splits it."""
    return word if word.isascii() else "".join(map(_private, word))


def _private(character: str) -> str:
    return chr(MARKS_FROM + ord(character)) if character > "\u0e00" and _is_mark(character) else character


def _assigned(character: str) -> str:
    """Return *character*, or a space where this Python knows no such character: no tokenizer takes it for a letter."""
    return " " if unicodedata.category(character) == "Cn" else character


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")
