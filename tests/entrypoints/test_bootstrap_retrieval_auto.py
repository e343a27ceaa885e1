"""The meaning of `auto` is decided once for a store, whatever the environment of the next process."""

import pytest

from hardwon.entrypoints.bootstrap_retrieval import EMBEDDER_NAMES
from tests.adapters.providers.kinds import status
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import Scene, diagnostic

EMBEDDED = "all-MiniLM-L6-v2"


@pytest.fixture
def geminis(scene: Scene) -> Scene:
    """Return a scene whose store was begun with a key of Gemini's in the environment."""
    scene.give_key("gemini")
    assert write(scene.world).stderr == ""
    return scene


def test_without_a_key_auto_is_the_embedded_model_and_stays_it(scene: Scene) -> None:
    write(scene.world)
    assert scene.metadata()["automatic_provider"] == "local"

    scene.give_key("gemini")
    write(scene.world, name="Second", description="Written with a key in the environment.")
    run = scene.world.hook()
    assert diagnostic(run).endswith(f"| model: {EMBEDDED}*")
    assert "vector=2" in diagnostic(run)
    assert scene.vectors() == {"local": 2}
    assert scene.requests() == []


def test_with_a_key_auto_is_gemini_and_the_embedded_space_is_kept_up_to_date(
    geminis: Scene,
) -> None:
    assert geminis.metadata()["automatic_provider"] == "gemini"
    assert geminis.metadata()["embedding_provider"] == "gemini"
    assert geminis.vectors() == {"gemini": 1, "local": 1}
    geminis.requests()

    run = geminis.world.hook()
    assert diagnostic(run).endswith("| model: gemini-embedding-001*")
    assert "vector=1" in diagnostic(run)
    assert len(geminis.requests()) == 1

    geminis.stub.fault = status(500)
    assert diagnostic(geminis.world.hook()).endswith("| model: gemini-embedding-001*")
    assert geminis.requests() == []  # its vector of this query is remembered

    with geminis.world.connect() as connection:
        connection.execute("DELETE FROM query_vector")
    run = geminis.world.hook()
    assert diagnostic(run).endswith(f"| model: {EMBEDDED}*")
    assert "vector=1" in diagnostic(run)


def test_a_later_process_without_the_key_searches_and_fills_the_embedded_space(
    geminis: Scene,
) -> None:
    geminis.take_key("gemini")
    done = write(geminis.world, name="Second", description="Written without a key.")
    geminis.requests()
    run = geminis.world.hook()

    assert done.code == 0
    assert "Gemini needs a key: set GEMINI_API_KEY" in done.stderr
    assert geminis.vectors() == {"gemini": 1, "local": 2}
    assert diagnostic(run).endswith(f"| model: {EMBEDDED}*")
    assert "vector=2" in diagnostic(run)
    assert [line.partition(" ")[2] for line in run.log] == [
        f"searching with {EMBEDDED}: Gemini needs a key: set GEMINI_API_KEY in the environment"
    ]
    assert geminis.metadata()["automatic_provider"] == "gemini"
    assert geminis.requests() == []


def test_embed_changes_what_auto_means_and_back(scene: Scene) -> None:
    write(scene.world)
    scene.give_key("gemini")
    before = scene.world.query("SELECT id, updated_at FROM entries")

    done = hardwon(scene.world, "embed", "--provider", "gemini")
    assert (done.code, done.stdout, done.stderr) == (0, "1 vector made, 0 missing.\n", "")
    assert scene.vectors() == {"gemini": 1, "local": 1}
    assert diagnostic(scene.world.hook()).endswith("| model: gemini-embedding-001*")
    scene.requests()

    done = hardwon(scene.world, "embed", "--provider", "local")
    assert (done.code, done.stdout) == (0, "0 vectors made, 0 missing.\n")
    assert diagnostic(scene.world.hook()).endswith(f"| model: {EMBEDDED}*")
    assert scene.requests() == []
    assert scene.vectors() == {"gemini": 1, "local": 1}
    assert scene.metadata()["embedding_provider"] == "local"
    assert scene.world.query("SELECT id, updated_at FROM entries") == before


@pytest.mark.parametrize("named", ["local", "ollama", "off"])
def test_embed_refuses_a_provider_when_the_settings_name_one(scene: Scene, named: str) -> None:
    scene.remember(1)
    scene.configure(embedding_provider=named)
    before = scene.metadata()
    done = hardwon(scene.world, "embed", "--provider", "openai")

    assert (done.code, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert "memory_embedding_provider" in line
    assert repr(named) in line
    assert (scene.metadata(), scene.requests(), scene.vectors()) == (before, [], {})


def test_embed_refuses_a_provider_that_does_not_exist(scene: Scene) -> None:
    done = hardwon(scene.world, "embed", "--provider", "acme")

    assert (done.code, done.stdout) == (1, "")
    assert f"'acme' is none of {', '.join(EMBEDDER_NAMES)}" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--provider", "ollama"), ("--provider", "ollama", "--all")])
def test_a_provider_that_fails_changes_nothing(scene: Scene, arguments: tuple[str, ...]) -> None:
    write(scene.world)
    before = scene.metadata()
    scene.stub.fault = status(500)
    done = hardwon(scene.world, "embed", *arguments)

    assert (done.code, done.stdout) == (2, "")
    assert "Ollama at 127.0.0.1" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (scene.metadata(), scene.vectors()) == (before, {"local": 1})


def test_re_embedding_all_with_a_provider_that_fails_loses_nothing(scene: Scene) -> None:
    scene.choose("voyage")
    write(scene.world)
    scene.stub.fault = status(401)
    done = hardwon(scene.world, "embed", "--all")

    assert done.code == 2
    assert "refused the key in VOYAGE_API_KEY" in done.stderr
    assert scene.vectors() == {"voyage": 1}


def test_off_asks_no_provider(scene: Scene) -> None:
    scene.choose("off")
    done, run = write(scene.world), scene.world.hook()

    assert (done.code, done.stderr, run.log) == (0, "", ())
    assert "active (vector=0, fts5=1)" in diagnostic(run)
    assert (scene.requests(), scene.vectors()) == ([], {})
