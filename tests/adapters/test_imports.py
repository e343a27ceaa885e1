import subprocess
import sys

FORBIDDEN = {
    "argparse",
    "concurrent.futures",
    "dataclasses",
    "logging",
    "pathlib",
    "subprocess",
    "tomllib",
    "typer",
}


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_the_hook_imports_nothing_slow() -> None:
    bare = modules_after("")
    signals = (
        modules_after("import hardwon.adapters.git.probe, hardwon.adapters.feature_files") - bare
    )
    config = (
        modules_after(
            "from hardwon.adapters.config.reader import read_settings\n"
            "import os\nread_settings('/nowhere', os.environ, {})"
        )
        - bare
    )

    assert not signals & FORBIDDEN
    assert not config & (FORBIDDEN | {"attr", "attrs", "json"})
