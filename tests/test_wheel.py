"""The wheel holds the four folders, the sample project and the plugin's commands, whole, under one top-level name."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parent.parent
MAPPED = ("domain", "ports", "adapters", "entrypoints", "examples", "plugin/commands")
LEFT_OUT = {".pyc", ".pyo"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    source = tmp_path_factory.mktemp("source")
    for name in MAPPED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", source / "dist", source],
        check=True,
        capture_output=True,
    )
    [path] = (source / "dist").glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_owns_one_top_level_name(wheel: zipfile.ZipFile) -> None:
    top = {name.split("/")[0] for name in wheel.namelist()}

    assert {name for name in top if not name.endswith(".dist-info")} == {"hardwon"}


def test_the_wheel_holds_every_file_of_the_folders_byte_for_byte(wheel: zipfile.ZipFile) -> None:
    packed = {name: wheel.read(name) for name in wheel.namelist() if name.startswith("hardwon/")}
    expected = {
        f"hardwon/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for folder in MAPPED
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in LEFT_OUT
    }

    assert packed.keys() == expected.keys()
    assert packed == expected


def test_the_wheel_carries_the_licence_and_the_notice(wheel: zipfile.ZipFile) -> None:
    names = {Path(name).name for name in wheel.namelist() if ".dist-info/licenses/" in name}

    assert names == {"LICENSE", "NOTICE"}
