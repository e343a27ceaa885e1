"""What is installed is declared, pinned and complete."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = ("domain", "ports", "adapters", "entrypoints", "examples")
SAMPLE_CODE = "examples/parser-project"
PINS = sorted((ROOT / "requirements").glob("*.txt"))


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_packages() -> set[str]:
    """Return the top-level names that our code imports, those of the standard library left out."""
    names: set[str] = set()
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if path.relative_to(ROOT).as_posix().startswith(SAMPLE_CODE):
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"hardwon"}


def test_everything_imported_is_a_declared_dependency() -> None:
    declared = {normalised(re.split(r"[^\w.-]", line)[0]) for line in PROJECT["dependencies"]}
    distributions = packages_distributions()

    undeclared = {
        name
        for name in imported_packages()
        if not {normalised(each) for each in distributions.get(name, [])} & declared
    }

    assert undeclared == set()


def test_every_program_can_be_started() -> None:
    declared = entry_points(group="console_scripts").names & PROJECT["scripts"].keys()

    assert declared == PROJECT["scripts"].keys()
    for name in declared:
        assert callable(entry_points(group="console_scripts")[name].load())


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.name)
def test_every_pin_has_a_version_and_a_hash_and_names_no_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pins = [pin for pin in re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip()) if not pin.startswith("#")]

    assert pins
    assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []
    assert not re.search(r"https?://|--(extra-)?index|--find-links|--trusted-host", text)


def dry_run(verb: str) -> str:
    """Return what `make` would run for *verb*."""
    return subprocess.run(["make", "--dry-run", verb], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_lowest_python_is_the_same_everywhere() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]

    assert PROJECT["requires-python"] == ">=3.11"
    assert (tools["ruff"]["target-version"], tools["mypy"]["python_version"]) == ("py311", "3.11")


def test_packages_come_by_uv_and_pip_brings_only_uv() -> None:
    texts = [
        ROOT / "Makefile",
        ROOT / "validate.sh",
        ROOT / ".ci" / "run",
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
    ]
    calls = [
        line.strip()
        for path in texts
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"(?<!uv )(?<!\$\(UV\) )\bpip3? (install|download|compile|sync)", line)
    ]

    assert len(calls) == 1
    assert calls[0].endswith("--require-hashes -r requirements/uv.txt")


def test_the_tests_are_run_by_pytest_and_ci_runs_nothing_else() -> None:
    assert re.search(r"^\.venv/bin/pytest\b", dry_run("test"), re.MULTILINE)
    commands = [
        line
        for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith(("#", "set ", "cd ", "export "))
    ]
    assert all(re.match(r"(exec )?make\b", command) for command in commands), commands
    assert any(" test" in command for command in commands)


def test_validate_compiles_every_module_and_runs_every_check() -> None:
    script = (ROOT / "validate.sh").read_text(encoding="utf-8")
    subprocess.run(["bash", "-n", ROOT / "validate.sh"], check=True)

    assert os.access(ROOT / "validate.sh", os.X_OK)
    compiled = re.search(r"compileall .*", script)
    assert compiled
    assert {*FOLDERS, "tests", "bench"} <= set(compiled[0].split())
    assert re.search(r"^make .*\bcheck$", script, re.MULTILINE)
    for tool in ("ruff check .", "ruff format --check .", "mypy", "lint-imports", "test_wheel.py"):
        assert tool in dry_run("check")
