"""A provider that fails costs the vectors, never the entry, the session or the key."""

import pytest

from tests.adapters.providers.kinds import UNUSABLE, Fault, each, status
from tests.adapters.providers.stub_server import Answer
from tests.entrypoints.hook_process import Run
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import KEY, KEY_NAMES, Scene, diagnostic, sent
from tests.fakes.doors import Ran

FIRST = {
    "name": "First lesson",
    "description": "What the healthy provider embedded.",
    "keywords": ["healthy", "provider", "first"],
    "reasoning": "It was up.",
}
TELLTALE = {
    "error": {
        "message": f"Incorrect API key provided: {KEY}. You can find yours at example.invalid."
    }
}

FAULTS: dict[str, tuple[Fault, str]] = {
    "401 with the key in it": (status(401, TELLTALE), "refused the key in {key_name}"),
    "404": (status(404), "does not know that address or model, check memory_embedding_model"),
    "429": (status(429), "wants fewer requests (429)"),
    "500": (status(500), "is in trouble, try again later (500)"),
    "garbage": (UNUSABLE["garbage"], "is no JSON"),
    "truncated JSON": (UNUSABLE["truncated JSON"], "is no JSON"),
    "wrong dimensions": (UNUSABLE["too narrow"], "a vector of 1535 dimensions, not 1536"),
    "NaN": (UNUSABLE["NaN"], "values that are not finite"),
    "zero vector": (each(lambda row: [0.0] * len(row)), "zero"),
}


def assert_stored_without_a_vector(scene: Scene, done: Ran, message: str) -> None:
    assert done.code == 0
    assert done.stdout.startswith("Stored: Name the unit")
    [warning] = done.stderr.splitlines()
    assert warning.startswith("Warning: ")
    assert message in warning
    assert len(warning) < 500
    assert scene.world.query("SELECT embedding FROM entries WHERE name = 'Name the unit'") == [
        (None,)
    ]


def assert_searched_by_word_only(run: Run, message: str) -> None:
    assert "vector=0, fts5=1" in diagnostic(run)
    assert diagnostic(run).endswith("| model: none*")
    assert "### Name the unit" in run.stdout
    [line] = run.log
    assert message in line
    assert "Traceback" not in run.stderr


def assert_key_is_not_printed(scene: Scene, *outputs: Ran | Run) -> None:
    for output in outputs:
        assert KEY[:8] not in output.stdout + output.stderr
    assert scene.holds(KEY) == []


@pytest.mark.parametrize(("fault", "message"), FAULTS.values(), ids=FAULTS)
def test_an_entry_is_stored_and_found_by_word_whatever_the_provider_answers(
    scene: Scene, fault: Fault, message: str
) -> None:
    message = message.format(key_name="OPENAI_API_KEY")
    scene.choose("openai")
    write(scene.world, **FIRST)
    scene.stub.fault = fault
    done, run = write(scene.world), scene.world.hook()

    assert_stored_without_a_vector(scene, done, message)
    assert_searched_by_word_only(run, message)
    assert_key_is_not_printed(scene, done, run)


@pytest.mark.parametrize(
    "fault",
    [FAULTS["401 with the key in it"][0], UNUSABLE["garbage"], None],
    ids=["401", "garbage", "down"],
)
def test_the_way_through_google_genai_fails_as_softly(scene: Scene, fault: Fault | None) -> None:
    scene.choose("gemini")
    scene.stub.fault = fault
    if fault is None:
        scene.take_down()
    done, run = write(scene.world), scene.world.hook()

    assert_stored_without_a_vector(scene, done, "Gemini at 127.0.0.1")
    assert "vector=0, fts5=1, pending_embedding=1" in diagnostic(run)
    assert_key_is_not_printed(scene, done, run)


@pytest.mark.parametrize("provider", ["ollama", "voyage"])
def test_a_provider_that_is_down_is_reported_once(scene: Scene, provider: str) -> None:
    scene.choose(provider)
    write(scene.world, **FIRST)
    scene.take_down()
    done, run = write(scene.world), scene.world.hook()

    assert_stored_without_a_vector(scene, done, "can't be reached")
    assert_searched_by_word_only(run, "can't be reached")
    assert_key_is_not_printed(scene, done, run)


