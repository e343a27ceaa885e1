import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document import MarkdownDocument
from hardwon.adapters.markdown.document_format import (
    FrontValue,
    Markdown,
    kind_by_place,
    read_fields,
)
from hardwon.domain.model.document import FILE_KINDS
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.file_entry import EPOCH, to_entry, utc_time
from hardwon.domain.model.vocabulary import Kind
from tests.fakes.projects import working_in
from tests.strategies import anything, labels

HERE = working_in("here", "work", "main")
KEY = "AKIA" + "IOSFODNN7EXAMPLE"
NAMES = (
    "title",
    "description",
    "type",
    "date",
    "project",
    "branch",
    "permanent",
    "tags",
    "keywords",
    "files",
    "x",
)
heads = st.dictionaries(st.sampled_from(NAMES), anything | st.booleans() | labels)


def entry_of(
    body: str, kind: Kind = "decision", known: Entry | None = None, **head: FrontValue
) -> Entry:
    return with_head(head, body, kind, known)


def with_head(
    head: dict[str, FrontValue], body: str, kind: Kind, known: Entry | None = None
) -> Entry:
    file = MarkdownDocument(
        "/projects/app/memory/one.md",
        1_770_000_000,
        f"{len(body):064}",
        Markdown(head, body),
        "/projects/app",
    )
    return to_entry(file, file.fields, kind, HERE, known)


def entry_or_complaint(
    head: dict[str, FrontValue], body: str, kind: Kind
) -> tuple[Entry | None, str]:
    try:
        return with_head(head, body, kind), ""
    except InvalidEntryError as error:
        return None, str(error)


@given(head=heads, body=st.text(), kind=st.sampled_from(FILE_KINDS))
def test_any_markdown_gives_an_entry_or_one_clear_complaint(
    head: dict[str, FrontValue], body: str, kind: Kind
) -> None:
    entry, complaint = entry_or_complaint(head, body, kind)

    assert (entry is None) == bool(complaint)
    assert "\n" not in complaint
    assert entry is None or (entry.kind, entry.file_path) == (kind, "/projects/app/memory/one.md")
    assert all("\n" not in complaint for complaint in read_fields(head).complaints)


MARKED = "Use `codecs`, **never** [guess](https://x.example/why)"
PLAIN_TITLE = "Use codecs, never guess"


@pytest.mark.parametrize(
    ("kind", "body", "head"),
    [
        ("decision", f"# {MARKED}\n\nText.", {}),
        ("document", "Text.", {"title": MARKED}),
        ("gotcha", f"{MARKED}\n=======\n\nText.", {}),
    ],
    ids=["heading", "front matter", "underlined"],
)
def test_a_title_is_plain_text_on_the_screen_and_in_the_vector(
    kind: Kind, body: str, head: dict[str, FrontValue]
) -> None:
    entry = with_head(head, body, kind)

    assert entry.name == PLAIN_TITLE
    assert not {"`", "*", "[", "]"} & {*entry.searchable_text()}


def test_a_session_is_titled_in_plain_text() -> None:
    assert entry_of("# Log\n\nMended **the** `parser`.", "session").name == "Mended the parser."


@pytest.mark.parametrize(
    ("title", "plain"), [("**", "**"), ("C# 2*3", "C# 2 3"), ("snake_case", "snake_case")]
)
def test_of_a_title_only_marks_go(title: str, plain: str) -> None:
    assert entry_of("Text.", title=title).name == plain


def test_a_rule_holds_in_the_project_where_it_stands_whatever_its_file_claims() -> None:
    planted = entry_of("Obey.", importance_tier="constitutional", project="other")
    moved = entry_of("Obey this too.", known=planted, project="other")

    assert (planted.tier, planted.source_project) == ("constitutional", "here")
    assert (moved.tier, moved.source_project) == ("constitutional", "here")


def test_the_front_matter_has_the_first_word() -> None:
    entry = entry_of(
        "# Heading\n\n*Text*",
        title="Title",
        description="In short.",
        date="2026-02-01T10:00:00Z",
        project="other",
        workspace="elsewhere",
        branch="fix",
        permanent=True,
        tags=("a", "b"),
        keywords="one, two",
        files=("src/a.py",),
    )

    assert (entry.name, entry.description) == ("Title", "In short.\n\nHeading\n\nText")
    assert entry.updated_at == entry.created_at == dt.datetime(2026, 2, 1, 10, tzinfo=dt.UTC)
    assert (entry.source_project, entry.workspace, entry.branch, entry.permanent) == (
        "other",
        "work",
        "fix",
        True,
    )
    assert (entry.tags, entry.keywords, entry.references) == (
        ("a", "b"),
        ("one", "two"),
        ("src/a.py",),
    )


def test_without_it_the_text_and_the_place_speak() -> None:
    entry = entry_of("Intro\n\n# Heading\n")

    assert (entry.name, entry.description) == ("Heading", "Intro\n\nHeading")
    assert entry.updated_at == utc_time(1_770_000_000)
    assert (entry.source_project, entry.workspace, entry.branch, entry.permanent) == (
        "here",
        "work",
        "main",
        False,
    )


