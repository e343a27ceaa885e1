"""A store that came to another machine, where projects have clones at other places, with remotes in other spellings."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.entrypoints.folders import UNTRUSTED, USER, Repositories
from tests.entrypoints.hook_process import World

LESSON = "Zaunkoenig merges invoices"
SESSION = "Rotated the staging keys"
REMOTE = "git@example.org:Acme/app.git"
OTHER_SPELLING = "https://me@EXAMPLE.org:8443/acme/app"

Bring: TypeAlias = Callable[[Repositories, Repositories], None]


@pytest.fixture
def here(world_by_word: World) -> Repositories:
    return Repositories(world_by_word).with_store()


@pytest.fixture
def there(world_by_word: World) -> Repositories:
    """Return the other machine, where nothing is yet."""
    return Repositories(World(world_by_word.folder / "another", world_by_word.cleanup))


def leave(here: Repositories) -> None:
    """Leave this machine: its folders are not on the other one."""
    shutil.rmtree(here.folder("src"), ignore_errors=True)


def backup(here: Repositories, there: Repositories) -> None:
    file = str(here.folder("copy.db"))
    assert here.run(here.world.folder, "backup", file).code == 0
    leave(here)
    there.with_store()
    assert there.run(there.world.project, "restore", file, "--yes").code == 0


def export(here: Repositories, there: Repositories) -> None:
    file = str(here.folder("copy.jsonl"))
    assert here.run(here.world.folder, "export", "--output", file).code == 0
    leave(here)
    assert there.run(there.world.project, "import", file).code == 0


def copied_folder(here: Repositories, there: Repositories) -> None:
    shutil.copytree(here.world.store, there.world.store)
    leave(here)


ways = pytest.mark.parametrize("bring", [backup, export, copied_folder])


def clone(
    app: Path, there: Repositories, remote: str = OTHER_SPELLING, name: str = "work/shop"
) -> Path:
    """Return a clone on the other machine; the original is on this one only."""
    folder = there.clone(app, name)
    there.git(folder, "remote", "set-url", "origin", remote)
    return folder


def make(here: Repositories, author: str = USER, remote: str = REMOTE) -> Path:
    """Return a project whose memories are looked for on the other machine."""
    app = here.make("src/app", author)
    if remote:
        here.git(app, "remote", "add", "origin", remote)
    assert here.run(app, "add", LESSON, "--here").code == 0
    here.project(app)
    return app


def finds(places: Repositories, folder: Path, *options: str) -> bool:
    return LESSON in places.run(folder, "recall", LESSON, *options, "--json").stdout


@ways
@pytest.mark.parametrize("is_known_before", [False, True])
def test_a_clone_with_another_spelling_of_its_remote_has_the_memories_at_once(
    here: Repositories,
    there: Repositories,
    bring: Bring,
    is_known_before: bool,  # noqa: FBT001
) -> None:
    app = make(here)
    shop = clone(app, there)
    if is_known_before and bring is not copied_folder:
        there.with_store().project(shop)

    bring(here, there)

    assert finds(there, shop, "--scope", "project")
    assert "remain" not in there.run(shop, "doctor").stdout
    assert LESSON in there.start(shop)


@ways
def test_a_clone_that_is_not_the_users_gets_them_when_it_is_trusted(
    here: Repositories, there: Repositories, bring: Bring
) -> None:
    app = make(here, UNTRUSTED)
    assert here.run(app, "trust").code == 0
    shop = clone(app, there)
    bring(here, there)

    there.project(shop)
    assert not finds(there, shop, "--scope", "project")
    assert LESSON not in there.start(shop)
    assert there.project(shop)["state"] == "foreign"

    assert there.run(shop, "trust").code == 0
    assert finds(there, shop, "--scope", "project")


@ways
@pytest.mark.parametrize(
    ("remote", "spelling"),
    [("", ""), (REMOTE, "git@example.org:globex/app.git"), (REMOTE, "/srv/acme/app.git")],
)
def test_one_without_a_match_waits_for_a_word_and_is_told(
    here: Repositories, there: Repositories, bring: Bring, remote: str, spelling: str
) -> None:
    app = make(here, remote=remote)
    assert here.run(app, "save", "--description", SESSION).code == 0
    shop = clone(app, there, spelling or "x")
    if not spelling:
        there.git(shop, "remote", "remove", "origin")
    bring(here, there)

    assert not finds(there, shop, "--scope", "project")
    assert finds(there, shop, "--scope", "global")
    assert SESSION in there.run(shop, "recall", SESSION).stdout
    assert "2 entries of app remain" in there.run(shop, "doctor").stdout

    assert there.run(shop, "project", "merge", "app", ".", "--yes").code == 0
    assert finds(there, shop, "--scope", "project")
    assert "remain" not in there.run(shop, "doctor").stdout


@ways
def test_a_lesson_of_an_own_project_speaks_elsewhere_also_where_its_clone_is_not(
    here: Repositories, there: Repositories, bring: Bring
) -> None:
    app, strange, refused = (
        make(here),
        here.make("src/strange", UNTRUSTED),
        here.make("src/refused"),
    )
    here.learn(app, "Said in an own project")
    here.learn(strange, "Said in a strange project")
    here.learn(refused, "Said in a refused project")
    assert here.run(refused, "trust", "--revoke").code == 0
    bring(here, there)
    other = there.make("other")

    block = there.block(other)

    assert "### Said in an own project\n" in block
    assert "strange" not in block
    assert "refused" not in block


def test_a_store_a_backup_and_an_export_give_a_second_home_the_same_answers(
    here: Repositories, world_by_word: World
) -> None:
    app, other = make(here), here.make("src/other")
    assert here.run(app, "save", "--description", SESSION).code == 0
    here.learn(app, "Rotate keys at night")
    assert here.run(other, "save", "--description", "Rotated the billing keys").code == 0
    homes = [
        Repositories(World(world_by_word.folder / name, world_by_word.cleanup))
        for name in ("one", "two", "three")
    ]
    clones = [clone(app, home, name="src/app") for home in homes]
    wanted = answers(here, app)
    for bring, home in zip((backup, export, copied_folder), homes, strict=True):
        bring(here, home)

    assert [answers(home, place) for home, place in zip(homes, clones, strict=True)] == [wanted] * 3
    assert all(text in answer for text, answer in zip(ANSWERS.values(), wanted, strict=True))


RULE = "Rotate keys before a release"


def kept(places: Repositories, folder: Path) -> list[tuple[object, ...]]:
    """Return name, tier and place of the documents, as `hardwon list` has them."""
    found = places.run(folder, "list", "--in", "documents", "--json").items
    return [(item["name"], item["tier"], item["file_path"]) for item in found]


def renamed(here: Repositories, app: Path) -> Path:
    return app.rename(here.folder("src/renamed"))


def copied_and_moved(here: Repositories, app: Path) -> Path:
    """Move *app* as to another disk, where inodes are others."""
    folder = here.folder("src/copied")
    shutil.copytree(app, folder)
    shutil.rmtree(app)
    assert here.run(folder, "project", "move", "app").code == 0
    return folder


@pytest.mark.parametrize("move", [renamed, copied_and_moved])
def test_a_file_of_a_moved_project_is_one_entry_with_its_tier(
    here: Repositories, move: Callable[[Repositories, Path], Path]
) -> None:
    app = make(here)
    document(here, app)

    folder = move(here, app)
    assert here.run(folder, "index").code == 0

    assert kept(here, folder) == [(RULE, "critical", str(folder / "memory" / "keys.md"))]


@pytest.mark.parametrize("bring", [backup, copied_folder])
def test_a_file_on_another_machine_is_one_entry_with_its_tier(
    here: Repositories, there: Repositories, bring: Bring
) -> None:
    app = make(here)
    document(here, app)
    shop = clone(app, there)
    shutil.copytree(app / "memory", shop / "memory")
    bring(here, there)

    assert there.run(shop, "index").code == 0
    assert kept(there, shop) == [(RULE, "critical", str(shop / "memory" / "keys.md"))]


def test_entries_stay_where_a_moved_project_lacks_their_files(here: Repositories) -> None:
    app = make(here)
    document(here, app)
    folder = renamed(here, app)
    (folder / "memory" / "keys.md").rename(folder / "memory" / "other.md")
    (folder / "memory" / "other.md").write_text("Another text\n")

    assert here.run(folder, "index").code == 0
    assert (RULE, "critical", str(app / "memory" / "keys.md")) in kept(here, folder)


def test_files_of_another_clone_and_of_other_projects_stay(here: Repositories) -> None:
    app, other = make(here), here.make("src/other")
    for folder in (app, other):
        document(here, folder)
    second = here.clone(app, "src/second")
    here.git(second, "remote", "set-url", "origin", REMOTE)
    shutil.copytree(app / "memory", second / "memory")
    shutil.rmtree(other)

    assert here.run(second, "index").code == 0
    paths = {path for folder in (app, second) for *_, path in kept(here, folder)}
    assert paths == {str(folder / "memory" / "keys.md") for folder in (app, second)}
    assert len(kept(here, app)) == 2
    ids = here.run(here.world.folder, "list", "--scope", "global", "--json").items
    assert str(other / "memory" / "keys.md") in {item["file_path"] for item in ids}


def document(here: Repositories, folder: Path) -> None:
    """Index a document of *folder*, and give it a tier."""
    (folder / "memory").mkdir()
    (folder / "memory" / "keys.md").write_text(f"# {RULE}\n\nNever after it.\n")
    assert here.run(folder, "index").code == 0
    [item] = here.run(folder, "list", "--in", "documents", "--json").items
    assert here.run(folder, "update", str(item["id"]), "--tier", "critical").code == 0


ANSWERS = {
    "rotated keys": SESSION,
    "rotate keys at night": "Rotate keys at night",
    LESSON: LESSON,
    "billing keys": "Rotated the billing keys",
}


def answers(places: Repositories, folder: Path) -> list[str]:
    """Return what `hardwon recall` prints for some questions, a folder of one home as that of every home."""
    printed = [places.run(folder, "recall", question).stdout for question in ANSWERS]
    return [text.replace(str(places.world.folder), "HOME") for text in printed]
