import shutil
from pathlib import Path

import pytest

from tests.entrypoints.folders import UNTRUSTED, USER, Repositories
from tests.entrypoints.hook_process import World


@pytest.fixture
def places(world_by_word: World) -> Repositories:
    return Repositories(world_by_word).with_store()


def test_worktrees_are_one_project(places: Repositories) -> None:
    main = places.make("acme/app")
    places.git(main, "worktree", "add", "--quiet", "../tree")
    places.learn(places.folder("acme/tree"), "Said in the worktree")

    assert places.project(main)["id"] == places.project(places.folder("acme/tree"))["id"]
    assert places.shows(main, "Said in the worktree")


def test_a_project_that_was_first_seen_in_a_work_tree_gets_the_name_of_its_repository(
    places: Repositories,
) -> None:
    main, tree = places.make("acme/app"), places.folder("acme/fix-1234")
    places.git(main, "worktree", "add", "--quiet", str(tree))
    assert places.project(tree)["label"] == "fix-1234"

    assert places.project(main)["label"] == "app"
    shown = places.project(tree)
    assert (shown["label"], shown["root"]) == ("app", str(main))


@pytest.mark.parametrize("where", ["a linked work tree", "the renamed repository"])
def test_a_deleted_lesson_stays_deleted_in_every_folder_of_the_project(
    places: Repositories, where: str
) -> None:
    main = places.make("acme/app")
    places.learn(main, "Known to be wrong")
    places.git(main, "add", "--all")
    places.git(main, "commit", "--quiet", "--message", "bank")
    [lesson] = places.run(main, "list", "--json").items
    assert places.run(main, "delete", str(lesson["id"]), "--yes").code == 0

    if where == "a linked work tree":
        folder = places.folder("acme/tree")
        places.git(main, "worktree", "add", "--quiet", "../tree")
    else:
        folder = main.rename(places.folder("acme/renamed"))

    assert "Known to be wrong" not in places.start(folder)
    assert places.run(folder, "import").stdout.startswith("Imported 0 entries, 1 known already")
    places.learn(folder, "New in this folder")
    assert "New in this folder" in places.start(folder)
    assert places.run(folder, "list", "--json").items[1:] == []


def test_a_lesson_of_another_text_is_imported_under_the_same_heading(places: Repositories) -> None:
    main = places.make("acme/app")
    places.learn(main, "Heading")
    [lesson] = places.run(main, "list", "--json").items
    assert places.run(main, "delete", str(lesson["id"]), "--yes").code == 0
    places.git(main, "worktree", "add", "--quiet", "../tree")
    bank = places.folder("acme/tree") / "docs" / "knowledge-bank"
    bank.mkdir(parents=True)
    (bank / "heuristics.md").write_text("### Heading\nAnother text of this branch.\n")

    assert places.run(places.folder("acme/tree"), "import").stdout.startswith("Imported 1 entr")


def test_removing_a_worktree_strands_nothing(places: Repositories) -> None:
    main = places.make("acme/app")
    tree = places.folder("tree")
    places.git(main, "worktree", "add", "--quiet", str(tree))
    assert places.run(tree, "add", "Said in the worktree", "--here").code == 0

    places.git(main, "worktree", "remove", "--force", str(tree))

    shown = places.project(main)
    assert (shown["entries"], shown["gone"]) == (1, False)
    assert (
        places.run(main, "list", "--origin", ".", "--json").items[0]["origin"]["project"] == "app"
    )


def test_two_folders_of_one_name_are_shown_with_the_folder_above(places: Repositories) -> None:
    one, other = places.make("acme/app"), places.make("globex/app")

    assert places.project(one)["label"] == "app"
    assert places.project(other)["label"] == "globex/app"
    assert places.project(one)["label"] == "acme/app"
    assert places.project(one)["id"] != places.project(other)["id"]


