from typing import Any

import pytest

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import AUTHORSHIPS, Authorship, Identity, Project
from hardwon.domain.use_cases.know_projects import KnowProjects
from tests.fakes.projects import InMemoryProjects, InMemoryRepositoryHistory, Past

REMOTE, FIRST = "example.org/app.git", "f" * 40
ME = "me@example.invalid"


def knowing(*labels: str, **facts: Any) -> tuple[KnowProjects, list[Project]]:
    """Return what knows one repository for each label, all with the same *facts*."""
    projects = InMemoryProjects()
    know = KnowProjects(projects, InMemoryRepositoryHistory(ME), exists=lambda _: True)
    added = [projects.add(Identity(f"/{label}/.git", f"/{label}", True), label) for label in labels]  # noqa: FBT003
    for project in added:
        projects.put(project._replace(**facts))
    return know, [*projects.known()]


def joins(know: KnowProjects) -> dict[str, str | None]:
    registry = know.registry()
    return {
        project.label: registry.label_of(project.joined) or None for project in registry.projects
    }


def test_trusted_clones_join_the_first_of_them() -> None:
    know, [a, b, c] = knowing(
        "a", "b", "c", remote=REMOTE, first_commit=FIRST, authorship="foreign"
    )

    know.trust(b, trusted=True)
    assert joins(know) == {"a": None, "b": None, "c": None}
    know.trust(c, trusted=True)
    assert joins(know) == {"a": None, "b": None, "c": "b"}
    know.trust(a, trusted=True)
    assert joins(know) == {"a": None, "b": "a", "c": "a"}
    know.trust(a, trusted=False)
    assert joins(know) == {"a": None, "b": None, "c": "b"}


def test_the_other_clones_of_a_merged_project_do_not_join_what_it_was_merged_into() -> None:
    know, [a, *_] = knowing("a", "b", "c", remote=REMOTE, first_commit=FIRST, authorship="own")
    know.settle(a)
    other = know.projects.add(Identity("/other", "/other"), "other")

    know.merge(a, other)

    assert joins(know) == {"b": None, "c": "b", "other": None}


def test_clones_stay_one_when_the_first_of_them_is_merged_into_another() -> None:
    know, [a, _, c] = knowing("a", "b", "c", remote=REMOTE, first_commit=FIRST, authorship="own")
    know.settle(a)

    know.merge(a, c)

    assert joins(know) == {"b": None, "c": "b"}


def test_repositories_without_origin_join_none() -> None:
    know, [a, b] = knowing("a", "b", first_commit=FIRST, authorship="own")

    know.settle(a)
    know.settle(b)

    assert joins(know) == {"a": None, "b": None}


def test_clones_below_a_trusted_folder_join_and_leave_with_it() -> None:
    know, _ = knowing("src/a", "src/b", remote=REMOTE, first_commit=FIRST, authorship="foreign")

    know.trust_below("/src", trusted=True)
    assert joins(know) == {"src/a": None, "src/b": "src/a"}
    know.trust_below("/src", trusted=False)
    assert joins(know) == {"src/a": None, "src/b": None}


def test_a_moved_project_is_what_git_says_of_its_new_place() -> None:
    know, [old, new] = knowing("old", "new", authorship="own")
    know.projects.put(new._replace(authorship="foreign", trust="revoked"))

    moved = know.move(old, new.identity, "new")

    assert (moved.id, moved.authorship, moved.trust) == (old.id, "foreign", "revoked")
    assert know.registry().projects == (moved,)


def test_the_word_of_the_user_moves_with_a_project() -> None:
    know, [old, new] = knowing("old", "new", authorship="foreign")
    old = know.trust(old, trusted=True)

    assert know.move(old, new.identity, "new").trust == "trusted"


def test_only_repositories_that_are_there_are_to_be_looked_up() -> None:
    know, [known, new, gone] = knowing("known", "new", "gone", authorship="own")
    know.projects.put(known._replace(first_commit=""))

    left = know._replace(exists=lambda path: not path.startswith("/gone")).not_looked_up()

    assert [project.label for project in left] == [new.label]
    assert gone.first_commit is None


