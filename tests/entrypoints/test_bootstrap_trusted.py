"""A trusted project's own files may choose provider and model, in the versions that are the user's."""

import json

import pytest

from tests.adapters.providers.stub_server import Recorded
from tests.entrypoints.hook_process import Run
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import Scene, diagnostic

MODEL = "text-embedding-3-large"
REFUSED = " | refused: memory_embedding_provider in .tlc.json, memory_embedding_model in .tlc.json (hardwon trust)*"


@pytest.fixture
def scene(scene: Scene) -> Scene:
    """Return a repository of the user's whose file, committed to the default branch, names a provider and a model."""
    scene.give_key("openai")
    scene.world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
    project_names(scene, "openai", MODEL)
    scene.world.commit("README.md")
    scene.world.give_address("x@example.invalid")
    return scene


def project_names(scene: Scene, provider: str, model: str) -> None:
    """Let the project name a provider and a model, and an address, a workspace and a key that are the user's to choose."""
    document = {"memory_embedding_provider": provider, "memory_embedding_model": model}
    of_user = {
        "memory_base_url": "http://127.0.0.1:9",
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "OPENAI_API_KEY": "theirs",
    }
    text = json.dumps({**document, **of_user})
    (scene.world.project / ".tlc.json").write_text(text, encoding="utf-8")


def asked(scene: Scene) -> list[object]:
    """Return the model of each request to the provider since the last call, by the user's own key."""
    requests: list[Recorded] = scene.requests()
    return [request.body["model"] for request in requests]


def start(scene: Scene) -> Run:
    return scene.world.hook()


@pytest.mark.parametrize(
    "way", [["trust"], ["trust", "{folder}", "--below"], ["init", "--agent", "codex", "--yes"]]
)
def test_a_trusted_project_chooses_provider_and_model(scene: Scene, way: list[str]) -> None:
    assert hardwon(scene.world, *(word.format(folder=scene.world.folder) for word in way)).code == 0
    asked(scene)
    done = write(scene.world)
    written = asked(scene)
    block = start(scene)

    assert (done.code, done.stderr, written) == (0, "", [MODEL])
    assert asked(scene) == [MODEL]
    assert diagnostic(block).endswith(f"| model: {MODEL}*")
    assert block.log == ()


def test_a_project_that_is_only_the_users_own_does_not_and_the_block_says_so(scene: Scene) -> None:
    done = write(scene.world)
    block, argument_form = start(scene), scene.world.argument_form()

    assert done.stderr.count("a project that you trust may choose it: hardwon trust") == 2
    assert diagnostic(block).endswith(f"| model: all-MiniLM-L6-v2{REFUSED}")
    assert diagnostic(argument_form).endswith("| model: all-MiniLM-L6-v2*")
    assert asked(scene) == []


def test_a_foreign_project_does_not(scene: Scene) -> None:
    scene.world.give_address("me@example.org")
    write(scene.world, project="")
    hardwon(scene.world, "add", "Read the unit of a number.", "--category", "patterns", "--here")

    assert f"{REFUSED}\n" in start(scene).stdout
    assert asked(scene) == []


def test_trust_that_was_taken_back_counts_no_more(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    hardwon(scene.world, "trust", "--revoke")
    write(scene.world)

    assert asked(scene) == []


def test_a_branch_of_others_chooses_nothing(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    write(scene.world)
    asked(scene)
    scene.world.git("checkout", "--quiet", "-b", "pull-request")
    project_names(scene, "voyage", "voyage-code-3")
    scene.world.commit_all("mallory@example.org")
    scene.give_key("voyage")
    done = write(scene.world, name="Second", description="Another pull request of ours.")

    assert "memory_embedding_provider in .tlc.json is ignored" in done.stderr
    assert asked(scene) == []
    assert "refused: memory_embedding_provider in .tlc.json" in diagnostic(start(scene))
    assert asked(scene) == []


def test_the_users_own_branch_counts_for_hooks_too_once_git_was_asked(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    scene.world.git("checkout", "--quiet", "-b", "topic")
    project_names(scene, "openai", "text-embedding-3-small")
    scene.world.commit_all("x@example.invalid")
    before = diagnostic(start(scene)) if write(scene.world).code == 0 else ""
    asked(scene)
    scene.world.variables["PATH"] = str(scene.world.bin)  # no git
    after = start(scene)

    assert before.endswith("| model: text-embedding-3-small*")
    assert diagnostic(after).endswith("| model: text-embedding-3-small*")
    project_names(scene, "openai", MODEL)
    assert "refused: " in diagnostic(start(scene))


def test_a_change_that_is_not_committed_is_the_users(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    project_names(scene, "openai", "text-embedding-3-small")
    write(scene.world)

    assert asked(scene) == ["text-embedding-3-small"]


def test_environment_and_flags_are_stronger(scene: Scene) -> None:
    hardwon(scene.world, "trust")
    scene.world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    write(scene.world)

    assert asked(scene) == []


def test_hosts_keys_workspace_and_store_stay_the_users(scene: Scene) -> None:
    (scene.world.project / ".tlc.json").write_text(
        json.dumps(
            {
                "memory_workspace": "theirs",
                "memory_global_store": "/elsewhere",
                "memory_keyword_provider": "haiku",
            }
        ),
        encoding="utf-8",
    )
    hardwon(scene.world, "trust")
    errors = hardwon(scene.world, "list").stderr

    assert [
        errors.count(f"memory_{name} in .tlc.json is ignored")
        for name in ("workspace", "global_store")
    ] == [1, 1]
