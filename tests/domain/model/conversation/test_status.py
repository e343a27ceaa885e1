"""A report of status is not knowledge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.status import RULES, reports_deed, reports_status
from tests.conversations import dialogue

SAMPLES = [(rule.name, sample) for rule in RULES for sample in rule.samples]

KNOWLEDGE = [
    "The root cause was that the cache key lacks the locale.",
    "The fix is to convert the index to the type of the column before the assignment.",
    "The fix is simple: sort the rows before they are grouped.",
    "The problem is that list.append returns None.",
    "It only works if the socket is opened before the fork.",
    "It turned out that the runner has two cores and starts eight workers.",
    "psql silently ignores options that come after the name of the database.",
    "Note that the index is rebuilt at each start.",
    "Two of the tests failed because the fixture shares a folder.",
    "Die Ursache war die Locale: der Runner hat LANG=C.",
    "Das funktioniert nur mit einer eigenen Tabelle, weil der Treiber sie sperrt.",
]


@pytest.mark.parametrize(("rule", "sample"), SAMPLES)
def test_every_form_of_status_is_found_in_its_samples(rule: str, sample: str) -> None:
    assert reports_status(sample) or reports_deed(sample), rule


@pytest.mark.parametrize("sentence", KNOWLEDGE)
def test_knowledge_is_no_status(sentence: str) -> None:
    assert not reports_status(sentence)
    assert not reports_deed(sentence)


@pytest.mark.parametrize("sentence", KNOWLEDGE)
@pytest.mark.parametrize("begin", ["Let me see whether ", "Now let me check that ", "✓ "])
def test_a_beginning_like_status_is_status_whatever_follows(sentence: str, begin: str) -> None:
    assert reports_status(begin + sentence)


@given(st.text(max_size=80))
def test_an_end_in_a_colon_is_status(text: str) -> None:
    assert reports_status(f"{text} cause:")


@given(st.text(max_size=700))
def test_any_text_is_read(text: str) -> None:
    assert reports_status(text) in {True, False}
    assert reports_deed(text) in {True, False}


def gotchas(user: str, assistant: str) -> tuple[str, ...]:
    [draft] = Chunker().chunk(dialogue((user, assistant)))
    return described(draft, "app", None).metadata.gotchas


def test_a_long_report_keeps_its_cause_once_with_the_fix() -> None:
    reply = """Let me look at the code first. I found the root cause!

The issue is that the cache key lacks the locale, so all languages share one page.

The fix is working. All 49 tests pass.

**Summary**

- Root cause: the cache key lacks the locale, so languages share one page.
- Fix: Added the locale to the key in cache.py.
- The fix is minimal, focused, and keeps compatibility."""

    assert gotchas("the pages are in the wrong language", reply) == (
        "The issue is that the cache key lacks the locale, so all languages share one page.",
    )


def test_a_change_follows_its_cause_and_says_nothing_alone() -> None:
    cause, fix = (
        "Root cause: the key lacks the locale.",
        "Fix: Added the locale to the key in cache.py.",
    )

    assert gotchas("show the change", f"{cause} {fix}") == (f"{cause} {fix}",)
    assert gotchas("show the change", fix) == ()


def test_a_pasted_report_states_nothing_of_the_users_own() -> None:
    report = "\n".join(
        [
            "Fix this:",
            *(f"line {place} of a trace" for place in range(40)),
            "",
            "The issue is that a tensor is lost.",
            *("x = 1" for _ in range(40)),
        ]
    )

    assert gotchas(report, "Done.") == ()
    assert gotchas(f"{report}\n\nRemember that the GPU is shared with Lena.", "Done.") == (
        "Remember that the GPU is shared with Lena.",
    )