def test_a_name_of_two_projects_is_refused_in_one_line_with_both(places: Repositories) -> None:
    one, other = places.make("acme/app"), places.make("globex/app")
    places.project(one)
    places.project(other)

    done = places.run(one, "project", "show", "app")

    assert done.code == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "acme/app" in done.stderr
    assert "globex/app" in done.stderr
    assert places.project(one, "globex/app")["root"] == str(other)


def test_an_unknown_name_is_refused(places: Repositories) -> None:
    done = places.run(places.make("app"), "project", "show", "nothing-like-it")

    assert (done.code, done.stdout) == (1, "")
    assert "hardwon project list" in done.stderr


def test_a_renamed_repository_is_the_same_project(places: Repositories) -> None:
    before = places.make("acme/app")
    known = places.project(before)["id"]
    after = before.rename(places.folder("acme/renamed"))

    shown = places.project(after)

    assert (shown["id"], shown["label"], shown["root"]) == (known, "renamed", str(after))


def test_a_repository_on_another_disk_is_moved_by_the_users_word(places: Repositories) -> None:
    before = places.make("acme/app")
    assert places.run(before, "add", "Said before the move", "--here").code == 0
    known = places.project(before)["id"]
    after = Path(shutil.copytree(before, places.folder("disk/app")))
    shutil.rmtree(before)
    assert places.project(after)["id"] != known
    assert places.run(after, "add", "Said after the move", "--here").code == 0

    done = places.run(after, "project", "move")

    assert done.code == 0, done.stderr
    assert done.stdout.startswith("Moved: app is now at ")
    shown = places.project(after)
    assert (shown["id"], shown["entries"], shown["gone"]) == (known, 2, False)


def test_a_project_whose_folder_stands_is_not_moved(places: Repositories) -> None:
    one, other = places.make("acme/app"), places.make("acme/other")
    places.project(one)

    done = places.run(other, "project", "move", "app")

    assert done.code == 1
    assert "still there" in done.stderr


def test_a_move_to_another_history_asks_first(places: Repositories) -> None:
    one, other = places.make("acme/app"), places.make("acme/other")
    places.project(one)
    shutil.rmtree(one)

    assert places.run(other, "project", "move", "app").code == 1
    assert places.run(other, "project", "move", "app", "--yes").code == 0


def test_a_moved_project_is_foreign_if_its_new_place_is(places: Repositories) -> None:
    own, strange = places.make("acme/app"), places.make("acme/other", UNTRUSTED)
    places.project(own)
    shutil.rmtree(own)

    places.run(strange, "project", "move", "app", "--yes")

    assert places.project(strange)["state"] == "foreign"


def test_merged_projects_are_one(places: Repositories) -> None:
    one, other = places.make("acme/old"), places.make("acme/new")
    assert places.run(one, "add", "Said in the old one", "--here").code == 0

    refused = places.run(other, "project", "merge", "old")
    done = places.run(other, "project", "merge", "old", "-y")

    assert refused.code == 1
    assert "1 entry of old" in refused.stderr
    assert "--yes" in refused.stderr
    assert done.stdout.splitlines()[0] == "Merged: 1 entry of old now belong to new"
    assert places.project(other)["entries"] == 1


def test_a_project_is_not_merged_into_itself(places: Repositories) -> None:
    folder = places.make("acme/app")

    assert places.run(folder, "project", "merge", "app", "-y").code == 1
    assert places.project(folder)["label"] == "app"


def test_a_merge_that_lets_entries_speak_says_so(places: Repositories) -> None:
    strange, own = places.make("acme/strange", UNTRUSTED), places.make("acme/own")
    places.project(strange)

    refused = places.run(own, "project", "merge", "strange")

    assert "may then be shown elsewhere" in refused.stderr


def test_a_copy_without_origin_whose_original_stands_is_another_project(
    places: Repositories,
) -> None:
    original = places.make("acme/app")
    copy = Path(shutil.copytree(original, places.folder("acme/copy")))

    assert places.project(original)["id"] != places.project(copy)["id"]
    assert places.project(copy)["joined"] == []


