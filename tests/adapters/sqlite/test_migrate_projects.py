"""Entries of a store of version 4 or 6 go to the projects where they stand."""

import json
import os
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.git.identity import identify
from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.migrate_projects import project_folder
from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.schema import migrate
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.domain.model.project import Project, Registry
from tests.adapters.sqlite.earlier_stores import EarlierStore
from tests.adapters.sqlite.sqlite_store import opened

pytestmark = pytest.mark.parametrize("version", [4, 6])


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a folder with the repositories acme/app and globex/app and the plain folder acme/notes."""
    for name in ("acme/app", "globex/app", "acme/notes"):
        (tmp_path / "src" / name / "memory" / "decisions").mkdir(parents=True)
    for name in ("acme/app", "globex/app"):
        subprocess.run(["git", "init", "--quiet", str(tmp_path / "src" / name)], check=True)
    return tmp_path / "src"


@pytest.fixture
def store(folder: Path, version: int) -> Iterator[EarlierStore]:
    """Return a store of that version; closed by `migrated`."""
    store = EarlierStore(folder, version)
    yield store
    store.connection.close()


@contextmanager
def migrated(store: EarlierStore, folder: Path) -> Iterator[SqliteDatabase]:
    store.close()
    with opened(folder) as database:
        yield database


def by_root(database: SqliteDatabase) -> dict[str, Project]:
    return {
        project.identity.root or project.identity.key: project
        for project in SqliteProjects(database).known()
    }


def homes(database: SqliteDatabase) -> dict[str, tuple[Any, ...]]:
    """Return root or key of the project, workspace, reach and door of entries, by name."""
    return {
        name: tuple(values)
        for name, *values in database.rows(
            "SELECT t.name, coalesce(nullif(p.root, ''), p.key), e.workspace, e.reach, t.door"
            " FROM entry e JOIN entry_text t ON t.entry_seq = e.seq LEFT JOIN project p ON p.id = e.project"
        )
    }


def test_entries_of_files_go_to_the_project_that_holds_the_file(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    acme, globex, notes = work / "acme/app", work / "globex/app", work / "acme/notes"
    store.file(acme / "memory/decisions/one.md")
    store.file(globex / "memory/two.md")
    store.file(globex / "specs/005-x/memory/three.md", kind="document", label="billing")
    store.file(notes / "memory/decisions/four.md", source="session-capture")

    with migrated(store, folder) as database:
        assert homes(database) == {
            "one": (str(acme), str(acme.parent), "shared", "file"),
            "two": (str(globex), str(globex.parent), "shared", "file"),
            "three": (str(globex), str(globex.parent), "shared", "file"),
            "four": (str(notes), str(notes.parent), "shared", "capture"),
        }
        projects = by_root(database)

    assert [
        (projects[str(root)].label, projects[str(root)].authorship)
        for root in (acme, globex, notes)
    ] == [
        ("app", "unknown"),
        ("app", "unknown"),
        ("notes", "own"),
    ]
    assert [projects[str(root)].identity for root in (acme, notes)] == [
        identify(str(acme)),
        identify(str(notes)),
    ]


def test_two_projects_of_one_name_are_told_apart_in_what_each_of_them_sees(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    store.file(work / "acme/app/memory/one.md")
    store.file(work / "globex/app/memory/two.md")

    with migrated(store, folder) as database:
        projects = SqliteProjects(database).known()
        registry = Registry(projects)

    assert [registry.label_of(project.id) for project in projects] == ["acme/app", "globex/app"]
    assert not registry.visibility(projects[0]).admits(projects[1].id, "shared")


def test_a_worktree_is_the_project_of_its_repository(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    git = (
        "git",
        "-C",
        str(work / "acme/app"),
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.invalid",
    )
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message=x"], check=True)
    subprocess.run([*git, "worktree", "add", "--quiet", str(work / "beside")], check=True)
    store.file(work / "acme/app/memory/one.md")
    store.file(work / "beside/memory/two.md")

    with migrated(store, folder) as database:
        assert len({project for (project,) in database.rows("SELECT project FROM entry")}) == 1


def test_a_project_that_is_gone_is_known_by_its_path_and_not_as_a_part_of_what_is_above_it(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    gone = work / "acme/app/packages/old"
    store.file(gone / "memory/decisions/one.md")
    store.file(work / "acme/app/memory/gone/two.md")

    with migrated(store, folder) as database:
        assert [home for home, *_ in homes(database).values()] == [
            str(gone),
            str(work / "acme/app"),
        ]
        project = by_root(database)[str(gone)]

    assert project.identity == (str(gone), str(gone), False, 0, 0)
    assert project.authorship == "unknown"  # it may have been the repository of another user


def test_a_file_of_a_document_root_goes_to_the_project_of_its_folder(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    (work / "library/rules").mkdir(parents=True)
    store.file(work / "library/rules/one.md", kind="document")
    (work / "acme/app/guides").mkdir()
    store.file(work / "acme/app/guides/two.md", kind="document")

    with migrated(store, folder) as database:
        assert [home for home, *_ in homes(database).values()] == [
            str(work / "library/rules"),
            str(work / "acme/app"),
        ]


def test_facts_that_an_agent_kept_go_to_the_only_project_of_that_path(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    named = str(work / "acme/app").replace("/", "-").replace("_", "-").replace(".", "-")
    facts = work / ".claude/projects"
    store.file(facts / named / "memory/one.md", kind="preference")
    store.file(facts / "-somewhere-else" / "memory/two.md", kind="preference", label="app")
    store.file(work / "acme/app/memory/three.md")

    with migrated(store, folder) as database:
        found = homes(database)

    assert found["one"] == (str(work / "acme/app"), str(work / "acme"), "shared", "file")
    assert found["two"] == ("label:app", None, "shared", "file")


def test_a_learning_that_has_only_a_label_waits_and_one_without_holds_everywhere(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    store.file(work / "acme/app/memory/one.md")
    store.learning("Labelled", label="app", source="manual", workspace="src")
    store.learning("Imported", label="app")
    store.learning("Unlabelled", source="retro")

    with migrated(store, folder) as database:
        found, projects = homes(database), SqliteProjects(database).known()
        labels = database.rows("SELECT source_project FROM entry ORDER BY seq")

    assert found["Labelled"] == found["Imported"] == ("label:app", None, "shared", None)
    assert found["Unlabelled"] == (None, None, "everywhere", None)
    assert labels == [("app",), ("app",), ("app",), (None,)]
    [waiting] = [project for project in projects if project.is_waiting]
    assert (waiting.label, waiting.identity.root, waiting.authorship) == ("app", "", "foreign")
    [real] = [project for project in projects if not project.is_waiting]
    assert not Registry(projects).visibility(real).admits(waiting.id, "shared")


def test_checkpoints_name_the_project_of_their_folder_and_keep_the_name_they_had(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    store.checkpoint("placed", scope="documents", project="app", root=str(work / "globex/app"))
    store.checkpoint("waiting", scope="project", project="app", root=None)
    store.checkpoint("odd")
    store.insert(
        "receipt",
        session_id="s",
        event="start",
        at="x",
        project="app",
        policy="p",
        digest="d",
        frame="[]",
        missed="[]",
    )

    with migrated(store, folder) as database:
        projects = by_root(database)
        kept = {
            name: json.loads(metadata)
            for name, metadata in database.rows("SELECT name, metadata FROM checkpoints")
        }
        assert SqliteSnapshots(database).named("placed")
        assert database.rows("SELECT project FROM receipt") == [("app",)]

    root = str(work / "globex/app")
    assert kept == {
        "placed": {
            "scope": "documents",
            "project": projects[root].id,
            "root": root,
            "label": "app",
        },
        "waiting": {
            "scope": "project",
            "project": projects["label:app"].id,
            "root": None,
            "label": "app",
        },
        "odd": {},
    }


def test_a_copy_that_is_migrated_elsewhere_names_the_same_projects_by_the_same_ids(
    store: EarlierStore, folder: Path, work: Path, tmp_path: Path
) -> None:
    copy = EarlierStore(tmp_path / "copy", 4)
    for written in (copy, store):
        written.file(work / "acme/app/memory/one.md")
        written.learning("Labelled", label="app")
        written.checkpoint("waiting", scope="project", project="billing", root=None)
    copy.close()

    with (
        migrated(store, folder) as database,
        opened_copy(str(tmp_path / "copy" / "memory.db")) as snapshot,
    ):
        known = {project.identity.key: project.id for project in SqliteProjects(database).known()}
        assert known == {
            project.identity.key: project.id for project in SqliteProjects(snapshot).known()
        }
        assert len(known) == 3

    with opened(tmp_path / "new") as database:
        added = SqliteProjects(database).add(identify(str(work / "acme/app")), "app")
    assert added.id == known[added.identity.key]


ODD_PATHS = (
    "memory/relative.md",
    "",
    "/",
    "/memory/top.md",
    "/a\0b/memory/zero.md",
    "/" + "x" * 5000 + "/memory/long.md",
)


@pytest.mark.parametrize("path", ODD_PATHS)
def test_odd_paths_break_nothing(store: EarlierStore, path: str, version: int) -> None:
    store.file(path)

    for migration in MIGRATIONS[version:]:
        migration(store.connection)

    [(root, reach)] = store.connection.execute(
        "SELECT p.root, reach FROM entry JOIN project p ON p.id = entry.project"
    )
    assert (root == "" or os.path.isabs(root), reach) == (True, "shared")


def test_paths_that_are_no_utf_8_are_stored_as_the_composition_root_names_them(
    store: EarlierStore, work: Path, version: int
) -> None:
    root = os.fsencode(work) + b"/caf\xe9"
    os.makedirs(root + b"/memory")
    store.file(work / "one.md")
    store.connection.execute(
        "UPDATE entry_text SET file_path = CAST(? AS TEXT)", (root + b"/memory/one.md",)
    )

    for migration in MIGRATIONS[version:]:
        migration(store.connection)

    assert store.connection.execute("SELECT key, root, is_repository FROM project").fetchall() == [
        (f"{work}/caf\\xe9", f"{work}/caf\\xe9", 0)
    ]
    assert store.connection.text_factory is str


def test_a_folder_that_may_not_be_read_is_known_by_its_path(
    store: EarlierStore, folder: Path, work: Path
) -> None:
    closed = work / "closed"
    (closed / "app/memory").mkdir(parents=True)
    store.file(closed / "app/memory/one.md")
    closed.chmod(0)
    try:
        with migrated(store, folder) as database:
            assert homes(database)["one"][0] == str(closed / "app")
    finally:
        closed.chmod(0o700)


def test_a_folder_is_looked_at_once_and_no_process_is_run(
    store: EarlierStore, folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = list[str]()

    def counted(path: str) -> Any:
        looked.append(path)
        return identify(path)

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("hardwon.adapters.sqlite.migrate_projects.identify", counted)
    monkeypatch.setattr(subprocess, "Popen", refused)
    for number in range(50):
        store.file(work / f"acme/app/memory/decisions/{number}.md")

    with migrated(store, folder):
        assert looked == [str(work / "acme/app")]


def test_steps_of_moving_entries_grow_as_their_number(
    version: int, folder: Path, work: Path
) -> None:
    steps = [_steps_of(folder / str(count), version, work, count) for count in (100, 400)]

    assert steps[1] < 8 * steps[0]  # what is not linear takes 16 times as many


def _steps_of(folder: Path, version: int, work: Path, entries: int) -> int:
    """Return how many instructions SQLite needs to migrate so many *entries*, in hundreds."""
    store, steps = EarlierStore(folder, version), Counter[str]()
    for number in range(entries):
        store.file(work / f"acme/app/memory/decisions/{number}.md")
        store.learning(f"Lesson {number}", label="app")
    store.close()
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as connection:
        connection.set_progress_handler(lambda: steps.update(["hundred"]), 100)
        migrate(connection)
        [(projects,)] = connection.execute("SELECT count(DISTINCT project) FROM entry")
    assert projects == 2
    return steps.total()


@pytest.mark.parametrize(
    ("path", "folder_of_project"),
    [
        ("/p/memory/a.md", "/p"),
        ("/p/memory/decisions/a.md", "/p"),
        ("/p/memory-old.md", "/p"),
        ("/p/specs/1-x/memory/sub/a.md", "/p"),
        ("/p/specs/1-x/notes.md", "/p"),
        ("/p/docs/knowledge-bank/patterns.md", "/p"),
        ("/p/docs/a.md", "/p/docs"),
        ("/memory/app/memory/a.md", "/memory/app"),
        ("/memory/a.md", "/"),
        ("/a.md", "/"),
    ],
)
@pytest.mark.usefixtures("version")
def test_the_folder_that_holds_the_memory_is_the_project(path: str, folder_of_project: str) -> None:
    assert project_folder(path) == folder_of_project
