import contextlib

from hypothesis import given
from hypothesis import strategies as st

from hardwon.ports.file_state import Tombstone
from tests.contracts.worlds import MakeWorld, on_every_implementation
from tests.strategies import NOW, few_examples

pytestmark = on_every_implementation

paths = st.sampled_from(["/a.md", "/café '\".md"])
hashes = st.sampled_from(["1", "2"])
tombstones = st.builds(Tombstone, paths, st.sampled_from(["", "a", "b"]), hashes)


@given(steps=st.lists(tombstones | paths, max_size=8))
@few_examples
def test_a_tombstone_blocks_its_text_until_it_is_lifted(
    make: MakeWorld, steps: list[Tombstone | str]
) -> None:
    expected = dict[tuple[str, str], str]()
    with make() as world:
        for step in steps:
            if isinstance(step, Tombstone):
                world.tombstones.add(step, NOW)
                expected[step.file_path, step.anchor_id] = step.file_hash
            else:
                world.tombstones.forget(step)
                expected = {
                    section: digest for section, digest in expected.items() if section[0] != step
                }

        for path in ("/a.md", "/café '\".md", "/unknown.md"):
            for digest in ("1", "2"):
                deleted = {
                    anchor for (of, anchor), own in expected.items() if (of, own) == (path, digest)
                }
                assert world.tombstones.deleted(path, digest) == deleted


def test_a_change_that_is_undone_leaves_tombstones_as_they_were(make: MakeWorld) -> None:
    with make() as world:
        with contextlib.suppress(KeyError), world.repository.transaction():
            world.tombstones.add(Tombstone("/a.md", "", "1"), NOW)
            raise KeyError

        assert world.tombstones.deleted("/a.md", "1") == frozenset()
