"""Exports of chat programs: read item by item, within bounds, whatever their shape."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters import chat_exports
from hardwon.adapters.chat_exports import CHAT_FORMS, _listed, open_chat_export
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.redaction import Cleaning

CLEAN = Cleaning(project_root="/nowhere", home="/home/nobody")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
CONVERSATIONS = st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=5)


@given(CONVERSATIONS, st.integers(1, 40), st.sampled_from([None, 1]))
def test_parts_of_any_size_give_the_items_of_the_whole(
    items: list[dict[str, Any]], size: int, indent: int | None
) -> None:
    data = json.dumps(items, ensure_ascii=False, indent=indent).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chat_exports, "PART", size)

        assert [*_listed(io.BytesIO(data))] == items


@given(CONVERSATIONS.filter(bool), st.data())
def test_a_list_that_is_cut_off_is_never_taken_for_a_whole_one(
    items: list[dict[str, Any]], data: st.DataObject
) -> None:
    whole = json.dumps(items).encode()
    part = whole[: data.draw(st.integers(0, len(whole) - 1))]

    with pytest.raises(UnreadableFileError, match="cut off or damaged after"):
        [*_listed(io.BytesIO(part))]


def test_a_conversation_beyond_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_exports, "PART", 64)
    monkeypatch.setattr(chat_exports, "LONGEST", 1 << 20)
    small, large = [{"mapping": "a" * 1_000}], [{"mapping": "a" * (1 << 22)}]
    assert [*_listed(io.BytesIO(json.dumps(small).encode()))] == small

    with pytest.raises(UnreadableFileError, match="it has one of more than 1 MB after 0"):
        [*_listed(io.BytesIO(json.dumps(large).encode()))]


@given(JSON, st.sampled_from(CHAT_FORMS))
def test_conversations_of_any_shape_give_no_error(value: Any, form: chat_exports.ChatForm) -> None:
    items = [
        {form.field: value},
        {form.field: {"a": value}, "current_node": "a"},
        {form.field: [value]},
    ]

    assert [message for item in items for message in form.messages(item) if not message.text] == []


def test_a_loop_of_parents_ends() -> None:
    node = {
        "children": ["a"],
        "message": {"author": {"role": "user"}, "content": {"parts": ["hello"]}},
    }
    mapping = {"a": {**node, "parent": "b"}, "b": {**node, "parent": "a"}}

    messages = [*CHAT_FORMS[0].messages({"mapping": mapping, "current_node": "a"})]
    assert [message.text for message in messages] == ["hello", "hello"]


def test_an_encrypted_or_other_zip_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    assert open_chat_export(str(path), CLEAN) is None

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", "[]")
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1  # encrypted
    path.write_bytes(bytes(data))
    with pytest.raises(UnreadableFileError, match="encrypted"):
        open_chat_export(str(path), CLEAN)
