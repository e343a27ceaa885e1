import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.settings import COMMAND_PHRASES
from hardwon.domain.model.triggers import Trigger, TriggerMatch, TriggerMatcher

COMMANDS = TriggerMatcher(Trigger(phrase) for phrase in COMMAND_PHRASES)

words = st.sampled_from(
    ["no", "NO", "the", "save", "Context", "x_1", "x", "1", "straße", "STRASSE"]
)
gaps = st.sampled_from([" ", "-", ", ", "\n"])


@st.composite
def sayings(draw: st.DrawFn, most: int = 6) -> str:
    """Return a few words, with anything that is no word between and around them."""
    prompt_words = draw(st.lists(words, max_size=most))
    return draw(gaps) + "".join(word + draw(gaps) for word in prompt_words)


triggers = st.lists(st.builds(Trigger, sayings(3), st.none() | st.integers(1, 4)), max_size=8)


def confidence(phrase: str, prompt: str) -> float | None:
    matches = TriggerMatcher([Trigger(phrase)]).match(prompt, 1)
    return matches[0].confidence if matches else None


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("save context", 1.0),
        ("  Save CONTEXT!\n", 1.0),
        ("please save context now", 0.95),
        ("Autosave? No: save context.", 0.95),
        ("save the context", 0.7),
        ("context to save", 0.7),
        ("save contexts", None),
        ("save", None),
        ("save_context", None),
        ("", None),
    ],
)
def test_confidence_tells_how_a_prompt_says_a_phrase(prompt: str, expected: float | None) -> None:
    assert confidence("save context", prompt) == expected


@pytest.mark.parametrize(
    ("phrase", "prompt", "expected"),
    [
        ("how to", "how to", 1.0),
        ("no no", "no", 0.7),
        ("__init__", "git init", None),
        ("c", "vitamin c", 0.95),
        ("Straße", "in der STRASSE", 0.95),
        ("cafe\u0301", "CAFÉ", 1.0),
        ("i", "İ", None),
        ("保存", "保存", 1.0),
        ("!?", "!?", None),
        ("", "anything", None),
    ],
)
def test_no_word_is_dropped_and_letter_case_does_not_matter(
    phrase: str, prompt: str, expected: float | None
) -> None:
    assert confidence(phrase, prompt) == expected


def test_the_command_phrases_of_the_requirements_are_recognised() -> None:
    assert COMMANDS.match("Please save context", 3) == [TriggerMatch("save context", 0.95, ())]
    assert COMMANDS.match("document this", 3) == [TriggerMatch("document this", 1.0, ())]


def test_the_surest_comes_first_then_the_longer_phrase_then_the_order_of_text() -> None:
    phrases = ["lock retry", "deploy", "parser", "cache", "deploy the parser", "cache deploy"]
    matches = TriggerMatcher(Trigger(phrase) for phrase in phrases).match(
        "retry: deploy the parser cache lock", 9
    )

    assert [(trigger.phrase, trigger.confidence) for trigger in matches] == [
        ("deploy the parser", 0.95),
        ("deploy", 0.95),
        ("parser", 0.95),
        ("cache", 0.95),
        ("cache deploy", 0.7),
        ("lock retry", 0.7),
    ]


def test_a_phrase_of_several_entries_is_one_match_with_all_of_them() -> None:
    shared = [
        Trigger("Save context", 7),
        Trigger("save  context", 3),
        Trigger("save context"),
        Trigger("save", 3),
    ]

    assert TriggerMatcher(shared).match("save context", 9) == [
        TriggerMatch("Save context", 1.0, (3, 7)),
        TriggerMatch("save", 0.95, (3,)),
    ]


def plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def plainly(given_triggers: list[Trigger], prompt: str) -> list[TriggerMatch]:
    """Return all matches as the requirements have them, phrase by phrase."""
    matches = []
    for phrase in {tuple(plain_words(trigger.phrase)) for trigger in given_triggers} - {()}:
        same = [
            trigger for trigger in given_triggers if tuple(plain_words(trigger.phrase)) == phrase
        ]
        owners = tuple(sorted({trigger.owner for trigger in same if trigger.owner is not None}))
        prompt_words, length = plain_words(prompt), len(phrase)
        if tuple(prompt_words) == phrase:
            sure = 1.0
        elif any(
            tuple(prompt_words[at : at + length]) == phrase for at in range(len(prompt_words))
        ):
            sure = 0.95
        elif set(phrase) <= set(prompt_words):
            sure = 0.7
        else:
            continue
        matches.append(TriggerMatch(min(trigger.phrase for trigger in same), sure, owners))
    return sorted(
        matches, key=lambda trigger: (-trigger.confidence, -len(trigger.phrase), trigger.phrase)
    )


@given(given_triggers=triggers, prompt=sayings(), limit=st.integers(-1, 9))
@example(given_triggers=[Trigger("a a"), Trigger("a"), Trigger("a a a")], prompt="b a a", limit=9)
def test_matches_are_those_of_looking_at_every_phrase(
    given_triggers: list[Trigger], prompt: str, limit: int
) -> None:
    assert (
        TriggerMatcher(given_triggers).match(prompt, limit)
        == plainly(given_triggers, prompt)[: max(limit, 0)]
    )


@given(given_triggers=triggers, prompt=sayings(), data=st.data())
def test_the_order_of_triggers_does_not_show(
    given_triggers: list[Trigger], prompt: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(given_triggers))

    assert TriggerMatcher(shuffled).match(prompt, 9) == TriggerMatcher(given_triggers).match(
        prompt, 9
    )


@given(phrase=st.text(), prompt=st.text())
def test_a_prompt_that_is_the_phrase_says_it_and_any_text_can_be_asked(
    phrase: str, prompt: str
) -> None:
    has_word = bool(re.search(r"\w", phrase.casefold()))

    assert confidence(phrase, phrase) == (1.0 if has_word else None)
    assert confidence(phrase, f"{prompt} {phrase} ") in ({1.0, 0.95} if has_word else {None})


@pytest.mark.parametrize(
    ("phrase", "prompt", "expected"),
    [
        ("清空缓存", "请先清空缓存再部署", 0.95),
        ("缓存", "缓存", 1.0),
        ("kpir后", "kpir后面要重启", 0.95),
        ("デプロイ", "デプロイの前に", 0.95),
        ("重启 nginx", "先停 nginx 以后再重启", 0.7),
        ("캐시", "캐시를 비워 주세요", 0.95),
        ("แคช", "ต้องล้างแคชก่อน", 0.95),
        ("缓存", "缓慢保存", None),
        ("第3次", "第3次发布", 0.95),
    ],
)
def test_a_phrase_is_found_within_a_run_without_spaces(
    phrase: str, prompt: str, expected: float | None
) -> None:
    assert confidence(phrase, prompt) == expected
