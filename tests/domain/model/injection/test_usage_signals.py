"""Usage signals: words of an agent that show whether it used injected entries."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.injection.neutral_text import framed
from hardwon.domain.model.injection.receipt import ShownText
from hardwon.domain.model.injection.usage_signals import RUN, usage_signals

TEXT = (
    "Read partner feeds line by line and report each malformed record with its line number. "
    "Never load a whole feed: some are larger than memory. See `open(path, newline=None, errors=None)` and `read_feed`."
)
ENTRY = ShownText(
    "1",
    "Stream Large Partner Feeds",
    TEXT,
    "Seen again while importing the **Nordic** bank's nightly export.",
)
SENTENCE = "Partner feeds arrive nightly without headers, so count columns before parsing any record at all"
OTHER = ShownText(
    "2",
    "Run the Tests",
    "Before a release all checks have to pass on a clean machine once more.",
    "",
)
texts = st.lists(
    st.sampled_from([f"q{word}x" for word in "abcdefgh"]), min_size=RUN, max_size=30
).map(" ".join)
"""Of words that are in no other text here."""


def sign(text: str, given: str = "", *others: ShownText) -> str:
    return usage_signals([ENTRY, OTHER, *others], text, given).get("1", "")


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("I will stream large partner feeds as we learned.", "Stream Large Partner Feeds"),
        ("As noted: **Stream large\npartner-feeds**!", "Stream Large Partner Feeds"),
        (
            "Our “partner feeds line by line and report” them.",
            "partner feeds line by line and report",
        ),
        (
            "Never load a whole feed; some are LARGER than memory, so",
            "Never load a whole feed: some are larger than memory",
        ),
        (
            "again while importing the _Nordic_ bank\u2019s nightly",
            "again while importing the **Nordic** bank's nightly",
        ),
        (
            "with Open( path, newline = None, errors=None ) as file:",
            "open(path, newline=None, errors=None)",
        ),
    ],
)
def test_a_name_a_quotation_and_a_piece_of_code_are_signs(text: str, phrase: str) -> None:
    assert sign(text) == phrase


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "I fixed the parser.",
        "The large partner feeds stream in at night.",
        "Streams large partner feeds",
        "line by line and report each",
        "I called `read_feed` and open(path).",
        "\0 \ud800 ```",
    ],
)
def test_text_that_is_no_quotation_is_no_usage_signal(text: str) -> None:
    assert sign(text) == ""


@pytest.mark.parametrize(
    ("text", "is_sign"),
    [
        ("I run the tests now.", False),
        ("Following 'Run the Tests' I did.", True),
        ("Following **run the tests**.", True),
        ("# Run the tests", True),
        ("“Run the tests” it says", True),
        ('"' * 20_000 + " run the tests", False),
        ("'I run the tests' he said", False),
    ],
)
def test_a_common_name_counts_only_where_it_is_set_off(text: str, *, is_sign: bool) -> None:
    assert ("2" in usage_signals([ENTRY, OTHER], text, "")) == is_sign


@pytest.mark.parametrize("name", ["Feeds", "Partner Feeds", "The It Is", "1 2 3", "", "***"])
def test_a_name_with_few_words_is_no_usage_signal(name: str) -> None:
    assert usage_signals([ShownText("1", name, "d", "")], f"'{name}' is **{name}** 1 2 3", "") == {}


def test_seven_words_that_say_little_are_no_sign() -> None:
    entry = ShownText(
        "1", "Name", "and so it is what it was to be for 2026 11 22 12 30 15 17 the feed", ""
    )

    assert usage_signals([entry], entry.description, "") == {}


@pytest.mark.parametrize(
    "code",
    [
        "```go\npackage main\nimport fmt\nfunc main called by everybody\n```",
        "https://example.org/one/docs/web/api/window/size",
    ],
)
@pytest.mark.parametrize("after", ["", " And a word."])
def test_blocks_of_code_and_addresses_are_no_sign(code: str, after: str) -> None:
    entry = ShownText("1", "Name", f"Look here: {code}{after}", "")

    assert usage_signals([entry], f"So it stands in {code}", "") == {}
    assert usage_signals([entry._replace(description=code.removesuffix("```"))], code, "") == {}


def test_a_phrase_of_two_entries_is_a_sign_for_neither() -> None:
    twin = ShownText("3", "Stream large partner feeds", f"Also: {TEXT}", "")

    assert usage_signals([ENTRY, twin], f"Stream large partner feeds. {TEXT}", "") == {}
    assert usage_signals([ENTRY, twin._replace(is_counted=True)], TEXT, "") == {}


def test_counted_usage_signals_are_no_longer_searched() -> None:
    assert usage_signals([ENTRY._replace(is_counted=True)], TEXT, "") == {}


def test_words_of_the_user_are_no_usage_signal_and_further_words_are() -> None:
    utterance = "Please read partner feeds line by line and report each malformed record"

    assert sign(utterance, utterance) == ""
    assert sign("I stream large partner feeds", "Why do we stream large partner feeds?") == ""
    assert sign(
        f"{utterance}. Never load a whole feed, some are larger than memory", utterance
    ).startswith("Never load")


def test_printed_memory_is_no_usage_signal() -> None:
    assert sign(framed(TEXT)) == ""
    assert sign(framed(TEXT).removesuffix("</hardwon-memory>\n")) == ""
    assert sign(f"{framed('x')} stream large partner feeds {framed('y')}") == ENTRY.name


@given(text=texts, before=texts, after=texts, start=st.integers(0, 30))
def test_seven_words_of_an_entry_are_found_wherever_they_stand(
    text: str, before: str, after: str, start: int
) -> None:
    words = [f"{word}{place}" for place, word in enumerate(text.split())]
    entry = ShownText("1", "Name", " ".join(words), "")
    start = min(start, len(words) - RUN)
    quoted = " ".join(words[start : start + RUN])

    assert usage_signals([entry], f"{before} z {quoted} z {after}", "") == {"1": quoted}
    assert usage_signals([entry], f"{before} z {quoted} z {after}", quoted) == {}


@given(text=texts)
def test_unrelated_text_is_no_sign(text: str) -> None:
    assert usage_signals([ENTRY, OTHER], text, "") == {}


@given(
    start=st.integers(0, 7),
    spaces=st.lists(st.sampled_from([" ", "\n", "  ", "\t* ", " _"]), min_size=RUN, max_size=RUN),
)
def test_case_white_space_and_marks_make_no_difference(start: int, spaces: list[str]) -> None:
    quoted = SENTENCE.split()[start : start + RUN]
    written = "".join(itertools.chain(*zip(quoted, spaces, strict=True)))

    entry = ShownText("1", "Name", SENTENCE, "")

    assert (
        usage_signals([entry], written, "")
        == usage_signals([entry], written.upper(), "")
        == {"1": " ".join(quoted)}
    )


@given(utterance=st.text(), answer=st.text())
@example(utterance="A0:0:0:A1:0:0:AO", answer="")
def test_text_of_the_user_only_is_no_usage_signal(utterance: str, answer: str) -> None:
    entry = ShownText("1", utterance, utterance, utterance)

    assert usage_signals([entry], utterance, f"{answer} {utterance}") == {}
    assert usage_signals([entry, entry._replace(entry_id="2")], answer, "") == {}


def test_marks_that_split_words_leave_the_phrase_readable() -> None:
    words = [f"x\u0302word{place}" for place in range(RUN)]

    assert usage_signals([ShownText("1", "n", " ".join(words), "")], " ".join(words), "") == {
        "1": " ".join(f"xword{place}" for place in range(RUN))
    }


def test_only_the_beginning_of_a_long_text_is_looked_through() -> None:
    assert sign("x " * 9_000 + TEXT) != ""
    assert sign("x " * 10_000 + TEXT) == ""
