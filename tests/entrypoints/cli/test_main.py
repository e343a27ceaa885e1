"""Behaviour common to every command of `hardwon`: help, exit codes, errors in one line, plain output."""

import os
import pty
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.entrypoints.cli.commands import COMMANDS, SECTIONS, SYNONYMS, Group
from hardwon.entrypoints.cli.main import main
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import finish, hardwon, keep, run, start
from tests.fakes.doors import Ran

ON_A_STORE = (("import",), ("embed",), ("list",), ("show", "abcd"), ("stats",))
LOCKED_OUT = (("list",), ("stats", "--json"))

COMMAND_LINES = [
    " ".join((name, *part))
    for name, command in COMMANDS.items()
    for part in ([(item,) for item in command.commands] if isinstance(command, Group) else [()])
]

MISTAKES = {
    "unknown command": (("xyzzy",), "No such command 'xyzzy'; see hardwon --help"),
    "unknown option": (("list", "--al"), "No such option: --al"),
    "option of another command": (("list", "--all"), "see hardwon list --help"),
    "too many arguments": (("stats", "x\ny"), "(x\\x0ay); see hardwon stats"),
    "missing argument": (("show",), "Missing argument 'ID'; see hardwon show --help"),
    "missing value": (("list", "--limit"), "'--limit' requires an argument"),
    "unknown category": (
        ("list", "--category", "tips"),
        "'tips' is not one of 'anti-patterns', 'heuristics', 'patterns'",
    ),
    "no number": (("list", "--limit", "many"), "'--limit'"),
    "the number's value": (("list", "--limit", "many"), "'many' is not a valid"),
    "negative": (("list", "--limit", "-1"), "-1 is not in the range"),
    "too large": (("list", "--offset", "9" * 30), "is not in the range 0<=x<=2147483647"),
    "no such project": (("import", "--project-root", "/no/where"), "'/no/where' is not a folder"),
    "project is a file": (("stats", "--project-root", "/dev/null"), "'/dev/null' is not a folder"),
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world that searches by word only."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


@pytest.fixture
def here(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Return what runs `hardwon` in this process, in the world's project."""
    for name, value in world.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.project)

    def run_here(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["hardwon", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        return Ran(int(left.value.code or 0), *capfd.readouterr())

    return run_here


def test_the_help_lists_all_commands_in_eighty_columns(world: World) -> None:
    done = run(world, "hardwon", "help")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == hardwon(world, "--help").stdout
    sections = done.stdout.split("\n\n")[-len(SECTIONS) :]
    listed = {
        heading.removesuffix(":"): [line.split()[0] for line in lines]
        for heading, *lines in (section.splitlines() for section in sections)
    }
    assert listed == {heading: list(commands) for heading, commands in SECTIONS.items()}
    assert list(listed) == ["Every day", "Memory", "Upkeep", "Agents"]
    assert {
        "import",
        "embed",
        "list",
        "show",
        "stats",
        "doctor",
        "demo",
        "add",
        "search",
    } <= COMMANDS.keys()
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_help_of_the_program_imports_no_command(here: Callable[..., Ran]) -> None:
    for name in [name for name in sys.modules if name.startswith("hardwon.entrypoints.cli.recall")]:
        del sys.modules[name]

    assert here("--help").code == 0
    assert "hardwon.entrypoints.cli.recall" not in sys.modules


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("recal", "recall"),
        ("RECALL", "recall"),
        ("serch", "search"),
        ("find", "recall"),
        ("rm", "delete"),
        ("ls", "list"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest_command(
    here: Callable[..., Ran], word: str, command: str
) -> None:
    done = here(word)

    assert (done.code, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"hardwon: No such command {word!r}. Did you mean {command!r}? See hardwon --help\n"
    )


def test_an_unknown_word_of_a_group_or_an_unknown_option_too(here: Callable[..., Ran]) -> None:
    group, option = here("checkpoint", "creat"), here("list", "--limt", "3")

    assert "Did you mean 'create'? See hardwon checkpoint --help" in group.stderr
    assert "No such option: --limt (Possible options: " in option.stderr
    assert "--limit" in option.stderr


@pytest.mark.parametrize("word", SYNONYMS)
def test_every_synonym_maps_to_a_command_and_is_none(word: str) -> None:
    assert SYNONYMS[word] in COMMANDS
    assert word not in COMMANDS


def test_shell_completion_lists_all_commands(world: World) -> None:
    world.variables |= {
        "_HARDWON_COMPLETE": "complete_bash",
        "COMP_WORDS": "hardwon re",
        "COMP_CWORD": "1",
    }

    assert run(world, "hardwon").stdout.split() == [
        name for name in COMMANDS if name.startswith("re")
    ]


def test_search_is_recall_by_another_name(world: World) -> None:
    keep(world)

    assert hardwon(world, "search", "unit", "--explain") == hardwon(
        world, "recall", "unit", "--explain"
    )
    helps = [
        hardwon(world, name, "--help").stdout.splitlines()[1:] for name in ("search", "recall")
    ]
    assert helps[0] == helps[1]


@pytest.mark.parametrize("command", COMMAND_LINES)
def test_every_command_has_help(here: Callable[..., Ran], world: World, command: str) -> None:
    done = here(*command.split(), "--help")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: hardwon {command} ")
    assert "-h, --help" in done.stdout
    assert ("--json" in done.stdout) is (command not in {"demo", "export", "view"})
    assert "\x1b" not in done.stdout
    assert not world.store.exists()


def test_a_mistake_ends_a_process_with_exit_code_1(world: World) -> None:
    done = hardwon(world, "rm")

    message = "hardwon: No such command 'rm'. Did you mean 'delete'? See hardwon --help\n"
    assert done == (1, "", message)


def test_the_version_is_reported(world: World) -> None:
    done = hardwon(world, "--version")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("hardwon 0.")


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_the_user_is_one_line_and_exit_code_1(
    here: Callable[..., Ran], world: World, arguments: tuple[str, ...], message: str
) -> None:
    done = here(*arguments)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("hardwon: ")
    assert message in done.stderr
    assert not world.store.exists()


@pytest.mark.parametrize("arguments", ON_A_STORE, ids=lambda arguments: arguments[0])
def test_a_broken_store_is_one_line_and_exit_code_2(
    world: World, arguments: tuple[str, ...]
) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    world.store.mkdir()
    world.database.write_bytes(b"garbage" * 1_000)

    done = hardwon(world, *arguments)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"hardwon: {world.database}: ")
    assert "run: hardwon doctor --repair" in done.stderr
    assert world.database.read_bytes() == b"garbage" * 1_000


def test_a_store_named_as_a_file_is_one_line_and_exit_code_2(world: World) -> None:
    done = hardwon(world, "list", "--global-store", "/dev/null")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_warning_about_settings_goes_to_standard_error(world: World) -> None:
    world.configure(injection_limit="many\x1b[2J")

    done = hardwon(world, "stats", "--json")

    assert done.document["settings"]["injection_limit"] == 20
    [line] = done.stderr.splitlines()
    assert line.startswith("Warning: memory_injection_limit in .claude/iflow-dev.local.md is ")
    assert "\x1b" not in line


@pytest.mark.parametrize("command", [("list",), ("doctor",), ("stats",), ("import",)])
def test_piped_output_has_no_escape_codes_and_no_progress_bar(
    world: World, command: tuple[str, ...]
) -> None:
    world.variables |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    keep(world)

    done = hardwon(world, *command)

    assert (done.code, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout


def on_a_terminal(world: World, columns: int, *arguments: str) -> str:
    """Run a command with a terminal as its standard output."""
    ours, theirs = pty.openpty()
    world.variables |= {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    process = start(world, "hardwon", *arguments, redirections=f">{os.ttyname(theirs)}")
    shown = b""
    with open(ours, "rb", buffering=0) as terminal:
        done = finish(process)
        os.close(theirs)
        while chunk := _read(terminal.fileno()):
            shown += chunk
    assert (done.code, done.stderr) == (0, "")
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so at the end
        return b""


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
def test_ids_are_whole_in_a_terminal_of_any_width(world: World, columns: int) -> None:
    keep(world, name="A name that is quite a bit longer than thirty columns")
    [(entry_id,)] = world.query("SELECT id FROM entries")

    shown = on_a_terminal(world, columns, "list")

    assert entry_id in shown
    assert "…" not in shown
    assert ("recalls" in shown) is (columns >= 100)


def test_a_terminal_gets_colours_unless_it_wants_none(world: World) -> None:
    assert "\x1b[" in on_a_terminal(world, 80, "doctor")
    world.variables["NO_COLOR"] = "1"
    keep(world)
    assert "\x1b" not in on_a_terminal(world, 80, "doctor")
    assert "\x1b" not in on_a_terminal(world, 80, "list")


def test_output_that_cannot_be_written_exits_with_2(world: World) -> None:
    done = run(world, "hardwon", "stats", redirections=">/dev/full")

    assert (done.code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("hardwon: standard output: ")


def test_a_reader_that_leaves_early_is_no_error(world: World) -> None:
    world.write_bank(
        "patterns", "".join(f"### Pattern {number}\nText {number}.\n" for number in range(800))
    )
    world.import_bank()
    with start(world, "hardwon", "list", "--limit", "800") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        utterance = process.stderr.read()

    assert (process.returncode, utterance) == (0, b"")


def test_ctrl_c_ends_a_writer_that_waits_for_its_entry_without_a_traceback(world: World) -> None:
    process = start(world, "hardwon-writer", "--action", "upsert", "--entry-file", "-")
    assert process.stdin
    process.stdin.write(b"{" * 200_000)  # more than a pipe holds: it reads by now
    process.send_signal(signal.SIGINT)

    done = finish(process)

    assert (done.code, done.stderr) == (130, "")
    assert not world.store.exists()


@pytest.mark.parametrize("command", [["list"], ["stats"], ["doctor"], ["show", "abcd"]])
def test_a_command_that_only_looks_leaves_no_trace_where_there_is_no_store(
    empty_world: World, tmp_path: Path, command: list[str]
) -> None:
    nowhere = tmp_path / "mistyped" / "store"
    done = hardwon(empty_world, *command, "--global-store", str(nowhere))

    assert done.code in {0, 1}
    assert not nowhere.parent.exists()


def test_help_is_a_word_too(world: World) -> None:
    assert hardwon(world, "help") == hardwon(world, "--help")
    for named in (["recall"], ["checkpoint"], ["checkpoint", "list"]):
        assert hardwon(world, "help", *named) == hardwon(world, *named, "--help")
