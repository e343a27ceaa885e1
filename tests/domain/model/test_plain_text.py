import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import first_heading
from hardwon.domain.model.plain_text import NAME_LENGTH, beginning, plain_text
from tests.strategies import anything

marks = st.sampled_from(
    [
        "# ",
        "## ",
        "*",
        "**",
        "`",
        "```",
        "```python",
        "~~~",
        "- ",
        "> ",
        "---",
        "| ",
        "\n",
        "\n\n",
        " ",
        "<!--",
        "-->",
    ]
)
words = st.sampled_from(["alpha", "beta", "C#", "#12", "x", "1.", "émigré"])
markdown = st.lists(marks | words | anything, max_size=25).map("".join)
WORD = re.compile(r"[^\W_]+")


@given(text=markdown)
@example("**bold**text and 2*3 and `a`b")
@example("*# not a heading*")
@example("\r# # ")
def test_no_formatting_is_left(text: str) -> None:
    plain = plain_text(text)

    assert not set("*`") & set(plain)
    assert not re.search(r"^[ \t]*#{1,6}([ \t]|$)", plain, re.MULTILINE)
    assert plain == plain.strip()


@given(text=markdown.filter(lambda text: not re.search(r"```|~~~", text)))
def test_every_word_is_kept_in_order(text: str) -> None:
    assert WORD.findall(plain_text(text)) == WORD.findall(text)


def test_text_between_marks_stays_in_code_too() -> None:
    text = (
        "# Title #\n\nUse *one* and **two**, `three` of C#, see #12 and [four](https://x.example/five).\n\n"
        "- six\n* seven\n> eight\n\n```python\n# nine\nif ten:\n    eleven = 2*3\n```\n\n| a | b |\n|---|---|\n"
    )

    assert plain_text(text) == (
        "Title\n\nUse one and two, three of C#, see #12 and four (https://x.example/five).\n\n"
        "six\n seven\neight\n\nnine\nif ten:\n    eleven = 2 3\n\n| a | b |"
    )


@pytest.mark.large
@pytest.mark.parametrize(
    "text",
    ["*" * 500_000, "# " * 250_000, "[" * 20_000, " " * 500_000 + "x", "<!--" * 100_000],
)
def test_hostile_text_takes_no_longer_than_any_other(text: str) -> None:
    assert len(plain_text(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("text\n\n## The **second** level ##\n", "The second level"),
        ("```\n# a comment\n```\n# Real", "Real"),
        ("Underlined\n===\n", "Underlined"),
        ("#\n#hashtag\nprose", None),
        ("", None),
    ],
)
def test_the_first_heading_is_the_title(text: str, heading: str | None) -> None:
    assert first_heading(text) == heading


@given(text=st.text() | st.lists(words, max_size=60).map(" ".join))
@example("x" * 79 + " y")
@example("x" * 80)
def test_a_text_begins_with_its_beginning_on_one_line_under_80_characters(text: str) -> None:
    name = beginning(text)

    assert text.strip().startswith(name)
    assert name == " ".join(name.split())
    assert len(name) < NAME_LENGTH
    assert bool(name) == bool(text.strip())


def test_a_long_line_is_cut_between_words() -> None:
    assert beginning("word " * 30) == "word " * 15 + "word"
