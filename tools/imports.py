"""
Write docs/imports.md, the imports and CPU of programs.

Run `make generated PART=imports`.

CPU is user and system time of the whole process in ms, the median of 15 runs that alternate with
`python -c pass`. Modules are those that `-X importtime` names and `python -c pass` does not import,
counted and timed in a run of its own.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hardwon.entrypoints.bootstrap_capture import PREPARER
from hardwon.examples.make_sample import make_sample

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/imports.md"
PROGRAMS = Path(sys.executable).parent
RUNS = 15
BIGGEST = 4
HEAD = """\
# Imports of the programs

`make generated PART=imports` made this page on the sample project, without embeddings and capture. CPU is user and system time of the whole process: the
median of 15 runs that alternate with `python -c pass`, and its multiple of that. Modules imported by `python -c pass` are not counted. The last column has
the other packages, also of the standard library, with the most import time of their own modules.

| program | CPU ms | multiple | modules | of hardwon | most import time elsewhere (ms) |
|---|---|---|---|---|---|
"""


class Door(NamedTuple):
    """A program with its arguments and its standard input."""

    command: tuple[str, ...]
    stdin: str = ""


class World(NamedTuple):
    """A home of its own, with the sample project."""

    project: Path
    environment: Mapping[str, str]

    def cpu(self, door: Door) -> float:
        """Return the CPU of one run in ms."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._run(door)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def imported(self, door: Door) -> dict[str, float]:
        """Return the modules that one run imports, each with its own ms."""
        lines = self._run(
            Door((sys.executable, "-X", "importtime", *door.command), door.stdin)
        ).splitlines()
        rows = [
            line.removeprefix("import time:").split("|")
            for line in lines
            if line.startswith("import time:")
        ]
        return {name.strip(): int(own) / 1000 for own, _, name in rows if own.strip().isdigit()}

    def _run(self, door: Door) -> str:
        return subprocess.run(
            door.command,
            cwd=self.project,
            env=self.environment,
            input=door.stdin,
            text=True,
            check=True,
            capture_output=True,
        ).stderr


def doors(project: Path) -> dict[str, Door]:
    """Return what is measured, by its name in the table."""
    hook, hardwon = str(PROGRAMS / "hardwon-hook"), str(PROGRAMS / "hardwon")
    events = {
        "session start": "SessionStart",
        "prompt": "UserPromptSubmit",
        "stop": "Stop",
        "session end": "SessionEnd",
    }
    about = {"session_id": "imports", "cwd": str(project), "source": "startup", "prompt": "go on"}
    commands = (
        "--help",
        "list --help",
        "recall --help",
        "stats",
        "list",
        "recall encoding",
        "doctor",
    )
    return {
        **{
            name: Door((hook,), json.dumps({**about, "hook_event_name": event}))
            for name, event in events.items()
        },
        "session start, prepared": Door(
            (hook,), json.dumps({**about, "cwd": f"{project}-prepared"})
        ),
        **{f"hardwon {line}": Door((hardwon, *line.split())) for line in commands},
    }


def biggest(modules: Mapping[str, float]) -> str:
    """Return the packages outside hardwon with the most ms in *modules*."""
    total: dict[str, float] = {}
    for name, own in modules.items():
        package = name.partition(".")[0]
        total[package] = total.get(package, 0) + own
    del total["hardwon"]
    return ", ".join(
        f"{name} {total[name]:.0f}"
        for name in sorted(total, key=lambda name: -total[name])[:BIGGEST]
    )


def table(world: World) -> str:
    """Return the rows of the page."""
    nothing = Door((sys.executable, "-c", "pass"))
    measured = {"python -c pass": nothing, **doors(world.project)}
    runs = [{name: world.cpu(door) for name, door in measured.items()} for _ in range(RUNS)]
    cpu = {name: statistics.median(run[name] for run in runs) for name in measured}
    bare = world.imported(Door(nothing.command[1:]))
    rows = []
    for name, door in doors(world.project).items():
        modules = {
            module: own for module, own in world.imported(door).items() if module not in bare
        }
        ours = sum(module.startswith("hardwon.") for module in modules)
        times = cpu[name] / cpu["python -c pass"]
        rows.append(
            f"| {name} | {cpu[name]:.0f} | {times:.1f} | {len(modules)} | {ours} |"
            f" {biggest(modules)} |\n"
        )
    return "".join(rows)


def main() -> None:
    """Measure in a throw-away home, and write the page."""
    with tempfile.TemporaryDirectory(prefix="hardwon-imports-") as folder:
        project = Path(folder) / "project"
        make_sample(project)
        environment = {
            "HOME": folder,
            "PATH": os.environ["PATH"],
            "HARDWON_KEYWORD_PROVIDER": "off",
            "HARDWON_EMBEDDING_PROVIDER": "off",
            "HARDWON_CAPTURE_ENABLED": "false",
        }
        world = World(project, environment)
        make_sample(prepared := Path(f"{project}-prepared"))
        for start in ("session start", "session start, prepared"):
            world.cpu(doors(project)[start])  # imports the bank
        store = str(Path(folder) / ".claude/iflow/memory")
        options = ("--global-store", store, "--project-root", str(prepared), "--prepare", "units")
        world.cpu(Door((sys.executable, "-m", PREPARER, *options)))
        PAGE.write_text(HEAD + table(world), encoding="utf-8")


if __name__ == "__main__":
    main()
