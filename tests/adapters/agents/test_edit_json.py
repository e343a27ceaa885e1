import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.agents.edit_json import edited, read_document
from hardwon.domain.model.errors import UneditableFileError

values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, 1, 2.5, "x", 'é"\\\n', {}, list[int]()]),
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(st.sampled_from("abc"), values, max_size=3)
    ),
    max_leaves=6,
)
documents = st.dictionaries(st.sampled_from(["a", "b", 'c"\\']), values, max_size=3)
layouts = st.sampled_from(
    [
        {"indent": 2},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {"separators": (" ,  ", " :\n")},
        {},
    ]
)
newlines = st.sampled_from(["\n", "\r\n"])


@given(documents, documents, layouts, newlines)
@example({"a": [1, 2]}, {"a": [2, 3]}, {"indent": 2}, "\n")
def test_whatever_changes_the_text_then_says_it(
    before: dict[str, Any], after: dict[str, Any], layout: dict[str, Any], newline: str
) -> None:
    text = f"{json.dumps(before, **layout)}\n".replace("\n", newline)

    assert read_document(edited(text, before, after)) == after


@given(documents, values, layouts, newlines)
def test_a_member_that_comes_and_goes_leaves_no_trace(
    before: dict[str, Any], value: object, layout: dict[str, Any], newline: str
) -> None:
    before = {**before, "kept": 1}
    text = f"\ufeff {json.dumps(before, **layout)} ".replace("\n", newline)
    after = {**before, "new": value}

    assert edited(edited(text, before, after), after, before) == text


@given(values, layouts)
def test_an_element_that_comes_and_goes_leaves_no_trace(
    value: object, layout: dict[str, Any]
) -> None:
    before = {"hooks": {"Stop": [{"mine": 1.0}]}, "x": "y"}
    text = json.dumps(before, **layout)
    after = {"hooks": {"Stop": [{"mine": 1.0}, value]}, "x": "y"}

    assert edited(edited(text, before, after), after, before) == text


def test_only_what_is_new_is_written_in_the_style_of_the_rest() -> None:
    text = '{\n\t"env" : {"A":1.50},\n\t"servers": {\n\t\t"mine": [ 1,2 ]\n\t}\n}'
    before = read_document(text)
    after = {**before, "servers": {**before["servers"], "ours": {"args": []}}, "last": 1}

    assert edited(text, before, after) == (
        '{\n\t"env" : {"A":1.50},\n\t"servers": {\n\t\t"mine": [ 1,2 ],\n'
        '\t\t"ours": {\n\t\t\t"args": []\n\t\t}\n\t},\n\t"last": 1\n}'
    )


def test_an_empty_file_gets_two_spaces() -> None:
    assert edited("", {}, {"a": {"b": 1}}) == '{\n  "a": {\n    "b": 1\n  }\n}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1} // mine', "not plain JSON"),
        ('{"a": 1,}', "not plain JSON"),
        ("/* */ {}", "not plain JSON"),
        ("{", "not plain JSON"),
        ("\0", "not plain JSON"),
        ("[]", "no object"),
        ("null", "no object"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"x": {"a": 1, "a": 2}}', "twice"),
        ("[" * 100_000, "too deeply nested"),
    ],
)
def test_json_that_editing_could_lose_is_refused(text: str, message: str) -> None:
    with pytest.raises(UneditableFileError, match=message):
        read_document(text)
