import pytest

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.consent import diagnosis
from hardwon.domain.model.conversation.describe import described
from tests.conversations import dialogue

CAUSE = "The sum is short because the grouping leaves out rows with an empty key."
FIX = "With dropna=False there is one more group now."


@pytest.mark.parametrize(
    "report",
    ["1.2 million are missing", "why is the sum short", "the totals don't add up", "it's wrong"],
)
def test_the_cause_of_a_reported_fault_and_its_fix_are_one(report: str) -> None:
    assert diagnosis(report, ["I looked at it.", CAUSE, "It has 9 rows.", FIX]) == f"{CAUSE} {FIX}"


@pytest.mark.parametrize(
    ("report", "reply"),
    [
        ("show me the notebook", [CAUSE, FIX]),
        ("the sum is wrong", ["It may be short because the grouping leaves out rows."]),
        ("the sum is wrong", ["Because of rounding."]),
        ("the sum is wrong", ["Corrected, it runs now."]),
        ("the sum is wrong", []),
        ("it fails", ["12:01 ERROR timeout of the importer due to the network"]),
        ("it fails", ["INFO the importer came from the second host of the two"]),
        ("the sum is wrong", ["Hypothetically, it waits, so the totals come late."]),
        ("the sum is wrong", ["Is it because the grouping leaves out some rows?"]),
    ],
)
def test_without_a_fault_or_with_a_guess_there_is_none(report: str, reply: list[str]) -> None:
    assert diagnosis(report, reply) == ""


@pytest.mark.parametrize(
    ("report", "reply", "cause"),
    [
        (
            "the moth falls through the floor",
            ["Found it! \U0001f50d", "The shape is only made in the editor."],
            "The shape is only made in the editor.",
        ),
        (
            "it is downloaded each time, although the cache is mounted",
            ["Then this is it: the flag only keeps results of actions."],
            "Then this is it: the flag only keeps results of actions.",
        ),
        (
            "some jobs run twice",
            ["Both workers have a scheduler, so with two replicas all run twice."],
            "Both workers have a scheduler, so with two replicas all run twice.",
        ),
        (
            "the form hangs",
            ["Root cause", "The library waits for a clock that has been stopped.", "What changed"],
            "The library waits for a clock that has been stopped.",
        ),
    ],
)
def test_a_heading_or_a_consequence_shows_the_cause(
    report: str, reply: list[str], cause: str
) -> None:
    assert diagnosis(report, reply) == cause


def test_a_cause_without_a_fix_stands_by_itself() -> None:
    assert diagnosis("it fails", [CAUSE]) == CAUSE


@pytest.mark.parametrize(
    ("turns", "cause"),
    [
        (
            [
                ("the pods restart every few hours", "I raised the memory limit to 1 GB."),
                ("no, still restarting", "Then it is not the memory. I look at the probe."),
                ("and now?", "The probe took a connection each second, so the pool ran dry."),
            ],
            "The probe took a connection each second, so the pool ran dry.",
        ),
        (
            [
                ("the e2e tests time out", "I doubled the timeout."),
                ("same", "Found it. The runner has two cores and eight workers by default."),
            ],
            "The runner has two cores and eight workers by default.",
        ),
        (
            [
                (
                    "mails arrive twice",
                    "Both workers read the same list of jobs. I gave jobs a key.",
                ),
            ],
            "Both workers read the same list of jobs.",
        ),
        (
            [
                ("der export ist leer", "Ich habe den Cache geleert."),
                ("immer noch", "Der Export läuft vor dem Import, weil beide um 2 Uhr beginnen."),
            ],
            "Der Export läuft vor dem Import, weil beide um 2 Uhr beginnen.",
        ),
        (
            [("login fails on safari", "In the end it was the cookie: it lacks the Secure flag.")],
            "In the end it was the cookie: it lacks the Secure flag.",
        ),
    ],
)
def test_a_cause_found_after_failed_attempts_is_kept(
    turns: list[tuple[str, str]], cause: str
) -> None:
    drafts = Chunker().chunk(dialogue(*turns))
    kept = [text for draft in drafts for text in described(draft, "app", None).metadata.gotchas]

    assert [text.startswith(cause) for text in kept] == [True]


def test_an_explained_fault_explains_nothing_later() -> None:
    turns = [
        ("the sum is wrong", CAUSE),
        ("add a test for it", "It is in test_sum.py because all tests of sums are there."),
    ]
    [draft] = Chunker().chunk(dialogue(*turns))

    assert described(draft, "app", None).metadata.gotchas == (CAUSE,)
