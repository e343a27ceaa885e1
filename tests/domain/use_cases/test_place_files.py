from typing import Any

import attrs
import pytest

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Identity
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import InMemoryProjects, placing
from tests.strategies import of_file


def session(path: str, **fields: Any) -> Entry:
    return attrs.evolve(of_file(f"Of {path}", kind="session", **fields), file_path=path)


def repository_of(folder: str) -> Identity:
    """Return what a folder is known by where `/src/mono` is a repository."""
    if f"{folder}/".startswith("/src/mono/"):
        return Identity("/src/mono/.git", "/src/mono", True)  # noqa: FBT003
    return Identity(folder, folder)


@pytest.mark.parametrize(
    ("path", "label", "root"),
    [
        (
            "/src/config-service/memory-1.md",
            "config-service",
            "/src/config-service",
        ),  # its folder, in a known one
        ("/src/config-service/memory/sessions/1.md", "config-service", "/src/config-service"),
        ("/src/a/a/b/1.md", "a", "/src/a/a"),  # the innermost of that name
        ("/src/other/1.md", "config-service", "/src"),  # no folder has that name
        ("/src/other/1.md", None, "/src"),
        ("/new/other/1.md", None, "/new/other"),
        ("/new/other/1.md", "renamed", "/new/other"),
        ("/src/mono/services/pay/1.md", "pay", "/src/mono"),  # a repository
        ("/src/gone/services/pay/1.md", "pay", "/src/gone"),  # one that is gone
        ("/src/deep/app/memory/1.md", "deep", "/src/deep/app"),  # a known one in the folder
        ("/home/me/notes/1.md", None, "/home/me/notes"),
        ("/home/me/1.md", "me", "/home/me"),
        ("/1.md", None, "/"),
    ],
)
def test_a_file_is_of_its_repository_a_known_project_around_it_or_its_folder(
    path: str, label: str | None, root: str
) -> None:
    projects = InMemoryProjects()
    for known in ("/src", "/src/deep/app", "/home/me"):
        projects.add(Identity(known, known), "known")
    projects.add(Identity("/src/gone/.git", "/src/gone", True), "gone")  # noqa: FBT003

    placed = placing(projects, repository_of).placed(session(path, source_project=label))

    assert [
        project.identity.root for project in projects.known() if project.id == placed.project
    ] == [root]


def test_entries_without_a_project_are_placed_once_in_projects_of_the_user() -> None:
    repository = InMemoryEntryRepository()
    projects = InMemoryProjects(repository.state)
    for at in range(3):
        repository.put(session(f"/src/{at}/m.md"))
    place = placing(projects)

    assert (place.place_all(repository), place.place_all(repository)) == (3, 0)
    place.ask(Deadline(FixedClock().monotonic))

    assert {entry.project for entry in repository.matching(EVERYTHING, limit=9)} == {
        item.id for item in projects.known()
    }
    assert {(project.label, project.authorship) for project in projects.known()} == {
        ("0", "own"),
        ("1", "own"),
        ("2", "own"),
    }
