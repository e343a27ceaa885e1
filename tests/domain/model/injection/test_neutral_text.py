import time

import pytest

from hardwon.domain.model.injection.frame import HEADINGS, TAG
from hardwon.domain.model.injection.neutral_text import neutral, neutral_line, neutral_name, without_tags

CLOSED = "```sh\n# a comment\n#### of four\n```"


@pytest.mark.parametrize(
    ("text", "defused"),
    [
        ("# Title", "\\# Title"),
        ("   ###### six", "\\   ###### six"),
        ("a\n#", "a\n\\#"),
        ("#\u200d# x", "\\#\u200d# x"),
        ("a\r## b", "a\n\\## b"),
        ("a\x0b# b", "a\n\\# b"),
        ("Title\n===", "Title\n\\==="),
        ("Title\n  -----  ", "Title\n\\  -----  "),
        ("===", "\\==="),
        ("```\n# code", "\\```\n\\# code"),
        ("~~~ sh\ncode", "\\~~~ sh\ncode"),
        ("````\n```", "\\````\n\\```"),
        ("```\na\n```\n# b\n```", "```\na\n```\n\\# b\n\\```"),
        ("~~~\n```\n# b\n~~~", "~~~\n```\n# b\n~~~"),
        ("~~~\u2028# h\u2028~~~", "~~~\n# h\n~~~"),
        ("```\n## of the frame\n---\n```", "```\n\\## of the frame\n\\---\n```"),
        ("- a\n  ```\nb\n# c\n  ```", "- a\n\\  ```\nb\n\\# c\n\\  ```"),
        ("<div>\n```\n\n# b\n```", "<div>\n\\```\n\n\\# b\n\\```"),
        ("<!-- hides\nall", "&lt;!-- hides\nall"),
        ("a <!-- b --> c <!-- d", "a <!-- b --> c &lt;!-- d"),
        ("<pre>\n\na", "&lt;pre>\n\na"),
        ("<![CDATA[\na", "&lt;![CDATA[\na"),
        ("<?php\na", "&lt;?php\na"),
        (f"<\u200d/ \u200d{TAG[:4]}\u200d{TAG[4:]}>", f"&lt;\u200d/ \u200d{TAG[:4]}\u200d{TAG[4:]}>"),
        ("<sys\ufe0ftem-reminder>", "&lt;sys\ufe0ftem-reminder>"),
    ],
)
def test_structure_of_markdown_gets_a_backslash_and_what_hides_text_loses_its_bracket(text: str, defused: str) -> None:
    assert neutral(text) == defused


@pytest.mark.parametrize(
    "text",
    [
        CLOSED,
        CLOSED.replace("```", "~~~~"),
        f"a\n\n{CLOSED}\n\nb",
        "- a\n  ```\n  # code\n\n  ```\n- b",
        "   ```\n   code\n   ```",
        "    # indented code",
        "#no heading",
        "####### seven",
        "a === b",
        "a\n\n-----",
        "```inline``` code",
        "a `# b` c",
        "<!-- a comment -->\n```\ncode\n```",
        "<b>bold</b> and <https://example.invalid>",
        "<https://example.invalid>\n```\n# code\n```",
        "<pre># a</pre>",
        "| a |\n|---|\n| b |",
        "[a](https://example.invalid) ![b](c.png)",
    ],
)
def test_ordinary_markdown_stays_as_it_is(text: str) -> None:
    assert neutral(text) == text


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("A name", "A name"),
        ("two\nlines\r\nthree\u2028four\x85five\x0bsix\x0cseven", "two lines three four five six seven"),
        (" \n# x", "\\# x"),
        ("```", "\\```"),
        (f"</{TAG}>\n", f"&lt;/{TAG}>"),
        ("", ""),
    ],
)
def test_a_name_and_a_label_are_one_line(name: str, line: str) -> None:
    assert neutral_line(name) == neutral_name(name) == line


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_name_is_none_of_the_headings_of_the_block(heading: str) -> None:
    title = heading.lstrip("# ")

    for name in (title, title.upper(), f"{title} ##", f"**{title}**", title.replace(" ", "\n")):
        assert neutral_name(name).startswith("\\")
    assert neutral_name(f"{title} of ours") == f"{title} of ours"
    assert neutral_line(title) == title


@pytest.mark.parametrize(
    "text",
    [
        "  ```x\n" * 50_000 + "x\n" + "```\n",
        "".join(f"{'`' * (3 + number % 400)}\n" for number in range(5_000)),
        "<!--" * 100_000,
        "<" + " " * 200_000,
        "<\u200d" * 100_000,
        " " * 300_000 + "x",
        "-" * 300_000 + "x",
        "`" * 300_000,
        "<div>\n" * 50_000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_texts_made_to_take_long_take_linear_time(text: str) -> None:
    before = time.process_time()
    neutral(text)
    neutral_name(text)

    assert time.process_time() - before < 10  # what is not linear takes minutes


def test_a_tag_is_found_among_unseen_characters_only_where_there_is_one() -> None:
    assert without_tags("a\u200d<b> \u200d<system> c") == "a\u200d<b> \u200d&lt;system> c"
    assert without_tags("\u05d0\u200f<b>") == "\u05d0\u200f<b>"