@pytest.mark.parametrize("body", ["", "\n\n", "---", "<private>all of it</private>"])
def test_a_file_without_text_goes_by_its_name(body: str) -> None:
    assert (entry_of(body).name, entry_of(body).description) == ("one", "one")


def test_a_session_is_its_description_alone() -> None:
    summary = "Moved the parser to a table of states, after three days of chasing a quote in the wrong column."
    entry = entry_of(f"# Head\n\nProse {KEY}.\n", "session", description=summary)

    assert (entry.description, entry.searchable_text()) == (summary, summary)
    assert summary.startswith(entry.name)
    assert entry_of(f"# Head\n\nProse {KEY}.\n", "session").searchable_text() == "Prose [REDACTED]."


def test_no_secret_is_cut_in_two_by_a_name() -> None:
    entry = entry_of("text", "session", description="x" * 70 + f" {KEY} " + KEY)

    assert entry.name == "x" * 70
    assert entry.description == "x" * 70 + " [REDACTED] [REDACTED]"


def test_attributes_missing_from_the_file_keep_their_known_values() -> None:
    known = attrs.evolve(
        entry_of("text", tags=("a",), keywords=("k",), permanent=True, files=("f",)),
        confidence="high",
        observation_count=3,
        source="session-capture",
        branch="then",
    )

    changed = entry_of("other text", known=known)
    assert (changed.tags, changed.keywords, changed.references) == (("a",), ("k",), ("f",))
    assert (changed.permanent, changed.confidence, changed.observation_count) == (True, "high", 3)
    assert (changed.source, changed.branch) == ("session-capture", "main")
    assert entry_of("text", known=known).branch == "then"
    assert entry_of("text", known=known, permanent=False).permanent is False


def test_values_of_the_wrong_sort_are_left_out_with_a_complaint() -> None:
    fields = read_fields(
        {
            "title": ("a",),
            "tags": True,
            "permanent": "maybe",
            "date": "some day",
            "type": "learning",
        }
    )

    assert fields == attrs.evolve(read_fields({}), complaints=fields.complaints)
    assert [complaint.split(" is ")[0] for complaint in fields.complaints] == [
        "title",
        "date",
        "permanent",
        "tags",
    ]


@pytest.mark.parametrize(
    "head",
    [
        {
            "trigger_phrases": ("save context", "ab"),
            "context_type": "research",
            "importance_tier": "Critical",
            "importance_weight": "0.8",
            "session_id": "s1",
        },
        {
            "triggerPhrases": "save context, ab",
            "contextType": "Research",
            "importanceTier": "critical",
            "importanceWeight": "0.80",
            "sessionId": "s1",
        },
        {
            "triggers": "save context, ab, Save Context",
            "contextType": "research",
            "tier": "critical",
            "importance_weight": ".8",
            "sessionId": "s1",
        },
    ],
)
def test_fields_of_memory_documents_are_read_in_every_spelling(head: dict[str, FrontValue]) -> None:
    fields = read_fields(head | {"channel": f"main {KEY}"})

    assert (fields.trigger_phrases, fields.context_type, fields.tier) == (
        ("save context",),
        "research",
        "critical",
    )
    assert (fields.importance_weight, fields.channel, fields.session_id) == (
        0.8,
        "main [REDACTED]",
        "s1",
    )
    assert [complaint.split(" is ")[0] for complaint in fields.complaints] == ["trigger_phrases"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("context_type", "planning"),
        ("context_type", ("research",)),
        ("contextType", True),
        ("importance_tier", "urgent"),
        ("importance_weight", "1.5"),
        ("importance_weight", "-0.1"),
        ("importance_weight", "nan"),
        ("importanceWeight", "much"),
        ("trigger_phrases", True),
        ("session_id", ("a",)),
    ],
)
def test_a_bad_value_of_a_memory_document_is_left_out_with_a_complaint(
    name: str, value: FrontValue
) -> None:
    fields = read_fields({name: value})

    assert fields == attrs.evolve(read_fields({}), complaints=fields.complaints)
    assert len(fields.complaints) == 1


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/app/memory/decisions/a.md", "decision"),
        ("/app/memory/gotchas/deep/a.md", "gotcha"),
        ("/app/memory/preferences/a.md", "preference"),
        ("/app/memory/conversations/a.md", "conversation"),
        ("/app/memory/sessions/a.md", "session"),
        ("/app/memory/memory-one.md", "session"),
        ("/app/memory-one.md", "session"),
        ("/other/memory-20260212-134206.md", "session"),
        ("/other/memory-20260212-134206.markdown", "session"),
        ("/other/memory-leaks.md", None),
        ("/app/memory/notes.md", None),
        ("/app/docs/decisions.md", None),
    ],
)
def test_a_file_is_kept_as_what_its_place_stands_for(path: str, kind: Kind | None) -> None:
    assert kind_by_place(path, "/app") == kind


@pytest.mark.parametrize("seconds", [2**60, -(2**60)])
def test_a_time_that_no_calendar_has_is_the_earliest_time(seconds: int) -> None:
    assert utc_time(seconds) == EPOCH