def test_an_archive_with_a_forged_git_file_is_a_project_of_its_own(places: Repositories) -> None:
    victim = places.make("acme/app")
    places.run(victim, "add", "Kept in the victim", "--here")
    places.project(victim)
    source = places.folder("source/evil")
    source.mkdir(parents=True)
    (source / ".git").write_text(f"gitdir: {victim / '.git'}\n")
    archive = shutil.make_archive(str(places.folder("evil")), "zip", places.folder("source"))
    shutil.unpack_archive(archive, places.folder("unpacked"))

    shown = places.project(places.folder("unpacked/evil"))

    assert shown["id"] != places.project(victim)["id"]
    assert shown["entries"] == 0


def test_the_list_names_every_project_with_its_state(places: Repositories) -> None:
    own, strange = places.make("acme/own"), places.make("acme/strange", UNTRUSTED)
    places.project(own)
    places.project(strange)

    done = places.run(own, "project", "list")
    by_label = {item["label"]: item for item in places.run(own, "project", "list", "--json").items}

    lines = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
    assert (lines["own"], lines["strange"]) == ("own", "foreign")
    assert (by_label["own"]["speaks_elsewhere"], by_label["strange"]["speaks_elsewhere"]) == (
        True,
        False,
    )
    assert by_label["own"]["first_commit"]


def test_a_folder_that_is_gone_is_named_so(places: Repositories) -> None:
    gone, stays = places.make("acme/gone"), places.make("acme/stays")
    places.project(gone)
    shutil.rmtree(gone)

    assert places.project(stays, "gone")["gone"] is True
    assert "(gone)" in places.run(stays, "project", "list").stdout
    assert places.project(stays, str(gone))["label"] == "gone"


def test_looking_makes_no_store(world_by_word: World) -> None:
    places = Repositories(world_by_word)
    folder = places.make("acme/app")

    assert places.run(folder, "project", "list").code == 0
    assert not places.world.database.exists()


def finds(places: Repositories, folder: Path, words: str) -> bool:
    done = places.run(folder, "recall", words, "--scope", "project", "--json")
    return words in done.stdout


def renamed(places: Repositories, before: Path, name: str) -> Path:
    """Return the new folder of what was renamed without a look from git since."""
    return before.rename(places.folder(name))


def state(places: Repositories, label: str) -> tuple[object, ...]:
    """Return id, first commit, authorship and trust as they are stored, without a process."""
    found = places.world.query(
        "SELECT id, first_commit, authorship, trust FROM project WHERE label = ?", (label,)
    )
    return found[0] if found else ()


def remembers(
    places: Repositories, folder: Path, lesson: str = "Zaunkoenig merges invoices"
) -> str:
    assert places.run(folder, "add", lesson, "--here").code == 0
    return lesson


@pytest.mark.parametrize("author", [USER, UNTRUSTED])
def test_a_repository_that_is_renamed_before_git_was_asked_is_the_same_project_at_once(
    places: Repositories, author: str
) -> None:
    folder = places.make("app", author)
    lesson = remembers(places, folder)
    known, first, *_ = state(places, "app")

    after = renamed(places, folder, "renamed")

    assert first is None
    assert finds(places, after, lesson)
    assert state(places, "renamed")[0] == known
    assert state(places, "app") == ()


