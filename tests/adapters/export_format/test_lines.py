"""The lines of an export: what is written, and what is refused."""

import io
import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given

from hardwon.adapters.export_format import lines
from hardwon.adapters.export_format.lines import (
    header_line,
    is_export,
    read_header,
    read_records,
    record_line,
)
from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.export import (
    RECORD_NAMES,
    Absence,
    DeletedEntry,
    DeletedSection,
    ExportedEntry,
    ImportedSource,
    Record,
)
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.project import Identity, Project
from tests.strategies import NOW, all_entries, lesson, odd_entries, of_file

ENTRY = ExportedEntry(entry_id="id", entry=attrs.evolve(lesson("Say it — once."), number=1))
FILE_ENTRY = {"kind": "decision", "category": None, "file_path": "/memory/x.md"}
PROJECT = Project("p", "shop", Identity("/src/shop/.git", "/src/shop", is_repository=True))


def header(**counts: int) -> bytes:
    return header_line("1.2", NOW, counts)


def entry_line(**changed: object) -> bytes:
    document = {**json.loads(record_line(ENTRY)), **changed}
    return json.dumps(document).encode() + b"\n"


def read(*lines: bytes) -> list[Any]:
    return [record for _, record in read_records(io.BytesIO(b"".join(lines)))]


@given(entry=all_entries | odd_entries)
def test_an_entry_is_read_back_as_it_was_written(entry: Entry) -> None:
    exported = ExportedEntry(entry_id=entry.entry_id, entry=attrs.evolve(entry, number=7))

    [found] = read(header(entry=1), record_line(exported))

    assert found == exported
    assert found.entry.number == 7


def test_every_field_of_an_entry_is_in_its_line() -> None:
    fields = {field.name for field in attrs.fields(Entry)} - {"entry_id", "usage"}

    assert fields <= {*json.loads(record_line(ENTRY))}


def test_the_header_names_format_version_and_counts() -> None:
    assert json.loads(header(entry=2, project=0)) == {
        "type": "header",
        "format": "hardwon",
        "version": 2,
        "hardwon": "1.2",
        "exported_at": "2026-03-01T12:30:00Z",
        "counts": {"entry": 2, "project": 0},
    }


def test_text_is_utf_8_and_a_line_never_breaks_inside() -> None:
    line = record_line(
        ExportedEntry(
            entry_id="id", entry=attrs.evolve(ENTRY.entry, description="a\nb\u2028é", number=1)
        )
    )

    assert line.count(b"\n") == 1
    assert "é".encode() in line


def test_blank_lines_and_a_byte_order_mark_do_not_matter() -> None:
    assert read(b"\xef\xbb\xbf", header(entry=1), b"\n \n", record_line(ENTRY)) == [ENTRY]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"type": "entry"', ("Invalid JSON",)),
        (b"\xff\xfe{}", ("Invalid JSON",)),
        (b"[1]", ("object",)),
        (b'{"name": "x"}', ("type", "required")),
        (b'{"type": "dream"}', ("'dream'", "unknown", "entry")),
        (b"[" * 100_000, ("Invalid JSON",)),
        (entry_line(number="1"), ("number", "integer")),
        (entry_line(number=10**400), ("number",)),
        (entry_line(name=None), ("name", "string")),
        (entry_line(name=" "), ("name", "blank")),
        (entry_line(description="a\0b"), ("NUL",)),
        (entry_line(keywords=[1]), ("keywords.0", "string")),
        (entry_line(tier="huge"), ("tier", "'normal'")),
        (entry_line(created_at="2026-01-01"), ("created_at",)),
        (entry_line(created_at="2026-01-01T00:00:00"), ("created_at", "time zone")),
        (entry_line(importance_weight=2), ("importance_weight",)),
        (entry_line(recall_count=-1), ("recall_count",)),
        (entry_line(recall_count=3, last_recalled_at=None), ("last_recalled_at",)),
        (entry_line(validation_count=1, useful_count=2), ("useful_count",)),
        (entry_line(**FILE_ENTRY, file_mtime=10**30), ("file_mtime",)),
        (entry_line(surprise=1), ("surprise", "Extra")),
        (entry_line(kind="decision", category=None), ("file_path",)),
        (entry_line(**{**FILE_ENTRY, "file_path": "x.md"}), ("'x.md'", "absolute")),
        (entry_line(**FILE_ENTRY, below="nowhere"), ("'nowhere'", "no earlier line")),
        (
            entry_line(
                used_in=[
                    {"session_id": "s", "how": "luck", "phrase": "", "at": "2026-01-01T00:00:00Z"}
                ]
            ),
            ("how",),
        ),
        (entry_line(history=[{"field": "title", "at": 1.5}]), ("history.0.at",)),
        (record_line(ENTRY).replace(b"once", b"\\ud800"), ("Invalid JSON",)),
    ],
)
def test_a_line_with_a_mistake_is_named_with_what_is_wrong(
    line: bytes, words: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidEntryError) as refused:
        read(header(entry=2), record_line(ENTRY), line)

    message = str(refused.value)
    assert message.startswith("line 3: ")
    assert all(word in message for word in words)
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize("path", ["../other/x.md", "/etc/passwd", "a/../../x.md", "."])
def test_a_path_never_leads_out_of_its_project(path: str) -> None:
    outside = entry_line(**{**FILE_ENTRY, "file_path": path}, below="p")

    with pytest.raises(
        InvalidEntryError, match=r"^line 3: the path .* does not lie below its project$"
    ):
        read(header(project=1, entry=1), record_line(PROJECT), outside)


