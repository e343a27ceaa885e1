import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.entry_text import ConstitutionalText, within_budget
from hardwon.domain.model.text import tokens
from tests.strategies import DAY, NOW, timestamps


def rule(name: str, size: int, weight: float = 0.5, age: int = 0) -> ConstitutionalText:
    """Return a rule of *size* tokens, at least those of its heading."""
    heading = len(f"### {name}\n\n\n")
    return ConstitutionalText(
        1, name, "document", name, "x" * (4 * size - heading), "", weight, NOW - age * DAY
    )


def surfaced(*rules: ConstitutionalText) -> list[str]:
    return [rule.entry_id for rule in within_budget(rules)]


rules = st.lists(
    st.builds(
        ConstitutionalText,
        number=st.integers(1, 99),
        entry_id=st.text("abcdef", min_size=1, max_size=3),
        kind=st.sampled_from(["learning", "document"]),
        name=st.text(max_size=9),
        description=st.text(max_size=40),
        notes=st.text(max_size=4),
        importance_weight=st.sampled_from([0.0, 0.5, 1.0]),
        created_at=timestamps,
    ),
    max_size=8,
    unique_by=lambda rule: rule.entry_id,
)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("é" * 8, 2)]
)
def test_a_token_is_four_characters(text: str, count: int) -> None:
    assert tokens(text) == count


def test_all_that_is_printed_counts_and_nothing_of_it_reads_as_a_heading_of_ours() -> None:
    text = ConstitutionalText(
        1, "a", "document", "Name", "## Not\nours", "- Note: this", 0.5, NOW
    ).text

    assert text == "### Name\n\\## Not\nours\n- Note: this\n\n"


def test_of_five_rules_of_two_hundred_tokens_two_are_surfaced() -> None:
    assert surfaced(*(rule(name, 200) for name in "abcde")) == ["a", "b"]


def test_the_weightiest_goes_first_then_the_newest_then_the_smallest_id() -> None:
    assert surfaced(
        rule("light", 9, weight=0.4),
        rule("b", 9, age=1),
        rule("a", 9, age=1),
        rule("new", 9),
        rule("heavy", 9, 0.9, 9),
    ) == ["heavy", "new", "a", "b", "light"]


def test_rules_that_do_not_fit_are_passed_over_for_those_that_do() -> None:
    assert surfaced(
        rule("first", 300, 0.9), rule("too long", 201, 0.8), rule("fits", 200, 0.7)
    ) == ["first", "fits"]
    assert surfaced(rule("alone too long", 501)) == []


@given(given_rules=rules, budget=st.integers(-1, 40), data=st.data())
def test_whole_rules_within_the_budget_whatever_order_they_come_in(
    given_rules: list[ConstitutionalText], budget: int, data: st.DataObject
) -> None:
    chosen = within_budget(given_rules, budget)

    assert sum(tokens(rule.text) for rule in chosen) <= max(budget, 0)
    assert within_budget(data.draw(st.permutations(given_rules)), budget) == chosen
    assert set(chosen) <= set(given_rules)


@given(given_rules=rules, budget=st.integers(0, 40))
def test_skipped_rules_did_not_fit_beside_those_before_them(
    given_rules: list[ConstitutionalText], budget: int
) -> None:
    chosen = within_budget(given_rules, budget)

    for rule in set(given_rules) - set(chosen):
        before = [other for other in chosen if within_budget([rule, other], 1000)[0] == other]
        assert sum(tokens(other.text) for other in before) + tokens(rule.text) > budget
