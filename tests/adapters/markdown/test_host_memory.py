"""Claude Code's own notes on a project, as source files."""

from pathlib import Path

import pytest

from hardwon.adapters.markdown.host_memory import HostMemoryFiles, read_fact
from hardwon.adapters.markdown.instructions import folder_name, host_memory_folder

FACT = """---
name: use-uv-not-pip
description: Packages come by uv
metadata:
  node_type: memory
  type: feedback
---
Install with uv.

**Why:** the lock file.
"""


def test_a_fact_keeps_its_name_as_a_title_and_its_type_becomes_a_kind() -> None:
    markdown = read_fact(FACT)

    assert markdown.front_matter["title"] == "use uv not pip"
    assert markdown.front_matter["type"] == "preference"
    assert markdown.front_matter["description"] == "Packages come by uv"
    assert markdown.body.startswith("Install with uv.")
    assert markdown.complaints == ()


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("user", "preference"),
        ("feedback", "preference"),
        ("project", "document"),
        ("reference", "document"),
        ("x", "document"),
    ],
)
def test_types_are_kept_as_kinds_whether_nested_or_not(kind: str, becomes: str) -> None:
    for text in (FACT.replace("feedback", kind), f"---\ntype: {kind}\nname: x\n---\nbody\n"):
        assert read_fact(text).front_matter["type"] == becomes


@pytest.mark.parametrize(
    "text", ["", "no head\nmetadata:\n  type: user\n", "---\nmetadata:\n---\nx", "---\nmetadata:\n  ]\n---\n", "---\n"]
)
def test_a_fact_without_a_usual_head_is_a_document(text: str) -> None:
    assert read_fact(text).front_matter["type"] == "document"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/p/my_proj.x y-\u00fc", "-srv-p-my-proj-x-y--"),
        ("/srv/p/qu\u0308q", "-srv-p-qu-q"),
        ("/srv/p/e\U0001d11ex", "-srv-p-e--x"),
        (f"/srv/p/{'l' * 120}/{'m' * 120}", f"-srv-p-{'l' * 120}-{'m' * 72}-q6wt61"),
        (
            "/srv/p/" + "\u00fc\U0001d11e" * 20 + "/" + "m" * 160,
            f"-srv-p-{'-' * 60}-{'m' * 132}-gaxxzr",
        ),
        ("", ""),
    ],
)
def test_the_folder_is_named_as_claude_code_2_1_330_was_seen_to_name_it(path: str, name: str) -> None:
    assert folder_name(path) == name


def test_links_make_no_other_memory(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").symlink_to(tmp_path / "one")
    expected = f"/config/projects/{folder_name(str(tmp_path.resolve() / 'one'))}/memory"

    assert {host_memory_folder("/config", str(tmp_path / name)) for name in ("one", "two")} == {expected}


def test_the_index_of_facts_is_no_fact(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [x](x.md)")
    (tmp_path / "x.md").write_text(FACT)
    files = HostMemoryFiles(str(tmp_path))

    assert files.at(str(tmp_path)).files == (str(tmp_path.resolve() / "x.md"),)
    assert files.read(str(tmp_path / "x.md")).markdown.front_matter["type"] == "preference"
