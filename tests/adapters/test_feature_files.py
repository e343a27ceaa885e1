import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardwon.adapters.feature_files import FeatureFiles
from hardwon.domain.model.context import Feature

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


@pytest.fixture
def warnings() -> list[str]:
    return []


def add(root: Path, folder: str, meta: object, **documents: str) -> Path:
    """Make a feature; *documents* are `spec` and `prd`."""
    feature = root / "docs/features" / folder
    feature.mkdir(parents=True)
    (feature / ".meta.json").write_text(
        meta if isinstance(meta, str) else json.dumps(meta), "utf-8"
    )
    for name, text in documents.items():
        (feature / f"{name}.md").write_text(text, "utf-8")
    return feature


def active(**more: Any) -> dict[str, Any]:
    return {"slug": "a", "status": "active", **more}


def ask(root: Path, warnings: list[str]) -> Feature | None:
    return FeatureFiles(str(root), warnings.append).active_feature()


def test_a_feature_is_read_whole(tmp_path: Path, warnings: list[str]) -> None:
    meta = active(slug="memory", lastCompletedPhase="design")
    add(tmp_path, "012-memory", meta, spec="# Spec\n\nLessons\nlast.\n\n## Why\n", prd="Other.")

    assert ask(tmp_path, warnings) == Feature(
        slug="memory", description="Lessons last.", phase="design"
    )
    assert warnings == []


def test_the_highest_number_wins(tmp_path: Path, warnings: list[str]) -> None:
    for folder in ("9-nine", "012-a", "003-b", "no-number", "100-done"):
        add(
            tmp_path,
            folder,
            active(slug=folder, status="done" if folder == "100-done" else "active"),
        )

    feature = ask(tmp_path, warnings)
    assert feature is not None
    assert feature.slug == "012-a"


def test_without_any_number_the_last_name_wins(tmp_path: Path, warnings: list[str]) -> None:
    for folder in ("alpha", "beta"):
        add(tmp_path, folder, active(slug=folder))

    assert ask(tmp_path, warnings) == Feature(slug="beta")


@pytest.mark.parametrize("status", ["done", "Active", None, True, ["active"]])
def test_only_the_word_active_counts(tmp_path: Path, warnings: list[str], status: object) -> None:
    add(tmp_path, "001-a", active(status=status))

    assert ask(tmp_path, warnings) is None
    assert warnings == []


@pytest.mark.parametrize("make", ["", "docs", "docs/features", "docs/features/001-a"])
def test_no_features_are_no_warning(tmp_path: Path, warnings: list[str], make: str) -> None:
    (tmp_path / make).mkdir(parents=True, exist_ok=True)

    assert ask(tmp_path, warnings) is None
    assert warnings == []


def test_files_beside_the_features_and_hidden_folders_are_ignored(
    tmp_path: Path, warnings: list[str]
) -> None:
    add(tmp_path, ".999-hidden", active())
    (tmp_path / "docs/features/README.md").touch()

    assert ask(tmp_path, warnings) is None
    assert warnings == []


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        "[]",
        '"active"',
        "null",
        "[" * 100_000,
        "{}x",
        '{"status": "active"' + " " * 300_000 + "}",
    ],
    ids=["empty", "open", "list", "text", "null", "deep", "tail", "too large"],
)
def test_a_broken_meta_is_skipped_with_one_warning(
    tmp_path: Path, warnings: list[str], broken: str
) -> None:
    add(tmp_path, "999-broken", broken)
    add(tmp_path, "001-a", active())

    assert ask(tmp_path, warnings) == Feature(slug="a")
    assert len(warnings) == 1
    assert "999-broken" in warnings[0]
    assert "\n" not in warnings[0]


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"slug": None}, Feature(slug="007-folder")),
        ({"slug": 7}, Feature(slug="007-folder")),
        ({"slug": " \n"}, Feature(slug="007-folder")),
        ({"slug": "two\nwords"}, Feature(slug="two words")),
        ({"slug": "a\ud800"}, Feature(slug="a?")),
        ({"lastCompletedPhase": None}, Feature(slug="a")),
        ({"lastCompletedPhase": 3}, Feature(slug="a")),
        ({"lastCompletedPhase": ""}, Feature(slug="a")),
        ({"lastCompletedPhase": "plan"}, Feature(slug="a", phase="plan")),
    ],
)
def test_odd_fields_fall_back(
    tmp_path: Path, warnings: list[str], meta: dict[str, Any], expected: Feature
) -> None:
    add(tmp_path, "007-folder", active(**meta))

    assert ask(tmp_path, warnings) == expected
    assert warnings == []


