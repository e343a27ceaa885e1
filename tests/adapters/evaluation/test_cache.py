import stat
import threading
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from hardwon.adapters.evaluation.cache import FILE_NAME, CachingEmbedder, VectorCache
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Embedder, Task
from tests.fakes.models import PlantedEmbedder, UnreliableEmbedder
from tests.strategies import SPACE

IN_TIME = Deadline(lambda: 0.0)


class Runs:
    """Programs that share a cache, one after the other or at once."""

    def __init__(self, folder: Path, cleanup: ExitStack) -> None:
        self.folder = folder
        self.warnings = list[str]()
        self._cleanup = cleanup

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    def embedder(self, inner: Embedder) -> CachingEmbedder:
        cache = VectorCache(str(self.folder), self.warnings.append)
        return CachingEmbedder(inner, self._cleanup.enter_context(closing(cache)))


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    with ExitStack() as cleanup:
        yield Runs(tmp_path / "deep" / "cache", cleanup)


def embed(embedder: Embedder, *texts: str, task: Task = "document") -> list[Vector]:
    return embedder.embed(texts, task, IN_TIME)


def test_it_answers_as_the_embedder_behind_and_asks_it_once(runs: Runs) -> None:
    inner = PlantedEmbedder()
    expected = embed(PlantedEmbedder(), "b", "a", "b")
    first = runs.embedder(inner)

    assert embed(first, "b", "a", "b") == expected == embed(first, "b", "a", "b")
    assert embed(runs.embedder(inner), "b", "a", "b") == expected
    assert inner.asked == [("b", "document"), ("a", "document")]
    assert embed(first) == []


def test_tasks_and_spaces_are_kept_apart(runs: Runs) -> None:
    inner = PlantedEmbedder()
    other = PlantedEmbedder(space=SPACE._replace(model="another"))
    embed(runs.embedder(inner), "a")
    embed(runs.embedder(inner), "a", task="query")
    embed(runs.embedder(other), "a")

    assert inner.asked == [("a", "document"), ("a", "query")]
    assert other.asked == [("a", "document")]


def test_it_has_the_identity_of_the_wrapped_embedder(runs: Runs) -> None:
    embedder: Embedder = runs.embedder(PlantedEmbedder())

    assert (embedder.space, embedder.max_tokens) == (SPACE, PlantedEmbedder.max_tokens)


def test_the_file_is_for_its_owner_only_and_holds_no_text(runs: Runs) -> None:
    embed(runs.embedder(PlantedEmbedder()), "a very private text")

    assert stat.S_IMODE(runs.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(runs.folder.stat().st_mode) == 0o700
    assert not any(b"private" in path.read_bytes() for path in runs.folder.iterdir())


def test_a_failure_is_not_cached(runs: Runs) -> None:
    inner = PlantedEmbedder()
    with pytest.raises(EmbedderUnavailableError):
        embed(runs.embedder(UnreliableEmbedder(inner, failing={1})), "a")

    assert embed(runs.embedder(inner), "a") == embed(inner, "a")


@pytest.mark.parametrize("useless", [[0.0] * 4, [1.0], [float("nan")] * 4])
def test_a_vector_that_cannot_be_compared_is_handed_on_but_not_kept(
    runs: Runs, useless: list[float]
) -> None:
    vector = array("f", useless)
    answered = embed(runs.embedder(PlantedEmbedder({"a": vector})), "a")
    sound = PlantedEmbedder()

    assert answered[0].tobytes() == vector.tobytes()
    assert embed(runs.embedder(sound), "a") == embed(PlantedEmbedder(), "a")
    assert len(sound.asked) == 1


@pytest.mark.parametrize(
    "damage", ["x'00'", "'text'", "zeroblob(1000)", "x'0000c07f0000c07f0000c07f0000c07f'"]
)
def test_a_damaged_vector_is_rebuilt(runs: Runs, damage: str) -> None:
    first = runs.embedder(PlantedEmbedder())
    embed(first, "a")
    connection = first._cache._connection
    assert connection
    connection.execute(f"UPDATE vector SET vec = {damage}")

    assert embed(runs.embedder(PlantedEmbedder()), "a") == embed(PlantedEmbedder(), "a")
    assert runs.warnings == []


def test_without_a_usable_file_it_is_only_slower_and_tells_once(runs: Runs) -> None:
    runs.folder.mkdir(parents=True)
    runs.file.write_bytes(b"garbage" * 1_000)
    inner = PlantedEmbedder()
    embedder = runs.embedder(inner)

    for _ in range(2):
        assert embed(embedder, "a", "b") == embed(PlantedEmbedder(), "a", "b")
    assert len(inner.asked) == 2
    assert len(runs.warnings) == 1
    assert FILE_NAME in runs.warnings[0]
    assert runs.file.read_bytes() == b"garbage" * 1_000


def test_a_folder_that_cannot_be_made_is_reported_once(runs: Runs) -> None:
    runs.folder.parent.write_text("a file")

    assert embed(runs.embedder(PlantedEmbedder()), "a") == embed(PlantedEmbedder(), "a")
    assert len(runs.warnings) == 1


def test_two_runs_at_once_share_the_file(runs: Runs) -> None:
    texts = [f"text {number}" for number in range(40)]
    inners = [PlantedEmbedder() for _ in range(4)]
    embedders = [runs.embedder(inner) for inner in inners]

    def work(embedder: CachingEmbedder) -> None:
        for text in texts:
            embed(embedder, text)

    threads = [threading.Thread(target=work, args=(embedder,)) for embedder in embedders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    late = PlantedEmbedder()
    assert embed(runs.embedder(late), *texts) == embed(PlantedEmbedder(), *texts)
    assert late.asked == []
    assert runs.warnings == []
