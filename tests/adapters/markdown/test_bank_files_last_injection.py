import datetime as dt
import json
import stat
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.knowledge_bank import parse_bank, record_injection
from hardwon.domain.model.injection.markdown_block import SourcedEntry

NOW = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
ONE_ENTRY = [SourcedEntry(parse_bank("### Pattern: Größe", "patterns")[0], "global")]

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def record(store: Path, project_root: str = "/somewhere/project") -> list[str]:
    warnings: list[str] = []
    record_injection(str(store), project_root, ONE_ENTRY, NOW, warnings.append)
    return warnings


def test_the_record_is_the_last_injection_alone(tmp_path: Path) -> None:
    store = tmp_path / "missing" / "store"

    assert record(store) == []
    assert record(store, "/else/where/") == []
    assert [path.name for path in store.iterdir()] == [".last-injection.json"]
    assert json.loads((store / ".last-injection.json").read_text()) == {
        "timestamp": "2026-01-02T03:04:05Z",
        "project": "where",
        "entries_injected": 1,
        "sources": {"local": 0, "global": 1},
        "entry_names": ["Größe"],
    }


def test_the_record_is_plain_ascii_without_a_final_newline(tmp_path: Path) -> None:
    record(tmp_path)

    data = (tmp_path / ".last-injection.json").read_bytes()
    assert data.isascii()
    assert data.endswith(b"\n}")


@posix_only
def test_record_and_store_belong_to_their_owner_alone(tmp_path: Path) -> None:
    store = tmp_path / "store"
    record(store)

    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert stat.S_IMODE((store / ".last-injection.json").stat().st_mode) == 0o600


def test_the_project_is_a_base_name_even_of_a_relative_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record(tmp_path, ".")

    assert json.loads((tmp_path / ".last-injection.json").read_text())["project"] == tmp_path.name


@posix_only
def test_a_working_directory_that_is_gone_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert len(record(tmp_path, ".")) == 1


def test_a_store_that_is_a_file_is_a_warning(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.write_text("untouched")

    assert len(record(store)) == 1
    assert store.read_text() == "untouched"


def test_a_record_that_cannot_be_replaced_is_a_warning_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    (tmp_path / ".last-injection.json").mkdir()

    assert len(record(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [".last-injection.json"]


@pytest.mark.parametrize("name", ["with\0nul", "with\ud800surrogate"])
def test_a_store_no_file_system_knows_is_a_warning(tmp_path: Path, name: str) -> None:
    assert len(record(tmp_path / name)) == 1
