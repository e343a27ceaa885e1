"""Sets of long documents, and figures by their length, on planted sets."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from bench import lengths, long_sets
from bench.eval_sets import read_sets, read_sets_below
from bench.lengths import POLICIES, length_lines
from bench.long_sets import MadeSet, Note, long_chats, many_subjects, notes_of, one_subject
from hardwon.adapters.evaluation.files import read_eval_set
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.evaluation.eval_set import EvalSet
from hardwon.domain.model.evaluation.report import QueryReport, SetReport
from tests.strategies import planted


def write_set(
    folder: Path,
    documents: Mapping[str, Mapping[str, str]],
    questions: Mapping[str, tuple[str, Sequence[str]]],
) -> EvalSet:
    """Write a set of documents, by id, and of questions: their text, and the ids of what answers."""
    groups = {key: fields.get("group", "") for key, fields in documents.items()}
    MadeSet(
        [{"id": key, **fields} for key, fields in documents.items()],
        [
            {"id": key, "text": text, "group": groups[answers[0]]}
            for key, (text, answers) in questions.items()
        ],
        [(key, answer, 1) for key, (_, answers) in questions.items() for answer in answers],
    ).write(str(folder))
    return read_eval_set(str(folder), folder.name)


@pytest.fixture
def til(tmp_path: Path) -> EvalSet:
    """Return 60 notes of 100 words about three topics."""
    documents = {
        f"{'abc'[number % 3]}/{number}": {"text": f"text{number} " * 100} for number in range(60)
    }
    return write_set(
        tmp_path / "sets" / "til-jbranchaud",
        documents,
        {f"q:{key}": (f"Title {key}", [key]) for key in documents},
    )


@pytest.fixture
def chats(tmp_path: Path) -> EvalSet:
    """Return two chats of 50 turns of 100 words; a question asks for two turns of the first chat."""
    documents = {
        f"{chat}/{turn}": {
            "text": f"{chat}{turn} " * 100,
            "group": chat,
            "timestamp": f"2024-03-0{turn % 9 + 1}",
        }
        for chat in ("x", "y")
        for turn in range(50)
    }
    return write_set(
        tmp_path / "sets" / "beam-dialogue", documents, {"q1": ("what did we say?", ["x/7", "x/8"])}
    )


def near_but(*odd: int) -> list[Vector]:
    """Return 60 vectors that are alike, those of the notes *odd* apart from all others."""
    return [planted(0.0 if number in odd else 1.0) for number in range(60)]


def test_notes_of_one_subject_are_joined_and_asked_for_by_the_first_title(til: EvalSet) -> None:
    made = one_subject(notes_of(til), lambda _: near_but(9))

    texts = {document["id"]: document["text"].split("\n\n") for document in made.documents}
    assert (
        sum(
            text.count(f"text{number} ") > 0
            for text in map(" ".join, texts.values())
            for number in range(60)
        )
        == 60
    )
    assert max(len(" ".join(parts).split()) for parts in texts.values()) > 500
    assert len(texts["a/9"]) == 1  # nothing is near it
    for note_id, parts in texts.items():
        assert parts[0].startswith(f"text{note_id.partition('/')[2]} ")
        assert all(
            part.startswith(f"Title {note_id[0]}/") for part in parts[1::2]
        )  # of its topic, with its title
    assert [(query["id"], query["text"]) for query in made.queries] == [
        (f"q:{key}", f"Title {key}") for key in texts
    ]
    assert made.judgements == [(f"q:{key}", key, 1) for key in texts]


def test_a_log_holds_notes_of_any_topic_and_no_title(til: EvalSet) -> None:
    made = many_subjects(notes_of(til))

    texts = [document["text"] for document in made.documents]
    assert sum(len(text.split("\n\n")) for text in texts) == 60
    assert not any("Title" in text for text in texts)
    holding = {document["id"]: document["text"] for document in made.documents}
    for query_id, document_id, _ in made.judgements:
        assert f"text{query_id.partition('/')[2]} " in holding[document_id]
    assert len(made.documents) <= len(made.queries) <= 2 * len(made.documents)
    assert {query["id"] for query in made.queries} == {
        query_id for query_id, _, _ in made.judgements
    }


def test_turns_are_joined_within_their_chat_and_in_order(chats: EvalSet) -> None:
    made = long_chats(chats)

    for chat in ("x", "y"):
        joined = " ".join(
            document["text"] for document in made.documents if document["group"] == chat
        )
        assert list(dict.fromkeys(joined.split())) == [f"{chat}{turn}" for turn in range(50)]
    lengths = [len(document["text"].split()) for document in made.documents]
    assert min(lengths) >= 100
    assert 400 < max(lengths) <= 2_000
    [holding] = {document["id"] for document in made.documents if "x7 " in document["text"]}
    assert ("q1", holding, 1.0) in made.judgements
    assert made.documents[0]["timestamp"].startswith("2024-03-01")


def test_the_same_sets_come_out_of_every_run(til: EvalSet, chats: EvalSet) -> None:
    notes: list[Note] = notes_of(til)

    assert many_subjects(notes) == many_subjects(notes) != many_subjects(notes, seed=1)
    assert long_chats(chats) == long_chats(chats)
    assert one_subject(notes, lambda _: near_but(3)) == one_subject(notes, lambda _: near_but(3))


class Ran(NamedTuple):
    """How a command of `bench` ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    embedder_of_words: None,
) -> Run:
    """Return a function that runs a command of `bench` with an embedder that needs no model."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    del embedder_of_words

    def run(main: Callable[[], None], *arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["bench", *map(str, arguments)])
        try:
            main()
        except SystemExit as leaving:
            return Ran(1, capsys.readouterr().out, str(leaving.code))
        return Ran(0, *capsys.readouterr())

    return run


@pytest.mark.usefixtures("til", "chats")
def test_the_commands_write_sets_and_measure_them_by_length(tmp_path: Path, run: Run) -> None:
    written = run(long_sets.main, tmp_path / "sets", tmp_path / "long")
    assert (written.code, written.err) == (0, "")
    sets = read_sets_below(str(tmp_path / "long"))
    assert [made.name for made in sets] == ["long-chats", "many-subjects", "one-subject"]
    assert all(not made.warnings for made in sets)

    measured = run(lengths.main, tmp_path / "long" / "many-subjects")
    assert (measured.code, measured.err) == (0, "")
    heading, whole, *bands = measured.out.splitlines()
    assert heading.split() == ["set", "words", "questions", *POLICIES]
    assert whole.split()[:2] == ["many-subjects", "all"]
    assert (
        int(whole.split()[2])
        == sum(int(line.split()[-5]) for line in bands)
        == len(sets[1].queries)
    )


def test_a_folder_without_sets_is_one_line(tmp_path: Path, run: Run) -> None:
    for done in (run(long_sets.main, tmp_path, tmp_path), run(lengths.main, tmp_path)):
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 0)
        assert done.err
    with pytest.raises(SystemExit, match="holds no folder of an evaluation set"):
        read_sets_below(str(tmp_path))


@pytest.mark.parametrize(
    ("words", "band"),
    [
        (99, "0 to 100"),
        (100, "100 to 300"),
        (300, "300 to 600"),
        (999, "600 to 1,000"),
        (1_000, "1,000 and more"),
    ],
)
def test_a_question_counts_in_the_band_of_the_longest_document_that_answers(
    tmp_path: Path, words: int, band: str
) -> None:
    documents = {
        "long": {"text": "word " * words},
        "short": {"text": "Short."},
        "other": {"text": "word " * 5_000},
    }
    eval_set = write_set(tmp_path / "planted", documents, {"q1": ("asked", ["short", "long"])})
    report = SetReport({}, {"q1": QueryReport("asked", dict.fromkeys(POLICIES, 0.25))})

    whole, line = length_lines(eval_set, report)

    assert line.split() == ["planted", *band.split(), "1", *["0.2500"] * 4]
    assert whole.split() == ["planted", "all", "1", *["0.2500"] * 4]
    assert read_sets([str(tmp_path / "planted")])[0].documents == eval_set.documents
