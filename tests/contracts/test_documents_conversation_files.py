import datetime as dt
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.anchors import sections
from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
from hardwon.domain.model.conversation.details import details_of
from hardwon.domain.model.conversation.session import Chunk, ChunkMetadata, Exchange
from hardwon.ports.documents import ConversationFiles, SectionOfSession
from tests.conversations import chunks, talk
from tests.fakes.documents import InMemoryConversationFiles
from tests.strategies import DAY, NOW, few_examples

MS = dt.timedelta(milliseconds=1)
NAME = re.compile(
    r"memory/(conversations|decisions|gotchas|preferences)/\d{4}-\d\d-\d\d-[a-z0-9-]+\.md"
)


class Files(NamedTuple):
    """Conversation files under test, read by path from `memory` on."""

    port: ConversationFiles
    read: Callable[[], dict[str, str]]

    def put(self, *written: Chunk) -> list[str]:
        """Return the files of the sections, from `memory` on."""
        return sorted({path[path.rindex("memory/") :] for path in self.port.put(written).values()})


class MakeFiles(Protocol):
    def __call__(self) -> AbstractContextManager[Files]: ...


@contextmanager
def in_memory() -> Iterator[Files]:
    files = InMemoryConversationFiles()
    yield Files(
        files, lambda: {path[path.rindex("memory/") :]: text for path, text in files.files.items()}
    )


@contextmanager
def on_disk() -> Iterator[Files]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder))
        yield Files(
            MarkdownConversationFiles(str(root)),
            lambda: {
                str(path.relative_to(root)): path.read_bytes().decode()
                for path in root.rglob("*.md")
            },
        )


IMPLEMENTATIONS: dict[str, MakeFiles] = {"in memory": in_memory, "markdown": on_disk}

pytestmark = pytest.mark.parametrize("make", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)


def of_app(
    utterance: str = "Which encoding?", topic: str = "encoding", *, minute: int = 0, **more: Any
) -> Chunk:
    return talk(utterance, topic, minute=minute, project="app", branch="main", **more)


def ids_of(chunk: Chunk) -> list[str]:
    return [chunk.chunk_id, *dict.fromkeys(detail.detail_id for detail in details_of(chunk))]


def at(chunk: Chunk, timestamp: dt.datetime) -> Chunk:
    """Return *chunk* with its one exchange at *timestamp*."""
    return attrs.evolve(chunk, exchanges=(attrs.evolve(chunk.exchanges[0], at=timestamp),))


def test_conversations_of_one_day_and_topic_share_a_file_in_order_of_time(make: MakeFiles) -> None:
    with make() as files:
        for minute in (5, 9, 1):
            assert files.put(of_app(f"At {minute}", minute=minute)) == [
                "memory/conversations/2026-03-01-encoding.md"
            ]
        [text] = files.read().values()

    assert re.findall("^## .*", text, re.MULTILINE) == ["## At 1", "## At 5", "## At 9"]
    assert re.findall("^# .*", text, re.MULTILINE) == ["# At 5"]


@pytest.mark.parametrize(
    ("topic", "day", "is_shared"),
    [
        ("feeds partner old", 0, True),
        ("partner feeds old new more", 0, True),
        ("partner", 0, False),
        ("partner stock", 0, False),
        ("partner feeds", 1, False),
    ],
)
def test_a_like_topic_of_the_same_day_shares_the_file(
    make: MakeFiles, topic: str, day: int, *, is_shared: bool
) -> None:
    with make() as files:
        first = files.put(of_app("One", "partner feeds"))
        second = files.put(at(of_app("Two", topic), NOW + day * DAY))

    assert (first == second) is is_shared


def test_a_section_that_grows_stays_where_it_is_whatever_its_topic_is_by_then(
    make: MakeFiles,
) -> None:
    with make() as files:
        files.put(of_app("One", minute=1), of_app("Two", minute=2))
        files.put(of_app("Other", "parser", minute=3))
        before = files.read()
        grown = attrs.evolve(of_app("One", minute=1), topic="parser", summary="More of it.")
        assert files.put(grown) == ["memory/conversations/2026-03-01-encoding.md"]
        after = files.read()

    own = "memory/conversations/2026-03-01-encoding.md"
    one, two = before[own].split("\n## Two\n")
    assert after == {**before, own: "\n## Two\n".join((_regrown(one), two))}


