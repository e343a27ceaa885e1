import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.plain_text import describe

PIECES = [
    "# Title\n",
    "## Section\n",
    "### Deeper\n",
    "Prose.\n",
    "- item\n",
    "\n",
    "---\n",
    "===\n",
    "```\n",
    "~~~~\n",
    "<!--",
    "-->",
    "`",
    " ",
    "\ud800",
    "\0",
]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", ""),
        (" \n\n\t\n", ""),
        ("# Title\n\nOne.\n\nTwo.\n\n## Section\n\nThree.\n", "One. Two."),
        ("# Title\n\n## Section\n\nThree,\nstill three.\n\nFour.\n", "Three, still three."),
        ("## Section\n\nThree.\n\nFour.\n", "Three."),
        ("## Empty\n\n## Section\nThree.\n", "Three."),
        ("# Only a title\n", ""),
        ("No heading at all.\n\nTwo.", "No heading at all. Two."),
        ("# Title\n### Deeper\nOne.\n## Section\nTwo.", "One."),
        ("---\ntitle: x\n---\n# Title\nOne.\n", "One."),
        ("---\ntitle: x\n...\nOne.\n", "One."),
        ("---\nnever closed\n\nOne.\n", "never closed One."),
        ("One.\n\n---\nTwo.\n---\n", "One. Two."),
        ("<!-- a\n\n## b -->\nOne <!-- two -->three.\n", "One three."),
        ("One.\n<!-- never closed\n## Section\nTwo.", "One."),
        ("```sh\n## not a section\n<!--\n```\nOne.\n", "One."),
        ("~~~\n```\n~~~\nOne.\n````\n```\n````\nTwo.\n", "One. Two."),
        ("A ```span``` stays.\n", "A ```span``` stays."),
        ("Title\n=====\nOne.\n", "One."),
        ("- One\n- *two*\n\n> three\n", "- One - *two* > three"),
        ("#hashtag and ##more\n", "#hashtag and ##more"),
        ("   ## Indented\n\nTwo.", "Two."),
        ("##\nTwo.", "Two."),
        ("## Section\nTwo.\n<!-- x -->\nThree.", "Two."),
    ],
)
def test_prose_before_the_first_section_else_the_first_paragraph(
    markdown: str, expected: str
) -> None:
    assert describe(markdown) == expected


@pytest.mark.parametrize("start", ["# Title\n", "## Section\n"], ids=["before", "below"])
def test_a_hundred_words_are_kept(start: str) -> None:
    words = [f"word{number}" for number in range(150)]

    assert describe(start + "\n".join(words)) == " ".join(words[:100])


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("---\n---\n")
def test_any_text_gives_one_line_of_at_most_a_hundred_words(markdown: str) -> None:
    description = describe(markdown)

    assert description.split() == description.split(" ") or not description
    assert len(description.split()) <= 100


@pytest.mark.large
@pytest.mark.parametrize(
    "piece", ["<!--", "```\n", "~~~\n", "`", "- ", "-", "---\n", "#", "\n", "x\n=", " "]
)
def test_a_hostile_file_is_not_slow(piece: str) -> None:
    start = time.process_time()

    describe(piece * (256 * 1024 // len(piece)) + "x")
    assert time.process_time() - start < 2