@pytest.mark.parametrize("spec", ["", "\n", "# Title\n", "<!-- nothing -->", "---\na: b\n---\n"])
def test_a_spec_without_prose_gives_way_to_the_prd(
    tmp_path: Path, warnings: list[str], spec: str
) -> None:
    add(tmp_path, "001-a", active(), spec=spec, prd="From the prd.")

    assert ask(tmp_path, warnings) == Feature(slug="a", description="From the prd.")


def test_windows_line_ends_a_mark_and_bad_bytes_are_read(
    tmp_path: Path, warnings: list[str]
) -> None:
    feature = add(tmp_path, "001-a", active())
    (feature / ".meta.json").write_bytes(b'\xef\xbb\xbf{"status": "active", "slug": "a"}')
    (feature / "spec.md").write_bytes(b"\xef\xbb\xbf# Title\r\n\r\ncaf\xe9\rbar\r\n\r\n## More\r\n")

    assert ask(tmp_path, warnings) == Feature(slug="a", description="caf\ufffd bar")


def test_only_the_beginning_of_a_document_is_read(tmp_path: Path, warnings: list[str]) -> None:
    add(tmp_path, "001-a", active(), spec="\n" * (256 * 1024) + "Too late.", prd="Instead.")

    assert ask(tmp_path, warnings) == Feature(slug="a", description="Instead.")


@posix
@pytest.mark.parametrize("name", [".meta.json", "spec.md"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "loop", "device"])
def test_only_regular_files_are_opened(
    tmp_path: Path, warnings: list[str], name: str, kind: str
) -> None:
    feature = add(tmp_path, "999-odd", active(), prd="From the prd.")
    odd = feature / name
    odd.unlink(missing_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(odd)
        case "folder":
            odd.mkdir()
        case "loop":
            odd.symlink_to(odd)
        case _:
            odd.symlink_to("/dev/zero")
    before = sorted(Path("/dev/fd").iterdir())

    expected = None if name == ".meta.json" else Feature(slug="a", description="From the prd.")
    assert ask(tmp_path, warnings) == expected
    assert len(warnings) == 1
    assert sorted(Path("/dev/fd").iterdir()) == before


@posix
def test_a_folder_that_is_no_utf8_gives_a_clean_slug(tmp_path: Path, warnings: list[str]) -> None:
    try:
        add(tmp_path, os.fsdecode(b"001-caf\xe9"), {"status": "active"})
    except OSError:
        pytest.skip("this file system refuses such names")

    assert ask(tmp_path, warnings) == Feature(slug="001-caf?")


def test_a_root_that_is_no_path_is_one_warning(warnings: list[str]) -> None:
    assert FeatureFiles("a\0b", warnings.append).active_feature() is None
    assert len(warnings) == 1


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(meta=st.binary(), spec=st.binary())
def test_nothing_in_the_files_raises(tmp_path: Path, meta: bytes, spec: bytes) -> None:
    feature = tmp_path / "docs/features/001-a"
    feature.mkdir(parents=True, exist_ok=True)
    (feature / ".meta.json").write_bytes(meta or b'{"status": "active"}')
    (feature / "spec.md").write_bytes(spec)

    found = ask(tmp_path, [])
    if found:
        found.description.encode("utf-8")
