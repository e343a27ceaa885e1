"""
Command lines of programs that other programs start.

By argparse alone; a mistake is reported on one line.
"""

import argparse
from collections.abc import Sequence
from os.path import isdir
from typing import NoReturn

USAGE_ERROR = 1


class ProjectParser(argparse.ArgumentParser):
    """
    A parser with options for a project and a store.

    A mistake ends the program with `USAGE_ERROR`.
    """

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument("--global-store", metavar="PATH", help="the folder that holds memory.db")
        self.add_argument(
            "--project-root",
            metavar="PATH",
            default=".",
            help="the project (default: the working folder)",
        )

    def error(self, message: str) -> NoReturn:
        """Print *message* on one line of standard error and exit."""
        self.exit(
            USAGE_ERROR, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n"
        )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return the options, or exit if the project is no folder."""
        options = self.parse_args(arguments)
        if not isdir(options.project_root):
            self.error(f"--project-root {options.project_root!r} is not a folder")
        return options


def flags(options: argparse.Namespace) -> dict[str, str]:
    """Return the settings given on the command line, for `read_settings`."""
    return {"--global-store": options.global_store} if options.global_store else {}
