"""The context of work that the hook detects, as the diagnostic line reports it."""

import re

import pytest

from hardwon.domain.model.entry import Entry
from tests.adapters.git.repository import git
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import block_of, entry

LABELLED = (
    "Phase two of the rollout is manual",
    "Close a file before it is renamed",
    "Each phase of the migration can be run twice",
    "A lock file outlives the process that made it",
    "Files above 2 GB are read in chunks",
    "Every message names its phase",
    "Files of the design phase outlive it",
    "Temporary files go to a folder of their own",
    "Count the open file handles",
    "A file without a newline at its end is legal",
    "No phase starts before the one ahead has ended",
    "Sort the files of a folder, their order is random",
)
"""Lessons that only have words in common with the labels, the phase and the folders of a query."""

ABOUT_AUTH = (
    "Compare tokens in constant time",
    "Log in once and reuse the session",
    "An expired session is refused with 401",
    "Hash a password with a salt of its own",
    "Login errors never say which half was wrong",
    "Rotate the refresh token at every use",
    "Sign out revokes the token on the server",
    "Limit login attempts by account and address",
)
OTHERS = (
    "Quote identifiers in SQL",
    "Retry with a backoff",
    "Round money once, at the end",
    "Queues need a dead letter box",
    "Cache keys carry a version",
    "Pin the base image",
    "Colours need enough contrast",
    "Store moments in UTC",
)


def lessons(*names: str) -> list[Entry]:
    return [entry(name, f"{name}.") for name in names]


def context(world: World) -> str:
    found = re.search(r"context: (.*) \| model", block_of(world.argument_form().stdout).diagnostic)
    assert found
    return found[1]


def test_without_any_signal_nothing_is_searched_for(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))

    assert (
        "active (vector=0, fts5=0, pending_embedding=1) | context: none | model: none*"
        in empty_world.hook().stdout
    )


def test_a_feature_is_named_described_and_placed(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature(
        "1-x", {"slug": "x", "status": "active", "lastCompletedPhase": "design"}, spec="# T\n\ny\n"
    )
    empty_world.commit("a")
    empty_world.commit("b")

    assert context(empty_world) == '"x: y. Phase: design. Files: b..."'


def test_without_a_specification_the_requirements_describe_the_feature(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("1-x", {"slug": "x", "status": "active"}, prd="# T\n\nfrom the prd\n")

    assert context(empty_world) == '"x: from the prd. Phase: unknow..."'


@pytest.mark.parametrize("phase", [{}, {"lastCompletedPhase": None}])
def test_a_missing_phase_is_unknown(empty_world: World, phase: dict[str, object]) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("1-x", {"slug": "x", "status": "active", **phase})

    assert context(empty_world) == '"x. Phase: unknown..."'


def test_without_a_feature_the_changed_files_are_the_context(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.commit("zero")
    for name in "abc":
        empty_world.commit(f"{name}.py")

    assert context(empty_world) == '"Files: a.py b.py c.py..."'


def test_files_that_hardwon_wrote_itself_are_no_context(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    for folder in ("memory/conversations", "docs/knowledge-bank", "src"):
        (empty_world.project / folder).mkdir(parents=True)
    empty_world.commit("README.md")
    empty_world.commit(
        *(f"memory/conversations/{number:02}.md" for number in range(30)), "memory/note.md"
    )
    assert context(empty_world) == "none"

    empty_world.commit("memory/other.md", "src/parser.py")
    assert context(empty_world) == '"Files: src/parser.py..."'


def test_the_active_feature_of_the_highest_number_wins_and_broken_ones_are_named(
    empty_world: World,
) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("012-a", {"slug": "a", "status": "active"})
    empty_world.write_feature("003-b", {"slug": "b", "status": "active"})
    empty_world.write_feature("020-c", {"slug": "c", "status": "completed"})
    empty_world.write_feature("030-d", "{")
    run = empty_world.argument_form()

    assert 'context: "a. Phase: unknown..."' in run.stdout
    assert len(run.log) == 1
    assert "'030-d'" in run.stderr


def searched(world: World) -> str | None:
    """Return the query of the session that a host starts."""
    world.hook()
    [(query,)] = world.query("SELECT query FROM receipt ORDER BY number DESC LIMIT 1")
    return None if query is None else str(query)


def test_a_host_starts_with_the_present_work(empty_world: World) -> None:
    empty_world.remember(*lessons("Read partner feeds", *OTHERS))
    empty_world.commit("README.md")
    git(empty_world.project, "checkout", "-q", "-b", "feature/031-partner-feeds")
    empty_world.commit("kept.go", "changed.go")
    for name in ("changed.go", "staged.py", "new.rs"):
        (empty_world.project / name).write_text("now", "utf-8")
    git(empty_world.project, "add", "staged.py")
    empty_world.write_feature("1-x", {"slug": "supplier-feeds", "status": "active"})

    assert searched(empty_world) == (
        "python go rust. partner feeds. supplier feeds. x. staged.py changed.go docs/ new.rs"
    )


def test_commits_of_others_and_the_default_branch_are_no_present_work(empty_world: World) -> None:
    empty_world.remember(*lessons("Read partner feeds", *OTHERS))
    git(empty_world.project, "init", "-q", "-b", "main")
    for name in "abcd":
        empty_world.commit(f"{name}.py")

    assert searched(empty_world) is None

    (empty_world.project / "feeds.py").write_text("now", "utf-8")
    assert searched(empty_world) == "python. feeds.py"


@pytest.mark.parametrize("embedded", [True, False], ids=["with vectors", "without vectors"])
def test_the_labels_of_the_query_are_not_searched_for(empty_world: World, embedded: bool) -> None:  # noqa: FBT001
    empty_world.write_feature(
        "4-auth",
        {"slug": "auth", "status": "active", "lastCompletedPhase": "design"},
        spec="# Auth\n\nUsers log in with a password and get a session token.\n",
    )
    for folder in ("src/auth", "tests/auth"):
        (empty_world.project / folder).mkdir(parents=True)
    empty_world.commit("README.md")
    empty_world.commit("src/auth/loginSession.py", "tests/auth/token_test.py")
    empty_world.remember(*lessons(*LABELLED, *ABOUT_AUTH, *OTHERS))
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local" if embedded else "off"
    if embedded:
        empty_world.embed()
    run = empty_world.argument_form("--limit", "6")
    block = block_of(run.stdout)
    names = {heading.removeprefix("### Pattern: ") for heading in block.headings}

    assert f"vector={28 if embedded else 0}, " in block.diagnostic
    assert len(names) == 6
    assert names <= set(ABOUT_AUTH)
