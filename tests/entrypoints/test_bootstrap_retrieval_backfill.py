"""Filling a space goes at the provider's pace."""

import json

import pytest

from tests.adapters.providers.kinds import status
from tests.entrypoints.programs import hardwon, write
from tests.entrypoints.provider_process import Faults, Scene, diagnostic, texts


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.choose("voyage")
    return scene


def test_embed_waits_for_retry_after_and_reports_it(scene: Scene) -> None:
    scene.remember(3)
    scene.stub.fault = faults = Faults(status(429, Retry_After="1"))
    done = hardwon(scene.world, "embed")

    refused, answered = faults.times
    assert answered - refused >= 1.0
    assert (done.code, done.stdout) == (0, "3 vectors made, 0 missing.\n")
    [line] = done.stderr.splitlines()
    assert line.startswith("Waiting 1 s: Voyage at 127.0.0.1")
    assert "wants fewer requests (429, again in 1 s)" in line


def test_embed_pauses_a_second_between_batches_of_fifty(scene: Scene) -> None:
    scene.remember(60)
    scene.stub.fault = faults = Faults()
    done = hardwon(scene.world, "embed")

    first, second = faults.times
    assert second - first >= 1.0
    assert [len(texts([request])) for request in scene.requests()] == [50, 10]
    assert (done.code, done.stderr) == (0, "")


def test_a_write_stops_at_429_and_the_next_one_goes_on(scene: Scene) -> None:
    scene.remember(3)
    scene.stub.fault = status(429, Retry_After="600")
    done = write(scene.world)
    assert done.code == 0
    [warning] = done.stderr.splitlines()
    assert "wants fewer requests (429, again in 600 s)" in warning
    assert (len(scene.requests()), scene.vectors()) == (1, {})
    assert "fts5=1, pending_embedding=4" in diagnostic(scene.world.hook())

    scene.stub.fault = None
    done = write(scene.world)
    assert (done.stderr, scene.vectors()) == ("", {"voyage": 4})


def test_embed_reports_its_result_as_json_when_the_provider_gives_up(scene: Scene) -> None:
    scene.remember(60)
    scene.stub.fault = Faults(None, status(500))
    done = hardwon(scene.world, "embed", "--json")

    assert done.code == 2
    output = json.loads(done.stdout)
    assert (output["embedded"], output["pending"]) == (50, 10)
    [problem] = output["troubles"]
    assert "Voyage at 127.0.0.1" in problem
    assert done.stderr.startswith(
        "Warning: embedding stopped, keyword search finds the rest: Voyage"
    )


def test_an_entry_that_changed_is_embedded_again_with_its_new_text(scene: Scene) -> None:
    write(scene.world, reasoning="")
    scene.requests()
    write(scene.world, reasoning="It cost a probe.")

    [text] = texts(scene.requests())
    assert "It cost a probe." in text
    assert scene.vectors() == {"voyage": 1}
