"""Lessons written into a knowledge-bank file are read back unchanged; the rest stays."""

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.bank_edit import (
    BankView,
    with_count,
    with_lesson,
    with_wording,
)
from hardwon.adapters.markdown.knowledge_bank import parse_bank
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.excerpt import Span
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import BankEntry
from hardwon.domain.model.redaction import redact, stored_form
from hardwon.domain.model.retro.bank_edit import BankLesson
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES
from tests.strategies import few_examples

DAY = "2026-06-02"


awkward = st.sampled_from(
    [
        "### Pattern: taken", "- one", "- Observation count: 9", "- confidence: low", "## Title", "# Title", "---",
        "plain words", "", "  - indented", "-", "###", "\r\n### x", "a\rb", "- last observed:", "\u0130 \u017f \u212a", "\x85- x", "\u2028### y", "\u2026", "\u2026 so",
    ]
)  # fmt: skip


texts = st.lists(
    awkward
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0<>"), max_size=20)
)


descriptions = (
    texts.map("\n".join)
    .filter(lambda text: text.strip() and stored_form(text) == text)
    .map(str.strip)
)


one_lines = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ,;-]{0,30}[a-z]", fullmatch=True).map(
    lambda text: " ".join(text.split())
)


other_lessons = st.builds(
    BankLesson,
    category=st.sampled_from(CATEGORIES),
    name=one_lines,
    description=descriptions,
    observed_in=st.just("") | one_lines,
    observation_count=st.integers(1, 99),
    confidence=st.sampled_from(CONFIDENCES),
    day=st.just(DAY),
)


def _beginning_with_its_name(lesson: BankLesson) -> BankLesson:
    return attrs.evolve(lesson, description=f"{lesson.name}{lesson.description}".strip())


lessons = other_lessons | other_lessons.map(_beginning_with_its_name)


pieces = st.sampled_from(
    [
        "# Patterns", "### Pattern: one", "### ", "A lesson.", "Another lesson.", "- Observation count: 3",
        "- Observation count: many", "- Observation count: <!-- x -->4", "- Confidence: high", "- Last observed: 2024-01-01",
        "- Last observed:", "<!-- ### not one -->", "<!-- a", "b -->", "", "- Observed in: there", "- observation COUNT:  +7  ",
    ]
)  # fmt: skip


files = st.lists(pieces, max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)


def identity(text: str) -> str:
    """Return the id of a lesson of that text."""
    return content_hash(text)


LESSON = BankLesson(
    category="patterns",
    name="Keep raw lines",
    description="A lesson.",
    observed_in="Feature 007",
    observation_count=1,
    confidence="high",
    day="2026-05-01",
)


def read(text: str) -> list[BankEntry]:
    """Read a file as the knowledge bank does."""
    return parse_bank(text.replace("\r\n", "\n").replace("\r", "\n"), "patterns")


def facts(entries: list[BankEntry]) -> list[tuple[object, ...]]:
    return [
        (entry.heading, entry.description, entry.observation_count, entry.confidence, entry.notes)
        for entry in entries
    ]


def test_a_lesson_is_written_in_the_banks_format() -> None:
    assert with_lesson("", LESSON) == (
        "# Patterns\n"
        "\n"
        "### Pattern: Keep raw lines\n"
        "A lesson.\n"
        "- Observed in: Feature 007\n"
        "- Observation count: 1\n"
        "- Confidence: high\n"
        "- Last observed: 2026-05-01\n"
    )


CLAUSE = "Decode chunks incrementally"


