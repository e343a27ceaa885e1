from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.worlds import MakeWorld, on_every_implementation
from tests.strategies import anything, few_examples

pytestmark = on_every_implementation

paths = st.sampled_from(["/a/patterns.md", "/b/patterns.md", "/caf\u00e9 '\"/heuristics.md"])
headings = st.sets(anything, max_size=4)


def test_an_unknown_path_has_neither_headings_nor_fingerprint(make: MakeWorld) -> None:
    with make() as world:
        assert world.ledger.headings("/a/patterns.md") == set()
        assert world.ledger.fingerprint("/a/patterns.md") is None


@given(records=st.lists(st.tuples(paths, headings, anything), max_size=6))
@few_examples
def test_headings_gather_and_the_last_fingerprint_counts(
    make: MakeWorld, records: list[tuple[str, set[str], str]]
) -> None:
    seen: dict[str, set[str]] = {}
    last: dict[str, str] = {}
    with make() as world:
        for path, new, fingerprint in records:
            world.ledger.record(path, new, fingerprint)
            seen[path] = seen.get(path, set()) | new
            last[path] = fingerprint

        assert {path: world.ledger.headings(path) for path in seen} == seen
        assert {path: world.ledger.fingerprint(path) for path in last} == last


def test_a_heading_that_was_withdrawn_counts_as_never_imported(make: MakeWorld) -> None:
    with make() as world:
        world.ledger.record("/b/patterns.md", {"A"}, "1")
        world.ledger.record("/a/patterns.md", {"A", "B"}, "1")
        world.ledger.withdraw("/a/patterns.md", {"A", "C"})
        world.ledger.withdraw("/c/patterns.md", {"A"})

        assert world.ledger.headings("/a/patterns.md") == {"B"}
        assert world.ledger.headings("/b/patterns.md") == {"A"}
        assert world.ledger.paths() == ["/a/patterns.md", "/b/patterns.md"]


def test_the_returned_value_is_a_copy(make: MakeWorld) -> None:
    with make() as world:
        world.ledger.record("/a/patterns.md", {"A"}, "1")
        world.ledger.headings("/a/patterns.md").add("B")

        assert world.ledger.headings("/a/patterns.md") == {"A"}
