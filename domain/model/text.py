"""
Scripts, line ends, passages, size in tokens, and repeated titles of texts.

Some scripts are written without spaces, or their particles stick to words: Han, kana, Hangul, Thai,
Lao, Burmese, Khmer. A run of such letters is searched as its overlapping pairs. A letter and the
marks on it are one sign. Standard library only, for the hook: patterns that few processes need are
compiled when they are used.
"""

import os
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from typing import Any, NamedTuple, cast

_SCRIPTS = (
    # Han
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "\u3041-\u309a\u309d-\u309f",  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",  # Katakana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff",  # Hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e",  # Thai
    "\u0e80-\u0ecf\u0edc-\u0edf",  # Lao
    "\u1000-\u103f\u1050-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f",  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd",  # Khmer
)


def may_be_unspaced(text: str) -> bool:
    """
    Return whether *text* may have a letter of these scripts.

    It is quick; a False is certain.
    """
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
    """
    Compile the pattern of a run of one script.

    It takes milliseconds, which hooks in English need not wait.
    """
    return re.compile(f"({'|'.join(f'[{script}]+' for script in _SCRIPTS)})")


def split_at_runs(text: str) -> list[str]:
    """
    Split *text* at runs of one of these scripts.

    The runs are at odd places, the text between at even ones.

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
    """Return whether *word* is Hiragana alone, as particles and endings are."""
    return not word.isascii() and all("\u3041" <= sign <= "\u309f" for sign in word)


def signs(run: str) -> list[str]:
    """Return the letters of *run*, each with its marks."""
    found = list[str]()
    for character in run:
        if found and _is_mark(character):
            found[-1] += character
        else:
            found.append(character)
    return found


def pairs(run: str) -> list[str]:
    """
    Return the overlapping pairs of signs of *run*, or a single sign itself.

    >>> pairs("浮点数")
    ['浮点', '点数']
    """
    letters = signs(run)
    return [left + right for left, right in pairwise(letters)] or letters


LETTERS_A_PIECE = 4
"""
Letters of a word piece in other scripts.

Of these scripts each letter is a piece, mostly unknown to the model.
"""


def share_unspaced(text: str) -> float:
    """Return the share of these scripts among the word pieces of *text*."""
    if not (unspaced := sum(map(len, runs(text)))):
        return 0.0
    others = sum(letter.isalpha() for between in split_at_runs(text)[::2] for letter in between)
    return unspaced / (unspaced + others / LETTERS_A_PIECE)


MARKS_FROM = 0xF0000
"""The first private letter that stands for a mark: tokenizers split words at marks."""


def without_marks(word: str) -> str:
    """Replace marks by private letters, so that *word* stays whole."""
    return word if word.isascii() else "".join(map(_private, word))


def _private(character: str) -> str:
    return (
        chr(MARKS_FROM + ord(character))
        if character > "\u0e00" and _is_mark(character)
        else character
    )


def _assigned(character: str) -> str:
    """Replace a character that this Python does not know by a space."""
    return " " if unicodedata.category(character) == "Cn" else character


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def with_newlines(text: str) -> str:
    """Normalise line ends to newlines."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


MAX_WORDS = 100
"""Of 50, 100 and 200 the best on the development sets, by little (`docs/measurements-of-quality.md`)."""

_UNIT_END = r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+"
_ASCII_UNIT_END = r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)"
"""The same in ASCII, found quickly, as it begins with white space."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

_SENTENCE_END = r"(?<=[.!?])[\"')\]”’]*\s+|(?<=[。！？])"  # noqa: RUF001
_ABBREVIATIONS = frozenset("e.g. i.e. vs. cf. approx. Mr. Mrs. Ms. Dr.".split())
_LONGEST = len("(approx.")
_OPENING = "([\"'"


def split_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of *line* in order, then the rest."""
    start = 0
    for cut in re.finditer(_SENTENCE_END, line):
        before = line[max(start, cut.start() - _LONGEST) : cut.start()]
        if before.rpartition(" ")[2].lstrip(_OPENING) not in _ABBREVIATIONS:
            yield line[start : cut.end()].strip()
            start = cut.end()
    if rest := line[start:].strip():
        yield rest


