import contextlib
import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.file_state import AbsentFile, Standing, standing_of
from hardwon.domain.model.vocabulary import TIERS
from tests.contracts.worlds import MAX_ABSENT, MakeWorld, on_every_implementation
from tests.strategies import (
    DAY,
    NOW,
    few_examples,
    importance_weights,
    labels,
    of_file,
    phrases,
    timestamps,
)

pytestmark = on_every_implementation

PATHS = ("/a.md", "/b.md", "/café '\".md")
HASHES = ("1", "2", "3")

standings = st.builds(
    Standing,
    file_hash=st.none() | st.sampled_from(HASHES[:2]),
    name=phrases,
    tier=st.sampled_from(TIERS),
    importance_weight=importance_weights,
    permanent=st.booleans(),
    own_tier=st.booleans(),
    trigger_phrases=labels,
    keywords=labels,
    tags=labels,
    created_at=timestamps,
    usage=st.builds(
        Usage,
        st.integers(0, 3),
        st.none() | timestamps,
        st.just(Validations()) | st.just(Validations(3, 2)),
    ),
)
files = st.builds(
    AbsentFile,
    st.sampled_from(PATHS),
    st.dictionaries(st.sampled_from(["", "a", "b"]), standings, min_size=1),
)
steps = st.lists(
    st.tuples(files, st.sampled_from([0, 1, 91, 36_500, -3_650])) | st.sampled_from(PATHS),
    max_size=6,
)


def one(path: str, name: str = "Name", digest: str = "1") -> AbsentFile:
    entry = attrs.evolve(of_file("Text."), name=name, file_hash=digest)
    return AbsentFile(path, {"": standing_of(entry)})


def wanted(
    known: dict[str, tuple[AbsentFile, dt.datetime]], path: str, digest: str
) -> AbsentFile | None:
    if path in known:
        return known[path][0]
    alike = [
        departure
        for departure in known.values()
        if "" in departure[0].standings and departure[0].standings[""].file_hash == digest
    ]
    alike.sort(key=lambda departure: (-departure[1].timestamp(), departure[0].file_path))
    return alike[0][0] if alike else None


@given(steps=steps)
@few_examples
def test_a_file_that_appears_is_that_of_its_path_else_the_last_that_said_the_same(
    make: MakeWorld, steps: list[tuple[AbsentFile, int] | str]
) -> None:
    expected = dict[str, tuple[AbsentFile, dt.datetime]]()
    now = NOW
    with make() as world:
        for step in steps:
            if isinstance(step, str):
                world.absences.forget(step)
                expected.pop(step, None)
            else:
                absent, days = step
                now += days * DAY
                world.absences.keep(absent, now)
                expected.pop(absent.file_path, None)
                others = sorted(expected, key=lambda path: (-expected[path][1].timestamp(), path))
                expected = {path: expected[path] for path in others[: MAX_ABSENT - 1]}
                expected[absent.file_path] = absent, now

        for path in (*PATHS, "/unknown.md"):
            for digest in HASHES:
                assert world.absences.absent_file(path, digest) == wanted(expected, path, digest)


@pytest.mark.parametrize("years", [-10, 100])
def test_departures_go_for_their_number_and_never_for_their_age(
    make: MakeWorld, years: int
) -> None:
    with make() as world:
        world.absences.keep(one("/a.md"), NOW)
        world.absences.keep(one("/b.md", digest="2"), NOW + years * 365 * DAY)
        assert world.absences.absent_file("/a.md", "")
        assert world.absences.absent_file("/b.md", "")
        world.absences.keep(one("/c.md", digest="3"), NOW + DAY)

        assert [
            path for path in ("/a.md", "/b.md", "/c.md") if world.absences.absent_file(path, "")
        ] == sorted(["/c.md", "/a.md" if years < 0 else "/b.md"])


def test_a_change_that_is_undone_leaves_absences_as_they_were(make: MakeWorld) -> None:
    with make() as world:
        world.absences.keep(one("/a.md", "before"), NOW)
        with contextlib.suppress(KeyError), world.repository.transaction():
            world.absences.keep(one("/a.md", "after"), NOW)
            raise KeyError

        assert world.absences.absent_file("/a.md", "") == one("/a.md", "before")
