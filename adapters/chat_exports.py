"""The exports of ChatGPT and Claude: conversations.json, in a folder or zip file too."""

import codecs
import contextlib
import datetime as dt
import fnmatch
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, Any, Literal, NamedTuple, TypeAlias, get_args

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.redaction import Cleaning
from hardwon.ports.external_memory import ExternalConversation, ExternalMemory
from hardwon.ports.override import override

NAMES = "conversations*.json"
"""A long export of ChatGPT has several such files."""

PART = 1 << 20
"""Bytes that are read at once, more for a longer conversation."""

LONGEST = 64 << 20
"""Characters of one conversation."""

ZIP, BYTE_ORDER_MARK = b"PK\x03\x04", b"\xef\xbb\xbf"
LIST = re.compile(rb"\[\s*(?:[{\]]|null\b)")
"""Begins a list of objects, no note with a link."""

MAX_OTHERS = 100
"""Items before the first conversation, such as deleted ones."""

BETWEEN = re.compile(r"[\s,\[]*")

UNREADABLE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""The errors of damaged, encrypted and unknown zip files."""

Role: TypeAlias = Literal["user", "assistant"]
ROLES: tuple[Role, ...] = get_args(Role)


class Message(NamedTuple):
    """A message of a conversation."""

    role: Role
    text: str
    at: dt.datetime | None


class ChatExport(ExternalMemory):
    """
    The export of a chat program.

    Args:
        path: A file or folder.
        form: How its conversations are written.
        clean: Takes secrets out of a text.
    """

    projects: Sequence[str] = ()

    def __init__(self, path: str, form: "ChatForm", clean: Cleaning) -> None:
        self._path = path
        self._form = form
        self._clean = clean

    @property
    @override
    def title(self) -> str:
        return self._form.title

    @override
    def conversations(self) -> Iterator[ExternalConversation]:
        for item in _items(self._path):
            conversation = _dict(item)
            messages = self._form.messages(conversation)
            exchanges = [*self._exchanges(messages, _began(conversation))]
            if exchanges:
                name = self._clean(_text(conversation.get(self._form.name)))
                yield ExternalConversation(name or exchanges[0].user, exchanges)

    @override
    def lessons(self) -> Iterator[Entry]:
        return iter(())

    def _exchanges(self, messages: Iterable[Message], began: dt.datetime) -> Iterator[Exchange]:
        """Pair prompts with their replies. A message without a time has that before it."""
        at = begins = began
        texts: dict[Role, list[str]] = {}
        for message in messages:
            if message.role == "user" and "assistant" in texts:
                yield from _exchange(texts, begins)
                texts = {}
            at = message.at or at
            begins = begins if texts else at
            texts.setdefault(message.role, []).append(self._clean(message.text))
        yield from _exchange(texts, begins)


def _exchange(texts: Mapping[Role, Sequence[str]], at: dt.datetime) -> Iterator[Exchange]:
    user, assistant = ("\n\n".join(filter(None, texts.get(role, ()))) for role in ROLES)
    with contextlib.suppress(InvalidEntryError):  # neither a prompt nor a reply
        yield Exchange(user, assistant, at)


class ChatForm(NamedTuple):
    """
    How a program writes conversations.

    Attributes:
        field: The field by which its conversations are known.
        name: The field of their title.
        messages: Returns the messages of a conversation in order.
    """

    title: str
    field: str
    name: str
    messages: Callable[[Mapping[str, Any]], Iterable[Message]]

    @property
    def mark(self) -> bytes:
        """The bytes by which a file with one conversation is known."""
        return b'"%s"' % self.field.encode()


KINDS_OF_TEXT = ("text", "multimodal_text", None)
"""Types of ChatGPT's contents that have words of user or agent."""


