"""A person is answered by `hardwon recall` from all projects of theirs, an agent from the workspace."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entrypoints.folders import UNTRUSTED, Repositories
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import run
from tests.fakes.doors import Ran

PEOPLES = [
    {},
    {"CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CONFIG_DIR": "/x"},
    {"CODEX_HOME": "/x", "GEMINI_CLI_IDE_SERVER_PORT": "1"},
    {"OPENCODE_CONFIG": "/x", "CLAUDECODE": ""},
]
"""Variables that users and terminals set."""

AGENTS = [
    {"CLAUDECODE": "1"},
    {"CLAUDE_CODE_ENTRYPOINT": "cli"},
    {"CLAUDE_CODE_SESSION_ID": "4e10"},
    {"CODEX_SANDBOX": "seatbelt"},
    {"CODEX_THREAD_ID": "1"},
    {"GEMINI_CLI": "1"},
    {"OPENCODE": "1"},
    {"AI_AGENT": "x"},
]
"""Variables that hosts set for the programs they run."""

BOTH_HERE = {"Rotate the staging keys", "Rotate the billing keys"}
MORE = "2 more relevant memories elsewhere (--scope global)"


def save(places: Repositories, folder: Path, *descriptions: str) -> None:
    for description in descriptions:
        assert places.run(folder, "save", "--description", description).code == 0


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repositories]:
    """Return two siblings, `src/here` and `src/sibling`, `apart/far` and a foreign `src/clone`, with sessions on keys in each."""
    with contextlib.ExitStack() as cleanup:
        places = Repositories(World(tmp_path_factory.mktemp("askers") / "world", cleanup))
        for name in ("src/here", "src/sibling", "apart/far", "src/empty", "lonely/empty"):
            places.make(name)
        places.make("src/clone", UNTRUSTED)
        save(places, places.folder("src/here"), "Rotate the staging keys")
        save(places, places.folder("src/sibling"), "Rotate the billing keys")
        save(places, places.folder("apart/far"), "Rotate the mail keys", "Rotate the search keys")
        save(places, places.folder("src/clone"), "Rotate the foreign keys")
        yield places


@contextlib.contextmanager
def run_with(places: Repositories, variables: dict[str, str]) -> Iterator[None]:
    before = places.world.variables
    places.world.variables = {**before, **variables}
    yield
    places.world.variables = before


def ask(places: Repositories, name: str, *options: str, **variables: str) -> Ran:
    with run_with(places, variables):
        return places.run(places.folder(name), "recall", "rotate", "keys", *options)


def titles(ran: Ran) -> set[str]:
    return {item["title"] for item in ran.items}


@pytest.mark.parametrize("variables", PEOPLES, ids=" ".join)
def test_a_person_is_answered_from_all_projects_of_theirs(
    places: Repositories, variables: dict[str, str]
) -> None:
    done = ask(places, "src/here", "--json", **variables)

    assert titles(done) == BOTH_HERE | {"Rotate the mail keys", "Rotate the search keys"}
    assert done.document.keys() == {"items"}
    assert ask(places, "src/here", **variables).stdout.startswith("Searching 4 memories...\n")


@pytest.mark.parametrize("variables", AGENTS, ids=" ".join)
def test_an_agent_is_answered_from_the_workspace_and_shown_what_is_elsewhere(
    places: Repositories, variables: dict[str, str]
) -> None:
    first, *_, more, last = ask(places, "src/here", **variables).stdout.splitlines()

    assert (first, more) == ("Searching 2 memories...", MORE)
    assert last == "Found 2 relevant memories (threshold: 0.5)"
    done = ask(places, "src/here", "--json", **variables)
    assert (titles(done), done.document["elsewhere"]) == (BOTH_HERE, 2)


@pytest.mark.parametrize(
    ("collection", "is_shown"), [("sessions", True), ("documents", False), ("learnings", False)]
)
def test_each_collection_says_what_of_it_is_elsewhere(
    places: Repositories,
    collection: str,
    is_shown: bool,  # noqa: FBT001  # a column of the table
) -> None:
    done = ask(places, "src/here", "--in", collection, CLAUDECODE="1")

    assert (MORE in done.stdout.splitlines()) is is_shown


def test_a_slash_command_is_an_agents_whatever_the_environment_says(places: Repositories) -> None:
    world = places.world.at(places.folder("src/here"))
    typed = run(world, "hardwon", "recall", "--typed", stdin=b"rotate keys\n")
    widened = run(world, "hardwon", "recall", "--typed", stdin=b"rotate keys --scope global\n")

    assert MORE in typed.stdout.splitlines()
    assert widened.stdout.startswith("Searching 5 memories...\n")
    assert "elsewhere" not in widened.stdout


def test_a_tool_answers_from_the_workspace_and_says_how_much_is_elsewhere(
    places: Repositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, clone = (
        Visitor(places.world.at(places.folder(name)), monkeypatch)
        for name in ("src/here", "src/clone")
    )
    narrow, wide = [
        here.answer("memory_search", query="rotate keys", **more)
        for more in ({}, {"scope": "global"})
    ]
    foreign = clone.answer("memory_search", query="rotate keys")

    assert {row["title"] for row in narrow["others"]} == BOTH_HERE
    assert (narrow["elsewhere"], wide["elsewhere"]) == (2, 0)
    assert "2 more relevant in other projects: scope global shows them" in narrow["message"]
    assert len(wide["others"]) == 5
    assert foreign["elsewhere"] == 0
    assert "other projects" not in foreign["message"]


@pytest.mark.parametrize(
    ("name", "variables", "first"),
    [
        (
            "lonely/empty",
            {"CLAUDECODE": "1"},
            "Searching 0 memories here, 4 elsewhere (--scope global)...",
        ),
        ("lonely/empty", {}, "Searching 4 memories..."),
        ("src/clone", {}, "Searching 5 memories..."),
        ("src/clone", {"CLAUDECODE": "1"}, "Searching 1 memories..."),
    ],
)
def test_the_first_line_never_hides_what_the_store_holds(
    places: Repositories, name: str, variables: dict[str, str], first: str
) -> None:
    assert ask(places, name, **variables).stdout.splitlines()[0] == first


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (("--scope", "project"), "Searching 0 memories here, 4 elsewhere (--scope global)..."),
        (
            ("--scope", "project", "--in", "sessions"),
            "Searching 0 memories here, 4 elsewhere (--scope global)...",
        ),
        (("--tag", "nobody"), "Searching none of the memories in the store..."),
        (("--type", "gotcha"), "Searching none of the memories in the store..."),
        (("--scope", "workspace"), "Searching 0 memories here, 4 elsewhere (--scope global)..."),
    ],
)
def test_a_question_that_is_narrowed_to_nothing_says_so(
    places: Repositories, options: tuple[str, ...], first: str
) -> None:
    assert ask(places, "lonely/empty", *options).stdout.splitlines()[0] == first


def test_an_agent_in_a_foreign_project_without_memories_gets_no_figure(empty_world: World) -> None:
    places = Repositories(empty_world)
    save(places, places.make("mine"), "Rotate the keys")
    places.make("clone", UNTRUSTED)

    done = ask(places, "clone", CLAUDECODE="1")

    assert (
        done.stdout
        == "Searching none of the memories in the store...\nNo relevant memories found for query\n"
    )
    assert ask(places, "clone").stdout.startswith("Searching 1 memories...\n")


def test_hits_are_labelled_where_projects_mix_and_the_present_one_comes_first_among_equals(
    empty_world: World,
) -> None:
    places = Repositories(empty_world)
    folders = [places.make(f"{name}/app") for name in ("a", "b", "c")]
    for folder in folders:
        note = folder / "memory" / "gotchas" / f"{folder.parent.name}.md"
        note.parent.mkdir(parents=True)
        note.write_text(f"# Keys\n\nRotate the keys by hand, number {folder.parent.name}.\n")
        os.utime(note, (1_770_000_000, 1_770_000_000))
        assert places.run(folder, "index").code == 0

    for folder in folders:
        shown = places.run(folder, "recall", "rotate", "keys").stdout
        labels = [
            line.removeprefix("   From: ")
            for line in shown.splitlines()
            if line.startswith("   From: ")
        ]
        assert sorted(labels) == ["a/app", "b/app", "c/app"]
        assert labels[0] == f"{folder.parent.name}/app"
    narrowed = places.run(folders[0], "recall", "rotate", "keys", "--scope", "project").stdout
    assert "From:" not in narrowed


def test_a_lesson_for_here_answers_elsewhere_on_request_only(empty_world: World) -> None:
    places = Repositories(empty_world)
    mine, other = places.make("mine"), places.make("other")
    assert places.run(mine, "add", "Rotate the keys at night", "--here").code == 0

    shown = hardwon_at(places, other)
    assert (
        shown
        == "Searching none of the memories in the store...\nNo relevant memories found for query\n"
    )
    assert (
        "Rotate the keys at night"
        in places.run(other, "recall", "rotate", "keys", "--scope", "global").stdout
    )
    assert "Rotate the keys at night" in hardwon_at(places, mine)


def hardwon_at(places: Repositories, folder: Path) -> str:
    return places.run(folder, "recall", "rotate", "keys").stdout
