"""Installed packages are declared, pinned and complete."""

import ast
import re
import sys
import tomllib
from importlib.metadata import (
    PackageNotFoundError,
    entry_points,
    metadata,
    packages_distributions,
)
from pathlib import Path

import pytest

from hardwon.entrypoints.health import NEWEST_TESTED

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = ("domain", "ports", "adapters", "entrypoints", "examples")
SAMPLE_CODE = "examples/parser-project"
PINS = sorted((ROOT / "requirements").glob("*.txt"))


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def for_type_checkers(tree: ast.AST) -> set[ast.AST]:
    """Return the nodes of *tree* that are never run."""
    blocks = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return {node for block in blocks for statement in block.body for node in ast.walk(statement)}


def imported_packages() -> set[str]:
    """Return the top-level names that our code imports when it runs, those of the standard library left out."""
    names: set[str] = set()
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if path.relative_to(ROOT).as_posix().startswith(SAMPLE_CODE):
            continue
        tree = ast.parse(path.read_bytes())
        for node in {*ast.walk(tree)} - for_type_checkers(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"hardwon"}


def test_everything_imported_is_a_declared_dependency() -> None:
    dependencies = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["postgres"]]
    declared = {normalised(re.split(r"[^\w.-]", line)[0]) for line in dependencies}
    distributions = packages_distributions()

    undeclared = {
        name
        for name in imported_packages()
        if not {normalised(distribution) for distribution in distributions.get(name, [])} & declared
    }

    assert undeclared == set()


def test_the_environment_of_the_tests_runs_the_folders_themselves() -> None:
    mapped = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]["package-dir"]
    links = Path(sys.prefix) / "editable"

    linked = {str(path.relative_to(links)) for path in links.rglob("*") if path.is_symlink()}
    assert linked == {
        name.replace(".", "/") for name in mapped if name.rpartition(".")[0] not in mapped
    }
    assert all(
        (links / name.replace(".", "/")).resolve() == ROOT / folder
        for name, folder in mapped.items()
    )


def test_every_program_can_be_started() -> None:
    declared = entry_points(group="console_scripts").names & PROJECT["scripts"].keys()

    assert declared == PROJECT["scripts"].keys()
    for name in declared:
        assert callable(entry_points(group="console_scripts")[name].load())


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.name)
def test_every_pin_has_a_version_and_a_hash_and_names_no_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pins = [
        pin
        for pin in re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip())
        if not pin.startswith("#")
    ]

    assert pins
    assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []
    assert not re.search(r"https?://|--(extra-)?index|--find-links|--trusted-host", text)


LICENCES = {
    "Apache-2.0 or BSD-3-Clause": r"Apache-2.0 OR BSD-3-Clause",
    "Apache-2.0": r"Apache-2.0|Apache Software License",
    "BSD": r"BSD-[23]-Clause|BSD License",
    "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0": r"BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
    "ISC": r"ISC License \(ISCL\)",
    "LGPL-3.0": r"LGPL-3.0-only",
    "MIT": r"MIT|MIT License|MIT-0|MIT License; Apache Software License",
    "MPL-2.0": r"Mozilla Public License 2.0 \(MPL 2.0\)|MPL-2.0",
    "PSF-2.0": r"PSF-2.0",
}
"""The headings of NOTICE, each with the ways in which packages spell that licence."""

ON_OTHER_SYSTEMS = {"colorama", "httpx2-jsfetch", "pywin32", "tzdata"}


def noticed() -> dict[str, str]:
    """Return the licence of each package that NOTICE names."""
    text = (ROOT / "NOTICE").read_text(encoding="utf-8").partition("names their versions.\n\n")[2]
    found: dict[str, str] = {}
    for heading, names in re.findall(r"^(\S.*)\n((?:  .*\n?)+)", text, re.MULTILINE):
        named = names.partition(":")[0]
        found |= {name.strip(): heading for name in named.split(",")}
    return found


def licence_of(name: str) -> str:
    """Return the licence in the metadata of an installed package."""
    fields = metadata(name)
    if "License-Expression" in fields:
        return fields["License-Expression"]
    classifiers = [
        line for line in fields.get_all("Classifier", []) if line.startswith("License ::")
    ]
    named = "; ".join(line.rpartition(" :: ")[2] for line in classifiers)
    return named or "".join(fields.get_all("License", []))


def test_the_notice_names_the_licence_of_each_package_that_is_installed_with_hardwon() -> None:
    pinned = {
        normalised(found[1])
        for found in re.finditer(
            r"^([\w.-]+)==", (ROOT / "requirements" / "run.txt").read_text("utf-8"), re.MULTILINE
        )
    }
    notice = noticed()
    assert notice.keys() == pinned

    absent, wrong = set[str](), dict[str, str]()
    for name, heading in notice.items():
        try:
            licence = licence_of(name)
        except PackageNotFoundError:
            absent.add(name)
        else:
            wrong |= {} if re.fullmatch(LICENCES[heading], licence) else {name: licence}
    assert wrong == {}
    assert absent <= ON_OTHER_SYSTEMS


def test_the_tested_versions_of_python_are_those_of_the_doctor_and_of_the_classifiers() -> None:
    named = {
        line.rpartition(" :: ")[2]
        for line in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", line)
    }

    assert named == {f"3.{minor}" for minor in range(11, NEWEST_TESTED[1] + 1)}
