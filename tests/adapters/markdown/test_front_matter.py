import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import FrontValue, Markdown
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["true", "null", "a: b", "[x]"]
)
values = texts | st.booleans() | st.lists(texts, min_size=1, max_size=3).map(tuple)
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)


@given(head=st.dictionaries(keys, values, max_size=5), body=texts)
def test_written_front_matter_is_read_back(head: dict[str, FrontValue], body: str) -> None:
    assert read_markdown(write_markdown(head, body)) == Markdown(head, body)


@given(
    text=st.text()
    | st.lists(st.sampled_from(["---\n", "a: ", "- x", "[", '"', "'", "\n", "b", "|", " #"])).map("".join)
)
def test_any_text_can_be_read_and_none_of_its_body_is_lost(text: str) -> None:
    markdown = read_markdown(text)

    assert text.endswith(markdown.body)
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
    "line",
    [
        "{a: b}",
        "&anchor",
        "*alias",
        "!tag",
        "|\n  block",
        ">\n  folded\n  text",
        "[a",
        "[a, [b]]",
        '"open',
        '"a" b',
        '"\\x"',
    ],
)
def test_an_unreadable_line_costs_only_itself(line: str) -> None:
    markdown = read_markdown(f"---\nbad: {line}\ngood: yes\n---\nbody")

    assert (markdown.front_matter, markdown.body) == ({"good": "yes"}, "body")
    [complaint] = markdown.complaints
    assert complaint.startswith("line 2 of the front matter is left out: ")


@pytest.mark.parametrize("line", ["no colon", "- of no list", "  indented: x", "1: x"])
def test_a_line_that_is_no_field_is_reported(line: str) -> None:
    markdown = read_markdown(f"---\n{line}\na: b\n---\n")

    assert (markdown.front_matter, len(markdown.complaints)) == ({"a": "b"}, 1)


def test_of_two_values_for_one_key_the_first_counts() -> None:
    markdown = read_markdown("---\na: 1\na: 2\n---\n")

    assert (markdown.front_matter, len(markdown.complaints)) == ({"a": "1"}, 1)


def test_a_head_that_is_never_closed_is_text() -> None:
    text = "---\ntitle: x\n\nBody\n"

    assert read_markdown(text) == Markdown({}, text, ("the front matter is never closed: end it with a line ---",))


def test_invalid_front_matter_is_reported_in_few_lines() -> None:
    assert len(read_markdown("---\n" + "rubbish\n" * 100 + "---\n").complaints) == 6


@pytest.mark.parametrize(
    "line", ["a: " + "[" * 200_000, "a: [" + "a," * 200_000, "- " * 200_000, "a: x" + " " * 2_000_000 + "x"]
)
def test_a_hostile_head_takes_no_longer_than_any_other(line: str) -> None:
    assert read_markdown(f"---\n{line}\n---\nbody").body == "body"
