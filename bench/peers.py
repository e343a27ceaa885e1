"""
Other indexes beside hardwon: a process starts cold and answers one question.

They run in the same rounds and get the vector of the question, which hardwon makes itself. Their
packages go into an environment in the bench's cache when it is first wanted. Peers that bring a
model are left out: their models come from no package registry.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

from bench.figures import Figure
from bench.processes import Command, clean_environment, measure_together, progress, script
from bench.prose import bench_folder
from bench.stores import build_store, kept_store
from bench.texts import Writer, some_vectors
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.sqlite.schema import NEWEST

PEER = os.path.join(os.path.dirname(__file__), "peer.py")
PACKAGES = {
    "sqlite-vec": ("sqlite-vec==0.1.9", "apsw"),
    "chromadb": ("chromadb==1.5.9",),
    "lancedb": ("lancedb==0.40.0",),
}
TITLES = {"sqlite-vec": "sqlite-vec and FTS5"}
OURS = "hardwon recall, which embeds"
WORDS = 12


def peer_figures(folder: str, entries: int, repetitions: int) -> Iterator[Figure]:
    """Yield each installable peer's cost, in times of `hardwon recall` in the same rounds."""
    python, writer = os.path.join(bench_folder(), "peers", "bin", "python"), Writer(seed=11)
    environment = clean_environment(
        folder, HARDWON_STORE=build_store(os.path.join(folder, f"store-beside-{entries}"), entries)
    )

    def recall(_: int) -> Command:
        return Command((script("hardwon"), "recall", *writer.text(WORDS).split()))

    def asking(name: str) -> Callable[[int], Command]:
        index = _index(name, python, entries)
        question = json.dumps(
            {
                "text": writer.text(WORDS),
                "vector": next(some_vectors(1, MINILM_SPACE.dimensions)).tolist(),
            }
        )
        return lambda _: Command((python, PEER, "ask", name, index), question)

    makes = {name: asking(name) for name in PACKAGES if _is_installed(name, python)}
    if not makes:
        return
    costs = {**measure_together({OURS: recall, **makes}, environment, repetitions)}
    ours = costs.pop(OURS).cpu_ms
    for name, cost in costs.items():
        note = "" if all(json.loads(output) for output in cost.outputs) else "found nothing"
        title = f"{TITLES.get(name, name)}, cold, vector given: CPU"
        yield Figure(
            f"peer_{name}", title, entries, cost.cpu_ms, "ms", cost.cpu_ms / ours, OURS, note=note
        )
        yield Figure(
            f"peer_{name}_memory",
            f"{TITLES.get(name, name)}: peak memory",
            entries,
            cost.rss_mb,
            "MB",
        )


def _is_installed(name: str, python: str) -> bool:
    """
    Return whether a peer can be installed, after trying.

    Report one that can't.
    """
    modules = (package.partition("==")[0].replace("-", "_") for package in PACKAGES[name])
    is_there = [python, "-c", f"import {', '.join(modules)}"]
    made = [
        script("uv"),
        "venv",
        "--quiet",
        "--python",
        sys.executable,
        os.path.dirname(os.path.dirname(python)),
    ]
    put = [script("uv"), "pip", "install", "--quiet", "--python", python, *PACKAGES[name]]
    if (os.path.exists(python) or _succeeds(made)) and (
        _succeeds(is_there) or (_succeeds(put) and _succeeds(is_there))
    ):
        return True
    print(f"bench: {name} can't be installed here: it is left out", file=sys.stderr)
    return False


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _index(name: str, python: str, entries: int) -> str:
    """Return the folder of a peer's index of a kept store, made if missing."""
    folder = os.path.join(bench_folder(), f"peer-{name}-{NEWEST}-{entries}")
    if not os.path.exists(folder):
        progress(f"{name}: indexing {entries:,}")
        part = f"{folder}.part"
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run([python, PEER, "build", name, kept_store(entries), part], check=True)
        os.rename(part, folder)
    return folder