def test_a_path_below_its_project_is_read() -> None:
    inside = entry_line(**{**FILE_ENTRY, "file_path": "memory/x.md"}, below="p")

    [_, found] = read(header(project=1, entry=1), record_line(PROJECT), inside)

    assert (found.below, found.entry.file_path) == ("p", "memory/x.md")


def test_a_line_that_is_too_long_is_refused_before_it_is_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 2_000)

    with pytest.raises(InvalidEntryError, match="line 2: it is longer than 2000 bytes"):
        read(header(entry=1), entry_line(notes="x" * 2_000))


@pytest.mark.parametrize(
    ("counts", "words"), [({"entry": 2}, "1 of 2"), ({"entry": 1, "project": 1}, "0 of 1")]
)
def test_missing_lines_are_noticed(counts: dict[str, int], words: str) -> None:
    with pytest.raises(InvalidEntryError, match=f"it ends at line 2 with {words} lines"):
        read(header(**counts), record_line(ENTRY))


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"", "line 1: it is no header"),
        (b"{}\n", "line 1: it is no header"),
        (b'{"type":"header","format":"hardwon","version":2', "line 1: it is no header"),
        (header().replace(b'"version":2', b'"version":3'), "line 1: the export has version 3"),
        (header().replace(b'"hardwon","v', b'"other","v'), "format"),
        (header(entry=1).replace(b":1}", b":-1}"), "counts"),
    ],
)
def test_a_first_line_that_is_no_header_of_this_version_is_refused(
    first: bytes, words: str
) -> None:
    with pytest.raises(InvalidEntryError, match=words):
        read_header(io.BytesIO(first))


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (header(), True),
        (b"\xef\xbb\xbf\n" + header(), True),
        (b'{"exported_at": "2026", "format": "hardwon"', True),
        (b'{"type": "entry"', True),
        (b"", False),
        (b"{\n", False),
        (b'{"/a/b.md": {"tags": []', False),
        (b"SQLite format 3\0", False),
        (b"### Pattern: x", False),
    ],
)
def test_an_export_is_known_by_its_beginning(beginning: bytes, expected: bool) -> None:  # noqa: FBT001  # a table
    assert is_export(beginning) is expected


def test_the_document_names_every_type_and_field() -> None:
    document = (Path(__file__).parents[3] / "docs" / "export.md").read_text()
    change = PastChange(1, "title", None, "x", NOW)
    standing = standing_of(of_file("Gone."))
    samples: tuple[Record, ...] = (
        PROJECT,
        attrs.evolve(
            ENTRY, history=(change,), influences=(Influence("id", "s", "answer", "x", NOW),)
        ),
        DeletedEntry(1, (change,)),
        ImportedSource("/a.md", None, "f", ("h",)),
        Absence(AbsentFile("/a.md", {"": standing}), None, NOW),
        DeletedSection("/a.md", None, "", "0", NOW),
    )

    names = {
        name for sample in samples for name in re.findall(r'"(\w+)":', record_line(sample).decode())
    }
    types = {json.loads(record_line(sample))["type"] for sample in samples}

    assert types == {*RECORD_NAMES.values()}
    assert not [
        name for name in {*names, *types, *json.loads(header())} if f"`{name}`" not in document
    ]