def _regrown(text: str) -> str:
    return text.replace("- **Topic:** encoding\n", "- **Topic:** parser\n").replace(
        "In short.", "More of it."
    )


@given(drawn=st.lists(chunks(), max_size=3, unique_by=lambda chunk: chunk.chunk_id))
@few_examples
def test_a_file_written_in_pieces_equals_one_written_at_once(
    make: MakeFiles, drawn: list[Chunk]
) -> None:
    silent = [attrs.evolve(chunk, metadata=ChunkMetadata()) for chunk in drawn]
    written = sorted(silent, key=lambda chunk: (chunk.starts_at, chunk.chunk_id))
    with make() as at_once, make() as one_by_one:
        at_once.put(*written)
        for chunk in written:
            one_by_one.put(chunk)

        assert one_by_one.read() == at_once.read()


def test_every_kind_has_its_folder_and_leads_to_its_conversation(make: MakeFiles) -> None:
    stated = ChunkMetadata(
        decisions=("We use UTF-8.",),
        gotchas=("A mark comes first.",),
        preferences=("I prefer tabs.", "I like it."),
    )
    about = of_app(metadata=stated)
    with make() as files:
        assert files.put(about) == [
            "memory/conversations/2026-03-01-encoding.md",
            "memory/decisions/2026-03-01-use-utf-8.md",
            "memory/gotchas/2026-03-01-mark-comes.md",
            "memory/preferences/2026-03-01-like.md",
            "memory/preferences/2026-03-01-prefer-tabs.md",
        ]
        texts = files.read()

    link = f"- **Conversation:** [{about.chunk_id}](../conversations/2026-03-01-encoding.md)\n"
    assert [name for name, text in texts.items() if link not in text] == [
        "memory/conversations/2026-03-01-encoding.md"
    ]


def test_the_head_marks_permanent_conversations(make: MakeFiles) -> None:
    with make() as files:
        files.put(of_app("Which: one?", minute=1))
        [before] = files.read().values()
        files.put(of_app("Which: one?", minute=1, permanent=True))
        [after] = files.read().values()
        files.put(of_app("Which: one?", minute=1, permanent=True))
        assert list(files.read().values()) == [after]

    assert "permanent" not in before.lower()
    assert after.startswith('---\ntitle: "[PERMANENT] Which: one?"\n')
    assert after.index("\npermanent: true\n---\n") < after.index("\n# [PERMANENT] Which: one?\n")


def test_permanent_and_other_chunks_are_in_separate_files(make: MakeFiles) -> None:
    with make() as files:
        files.put(of_app("One", minute=1))
        files.put(of_app("Two", minute=2, permanent=True))
        files.put(of_app("Three", minute=3))
        texts = files.read()

    assert {name: re.findall("^## .*", text, re.MULTILINE) for name, text in texts.items()} == {
        "memory/conversations/2026-03-01-encoding.md": ["## One", "## Three"],
        "memory/conversations/2026-03-01-encoding-2.md": ["## Two"],
    }


@given(drawn=st.lists(chunks(), max_size=3, unique_by=lambda chunk: chunk.chunk_id), data=st.data())
@few_examples
def test_in_any_order_the_same_sections_are_written(
    make: MakeFiles, drawn: list[Chunk], data: st.DataObject
) -> None:
    wanted = [section_id for chunk in drawn for section_id in ids_of(chunk)]
    assume(len({*wanted}) == len(wanted))
    with make() as files, make() as second:
        paths = files.put(*drawn)
        texts = files.read()
        assert files.put(*data.draw(st.permutations(drawn))) == paths == sorted(texts)
        assert files.read() == texts
        assert second.put(*data.draw(st.permutations(drawn))) == paths
        assert second.read() == texts

    bodies = (text.split("\n---\n", 1)[1] for text in texts.values())
    found = [section.anchor_id for body in bodies for section in sections(body).found]
    assert sorted(found) == sorted(wanted)
    assert all(map(NAME.fullmatch, paths))


DECIDED = ChunkMetadata(decisions=("We use UTF-8.",))