@pytest.mark.parametrize(
    "text",
    [
        f"{CLAUSE}, as a character can straddle reads.",
        f"{CLAUSE} or not.\nSecond line.",
        CLAUSE,
        f"{CLAUSE}.",
        "Decode `chunks` *incrementally*: yes.",
        f"{CLAUSE}\u2026 so it goes on.",
        "\u2026 so it goes on.",
        "\u2026\u2026 so it goes on.",
        "One.\n\u2026 and two.",
    ],
)
def test_a_description_is_whole_below_its_heading(text: str) -> None:
    lesson = attrs.evolve(LESSON, name=CLAUSE, description=text)
    after = with_lesson("", lesson)
    [entry] = read(after)

    lines = after.removeprefix(f"# Patterns\n\n### Pattern: {CLAUSE}\n").partition(
        "\n- Observed in: "
    )[0]
    assert [line.lstrip() for line in lines.split("\n")] == text.split("\n")
    assert content_hash(entry.text) == content_hash(entry.description) == lesson.identity
    assert with_count(after, "patterns", lesson.identity, DAY) == after.replace(
        "count: 1", "count: 2"
    ).replace(LESSON.day, DAY)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            f"{CLAUSE}\n\u2026, as a character can straddle reads.",
            f"{CLAUSE}, as a character can straddle reads.",
        ),
        (f"{CLAUSE}\n\n\u2026 or not.\nSecond line.", f"{CLAUSE} or not.\nSecond line."),
        (f"{CLAUSE}\n\u2026", CLAUSE),
        ("Decode `chunks` *incrementally*\n\u2026: yes.", "Decode `chunks` *incrementally*: yes."),
        (f"{CLAUSE}\n\u2026\u2026 so it goes on.", "\u2026 so it goes on."),
        (f"{CLAUSE}\n \u2026 so it goes on.", "\u2026 so it goes on."),
    ],
)
def test_an_ellipsis_that_earlier_versions_wrote_stands_for_the_name(
    written: str, text: str
) -> None:
    before = f"# Patterns\n\n### Pattern: {written}\n- Observation count: 1\n"
    [entry] = read(before)

    assert content_hash(entry.text) == content_hash(text)
    counted = before.replace("count: 1", "count: 2") + f"- Last observed: {DAY}\n"
    assert with_count(before, "patterns", content_hash(text), DAY) == counted
    assert [
        known.text
        for known in read(with_wording(before, "patterns", content_hash(text), "", CLAUSE))
    ] == [CLAUSE]


@pytest.mark.parametrize("text", ["\u2026", "\u2026 so", "\u2026\u2026"])
def test_without_a_name_an_ellipsis_is_text(text: str) -> None:
    assert [entry.text for entry in read(f"### \n{text}\n")] == [text]


def test_a_name_that_another_lesson_has_is_numbered_and_its_text_stays_whole() -> None:
    lesson = attrs.evolve(LESSON, name=CLAUSE, description=f"{CLAUSE}, as I said.")
    after = with_lesson(with_lesson("", attrs.evolve(lesson, description="Other.")), lesson)

    assert [(entry.name, entry.text) for entry in read(after)] == [
        (CLAUSE, "Other."),
        (f"{CLAUSE} (2)", f"{CLAUSE}, as I said."),
    ]


@given(lesson=lessons)
@example(lesson=attrs.evolve(LESSON, description="### a\n- b\r- c\n- Observation count: 9"))
def test_a_written_lesson_is_read_back(lesson: BankLesson) -> None:
    [entry] = parse_bank(with_lesson("", lesson).replace("\r\n", "\n"), lesson.category)

    assert (
        content_hash(redact(entry.text))
        == content_hash(redact(entry.description))
        == lesson.identity
    )
    assert entry.category == lesson.category
    assert entry.name == lesson.name
    assert (entry.observation_count, entry.confidence, entry.last_observed) == (
        lesson.observation_count,
        lesson.confidence,
        lesson.day,
    )
    assert entry.notes == ((f"- Observed in: {lesson.observed_in}",) if lesson.observed_in else ())


@given(lesson=lessons, text=files)
def test_a_file_keeps_what_it_has_or_refuses(lesson: BankLesson, text: str) -> None:
    lesson = attrs.evolve(lesson, category="patterns")
    try:
        after = with_lesson(text, lesson)
    except InvalidEntryError:
        assert "<!--" in text
        return

    assert after.startswith(text)
    assert facts(read(after)[:-1]) == facts(read(text))
    assert content_hash(redact(read(after)[-1].text)) == content_hash(lesson.description)


COMMENT = "An <!-- comment --> here"


@pytest.mark.parametrize(
    "lesson",
    [
        attrs.evolve(LESSON, name=COMMENT),
        attrs.evolve(LESSON, description=COMMENT),
        attrs.evolve(LESSON, observed_in=COMMENT),
    ],
)
def test_a_comment_in_a_lesson_is_refused(lesson: BankLesson) -> None:
    with pytest.raises(InvalidEntryError, match="would not be read back"):
        with_lesson("", lesson)


def test_a_file_whose_comment_is_open_is_not_made_to_swallow_a_lesson() -> None:
    with pytest.raises(InvalidEntryError, match="HTML comments"):
        with_lesson("# Patterns\n<!-- open\n", attrs.evolve(LESSON, description="It ends --> here"))


def test_two_lessons_of_one_name_are_distinct() -> None:
    twice = with_lesson(with_lesson("", LESSON), attrs.evolve(LESSON, description="Another."))

    assert [entry.name for entry in read(twice)] == ["Keep raw lines", "Keep raw lines (2)"]