def _of_chatgpt(conversation: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the messages from the root to the current node."""
    nodes = _dict(conversation.get("mapping"))
    leaves = [name for name, node in nodes.items() if not _dict(node).get("children")]
    current = conversation.get("current_node")
    is_known = isinstance(current, str) and current in nodes
    name, branch = current if is_known else next(reversed(leaves), None), dict[str, Any]()
    while isinstance(name, str) and name in nodes and name not in branch:
        branch[name] = _dict(nodes[name])
        name = branch[name].get("parent")
    for node in reversed(branch.values()):
        message = _dict(node.get("message"))
        content, author = _dict(message.get("content")), _dict(message.get("author"))
        is_seen = message.get("recipient") in ("all", None) and not _dict(
            message.get("metadata")
        ).get("is_visually_hidden_from_conversation")
        if is_seen and content.get("content_type") in KINDS_OF_TEXT:
            parts = (
                _text(part) or _text(_dict(part).get("text"))
                for part in _list(content.get("parts"))
            )
            yield from _message(author.get("role"), parts, _epoch(message.get("create_time")))


SPOKEN = ("text", "voice_note")
"""Types of Claude's blocks that have words of user or agent."""


def _of_claude(conversation: Mapping[str, Any]) -> Iterator[Message]:
    for item in map(_dict, _list(conversation.get("chat_messages"))):
        blocks = map(_dict, _list(item.get("content")))
        parts = [_text(block.get("text")) for block in blocks if block.get("type") in SPOKEN]
        role = "user" if item.get("sender") == "human" else item.get("sender")
        pasted = map(_dict, _list(item.get("attachments")))
        texts = parts if any(parts) else [_text(item.get("text"))]
        if not any(texts):  # a long text is pasted as a file
            texts = [_text(file.get("extracted_content")) for file in pasted]
        yield from _message(role, texts, _timestamp(item.get("created_at")))


CHAT_FORMS = (
    ChatForm(title="an export of ChatGPT", field="mapping", name="title", messages=_of_chatgpt),
    ChatForm(title="an export of Claude", field="chat_messages", name="name", messages=_of_claude),
)


def _message(role: object, parts: Iterable[str], at: dt.datetime | None) -> Iterator[Message]:
    text = "\n".join(filter(None, parts)).strip()
    yield from (Message(known, text, at) for known in ROLES if known == role and text)


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _epoch(value: object) -> dt.datetime | None:
    with contextlib.suppress(ValueError, OverflowError, OSError):
        if isinstance(value, (int, float)):
            return dt.datetime.fromtimestamp(value, dt.UTC)
    return None


def _timestamp(value: object) -> dt.datetime | None:
    with contextlib.suppress(ValueError, OverflowError):
        at = dt.datetime.fromisoformat(_text(value))
        return (at if at.tzinfo else at.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    return None


def _began(conversation: Mapping[str, Any]) -> dt.datetime:
    """Return the time of a conversation, 1970 without any."""
    given = map(conversation.get, ("create_time", "update_time", "created_at", "updated_at"))
    times = (_epoch(time) or _timestamp(time) for time in given)
    return next(filter(None, times), dt.datetime.fromtimestamp(0, dt.UTC))


def open_chat_export(path: str, clean: Cleaning) -> ChatExport | None:
    """
    Return the export at *path*, None for another file.

    Raises:
        UnreadableFileError: it can't be read, or its first conversation is cut off.
    """
    if not _holds_conversations(path):
        return None
    first = islice(_items(path), MAX_OTHERS)
    forms = (form for item in first for form in CHAT_FORMS if form.field in _dict(item))
    return next((ChatExport(path, form, clean) for form in forms), None)


def _holds_conversations(path: str) -> bool:
    with _translated():
        if os.path.isdir(path):
            return bool(_names_in(os.listdir(path)))
        with open(path, "rb") as file:
            beginning = file.read(PART)
        if not beginning.startswith(ZIP):
            text = beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
            one = text.startswith(b"{") and any(form.mark in text for form in CHAT_FORMS)
            return one or LIST.match(text) is not None
        with zipfile.ZipFile(path) as archive:
            return bool(_names_in(archive.namelist()))


def _names_in(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if fnmatch.fnmatch(os.path.basename(name), NAMES))


def _items(path: str) -> Iterator[Any]:
    with _translated():
        for file in _files(path):
            yield from _listed(file)


def _files(path: str) -> Iterator[IO[bytes]]:
    if os.path.isdir(path):
        for name in _names_in(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                yield file
        return
    with open(path, "rb") as file:
        if file.read(len(ZIP)) != ZIP:
            file.seek(0)
            yield file
            return
        with zipfile.ZipFile(file) as archive:
            for name in _names_in(archive.namelist()):
                with archive.open(name) as member:
                    yield member


def _listed(file: IO[bytes]) -> Iterator[Any]:
    """
    Yield the items of the JSON list in *file*, or its only object.

    The size of a read doubles until an item is whole, so that each byte is parsed few times.
    """
    scan = json.JSONDecoder(strict=False).raw_decode
    decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    text, done, is_over, is_only = "", 0, False, None
    while not is_over and len(text) <= LONGEST:
        data = file.read(max(PART, len(text)))
        text, is_over = text + decode(data, final=not data), not data
        if is_only is None and text.strip():
            is_only = text.lstrip().startswith("{")
        begin, at = 0, 0
        with contextlib.suppress(ValueError, RecursionError):  # the rest is no whole item
            while not text.startswith("]", begin := _after_mark(text, at)):
                item, at = scan(text, begin)
                yield item
                done += 1
                if is_only:
                    return
            return
        text = text[begin:]
    problem = "is cut off or damaged" if is_over else f"has one of more than {LONGEST >> 20} MB"
    raise UnreadableFileError(f"it {problem} after {done} conversations: export it again")


def _after_mark(text: str, at: int) -> int:
    found = BETWEEN.match(text, at)
    return found.end() if found else at


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise UnreadableFileError(reason) from error