def test_removing_a_chunk_leaves_the_rest_unchanged(make: MakeFiles) -> None:
    one, two, three = (of_app(f"At {minute}", minute=minute) for minute in (1, 2, 3))
    with make() as files:
        files.put(one, three)
        before = files.read()
        files.put(two)
        [path] = files.port.remove([two.chunk_id, "0" * 16])
        after = files.read()
        assert files.port.remove([two.chunk_id]) == ()
        assert files.port.remove([]) == ()

    assert after == before
    assert path.endswith("memory/conversations/2026-03-01-encoding.md")


@pytest.mark.parametrize("minutes", [(1,), (1, 2, 3)])
def test_a_file_of_which_nothing_is_left_goes(make: MakeFiles, minutes: tuple[int, ...]) -> None:
    other = of_app("Other", "parser", minute=9, metadata=DECIDED)
    written = [of_app(f"At {minute}", minute=minute, permanent=True) for minute in minutes]
    with make() as files:
        files.put(*written, other)
        removed = files.port.remove([chunk.chunk_id for chunk in written])
        left = sorted(files.read())
        assert files.put(*written) == ["memory/conversations/2026-03-01-encoding.md"]

    assert [path[path.rindex("memory/") :] for path in removed] == [
        "memory/conversations/2026-03-01-encoding.md"
    ]
    assert left == [
        "memory/conversations/2026-03-01-parser.md",
        "memory/decisions/2026-03-01-use-utf-8.md",
    ]


def test_sections_of_a_session_are_known_by_its_name(make: MakeFiles) -> None:
    first, *_ = talk().exchanges
    exchanges = (first, attrs.evolve(first, at=NOW + DAY))
    with make() as files:
        for session_id in ("s-1", "s-10", "s <!-- 1", None):
            files.put(of_app(f"In {session_id}", session_id=session_id))
        both = of_app(
            "Both",
            "parser",
            session_id="s-1",
            exchanges=exchanges,
            metadata=DECIDED,
            permanent=True,
        )
        files.put(both)

        assert sorted(files.port.of_session("s-1")) == sorted(
            [
                SectionOfSession(
                    of_app("In s-1").chunk_id, "conversation", NOW, NOW, permanent=False
                ),
                SectionOfSession(both.chunk_id, "conversation", NOW, NOW + DAY, permanent=True),
                SectionOfSession(ids_of(both)[1], "decision", NOW, NOW, permanent=True),
            ]
        )
        assert [section.section_id for section in files.port.of_session("s <!-- 1")] == [
            of_app("In s <!-- 1").chunk_id
        ]
        assert (
            files.port.of_session("")
            == files.port.of_session("s")
            == files.port.of_session("s-2")
            == []
        )


@given(drawn=st.lists(chunks(), max_size=3, unique_by=lambda chunk: chunk.chunk_id), data=st.data())
@few_examples
def test_removing_a_chunk_leaves_no_trace_of_it(
    make: MakeFiles, drawn: list[Chunk], data: st.DataObject
) -> None:
    written = [section_id for chunk in drawn for section_id in ids_of(chunk)]
    gone = set(data.draw(st.lists(st.sampled_from(written)))) if written else set[str]()
    with make() as files:
        files.put(*drawn)
        files.port.remove(sorted(gone))
        bodies = (text.split("\n---\n", 1)[1] for text in files.read().values())
        found = [section.anchor_id for body in bodies for section in sections(body).found]

    assert sorted(found) == sorted({*written} - gone)


def test_of_chunks_of_one_id_the_last_is_written(make: MakeFiles) -> None:
    with make() as files:
        files.put(of_app("One"), of_app("One", title="Last"))
        [text] = files.read().values()

    assert "## Last\n" in text
    assert text.count("<!-- ANCHOR") == 1


def test_timestamps_within_a_second_are_in_order(make: MakeFiles) -> None:
    with make() as files:
        for milliseconds in (0, 500, 250):
            files.put(
                of_app(
                    f"At {milliseconds}",
                    exchanges=(Exchange(f"At {milliseconds}", "", NOW + milliseconds * MS),),
                )
            )
        [text] = files.read().values()

    assert re.findall("^## .*", text, re.MULTILINE) == ["## At 0", "## At 250", "## At 500"]
