"""The printed block read back: by a small reader of its lines, and by one of markdown."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hardwon.domain.model.identity import IGNORABLE
from hardwon.domain.model.injection.block import MemoryBlock
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import (
    ConversationSummary,
    Room,
    related_section,
)
from hardwon.domain.model.text import split_by_title
from hardwon.domain.model.vocabulary import CATEGORIES

BREAKS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029")
PARTS = (
    *BREAKS,
    *(
        "## ",
        "### ",
        "# ",
        "#",
        "######",
        "Heuristics",
        "Patterns to Follow",
        "Engineering Memory",
        "Pattern: x",
    ),
    *(
        "Related Conversations",
        "Constitutional Memories",
        "Anti-Patterns to Avoid",
        "Observation count: 9",
    ),
    *("```", "````", "~~~", "~~~~~", "```sh", "~~~ a`b", "`", "~"),
    *("===", "=", "---", "-----", "-", "- ", "* ", "1. ", "> ", "    ", "   ", "  ", " ", "\t"),
    *(
        "<!--",
        "-->",
        "<!",
        ">",
        "<?",
        "?>",
        "<![CDATA[",
        "]]>",
        "<pre>",
        "</pre>",
        "<script",
        "<div>",
        "</div>",
        "<a",
    ),
    *(
        "<hardwon-memory>",
        "</hardwon-memory>",
        "<system-reminder>",
        "</system-",
        "reminder>",
        "<command-name>",
    ),
    *("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u202e", "\x1b"),
    *("[a]: b", "[x](http://y)", "![x](", "|", "\\", "&lt;", "word", "a b", "."),
)
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), min_size=1, max_size=14).map("".join)
names = texts.filter(lambda text: re.search(r"\w", text) is not None)
origins = st.just("") | names.filter(lambda name: plain(name) != "")
"""Of labels, which are the names of folders."""

entries = st.builds(
    PrintedEntry,
    number=st.just(1),
    origin=origins,
    name=names,
    description=texts,
    notes=st.just("") | texts,
    category=st.sampled_from(CATEGORIES),
    observation_count=st.integers(0, 99),
    confidence=st.sampled_from(("high", "medium", "low")),
)
rules = st.builds(
    ConstitutionalText,
    number=st.just(2),
    origin=origins,
    entry_id=st.just("i"),
    kind=st.just("document"),
    name=names,
    description=texts,
    notes=st.just("") | texts,
    importance_weight=st.just(1.0),
    created_at=st.just(dt.datetime(2026, 1, 1, tzinfo=dt.UTC)),
)
conversations = st.builds(
    ConversationSummary,
    number=st.just(3),
    entry_id=st.just("i"),
    kind=st.just("conversation"),
    name=names,
    description=texts,
    updated_at=st.just(dt.datetime(2026, 1, 1, tzinfo=dt.UTC)),
)

TITLE = "## Engineering Memory (from knowledge bank)"
RULES = "### Constitutional Memories"
RELATED = "### Related Conversations"
SECTIONS = {
    "### Anti-Patterns to Avoid": "### Anti-Pattern: ",
    "### Heuristics": "### ",
    "### Patterns to Follow": "### Pattern: ",
}
RECORD = re.compile(r"- Observation count: ([0-9]+)\n- Confidence: (high|medium|low)\n\Z")
TAG = re.compile(r"<\s*/?\s*(?:hardwon-memory|system|command-)", re.IGNORECASE)
UNSEEN = re.compile(f"[{IGNORABLE}]")


class Read(NamedTuple):
    """An entry as the block shows it."""

    section: str
    name: str
    text: str


def read(block: str) -> tuple[list[Read], list[str]]:
    """Return the entries of *block* and its lines of conversations, as one reads who knows its headings alone."""
    start, frame_end, rest = block.partition("\n\n*about*\n\n")
    assert (start, bool(frame_end)) == (TITLE, True)
    assert rest.endswith("---\n")
    section, found = "", list[Read]()
    for line in rest.removesuffix("---\n").split("\n"):
        if line in {RULES, RELATED, *SECTIONS}:
            section = line
        elif line.startswith("### ") and section != RELATED:
            found.append(Read(section, line.removeprefix(SECTIONS.get(section, "### ")), ""))
        elif section == RELATED:
            found.append(Read(section, line, ""))
        else:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}{line}\n")
    return [item for item in found if item.section != RELATED], [
        item.name for item in found if item.section == RELATED and item.name
    ]


def plain(text: str) -> str:
    """Return what is left to read of *text*, whether it was defused or not."""
    characters = re.sub(r"[\s\x00-\x1f\x7f-\x9f\\]", "", UNSEEN.sub("", text)).replace("&lt;", "<")
    return re.sub("[^ -\uffff]|[\ufff9-\ufffb]", "", characters)


def printed(
    all_of: Sequence[PrintedEntry], ruling: Sequence[ConstitutionalText] = (), related: str = ""
) -> str:
    block = MemoryBlock(diagnostic=lambda _: "*about*", sizes={}, rules=ruling, related=related)
    return block.render(all_of)


def in_order(all_of: Sequence[PrintedEntry]) -> list[PrintedEntry]:
    return [
        entry
        for category in ("anti-patterns", "heuristics", "patterns")
        for entry in all_of
        if entry.category == category
    ]


def body(entry: PrintedEntry | ConstitutionalText) -> str:
    return plain(f"{entry.description}\n{entry.notes}\n{from_line(entry)}")


def lesson_body(entry: PrintedEntry) -> str:
    """Return the text below the heading: where it begins with the name, that is not repeated."""
    split = split_by_title(entry.name, entry.description)
    rest = split.continued if not split.beginning or re.search(r"[^\W_]", split.rest) else ""
    return plain(f"{rest}\n{entry.notes}\n{from_line(entry)}")


def from_line(entry: PrintedEntry | ConstitutionalText) -> str:
    return f"- From: {entry.origin}" if entry.origin else ""


@given(
    all_of=st.lists(entries, max_size=4),
    ruling=st.lists(rules, max_size=2),
    summaries=st.lists(conversations, max_size=2),
)
@example(
    all_of=[
        PrintedEntry(
            1, "Patterns to Follow", "~~~\u2028# h\u2028~~~\n```", "===", "heuristics", 1, "low"
        )
    ],
    ruling=[],
    summaries=[],
)
@example(
    all_of=[PrintedEntry(1, "A\ufff0", "b\u061c", "", "heuristics", 1, "low")],
    ruling=[],
    summaries=[],
)
def test_it_reads_back_as_exactly_the_entries_that_were_given(
    all_of: list[PrintedEntry],
    ruling: list[ConstitutionalText],
    summaries: list[ConversationSummary],
) -> None:
    related = related_section((), summaries, Room(100_000))
    if not (all_of or ruling or related.text):
        return
    found, lines = read(printed(all_of, ruling, related.text))
    lessons = in_order(all_of)

    expected = [*(plain(rule.name) for rule in ruling), *(plain(lesson.name) for lesson in lessons)]
    assert [plain(item.name) for item in found] == expected
    assert [plain(item.text) for item in found[: len(ruling)]] == [body(rule) for rule in ruling]
    for item, lesson in zip(found[len(ruling) :], lessons, strict=True):
        record = RECORD.search(item.text.rstrip("\n") + "\n")
        assert record is not None
        assert record.groups() == (str(lesson.observation_count), lesson.confidence)
        assert plain(item.text[: record.start()]) == lesson_body(lesson)
    assert len(lines) == len(summaries)
    assert all(line.startswith("- ") for line in lines)


@given(all_of=st.lists(entries, min_size=1, max_size=3), ruling=st.lists(rules, max_size=2))
def test_markdown_sees_no_heading_no_fence_and_no_end_that_are_not_the_blocks_own(
    all_of: list[PrintedEntry], ruling: list[ConstitutionalText]
) -> None:
    tokens = MarkdownIt("commonmark").parse(printed(all_of, ruling))
    headings = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    sections = len({entry.category for entry in all_of}) + bool(ruling)

    assert [token.tag for token in headings] == [
        "h2",
        *["h3"] * (sections + len(all_of) + len(ruling)),
    ]
    assert all(token.markup in {"##", "###"} for token in headings)
    assert (tokens[-1].type, tokens[-1].level) == ("hr", 0)


@given(entry=entries, rule=rules, summaries=conversations)
def test_no_tag_of_the_host_or_the_frame_is_left(
    entry: PrintedEntry, rule: ConstitutionalText, summaries: ConversationSummary
) -> None:
    text = printed([entry], [rule], related_section((), [summaries], Room(100_000)).text)

    assert not TAG.search(UNSEEN.sub("", text))