def test_line_ends_are_those_of_the_file() -> None:
    after = with_lesson("# Patterns\r\n", LESSON)

    assert after.count("\n") == after.count("\r\n") == 8


def test_a_count_rises_and_nothing_else_changes() -> None:
    before = (
        "# Patterns \r\n\r\n<!-- ### Pattern: no -->\r\n### Pattern: One\r\nA  LESSON.\r\n"
        "- Observation count: 2\r\n- observation COUNT:  3  <!-- twice -->\r\n- Confidence: odd\r\n- Last observed: 2020\r\n### x"
    )

    assert with_count(before, "patterns", LESSON.identity, DAY) == before.replace(
        "COUNT:  3 ", "COUNT:  4 "
    ).replace("2020", DAY)


def test_lines_that_are_missing_are_added() -> None:
    before = "### One\nA lesson.\n\n### Two\nAnother.\n- Observation count: 5\n"

    assert with_count(before, "patterns", LESSON.identity, DAY) == (
        f"### One\nA lesson.\n- Observation count: 2\n- Last observed: {DAY}\n\n### Two\nAnother.\n- Observation count: 5\n"
    )


@given(text=files)
@example(text="### \nA lesson.\n- Observation count: <!-- x -->4<!-- y -->0\n- Last observed:")
@example(text="### Pattern: one\nA lesson.\n- Last observed:")
def test_counting_changes_the_count_and_the_day_of_that_lesson_alone(text: str) -> None:
    try:
        after = with_count(text, "patterns", identity("A lesson."), DAY)
    except InvalidEntryError:
        assert "<!--" in text
        return

    before, now = read(text), read(after)
    assert len(before) == len(now)
    for old, new in zip(before, now, strict=True):
        is_it = old.description == "A lesson."
        assert new.observation_count == (
            max(1, old.observation_count) + 1 if is_it else old.observation_count
        )
        assert new.last_observed == (DAY if is_it else old.last_observed)
        assert facts([new._replace(observation_count=old.observation_count)]) == facts([old])
    assert after == text or any(old.description == "A lesson." for old in before)


@few_examples
@given(text=files)
@example(text="a\r<!-- -->\nb\r\r\n")
def test_a_view_shows_what_is_read_and_where_it_stands(text: str) -> None:
    view = BankView(text)

    for index, char in enumerate(view.text):
        start, end = view.raw(Span(index, index + 1))
        assert text[start:end].replace("\r", "\n") == char
    assert facts(parse_bank(view.text, "patterns")) == facts(read(text)) or "<!--" in view.text


def test_a_lesson_is_reworded_and_nothing_else_changes() -> None:
    before = (
        "# Patterns \r\n\r\n<!-- ### Pattern: no -->\r\n### Pattern: One \r\n\r\nA  LESSON.\r\n\r\n"
        "- Observation count: 2\r\n<!-- kept -->- Confidence: odd\r\n### Two\r\nAnother."
    )
    new = "Another text.\n- with a list\n### and a heading"
    after = before.replace("A  LESSON.", "Another text.\r\n - with a list\r\n ### and a heading")

    assert with_wording(before, "patterns", LESSON.identity, "", new) == after
    renamed = with_wording(before, "patterns", LESSON.identity, "Two", new)
    assert renamed == after.replace("Pattern: One ", "Pattern: Two (2) ")
    assert with_wording(before, "patterns", identity("Unknown."), "", new) == before


def test_a_comment_within_a_lesson_is_not_lost() -> None:
    before = "### One\nA <!-- why? -->lesson.\n"

    with pytest.raises(InvalidEntryError, match="'One' would not be read back"):
        with_wording(before, "patterns", LESSON.identity, "", "Another.")


@given(text=files, lesson=lessons, name=st.just("") | one_lines)
def test_rewording_changes_the_name_and_the_text_of_that_lesson_alone(
    text: str, lesson: BankLesson, name: str
) -> None:
    description = lesson.description
    try:
        after = with_wording(text, "patterns", identity("A lesson."), name, description)
    except InvalidEntryError:
        return

    before, now = read(text), read(after)
    assert len(before) == len(now)
    for old, new in zip(before, now, strict=True):
        if identity(old.text) == identity("A lesson."):
            assert identity(new.text) == identity(description)
            assert (
                new._replace(heading=old.heading, name=old.name, description=old.description) == old
            )
        else:
            assert new == old
