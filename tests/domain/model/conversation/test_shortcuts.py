"""Shortcuts of the readers of utterances give what reading everything would."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model import topic_words
from hardwon.domain.model.conversation import mentions, statements, title
from hardwon.domain.model.conversation.title import NO_TOPIC, headline, titled
from hardwon.domain.model.topic_words import is_informative
from tests.domain.model.conversation.test_mentions import PATHS, PROJECTS
from tests.domain.model.conversation.test_statements import DECISIONS, UNDECIDED

SENTENCES = [
    *DECISIONS,
    *UNDECIDED,
    "No, wait, that's wrong.",
    "Correction: I meant the other.",
    "Don't use it, use the second.",
    "Careful: it only works when it is off.",
    "Please note that it silently fails.",
    "I'd rather prefer tabs.",
    "please keep it, stop guessing",
    "in the future, always answer briefly",
]
FRAGMENTS = [
    *SENTENCES,
    *(word for sentence in SENTENCES for word in sentence.lower().split()),
    *" .,:;!?-'\u2019_\u00e91\n",
]
utterances = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=8).flatmap(
    lambda parts: st.sampled_from(("", " ")).map(lambda joint: joint.join(parts))
)
GUARD = statements._beginning_with_words("").pattern.removesuffix("(?:)")


@pytest.mark.parametrize("name", ["_DECISION", "_CORRECTION", "_GOTCHA", "_PREFERENCE"])
@given(text=utterances)
def test_a_statement_is_found_where_it_is_found_at_any_character(name: str, text: str) -> None:
    guarded: re.Pattern[str] = getattr(statements, name)
    everywhere = re.compile(guarded.pattern.removeprefix(GUARD))
    lines = [line.lower().replace("\u2019", "'") for line in (text, *SENTENCES)]

    assert guarded.pattern.startswith(GUARD)
    assert list(map(_span, map(guarded.search, lines))) == list(
        map(_span, map(everywhere.search, lines))
    )


def _span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return found.span() if found else None


@example(text="\n".join([*PATHS, *PROJECTS]))
@given(
    text=st.lists(
        st.sampled_from(
            [*PATHS, *PROJECTS, *" \n\u2003/.,()[]`", "x.y", "file", "The_", "repository called a1"]
        )
    ).map("".join)
)
def test_all_paths_and_projects_are_found(text: str) -> None:
    paths = [
        path
        for token in mentions._TOKEN.finditer(text)
        if len(token[0]) <= mentions._LONGEST and "://" not in token[0]
        for path in mentions._path(token[0].replace("\\", "/"))
    ]
    projects = sorted(
        (found.start("name"), found["name"].rstrip("-."))
        for kind in mentions._KINDS_OF_PROJECT
        for found in kind.finditer(text)
    )

    assert list(mentions.paths_in(text)) == paths
    assert list(mentions.projects_in(text)) == [
        name for _, name in projects if name.lower() not in mentions._NO_NAMES
    ]


@given(text=st.lists(st.sampled_from([*". \n1_", "Next", "node", ".JS", ".io", "x"])).map("".join))
def test_a_name_with_an_ending_is_one_word(text: str) -> None:
    joined = topic_words._NAMED_AFTER_JS.sub(r"\1\2", text)

    assert topic_words.salient_words(text) == topic_words.salient_words(joined.replace(".", " "))


spoken_texts = st.lists(
    st.sampled_from(["", "it", "do it", "...", "\u5b57", *SENTENCES[:6]]), max_size=4
)


@given(
    decisions=spoken_texts, spoken=spoken_texts, topic=st.sampled_from(["", "it", "csv importer"])
)
def test_the_title_is_the_first_headline_that_names_something(
    decisions: list[str], spoken: list[str], topic: str
) -> None:
    informative = filter(is_informative, spoken)
    headlines = [
        headline(text)
        for text in (*decisions, *informative, *spoken, topic, NO_TOPIC)
        if headline(text)
    ]

    expected = next(filter(title._names_something, headlines), headlines[0])

    assert titled(decisions, spoken, topic) == expected
