"""
`python -m bench.quality [TABLE ...]`: the tables of `docs/measurements-of-quality.md`, measured from scratch.

A table is a module beside this one, with a function `table` that yields its lines. Each reads the
labelled sets and asks the product's own use cases, with the embedded model.
"""

import argparse
from collections.abc import Callable, Iterator

from bench.quality import (
    block,
    capture,
    docstrings,
    fresh_prompts,
    gate,
    moments,
    pairs,
    secrets,
    segmentation,
    tool_talks,
)

TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "block": block.table,
    "gate": gate.table,
    "fresh": fresh_prompts.table,
    "errors": moments.errors_table,
    "edits": moments.edits_table,
    "pairs": pairs.table,
    "segmentation": segmentation.table,
    "capture": capture.table,
    "tool_talks": tool_talks.table,
    "code": docstrings.table,
    "secrets": secrets.table,
}
"""The tables, in the order of `docs/measurements-of-quality.md`."""


def main() -> None:
    """Print the tables that were asked for, all by default."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.quality", description="The tables of docs/measurements-of-quality.md."
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"one of {', '.join(TABLES)}; all by default"
    )
    asked = [name for names in parser.parse_args().tables for name in names.split(",")]
    if unknown := sorted({*asked} - {*TABLES}):
        parser.error(f"no such table: {', '.join(unknown)}")
    for name in asked or TABLES:
        print(f"## {name}\n")
        for line in TABLES[name]():
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
