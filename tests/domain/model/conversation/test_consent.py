import pytest

from hardwon.domain.model.conversation.consent import agreed_items, echoed, settles
from hardwon.domain.model.conversation.session import Exchange
from tests.strategies import NOW

STEPS = "I would do it in steps.\n\n1. Read the dump. It is faster.\n2. Map in SQL.\n3. Switch branch by branch."


def exchange(user: str, assistant: str) -> Exchange:
    return Exchange(user, assistant, NOW)


@pytest.mark.parametrize(
    "consent",
    [
        "agreed, do it exactly like that",
        "ok go ahead",
        "sounds good",
        "Yes, do it like that, please.",
        "yes, like that",
        "ok go",
        "ja, genau so",
        "so machen wir das",
        "einverstanden",
    ],
)
def test_consent_to_a_plan_decides_each_of_its_steps(consent: str) -> None:
    steps = ("Read the dump.", "Map in SQL.", "Switch branch by branch.")

    assert agreed_items(consent, exchange("import the customers", STEPS)) == steps


def test_a_limit_of_the_consent_stands_with_each_step() -> None:
    agreed = agreed_items("fine, do it but slowly", exchange("import the customers", STEPS))

    assert agreed[0] == "Read the dump. (but slowly)"


@pytest.mark.parametrize("answer", ["yes please", "ja", "yep, do that"])
def test_a_plain_yes_takes_a_choice_that_was_asked_for_and_no_deed(answer: str) -> None:
    choice = "RQ is dead. Should we switch to Dramatiq?"

    assert agreed_items(answer, exchange("it is slow", choice)) == (
        "Should we switch to Dramatiq?",
    )
    assert agreed_items(answer, exchange("it is slow", "It is in. Shall I push it?")) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "hmm no, too much now",
        "thanks",
        "why the dump?",
        "ok",
        "run the tests first",
        "agreed with Kim to wait until May",
    ],
)
def test_anything_else_decides_none_of_them(answer: str) -> None:
    assert agreed_items(answer, exchange("import the customers", STEPS)) == ()


def test_consent_to_a_report_decides_nothing_and_to_a_recommendation_that() -> None:
    report = exchange("where are we?", "1. The models are done.\n2. The mails are being tested.")
    advice = exchange(
        "postgres or sqlite?", "Both can do it. I would take SQLite, as one process writes."
    )

    assert agreed_items("sounds good", report) == ()
    assert agreed_items("sounds good", advice) == ("I would take SQLite, as one process writes.",)


def test_no_more_than_five_steps_are_decisions() -> None:
    plan = exchange("make a plan", "\n".join(f"{number}. Step {number}." for number in range(1, 9)))

    assert len(agreed_items("agreed", plan)) == 5


ASKED = exchange(
    "where do we keep the sessions?", "We could sign cookies, or keep a table in Postgres."
)


@pytest.mark.parametrize(
    ("answer", "is_choice"),
    [
        ("no redis. a table in postgres", True),
        ("cookies, nothing of it on the server", True),
        ("not sure, cookies maybe", False),
        ("what about the size of cookies?", False),
        ("let me think about the table until next week", False),
        ("trying the table now", False),
        ("Kim is on holiday", False),
        ("cookies " * 40, False),
    ],
)
def test_an_answer_to_a_proposal_settles_it_if_it_names_something_of_it(
    answer: str, *, is_choice: bool
) -> None:
    assert settles(answer, ASKED) is is_choice


def test_an_answer_to_anything_else_settles_nothing() -> None:
    assert not settles(
        "the table is green", exchange("colour it", "The table is done. Shall I push?")
    )
    assert settles(
        "delete the accounts",
        exchange("two years only", "What is better for accounts, delete or overwrite?"),
    )


def test_a_short_choice_gets_the_name_that_the_agent_gives_it() -> None:
    chosen = exchange(
        "the python one then. it can do archives", "WeasyPrint it is. I port the template."
    )

    assert [*echoed("the python one then.", chosen)] == ["the python one then: WeasyPrint"]
    assert [*echoed("two spaces then", exchange("so", "Two spaces it is."))] == ["two spaces then"]
    assert [*echoed("is that the python one?", chosen)] == []
    assert [*echoed("the python one then.", exchange("so", "So it is. Next?"))] == []
