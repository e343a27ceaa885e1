"""Exports of chat programs: read item by item, within bounds, whatever their shape."""

import datetime as dt
import io
import json
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters import chat_exports
from hardwon.adapters.chat_exports import CHAT_FORMS, _listed, open_chat_export
from hardwon.domain.model.conversation.session import Exchange
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


ASKED = {"sender": "human", "text": "Which port?"}
NODES = {
    "a": {"message": {"author": {"role": "user"}, "content": {"parts": ["Which port?"]}}},
}


def exchanges(path: Path, document: Any) -> list[Exchange]:
    path.write_text(json.dumps(document))
    export = open_chat_export(str(path), CLEAN)
    assert export
    return [*chain.from_iterable(found.exchanges for found in export.conversations())]


@pytest.mark.parametrize(
    "conversation",
    [
        {"mapping": NODES, "create_time": 1_760_000_000},
        {"mapping": NODES, "create_time": None, "update_time": 1_760_000_000.0},
        {"chat_messages": [ASKED], "created_at": "2025-10-09T08:53:20Z"},
        {"chat_messages": [{**ASKED, "created_at": None}], "updated_at": "2025-10-09T08:53:20Z"},
        {
            "chat_messages": [{**ASKED, "created_at": "?"}],
            "created_at": "2025-10-09T10:53:20+02:00",
        },
    ],
)
def test_a_message_without_a_time_has_that_of_its_conversation(
    tmp_path: Path, conversation: dict[str, Any]
) -> None:
    [exchange] = exchanges(tmp_path / "conversations.json", [conversation])

    assert exchange.at == dt.datetime(2025, 10, 9, 8, 53, 20, tzinfo=dt.UTC)


@pytest.mark.parametrize("form", [{"mapping": NODES}, {"chat_messages": [ASKED]}])
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_file_with_one_conversation_is_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: dict[str, Any], size: int
) -> None:
    path = tmp_path / "chat.json"
    path.write_text(f"\n {json.dumps(form)}\n")
    export = open_chat_export(str(path), CLEAN)
    assert export
    monkeypatch.setattr(chat_exports, "PART", size)

    assert [found.exchanges[0].user for found in export.conversations()] == ["Which port?"]


@pytest.mark.parametrize(
    "conversation",
    [
        {"mapping": NODES, "current_node": "gone"},
        {"mapping": NODES, "current_node": 7},
        {"mapping": {"a": {"message": {**NODES["a"]["message"], "recipient": None}}}},
        {"chat_messages": [{"sender": "human", "content": [{**ASKED, "type": "voice_note"}]}]},
    ],
)
@pytest.mark.parametrize("others", [[], [None], [{}, {"id": "deleted"}]])
def test_a_conversation_with_odd_fields_behind_others_is_read(
    tmp_path: Path, conversation: dict[str, Any], others: list[Any]
) -> None:
    [exchange] = exchanges(tmp_path / "conversations.json", [*others, conversation])

    assert exchange.user == "Which port?"


@pytest.mark.parametrize("text", ["PKI certificates expire in May.", "[port]: http://x", "[a](b)"])
def test_a_note_is_no_export_and_none_that_is_damaged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.md"
    path.write_text(text)

    assert open_chat_export(str(path), CLEAN) is None


@pytest.mark.parametrize("text", ['{"/a/mapping.md": {}}', '{"type": "header"}\n{}', "{", "", "7"])
def test_another_object_is_no_export(tmp_path: Path, text: str) -> None:
    path = tmp_path / "memory-index.json"
    path.write_text(text)

    assert open_chat_export(str(path), CLEAN) is None


@pytest.mark.parametrize(
    ("message", "user"),
    [
        ({"text": "", "content": [{"type": "text", "text": ""}]}, "Three tables.\nTwo views."),
        ({"text": None}, "Three tables.\nTwo views."),
        ({"text": "What is this?"}, "What is this?"),
    ],
)
def test_a_prompt_that_was_only_pasted_as_files_is_their_text(
    tmp_path: Path, message: dict[str, Any], user: str
) -> None:
    files = [{"extracted_content": "Three tables."}, {"file_name": "x"}, 3]
    pasted = {"attachments": [*files, {"extracted_content": "Two views."}]}
    asked = {"sender": "human", "created_at": "2026-01-01T00:00:00Z", **message, **pasted}
    [exchange] = exchanges(tmp_path / "conversations.json", [{"chat_messages": [asked]}])

    assert exchange.user == user
