"""The session starts in time, whatever the provider does, and imports no more than the search needs."""

from collections.abc import Callable
from threading import Barrier

import pytest

from hardwon.domain.model.settings import NETWORK_EMBEDDERS
from tests.adapters.providers.stub_server import Answer, StubProviders
from tests.entrypoints.programs import write
from tests.entrypoints.provider_process import Scene, diagnostic
from tests.entrypoints.sessions import block_of
from tests.machine import LONGEST_WAIT

SLOW: dict[str, Callable[[StubProviders], None]] = {
    "hangs": lambda stub: setattr(stub, "hangs_before", True),
    "stops in the middle": lambda stub: setattr(stub, "hangs_amid", True),
    "drips": lambda stub: setattr(stub, "drips", True),
}
PROVIDER_LIBRARIES = ("httpx", "google", "openai", "voyageai", "ollama", "anthropic")

MEETING = """
import http.client
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex

count = FtsKeywordIndex.frequencies

def meet_and_count(*arguments):
    connection = http.client.HTTPConnection("127.0.0.1", {port})
    connection.request("GET", "/the-search-by-word-has-begun")
    connection.getresponse().read()
    return count(*arguments)

FtsKeywordIndex.frequencies = meet_and_count
"""
"""A search by word that goes on when the stub has answered it too."""


def imported(modules: frozenset[str]) -> list[str]:
    return [library for library in PROVIDER_LIBRARIES if library in modules]


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_a_slow_provider_costs_the_vectors_and_no_more_than_the_budget(
    scene: Scene, slow: Callable[[StubProviders], None]
) -> None:
    scene.choose("openai")
    write(scene.world)
    slow(scene.stub)
    scene.requests()
    scene.world.reached = ("EMBED_SECONDS",)
    run, _ = scene.world.launch()

    assert run.code == 0
    assert block_of(run.stdout).headings == ("### Name the unit",)
    assert "active (vector=0, fts5=1)" in run.stdout
    [line] = run.log
    assert "did not answer in time" in line or "no answer in time" in line
    assert len(scene.requests()) <= 1


def test_with_auto_a_hanging_gemini_leaves_the_block_in_time(scene: Scene) -> None:
    scene.give_key("gemini")
    write(scene.world)
    scene.stub.hangs_before = True
    scene.world.reached = ("EMBED_SECONDS",)
    run, _ = scene.world.launch()

    assert run.code == 0
    assert block_of(run.stdout).headings == ("### Name the unit",)
    assert "fts5=1" in run.stdout


def test_the_search_by_word_runs_while_the_provider_is_asked(scene: Scene) -> None:
    scene.choose("openai")
    write(scene.world)
    both = Barrier(2)

    def meet(_: Answer) -> None:
        both.wait(LONGEST_WAIT)

    scene.stub.fault = meet
    scene.world.put_package("sitecustomize", __init__=MEETING.format(port=scene.stub.port))
    scene.requests()
    run = scene.world.launch().run

    assert "active (vector=1, fts5=1)" in diagnostic(run)
    assert (run.stderr, run.log) == ("", ())
    assert {request.path for request in scene.requests()} == {
        "/v1/embeddings",
        "/the-search-by-word-has-begun",
    }


@pytest.mark.parametrize("provider", sorted(NETWORK_EMBEDDERS))
def test_a_provider_on_the_network_costs_the_hook_httpx_and_no_library_of_its_own(
    scene: Scene, provider: str
) -> None:
    scene.choose(provider)
    write(scene.world)
    run, modules = scene.world.launch()

    assert "vector=1" in diagnostic(run)
    assert imported(modules) == ["httpx"]


@pytest.mark.parametrize("provider", ["local", "off", "auto"])
def test_without_a_provider_on_the_network_nothing_for_it_is_imported(
    scene: Scene, provider: str
) -> None:
    scene.configure(embedding_provider=provider)
    write(scene.world)
    run, modules = scene.world.launch()

    assert ("vector=0" if provider == "off" else "vector=1") in diagnostic(run)
    assert imported(modules) == []
    assert "ssl" not in modules


def test_a_provider_with_nothing_to_compare_is_not_even_imported(scene: Scene) -> None:
    scene.choose("gemini")
    scene.remember(1)
    run, modules = scene.world.launch()

    assert "vector=0, fts5=0, pending_embedding=1" in diagnostic(run)
    assert (imported(modules), scene.requests()) == ([], [])


def test_switched_off_nothing_is_imported_for_a_provider(scene: Scene) -> None:
    scene.choose("gemini", semantic_enabled="false")
    scene.world.write_bank("patterns", "### Pattern: One\nAbout one.\n\n")
    run, modules = scene.world.launch()

    assert block_of(run.stdout).state == "disabled"
    assert (imported(modules), scene.requests()) == ([], [])
