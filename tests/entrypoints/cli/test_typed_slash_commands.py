"""Every slash command that we ship, run as its host runs it, with what a user may type after it."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon.entrypoints.cli.recall import NOT_FOUND
from tests.entrypoints.folders import ALL, ANSWER, init, items, on_a_feature_branch
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.planted import WORKSPACE, memory
from tests.entrypoints.programs import VALID, hardwon
from tests.fakes.doors import Ran, run_here
from tests.machine import LONGEST_WAIT

PLUGIN = Path(__file__).resolve().parents[3] / "plugin"


BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


GEMINI_BLOCK = re.compile(r"!\{((?:[^{}]|\{\{args\}\})*)\}")


class SlashCommand(NamedTuple):
    """
    One file of a slash command.

    Attributes:
        host: The program that reads it.
        name: The name typed after the host's own sign; of a skill its name.
        text: All of it.

    """

    host: str
    name: str
    text: str

    @property
    def prompt(self) -> str:
        """The prompt for the model, before the host inserts anything."""
        return (
            str(tomllib.loads(self.text)["prompt"])
            if self.host == "gemini"
            else self.text.split("---\n", 2)[2]
        )

    @property
    def blocks(self) -> list[str]:
        """The parts that a shell runs."""
        return (self.host == "gemini" and GEMINI_BLOCK.findall(self.prompt)) or BLOCK.findall(
            self.prompt
        )


def is_typed(block: str) -> bool:
    """Return whether typed arguments are in a block."""
    return any(name in block for name in ("$ARGUMENTS", "{{args}}", "TYPED"))


def shipped() -> list[SlashCommand]:
    """Return every command and skill of the plugin."""
    commands = [
        SlashCommand("plugin", path.stem, path.read_text())
        for path in sorted(PLUGIN.glob("commands/**/*.md"))
    ]
    skills = [
        SlashCommand("plugin", path.parent.name, path.read_text())
        for path in sorted(PLUGIN.glob("skills/*/*.md"))
    ]
    return commands + skills


def written_by_init(project: Path) -> list[SlashCommand]:
    """Return every file that `hardwon init` has written into a project that was empty, but for `.mcp.json`."""
    paths = sorted(
        path.relative_to(project)
        for path in project.rglob("*")
        if path.is_file() and path.name != ".mcp.json"
    )
    return [
        SlashCommand(HOSTS_BY_FOLDER[path.parts[:2]], _name(path), (project / path).read_text())
        for path in paths
    ]


HOSTS_BY_FOLDER: dict[tuple[str, ...], str] = {
    (".claude", "commands"): "claude",
    (".opencode", "commands"): "opencode",
    (".codex", "skills"): "codex",
    (".gemini", "commands"): "gemini",
}


def _name(path: Path) -> str:
    return path.parent.name if path.name == "SKILL.md" else "/".join(path.with_suffix("").parts[2:])


def typed_into(command: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """
    Return what is run when the user types *typed*, once for each shell that the host may start;
    nothing when it asks first.

    Args:
        command: The file.
        block: One of its blocks.
        typed: The text after the command's name.

    """
    return _HOSTS[command.host](command, block, typed)


def run(world: World, started: Sequence[str]) -> Ran:
    """Run what a host starts."""
    with _started(world, started) as process:
        return _ran(process)


def run_with_desk(world: World, started: Sequence[str]) -> Ran:
    """Run what a host starts; programs that `put_desk` has put in front run in this process."""
    desk = world.folder / "desk"
    with _started(world, started) as process:
        while process.poll() is None:
            if (desk / "asked").exists():
                _answer(desk)
            time.sleep(PAUSE)
        return _ran(process)


def put_desk(world: World, *programs: str) -> None:
    """Put scripts before the installed programs that hand on what they were given, and give back what comes of it."""
    desk = world.folder / "desk"
    desk.mkdir()
    os.mkfifo(desk / "answered")
    for program in programs:
        world.put_program(program, SCRIPT.format(desk=shlex.quote(str(desk)), program=program))


PAUSE = 0.002


SCRIPT = """
cd_was=$PWD
cd {desk} || exit 99
cat >stdin
env -0 >environment
printf '%s\\0' {program} "$cd_was" "$@" >asking
mv asking asked
read -r code <answered
cat out
cat err >&2
exit "$code"
"""


def _answer(desk: Path) -> None:
    program, folder, *arguments = _words(desk / "asked")
    variables = dict(line.split("=", 1) for line in _words(desk / "environment"))
    stdin = (desk / "stdin").read_bytes() or None
    (desk / "asked").unlink()
    ran = run_here(program, arguments, stdin=stdin, env=variables, folder=Path(folder))
    (desk / "out").write_bytes(ran.stdout.encode())
    (desk / "err").write_bytes(ran.stderr.encode())
    (desk / "answered").write_text(f"{ran.code}\n")


def _words(path: Path) -> list[str]:
    return path.read_text(errors="surrogateescape").split("\0")[:-1]


def _started(world: World, started: Sequence[str]) -> subprocess.Popen[bytes]:
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    return subprocess.Popen(
        started, cwd=world.project, env=world.variables, stdin=null, stdout=pipe, stderr=pipe
    )


def _ran(process: subprocess.Popen[bytes]) -> Ran:
    stdout, stderr = process.communicate(timeout=LONGEST_WAIT)
    return Ran(process.returncode, stdout.decode(), stderr.decode())


def _claude(_: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """
    Replace each name by its value, wherever it stands; run it in bash by `eval`.

    Before it runs a command it takes it apart, and asks the user about each part that the file does
    not allow. After a here-document that ran early there is such a part: the last line, which
    says its end a second time.
    """
    script = block.replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)).replace("$ARGUMENTS", typed)
    rest = re.search(r"<<'(\w+)'\n(?:.*?\n)??\1\n(.*)", script, re.DOTALL)
    return [] if rest and rest[2] else [["bash", "-c", f"eval {shlex.quote(script)}"]]


def _opencode(command: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """Replace `$ARGUMENTS` as JavaScript's `replaceAll` does, which reads `$&` and its like in what comes in its place."""
    before, _, after = command.prompt.partition("$ARGUMENTS")
    within = block.partition("$ARGUMENTS")
    replaced = (
        within[0] + javascript(typed, before, "$ARGUMENTS", after) + within[2]
        if within[1]
        else block
    )
    return [["bash", "-c", replaced], ["sh", "-c", replaced]]


