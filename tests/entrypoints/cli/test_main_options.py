"""Options mean the same at every command: a walk over all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from hardwon.entrypoints.cli.commands import COMMANDS
from hardwon.entrypoints.cli.program import add
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep


def walk(command: object, name: str) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for item, part in command.commands.items():
            yield from walk(part, f"{name} {item}".strip())
    elif isinstance(command, TyperCommand):
        yield name, command


def all_commands() -> dict[str, TyperCommand]:
    app = typer.Typer()
    for name, command in COMMANDS.items():
        add(command, app, name)
    return dict(walk(typer.main.get_command(app), ""))


WITH = {
    name: {option for parameter in command.params for option in parameter.opts}
    for name, command in all_commands().items()
}
LIMITS = {
    name: parameter.type
    for name, command in all_commands().items()
    for parameter in command.params
    if "--limit" in parameter.opts
}
DESTRUCTIVE = [
    ["delete", "{id}"],
    ["forget", "unit"],
    ["checkpoint", "restore", "taken"],
    ["checkpoint", "delete", "taken"],
    ["restore", "{backup}"],
    ["project", "merge", "other", "{project}"],
]


def test_every_limit_is_at_least_1() -> None:
    assert len(LIMITS) >= len({"recall", "list", "context", "why", "review", "label"})
    assert {name: getattr(kind, "min", None) for name, kind in LIMITS.items()} == dict.fromkeys(
        LIMITS, 1
    )


@pytest.mark.parametrize("command", ["list", "recall unit", "context", "label", "review", "why"])
@pytest.mark.parametrize("limit", ["0", "-3"])
def test_a_limit_below_1_is_refused_in_one_line(world: World, command: str, limit: str) -> None:
    done = hardwon(world, *command.split(), "--limit", limit)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"{limit} is not in the range" in done.stderr


def test_every_command_that_asks_first_can_show_what_it_would_do() -> None:
    asking = {name for name, options in WITH.items() if "--yes" in options}

    assert {"delete", "forget", "restore", "checkpoint restore", "project merge"} <= asking
    assert {name for name in asking if "--dry-run" not in WITH[name]} == set()


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("arguments", DESTRUCTIVE, ids=lambda words: " ".join(words[:2]))
def test_a_dry_run_says_what_would_be_done_and_changes_nothing(
    world_by_word: World, tmp_path: Path, arguments: list[str], form: tuple[str, ...]
) -> None:
    world = world_by_word
    entry = keep(world)
    backup = str(tmp_path / "copy.backup")
    hardwon(world, "backup", backup)
    hardwon(world, "checkpoint", "create", "taken", "--scope", "all")
    other = tmp_path / "other"
    other.mkdir()
    hardwon(world, "add", "Ports", "Two servers share one port.", "--project-root", str(other))
    names = {"id": entry.entry_id, "backup": backup, "project": str(world.project)}
    before = (
        hardwon(world, "list", "--scope", "global").stdout,
        hardwon(world, "checkpoint", "list"),
    )

    done = hardwon(
        world,
        *(word.format(**names) for word in arguments),
        "--dry-run",
        *form,
    )

    assert (done.code, done.stderr) == (0, "")
    if form:
        assert (done.document["dry_run"], bool(done.document["would"])) == (True, True)
    else:
        assert done.stdout.startswith("Would ")
    assert before == (
        hardwon(world, "list", "--scope", "global").stdout,
        hardwon(world, "checkpoint", "list"),
    )


@pytest.mark.parametrize(
    "command", ["list", "recall unit", "recall unit --in learnings", "context"]
)
def test_json_calls_an_entry_by_the_same_names_at_every_command(
    world_by_word: World, command: str
) -> None:
    entry = keep(world_by_word)
    [item] = hardwon(world_by_word, *command.split(), "--json").items

    assert (item["id"], item["kind"], item["name"]) == (entry.entry_id, "learning", entry.name)


@pytest.mark.parametrize(
    ("command", "opposite"),
    [
        ("add x --everywhere", "--here"),
        ("import --embed", "--no-embed"),
        ("recall x --no-explain", "--explain"),
        ("update 1 --not-here", "--here"),
        ("delete 1 --no-dry-run", "--dry-run"),
    ],
)
def test_an_unknown_option_is_answered_with_its_opposite(
    world: World, command: str, opposite: str
) -> None:
    done = hardwon(world, *command.split())

    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert opposite in done.stderr.partition("Possible options: ")[2]


PAIRS = [
    (name, parameter.opts[0], parameter.secondary_opts[0])
    for name, command in all_commands().items()
    for parameter in command.params
    if parameter.secondary_opts
]


@pytest.mark.parametrize(("command", "option", "opposite"), PAIRS)
def test_an_option_is_refused_beside_its_opposite(
    empty_world: World, command: str, option: str, opposite: str
) -> None:
    for options in ((option, opposite), (opposite, option)):
        done = hardwon(empty_world, *command.split(), "0123456789abcdef", *options)

        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert f"'{option}': goes without {opposite}; see hardwon {command}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["forget", "--gone", "/gone", "--dry-run"], "'--gone': goes without --dry-run"),
        (["forget", "--undo-tombstone", "ab12", "--dry-run"], "goes without --dry-run"),
        (["forget", "a text", "--secrets"], "'--secrets': goes without TEXT or ID"),
        (["init", "--plugin", "plugin", "--dry-run"], "'--plugin': goes without --dry-run"),
        (["init", "--remove", "--conversations", "private"], "goes without --conversations"),
        (["capture", "--status", "--discard", "x"], "'--status': goes without --discard"),
        (["capture", "--all", "--force"], "'--all': goes without --force"),
        (["review", "ab12", "cd34", "--merge", "--keep-both"], "goes without --keep-both"),
        (["trust", "--list", "--revoke"], "'--list': goes without --revoke"),
    ],
)
def test_an_option_that_is_a_task_of_its_own_is_refused_beside_another_task(
    empty_world: World, arguments: list[str], refusal: str
) -> None:
    before = sorted(empty_world.folder.rglob("*"))
    done = hardwon(empty_world, *arguments)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert refusal in done.stderr
    assert sorted(empty_world.folder.rglob("*")) == before
