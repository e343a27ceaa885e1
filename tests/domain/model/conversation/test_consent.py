import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.consent import agreed_items, echoed, refuses, settles
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import DraftChunk, Exchange
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
        ("Postgres, we have that already and I know how to back it up", True),
        ("no table, more tables is the last thing we need", True),
        ("hm ok, the table", True),
        ("hm, cookies", False),
        ("show me the table", False),
        ("tell me more about cookies", False),
        ("the table first, then we see", False),
        ("Kim is on holiday", False),
        ("the table would grow though, and nobody prunes it", False),
        ("that table would be in every backup", False),
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


@pytest.mark.parametrize("nod", ["good point.", "Hm.", "ok, makes sense!", "stimmt."])
def test_a_nod_before_the_answer_is_no_part_of_it(nod: str) -> None:
    answered = exchange(f"{nod} the table then, we back it up", "Done.")
    draft = DraftChunk(topic="sessions", exchanges=(ASKED, answered))

    assert described(draft, "app", None).metadata.decisions == ("the table then, we back it up",)


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_answer_that_asks_back_settles_nothing(before: str, after: str) -> None:
    assert not settles(f"{before}the table?{after}", ASKED)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (exchange("it is slow in CI", "Is the cache mounted in CI?"), "no, only the cache folder"),
        (exchange("der Dienst ist weg", "Soll ich den Dienst starten?"), "den Dienst, beim Update"),
        (
            exchange("is it gradle or is it me?", "The network was slow."),
            "Ah, the boy is home, that is the network.",
        ),
        (ASKED, "ach, the table was mine"),
    ],
)
def test_a_fact_a_leave_and_a_reaction_settle_nothing(asked: Exchange, answer: str) -> None:
    assert not settles(answer, asked)


def test_a_short_answer_settles_what_a_word_of_its_reason_is_about() -> None:
    asked = exchange("kind: string or enum", "A string is open for kinds that others add.")
    draft = DraftChunk(
        topic="kinds", exchanges=(asked, exchange("string. plugins bring their own kinds", "Ok."))
    )

    assert described(draft, "app", None).metadata.decisions == (
        "string. plugins bring their own kinds",
    )


def test_a_yes_takes_the_one_thing_that_was_asked_for() -> None:
    offered = exchange("ah so we set the cache. which path", "`/cache/repos`, beside the other.")

    assert agreed_items("yes", offered) == ("/cache/repos, beside the other.",)
    assert agreed_items("yes", exchange("start it", "It runs.")) == ()


def test_a_choice_that_stays_as_it_is_has_no_name() -> None:
    assert [*echoed("ah yes, pavel.", exchange("leave it", "Left as it is. It runs."))] == []


def test_an_answer_to_a_question_of_place_or_time_settles_it() -> None:
    asked = exchange("where should the state live?", "The outbox survives a flush, the queue not.")

    assert settles("the outbox then, because of the flush", asked)


@pytest.mark.parametrize(
    "prompt",
    [
        "no. always use uv here",
        "nope",
        "stop, that's prod",
        "Don't run that here",
        "please don\u2019t",
        "undo that",
        "not the whole suite!",
        "nein, nicht so",
    ],
)
def test_a_prompt_that_begins_so_refuses_what_was_done(prompt: str) -> None:
    assert refuses(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["no problem", "no need to hurry", "note that it is late", "now run it", "nothing else"],
)
def test_a_prompt_that_only_begins_alike_refuses_nothing(prompt: str) -> None:
    assert not refuses(prompt)


def test_a_short_choice_gets_the_name_that_the_agent_gives_it() -> None:
    chosen = exchange(
        "the python one then. it can do archives", "WeasyPrint it is. I port the template."
    )

    assert [*echoed("the python one then.", chosen)] == ["the python one then: WeasyPrint"]
    assert [*echoed("two spaces then", exchange("so", "Two spaces it is."))] == ["two spaces then"]
    assert [*echoed("is that the python one?", chosen)] == []
    assert [*echoed("the python one then.", exchange("so", "So it is. Next?"))] == []
