"""The word list finds riddles, and leaves ordinary English alone."""

import pytest

from tools.words import LIST, WordList, rules

WORDS = WordList(rules(LIST.read_text(encoding="utf-8")))


def words_in(content: str, path: str = "domain/model/sample.py") -> list[tuple[int, str]]:
    return [(found.line, found.word) for found in WORDS.search(path, content)]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('"""What nobody sees goes."""\n', {"What nobody sees goes.", "nobody"}),
        ('"""The first line.\n\nWho is late waits."""\n', {"Who is late waits."}),
        ("x = 1  # the reason (requirement A-D3.15, rule U-2)\n", {"A-D3.15", "U-2"}),
        ("def raises_the_dead(): ...\n", {"raises_the_dead"}),
        ("class ToldConversation: ...\n", {"told"}),
        ("MOST_WORDS = 4\n", {"MOST_WORDS"}),
        ("x = [each for each in ()]\n", {"each"}),
        ("def test_what_is_lost_is_found(): ...\n", {"test what"}),
        ("def test_it_is_written_anew(): ...\n", {"anew"}),
        ("# somebody\n# was faster\n", {"somebody"}),
    ],
)
def test_riddles_are_found(content: str, found: set[str]) -> None:
    assert {word for _, word in words_in(content)} == found


@pytest.mark.parametrize(
    "content",
    [
        '"""Return whether what was read is valid. What if it is not?"""\n',
        '"""Encode as UTF-8; hash by SHA-256; a keyword match stands in for a similarity."""\n',
        '"""At the moment each entry is read once again, alone, as the user says, in favour of `anew`."""\n',
        'message = "somebody else made it: What now. A-D3"\n',
        "def test_a_reply_says_again_what_the_user_told(): ...\n",
        "most_recent = upper_bound = PROMINENCE_ALONE = 1\n",
    ],
)
def test_ordinary_english_and_printed_texts_are_left_alone(content: str) -> None:
    assert words_in(content) == []


def test_lines_are_those_of_the_file() -> None:
    assert words_in('"""\n    What comes first.\n\n    Nobody knows.\n"""\n') == [
        (2, "What comes first."),
        (4, "Nobody"),
    ]

    content = (
        '"""Module."""\n\nx = 1\n"""Is x.\n\nWhat is\nmore, nobody knows."""\n# first\n# nobody\n'
    )

    assert words_in(content) == [(6, "What is more, nobody knows."), (7, "nobody"), (9, "nobody")]


def test_documents_are_read_without_what_they_quote_as_code() -> None:
    content = "# Title\n\nIt is `anew`:\n\n```sh\nnobody\n```\n\nSomebody came.\n"

    assert words_in(content, "README.md") == [(9, "Somebody")]


def test_every_rule_has_a_scope_and_a_replacement() -> None:
    assert {rule.scope for rule in WORDS.rules} == {"name", "test", "loop", "prose", "code"}
    assert all(rule.plain.strip() for rule in WORDS.rules)
