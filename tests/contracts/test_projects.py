import attrs

from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Identity
from tests.contracts.worlds import ALL, MakeWorld, on_every_implementation
from tests.strategies import lesson

pytestmark = on_every_implementation


def test_entries_are_counted_by_project(make: MakeWorld) -> None:
    with make() as world:
        one, other = (
            world.projects.add(Identity(path, path), path[1:]) for path in ("/one", "/other")
        )
        world.repository.put(attrs.evolve(lesson("First"), project=one.id))
        world.repository.put(attrs.evolve(lesson("Second"), project=one.id))
        world.repository.put(lesson("Of no project"))

        assert world.projects.entry_counts() == {one.id: 2}
        world.projects.merge(one.id, other.id)
        assert world.projects.entry_counts() == {other.id: 2}


def test_entries_are_found_by_every_project_where_they_stand(make: MakeWorld) -> None:
    with make() as world:
        one, other, third = (
            world.projects.add(Identity(path, path), path[1:])
            for path in ("/one", "/other", "/third")
        )
        entry = attrs.evolve(lesson("First"), project=one.id)
        world.repository.put(entry)
        world.projects.add_place(entry.entry_id, other.id)

        for project, found in ((one, 1), (other, 1), (third, 0)):
            assert (
                len(
                    world.repository.matching(EVERYTHING._replace(origins=(project.id,)), limit=ALL)
                )
                == found
            )
