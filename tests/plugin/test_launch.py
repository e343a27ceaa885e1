"""The search path of the launcher for installed programs, and its exclusions."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import BIN
from tests.machine import LONGEST_WAIT
from tests.plugin.conftest import LAUNCH, PROGRAMS, SYSTEM, Desk

ODD = 'it\'s a "$HOME" `x`\nof [*] \\n; #é'
"""A folder's name with all that a shell would read."""


def test_the_users_own_folders_come_first_then_the_plugins_environment_then_path(
    desk: Desk, tmp_path: Path
) -> None:
    asked = ("UV_TOOL_BIN_DIR", "XDG_BIN_HOME")
    folders = [desk.install(tmp_path / name) for name in asked]
    desk.variables |= {name: str(folder) for name, folder in zip(asked, folders, strict=True)}
    folders += [desk.install(desk.home / ".local" / "bin"), desk.install(desk.data / "env" / "bin")]
    folders += [
        desk.install(desk.home / ".codex" / "plugins" / "data" / "hardwon-hardwon" / "env" / "bin")
    ]
    folders += [desk.install(tmp_path / "on-path")]
    desk.variables["PATH"] = f"{SYSTEM}:{folders[-1]}"

    for folder in folders:
        assert desk.launch("hardwon-hook").stdout == f"{folder}/hardwon-hook"
        (folder / "hardwon-hook").unlink()
    assert desk.launch("hardwon-hook").returncode == 1


