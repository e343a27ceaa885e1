import pytest

from hardwon.domain.model.conversation.statements import (
    asks_for_explanation,
    chooses,
    corrects,
    decides,
    is_important,
    prefers,
    reminds,
    warns,
)

DECISIONS = (
    "Decision: use SQLite.",
    "Final decision (Q3): no ORM",
    "We decided to use Postgres instead of MySQL because of the locks.",
    "I\u2019ve decided against an ORM.",
    "We have finally agreed on tabs.",
    "It was decided last week.",
    "Let's go with the second option.",
    "ok, let's switch to uv",
    "We'll use tokens instead of sessions.",
    "I'll use a heap instead of a list.",
    "We're going with Terraform.",
    "We chose Redis over Memcached.",
    "Please use uv instead of pip.",
    "From now on, tests come first.",
    "The decision is to wait.",
    "I've gone with Postgres.",
    "We went with the second option.",
    "Actually, let's not use Redis, sqlite is fine.",
    "Decided: index plus batching.",
    "Let's use something like Redis.",
    "Let's use the time zone of the user.",
    "From now on we use uv.",
)
UNDECIDED = (
    "Should we use Postgres instead of MySQL?",
    "should we go with Postgres instead of MySQL",
    "Have we decided to wait",
    "We have not decided yet.",
    "Once we decided, it was late.",
    "Tell me if we decided it.",
    "What was the decision?",
    "I'll use grep to look for it.",
    "The parser picks the encoding.",
    "The type was decided by the caller.",
    "Clearly say why we decided it.",
    "Let's switch to something else.",
    "let's use the opportunity to clean up",
    "Let's use the extra time.",
    "I'll go with lunch first, back in 10",
    "Let's pick up where we left.",
    "Let's drop the subject.",
    "from now on always use server components by default",
)
CHOICES = (
    "ok do sops.",
    "yes drop it.",
    "and use a multi stage build",
    "ok use postgres",
    "Yep, go with uv.",
    "yes, do option 2",
    "sure, keep the index",
    "ok then use k8s",
    "i want 24h of overlap, not 1h, mobile clients cache tokens",
    "no wait, actually don't use latin-1 as a fallback, we had merged customers because of that",
    "Actually, let's not use Redis, sqlite is fine.",
    "wait, use the other file",
    "Don't mock it, use a fake.",
)
NO_CHOICES = (
    "yes",
    "ok do it",
    "ok, go for it",
    "ok fix the test",
    "ok do the tests",
    "ok keep going",
    "ok drop me a line",
    "yes take your time",
    "ok use the opportunity to clean up",
    "ok use which one?",
    "use the search tool to find it",
    "please use the search tool to find it",
    "yes, keep it short, I prefer short ones",
    "i want to know why it is not working",
    "No, that's not what I see.",
)
CORRECTIONS = (
    "No, that is wrong: the worktree is stale.",
    "no - it is the other file",
    "Wait, no, use the other one.",
    "Actually, the port is 5433.",
    "That's not right.",
    "This is wrong.",
    "you're wrong about the port",
    "Correction: it is 5433.",
    "I meant the lexer.",
    "That is not what I asked for.",
    "Don't mock it, use a fake.",
    "Stop guessing; run the tests.",
    "i want 24h of overlap, not 1h",
    "no wait, actually don't use latin-1 as a fallback, we had merged customers because of that",
)
NO_CORRECTIONS = (
    "No, thanks.",
    "No problem.",
    "no-op handlers are fine",
    "Notice the gap.",
    "Actually, can you check it?",
    "What is wrong with the parser?",
    "I don't know.",
    "The actual port is 5433.",
)
GOTCHAS = (
    "Watch out: the migration is flaky.",
    "It turned out that the cache was stale.",
    "The root cause is a missing lock.",
    "The problem was that the BOM stayed.",
    "Beware of naive times.",
    "Warning: it deletes the folder.",
    "Gotcha: the path is relative.",
    "The exception is silently dropped.",
    "careful, CREATE INDEX CONCURRENTLY cannot run inside a transaction",
    "Note that Secrets Manager keeps only two versions, so two rotations within 24 hours would break that.",
    "note that the API is case sensitive",
    "Keep in mind that staging has no TLS.",
    "Be aware of the rate limit.",
    "One catch: numpy has no musl wheel.",
    "The catch is that the lock is global.",
    "This only works if the cache is warm.",
    "It won't start unless the port is free.",
    "CONCURRENTLY does not work inside a transaction.",
)
NO_GOTCHAS = (
    "The watch shows the time.",
    "The trapper works.",
    "What is the root cause?",
    "Log a warning.",
    "Silently.",
    "It silently fails.",
    "Note that I also updated the README.",
    "note that down in the runbook",
    "Does it only work if the cache is warm?",
)
PREFERENCES = (
    "I prefer tabs.",
    "I'd rather have short functions.",
    "Always run the tests first.",
    "Never commit to main.",
    "From now on, answer in German.",
    "I like small commits.",
    "Please don't add comments.",
    "Stop apologizing.",
    "In the future, ask first.",
    "from now on always use server components by default",
    "i prefer css fixes over js ones, always.",
    "Always use uv instead of pip.",
)
NO_PREFERENCES = (
    "From now on we use uv.",
    "From now on, tests come first.",
    "Let's go with uv, I prefer it.",
    *(
        "Would you prefer tabs?",
        "The linter prefers tabs.",
        "It always fails.",
        "I like that?",
        "Fix it.",
    ),
)


