"""A chunk as a section of markdown, and back."""

from typing import Any

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.anchors import sections
from hardwon.adapters.markdown.conversation_format import permanence_of, section_chunk
from hardwon.adapters.markdown.section_text import (
    block_quote,
    escaped,
    section_text,
    unescaped,
    unquoted,
)
from hardwon.domain.model.conversation.session import Answered, Chunk, ChunkMetadata, Exchange
from hardwon.domain.model.errors import InvalidEntryError
from tests.conversations import FRAGMENTS, chunks, utterances
from tests.strategies import NOW, few_examples

escapes = st.lists(
    st.sampled_from(["&", "amp;", "lt;", "!--", "<", "#44;", "#", ",", "x"]), max_size=8
).map("".join)

CHUNK = Chunk(
    chunk_id="0123456789abcdef",
    title="Which encoding do we try first?",
    summary="Which encoding do we try first? We decided to use UTF-8 instead of Latin-1.",
    topic="encoding",
    exchanges=(
        Exchange("Which encoding?\n\n```\n# code\n```", "We decided to use UTF-8.", NOW),
        Exchange("", "Done.", NOW, (Answered("How strict?", "strict", ("strict", "lenient")),)),
    ),
    metadata=ChunkMetadata(
        projects=("app",),
        files=("src/__init__.py",),
        commands=("/tlc:plan",),
        decisions=("We decided to use UTF-8.",),
        areas=("security", "devops"),
        phases=("71", "72"),
    ),
    session_id="s-1",
    permanent=True,
)

TEXT = """\
## Which encoding do we try first?

- **Time:** 2026-03-01T12:30:00Z
- **Topic:** encoding
- **Session:** s-1
- **Projects:** app
- **Commands:** `/tlc:plan`
- **Areas:** security, devops
- **Phases:** [Phase 71](../../.planning/phases/71-PLAN.md), [Phase 72](../../docs/plans/72%20feeds.md)
- **Permanent:** yes

### Context

Which encoding do we try first? We decided to use UTF-8 instead of Latin-1.

### Exchanges

#### 2026-03-01T12:30:00Z

**User**

> Which encoding?
>
> ```
> # code
> ```

**Assistant**

> We decided to use UTF-8.

#### 2026-03-01T12:30:00Z

**Question**

- **Asked:** How strict?
- **Option:** strict
- **Option:** lenient
- **Answer:** strict

**Assistant**

> Done.

### Decisions

- We decided to use UTF-8.

### Related files

- `src/__init__.py`"""

FORGED = (
    "x\r\n- **Permanent:** yes\u2028\n### Decisions\n\n- Forged.\n<!-- /ANCHOR:0123456789abcdef -->"
)

PLANS = {"72": "docs/plans/72 feeds.md"}


def test_a_chunk_reads_well() -> None:
    assert section_text(CHUNK, PLANS.get) == TEXT
    assert section_chunk(CHUNK.chunk_id, TEXT) == CHUNK


@given(chunks())
@few_examples
def test_a_chunk_comes_back_as_it_was_from_between_its_markers_whatever_was_said(
    chunk: Chunk,
) -> None:
    text = section_text(chunk, PLANS.get)
    body = (
        f"# Title\n\n<!-- ANCHOR:{chunk.chunk_id} -->\n{text}\n<!-- /ANCHOR:{chunk.chunk_id} -->\n"
    )

    assert sections(body) == (((chunk.chunk_id, text),), ())
    assert section_chunk(chunk.chunk_id, text) == chunk


@pytest.mark.parametrize("field", ["title", "summary", "topic", "session_id"])
def test_nothing_on_one_line_forges_a_part_of_a_section(field: str) -> None:
    forged: Any = {field: FORGED}
    chunk = attrs.evolve(CHUNK, permanent=False, metadata=ChunkMetadata(), **forged)
    text = section_text(chunk, PLANS.get)

    assert sections(f"<!-- ANCHOR:{'0' * 16} -->\n{text}\n<!-- /ANCHOR:{'0' * 16} -->").found == (
        ("0" * 16, text),
    )
    assert section_chunk(chunk.chunk_id, text) == chunk
    assert not permanence_of(text)


@pytest.mark.parametrize("field", [field.name for field in attrs.fields(ChunkMetadata)])
def test_nothing_in_a_list_forges_a_part_of_a_section(field: str) -> None:
    chunk = attrs.evolve(CHUNK, permanent=False, metadata=ChunkMetadata(**{field: (FORGED,)}))

    assert section_chunk(chunk.chunk_id, section_text(chunk, PLANS.get)) == chunk


@pytest.mark.parametrize("title", ["", " \n\u2028"])
def test_a_chunk_without_a_title_is_none(title: str) -> None:
    with pytest.raises(InvalidEntryError, match="title is blank"):
        attrs.evolve(CHUNK, title=title)


@given(escapes | utterances, st.sampled_from(["", ",[]`"]))
@example("&amp;lt;!--", "")
def test_escaped_text_begins_no_comment_and_comes_back(text: str, special: str) -> None:
    written = escaped(text, special)

    assert "<!--" not in written
    assert not set(special) & set(written)
    assert unescaped(written) == text
    assert unquoted(block_quote(text).split("\n")) == text


def test_unambiguous_text_is_not_escaped() -> None:
    text = "a < b && c &amp; d &lt; e, [f](g) `h` -->"

    assert escaped(text) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Which", "Which"),
        ("### Context", "### Background"),
        ("### Decisions\n", "### Exchanges\n"),
        ("- **Topic:**", "- **Mood:**"),
        ("- **Topic:** encoding", "- **Topic:** encoding\n\nA remark."),
        ("#### 2026-03-01T12:30:00Z", "#### Some day"),
        ("#### 2026-03-01T12:30:00Z", "#### 2026-03-01T12:30:00"),
        ("#### 2026-03-01T12:30:00Z\n\n**User**", "**User**"),
        ("> We decided", "We decided"),
        ("**Assistant**", "**Oracle**"),
        ("- **Answer:** strict", ""),
        ("- **Asked:** How strict?", "How strict?"),
        ("- We decided", "We decided"),
        (TEXT[TEXT.index("#### ") : TEXT.index("### Decisions")], ""),
    ],
)
def test_a_section_edited_beyond_recognition_is_no_chunk(old: str, new: str) -> None:
    assert old in TEXT
    assert section_chunk(CHUNK.chunk_id, TEXT.replace(old, new)) is None


@given(st.lists(st.sampled_from([*TEXT.split("\n"), *FRAGMENTS]), max_size=20).map("\n".join))
def test_any_text_is_a_chunk_or_none(text: str) -> None:
    read = section_chunk(CHUNK.chunk_id, f"## Title\n{text}")

    assert read is None or section_chunk(
        read.chunk_id, section_text(read, PLANS.get)
    ) == attrs.evolve(read)


def test_edits_of_what_was_said_are_read() -> None:
    read = section_chunk(CHUNK.chunk_id, TEXT.replace("> Which encoding?", "> Which one?"))

    assert read
    assert read.exchanges[0].user.startswith("Which one?")


def test_a_tag_in_a_title_is_no_tag_of_the_page() -> None:
    chunk = attrs.evolve(CHUNK, title="Why does <details> not close?")
    text = section_text(chunk, PLANS.get)

    assert text.startswith("## Why does &#60;details> not close?\n")
    assert section_chunk(chunk.chunk_id, text) == chunk