def test_one_that_is_renamed_after_sessions_keeps_the_word_of_the_user_without_a_process(
    places: Repositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = places.make("app", UNTRUSTED)
    lesson = remembers(places, folder)
    assert places.run(folder, "trust").code == 0
    known = state(places, "app")
    places.start(folder)
    places.git(folder, "gc", "--quiet")  # the first commit is in a pack

    after = renamed(places, folder, "renamed")
    monkeypatch.setitem(places.world.variables, "PATH", "/nowhere")

    assert lesson in places.start(after)
    assert state(places, "renamed") == known
    assert known[3] == "trusted"


def test_trust_that_no_first_commit_confirms_does_not_follow(places: Repositories) -> None:
    folder = places.make("app", UNTRUSTED)
    lesson = remembers(places, folder)
    places.world.query("UPDATE project SET trust = 'trusted' WHERE label = 'app'")

    after = renamed(places, folder, "renamed")

    assert finds(places, after, lesson)
    assert state(places, "renamed")[2:] == ("foreign", "unsaid")


def test_a_repository_whose_parent_was_renamed_is_the_same_project_with_its_work_trees(
    places: Repositories,
) -> None:
    main, tree = places.make("acme/app"), places.folder("acme/tree")
    places.git(main, "worktree", "add", "--quiet", str(tree))
    lesson = remembers(places, tree)

    places.folder("acme").rename(places.folder("globex"))
    places.git(places.folder("globex/app"), "worktree", "repair", str(places.folder("globex/tree")))

    assert finds(places, places.folder("globex/tree"), lesson)
    assert finds(places, places.folder("globex/app"), lesson)


def test_a_linked_work_tree_follows_its_renamed_repository_once_git_repaired_it(
    places: Repositories,
) -> None:
    main, tree = places.make("app"), places.folder("tree")
    places.git(main, "worktree", "add", "--quiet", str(tree))
    lesson = remembers(places, main)

    places.git(renamed(places, main, "renamed"), "worktree", "repair")

    assert finds(places, tree, lesson)


def test_a_word_on_a_rename_that_was_noticed_by_itself_is_no_mistake(places: Repositories) -> None:
    folder = places.make("app")
    remembers(places, folder)
    after = renamed(places, folder, "renamed")

    done = places.run(after, "project", "move", str(folder))

    assert (done.code, done.stdout) == (0, f"Moved: renamed is now at {after}, with 1 entry\n")
    assert places.run(after, "project", "move", "renamed").code == 1


@pytest.mark.parametrize("asked_git", [False, True])
@pytest.mark.parametrize("first_seen", ["renamed", "app"])
def test_another_repository_in_the_old_place_is_another_project(
    places: Repositories,
    asked_git: bool,  # noqa: FBT001
    first_seen: str,
) -> None:
    folder = places.make("app")
    lesson = remembers(places, folder)
    known = places.project(folder)["id"] if asked_git else state(places, "app")[0]

    after = renamed(places, folder, "renamed")
    other = places.make("app", lesson="Another history")
    places.start(places.folder(first_seen))

    assert finds(places, after, lesson)
    assert not finds(places, other, lesson)
    assert places.project(after)["id"] == known


def test_two_repositories_that_changed_places_are_the_projects_that_they_were(
    places: Repositories,
) -> None:
    app, other = places.make("app"), places.make("other")
    lesson = remembers(places, app)
    known, known_other = places.project(app)["id"], places.project(other)["id"]

    renamed(places, app, "aside")
    renamed(places, other, "app")
    renamed(places, places.folder("aside"), "other")

    assert not finds(places, app, lesson)
    assert finds(places, other, lesson)
    assert (places.project(app)["id"], places.project(other)["id"]) == (known_other, known)


def test_a_new_repository_whose_git_folder_has_a_number_again_is_another_project(
    places: Repositories,
) -> None:
    gone, new = places.make("gone"), places.make("new")
    lesson = remembers(places, gone)
    places.project(gone)
    shutil.rmtree(gone)
    facts = (new / ".git").stat()
    numbers = (facts.st_dev, facts.st_ino)
    places.world.query("UPDATE project SET device = ?, inode = ? WHERE label = 'gone'", numbers)

    assert not finds(places, new, lesson)
    assert state(places, "new")[0] != state(places, "gone")[0]


def test_a_plain_folder_is_known_by_its_path_and_follows_by_the_users_word(
    places: Repositories,
) -> None:
    folder = places.folder("notes")
    folder.mkdir()
    lesson = remembers(places, folder)

    after = renamed(places, folder, "renamed")
    assert not finds(places, after, lesson)

    assert places.run(after, "project", "move", "notes").code == 0
    assert finds(places, after, lesson)