@pytest.mark.parametrize("sentence", DECISIONS)
def test_a_decision_is_recognised(sentence: str) -> None:
    assert decides(sentence)


@pytest.mark.parametrize("sentence", UNDECIDED)
def test_questions_and_what_is_open_decide_nothing(sentence: str) -> None:
    assert not decides(sentence)


@pytest.mark.parametrize("sentence", CHOICES)
def test_a_user_accepts_or_takes_back_what_they_name(sentence: str) -> None:
    assert chooses(sentence)


@pytest.mark.parametrize("sentence", NO_CHOICES)
def test_a_yes_or_an_order_chooses_nothing(sentence: str) -> None:
    assert not chooses(sentence)


@pytest.mark.parametrize("sentence", [*DECISIONS, *PREFERENCES, *UNDECIDED, *NO_PREFERENCES])
def test_one_sentence_is_a_decision_or_a_preference(sentence: str) -> None:
    assert not (decides(sentence) and prefers(sentence))


@pytest.mark.parametrize(
    "prompt",
    ["i want 24h of overlap, not 1h", "no wait, actually don't use latin-1", "We chose X."],
)
def test_a_choice_the_user_states_stands_by_itself(prompt: str) -> None:
    assert is_important(prompt)


@pytest.mark.parametrize(
    "prompt", ["yes", "ok do it", "ok use postgres", "let's go with that", "I prefer tabs."]
)
def test_a_short_acceptance_does_not(prompt: str) -> None:
    assert not is_important(prompt)


@pytest.mark.parametrize("sentence", CORRECTIONS)
def test_a_correction_is_recognised(sentence: str) -> None:
    assert corrects(sentence)


@pytest.mark.parametrize("sentence", NO_CORRECTIONS)
def test_courtesies_and_questions_correct_nothing(sentence: str) -> None:
    assert not corrects(sentence)


@pytest.mark.parametrize("sentence", GOTCHAS)
def test_a_warning_is_recognised(sentence: str) -> None:
    assert warns(sentence)


@pytest.mark.parametrize("sentence", NO_GOTCHAS)
def test_a_sentence_that_only_sounds_like_a_warning_is_none(sentence: str) -> None:
    assert not warns(sentence)


@pytest.mark.parametrize("sentence", PREFERENCES)
def test_a_preference_is_recognised(sentence: str) -> None:
    assert prefers(sentence)


@pytest.mark.parametrize("sentence", NO_PREFERENCES)
def test_a_rejected_wish_is_no_preference(sentence: str) -> None:
    assert not prefers(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "remember that staging is wiped every Sunday",
        "Please remember: the sandbox takes one card only",
        "two things to remember: the sandbox takes one card only, and deploys need Ines",
        "note to self: the feed is one day behind",
    ],
)
def test_a_reminder_is_recognised(sentence: str) -> None:
    assert reminds(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "do you remember that the feed was late?",
        "I remember that well, it was bad",
        "remember that",
        "remember to push",
    ],
)
def test_a_memory_is_no_reminder(sentence: str) -> None:
    assert not reminds(sentence)


@pytest.mark.parametrize(
    "prompt",
    [
        "what is flask-login?",
        "Explain how a B-tree works",
        "What is the difference between a and b?",
        "what's a semaphore",
    ],
)
def test_a_question_about_general_knowledge_is_recognised(prompt: str) -> None:
    assert asks_for_explanation(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "what is wrong with the importer",
        "why does it fail?",
        "how do we migrate the schema?",
        "",
        "what is the cause?",
        "what's wrong?",
        "what's next?",
        "explain why it fails",
        "what is a good fix?",
    ],
)
def test_a_question_about_the_project_is_none(prompt: str) -> None:
    assert not asks_for_explanation(prompt)


@pytest.mark.parametrize(
    ("sentence", "is_choice"),
    [("yes, cents it is", True), ("leave it as it is", False), ("I know what it is", False)],
)
def test_it_is_ends_a_choice(sentence: str, *, is_choice: bool) -> None:
    assert chooses(sentence) == is_choice


def test_code_that_is_pasted_decides_nothing() -> None:
    assert not is_important("Explain this:\n```\nDecision: we decided to use X\n```")
    assert is_important("Look.\n\n- We decided to use X")
