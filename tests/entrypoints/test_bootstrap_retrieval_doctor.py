"""`hardwon doctor` reports the state of each provider and never its key."""

from typing import Any

import pytest

from tests.adapters.providers.kinds import status
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import KEY, KEY_NAMES, MODELS, Scene
from tests.fakes.doors import Ran


def finding(done: Ran, name: str) -> Any:
    """Return what was found about *name*."""
    [found] = [item for item in done.document["findings"] if item["name"] == name]
    return found


@pytest.mark.parametrize("provider", ["ollama", "openai", "voyage"])
def test_a_provider_that_answers_is_reported_with_its_model_and_width(
    scene: Scene, provider: str
) -> None:
    scene.choose(provider)
    write(scene.world)
    scene.requests()
    done = hardwon(scene.world, "doctor", "--json")
    model, dimensions = MODELS[provider]

    assert (done.code, done.stderr) == (0, "")
    assert finding(done, f"provider {provider}") == {
        "name": f"provider {provider}",
        "ok": True,
        "detail": f"{model} answers, {dimensions} dimensions, 1 vectors",
        "todo": False,
    }
    assert finding(done, "search")["detail"] == f"by meaning with {provider} {model}, and by word"
    assert len(scene.requests()) == 1
    set_keys = [name for name, state in done.document["keys"].items() if state.endswith(" is set")]
    assert set_keys == ([provider] if provider in KEY_NAMES else [])
    assert KEY not in done.stdout


def test_the_text_says_the_same(scene: Scene) -> None:
    scene.choose("voyage")
    write(scene.world)
    done = hardwon(scene.world, "doctor")

    assert (done.code, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "ok provider voyage: voyage-code-3 answers, 1024 dimensions, 1 vectors" in lines
    assert "ok search: by meaning with voyage voyage-code-3, and by word" in lines
    assert "voyage searched voyage-code-3, 1024 dimensions, VOYAGE_API_KEY is set" in lines
    assert "gemini gemini-embedding-001, 768 dimensions, GEMINI_API_KEY is not set" in lines
    assert "ollama nomic-embed-text, 768 dimensions, needs no key" in lines
    assert "labels: ANTHROPIC_API_KEY is not set" in lines
    assert "embedding_provider voyage environment HARDWON_EMBEDDING_PROVIDER" in lines
    assert KEY not in done.stdout


PROBLEMS = {
    "down": (None, "can't be reached"),
    "refuses the key": (401, "refused the key in GEMINI_API_KEY"),
    "in trouble": (500, "is in trouble, try again later (500)"),
    "knows no such model": (404, "check memory_embedding_model"),
}


@pytest.mark.parametrize(("code", "message"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_configured_provider_that_does_not_answer_is_a_problem(
    scene: Scene, code: int | None, message: str
) -> None:
    scene.choose("gemini")
    if code is None:
        scene.take_down()
    else:
        scene.stub.fault = status(code, {"error": {"message": f"about {KEY}"}})
    done = hardwon(scene.world, "doctor", "--json")

    assert done.code == 2
    found = finding(done, "provider gemini")
    assert not found["ok"]
    assert message in found["detail"]
    assert finding(done, "search")["detail"] == "by word only"
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("checks failed\n")
    assert KEY[:8] not in done.stdout + done.stderr


def test_a_key_that_is_not_set_is_named(scene: Scene) -> None:
    scene.configure(embedding_provider="gemini")
    done = hardwon(scene.world, "doctor", "--json")

    assert done.code == 2
    assert (
        finding(done, "provider gemini")["detail"]
        == "Gemini needs a key: set GEMINI_API_KEY in the environment"
    )
    assert done.document["keys"]["gemini"] == "GEMINI_API_KEY is not set"
    assert scene.requests() == []


def test_the_model_that_ollama_lacks_is_named_with_its_download(scene: Scene) -> None:
    scene.choose("ollama")
    scene.stub.fault = status(404, {"error": 'model "nomic-embed-text" not found'})
    done = hardwon(scene.world, "doctor", "--json")

    assert done.code == 2
    assert "run `ollama pull nomic-embed-text`" in finding(done, "provider ollama")["detail"]


def test_auto_reports_that_search_goes_on_in_the_embedded_space(scene: Scene) -> None:
    scene.give_key("gemini")
    write(scene.world)
    done = hardwon(scene.world, "doctor", "--json")
    assert (
        finding(done, "provider gemini")["detail"]
        == "gemini-embedding-001 answers, 768 dimensions, 1 vectors"
    )
    assert (
        finding(done, "search")["detail"]
        == "by meaning with gemini gemini-embedding-001, and by word"
    )

    scene.take_key("gemini")
    done = hardwon(scene.world, "doctor", "--json")

    assert not finding(done, "provider gemini")["ok"]
    assert (
        finding(done, "provider local")["detail"]
        == "all-MiniLM-L6-v2 answers, 384 dimensions, 1 vectors"
    )
    assert (
        finding(done, "search")["detail"] == "by meaning with local all-MiniLM-L6-v2, and by word"
    )
    assert done.code == 2


def test_off_has_no_provider_to_check(scene: Scene) -> None:
    scene.choose("off")
    write(scene.world)
    done = hardwon(scene.world, "doctor", "--json")

    assert done.code == 0
    assert not [item for item in done.document["findings"] if item["name"].startswith("provider ")]
    assert finding(done, "search")["detail"] == "by word only"
    assert scene.requests() == []
