"""Lessons for a knowledge bank, and files to write them into."""

import attrs
from hypothesis import strategies as st

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.retro.bank_edit import BankLesson
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES

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
