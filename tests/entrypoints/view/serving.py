"""`hardwon view` as a process."""

import contextlib
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from tests.entrypoints.hook_process import BIN, World
from tests.waiting import LONGEST_WAIT


class Serving(NamedTuple):
    """A page that is served, and the address that it printed."""

    process: "subprocess.Popen[str]"
    address: str

    @property
    def base(self) -> str:
        """The address of all pages, with a `/` at the end."""
        return self.address.partition("?")[0]


@contextlib.contextmanager
def serving(world: World, *arguments: str) -> Iterator[Serving]:
    """Start it, wait for its address, and end it afterwards."""
    command = [str(BIN / "hardwon"), "view", "--no-open", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout
        line = process.stdout.readline()
        try:
            assert line.startswith("hardwon view: http://127.0.0.1:"), (line, process.poll())
            yield Serving(process, line.removeprefix("hardwon view: ").strip())
        finally:
            process.terminate()
            process.wait(LONGEST_WAIT)
