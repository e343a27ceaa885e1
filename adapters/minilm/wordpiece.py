"""
BERT's uncased WordPiece tokenizer, standard library only.

It agrees with Hugging Face `tokenizers` but for three things, on purpose: a literal `[CLS]` is
plain text, a lone surrogate is dropped, and characters newer than either side's Unicode tables may
be sorted differently.
"""

import os
import unicodedata
from io import FileIO
from itertools import count

from hardwon.domain.model.errors import EmbedderUnavailableError

MAX_TOKENS = 256
"""The longest text that all-MiniLM-L6-v2 was trained on, [CLS] and [SEP] included."""

UNKNOWN = 100
START = 101
END = 102

MAX_WORD_CHARACTERS = 100
LONGEST_PIECE = 18

# 254 pieces use up at most 254 words of 100 characters and the blanks between them: 25,654
# characters. Two and a half times that leaves room for indentation and combining marks; only
# a text that starts with kilobytes of blanks or of overlong words is cut short of its 256 tokens.
MAX_CHARACTERS = 65_536

# Chinese ideographs as BERT counts them; the gap at U+2B820 is in `tokenizers` too.
IDEOGRAPHS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)

Vocabulary = dict[str, int]


class _NormalisedCharacters(dict[int, str]):
    """
    BERT's normalisation of each character, for `str.translate`, filled on demand.

    Characters are decomposed one by one, which leaves runs of marks unordered. Nearly all marks are
    dropped anyway, and a long run costs no quadratic sort.
    """

    def __missing__(self, code: int) -> str:
        self[code] = normalised = _normalise(chr(code))
        return normalised


def _normalise(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    text = "".join(_without_accents(character))
    return f" {text} " if any(ord(character) in block for block in IDEOGRAPHS) else text


def _without_accents(character: str) -> list[str]:
    parts = unicodedata.normalize("NFD", character)
    letters = [part.lower() for part in parts if unicodedata.category(part) != "Mn"]
    return [f" {letter} " if _is_punctuation(letter) else letter for letter in letters]


def _is_punctuation(letter: str) -> bool:
    # BERT counts every printable ASCII sign as punctuation, `$` and `^` too.
    if letter.isascii():
        return not letter.isalnum()
    return unicodedata.category(letter[0]).startswith("P")


class WordPiece:
    """
    Cuts texts into the pieces of one vocabulary.

    Args:
        vocabulary: Piece to id; a piece that continues a word starts with `##`.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._characters = _NormalisedCharacters()

    def token_ids(self, text: str) -> list[int]:
        """Return the 2 to 256 ids of *text*, from `[CLS]` to `[SEP]`."""
        ids = [START]
        for word in text[:MAX_CHARACTERS].translate(self._characters).split():
            ids += self._pieces(word)
            if len(ids) >= MAX_TOKENS:
                break
        return [*ids[: MAX_TOKENS - 1], END]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > MAX_WORD_CHARACTERS:
            return [UNKNOWN]
        pieces = []
        start = 0
        while start < len(word):
            end, piece = self._longest_piece(word, start)
            if end == start:
                return [UNKNOWN]
            pieces.append(piece)
            start = end
        return pieces

    def _longest_piece(self, word: str, start: int) -> tuple[int, int]:
        """Return the end (*start* if there is none) and id of the longest piece."""
        prefix = "##" if start else ""
        for end in range(min(len(word), start + LONGEST_PIECE), start, -1):
            piece = self._vocabulary.get(prefix + word[start:end])
            if piece is not None:
                return end, piece
        return start, UNKNOWN


def load_wordpiece() -> WordPiece:
    """
    Load the embedded model's tokenizer, in about 10 ms.

    Raises:
        EmbedderUnavailableError: `vocab.txt` is not beside this module.
    """
    path = f"{__file__.rpartition(os.sep)[0]}{os.sep}vocab.txt"
    try:
        with FileIO(path) as file:
            pieces = file.readall().decode("utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EmbedderUnavailableError(
            f"the embedded model's vocabulary {path!r} can't be read ({error}); "
            "run `uv tool upgrade --reinstall hardwon`"
        ) from error
    return WordPiece(dict(zip(pieces, count(), strict=False)))
