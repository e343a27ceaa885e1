"""`hardwon embed --all` replaces vectors, and drops none before its successor is there."""

import contextlib
import signal

import pytest

from tests.adapters.providers.kinds import each
from tests.adapters.providers.stub_server import Answer
from tests.entrypoints.programs import finish, hardwon, start
from tests.entrypoints.provider_process import Hang, Scene

BATCH, MORE = 50, 1
TRIAL = 1  # the request by which it sees that the provider works


@pytest.fixture
def scene(scene: Scene) -> Scene:
    """Return a scene with a provider on the network."""
    scene.choose("openai")
    return scene


def embed(scene: Scene, count: int) -> dict[int, bytes]:
    """Store *count* entries, and return their vectors."""
    scene.remember(count)
    assert hardwon(scene.world, "embed").code == 0
    scene.requests()
    return vectors(scene)


def vectors(scene: Scene) -> dict[int, bytes]:
    """Return all vectors in the store by the numbers of their entries."""
    return dict(scene.world.query("SELECT entry_seq, vec FROM vector"))


other_vectors = each(lambda vector: vector[::-1])


def test_a_run_killed_in_the_middle_leaves_each_entry_its_old_or_its_new_vector_and_is_continued(
    scene: Scene,
) -> None:
    old, hang = embed(scene, BATCH + MORE), Hang(scene.stub, at=TRIAL + 2)

    def others_until_the_second_batch(answer: Answer) -> None:
        other_vectors(answer)
        hang(answer)

    scene.stub.fault = others_until_the_second_batch
    process = start(scene.world, "hardwon", "embed", "--all")
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.kill)
        hang.wait()
    finish(process)
    assert process.returncode == -signal.SIGKILL
    killed = vectors(scene)

    assert killed.keys() == old.keys()
    assert [number for number in sorted(old) if killed[number] == old[number]] == sorted(old)[
        BATCH:
    ]

    hang.end()
    scene.stub.fault = other_vectors
    scene.requests()
    done = hardwon(scene.world, "embed", "--all")

    assert (done.code, done.stdout) == (0, f"{MORE} vector made, 0 missing.\n")
    assert len(scene.requests()) == TRIAL + 1
    new = vectors(scene)
    assert {number: new[number] for number in sorted(old)[:BATCH]} == {
        number: killed[number] for number in sorted(old)[:BATCH]
    }
    assert not [number for number in old if new[number] == old[number]]


def test_a_run_after_a_complete_one_makes_all_vectors_again_and_missing_ones(scene: Scene) -> None:
    old = embed(scene, 2)
    hardwon(scene.world, "embed", "--all")
    assert vectors(scene) == old

    scene.remember(3)
    scene.stub.fault = other_vectors

    assert hardwon(scene.world, "embed", "--all").stdout == "3 vectors made, 0 missing.\n"
    new = vectors(scene)
    assert len(new) == 3
    assert not [number for number in old if new[number] == old[number]]


def test_a_rebuild_of_the_index_killed_in_the_middle_leaves_each_file_its_old_or_its_new_vector(
    scene: Scene,
) -> None:
    folder = scene.world.project / "memory" / "gotchas"
    folder.mkdir(parents=True)
    for number in range(BATCH + MORE):
        (folder / f"{number:02}.md").write_text(f"A trap of the parser, number {number}.")
    assert hardwon(scene.world, "index", "--embed").code == 0
    old, hang = vectors(scene), Hang(scene.stub, at=TRIAL + 2)
    scene.requests()

    def others_until_the_second_batch(answer: Answer) -> None:
        other_vectors(answer)
        hang(answer)

    scene.stub.fault = others_until_the_second_batch
    process = start(scene.world, "hardwon", "index", "--rebuild")
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.kill)
        hang.wait()
    finish(process)
    killed = vectors(scene)

    assert killed.keys() == old.keys()
    assert sum(killed[number] == old[number] for number in old) == MORE

    hang.end()
    scene.stub.fault = other_vectors
    assert "51 vectors made, 0 missing" in hardwon(scene.world, "index", "--rebuild").stdout
    assert not [number for number, vector in vectors(scene).items() if vector == old[number]]
