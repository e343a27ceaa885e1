"""A trusted project's own files choose provider and model where the store is on a server, too."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.postgres.test_on_a_server import on_server
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene, diagnostic
from tests.entrypoints.test_bootstrap_trusted import (
    MODEL,
    asked,
    project_names,
)
from tests.postgres_server import member, url_of

pytestmark = pytest.mark.postgres

SMALL = "text-embedding-3-small"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Yield a repository of the user's whose file, committed to the default branch, names a provider and a model."""
    with contextlib.ExitStack() as cleanup:
        stub, url = cleanup.enter_context(running_stub()), url_of(cleanup.enter_context(member()))
        scene = Scene(on_server(tmp_path / "ann", url, cleanup), stub)
        scene.begin_feature()
        scene.give_key("openai")
        scene.world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
        project_names(scene, "openai", MODEL)
        scene.world.commit("README.md")
        scene.world.give_address("x@example.invalid")
        yield scene


def add(scene: Scene, text: str) -> str:
    done = hardwon(scene.world, "add", text, "--category", "patterns", "--name", text)
    assert done.code == 0
    return done.stderr


def test_a_trusted_project_chooses_and_another_one_does_not(scene: Scene) -> None:
    refused = add(scene, "Name the unit")
    block = scene.world.launch().run
    assert "a project that you trust may choose it: hardwon trust" in refused
    assert "refused: memory_embedding_provider in .tlc.json" in diagnostic(block)
    assert asked(scene) == []

    assert hardwon(scene.world, "trust").code == 0
    asked(scene)
    add(scene, "Name the zone")
    assert {*asked(scene)} == {MODEL}
    assert diagnostic(scene.world.launch().run).endswith(f"| model: {MODEL}*")
    assert asked(scene) == [MODEL]


def test_a_branch_counts_for_hooks_once_git_was_asked_and_one_of_others_never(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    add(scene, "Name the unit")
    scene.world.git("checkout", "--quiet", "-b", "topic")
    project_names(scene, "openai", SMALL)
    scene.world.commit_all("x@example.invalid")
    asked(scene)
    assert "refused: " in diagnostic(scene.world.launch().run)
    assert asked(scene) == []

    add(scene, "Name the zone")
    assert {*asked(scene)} == {SMALL}
    scene.world.variables["PATH"], path = (
        str(scene.world.bin),
        scene.world.variables["PATH"],
    )  # no git
    assert diagnostic(scene.world.launch().run).endswith(f"| model: {SMALL}*")
    assert asked(scene) == [SMALL]

    scene.world.variables["PATH"] = path
    project_names(scene, "openai", "text-embedding-ada-002")
    scene.world.commit_all("mallory@example.org")
    assert "memory_embedding_provider in .tlc.json is ignored" in add(scene, "Name the year")
    assert "refused: " in diagnostic(scene.world.launch().run)
    assert asked(scene) == []
