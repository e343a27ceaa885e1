"""
The files of slash commands that we ship, run as each host runs them.

The way a host passes on typed arguments, and the shell it starts, were measured with the real
programs (Claude Code 2.1.330, Codex 0.169.0) or read in their sources (Gemini CLI, opencode) and is
written down here and nowhere else.
"""

import os
import re
import shlex
import subprocess
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran
from tests.fakes.doors import run_here

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GEMINI_BLOCK = re.compile(r"!\{((?:[^{}]|\{\{args\}\})*)\}")
SECONDS = 60.0


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
        return _ended(process)


def run_with_desk(world: World, started: Sequence[str]) -> Ran:
    """Run what a host starts; programs that `put_desk` has put in front run in this process."""
    desk = world.folder / "desk"
    with _started(world, started) as process:
        while process.poll() is None:
            if (desk / "asked").exists():
                _answer(desk)
            time.sleep(PAUSE)
        return _ended(process)


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
    ended = run_here(program, arguments, stdin=stdin, env=variables, folder=Path(folder))
    (desk / "out").write_bytes(ended.out)
    (desk / "err").write_bytes(ended.err)
    (desk / "answered").write_text(f"{ended.code}\n")


def _words(path: Path) -> list[str]:
    return path.read_text(errors="surrogateescape").split("\0")[:-1]


def _started(world: World, started: Sequence[str]) -> subprocess.Popen[bytes]:
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    return subprocess.Popen(
        started, cwd=world.project, env=world.variables, stdin=null, stdout=pipe, stderr=pipe
    )


def _ended(process: subprocess.Popen[bytes]) -> Ran:
    stdout, stderr = process.communicate(timeout=SECONDS)
    return Ran(process.returncode, stdout.decode(), stderr.decode())


def _claude(_: SlashCommand, block: str, typed: str) -> list[list[str]]:
    """
    Replace each name by its value, wherever it stands; run it in bash by `eval`.

    Before it runs a command it takes it apart, and asks the user about each part that the file does
    not allow. After a here-document that ended early there is such a part: the last line, which
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
