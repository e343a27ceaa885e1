"""`hardwon recall` of lessons in Chinese and Japanese, as they are typed; and after an upgrade."""

import contextlib

import pytest

from hardwon.adapters.sqlite.opening import open_store
from hardwon.entrypoints.bootstrap_capture import INDEX_UPDATED_LATER
from tests.contracts.worlds import world_of
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.strategies import lesson
from tests.texts import CHINESE, JAPANESE

WORDS = [
    *(
        ("限流", "限流规则"),
        ("联合索引", "联合索引"),
        ("怎么恢复快照", "快照恢复"),
        ("kafka", "kafka分区"),
    ),
    *(("排他ロック", "排他ロック"), ("証明書は?", "証明書")),
]


@pytest.mark.parametrize(("question", "held"), WORDS)
def test_a_word_of_a_lesson_finds_it_first(empty_world: World, question: str, held: str) -> None:
    with contextlib.closing(open_store(str(empty_world.store))) as database:
        world_of(database).add(*map(lesson, (*CHINESE, *JAPANESE)))
    done = hardwon(empty_world, "recall", "--json", question)

    assert done.code == 0
    assert held in done.document["items"][0]["text"]


def test_an_index_of_an_earlier_version_answers_and_the_worker_is_started(
    world_by_word: World,
) -> None:
    with contextlib.closing(open_store(str(world_by_word.store))) as database:
        world_of(database).add(lesson("zebra crossing"))
        database.rows("DELETE FROM _metadata WHERE key = 'keyword_index_version'")
    done = hardwon(world_by_word, "recall", "zebra", "--json")

    assert [item["text"] for item in done.document["items"]] == ["zebra crossing"]
    assert INDEX_UPDATED_LATER in done.stderr
