"""Texts compared by meaning."""

from array import array

from hardwon.domain.use_cases.similarity import REMEMBERED, TextSimilarity
from tests.fakes.clock import FixedClock
from tests.fakes.embedders import PlantedEmbedder, UnreliableEmbedder

VECTORS = {"locks": array("f", [2, 0, 0, 0]), "waits": array("f", [0, 1, 0, 0]), "tabs": array("f", [0, 0, 1, 0])}


def test_it_is_the_cosine_of_their_mean() -> None:
    alike = TextSimilarity(PlantedEmbedder(VECTORS), FixedClock().monotonic)

    assert alike(["locks"], "locks") == 1
    assert alike(["locks", "waits"], "waits") == 0.707107
    assert alike(["locks", "waits"], "tabs") == 0


def test_a_text_is_embedded_once_as_long_as_it_is_asked_about() -> None:
    embedder = PlantedEmbedder(VECTORS)
    alike = TextSimilarity(embedder, FixedClock().monotonic)
    for number in range(2 * REMEMBERED):
        alike(["locks", "waits"], f"text {number}")

    assert [text for text, _ in embedder.asked].count("locks") == 1
    assert len(embedder.asked) == 2 + 2 * REMEMBERED


def test_after_a_failure_it_is_not_asked_again() -> None:
    alike = TextSimilarity(UnreliableEmbedder(PlantedEmbedder(VECTORS), failing={1}), FixedClock().monotonic)

    assert alike(["locks"], "waits") is None
    assert alike(["locks"], "waits") is None
