import hashlib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from hardwon.adapters.minilm import wordpiece as module
from hardwon.adapters.minilm.wordpiece import (
    LONGEST_PIECE,
    MAX_CHARACTERS,
    UNKNOWN,
    WordPiece,
    load_wordpiece,
)
from hardwon.domain.model.errors import EmbedderUnavailableError

VOCABULARY_FILE = Path(module.__file__).with_name("vocab.txt")

PROSE = [
    "",
    "   ",
    "The build is red again; don't push.",
    "pytest hangs when a fixture leaves a thread alive: join it in the teardown.",
    "def unit(vector: Vector) -> Vector:\n\treturn array('f', [v / norm for v in vector])\n",
    "PRAGMA busy_timeout=5000; SELECT * FROM entries WHERE id IN (?, ?) -- 100%",
    "https://example.org/a/b?c=d&e=f#g user@example.org C:\\temp\\x.txt ~/.claude/iflow",
    "snake_case camelCase SCREAMING_CASE kebab-case 3.14159 0xDEADBEEF 1e-9",
    "Größe, Straße, ÄRGER, naïve café, Tiếng Việt, ĳsselmeer, İstanbul, ΣΊΣΥΦΟΣ ΑΣ",
    "cafe\u0301 A\u030angstro\u0308m q\u0323\u0307",
    "数据库被锁定 データベース 데이터베이스 ฐานข้อมูล डेटाबेस قاعدة البيانات",
    "🚀 deploy 👩\u200d💻 1\ufe0f\u20e3 on Friday 🙈 — “don\u2019t” … ½ ² ™ €5 £3 ﬁne ﷺ",
    "zero\u200bwidth soft\u00adhyphen no\u00a0break thin\u2009space line\u2028break bell\x07 vt\x0bff\x0c nel\x85x\x1cy",
    "nul\x00byte \ufffd replacement \ufeffbom",
    "[CLS [SEP MASK] UNK [] ##s ## a##b",
    "a" * 100,
    "a" * 101,
    "a" * 99 + "€",
    "telecommunications interdisciplinary antidisestablishmentarianism",
    "豈更車 \U0002f800 \U00020000",
    "word " * 300,
    "a,b." * 200,
    "x" * 10_000,
    "ten thousand characters " * 420,
]


def is_as_it_was_in_unicode_3_2(character: str) -> bool:
    """`tokenizers` and Python carry different Unicode versions; old characters are alike in both."""
    return unicodedata.category(character) == unicodedata.ucd_3_2_0.category(character)


old_characters = st.characters(exclude_categories=("Cs", "Cn"), max_codepoint=0x2FFFF).filter(
    is_as_it_was_in_unicode_3_2
)
latin = st.characters(max_codepoint=0x17F)
words = st.sampled_from(
    ["the", "embedding", "unaffable", "sqlite3", "Ärger", "don't", "##ing", "数据", "\t", "\n", " "]
)
texts = st.one_of(
    st.text(latin, max_size=80),
    st.text(old_characters, max_size=40),
    st.lists(st.one_of(words, st.text(latin, max_size=4)), max_size=60).map(" ".join),
)


@pytest.fixture(scope="session")
def reference() -> Tokenizer:
    """The library's BERT tokenizer over our vocabulary."""
    pieces = VOCABULARY_FILE.read_text(encoding="utf-8").rstrip("\n").split("\n")
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(256)
    return tokenizer


@pytest.mark.parametrize("text", PROSE)
def test_a_text_is_cut_as_tokenizers_cuts_it(
    text: str, wordpiece: WordPiece, reference: Tokenizer
) -> None:
    assert wordpiece.token_ids(text) == reference.encode(text).ids


@settings(deadline=None, max_examples=300)
@given(text=texts)
@example(text="ΑΣ Σ")
@example(text="a\u0344b")
def test_any_text_is_cut_as_tokenizers_cuts_it(
    text: str, wordpiece: WordPiece, reference: Tokenizer
) -> None:
    assert wordpiece.token_ids(text) == reference.encode(text).ids


@pytest.mark.parametrize("plane", [0x0000, 0x4000, 0x8000, 0xC000, 0x1D000, 0x2F000])
def test_every_old_character_within_a_word_is_treated_as_tokenizers_treats_it(
    plane: int, wordpiece: WordPiece, reference: Tokenizer
) -> None:
    old = [c for c in map(chr, range(plane, plane + 0x4000)) if is_as_it_was_in_unicode_3_2(c)]
    old = [c for c in old if unicodedata.category(c) not in {"Cs", "Cn"}]
    different = [c for c in old if wordpiece.token_ids(f"a{c}b") != reference.encode(f"a{c}b").ids]
    assert different == []


@settings(deadline=None)
@given(text=st.text(st.characters(exclude_categories=()), max_size=100))
def test_no_text_breaks_the_tokenizer(text: str, wordpiece: WordPiece) -> None:
    ids = wordpiece.token_ids(text)
    assert (ids[0], ids[-1]) == (101, 102)
    assert 2 <= len(ids) <= 256
    assert all(0 <= token < 30_522 for token in ids)


def test_lone_surrogates_and_nul_are_dropped(wordpiece: WordPiece) -> None:
    assert wordpiece.token_ids("sq\ud800l\x00ite\udfff") == wordpiece.token_ids("sqlite")


@pytest.mark.parametrize("special", ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"])
def test_the_name_of_a_special_token_is_plain_text(special: str, wordpiece: WordPiece) -> None:
    bare = special.strip("[]").lower()
    assert wordpiece.token_ids(special) == wordpiece.token_ids(f"[ {bare} ]")
    assert len(wordpiece.token_ids(special)) > 3


def test_text_beyond_the_limit_makes_no_difference(wordpiece: WordPiece) -> None:
    start = "one memory, " * 20_000
    assert len(start) > 2 * MAX_CHARACTERS
    assert wordpiece.token_ids(start + "x" * 4_000_000) == wordpiece.token_ids(start)


def test_the_longest_words_that_are_read_fill_all_tokens_within_the_limit(
    wordpiece: WordPiece,
) -> None:
    assert wordpiece.token_ids(("a" * 99 + "\uffff ") * 1_000) == [101, *[UNKNOWN] * 254, 102]


def test_a_run_of_blanks_longer_than_the_limit_reads_as_empty(wordpiece: WordPiece) -> None:
    assert wordpiece.token_ids(" " * MAX_CHARACTERS + "late") == [101, 102]


def test_no_piece_is_longer_than_the_longest() -> None:
    pieces = VOCABULARY_FILE.read_text(encoding="utf-8").split("\n")
    assert max(len(piece.removeprefix("##")) for piece in pieces) == LONGEST_PIECE


def test_the_vocabulary_is_the_published_one() -> None:
    digest = hashlib.sha256(VOCABULARY_FILE.read_bytes()).hexdigest()
    assert digest == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_a_missing_vocabulary_is_an_unavailable_embedder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "wordpiece.py"))
    with pytest.raises(
        EmbedderUnavailableError, match=r"vocab\.txt.*uv tool upgrade --reinstall hardwon"
    ):
        load_wordpiece()
