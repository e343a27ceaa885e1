"""Questions in Chinese and Japanese, and of few precise words: over a real index, with a model that knows English alone."""

import time
from collections.abc import Iterator, Mapping

import attrs
import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING, NOWHERE, RELEVANCE_FLOOR, PolicyName
from hardwon.domain.model.ranking.policy import RecallAnswer, RecallQuestion
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.recall import Recall, RecallAnswers
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from tests.contracts.worlds import World, sqlite
from tests.fakes.clock import FixedClock
from tests.fakes.models import PlantedEmbedder
from tests.strategies import QUERY_VECTOR, SPACE, lesson, planted
from tests.texts import CHINESE, JAPANESE

ENGLISH = Space("local", "all-MiniLM-L6-v2", SPACE.dimensions)
LANGUAGES = {"Chinese": CHINESE, "Japanese": JAPANESE}
MISSES = 1


@pytest.fixture
def world() -> Iterator[World]:
    with sqlite() as world:
        yield world


class EveryQueryIsClose(PlantedEmbedder):
    """Gives every query the vector that stored ones are planted around, as a model does that knows none of its words."""

    def _of_hash(self, text: str) -> Vector:
        del text
        return QUERY_VECTOR


def ask(
    world: World, question: str, policy: PolicyName = "adaptive", *, by_meaning: bool = True
) -> RecallAnswers:
    search = SemanticSearch(EveryQueryIsClose(space=ENGLISH), world.vectors, world.index)
    retrieve = Retrieve([search] if by_meaning else [], world.keywords, Threads())
    recall = Recall(world.repository, retrieve, FixedClock(), SignalWeights())
    minimum = RELEVANCE_FLOOR if policy == "adaptive" else None
    return recall.answer(
        RecallQuestion(question, EVERYTHING, policy, 5, minimum, NOWHERE), Deadline(time.monotonic)
    )


def texts(answers: tuple[RecallAnswer, ...]) -> list[str]:
    return [answer.entry.description for answer in answers]


def filled(world: World, *descriptions: str) -> None:
    """Store entries whose vectors say nothing: the first are the closest to any query."""
    for place, text in enumerate(descriptions):
        world.add(entry := lesson(text))
        world.embed(entry, planted(0.9 - place / 100))


@pytest.mark.parametrize("lessons", LANGUAGES.values(), ids=LANGUAGES)
@pytest.mark.parametrize("policy", ["adaptive", "hybrid", "affinity"])
def test_a_word_of_a_lesson_finds_it_first(
    world: World, lessons: Mapping[str, tuple[str, ...]], policy: PolicyName
) -> None:
    filled(world, *lessons)
    asked = [(word, text) for text, words in lessons.items() for word in words]
    missed = [
        (word, text)
        for word, text in asked
        if texts(ask(world, word, policy).answers)[:1] != [text]
    ]

    assert len({text for _, text in missed}) <= MISSES, missed


def test_a_model_that_does_not_know_the_script_lifts_nothing(world: World) -> None:
    filled(world, *CHINESE)
    found = ask(world, "量子纠缠")

    assert found.answers == ()
    assert found.found_by_meaning == 0
    assert "all-MiniLM-L6-v2 does not know the script" in found.degradations[0]


def test_an_english_word_in_a_chinese_lesson_is_not_pushed_down_by_its_vector(world: World) -> None:
    filled(
        world,
        *CHINESE,
        "Rotate the token before its lease ends",
        "nginx 重启以后要检查证书",
        "先停 nginx 再换证书",
    )
    found = ask(world, "nginx")

    assert {*texts(found.answers)[:2]} == {"nginx 重启以后要检查证书", "先停 nginx 再换证书"}
    assert found.found_by_meaning == 1


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("walrus barometer", True),
        ("which barometer for the walrus?", True),
        ("feedWalrus", True),
        ("feed_walrus", True),
        ("E4711x", True),
        ("walrus telescope", False),
        ("feedTelescope", False),
        ("show the error again", False),
    ],
)
def test_an_entry_that_holds_all_of_a_precise_question_is_above_the_threshold(
    world: World, question: str, *, is_shown: bool
) -> None:
    text = "The walrus reads its barometer; feedWalrus ends with E4711x. Show the error again."
    others = [f"Note {number} on gardens, roofs and cheese" for number in range(30)]
    for entry in map(lesson, (text, *others)):
        world.add(entry)
        world.embed(entry, planted(0.1))

    assert (text in texts(ask(world, question).answers)) is is_shown


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("zebra_quux", True),
        ("zebra_quux.py", True),
        ("src/herd/zebra_quux.py", True),
        ("zebra_quux.py:12", True),
        ("why is the tapir slow in zebra_quux.py?", True),
        ("readRows", True),
        ("docs/größe.md", True),
        ("Makefile", True),
        ("zebra_quux.ts", False),
        ("quux.py", False),
        ("why is the tapir slow?", False),
    ],
)
def test_an_entry_that_cites_the_file_of_a_question_is_above_the_threshold(
    world: World, question: str, *, is_shown: bool
) -> None:
    text = "Reads were stale since the header counted twice."
    files = ("src/herd/zebra_quux.py:7", "lib/readRows.ts", "docs/größe.md", "Makefile")
    others = [f"Note {number} on gardens, roofs and cheese" for number in range(30)]
    for entry in (attrs.evolve(lesson(text), references=files), *map(lesson, others)):
        world.add(entry)
        world.embed(entry, planted(0.1))

    assert (text in texts(ask(world, question).answers)) is is_shown


def test_an_identifier_outranks_its_scattered_parts(world: World) -> None:
    scattered = (
        "The account page is slow; get the owner by name or id, then the account again by id"
    )
    filled(world, scattered, "Call getAccountById twice", "Nothing of the sort")

    for question in ("getAccountById", "get_account_by_id"):
        assert (
            texts(ask(world, question, by_meaning=False).answers)[0] == "Call getAccountById twice"
        )