def passages(title: str, text: str) -> list[str]:
    """
    Split *text* into parts of at most 100 words, *title* before each.

    There is at least one part. A part is made of whole sentences or lines; a longer one is a part
    by itself.
    """
    parts, words = list[list[str]]([[]]), 0
    unit_end = _ASCII_UNIT_END if text.isascii() else _UNIT_END
    for unit in filter(str.strip, re.split(unit_end, text)):
        length = _length(unit)
        if parts[-1] and words + length > MAX_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(unit)
        words += length
    return ["\n".join(filter(None, (title, *part))) for part in parts]


def _length(unit: str) -> int:
    """Estimate the words of *unit*: two signs of a script without spaces are one."""
    return len(unit.split()) + sum(map(len, runs(unit))) // 2


def identifier_words(text: str) -> list[str]:
    """Return the words of each distinct identifier such as `parseHTTPRequest`."""
    # Without a capital after its first letter, a word has no hump.
    humped = " ".join(part for part in dict.fromkeys(text.split()) if not part[1:].islower())
    identifiers = (word for word in dict.fromkeys(_WORD.findall(humped)) if not word[1:].islower())
    return [
        part
        for identifier in identifiers
        if len(parts := split_at_humps(identifier)) > 1
        for part in parts
    ]


def split_at_humps(word: str) -> list[str]:
    """
    Split *word* at its humps.

    A part begins where a capital follows a small letter or a digit, or ends capitals.
    """
    return re.split(_HUMP, word)


COMMON_FOLDERS = frozenset(
    """
    .github __tests__ bin build dist doc docs example examples features include lib libs node_modules package packages
    pkg script scripts source spec specs src test tests tools vendor
    """.split()
)
"""Folders that most projects have: their names carry no information."""

_SHORT_EXTENSIONS = r"(?:\.[a-z0-9]{1,4})+$"
"""Extensions such as `.tar` and `.test` before the last one."""


def words_of_path(path: str) -> str:
    """Return the informative words of *path*: folders, stem, and parts of identifiers."""
    *folders, name = path.split("/")
    stem = re.sub(_SHORT_EXTENSIONS, "", os.path.splitext(name.lstrip("."))[0])
    words = " ".join(
        (*(folder for folder in folders if folder.lower() not in COMMON_FOLDERS), stem)
    )
    return " ".join((words, *identifier_words(words))).strip()


CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    """Estimate the tokens of *text*: 4 characters each, rounded up."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


CONTINUES = "\u2026"
"""Replaces the title at the beginning of a text that continues it."""

MIN_WORDS = 2
"""
Minimum words of a title that is not repeated.

A single word at the beginning is mostly just the subject.
"""

_CLOSING_MARKS = "`*_"


class SplitTitle(NamedTuple):
    """
    A text, split where its title ends.

    Attributes:
        beginning: The part that repeats the title, on one line; empty if it does not begin with the
            title.
        rest: All else, verbatim.
    """

    beginning: str
    rest: str

    @property
    def continued(self) -> str:
        """
        The text to print below the title.

        It is all of it, or the rest after an ellipsis.
        """
        return CONTINUES + self.rest if self.beginning else self.rest


def split_by_title(title: str, text: str) -> SplitTitle:
    """
    Split *text* after its beginning, if that repeats *title* word for word.

    Case and marks don't count.
    """
    wanted = _WORD.findall(title.lower())
    found = list(islice(_WORD.finditer(text), len(wanted)))
    if not wanted or [word[0].lower() for word in found] != wanted:
        return SplitTitle("", text)
    end = found[-1].end()
    end += len(text[end:]) - len(text[end:].lstrip(_CLOSING_MARKS))
    if len(wanted) < MIN_WORDS and has_word(text[end:]):
        return SplitTitle("", text)
    return SplitTitle(" ".join(text[:end].split()), text[end:])


def has_word(text: str) -> bool:
    """Return whether *text* has a word."""
    return _WORD.search(text) is not None


MAX_LINE = 1_000
UNPRINTABLE = "\ufffd"


def one_line(event: str) -> str:
    """
    Return *event* as a line of at most 1,000 printable characters.

    It can't steer a terminal.
    """
    line = " ".join(event.split())[:MAX_LINE]
    return "".join(character if character.isprintable() else UNPRINTABLE for character in line)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """
    Return a regular expression that is compiled at its first use.

    Most hooks use few of those that they import.
    """
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        """Return a method of the compiled one, and keep it for the next use."""
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)
        return value
