"""Repositories that move, and a second machine, where the store is on a server."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.entrypoints.folders import Repositories
from tests.entrypoints.postgres.test_on_a_server import on_server
from tests.postgres_server import member, url_of

pytestmark = pytest.mark.postgres

LESSON = "Zaunkoenig merges invoices"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Callable[[str], Repositories]]:
    """Yield a function that makes a machine by name, each with the same address of the server."""
    with contextlib.ExitStack() as cleanup:
        url = url_of(cleanup.enter_context(member()))
        yield lambda name: Repositories(on_server(tmp_path / name, url, cleanup))


def finds(places: Repositories, folder: Path, text: str, *options: str) -> bool:
    return text in places.run(folder, "recall", text, *options, "--json").stdout


def test_a_repository_that_is_renamed_is_the_same_project_at_once(
    machine: Callable[[str], Repositories],
) -> None:
    places = machine("one")
    app = places.make("src/app")
    assert places.run(app, "add", LESSON, "--here").code == 0
    renamed = app.rename(places.folder("src/renamed"))

    assert finds(places, renamed, LESSON, "--scope", "project")
    assert [item["label"] for item in places.run(renamed, "project", "list", "--json").items] == [
        "renamed"
    ]


def test_a_clone_on_a_second_machine_has_the_memories_and_another_repository_is_found_by_recall_alone(
    machine: Callable[[str], Repositories],
) -> None:
    here, there = machine("one"), machine("two")
    app = here.make("src/app")
    here.git(app, "remote", "add", "origin", "git@example.org:Acme/app.git")
    assert here.run(app, "add", LESSON, "--here").code == 0
    assert here.run(app, "save", "--description", "Rotated the staging keys").code == 0
    here.project(app)
    shop, other = there.clone(app, "work/shop"), there.clone(app, "work/other")
    there.git(shop, "remote", "set-url", "origin", "https://me@EXAMPLE.org:8443/acme/app")
    there.git(other, "remote", "set-url", "origin", "https://example.org/globex/app")

    assert not finds(there, other, LESSON, "--scope", "project")
    assert finds(there, other, "Rotated the staging keys")
    assert finds(there, shop, LESSON, "--scope", "project")
