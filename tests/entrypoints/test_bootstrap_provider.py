"""A project's files may not send texts to a provider that its user did not name."""

import json

import pytest

from hardwon.domain.model.settings import NETWORK_EMBEDDERS
from tests.entrypoints.mcp.conftest import Visit
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import Scene, diagnostic
from tests.fakes.doors import Ran

SETTING = "memory_embedding_provider in .tlc.json is ignored: "


def project_names(scene: Scene, provider: str) -> None:
    """Let the project name *provider*, and an address for it in every form it may think of."""
    address = dict.fromkeys(
        ("memory_base_url", "memory_embedding_url", "OPENAI_BASE_URL", "OLLAMA_HOST", "base_url"),
        scene.stub.url,
    )
    document = {"memory_embedding_provider": provider, **address, "OPENAI_API_KEY": "theirs"}
    (scene.world.project / ".tlc.json").write_text(json.dumps(document), encoding="utf-8")


def lines_on_provider(text: str) -> list[str]:
    return [line for line in text.splitlines() if SETTING in line]


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_no_program_asks_a_provider_that_only_the_project_names(
    scene: Scene, visit: Visit, provider: str
) -> None:
    scene.world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
    scene.give_key("openai")
    project_names(scene, provider)
    (scene.world.project / "memory").mkdir()
    (scene.world.project / "memory" / "note.md").write_text(
        "# Note\n\nPartner feeds have units.\n", encoding="utf-8"
    )
    runs: dict[str, Ran] = {
        "write": write(scene.world),
        "add": hardwon(scene.world, "add", "Read the unit of a number.", "--category", "patterns"),
        "index": hardwon(scene.world, "index"),
        "recall": hardwon(scene.world, "recall", "units of partner feeds"),
        "embed": hardwon(scene.world, "embed"),
        "doctor": hardwon(scene.world, "doctor"),
        "context": hardwon(scene.world, "context"),
    }
    start = scene.world.hook()
    prompt = scene.world.hook(
        payload={
            **scene.world.session_start(),
            "hook_event_name": "UserPromptSubmit",
            "prompt": "How do I read the unit of a number?",
        }
    )
    found = visit(scene.world).answer("memory_search", query="unit of a number", collection="all")

    assert {
        name: (run.code, len(lines_on_provider(run.stderr))) for name, run in runs.items()
    } == dict.fromkeys(runs, (0, 1))
    assert [len(lines_on_provider(run.stderr)) for run in (start, prompt)] == [1, 1]
    assert found["count"] + len(found["others"]) > 0
    assert diagnostic(start).endswith(
        "| model: all-MiniLM-L6-v2 | refused: memory_embedding_provider in .tlc.json (hardwon trust)*"
    )
    assert scene.requests() == []
    assert set(scene.vectors()) == {"local"}


def test_the_line_names_the_file_the_setting_and_what_to_do(scene: Scene) -> None:
    project_names(scene, "openai")

    [line] = lines_on_provider(hardwon(scene.world, "list").stderr)
    assert line == (
        "Warning: memory_embedding_provider in .tlc.json is ignored: only --embedding-provider and"
        " HARDWON_EMBEDDING_PROVIDER may name 'openai', or run: hardwon embed --provider openai"
        "; a project that you trust may choose it: hardwon trust"
    )


@pytest.mark.parametrize("provider", sorted(NETWORK_EMBEDDERS))
def test_it_counts_once_embed_named_it_for_the_store(scene: Scene, provider: str) -> None:
    scene.give_key(provider)
    write(scene.world)
    assert hardwon(scene.world, "embed", "--provider", provider).code == 0
    scene.requests()
    project_names(scene, provider)
    done = write(scene.world, name="Second", description="Another lesson of ours.")

    assert (done.code, done.stderr) == (0, "")
    assert len(scene.requests()) == 1
    assert scene.vectors()[provider] == 2


def test_a_key_alone_names_gemini(scene: Scene) -> None:
    scene.give_key("gemini")
    project_names(scene, "gemini")
    assert write(scene.world).stderr == ""
    assert scene.vectors()["gemini"] == 1


def test_a_key_names_nothing_in_a_store_that_was_begun_without_it(scene: Scene) -> None:
    write(scene.world)
    scene.give_key("gemini")
    project_names(scene, "gemini")

    assert (
        len(lines_on_provider(write(scene.world, description="Another lesson of ours.").stderr))
        == 1
    )
    assert scene.requests() == []


def test_the_environment_has_the_last_word_without_a_line(scene: Scene) -> None:
    scene.choose("voyage")
    project_names(scene, "openai")

    assert write(scene.world).stderr == ""
    assert scene.vectors() == {"voyage": 1}


def test_a_store_that_cannot_be_read_names_no_provider(scene: Scene) -> None:
    scene.world.store.mkdir(exist_ok=True)
    (scene.world.store / "memory.db").write_bytes(b"no database" * 100)
    project_names(scene, "openai")

    assert len(lines_on_provider(hardwon(scene.world, "list").stderr)) == 1