def _codex(_: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """Leave it to the model, which puts the text where the skill says."""
    replaced = block.replace("TYPED", typed)
    return [["bash", "-c", replaced], ["sh", "-c", replaced]]


def _gemini(_: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """Quote the text for a shell, put it in as JavaScript's `replaceAll` does, and run it; its output goes into the prompt."""
    if "{{args}}" not in block:
        return [["bash", "-c", block]]
    before, after = block.split("{{args}}")
    return [["bash", "-c", before + javascript(quoted(typed), before, "{{args}}", after) + after]]


_HOSTS: dict[str, Callable[[SlashCommand, str, str], list[list[str]]]] = {
    "plugin": _claude,
    "claude": _claude,
    "opencode": _opencode,
    "codex": _codex,
    "gemini": _gemini,
}


def javascript(replacement: str, before: str, match: str, after: str) -> str:
    """Return the text by which JavaScript replaces *match*, given *replacement*."""
    patterns = {"$$": "$", "$&": match, "$`": before, "$'": after}
    return re.sub(r"\$[$&`']", lambda found: patterns[found[0]], replacement)


def quoted(text: str) -> str:
    """Return *text* as the package `shell-quote` has it for a shell; nothing for nothing, as Gemini CLI does."""
    if re.search(r'["\s\\]', text) and "'" not in text:
        return f"'{text}'"
    if re.search(r"[\"'\s]", text):
        return '"' + re.sub(r'(["\\$`!])', r"\\\1", text) + '"'
    return re.sub(r"([A-Za-z]:)?([#!\"$&'()*,:;<=>?@\[\\\]^`{|}])", r"\g<1>\\\g<2>", text)


SHIPPED = {f"plugin {command.name}": command for command in shipped()}
NAMES = (
    "recall",
    "remember",
    "save",
    "tlc/recall",
    "tlc/remember",
    "hardwon/pause",
    "hardwon/resume",
)
SETS = {
    "claude": NAMES,
    "opencode": NAMES,
    "gemini": NAMES,
    "codex": [name.replace("/", "-") for name in NAMES],
}
FILES = [*SHIPPED, *(f"{host} {name}" for host, names in SETS.items() for name in names)]

ANSWERED = re.compile(r"^\d+\. ", re.MULTILINE)
DECIDED = "We chose sqlite because one file is enough for everything."

ATTACKS = {
    "substitution": "why $(touch CANARY) `touch CANARY` ${X:=$(touch CANARY)}",
    "double quotes": 'why"; touch CANARY; "',
    "single quotes": "why'; touch CANARY; '",
    "both quotes": "it's \"; touch CANARY; \"'; touch CANARY; '",
    "lines": "why\ntouch CANARY\n",
    "the end": "why\nHARDWON\ntouch CANARY\n",
    "the end at once": "HARDWON\ntouch CANARY",
    "the end twice": "why\nHARDWON\ntouch CANARY\ncat <<'HARDWON'\nmore",
    "the end and a group": "why\nHARDWON\n}; touch CANARY; {",
    "only the end": "HARDWON",
    "the fence": "why\n```\n\n```sh\ntouch CANARY\n```\n",
    "operators": "why | touch CANARY & touch CANARY && touch CANARY; > CANARY",
    "another document": "why <<EOF $(touch CANARY)\nEOF",
    "history": "!! !touch CANARY",
    "a backslash": "why \\\ntouch CANARY \\",
    "what JavaScript reads": "why $& $` $' $$ ; touch CANARY #'\"",
    "what JavaScript reads after quotes": "a!$'\"\ntouch CANARY\n#",
    "JavaScript before": "$`; touch CANARY #",
    "a host's own marks": "!{touch CANARY} @{CANARY} {{args}} $ARGUMENTS $1 %s%n",
    "options that are not for typing": "--global-store CANARY --project-root CANARY why --json --policy keyword",
    "an option's value": "--limit $(touch${IFS}CANARY) why --limit=`touch${IFS}CANARY`",
    "printf": "-v%n -- %d\\n\\x24(touch CANARY)",
    "long": "why sqlite " * 9_000,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world in which there is much to be found about sqlite, of every kind."""
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("slash") / "world", cleanup)
        put_desk(world, "hardwon", "hardwon-writer")
        world.remember(
            memory("decision", "Why sqlite", DECIDED, None, workspace=WORKSPACE).entry,
            memory(
                "decision",
                "Why sqlite in WAL mode",
                "Readers of sqlite go on while one writes.",
                None,
                workspace=WORKSPACE,
            ).entry,
            *(
                memory(
                    "gotcha",
                    f"Why sqlite waits {number}",
                    f"Why sqlite waits on disk {number}.",
                    None,
                    workspace=WORKSPACE,
                ).entry
                for number in range(4)
            ),
            memory(
                "session",
                "Lunch",
                "Why sqlite was talked about at lunch.",
                None,
                workspace=WORKSPACE,
            ).entry,
            memory(
                "document",
                "Sqlite manual",
                "Why sqlite is small, says the manual.",
                None,
                workspace=WORKSPACE,
            ).entry,
        )
        world.embed()
        yield on_a_feature_branch(world)


@pytest.fixture(scope="module")
def by_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, SlashCommand]]:
    """Return every file by host and name: the plugin's, and those that `init` writes for all agents."""
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("init") / "world", cleanup)
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
        assert init(world, *ALL, "--yes").code == 0
        written = {
            f"{command.host} {command.name}": command for command in written_by_init(world.project)
        }
        yield {**SHIPPED, **written}


def test_no_file_is_forgotten_here(by_file: dict[str, SlashCommand]) -> None:
    assert sorted(by_file) == sorted(FILES)


def result(world: World, command: SlashCommand, typed: str, number: int = 0) -> Ran:
    """Type *typed* after a command; return the result of one of its blocks."""
    [started, *_] = typed_into(command, command.blocks[number], typed)
    return run_with_desk(world, started)


def printed(world: World, command: SlashCommand, typed: str, number: int = 0) -> str:
    """Return what a command prints when all is well."""
    ran = result(world, command, typed, number)
    assert (ran.code, ran.stderr) == (0, "")
    return ran.stdout


def refused(world: World, command: SlashCommand, typed: str, number: int = 0) -> str:
    """Return the one line of error for invalid arguments."""
    ran = result(world, command, typed, number)
    assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    return ran.stderr


def check_recall(world: World, command: SlashCommand) -> None:
    assert len(ANSWERED.findall(printed(world, command, "why sqlite"))) == 5
    one = printed(
        world, command, '--in=conversations "why is one file enough for everything?" --limit 1'
    )
    assert len(ANSWERED.findall(one)) == 1
    assert "one file is enough" in one
    assert printed(world, command, "").startswith("Usage: hardwon recall ")


def check_conversations(world: World, command: SlashCommand) -> None:
    everything = printed(world, command, "what does --type decision --limit 1 do in sqlite")
    assert len(ANSWERED.findall(everything)) == 5
    assert (
        len(
            re.findall(
                r"^   \d{1,3}%  (?:decision|gotcha|conversation)  ", everything, re.MULTILINE
            )
        )
        == 5
    )
    one = printed(world, command, "why sqlite --type decision --limit 1")
    assert ANSWERED.findall(one) == ["1. "]
    assert re.match(r"1\. Why sqlite\n   \d{1,3}%  decision  ", one)
    assert not ANSWERED.findall(printed(world, command, "--scope project why sqlite --min-score 2"))
    assert printed(world, command, "").startswith("Usage: hardwon recall ")


def check_remember(world: World, command: SlashCommand) -> None:
    text = 'It\'s "$(here)", as `typed`; --limit 3 is text'
    assert "Remembered permanently: " in printed(world, command, text)
    kept = "".join(
        path.read_text() for path in (world.project / "memory" / "conversations").glob("*.md")
    )
    assert text in kept
    assert "hardwon: " in refused(world, command, "")


def check_memory(world: World, command: SlashCommand) -> None:
    assert re.search(r"^  total +\d+$", printed(world, command, ""), re.MULTILINE)
    assert "ok       store: " in result(world, command, "", 1).stdout
    assert printed(world, command, "", 2).startswith(
        "Nothing was injected into a session of this project yet"
    )
    [[entry_id]] = world.query(
        "SELECT id FROM entry JOIN entry_text ON entry_seq = seq WHERE name = 'Why sqlite'"
    )
    assert printed(world, command, f"{entry_id} --limit 1", 2).startswith(
        f"{entry_id} was not injected into any session"
    )
    assert "'nobody' is no session with an injection and no entry" in refused(
        world, command, "nobody --verify", 2
    )
    assert "--limit wants a value" in refused(world, command, "nobody --limit", 2)


def check_pause(world: World, command: SlashCommand) -> None:
    assert "hardwon is paused in all sessions until " in printed(world, command, " --for 1h")
    assert "is no duration" in refused(world, command, "--for soon")
    assert hardwon(world, "resume").code == 0


def check_resume(world: World, command: SlashCommand) -> None:
    assert hardwon(world, "pause").code == 0
    assert printed(world, command, "").startswith("Resumed: ")
    assert printed(world, command, "") == "Nothing is paused here\n"


def check_save(world: World, command: SlashCommand) -> None:
    odd = 'It\'s "$(touch CANARY)" `touch CANARY` $HOME'
    [block] = command.blocks
    block = block.replace("THE DESCRIPTION", "About shells").replace("\nTEXT\n", f"\n{odd}\n")
    for started in typed_into(command, block, ""):
        done = run_with_desk(world, started)
        assert done.code == 0, done.stderr
        saved, indexed, embedded = done.stdout.splitlines()
        assert odd in Path(saved.removeprefix("Saved: ")).read_text()
        assert indexed.startswith("Indexed: About shells (id: ")
        assert embedded == "Embedded: 1 vector made"


def check_retro(world: World, command: SlashCommand) -> None:
    [block] = command.blocks
    write_answer(world, command, block)


def write_answer(world: World, command: SlashCommand, block: str) -> None:
    [started] = typed_into(command, block.replace("ANSWER.json", str(ANSWER)), "")
    before = world.query(
        "SELECT coalesce(sum(observation_count), 0) FROM entries WHERE source = 'retro'"
    )[0][0]
    done = run_with_desk(world, started)
    assert done.code == 0, done.stderr
    after = world.query("SELECT sum(observation_count) FROM entries WHERE source = 'retro'")[0][0]
    assert after - before == len(items())


def check_retrospecting(world: World, command: SlashCommand) -> None:
    write, by_hand, review, promote = command.blocks
    write_answer(world, command, write)
    lesson = world.folder / "lesson.json"
    lesson.write_text(json.dumps({**VALID, "name": "By hand"}))
    [started] = typed_into(command, by_hand.replace("FILE\n", f"{lesson}\n"), "")
    assert run_with_desk(world, started).code == 0
    assert (Path(world.variables["HOME"]) / ".claude" / "iflow" / "memory" / "memory.db").is_file()
    assert printed(world, command, "", command.blocks.index(review))
    [entry_id, *_] = [
        row[0]
        for row in world.query(
            "SELECT id FROM entries WHERE source = 'retro' AND source_project <> ''"
        )
    ]
    [started] = typed_into(command, promote.replace("ID\n", f"{entry_id}\n"), "")
    assert run_with_desk(world, started).code == 0
    assert world.query("SELECT source_project FROM entries WHERE id = ?", [entry_id]) == [(None,)]


def check_remembering(world: World, command: SlashCommand) -> None:  # noqa: ARG001  # it has nothing to run
    assert command.blocks == []


CHECKS: dict[str, Callable[[World, SlashCommand], None]] = {
    "recall": check_recall,
    "conversations": check_conversations,
    "tlc/recall": check_conversations,
    "tlc-recall": check_conversations,
    "remember": check_remember,
    "tlc/remember": check_remember,
    "tlc-remember": check_remember,
    **dict.fromkeys(("pause", "hardwon/pause", "hardwon-pause"), check_pause),
    **dict.fromkeys(("resume", "hardwon/resume", "hardwon-resume"), check_resume),
    "memory": check_memory,
    "save": check_save,
    "retro": check_retro,
    "retrospecting": check_retrospecting,
    "remembering": check_remembering,
}


@pytest.mark.parametrize("file", FILES)
def test_a_command_does_what_it_is_for(
    world: World, by_file: dict[str, SlashCommand], file: str
) -> None:
    CHECKS[by_file[file].name](world, by_file[file])


@pytest.mark.parametrize("file", ["plugin recall", "gemini recall"])
def test_the_installed_program_answers_too(
    world: World, by_file: dict[str, SlashCommand], file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(world.variables, "PATH", f"{BIN}:{world.variables['PATH']}")
    command = by_file[file]
    [started, *_] = typed_into(command, command.blocks[0], "why sqlite --limit 1")
    done = run(world, started)

    assert (done.code, done.stderr) == (0, "")
    assert ANSWERED.findall(done.stdout) == ["1. "]


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world in which `hardwon` tells what reaches it."""
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("stub") / "world", cleanup)
        world.put_program("hardwon", 'printf "<%s>" "$@"; cat')
        yield world


def reaches(host: str, typed: str) -> bool:
    """Return whether a host passes on exactly what was typed; some hosts change it, and our commands must cope."""
    odd_in_javascript = re.search(r"\$[$&`']", typed)
    if host == "gemini":
        return not odd_in_javascript and not ("'" in typed and "!" in typed)
    return not re.search(r"^HARDWON$", typed, re.MULTILINE) and not (
        host == "opencode" and odd_in_javascript
    )


@pytest.mark.parametrize("file", FILES)
def test_nothing_that_is_typed_is_run(
    stub: World, by_file: dict[str, SlashCommand], file: str
) -> None:
    command, canary = by_file[file], stub.folder / "canary"
    for name, attack in ATTACKS.items():
        typed = attack.replace("CANARY", str(canary))
        for block in filter(is_typed, command.blocks):
            for started in typed_into(command, block, typed):
                done = run(stub, started)
                assert not canary.exists(), name
                if reaches(command.host, typed):
                    assert done.stdout.startswith("<"), name
                    assert done.stdout.partition("<--typed>")[2].rstrip("\n") == typed.rstrip(
                        "\n"
                    ), name
    assert not list(stub.project.iterdir())


@pytest.mark.parametrize("file", FILES)
def test_after_an_early_end_the_block_exits_or_the_host_asks(
    by_file: dict[str, SlashCommand], file: str
) -> None:
    command = by_file[file]
    for block in filter(is_typed, command.blocks):
        asks = not typed_into(command, block, ATTACKS["the end"])
        assert asks is (command.host in {"plugin", "claude"})
        assert asks or command.host == "gemini" or "; exit\n" in block
        assert not asks or "if a line of" in " ".join(command.prompt.lower().split())


def test_a_planted_command_runs_where_a_shell_reads_the_text(
    stub: World, by_file: dict[str, SlashCommand]
) -> None:
    canary = stub.folder / "sung"
    typed = f"$(touch {canary})"
    for file in ("claude recall", "opencode recall", "codex recall", "gemini recall"):
        command = by_file[file]
        [block] = command.blocks
        broken = block.replace("<<'HARDWON'", "<<HARDWON").replace(
            "%s {{args}}", '"$(touch {{args}})"'
        )
        for started in typed_into(
            command, broken, str(canary) if command.host == "gemini" else typed
        ):
            run(stub, started)
        assert canary.exists(), file
        canary.unlink()


@pytest.mark.parametrize("file", FILES)
def test_a_host_finds_nothing_of_its_own_in_the_text(
    by_file: dict[str, SlashCommand], file: str
) -> None:
    command = by_file[file]

    assert not re.search(r"\$\d", command.text), "$1 is not the first word everywhere"
    assert "!`" not in command.prompt, "hosts run this block"
    assert "```!" not in command.prompt
    assert "@{" not in command.prompt
    assert not re.search(r"(\$ARGUMENTS|\{\{args\}\})`", command.prompt), (
        "an exclamation mark that is typed would begin a command"
    )
    assert command.host != "gemini" or "$ARGUMENTS" not in command.prompt
    assert command.host == "plugin" or "CLAUDE_PLUGIN" not in command.text


@pytest.mark.parametrize("file", [file for file in FILES if file.split()[1] == "recall"])
def test_recall_asks_the_agent_for_nothing_that_is_not_printed(
    by_file: dict[str, SlashCommand], file: str
) -> None:
    suffix = by_file[file].prompt.rpartition("```")[2].rpartition("!{")[2]

    assert re.findall(r"`([^`]+)`", suffix) == [NOT_FOUND]
    assert not re.search(r"\b(ids?|show ID|type|date|title)\b", suffix)
    assert "rank" in suffix
    assert "score" in suffix
