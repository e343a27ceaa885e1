"""The wheel holds the four folders, the sample project and the plugin, whole, under one top-level name."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.machine import FOLDERS, ROOT, bare_programs, packaged_sources

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    source = tmp_path_factory.mktemp("source")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            source / "dist",
            source,
        ],
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
    expected = packaged_sources()

    assert packed.keys() == expected.keys()
    assert packed == expected


def test_programs_of_the_plugin_stay_programs(wheel: zipfile.ZipFile) -> None:
    modes = {
        name: wheel.getinfo(f"hardwon/plugin/{name}").external_attr >> 16 & 0o777
        for name in ("launch", "setup")
    }

    assert all(mode & 0o111 for mode in modes.values()), modes


def test_the_wheel_carries_the_licence_and_the_notice(wheel: zipfile.ZipFile) -> None:
    names = {Path(name).name for name in wheel.namelist() if ".dist-info/licenses/" in name}

    assert names == {"LICENSE", "NOTICE"}


def test_the_environment_without_numpy_has_the_wheel_of_these_sources() -> None:
    assert (bare_programs() / "hardwon-hook").is_file()