@pytest.mark.parametrize("before", AUTHORSHIPS)
@pytest.mark.parametrize("now", AUTHORSHIPS)
def test_a_reused_inode_is_a_renamed_repository_only_if_git_says_the_same_of_its_authors(
    before: Authorship, now: Authorship
) -> None:
    know, _ = knowing()
    removed = know.register(Identity("/old/.git", "/old", is_repository=True, inode=7), "old")
    know.projects.put(removed._replace(authorship=before))
    history = InMemoryRepositoryHistory(ME)
    history.pasts["/new"] = Past(authors=(ME if now == "own" else "you@example.invalid",))
    history.can_answer = now != "unknown"
    know = know._replace(history=history, exists=lambda path: not path.startswith("/old"))
    new = Identity("/new/.git", "/new", is_repository=True, inode=7)

    found = know.here(new, "new", Deadline(lambda: 0.0))

    assert (found.id == removed.id) == (before == now != "unknown")
    assert found.authorship == now
    assert know.registry().label_of(removed.id) == ("new" if found.id == removed.id else "old")


def test_without_time_for_git_a_reused_inode_is_a_new_repository() -> None:
    know, _ = knowing()
    old = know.register(Identity("/old/.git", "/old", is_repository=True, inode=7), "old")
    know.projects.put(old._replace(authorship="own"))
    know = know._replace(exists=lambda path: not path.startswith("/old"))

    new = know.register(Identity("/new/.git", "/new", is_repository=True, inode=7), "new")

    assert new.id != old.id


def test_a_name_means_an_id_or_folder_before_a_label() -> None:
    know, [app, other] = knowing("acme/app", "globex/app")
    for project, label in ((app, "app"), (other, "app")):
        know.projects.put(project._replace(label=label))
    registry = know.registry()

    assert [item.id for item in registry.named("app")] == [app.id, other.id]
    assert [item.id for item in registry.named("globex/app")] == [other.id]
    assert [item.id for item in registry.named(app.id)] == [app.id]
    assert [item.id for item in registry.named("/globex/app")] == [other.id]
    assert registry.named("nothing") == []


def test_a_folder_that_becomes_a_repository_stays_the_project_that_it_was() -> None:
    know, _ = knowing()
    plain = know.trust(know.register(Identity("/app", "/app"), "app"), trusted=True)

    repository = know.register(Identity("/app/.git", "/app", True), "app")  # noqa: FBT003

    assert (repository.id, repository.identity.key) == (plain.id, "/app/.git")
    assert (repository.authorship, repository.trust) == ("unknown", "unsaid")
    assert know.registry().projects == (repository,)


def test_a_folder_whose_trust_was_revoked_stays_so_as_a_repository() -> None:
    know, _ = knowing()
    know.trust(know.register(Identity("/app", "/app"), "app"), trusted=False)

    assert know.register(Identity("/app/.git", "/app", True), "app").trust == "revoked"  # noqa: FBT003


def test_a_repository_in_a_folder_beside_a_project_is_another_one() -> None:
    know, _ = knowing()
    know.register(Identity("/app", "/app"), "app")

    know.register(Identity("/app/inner/.git", "/app/inner", True), "inner")  # noqa: FBT003

    assert [project.label for project in know.registry().projects] == ["app", "inner"]


@pytest.mark.parametrize(
    ("remote", "inode", "label"),
    [(REMOTE, 0, "app"), (REMOTE, 7, "old"), ("example.org/fork.git", 0, "old"), ("", 0, "old")],
)
def test_a_clone_becomes_the_imported_project_of_its_repository(
    remote: str, inode: int, label: str
) -> None:
    know, [here] = knowing("app", authorship="own", first_commit=FIRST)
    history = InMemoryRepositoryHistory(ME)
    history.pasts["/app"] = Past(first_commits=(FIRST,), remote=REMOTE)
    imported = know.projects.add(
        Identity("gone:1:/old/.git", "/old", is_repository=True, inode=inode), "old"
    )
    know.projects.put(imported._replace(remote=remote, first_commit=FIRST, authorship="own"))
    know = know._replace(history=history, exists=lambda path: not path.startswith("gone:"))

    found = know.look_up(here, Deadline(lambda: 0.0))

    assert (found.id == imported.id) == (label == "app")
    assert know.registry().label_of(imported.id) == label
