"""The plugin's own environment: location of the sources, and the commands run on them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.plugin.conftest import PLUGIN, SYSTEM

ROOT = PLUGIN.parent
ODD = 'it\'s a "$HOME" `x`; (of) [*]'
MAKEFILE = 'environment:\n\t@mkdir -p "$$ENVIRONMENT" && pwd > "$$ENVIRONMENT/made-by"\n'


def clone(folder: Path, name: str = "hardwon") -> Path:
    """Put down what tells a clone of the repository, with a quick verb."""
    (folder / "requirements").mkdir(parents=True)
    (folder / "requirements" / "run.txt").touch()
    (folder / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n', encoding="utf-8")
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    return folder


def installed(folder: Path) -> Path:
    """Put the plugin where hosts copy it to, away from its repository; return its script."""
    folder.mkdir(parents=True)
    return Path(shutil.copy(PLUGIN / "setup", folder / "setup"))


def run(
    script: Path, home: Path, *arguments: object, **variables: str
) -> "subprocess.CompletedProcess[str]":
    home.mkdir(exist_ok=True)
    return subprocess.run(
        ["sh", script, *map(str, arguments)],
        cwd=home,
        env={"HOME": str(home), "PATH": SYSTEM, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "place",
    ["plugin/..", ".claude/plugins/marketplaces/hardwon", ".codex/.tmp/marketplaces/hardwon"],
)
def test_the_clone_of_the_marketplace_is_found(tmp_path: Path, place: str) -> None:
    home = tmp_path / ODD
    script = installed(home / "a" / "plugin")
    made = clone(home / place) if place != "plugin/.." else script.parent.parent
    if place == "plugin/..":
        clone(made)
    data = home / "data of it"
    done = run(script, home, data)

    assert (done.returncode, done.stderr) == (0, "")
    assert (data / "env" / "made-by").read_text(encoding="utf-8") == f"{made}\n"
    assert f"{data}/env/bin/hardwon' init" in done.stdout


def test_a_folder_configured_in_codex_is_found(tmp_path: Path) -> None:
    script, source = installed(tmp_path / "cache"), clone(tmp_path / "here")
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    other = '[marketplaces.other]\nsource = "/other"\n'
    text = f'{other}[marketplaces.hardwon]\nsource_type = "local"\nsource = "{source}"\n{other}'
    (tmp_path / "home" / ".codex" / "config.toml").write_text(text, encoding="utf-8")
    done = run(script, tmp_path / "home", tmp_path / "data")

    assert (done.returncode, done.stderr) == (0, "")


def test_a_clone_can_be_named_and_another_project_beside_the_plugin_is_none(tmp_path: Path) -> None:
    script = installed(clone(tmp_path / "beside", name="other") / "plugin")
    named = clone(tmp_path / "named")
    without, done = (
        run(script, tmp_path / "home"),
        run(script, tmp_path / "home", tmp_path / "data", named),
    )

    assert (without.returncode, without.stdout, without.stderr.count("\n")) == (1, "", 1)
    assert "name one: sh setup DATA CLONE" in without.stderr
    assert (done.returncode, done.stderr) == (0, "")


def test_the_data_folder_is_the_hosts_and_a_question_is_asked_again(tmp_path: Path) -> None:
    script, home = installed(clone(tmp_path / "clone") / "plugin"), tmp_path / "home"
    given = tmp_path / "given"
    given.mkdir()
    (given / "asked").touch()

    assert run(script, home, CLAUDE_PLUGIN_DATA=str(given)).returncode == 0
    assert [path.name for path in given.iterdir()] == ["env"]
    assert run(script, home).returncode == 0
    assert (home / ".claude" / "plugins" / "data" / "hardwon-hardwon" / "env").is_dir()


def test_an_environment_that_cannot_be_made_is_no_success(tmp_path: Path) -> None:
    source = clone(tmp_path / "clone")
    (source / "Makefile").write_text(
        "environment:\n\t@echo 'no Python' >&2; exit 3\n", encoding="utf-8"
    )
    done = run(installed(source / "plugin"), tmp_path / "home", tmp_path / "data")

    assert done.returncode != 0
    assert "no Python" in done.stderr
    assert "is installed" not in done.stdout


def make(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_environment_holds_what_is_pinned_compiled_and_nothing_is_cleared() -> None:
    output = make("--dry-run", "environment", f"ENVIRONMENT={ODD}").stdout

    assert "--compile-bytecode --require-hashes -r requirements/run.txt" in output
    assert "--compile-bytecode --no-deps --reinstall ." in output
    assert "--clear" not in output
    assert ODD not in output, "the shell takes the folder from its environment"


def test_without_a_folder_no_environment_is_made() -> None:
    done = make("environment", "ENVIRONMENT=")

    assert done.returncode != 0
    assert "make environment ENVIRONMENT=FOLDER" in done.stderr
