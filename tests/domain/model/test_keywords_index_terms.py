import re
import time
import unicodedata
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model import keywords
from hardwon.domain.model.keywords import (
    MAX_TERMS,
    STOP_WORDS,
    asked_terms,
    index_term,
    index_words,
    indexed,
    indexed_texts,
    search_terms,
)

ACCOUNT = [
    "getAccountById",
    "get_account_by_id",
    "get-account-by-id",
    "GetAccountByID",
    "get.account.by.id",
]


@pytest.mark.parametrize(("stored", "asked"), [*product(ACCOUNT, [*ACCOUNT, "get account by id"])])
def test_an_identifier_is_found_in_any_spelling(stored: str, asked: str) -> None:
    words = index_words(f"Call {stored} twice.")

    assert {*asked_terms(asked).terms} <= {*words}


WIDTHS = [
    ("ＡＰＩ設計の手順", "API"),
    ("API", "ａｐｉ"),  # noqa: RUF001
    ("ｻｰﾊﾞｰを再起動する", "サーバー"),
    ("サーバーを再起動する", "ｻｰﾊﾞｰ"),
    ("ｇｅｔＵｓｅｒＩｄを使う", "get_user_id"),
    ("２０２６年", "2026"),
    ("the ﬁle handle", "file"),
]


@pytest.mark.parametrize(("stored", "asked"), WIDTHS)
def test_letters_of_any_width_are_found(stored: str, asked: str) -> None:
    assert {*asked_terms(asked).terms} <= {*index_words(stored)}


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("ＡｂｳﾞｰﾞカﾟﬁＺ１")))
@example("ｶ\uff9e")
def test_a_text_and_its_plain_form_are_searched_alike(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)

    assert asked_terms(text) == asked_terms(plain)
    assert indexed(text) == indexed(plain)


@pytest.mark.parametrize(
    ("stored", "whole"),
    [
        ("--dry-run", "dryrun"),
        ("crew:deploy", "crewdeploy"),
        ("std::vector<bool>", "stdvector"),
        ("os.path.join", "ospathjoin"),
        ("HTTPServer2", "httpserver2"),
        ("http_server_2", "httpserver2"),
        ("Node.js", "nodejs"),
        ("self->next_item", "selfnextitem"),
        ("__init__.py", "initpy"),
    ],
)
def test_the_whole_is_indexed_and_asked_beside_its_parts(stored: str, whole: str) -> None:
    asked = asked_terms(stored)

    assert whole in asked.wholes
    assert len(asked.terms) > 1
    assert {*asked.terms} <= {*index_words(stored)}


@pytest.mark.parametrize(
    "text", ["Release 1.21.4 on 2026-01-02 at 10:30.", "plain words, and more: so.", "C++ and C#"]
)
def test_numbers_and_prose_have_no_wholes(text: str) -> None:
    assert not asked_terms(text).wholes
    assert indexed(text) == text


@given(text=st.lists(st.sampled_from([*"aB9_.:->, \n\u2003é", "::", "->"])).map("".join))
def test_wholes_are_found_in_all_words(text: str) -> None:
    found = dict.fromkeys(re.findall(keywords._JOINED, text))

    assert keywords._joined(text) == [
        joined for joined in found if not re.fullmatch(keywords._NUMBERS, joined)
    ]


def test_a_whole_counts_only_where_an_entry_holds_it() -> None:
    asked = asked_terms("accountById")

    assert asked.known(["accountbyid"]) == ("accountbyid", "account", "id")
    assert asked.known([]) == ("account", "id")


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("部署之前必须先清空缓存", "缓存"),
        ("部署之前必须先清空缓存", "清"),
        ("kpir后面要重启", "kpir后"),
        ("サーバーを再起動する", "再起動"),
        ("배포 전에 캐시를 비운다", "캐시"),
        ("ต้องล้างแคชก่อน", "แคช"),
        ("ဆာဗာကိုပြန်စပါ", "ဆာဗာ"),
        ("ត្រូវលុបឃ្លាំង", "លុប"),
    ],
)
def test_a_word_within_a_run_is_found(stored: str, asked: str) -> None:
    question = asked_terms(asked)

    assert {*map(index_term, question.known([]))} <= {*index_words(stored)}


def test_a_pair_that_bridges_two_words_counts_only_where_an_entry_holds_it() -> None:
    asked = asked_terms("怎么恢复快照")

    assert asked.terms == ("恢复", "复快", "快照", "恢复快照")
    assert asked.known(["恢复", "快照"]) == ("恢复", "快照")
    assert asked.known(["恢复"]) == ("恢复", "复快", "快照")
    assert asked.known(["恢复", "复快", "快照"]) == ("恢复", "复快", "快照")


def test_a_run_that_is_a_whole_is_a_term_of_its_own() -> None:
    assert asked_terms("灰度发布").wholes == {"灰度发布"}
    assert "灰度发布" in index_words("先 灰度发布 再观察")


def test_entries_mostly_without_spaces_are_told_from_others() -> None:
    [plain], [marked] = (
        indexed_texts(["Use an nginx 服务."]),
        indexed_texts(["用 nginx 重启全部服务"]),
    )

    assert marked.endswith("\U000ffffd")
    assert "\U000ffffd" not in plain


@pytest.mark.large
@pytest.mark.parametrize("part", ["x", "x.", "x_", "xY", "-", "_", "\u7f13", "\u3042x"])
def test_a_long_text_is_read_in_linear_time(part: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        asked_terms(part * length)
        indexed(part * length)
        return time.process_time() - start

    assert seconds(50_000) < 40 * max(seconds(5_000), 0.001)


@given(text=st.text())
@example("getAccountById 部署x_y.Z ต้อง")
def test_terms_of_a_question_include_its_search_terms(text: str) -> None:
    asked = asked_terms(text)

    assert {*search_terms(text)} <= {*asked.terms}
    assert len(asked.terms) <= MAX_TERMS
    assert not STOP_WORDS & {*asked.terms}


def test_a_gate_asks_for_words_as_they_stand() -> None:
    asked = asked_terms("fix getAccountById in dry-run", in_any_spelling=False)

    assert asked.terms == search_terms("fix getAccountById in dry-run")
    assert not asked.wholes
