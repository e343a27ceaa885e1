"""`store_memory` keeps a lesson of the session."""

import pytest

from tests.adapters.providers.stub_server import StubProviders
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, Connect, Visit
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import Scene, sent

HAIKU, OLLAMA = "/v1/messages", "/api/chat"


def test_the_first_line_names_the_lesson_and_its_id(world: World, visit: Visit) -> None:
    answer = visit(world).answer("store_memory", **LESSON, references=["feature 7"])

    assert answer == {
        "message": f"Stored: Name the unit (id: {LESSON_ID})",
        "entryId": LESSON_ID,
        "merged": False,
        "observationCount": 1,
        "keywords": [],
        "embedded": False,
        "warnings": [],
    }
    assert next(iter(answer)) == "message"
    assert world.query(
        'SELECT name, description, reasoning, category, "references", source, source_project FROM entries'
    ) == [(*LESSON.values(), '["feature 7"]', "session-capture", "project")]


def test_the_same_lesson_twice_is_one_row_and_the_answer_says_so(
    world: World, visit: Visit
) -> None:
    client = visit(world)
    client.store(references=["feature 1"])
    second = client.store(
        name="Another name", description=LESSON["description"].upper(), references=["feature 2"]
    )

    assert second["message"] == (
        f"Stored: Name the unit (id: {LESSON_ID})\nMerged: the lesson was known, now observed 2 times"
    )
    assert (second["merged"], second["observationCount"]) == (True, 2)
    assert world.query('SELECT name, "references" FROM entries') == [
        ("Name the unit", '["feature 1", "feature 2"]')
    ]


def test_project_and_store_are_those_that_are_named(world: World, connect: Connect) -> None:
    other, store = world.folder / "other", world.folder / "elsewhere"
    other.mkdir()
    client = connect(world, "--project-root", str(other), "--global-store", str(store))
    client.store()
    client.end()
    world.store = store

    assert world.query("SELECT source_project FROM entries") == [("other",)]


def test_secrets_are_taken_out(world: World, visit: Visit) -> None:
    secret = "ghp_" + "a1B2" * 9
    client = visit(world)
    client.store(
        description=f"The token {secret} expires.",
        reasoning=f"It was {secret}.",
        references=[secret],
    )
    refused = client.refusal(
        "store_memory", **{**LESSON, "description": "<private>all of it</private>"}
    )

    assert refused.startswith("description")
    assert secret.encode() not in world.database.read_bytes()
    assert len(world.query("SELECT 1 FROM entries")) == 1


def test_the_vector_is_made_at_once(scene: Scene, visit: Visit) -> None:
    scene.choose("openai", keyword_provider="off")
    stored = visit(scene.world).store()

    assert stored["embedded"]
    assert scene.vectors() == {"openai": 1}


def test_a_lesson_is_stored_while_the_provider_is_down_and_embedded_by_the_next_write(
    scene: Scene, visit: Visit
) -> None:
    scene.choose("openai", keyword_provider="off")
    scene.take_down()
    stored = visit(scene.world).store()

    [warning] = stored["warnings"]
    assert warning.startswith("its vector follows, until then keyword search finds it: ")
    assert stored["message"] == f"Stored: Name the unit (id: {LESSON_ID})\nWarning: {warning}"
    assert not stored["embedded"]
    assert scene.vectors() == {}

    scene.address(scene.stub.url)
    write(scene.world, description="Something else.")
    assert scene.vectors() == {"openai": 2}


def test_labels_are_asked_of_haiku_first(scene: Scene, visit: Visit) -> None:
    scene.configure(embedding_provider="off")
    scene.give_key("anthropic")
    stored = visit(scene.world).store()

    assert stored["keywords"] == ["retry-budget", "sqlite"]
    assert [request.path for request in scene.requests()] == [HAIKU]
    assert scene.world.query("SELECT keywords FROM entries") == [('["retry-budget", "sqlite"]',)]


def test_a_known_lesson_with_labels_is_not_labelled_again(scene: Scene, visit: Visit) -> None:
    scene.configure(embedding_provider="off")
    scene.give_key("anthropic")
    client = visit(scene.world)
    client.store()
    scene.requests()
    second = client.store()

    assert scene.requests() == []
    assert second["keywords"] == ["retry-budget", "sqlite"]


KEYWORDS = ["unit", "feet", "misread-number"]


def test_labels_that_are_given_are_kept_and_no_labeler_is_asked(scene: Scene, visit: Visit) -> None:
    scene.configure(embedding_provider="off")
    scene.give_key("anthropic")
    client = visit(scene.world)
    stored = client.store(keywords=KEYWORDS, references=["feature 7"])

    assert (stored["keywords"], stored["warnings"]) == (KEYWORDS, [])
    assert scene.requests() == []
    assert scene.world.query("SELECT json_extract(keywords, '$[0]') FROM entries") == [("unit",)]
    found = client.answer("memory_search", query="misread number", collection="learnings")
    assert [row["title"] for row in found["results"]] == ["Name the unit"]


