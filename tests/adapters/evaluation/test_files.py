import gzip
import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from hardwon.adapters.evaluation import files
from hardwon.adapters.evaluation.files import names_of, read_eval_set
from hardwon.domain.model.errors import InvalidEvaluationError

DOCUMENT = {"id": "d1", "text": "Text."}
QUERY = {"id": "q1", "text": "text?"}
HEADER = "query-id\tcorpus-id\tscore\n"


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a sound set."""
    (tmp_path / "docs.jsonl").write_text(lines(DOCUMENT))
    (tmp_path / "queries.jsonl").write_text(lines(QUERY))
    (tmp_path / "qrels.tsv").write_text(f"{HEADER}q1\td1\t1\n")
    return tmp_path


def test_a_set_is_read_with_all_its_fields(folder: Path) -> None:
    more = {
        "id": "d2",
        "text": "More.",
        "title": None,
        "timestamp": "2024-01-02",
        "group": "g",
        "unknown": [1],
    }
    (folder / "docs.jsonl").write_text(
        "\ufeff" + lines(DOCUMENT) + "\n\r\n" + lines(more).strip(), encoding="utf-8"
    )
    (folder / "queries.jsonl").write_text(
        lines(QUERY, {"id": "q2", "text": "", "type": "x", "group": "g"})
    )
    (folder / "qrels.tsv").write_text(f"{HEADER}q1\td1\t2\r\nq2\td2\t0.5\nq2\td2\t0.5\n")

    made = read_eval_set(str(folder), "name")

    assert made.name == "name"
    assert [(key, entry.source_project) for key, entry in made.documents.items()] == [
        ("d1", None),
        ("d2", "g"),
    ]
    assert [(asked.query, asked.grades) for asked in made.queries] == [
        (("q1", "text?", None), {"d1": 2.0}),
        (("q2", "", "g"), {"d2": 0.5}),
    ]
    assert made.warnings == ()


BROKEN: dict[str, tuple[str, str | bytes, str]] = {
    "no JSON": ("docs.jsonl", lines(DOCUMENT) + "{nonsense\n", "docs.jsonl line 2: is not JSON"),
    "no object": ("docs.jsonl", "[1, 2]\n", "docs.jsonl line 1: is [1, 2], not a JSON object"),
    "deeply nested": ("docs.jsonl", "[" * 100_000, "docs.jsonl line 1: is not JSON"),
    "no id": ("docs.jsonl", lines({"text": "x"}), "docs.jsonl line 1: id is missing"),
    "blank id": (
        "queries.jsonl",
        lines({"id": " ", "text": "x"}),
        "queries.jsonl line 1: id is blank",
    ),
    "number as id": (
        "docs.jsonl",
        lines({"id": 1, "text": "x"}),
        "line 1: id is 1: it must be a text",
    ),
    "null as text": (
        "queries.jsonl",
        lines({"id": "q", "text": None}),
        "queries.jsonl line 1: text is None",
    ),
    "list as title": ("docs.jsonl", lines({**DOCUMENT, "title": ["x"]}), "line 1: title is ['x']"),
    "number as group": ("queries.jsonl", lines({**QUERY, "group": 7}), "line 1: group is 7"),
    "same document twice": (
        "docs.jsonl",
        lines(DOCUMENT, DOCUMENT),
        "line 2: the id 'd1' was there before",
    ),
    "same query twice": (
        "queries.jsonl",
        lines(QUERY, QUERY),
        "queries.jsonl line 2: the id 'q1' was there before",
    ),
    "NUL": (
        "docs.jsonl",
        lines({"id": "d1", "text": "a\0b"}),
        "line 1: text holds a NUL character at position 1",
    ),
    "half a pair": (
        "queries.jsonl",
        '{"id": "q", "text": "\\ud800"}',
        "line 1: text holds half a surrogate pair",
    ),
    "text over 4 MB": (
        "docs.jsonl",
        lines({"id": "d1", "text": "x" * 4_194_305}),
        "line 1: description has 4194305",
    ),
    "binary": (
        "docs.jsonl",
        lines(DOCUMENT).encode() + b"\xff\xfe\0",
        "docs.jsonl line 2: is not UTF-8 text",
    ),
    "score is a word": (
        "qrels.tsv",
        f"{HEADER}q1\td1\tgood\n",
        "qrels.tsv line 2: the score is 'good'",
    ),
    "score is not a number": (
        "qrels.tsv",
        f"{HEADER}q1\td1\tnan\n",
        "the score is 'nan': it must be a number",
    ),
    "two columns": ("qrels.tsv", f"{HEADER}q1 d1\t1\n", "qrels.tsv line 2: has 2 columns, not 3"),
    "no header": ("qrels.tsv", "q1\td1\t1\n", "qrels.tsv line 1: is a judgement"),
    "judged twice": (
        "qrels.tsv",
        f"{HEADER}q1\td1\t1\nq1\td1\t2\n",
        "line 3: query 'q1' and document 'd1' were judged",
    ),
    "nothing judged": ("qrels.tsv", HEADER, "nothing to measure"),
    "empty documents": ("docs.jsonl", "", "nothing to measure"),
}


@pytest.mark.parametrize(("name", "content", "message"), BROKEN.values(), ids=BROKEN)
def test_an_error_names_file_and_line(
    folder: Path, name: str, content: str | bytes, message: str
) -> None:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(InvalidEvaluationError) as refusal:
        read_eval_set(str(folder), "name")
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["docs.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(InvalidEvaluationError, match=rf"{name}: No such file"):
        read_eval_set(str(folder), "name")


def test_a_path_that_is_no_file_is_not_waited_for(folder: Path) -> None:
    (folder / "docs.jsonl").unlink()
    os.mkfifo(folder / "docs.jsonl")

    with pytest.raises(InvalidEvaluationError, match=r"docs.jsonl: is not a file"):
        read_eval_set(str(folder), "name")
    with pytest.raises(InvalidEvaluationError, match="is not a folder"):
        read_eval_set(str(folder / "qrels.tsv"), "name")


def test_a_line_without_end_is_not_read_to_its_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 100)
    (folder / "docs.jsonl").write_text(lines(DOCUMENT) + "x" * 200)

    with pytest.raises(InvalidEvaluationError, match=r"docs.jsonl line 2: has over 100 bytes"):
        read_eval_set(str(folder), "name")


def compress(path: Path) -> Path:
    """Replace the file by one that gzip made of it, and return that."""
    compressed = path.with_name(f"{path.name}.gz")
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return compressed


def test_compressed_documents_and_queries_are_read_as_plain_ones(folder: Path) -> None:
    plain = read_eval_set(str(folder), "name")
    compress(folder / "docs.jsonl")
    compress(folder / "queries.jsonl")

    assert read_eval_set(str(folder), "name") == plain


def test_of_a_plain_and_a_compressed_file_the_plain_one_is_read(folder: Path) -> None:
    (folder / "docs.jsonl.gz").write_bytes(
        gzip.compress(lines({"id": "other", "text": "Other."}).encode())
    )

    assert list(read_eval_set(str(folder), "name").documents) == ["d1"]


@pytest.mark.parametrize(
    "content",
    [
        lines(DOCUMENT).encode(),
        gzip.compress(
            lines(*({"id": str(number), "text": "x"} for number in range(1_000))).encode()
        )[:-20],
        gzip.compress(lines(DOCUMENT).encode())[:5],
        gzip.compress(lines(DOCUMENT).encode())[:-8] + bytes(8),
        gzip.compress(b"")[:10] + b"\xff" * 20,
    ],
    ids=["plain text", "truncated", "truncated header", "wrong checksum", "no deflate stream"],
)
def test_a_damaged_compressed_file_is_refused_in_one_line(folder: Path, content: bytes) -> None:
    compress(folder / "docs.jsonl").write_bytes(content)

    with pytest.raises(
        InvalidEvaluationError, match=r"docs.jsonl.gz: is no gzip file, or damaged \(.+\)$"
    ) as refusal:
        read_eval_set(str(folder), "name")
    assert "\n" not in str(refusal.value)


def test_an_error_in_a_compressed_file_names_its_line(folder: Path) -> None:
    (folder / "queries.jsonl").write_text(lines(QUERY) + "{nonsense\n")
    compress(folder / "queries.jsonl")

    with pytest.raises(InvalidEvaluationError, match=r"queries.jsonl.gz line 2: is not JSON"):
        read_eval_set(str(folder), "name")


def test_a_file_that_unpacks_to_too_much_is_not_read_to_its_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    padded = lines(DOCUMENT) + "\n" * 100
    monkeypatch.setattr(files, "MAX_UNPACKED", len(padded))
    (folder / "docs.jsonl").write_text(padded)
    packed = compress(folder / "docs.jsonl")
    assert len(read_eval_set(str(folder), "name").documents) == 1

    packed.write_bytes(gzip.compress(f"{padded}\n".encode()))
    with pytest.raises(InvalidEvaluationError, match=r"docs.jsonl.gz: unpacks to over \d+ bytes"):
        read_eval_set(str(folder), "name")


def test_a_compressed_line_without_end_is_not_read_to_its_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 100)
    (folder / "docs.jsonl").write_text(lines(DOCUMENT) + "x" * 1_000_000)
    compress(folder / "docs.jsonl")

    with pytest.raises(InvalidEvaluationError, match=r"docs.jsonl.gz line 2: has over 100 bytes"):
        read_eval_set(str(folder), "name")


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["/a/x", "/b/y/"], ["x", "y"]),
        (["/a/x", "/b/x", "/c/x/"], ["x", "x-2", "x-3"]),
        (["/"], ["set"]),
        ([], []),
    ],
)
def test_sets_are_named_after_their_folders_and_never_alike(
    folders: list[str], names: Iterable[str]
) -> None:
    assert names_of(folders) == names
