"""`hardwon recall` with the model that comes with the installation: offline, no key, no download."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("meaning") / "world", cleanup)
        # No server may be asked: no process can listen at these addresses.
        world.variables |= {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
        world.remember(
            memory("session", "Pods", "k8s pod restart debugging", None, tags=("k8s",)).entry,
            memory("session", "Bread", "baking sourdough bread at home", None).entry,
            memory(
                "decision", "Login", "Users sign in with one-time codes sent by mail", None
            ).entry,
            memory("gotcha", "Chart", "A helm release keeps values of the old chart", None).entry,
        )
        world.embed()
        yield world


def test_other_words_for_the_same_are_found(world: World) -> None:
    done = hardwon(world, "recall", "--in", "sessions", "kubernetes troubleshooting")

    assert (done.code, done.stderr) == (0, "")
    first, hit, text, tags, last = done.stdout.splitlines()
    assert first == "Searching 2 memories..."
    assert hit.endswith("] project/pods.md")
    assert (text, tags) == ('   "k8s pod restart debugging"', "   Tags: k8s")
    assert last == "Found 1 relevant memories (threshold: 0.5)"


def test_everything_is_asked_by_meaning_and_by_word(world: World) -> None:
    answers = hardwon(world, "recall", "--json", "when did I work on authentication?").items
    assert answers[0]["title"] == "Login"
    assert (
        hardwon(world, "recall", "--json", "--in", "conversations", "helm chart issues").items[0][
            "title"
        ]
        == "Chart"
    )


def test_a_question_about_something_else_finds_no_session(world: World) -> None:
    done = hardwon(world, "recall", "--in", "sessions", "zygote quarterly tax forms")

    assert done == (0, "Searching 2 memories...\nNo relevant memories found for query\n", "")


def test_the_vectors_have_384_dimensions(world: World) -> None:
    embedding = hardwon(world, "stats", "--json", "--in", "sessions").document["embedding"]

    assert (embedding["dimensions"], embedding["embedded"], embedding["pending"]) == (384, 2, 0)
    [decision] = hardwon(world, "list", "--type", "decision", "--json").items
    assert len(hardwon(world, "show", decision["id"], "--json").document["embedding"]) == 384
