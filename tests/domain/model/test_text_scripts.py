import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.text import (
    is_grammar,
    pairs,
    runs,
    share_unspaced,
    signs,
    split_at_runs,
    without_marks,
)

SCRIPTS = [
    "部署缓存",
    "キャッシュ",
    "ひらがな",
    "캐시를",
    "ต้องล้างแคช",
    "ລຶບແຄດ",
    "ကက်ရှ်ကို",
    "ឃ្លាំងសម្ងាត់",
]


@pytest.mark.parametrize("run", SCRIPTS)
def test_a_run_is_split_from_other_scripts(run: str) -> None:
    assert split_at_runs(f"kpir{run}x1 é") == ["kpir", run, "x1 é"]


def test_kanji_and_both_kana_are_runs_of_their_own() -> None:
    assert runs("サーバーを再起動する") == ["サーバー", "を", "再起動", "する"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [("后", ["后"]), ("缓存", ["缓存"]), ("浮点数", ["浮点", "点数"]), ("ที่นี่", ["ที่นี่"])],
)
def test_a_run_is_searched_as_its_overlapping_pairs(run: str, expected: list[str]) -> None:
    assert pairs(run) == expected


@pytest.mark.parametrize("run", SCRIPTS)
def test_signs_are_the_run_and_marks_become_letters(run: str) -> None:
    private = without_marks(run)

    assert "".join(signs(run)) == run
    assert len(private) == len(run)
    assert not any(unicodedata.category(sign).startswith("M") for sign in private)


@given(text=st.text())
def test_splitting_keeps_every_known_character(text: str) -> None:
    known = "".join(" " if unicodedata.category(sign) == "Cn" else sign for sign in text)

    assert "".join(split_at_runs(text)) in {text, known}
    assert 0 <= share_unspaced(text) <= 1


@pytest.mark.parametrize(
    ("text", "share"),
    [("", 0), ("plain text", 0), ("缓存", 1), ("abcdefgh缓存", 0.5), ("1 2 缓", 1)],
)
def test_the_share_is_of_word_pieces(text: str, share: float) -> None:
    assert share_unspaced(text) == share


def test_particles_are_of_hiragana_alone() -> None:
    assert is_grammar("を")
    assert not is_grammar("消")
    assert not is_grammar("the")
