import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import FrontValue, Markdown
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["true", "null", "a: b", "[x]"]
)
values = texts | st.booleans() | st.lists(texts, min_size=1, max_size=3).map(tuple)
keys = st.from_regex(r"[a-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)


@given(head=st.dictionaries(keys, values, max_size=5), body=texts)
def test_written_front_matter_is_read_back(head: dict[str, FrontValue], body: str) -> None:
    assert read_markdown(write_markdown(head, body)) == Markdown(head, body)


@given(
    text=st.text()
    | st.lists(st.sampled_from(["---\n", "a: ", "- x", "[", '"', "'", "\n", "b", "|", " #"])).map(
        "".join
    )
)
def test_any_text_can_be_read_and_none_of_its_body_is_lost(text: str) -> None:
    markdown = read_markdown(text)

    assert markdown.complaints or text.endswith(markdown.body)
    assert all("\n" not in complaint for complaint in markdown.complaints)
    assert len(markdown.complaints) <= 6


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain words: and more", "plain words: and more"),
        ("plain # a comment", "plain"),
        ("C# # a comment", "C#"),
        ('"two\\nlines" # a comment', "two\nlines"),
        ("'it''s'", "it's"),
        ("2026-02-12", "2026-02-12"),
        ("true", True),
        ("False", False),
        ('"true"', "true"),
        ("[]", ()),
        ("[a, \"b, c\", 'd', true] # a comment", ("a", "b, c", "d", "true")),
        ("\n- a\n  - 'b'\n# a comment\n- c: d", ("a", "b", "c: d")),
    ],
)
def test_a_value_is_read_as_yaml_would(written: str, value: FrontValue) -> None:
    assert read_markdown(f"---\nkey: {written}\n---\nbody") == Markdown({"key": value}, "body")


@pytest.mark.parametrize("written", ["", "null", "~", "# a comment"])
def test_a_key_without_a_value_is_not_there(written: str) -> None:
    assert read_markdown(f"---\nkey: {written}\n---\n") == Markdown({}, "")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("|\n  a\n    b\n\n  c", "a\n  b\n\nc\n"),
        ("|-\n  a\n  # b", "a\n# b"),
        ("|+\n  a\n", "a\n\n"),
        (">\n  a\n  b\n\n  c", "a b\nc\n"),
        (">- # folded\n  a: b\n  c", "a: b c"),
        (">+\n  a\n   b\n  c\n", "a\n b\nc\n\n"),
        ("|2\n    a\n   b", "  a\n b\n"),
        ("\n  words that go on\n  over lines", "words that go on over lines"),
        ("words: that\n  go on # a comment", "words: that go on"),
        ('"two\n  lines, \\"quoted\\" \\u00fc \\x41"', 'two lines, "quoted" ü A'),
        ("'two\n\n  lines'", "two\nlines"),
        ('"x"\n  # a comment', "x"),
        ("[one,\n  'two, three', # a comment\n  four]", ("one", "two, three", "four")),
        ("[\n  one,\n]", ("one",)),
        ("[[note]]", ("note",)),
        ("[[a|b]], [[c]]", "[[a|b]], [[c]]"),
        ("[a, [b], {c: d}]", ("a", "b")),
        ("[WIP] Fix it", "[WIP] Fix it"),
        ("{{ template }} text", "{{ template }} text"),
        ("\n  - [[note]]\n  - >\n    a\n    b\n  - c: d\n    e: f", ("note", "a b\n", "c: d")),
        (r"C:\agent\new: here", r"C:\agent\new: here"),
        (r'"C:\agent\q"', r"C:\agent\q"),
        ("for artifacts (REQ/DESIGN): read first", "for artifacts (REQ/DESIGN): read first"),
        ('"Foo" and "Bar"', '"Foo" and "Bar"'),
        ("@bob", "@bob"),
        ("`make x`", "`make x`"),
        ("*bold* text", "*bold* text"),
        ("- x", "- x"),
        ("!!str 12", "12"),
        ("&anchor text", "text"),
        ("1_000", "1_000"),
        ("2026-01-02T10:00:00+02:00", "2026-01-02T10:00:00+02:00"),
    ],
)
def test_a_value_is_read_as_people_mean_it(written: str, value: FrontValue) -> None:
    assert read_markdown(f"---\nkey: {written}\ngood: yes\n---\nbody") == Markdown(
        {"key": value, "good": "yes"}, "body"
    )