@pytest.mark.parametrize("folder", [".claude", ".codex"])
def test_a_shell_without_the_hosts_variables_finds_the_plugins_environment_too(
    desk: Desk, folder: str
) -> None:
    own = desk.install(
        desk.home / folder / "plugins" / "data" / "hardwon-inline" / "env" / "bin", "hardwon"
    )
    without = ("CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "PATH")

    assert desk.launch("hardwon", without=without).stdout == f"{own}/hardwon"


@pytest.mark.parametrize("program", PROGRAMS)
def test_standard_input_arguments_environment_and_exit_code_pass_through(
    desk: Desk, program: str
) -> None:
    desk.variables["SEEN"] = ODD
    script = r'cat; printf "|%s" "$#" "$@" "$SEEN" "$PWD"; exit 7'
    desk.install(desk.home / ".local" / "bin", program, script)
    desk.variables["PWD"] = str(desk.project)

    done = desk.launch("--or-nothing", program, "", ODD, "--or-say", stdin=b"\x00\xffpayload\n")

    output = [ODD.encode().decode("latin-1") for _ in range(2)]
    assert done.returncode == (
        0 if program == "hardwon-hook" else 7
    )  # no host ever sees a hook fail
    assert done.stdout == "\x00\xffpayload\n|" + "|".join(
        ["3", "", output[0], "--or-say", output[1], str(desk.project)]
    )
    assert done.stderr == ""


@pytest.mark.parametrize("place", ["", "node_modules/.bin", "deep/er"])
@pytest.mark.parametrize("named", ["CLAUDE_PROJECT_DIR", "cwd", "below"])
def test_a_program_of_the_project_is_never_run(desk: Desk, place: str, named: str) -> None:
    folder = desk.install(desk.project / place)
    desk.variables["PATH"] = f"{folder}:{SYSTEM}"
    below = desk.project / "src"
    below.mkdir()
    cwd = {"cwd": desk.project, "below": below}.get(named, desk.home)

    done = desk.launch(
        "hardwon-hook",
        cwd=cwd,
        without=() if named == "CLAUDE_PROJECT_DIR" else ("CLAUDE_PROJECT_DIR",),
    )

    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize(
    "variable", ["PATH", "UV_TOOL_BIN_DIR", "XDG_BIN_HOME", "CLAUDE_CONFIG_DIR"]
)
def test_the_project_is_not_entered_by_a_link_or_a_detour_either(
    desk: Desk, tmp_path: Path, variable: str
) -> None:
    below = "plugins/data/hardwon-x/env/bin" if variable == "CLAUDE_CONFIG_DIR" else ""
    desk.install(desk.project / below)
    (tmp_path / "link").symlink_to(desk.project)
    for entry in (tmp_path / "link", desk.home / ".." / "project", f"/.{desk.project}"):
        desk.variables[variable] = str(entry)
        done = desk.launch("hardwon-hook", cwd=desk.home)

        assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("path", ["", ":", ".", "bin", "./bin", "..", "~/bin", ":/usr/bin:", "*"])
def test_a_relative_or_empty_entry_of_path_is_passed_over(
    desk: Desk, tmp_path: Path, path: str
) -> None:
    for folder in (tmp_path, tmp_path / "bin", tmp_path / "below"):
        desk.install(folder)
    desk.variables["PATH"] = path
    done = desk.launch("hardwon-hook", cwd=tmp_path / "below", without=("CLAUDE_PROJECT_DIR",))

    assert (done.returncode, done.stdout) == (1, "")


def test_the_home_folder_and_what_holds_it_are_no_project(desk: Desk, tmp_path: Path) -> None:
    (desk.home / ".git").mkdir()
    folder = desk.install(desk.home / "bin")
    desk.variables["PATH"] = str(folder)
    for project in (desk.home, tmp_path, Path("/")):
        desk.variables["CLAUDE_PROJECT_DIR"] = str(project)

        assert desk.launch("hardwon-hook", cwd=project).stdout == f"{folder}/hardwon-hook"


def test_a_neighbour_whose_name_begins_like_the_projects_is_not_in_it(desk: Desk) -> None:
    folder = desk.install(desk.project.with_name("project-tools"))
    desk.variables["PATH"] = str(folder)

    assert desk.launch("hardwon-hook").stdout == f"{folder}/hardwon-hook"


@pytest.mark.parametrize("odd", [ODD, "with spaces", "-n", "--", "ends with a newline\n"])
def test_folders_may_have_any_name(tmp_path: Path, odd: str) -> None:
    desk = Desk(tmp_path / odd)
    desk.variables["PATH"] = str(desk.install(desk.project))
    assert desk.launch("hardwon-hook").returncode == 1
    assert desk.launch("hardwon-hook", without=("CLAUDE_PROJECT_DIR",)).returncode == 1

    other = desk.install(tmp_path / odd / "other")
    desk.variables["PATH"] = f"{desk.project}:{other}"
    assert desk.launch("hardwon-hook").stdout.encode("latin-1").decode() == f"{other}/hardwon-hook"

    own = desk.install(desk.data / "env" / "bin")
    assert desk.launch("hardwon-hook").stdout.encode("latin-1").decode() == f"{own}/hardwon-hook"


def test_a_file_that_is_no_program_is_skipped(desk: Desk, tmp_path: Path) -> None:
    (desk.home / ".local" / "bin" / "hardwon-hook").mkdir(parents=True)
    for place in ("env/bin", "plain"):
        (desk.install(desk.data / place) / "hardwon-hook").chmod(0o644)
    right = desk.install(tmp_path / "right")
    desk.variables["PATH"] = f"{desk.data / 'plain'}:{right}"

    assert desk.launch("hardwon-hook").stdout == f"{right}/hardwon-hook"


def test_nothing_installed_is_reported_once_at_the_start_and_the_session_goes_on(
    desk: Desk,
) -> None:
    first, second = (desk.launch("--or-say", "hardwon-hook", stdin=b"{}") for _ in range(2))

    assert (first.returncode, first.stderr, first.stdout.count("\n")) == (0, "", 1)
    assert re.search(r"Tell the user to run .*: sh '.*/plugin/setup' '.*/data'$", first.stdout)
    assert (second.returncode, second.stderr, second.stdout) == (0, "", "")


@pytest.mark.parametrize("data", ["", "/no/where"])
def test_without_a_writable_marker_the_notice_is_repeated(desk: Desk, data: str) -> None:
    desk.variables["CLAUDE_PLUGIN_DATA"] = data
    for _ in range(2):
        done = desk.launch("--or-say", "hardwon-hook")
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


@pytest.mark.parametrize(
    "shell", [shell for shell in ("sh", "dash", "bash", "ksh", "busybox") if shutil.which(shell)]
)
def test_the_suggested_command_is_quoted_for_any_shell(tmp_path: Path, shell: str) -> None:
    desk = Desk(tmp_path / ODD)
    through = [shell, "sh"] if shell == "busybox" else [shell]
    command = [*through, str(LAUNCH), "--or-say", "hardwon-hook"]
    output = subprocess.run(
        command,
        env=desk.variables,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        check=True,
    ).stdout

    script = f"printf '%s|' {output.partition(': sh ')[2]}"
    words = subprocess.run(
        [*through, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert words == f"{desk.variables['CLAUDE_PLUGIN_ROOT']}/setup|{desk.data}|"


def test_nothing_installed_is_silent_in_every_other_hook(desk: Desk) -> None:
    done = desk.launch("--or-nothing", "hardwon-hook", stdin=b'{"prompt": "x"}')

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("address", ["", "postgresql://db/memory", "own"])
def test_a_hook_that_the_server_of_this_client_answers_starts_nothing(
    desk: Desk, tmp_path: Path, address: str
) -> None:
    store = tmp_path / "own" if address == "own" else desk.home / ".claude/iflow/memory"
    store.mkdir(parents=True)
    desk.variables["HARDWON_STORE"] = str(store) if address == "own" else address
    desk.install(desk.data / "env" / "bin")
    mark = store / f"answering-{os.getpid()}"

    def ran() -> bool:
        done = desk.launch("--unless-answered", "hardwon-hook", stdin=b'{"prompt": "x"}')
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout != ""

    before = ran()
    mark.write_text(f"{os.getpid()}\n")
    answered = ran()
    mark.write_text("999999999\n")
    assert (before, answered, ran()) == (True, False, True)


@pytest.mark.parametrize("program", ["hardwon-mcp", "hardwon"])
def test_any_other_program_that_is_not_there_is_an_error_that_names_the_way_out(
    desk: Desk, program: str
) -> None:
    done = desk.launch(program)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"{program}: not installed; run this once: sh '")


@pytest.mark.parametrize(
    "without", [("HOME",), ("HOME", "PATH", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR")]
)
def test_without_a_home_or_anything_else_it_is_calm(desk: Desk, without: tuple[str, ...]) -> None:
    assert desk.launch("--or-nothing", "hardwon-hook", without=without).returncode == 0
    assert desk.launch("--or-say", "hardwon-hook", without=without).stdout.count("\n") == 1
    assert desk.launch("hardwon-mcp", without=without).returncode == 1
    if "CLAUDE_PLUGIN_DATA" not in without:
        desk.install(desk.data / "env" / "bin")
        assert desk.launch("hardwon-hook", without=without).returncode == 0


@pytest.mark.parametrize(
    "arguments", [(), ("--or-say",), ("sh",), ("../sh",), ("", "hardwon"), ("--other", "hardwon")]
)
def test_only_our_programs_are_started(desk: Desk, arguments: tuple[str, ...]) -> None:
    desk.install(desk.home / ".local" / "bin", "sh")
    done = desk.launch(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert "is no program of hardwon" in done.stderr


def test_modules_of_the_project_are_never_imported(desk: Desk) -> None:
    own = desk.home / ".local" / "bin"
    own.mkdir(parents=True)
    (own / "hardwon-hook").symlink_to(BIN / "hardwon-hook")
    for name in ("json", "typing", "hardwon", "sitecustomize", "encodings", "sqlite3"):
        (desk.project / f"{name}.py").write_text(
            "open('imported', 'w').close()\n", encoding="utf-8"
        )
    payload = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(desk.project)}
    desk.variables["HARDWON_CAPTURE_ENABLED"] = "false"
    done = desk.launch("--or-say", "hardwon-hook", stdin=json.dumps(payload).encode())

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (desk.project / "imported").exists()


def test_a_deleted_working_folder_is_no_error(desk: Desk, tmp_path: Path) -> None:
    folder = desk.install(tmp_path / "on-path")
    gone = tmp_path / "gone"
    gone.mkdir()
    environment = {**desk.variables, "PATH": f"{SYSTEM}:{folder}"}
    script = f"rmdir '{gone}'; exec '{LAUNCH}' hardwon-hook"
    done = subprocess.run(
        ["sh", "-c", script], cwd=gone, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, f"{folder}/hardwon-hook")