def test_a_model_that_ollama_lacks_is_named_with_its_download(scene: Scene) -> None:
    scene.choose("ollama")
    scene.stub.fault = status(404, {"error": 'model "nomic-embed-text" not found'})
    done = write(scene.world)
    embedded = hardwon(scene.world, "embed")

    assert_stored_without_a_vector(scene, done, "run `ollama pull nomic-embed-text`")
    assert embedded.code == 2
    assert "run `ollama pull nomic-embed-text`" in embedded.stderr
    assert {request.path for request in scene.requests()} == {
        "/api/embed"
    }  # nothing was downloaded


@pytest.mark.parametrize("provider", ["gemini", "openai", "voyage"])
def test_a_named_provider_without_its_key_is_never_asked(scene: Scene, provider: str) -> None:
    scene.choose(provider)
    scene.world.variables[KEY_NAMES[provider]] = " "
    if provider == "openai":
        del scene.world.variables[
            "OPENAI_BASE_URL"
        ]  # other servers that speak OpenAI's language need no key
    done, run = write(scene.world), scene.world.hook()

    assert_stored_without_a_vector(
        scene, done, f"needs a key: set {KEY_NAMES[provider]} in the environment"
    )
    assert "vector=0, fts5=1, pending_embedding=1" in diagnostic(run)
    assert scene.requests() == []


def test_a_key_that_is_gone_leaves_search_by_word(scene: Scene) -> None:
    scene.choose("voyage")
    write(scene.world)
    scene.take_key("voyage")
    scene.requests()
    run = scene.world.hook()

    assert_searched_by_word_only(run, "Voyage needs a key: set VOYAGE_API_KEY in the environment")
    assert scene.requests() == []


def test_a_key_in_a_settings_file_is_not_taken(scene: Scene) -> None:
    scene.configure(embedding_provider="gemini", gemini_api_key=KEY)
    done = write(scene.world)

    assert "needs a key" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert scene.holds(KEY) == ["iflow-dev.local.md"]
    assert scene.requests() == []


def test_a_failed_entry_is_embedded_by_the_next_write(scene: Scene) -> None:
    scene.choose("voyage")
    scene.stub.fault = status(500)
    write(scene.world, **FIRST)
    assert scene.vectors() == {}

    scene.stub.fault = None
    done = write(scene.world)
    assert (done.stderr, scene.vectors()) == ("", {"voyage": 2})


def test_one_text_that_no_vector_can_be_made_of_does_not_hold_up_the_others(scene: Scene) -> None:
    scene.choose("openai")
    scene.remember(6)

    def refuse_lesson_3(answer: Answer) -> None:
        if "Lesson 3" in str(scene.stub.requests[-1].body):
            FAULTS["NaN"][0](answer)

    scene.stub.fault = refuse_lesson_3
    done = write(scene.world)

    assert scene.vectors() == {"openai": 6}
    [warning] = done.stderr.splitlines()
    assert "no vector for the entry that begins 'Lesson 3" in warning


SECRETS = [
    "ghp_0123456789abcdefghijABCDEFGHIJ456789",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA-0123456789abcdefghijklmnopqrstu",
    "sk-ant-api03-0123456789abcdefghij",
]


@pytest.mark.parametrize("provider", ["gemini", "ollama"])
def test_no_secret_of_an_entry_or_a_spec_leaves_the_process(scene: Scene, provider: str) -> None:
    scene.choose(provider)
    scene.world.write_feature(
        "008-keys",
        {"slug": "keys", "status": "active", "lastCompletedPhase": "design"},
        spec=f"# Spec\n\nNumbers with {SECRETS[0]} and {SECRETS[1]} in the text.\n",
    )
    write(
        scene.world,
        name=f"Name {SECRETS[0]}",
        description=f"A number with {SECRETS[1]} <private>nobody's business</private>.",
        reasoning=f"Because of {SECRETS[2]}",
        references=[SECRETS[3]],
    )
    run = scene.world.hook()
    requests = scene.requests()

    assert len(requests) == 2
    assert "vector=1" in diagnostic(run)
    assert sent(requests).count("[REDACTED]") >= 4
    for secret in (*SECRETS, "nobody's business"):
        assert secret not in sent(requests)
        assert secret not in run.stdout + run.stderr