@pytest.mark.parametrize(
    ("keywords", "is_incomplete"),
    [
        (KEYWORDS, False),
        (KEYWORDS[:2], True),
        ([*KEYWORDS, *"abcdefg"], False),
        (["helm", "kube", "terraform"], True),
    ],
    ids=["three", "two", "ten", "three of something else"],
)
def test_labels_are_judged_as_the_writer_judges_them(
    world: World, visit: Visit, keywords: list[str], *, is_incomplete: bool
) -> None:
    written = write(world, **LESSON, keywords=keywords, references=["feature 7"])
    world.query("DELETE FROM entry")
    stored = visit(world).store(keywords=keywords, references=["feature 7"])

    assert [f"Warning: {line}" for line in stored["warnings"]] == written.stderr.splitlines()
    assert bool(stored["warnings"]) == is_incomplete
    assert stored["keywords"] == keywords


def test_keywords_past_ten_are_named(world: World, visit: Visit) -> None:
    stored = visit(world).store(
        keywords=[*KEYWORDS, *"abcdefg", "eleventh"], references=["feature 7"]
    )

    assert len(stored["keywords"]) == 10
    assert stored["warnings"][0].endswith("these were left out: eleventh")


@pytest.mark.parametrize(
    ("keywords", "line"),
    [
        ("unit", 'keywords is "unit": '),
        ([1], "keywords[0] is 1: "),
        (["a\0"], "keywords holds a NUL character"),
    ],
)
def test_labels_that_are_none_are_refused_in_one_line(
    world: World, visit: Visit, keywords: object, line: str
) -> None:
    refused = visit(world).refusal("store_memory", **LESSON, keywords=keywords)

    assert refused.startswith(line)
    assert "\n" not in refused
    assert not world.query("SELECT 1 FROM entries")


def test_labels_hold_no_secret(world: World, visit: Visit) -> None:
    secret = "ghp_" + "a1B2" * 9
    visit(world).store(keywords=[secret, "unit"])

    assert secret.encode() not in world.database.read_bytes()


def test_without_a_labeler_the_lesson_is_stored_without_labels(scene: Scene, visit: Visit) -> None:
    scene.configure(embedding_provider="off")
    scene.take_down()
    stored = visit(scene.world).store()

    assert (stored["keywords"], stored["warnings"]) == ([], [])
    assert hardwon(scene.world, "show", LESSON_ID).code == 0


def test_no_secret_reaches_a_provider(scene: Scene, visit: Visit) -> None:
    secret = "ghp_" + "a1B2" * 9
    scene.choose("openai")
    scene.give_key("anthropic")
    visit(scene.world).store(description=f"The token {secret} expires.")
    requests = scene.requests()

    assert len(requests) == 2
    assert secret not in sent(requests)


def test_others_are_answered_while_a_provider_hangs(
    scene: Scene, stub: StubProviders, connect: Connect
) -> None:
    scene.choose("openai", keyword_provider="off")
    stub.hangs_before = True
    client = connect(scene.world)
    storing = client.begin_call("store_memory", **LESSON)

    assert client.ask("ping")["result"] == {}
    assert client.ask("tools/list")["result"]["tools"]
    totals = (client.answer("memory_list", collection="learnings")["total"] for _ in range(100))
    assert 1 in totals  # stored before the provider is asked, which may be after the first list

    stub.released.set()
    assert client.receive()["id"] == storing


def test_where_memory_is_switched_off_nothing_is_stored(world: World, visit: Visit) -> None:
    world.configure(semantic_enabled="false")
    refused = visit(world).refusal("store_memory", **LESSON)

    assert (
        refused
        == "memory_semantic_enabled is not true, so nothing is stored: set it to true to use the memory"
    )
    assert not world.store.exists()


def test_a_stored_lesson_is_injected_at_the_next_session(world: World, visit: Visit) -> None:
    visit(world).store()

    assert "### Name the unit" in world.hook().stdout


def test_a_moved_store_is_reopened_and_nothing_is_written_to_the_old_file(
    world: World, connect: Connect
) -> None:
    client = connect(world)
    client.store()
    world.store.rename(world.store.with_name("moved"))
    client.store(description="Another lesson.")

    assert world.query("SELECT description FROM entries") == [("Another lesson.",)]
    assert client.answer("memory_list", collection="learnings")["total"] == 1


def test_a_provider_that_hangs_delays_an_answer_for_three_seconds_at_most(
    scene: Scene, stub: StubProviders, connect: Connect
) -> None:
    scene.choose("openai", keyword_provider="off")
    stub.hangs_before = True
    stored = connect(scene.world).store()

    assert stored["embedded"] is False
    assert stored["warnings"] == ["its vector follows: the provider has not answered in 3 s"]
    stub.released.set()


def test_a_null_is_an_argument_that_was_left_out(world: World, visit: Visit) -> None:
    assert visit(world).store(references=None)["merged"] is False


def test_a_title_is_no_text(world: World, visit: Visit) -> None:
    line = visit(world).refusal("store_memory", **{**LESSON, "name": "n" * 201})

    assert "name is" in line
    assert "at most 200 characters" in line


def test_a_lesson_that_a_new_one_may_replace_is_proposed(
    empty_world: World, connect: Connect
) -> None:
    client = connect(empty_world, "--no-scan")
    for name, description in (
        ("Decode in steps", "Decode chunks incrementally: a character can straddle two reads"),
        ("Decode chunks in steps", "Decode chunks in steps: a character can straddle two reads"),
    ):
        assert client.store(name=name, description=description)["embedded"]
    client.end()

    assert empty_world.query("SELECT older_seq, newer_seq FROM proposal") == [(1, 2)]
