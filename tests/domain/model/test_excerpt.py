import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.excerpt import CUT, MarkedText, Span, excerpt, shortened
from hardwon.domain.model.keywords import search_terms
from tests.strategies import anything, phrases

ANY_TEXT = st.text(st.characters(), max_size=200) | st.lists(phrases | anything, max_size=40).map(
    " ".join
)
MEGABYTE = 1024 * 1024


def words_marked(found: MarkedText) -> list[str]:
    return [found.text[start:end] for start, end in found.spans]


@given(text=ANY_TEXT, query=ANY_TEXT, room=st.integers(-5, 120))
@example(text="İİ lock", query="i̇ lock", room=20)
@example(text="a" * 100, query="a" * 100, room=20)
@example(text="x " * 50 + "lock" * 20, query="lock", room=30)
def test_a_passage_is_never_longer_than_asked_and_its_marks_lie_inside(
    text: str, query: str, room: int
) -> None:
    found = excerpt(text, search_terms(query), room)

    assert len(found.text) <= max(0, room)
    assert "\n" not in found.text
    ends = [at for span in found.spans for at in span]
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(found.text) for start, end in found.spans)


@given(text=ANY_TEXT, query=ANY_TEXT, room=st.integers(20, 120))
def test_a_passage_is_of_the_text(text: str, query: str, room: int) -> None:
    found = excerpt(text, search_terms(query), room)

    assert found.text.removeprefix(CUT).removesuffix(CUT) in " ".join(text.split())


@given(words=st.lists(st.sampled_from(["of", "lock", "stores", "x"]), min_size=30, max_size=60))
def test_a_passage_is_cut_at_the_borders_of_words(words: list[str]) -> None:
    found = excerpt(" ".join(words), ("lock",), 40)

    assert set(found.text.replace(CUT, "").split()) <= set(words)


def test_the_passage_with_most_of_the_words_is_taken_the_first_of_several() -> None:
    text = f"The lock. {'x ' * 40}The lock of a store waits. {'y ' * 40}The store of locks waits."

    found = excerpt(text, ("lock", "store", "waits"), 50)

    assert "The lock of a store waits." in found.text
    assert found.text.startswith(CUT)
    assert found.text.endswith(CUT)
    assert words_marked(found) == ["lock", "store", "waits"]


def test_a_short_text_stays_whole_on_one_line() -> None:
    assert excerpt("We lock\n\n the  store.", ("lock",), 40) == MarkedText(
        "We lock the store.", (Span(3, 7),)
    )


def test_longer_forms_of_a_word_are_marked_and_words_within_words_are_not() -> None:
    assert words_marked(excerpt("Locks unlock, LOCKED; lock-free", ("lock",), 100)) == [
        "Locks",
        "LOCKED",
        "lock",
    ]


def test_short_words_are_marked_only_as_whole_words() -> None:
    assert words_marked(excerpt("c calls C code", ("c",), 100)) == ["c", "C"]


def test_the_query_is_never_a_pattern() -> None:
    assert excerpt("a.b*c (x|y) [z]", (".*", "(", "|"), 100).text == "a.b*c (x|y) [z]"


def test_without_words_the_beginning_is_shown() -> None:
    assert shortened("We lock the store before we write.", 20) == "We lock the..."
    assert shortened(
        "短い文章をここに書きますとても長い文章です", 14
    ) == "短い文章をここに...".replace("をここに", "をここに")


@pytest.mark.large
def test_a_megabyte_takes_time_in_proportion() -> None:
    terms = tuple(f"word{number}" for number in range(64))
    for unit in ("word1 ", "a"):
        text = unit * (MEGABYTE // len(unit))
        started = time.process_time()
        assert len(excerpt(text, terms, 160).text) <= 160
        assert time.process_time() - started < 20  # quadratic would be minutes


@pytest.mark.parametrize(
    ("text", "question", "marked"),
    [
        ("数据库连接池上限设为五十", "连接池", ["连接池"]),
        ("kpir后面要重启 nginx", "kpir nginx", ["kpir", "nginx"]),
        ("先清空缓存。再看缓存", "缓存", ["缓存", "缓存"]),
        ("ＡＰＩの鍵、ｸﾗｲｱﾝﾄ", "API クライアント", ["ＡＰＩ", "ｸﾗｲｱﾝﾄ"]),  # noqa: RUF001
        ("Die Straße, nach Łódź!", "STRASSE lodz", ["Straße", "Łódź"]),
        ("STRASSE ans Café", "straße cafe", ["STRASSE", "Café"]),
        ("the cafe\u0301, then", "café", ["cafe\u0301"]),
        ("the ﬁle", "file", ["ﬁle"]),
        ("Перед развёртыванием", "развертыванием", ["развёртыванием"]),
        ("في النُسَخ", "النسخ", ["النُسَخ"]),
    ],
)
def test_words_are_marked_in_any_script_and_spelling(
    text: str, question: str, marked: list[str]
) -> None:
    shown = excerpt(text, search_terms(question), 200)

    assert [shown.text[span.start : span.end] for span in shown.spans] == marked
