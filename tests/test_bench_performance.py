"""The page of costs: each figure with its target, each missed target by how much; and the stores that it measures."""

import threading
import time
import xml.etree.ElementTree as ET
from array import array
from contextlib import closing
from pathlib import Path

import pytest

from bench import prose, stores, texts
from bench.chart import Line, chart
from bench.cost import doors
from bench.figures import Aim, Figure, aim_of
from bench.performance import cell, write_page
from bench.project import make_project
from hardwon.adapters.sqlite.derived import count_ranked
from hardwon.adapters.sqlite.keyword_index import is_intact
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import pack_postings
from hardwon.domain.model.embedding import Vector

MISSED = Figure(
    "start_new", "session start, query new: CPU", 1_000, 260.0, "ms", 20.04, aim=Aim(12, "ratio")
)
MET = MISSED._replace(name="stop", title="Stop: CPU", ratio=2.2, aim=Aim(2.3, "ratio"))
MEMORY = Figure(
    "start_memory", "session start: peak memory", 1_000, 61.0, "MB", aim=Aim(60, "value")
)
WHERE = Figure("where_start_new", "session start, query new: numpy", 1_000, 30.0, "%")
PEER = Figure(
    "peer_lancedb", "lancedb, cold, vector given: CPU", 10_000, 900.0, "ms", 3.0, "hardwon recall"
)
AT_10K = MISSED._replace(entries=10_000, ratio=12.0)


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (MISSED, "**20.0 x** (12)"),
        (MET, "2.2 x (2.3)"),
        (MEMORY, "**61.0 MB** (60)"),
        (MET._replace(note="1 of 3 runs fell back"), "**2.2 x** (2.3): 1 of 3 runs fell back"),
        (WHERE, "30.0 %"),
    ],
)
def test_a_cell_has_the_figure_its_target_and_problems(figure: Figure, text: str) -> None:
    assert cell(figure) == text


def test_a_target_belongs_to_its_size() -> None:
    assert aim_of((5.5, 6, 9, 20), 100_000, "ratio") == Aim(9, "ratio")
    assert aim_of((5.5, 6, 9, 20), 200, "ratio") is None
    assert aim_of((), 1_000, "ratio") is None


def test_the_page_has_the_command_every_size_each_missed_target_and_the_peers(
    tmp_path: Path,
) -> None:
    write_page(str(tmp_path), [MISSED, MET, MEMORY, AT_10K, WHERE, PEER], repetitions=3)
    page = (tmp_path / "measurements.md").read_text(encoding="utf-8")

    assert "make generated PART=performance SIZES=1000,10000\n" in page
    assert "medians of 3; that took 22 ms." in page
    assert "| | 1,000 | 10,000 |\n" in page
    assert "| session start, query new: CPU | **20.0 x** (12) | 12.0 x (12) |" in page
    assert (
        "- session start, query new: CPU, 1,000 entries: 20.0 x, 1.7 times the target of 12\n"
        in page
    )
    assert (
        "- session start: peak memory, 1,000 entries: 61.0 MB, 1.0 times the target of 60\n" in page
    )
    assert "Stop: CPU, 1,000 entries" not in page
    assert page.index("Where the time goes") < page.index("| session start, query new: numpy |")
    assert page.index("Beside other indexes") < page.index(
        "| lancedb, cold, vector given: CPU | 3.0 x |"
    )
    assert ET.parse(tmp_path / "performance.svg").getroot().tag.endswith("svg")  # noqa: S314  # ours


def test_the_former_figures_come_after_the_new_ones(tmp_path: Path) -> None:
    write_page(str(tmp_path), [MISSED, MET, MEMORY, AT_10K], repetitions=3)
    write_page(str(tmp_path), [MISSED._replace(ratio=18.0), MEMORY, AT_10K], repetitions=3)
    page = (tmp_path / "measurements.md").read_text(encoding="utf-8")

    row = (
        "| session start, query new: CPU | **18.0 x** (12), was 20.0 x | 12.0 x (12), was 12.0 x |"
    )
    assert row in page
    assert "| session start: peak memory | **61.0 MB** (60), was 61.0 MB |" in page
    assert "`python -c pass` took 22 ms" in page


def test_a_chart_draws_each_line_and_its_targets_and_escapes_names() -> None:
    drawn = chart([Line("start < 5", [(1e3, 20), (1e4, 21)], [(1e3, 12), (1e4, 13)])], "CPU")
    root = ET.fromstring(drawn)  # noqa: S314  # ours
    lines = [element for element in root if element.tag.endswith("polyline")]

    assert [line.get("stroke-dasharray") for line in lines] == ["4 4", None]
    assert "start < 5: 21.0" in [element.text for element in root]


def test_every_door_of_the_issue_is_measured_with_its_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        texts, "sentences", lambda: [f"Sentence {number} of prose." for number in range(500)]
    )
    of_all = doors(*(make_project(str(tmp_path / name)) for name in "abc"))
    aimed = {name: door.targets for name, door in of_all.items() if door.targets}

    assert aimed == {
        "start_new": (16, 18, 30),
        "start_seen": (7, 8, 11, 30),
        "start_keyword": (5.5, 6, 9, 20),
        "prompt_silent": (2.5, 2.5, 2.5),
        "prompt_searched": (9, 10, 15, 35),
        "stop": (3, 3, 3),
        "session_end": (2.3, 2.3, 2.3, 2.3),
        "recall": (20, 22, 40),
    }


@pytest.mark.soak
def test_a_store_of_the_bench_is_one_that_the_product_keeps(tmp_path: Path) -> None:
    folder = stores.build_store(str(tmp_path / "store"), 2_100)
    with closing(open_store(folder, repair_index=False)) as database:
        assert count_ranked(database) == database.value("SELECT count(*) FROM vector") == 2_100
        assert is_intact(database)
        assert database.value("SELECT count(packed) FROM vector_block") == 2
        assert database.value("SELECT count(*) FROM posting_block") == 2
        before = database.connection.total_changes
        pack_postings(database)
        assert database.connection.total_changes == before


def test_sentences_that_two_processes_embed_at_once_keep_their_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, path = [str(number) for number in range(3 * prose.BATCH)], str(tmp_path / "vectors")
    other = threading.Thread(target=prose._embed, args=(path, texts, 1))

    def embed(_: object, batch: list[str], __: object) -> list[Vector]:
        if threading.current_thread() is not other and not other.ident:
            other.start()
            time.sleep(0.1)
        return [array("f", [float(text)]) for text in batch]

    monkeypatch.setattr(prose, "embed_documents", embed)
    prose._embed(path, texts, 1)
    other.join()

    assert array("f", Path(path).read_bytes()).tolist() == [*range(3 * prose.BATCH)]
