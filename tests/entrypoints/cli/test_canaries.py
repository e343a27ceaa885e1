"""No secret is kept, by whatever way it comes in."""

from collections.abc import Callable, Sequence

import pytest

from tests.domain.model.secrets.samples import SAMPLES, Sample
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.ways_in import WAYS, Way, places_with

LONGEST = 50
"""Characters of a secret that a title or phrase holds as a whole."""

CANARIES = [
    canary
    for canary in SAMPLES
    if canary.text == canary.secret and len(canary.text) <= LONGEST and canary.text.isascii()
]
"""Secrets that are recognised by themselves."""

OF_THE_USER = "project/memory/sessions/memory-20250304-050607.md"
"""A file that the user has written, of which an index says more."""

SHARE = 12
"""How many texts the canaries are spread over, for each way."""


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return an empty project, in which nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def text_with(canaries: Sequence[Sample]) -> str:
    """Return a sentence whose second and third words are the first two of *canaries*."""
    first, second, *others = (canary.text for canary in canaries)
    return f"Use {first} {second} in the deploy of the parser, {', '.join(f'then {other} once' for other in others)}."


def check(world: World, visitor: Visitor, way: Way, canaries: Sequence[Sample]) -> None:
    way(world, visitor, text_with(canaries))

    kept = {
        place for canary in canaries for place in places_with(world, canary.secret, banks=False)
    }
    assert kept - {OF_THE_USER} == set()


SEARCHED = [
    name
    for name in WAYS
    if name not in {"file name", "project name", "import of the user's own bank", "log"}
]
"""Ways but those in which the user puts it into a name or a file of the store."""


@pytest.mark.parametrize("number", range(len(SEARCHED)), ids=SEARCHED)
def test_no_canary_is_left_by_any_way(
    world: World, visit: Callable[[World], Visitor], number: int
) -> None:
    canaries = CANARIES[number::SHARE][:10]
    assert len(canaries) >= 2
    check(world, visit(world), WAYS[SEARCHED[number]], canaries)


@pytest.mark.soak
@pytest.mark.parametrize("name", SEARCHED)
def test_none_of_all_canaries_is_left_by_any_way(
    world: World, visit: Callable[[World], Visitor], name: str
) -> None:
    assert len(CANARIES) >= 120
    for start in range(SHARE):
        check(world, visit(world), WAYS[name], CANARIES[start::SHARE])
