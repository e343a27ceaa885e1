from pathlib import Path

import pytest

from hardwon.adapters.config.reader import read_local_md
from tests.adapters.config.project import DEFAULTS, resolve, write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("k: a", "a"),
        ("k:a", "a"),
        ("k: gemini embedding 001", "geminiembedding001"),
        ("k: true  # SQLite + vectors", "true"),
        ("k: a#b", "a#b"),
        ("k:# comment", "#comment"),
        ("k: # comment", ""),
        ("k: a: b", "a:b"),
        ("k: a\nk: b", "a"),
        ("k:\nk: b", ""),
        ("---\nother: 1\n---\n# Title\n\nk: late", "late"),
        ('k: "a"', '"a"'),
        (" k: indented", None),
        ("# k: comment", None),
        ("kk: a\nk : b\nK: c", None),
        ("k:\ta", "\ta"),
    ],
)
def test_lines_are_read_as_the_shell_reads_them(text: str, value: str | None) -> None:
    assert read_local_md(text, ["k"]).get("k") == value


def test_windows_line_ends_and_a_mark_do_not_matter(tmp_path: Path) -> None:
    write(
        tmp_path,
        local_md=b"\xef\xbb\xbfmemory_semantic_enabled: true\r\nmemory_injection_limit: 7\r\n",
    )
    found = resolve(tmp_path)

    assert found.settings.semantic_enabled
    assert found.settings.injection_limit == 7
    assert found.warnings == ()


def test_the_sample_of_the_specification_means_what_it_says(tmp_path: Path) -> None:
    write(
        tmp_path,
        local_md="---\nmemory_semantic_enabled: true              # SQLite + vectors\n"
        "memory_embedding_model: gemini-embedding-001 # Model name\n"
        "memory_injection_limit: 20 # Max entries\n---\n",
    )
    found = resolve(tmp_path)

    assert found.settings == DEFAULTS  # the model is Gemini's own, and of no other provider
    assert found.warnings == ()