@pytest.mark.parametrize(
    "written",
    ["{a: b,\n  c: [d]}", "\n  a: b\n  c:\n    - d", "&anchor", "!tag", "\n  # a comment"],
)
def test_maps_and_empty_values_are_passed_over(written: str) -> None:
    assert read_markdown(f"---\nkey: {written}\ngood: yes\n---\nbody") == Markdown(
        {"good": "yes"}, "body"
    )


def test_an_alias_is_the_value_of_its_anchor() -> None:
    assert read_markdown("---\na: &x text\nb: *x\nc: *y\n---\n").front_matter == {
        "a": "text",
        "b": "text",
        "c": "*y",
    }


@pytest.mark.parametrize("before", ["\n", "\n  \n\n", "\ufeff", "\ufeff\n"], ids=ascii)
def test_a_head_may_follow_blank_lines_and_a_mark(before: str) -> None:
    assert read_markdown(f"{before}---\ntitle: x\n---\nbody") == Markdown({"title": "x"}, "body")


@pytest.mark.parametrize(
    "head",
    [
        "ACME Ltd.\n12 Main Street\nTel: 555",
        "From: Ann\nTo: Bob\nDate: 3 March",
        "# A heading",
        "\nProse between two rules.\n",
        "note: and then prose\nover many\nlines",
        "- a list",
        "| a | b |",
    ],
)
def test_a_letterhead_or_prose_between_rules_is_text(head: str) -> None:
    text = f"---\n{head}\n---\nbody"

    assert read_markdown(text) == Markdown({}, text)
    assert read_markdown(text, is_draft=True).body != text


def test_documents_after_the_first_are_text() -> None:
    assert read_markdown("---\na: 1\n---\nb: 2\n---\nbody") == Markdown(
        {"a": "1"}, "b: 2\n---\nbody"
    )


@pytest.mark.parametrize(
    "lines", ["no colon", "1: x\n  y", "bad: [a", "bad: {a: [b}", "good: again\n  and more"]
)
def test_an_unreadable_line_costs_only_itself_and_stays_text(lines: str) -> None:
    markdown = read_markdown(f"---\ngood: yes\n{lines}\nlast: 1\n---\nbody")

    assert (markdown.front_matter, markdown.body) == (
        {"good": "yes", "last": "1"},
        f"{lines}\nbody",
    )
    [complaint] = markdown.complaints
    assert complaint.startswith("line 3 of the front matter is left out of the fields: ")


@pytest.mark.parametrize("line", ["no colon", "- of no list", "  indented: x", "1: x"])
def test_a_line_of_a_draft_that_is_no_field_is_reported(line: str) -> None:
    markdown = read_markdown(f"---\n{line}\na: b\n---\n", is_draft=True)

    assert (markdown.front_matter, len(markdown.complaints)) == ({"a": "b"}, 1)


def test_of_two_values_for_one_key_the_first_counts() -> None:
    markdown = read_markdown("---\na: 1\na: 2\n---\n")

    assert (markdown.front_matter, len(markdown.complaints)) == ({"a": "1"}, 1)


def test_a_head_that_is_never_closed_is_text() -> None:
    text = "---\ntitle: x\n\nBody\n"

    assert read_markdown(text) == Markdown(
        {}, text, ("the front matter is never closed: end it with a line ---",)
    )


def test_invalid_front_matter_is_reported_in_few_lines() -> None:
    assert len(read_markdown("---\n" + "rubbish\n" * 100 + "---\n", is_draft=True).complaints) == 6


@pytest.mark.parametrize(
    "line",
    [
        "a: " + "[" * 200_000,
        "a: [" + "a," * 200_000,
        "- " * 200_000,
        "a: x" + " " * 2_000_000 + "x",
    ],
)
def test_a_hostile_head_takes_no_longer_than_any_other(line: str) -> None:
    assert read_markdown(f"---\n{line}\n---\nbody").body.endswith("body")
