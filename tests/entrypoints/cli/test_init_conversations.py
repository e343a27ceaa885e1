"""How conversations are kept is the user's choice, and git sees only what is shared."""

import os

import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation

FOLDERS = ("conversations", "decisions", "gotchas", "preferences", "sessions")
OWN_LINES = [f"/memory/{name}/" for name in FOLDERS]
UTTERANCE = "We decided to rewrite the parser with streaming, as the CSV files are large."


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a repository, in which a session is captured and nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.commit("README.md")
    return empty_world


def init(world: World, *options: str) -> str:
    done = hardwon(world, "init", "--agent", "codex", "--yes", *options)
    assert done.code == 0, done.stderr
    return done.stdout


def converse(world: World, session_id: str = "first") -> None:
    """Let a session be captured."""
    conversation = Conversation(world, session_id)
    conversation.say("How do we read the large CSV files?", UTTERANCE)
    conversation.note("end")
    Worker(str(world.store), str(world.project)).run()


def written(world: World) -> list[str]:
    return sorted(
        str(path.relative_to(world.project)) for path in (world.project / "memory").rglob("*.md")
    )


def added(world: World) -> list[str]:
    """Return the files of memory that `git add -A` would take along."""
    return [
        line[3:]
        for line in world.git("status", "--short", "--untracked-files=all").splitlines()
        if "memory/" in line
    ]


def excluded(world: World) -> list[str]:
    return [
        line
        for line in (world.project / ".git/info/exclude").read_text().splitlines()
        if line in OWN_LINES
    ]


@pytest.mark.parametrize(
    "options", [None, (), ("--conversations", "private")], ids=["no init", "yes", "private"]
)
def test_private_conversations_are_written_and_git_does_not_see_them(
    world: World, options: tuple[str, ...] | None
) -> None:
    if options is not None:
        output = init(world, *options)
        assert (
            f"Conversations are kept as markdown in {world.project / 'memory'} (private)\n"
            in output
        )
        assert (
            "git does not see them, by lines in .git/info/exclude; --conversations shared changes that\n"
            in output
        )
    converse(world)

    assert written(world) != []
    assert added(world) == []
    world.git("add", "-A")
    assert "memory/" not in world.git("diff", "--cached", "--name-only")
    assert excluded(world) == OWN_LINES
    assert not (world.project / ".gitignore").exists()


def test_shared_conversations_travel_with_git(world: World) -> None:
    output = init(world, "--conversations", "shared")
    converse(world)

    assert "git sees them: a commit takes them along" in output
    assert added(world) == written(world) != []
    assert excluded(world) == []


def test_conversations_that_are_off_are_not_kept(world: World) -> None:
    assert "Conversations are not kept (off)" in init(world, "--conversations", "off")
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    for event in (
        {"hook_event_name": "UserPromptSubmit", "prompt": UTTERANCE},
        {"hook_event_name": "SessionEnd"},
    ):
        assert world.hook(payload={**Conversation(world).payload(), **event}).code == 0

    assert not (world.store / "capture.db").exists()
    assert written(world) == []


def test_the_choice_can_be_changed_and_what_git_tracks_is_named(world: World) -> None:
    init(world, "--conversations", "shared")
    converse(world)
    world.commit_all()
    before = (world.project / ".git/info/exclude").read_text()

    output = init(world, "--conversations", "private")
    converse(world, "second")
    assert f"git tracks {len(world.git('ls-files', 'memory').splitlines())} file" in output
    assert written(world)[0] in output
    assert "?? memory/" not in world.git("status", "--short", "--untracked-files=all"), (
        "new files are private"
    )
    assert "conversations  private" in hardwon(world, "project", "show").stdout

    init(world, "--conversations", "shared")
    assert (world.project / ".git/info/exclude").read_text() == before
    assert (
        hardwon(world, "init", "--agent", "codex", "--yes", "--json").document["conversations"][
            "kept"
        ]
        == "shared"
    )


def test_a_session_in_a_linked_work_tree_is_kept_in_the_main_one(world: World) -> None:
    linked = world.folder / "linked"
    world.git("worktree", "add", "--quiet", str(linked))
    converse(world.at(linked))

    assert list(linked.rglob("memory")) == []
    assert written(world) != []
    assert (added(world), world.at(linked).git("status", "--short")) == ([], "")
    world.git("worktree", "remove", "--force", str(linked))
    assert hardwon(world, "recall", "streaming parser", "--json").items != []


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_private_file_that_vanished_does_not_remove_its_entry_and_a_shared_one_does(
    world: World, *, is_linked: bool
) -> None:
    if is_linked:
        (world.project / "notes/memory").mkdir(parents=True)
        (world.project / "memory").symlink_to("notes/memory")
    for mode, left in (("private", 1), ("shared", 0)):
        init(world, "--conversations", mode)
        converse(world, mode)
        count = (
            "SELECT count(*) > 0 FROM entry_text WHERE file_path LIKE '%/memory/conversations/%'"
        )
        assert world.query(count) == [(1,)]
        for name in written(world):
            (world.project / name).unlink()
        hardwon(world, "index")
        assert world.query(count) == [(left,)], mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_no_file_is_written_where_git_can_not_be_kept_from_it(world: World) -> None:
    (world.project / ".git/info").chmod(0o500)
    converse(world)
    assert written(world) == []


def test_no_file_is_written_where_the_exclusion_is_a_link(world: World) -> None:
    elsewhere = world.folder / "elsewhere"
    elsewhere.write_text("")
    (world.project / ".git/info/exclude").unlink()
    (world.project / ".git/info/exclude").symlink_to(elsewhere)
    done = hardwon(world, "remember", UTTERANCE)

    assert done.code == 2
    assert "is a link: conversations can't be kept out of git, so none is written" in done.stderr
    assert (elsewhere.read_text(), (world.project / "memory").exists()) == ("", False)


def test_a_project_below_the_top_of_its_repository_is_excluded_by_its_path(world: World) -> None:
    below = world.project / "packages" / "a[1]"
    below.mkdir(parents=True)
    world.project = below
    assert hardwon(world, "remember", UTTERANCE).code == 0

    assert written(world) != []
    assert world.at(below).git("status", "--short") == ""


def test_other_lines_of_the_exclusion_stay_byte_for_byte(world: World) -> None:
    path = world.project / ".git/info/exclude"
    path.write_bytes(b"# mine\r\n*.log\r\n\xff")
    init(world, "--conversations", "private")
    assert path.read_bytes().startswith(b"# mine\r\n*.log\r\n\xff\r\n")
    init(world, "--conversations", "shared")

    assert path.read_bytes() == b"# mine\r\n*.log\r\n\xff\r\n"
