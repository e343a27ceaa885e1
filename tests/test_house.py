"""Promises of the project about its own files."""

import ast
import os
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IN_PRODUCT = ("domain/", "ports/", "adapters/", "entrypoints/")
FOLDERS = ("domain", "ports", "adapters", "entrypoints", "tests", "bench", "tools", "examples")


def tracked_texts() -> dict[str, str]:
    names = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if "__pycache__" not in path.parts
    ]
    others = [ROOT / name for name in ("Makefile", "validate.sh", ".ci/run")]
    others += [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (*names, *others)
    }


def dry_run(verb: str) -> str:
    """Return the commands that `make` would run for *verb*."""
    return subprocess.run(
        ["make", "--dry-run", verb], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_every_module_compiles_and_validate_does_the_same() -> None:
    for name, text in tracked_texts().items():
        if name.endswith(".py"):
            compile(text, name, "exec")
    script = (ROOT / "validate.sh").read_text(encoding="utf-8")

    [compiled] = re.findall(r"compileall .*", script)
    assert set(FOLDERS) <= set(compiled.split())
    assert re.search(r"^make .*\blint typecheck$", script, re.MULTILINE)
    assert os.access(ROOT / "validate.sh", os.X_OK)
    subprocess.run(["bash", "-n", ROOT / "validate.sh"], check=True)


def test_the_test_command_runs_every_check_before_all_tests() -> None:
    commands = dry_run("test")
    tools = ("ruff check .", "ruff format --check .", "lint-imports", "mypy", "pytest")
    places = [commands.index(f".venv/bin/{tool}") for tool in tools]

    assert places == sorted(places)


def test_pip_is_called_in_one_line_only_the_one_that_brings_uv() -> None:
    calls = [
        (name, line)
        for name, text in tracked_texts().items()
        for line in text.splitlines()
        if re.search(r"(?<!uv )\bpip install\b|-m pip\b", line)
        and not re.search(r"\$\(UV\) pip|uv pip", line)
    ]

    [(name, line)] = [call for call in calls if not call[0].startswith("tests/")]
    assert name == "Makefile"
    assert line.endswith("--require-hashes -r requirements/uv.txt")


MEASURES_SECONDS = {
    "tests/test_speed.py",  # ratios
    "tests/entrypoints/cli/test_forget_killed.py",  # when to kill
}


def test_no_test_compares_a_clock_to_a_budget() -> None:
    measuring = {
        name
        for name, text in tracked_texts().items()
        if os.path.basename(name).startswith("test_")
        and re.search(r"\b(?:monotonic|perf_counter)\(\) - [a-z]", text)
    }

    assert {
        name for name in measuring if not name.startswith("tests/campaigns/")
    } == MEASURES_SECONDS


def test_python_3_11_is_the_floor_everywhere() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert PROJECT["tool"]["mypy"]["python_version"] == "3.11"
    assert PROJECT["tool"]["ruff"]["target-version"] == "py311"


def test_the_tests_have_one_runner() -> None:
    assert re.search(r"^\.venv/bin/pytest\b", dry_run("test"), re.MULTILINE)
    assert PROJECT["tool"]["pytest"]["ini_options"]["testpaths"] == ["tests"]


def test_ci_runs_the_test_command_of_the_readme_and_those_of_the_page() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    commands = [
        line for line in script.splitlines() if line and not line.startswith(("#", "set ", "cd "))
    ]

    assert commands == ["make test", "make pythons", "make doors"]
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")


IN_ORDER = (
    "domain/model/conversation",
    "domain/use_cases",
    "adapters",
    "entrypoints",
)
"""The modules of capture, from utterances to the entry point, in the order in which they may import each other."""


@pytest.mark.parametrize("place", range(len(IN_ORDER)))
def test_capture_imports_only_earlier_layers(place: int) -> None:
    later = tuple(f"from hardwon.{folder.replace('/', '.')}." for folder in IN_ORDER[place + 1 :])
    texts = [
        text for name, text in tracked_texts().items() if name.startswith(f"{IN_ORDER[place]}/")
    ]

    assert texts
    assert [line for text in texts for line in text.splitlines() if line.startswith(later)] == []


def bodies(text: str) -> list[str]:
    """Return the names of the functions in *text* that do something."""
    functions = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        function.name
        for function in functions
        if any(
            not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            for part in function.body
        )
    ]


def test_ports_declare_and_do_nothing() -> None:
    ports = {name: text for name, text in tracked_texts().items() if name.startswith("ports/")}

    assert {name: done for name, text in ports.items() if (done := bodies(text))} == {
        "ports/override.py": ["override"]
    }


def assigned(text: str) -> list[str]:
    """Return the names that the top level of *text* assigns or defines, in order."""
    names = list[str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [
                name.id
                for target in targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name)
            ]
    return names


def test_no_module_gives_a_name_twice() -> None:
    product = {name: text for name, text in tracked_texts().items() if name.startswith(IN_PRODUCT)}
    twice = {
        name: [given for given, number in Counter(assigned(text)).items() if number > 1]
        for name, text in product.items()
    }

    assert {name: names for name, names in twice.items() if names} == {}


def calls(text: str) -> list[str]:
    """Return what *text* calls, outside of docstrings."""
    return [
        ast.unparse(node.func) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)
    ]


def test_the_time_comes_from_the_clock_and_for_hooks_from_one_function() -> None:
    inside = {name: text for name, text in tracked_texts().items() if name.startswith(IN_PRODUCT)}
    now = {
        name: [
            call for call in calls(text) if call.endswith(("datetime.now", "utcnow", "date.today"))
        ]
        for name, text in inside.items()
    }

    assert {name: len(found) for name, found in now.items() if found} == {
        "adapters/clock.py": 1,
        "entrypoints/bootstrap.py": 1,
    }


AGENTS_AND_PROVIDERS = re.compile(
    r"(?i)\b(?:gemini|ollama|openai|anthropic|voyage|haiku|claude|codex|cursor|opencode)\b"
)
NAMED_IN = {
    "domain/model/legacy_index.py": "the programs whose memory a user can import",
    "domain/model/settings.py": "the providers that a user can name",
    "domain/use_cases/label.py": "the labelers that a user can name",
    "domain/model/injection/related_conversations.py": "a word by which a transcript names the agent",
    "domain/model/secrets/tokens_services.py": "whose key it is",
    "domain/model/secrets/tokens_cloud.py": "whose key it is",
}
"""The modules of the domain that name an agent or a provider, and why."""


def test_the_domain_knows_no_other_agent_or_provider_than_users_name() -> None:
    inside = {name: text for name, text in tracked_texts().items() if name.startswith("domain/")}

    assert {
        name for name, text in inside.items() if AGENTS_AND_PROVIDERS.search(text)
    } == NAMED_IN.keys()
