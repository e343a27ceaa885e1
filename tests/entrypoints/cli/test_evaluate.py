"""`hardwon eval`: on sets of judged questions, and on the user's own memory."""

import gzip
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import finish, hardwon, keep, start
from tests.fakes.doors import Ran

POLICIES = ["keyword", "vector", "rrf", "weighted", "hybrid", "adaptive"]
QUALITY = ["ndcg@10", "recall@5", "recall@10", "mrr", "hit@5"]
FIGURES = {*QUALITY, "p50_ms", "p95_ms"}

NOTES = {
    "sockets": "Close every socket in a finally block, or the pool runs dry after an hour.",
    "quotes": "A quote that is never closed makes the parser read the rest of the file as one field.",
    "units": "Name the unit in the variable: seconds and milliseconds were mixed up twice.",
    "locks": "Take the lock before reading the counter, not only before writing it.",
    "retries": "Wait longer before each retry, or all clients come back at the same moment.",
}
ASKED = {
    "sockets": "connection pool exhausted",
    "quotes": "unclosed quote",
    "units": "seconds or milliseconds?",
}


def write_set(folder: Path, **files: str) -> Path:
    """Write a small set, with other *files* in place of some of its own."""
    folder.mkdir(parents=True)
    parts = {
        "docs": "".join(
            json.dumps({"id": key, "text": text}) + "\n" for key, text in NOTES.items()
        ),
        "queries": "".join(
            json.dumps({"id": f"q-{key}", "text": text}) + "\n" for key, text in ASKED.items()
        ),
        "qrels": "query-id\tcorpus-id\tscore\n" + "".join(f"q-{key}\t{key}\t1\n" for key in ASKED),
        **files,
    }
    for name, text in parts.items():
        (folder / f"{name}.{'tsv' if name == 'qrels' else 'jsonl'}").write_text(
            text, encoding="utf-8"
        )
    return folder


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world whose temporary files are its own."""
    (empty_world.folder / "tmp").mkdir()
    empty_world.variables["TMPDIR"] = str(empty_world.folder / "tmp")
    return empty_world


@pytest.fixture
def notes(tmp_path: Path) -> str:
    return str(write_set(tmp_path / "sets" / "notes"))


def cache_of(world: World) -> Path:
    return Path(world.variables["HOME"]) / ".cache" / "hardwon" / "eval-vectors.db"


def left_behind(world: World) -> list[Path]:
    return list((world.folder / "tmp").iterdir())


def quality(document: dict[str, Any], name: str = "notes") -> dict[str, list[float]]:
    """Return the figures that do not depend on the machine."""
    policies = document["sets"][name]["policies"]
    return {policy: [figures[key] for key in QUALITY] for policy, figures in policies.items()}


def test_every_policy_is_measured_and_nothing_but_vectors_is_left(world: World, notes: str) -> None:
    done = hardwon(world, "eval", notes, "--json")

    assert (done.code, done.stderr) == (0, "")
    assert done.document.keys() == {"sets"}
    policies = done.document["sets"]["notes"]["policies"]
    assert list(policies) == POLICIES
    assert all(figures.keys() == FIGURES for figures in policies.values())
    assert policies["vector"]["ndcg@10"] == policies["adaptive"]["hit@5"] == 1.0
    assert all(0 < figures["p50_ms"] <= figures["p95_ms"] for figures in policies.values())
    assert cache_of(world).stat().st_mode & 0o777 == 0o600
    assert left_behind(world) == []
    assert not world.store.exists()


def test_a_second_run_gives_the_same_figures_from_kept_vectors(world: World, notes: str) -> None:
    first = hardwon(world, "eval", notes, "--json").document
    kept = cache_of(world).read_bytes()
    world.variables["XDG_CACHE_HOME"] = "relative"  # is to be ignored
    second = hardwon(world, "eval", notes, "--json").document

    assert quality(first) == quality(second)
    assert cache_of(world).read_bytes() == kept


def test_a_broken_cache_is_only_slower(world: World, notes: str) -> None:
    expected = hardwon(world, "eval", notes, "--json").document
    world.variables["XDG_CACHE_HOME"] = str(world.folder / "cache")
    (world.folder / "cache").write_text("no folder")

    done = hardwon(world, "eval", notes, "--json")
    assert (done.code, quality(done.document)) == (0, quality(expected))
    assert done.stderr.startswith("Warning: ")
    assert done.stderr.count("\n") == 1


def test_people_get_a_table_of_whole_lines(world: World, notes: str) -> None:
    done = hardwon(world, "eval", notes)
    rows = [line.split() for line in done.stdout.splitlines()]

    assert (done.code, done.stderr) == (0, "")
    assert rows[0] == [
        "set",
        "policy",
        "nDCG@10",
        "R@5",
        "R@10",
        "MRR",
        "hit@5",
        "p50",
        "ms",
        "p95",
        "ms",
    ]
    assert [row[:2] for row in rows[1:]] == [["notes", policy] for policy in POLICIES]
    assert rows[2][2:7] == ["1.0000"] * 5


def test_some_policies_only_and_a_mean_over_sets_of_the_same_name(
    world: World, notes: str, tmp_path: Path
) -> None:
    other = str(write_set(tmp_path / "others" / "notes"))
    chosen = ("--policy", "vector", "--policy", "keyword")
    document = hardwon(world, "eval", notes, other, *chosen, "--json").document

    assert list(document["sets"]) == ["notes", "notes-2"]
    assert list(document["mean"]["policies"]) == ["keyword", "vector"]
    assert document["mean"]["policies"]["vector"]["mrr"] == 1.0
    lines = hardwon(world, "eval", notes, other, *chosen).stdout.split("\n")
    assert [line.split()[0] for line in lines if line.strip()] == [
        *("set", "notes", "notes", "notes-2", "notes-2", "mean", "mean")
    ]


def test_a_query_with_a_group_finds_nothing_of_another(world: World, tmp_path: Path) -> None:
    rows = [(key, text, "ab"[at % 2]) for at, (key, text) in enumerate(NOTES.items())]
    docs = "".join(
        json.dumps({"id": key, "text": text, "group": group}) + "\n" for key, text, group in rows
    )
    asked = [("q-1", ASKED["sockets"], "a"), ("q-2", ASKED["sockets"], "b")]
    queries = "".join(
        json.dumps({"id": key, "text": text, "group": group}) + "\n" for key, text, group in asked
    )
    qrels = "query-id\tcorpus-id\tscore\nq-1\tsockets\t1\nq-2\tsockets\t1\n"
    folder = write_set(tmp_path / "grouped", docs=docs, queries=queries, qrels=qrels)

    document = hardwon(world, "eval", str(folder), "--json", "--per-query").document

    for policy in POLICIES[1:]:
        assert document["sets"]["grouped"]["queries"]["q-1"]["ndcg@10"][policy] > 0
        assert document["sets"]["grouped"]["queries"]["q-2"]["ndcg@10"][policy] == 0


def test_omissions_are_reported(world: World, tmp_path: Path) -> None:
    docs = (
        json.dumps({"id": "a", "text": "Text."})
        + "\n"
        + json.dumps({"id": "b", "text": " "})
        + "\n"
    )
    queries = json.dumps({"id": "q", "text": "text"}) + "\n"
    qrels = "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tz\t1\n9\ta\t1\n"
    folder = write_set(tmp_path / "odd", docs=docs, queries=queries, qrels=qrels)

    done = hardwon(world, "eval", str(folder), "--policy", "vector", "--json")
    assert done.document["sets"]["odd"]["policies"]["vector"]["recall@5"] == 1.0
    assert done.stderr.splitlines() == [
        "Warning: odd: documents without a text: 1 left out, the first is 'b'",
        "Warning: odd: judgements of unknown documents: 1 left out, the first is 'z'",
        "Warning: odd: judgements of unknown queries: 1 left out, the first is '9'",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"docs": "{nonsense\n"}, "docs.jsonl line 1: is not JSON"),
        (
            {"docs": '{"id": "a", "text": "a\\u0000b"}\n'},
            "docs.jsonl line 1: text holds a NUL character",
        ),
        ({"queries": '{"id": 7, "text": "x"}\n'}, "queries.jsonl line 1: id is 7"),
        ({"qrels": "a\tb\tc\nq-units\tunits\thigh\n"}, "qrels.tsv line 2: the score is 'high'"),
    ],
)
def test_a_bad_set_is_one_line_and_exit_code_1(
    world: World, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    done = hardwon(world, "eval", str(write_set(tmp_path / "bad", **files)))

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("hardwon: ")
    assert message in done.stderr
    assert left_behind(world) == []
    assert not cache_of(world).exists()


def test_a_set_with_compressed_documents_is_measured_like_a_plain_one(
    world: World, notes: str, tmp_path: Path
) -> None:
    chosen = ("--policy", "keyword", "--json")
    plain = hardwon(world, "eval", notes, *chosen)
    packed = write_set(tmp_path / "packed" / "notes")
    (packed / "docs.jsonl.gz").write_bytes(gzip.compress((packed / "docs.jsonl").read_bytes()))
    (packed / "docs.jsonl").unlink()

    done = hardwon(world, "eval", str(packed), *chosen)
    assert (done.code, done.stderr) == (0, "")
    assert quality(done.document) == quality(plain.document)


def test_compressed_documents_that_are_cut_off_are_one_line_and_exit_code_1(
    world: World, tmp_path: Path
) -> None:
    packed = write_set(tmp_path / "packed")
    (packed / "docs.jsonl.gz").write_bytes(
        gzip.compress((packed / "docs.jsonl").read_bytes())[:-20]
    )
    (packed / "docs.jsonl").unlink()

    done = hardwon(world, "eval", str(packed))
    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "docs.jsonl.gz: is no gzip file, or damaged" in done.stderr


def test_mistakes_are_reported_in_one_line(world: World, notes: str, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    mistakes = {
        (): "name a folder to measure on, or --self",
        (str(tmp_path / "nowhere"),): "nowhere: is not a folder",
        (str(tmp_path / "sets"),): "docs.jsonl: No such file",
        (
            notes,
            "--policy",
            "best",
        ): "'best' is none of keyword, vector, rrf, weighted, hybrid, adaptive",
        (notes, "--fail-on-regression"): "add --compare",
        (notes, "--compare", str(tmp_path / "old.json")): "is no report of `hardwon eval --json`",
        (notes, "--compare", str(tmp_path / "none.json")): "none.json: No such file",
    }
    for arguments, message in mistakes.items():
        done = hardwon(world, "eval", *arguments)
        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert message in done.stderr


@pytest.fixture
def old(world: World, notes: str, tmp_path: Path) -> Path:
    """Return an earlier report, with figures for each query."""
    path = tmp_path / "old.json"
    path.write_text(hardwon(world, "eval", notes, "--json", "--per-query").stdout)
    return path


def change(old: Path, policy: str, figure: str, by: float) -> None:
    document = json.loads(old.read_text())
    document["sets"]["notes"]["policies"][policy][figure] += by
    old.write_text(json.dumps(document))


def compare(world: World, notes: str, old: Path, *arguments: str) -> Ran:
    return hardwon(world, "eval", notes, "--compare", str(old), *arguments)


def test_a_report_like_the_earlier_one_has_no_regression(
    world: World, notes: str, old: Path
) -> None:
    done = compare(world, notes, old, "--fail-on-regression", "--json")

    assert done.code == 0
    assert done.document["comparison"]["regressions"] == []
    assert quality(done.document) == quality(json.loads(old.read_text()))
    differences = done.document["comparison"]["differences"]["notes"]
    assert all(differences[policy][figure] == 0 for policy in POLICIES for figure in QUALITY)


def test_a_regression_is_marked_and_fails_only_when_asked_to(
    world: World, notes: str, old: Path
) -> None:
    change(old, "vector", "mrr", +0.01)
    change(old, "keyword", "mrr", +0.004)
    change(old, "rrf", "p50_ms", -1_000)

    shown = compare(world, notes, old)
    assert shown.code == 0
    assert "! -0.0100" in shown.stdout
    assert shown.stdout.count("!") == 2  # the heading explains it
    assert "Regression: notes vector MRR 1.0100 -> 1.0000\n" in shown.stdout
    failed = compare(world, notes, old, "--json", "--fail-on-regression")
    assert failed.code == 1
    [regression] = failed.document["comparison"]["regressions"]
    assert (regression["set"], regression["policy"], regression["figure"]) == (
        "notes",
        "vector",
        "mrr",
    )


def test_a_report_of_other_sets_fails_where_regressions_must_not_pass(
    world: World, notes: str, old: Path
) -> None:
    document = json.loads(old.read_text())
    document["sets"] = {"others": document["sets"]["notes"]}
    old.write_text(json.dumps(document))

    done = compare(world, notes, old, "--fail-on-regression")
    assert (done.code, done.stdout) == (1, "")
    assert "nothing can be compared" in done.stderr.splitlines()[-1]
    assert compare(world, notes, old).code == 0


def test_queries_are_listed_worst_first_and_those_that_moved(
    world: World, notes: str, old: Path
) -> None:
    document = json.loads(old.read_text())
    document["sets"]["notes"]["queries"]["q-units"]["ndcg@10"]["vector"] = 0.25
    old.write_text(json.dumps(document))

    done = compare(world, notes, old, "--per-query")
    assert (
        "adaptive beside the better of keyword and vector, nDCG@10: 0 of 3 differ\n" in done.stdout
    )
    moved = done.stdout.split("Since the earlier report, nDCG@10: 1 of 18 differ, worst first:\n")[
        1
    ].splitlines()
    assert moved[1].split()[:6] == ["notes", "vector", "q-units", "0.2500", "1.0000", "+0.7500"]
    assert len(moved) == 2


def test_an_earlier_report_without_queries_or_with_other_sets_is_reported(
    world: World, notes: str, tmp_path: Path
) -> None:
    (tmp_path / "old.json").write_text('{"sets": {}}')

    done = compare(world, notes, tmp_path / "old.json", "--per-query", "--policy", "rrf")
    assert done.code == 0
    assert done.stderr.splitlines() == [
        "Warning: the earlier report has no set 'notes'",
        "Warning: the earlier report has no figures for each query: make it with --json --per-query",
    ]


def test_ones_own_memory_is_asked_for_the_text_under_each_title(world: World) -> None:
    for number, (key, text) in enumerate(NOTES.items()):
        keep(world, name=f"First lesson of {key}", description=text)
        keep(world, name=f"Second lesson of {key}", description=f"{text} Number {number}.")
    keep(world, name="The beginning", description="The beginning of a text that no title asks for.")
    before = world.database.read_bytes()

    done = hardwon(world, "eval", "--self", "--json", "--per-query")

    assert (done.code, done.stderr) == (0, "")
    assert list(done.document["sets"]) == ["self", "self-rare-words"]
    assert len(done.document["sets"]["self"]["queries"]) == 10
    assert {
        figures["mrr"] for figures in done.document["sets"]["self-rare-words"]["policies"].values()
    } == {1.0}
    assert world.database.read_bytes() == before
    assert world.query("SELECT count(*) FROM vector") == [(0,)]


def test_a_memory_that_is_too_small_is_reported_and_not_made(world: World) -> None:
    done = hardwon(world, "eval", "--self", "--json")

    assert (done.code, done.document) == (0, {"sets": {}})
    assert done.stderr == (
        "Nothing to measure in your memory yet: 0 entries with a title that asks for something, 10 are needed\n"
    )
    assert not world.store.exists()
    assert hardwon(world, "eval", "--self").stdout == ""


def test_without_vectors_words_are_measured_alone(world: World, notes: str) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    done = hardwon(world, "eval", notes, "--json", "--policy", "keyword")

    assert done.code == 0
    assert done.document["sets"]["notes"]["policies"]["keyword"]["hit@5"] > 0
    assert (
        done.stderr == "Warning: no embedding provider is on: semantic policies search by keyword\n"
    )


def test_ctrl_c_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    docs = "".join(
        json.dumps({"id": str(number), "text": f"Text {number}. " * 50}) + "\n"
        for number in range(2_000)
    )
    folder = write_set(
        tmp_path / "large", docs=docs, qrels="query-id\tcorpus-id\tscore\nq-units\t1\t1\n"
    )
    process = start(world, "hardwon", "eval", str(folder))
    while not left_behind(world):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)

    done = finish(process)
    assert done.code != 0
    assert "Traceback" not in done.stderr
    assert left_behind(world) == []
