"""
Run a program, and write its modules and how often it redacts.

`python tools/entered.py OUT PROGRAM [ARGUMENT ...]` writes the number of calls to OUT, then the
names of the modules, one a line. A module is entered when one of its functions runs outside of an
import: what only the import of a module calls (decorators, tables that are built) does not count.
"""

import inspect
import os
import runpy
import sys
import threading
from types import FrameType
from typing import Any, NoReturn

import hardwon

PACKAGE = os.path.join(next(iter(hardwon.__path__)), "")
REDACT = ("redact", os.path.join(PACKAGE, "domain", "model", "redaction.py"))
IMPORT_SYSTEM = "<frozen importlib"


class Recorder:
    """Notes the modules that any thread enters, and the calls of `redact`."""

    def __init__(self, out: str) -> None:
        self._out = out
        self._entered: set[str] = set()
        self._redactions = 0
        self._leave = os._exit

    def start(self) -> None:
        """
        Record from now on.

        A program that leaves by `os._exit` is recorded too.
        """
        os._exit = self._write_and_leave
        threading.setprofile(self._notice)
        sys.setprofile(self._notice)

    def write(self) -> None:
        """Write the modules to the file."""
        sys.setprofile(None)
        names = sorted(
            path.removeprefix(PACKAGE).removesuffix(".py").replace(os.sep, ".")
            for path in self._entered
        )
        with open(self._out, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in (self._redactions, *names))

    def _write_and_leave(self, status: int) -> NoReturn:
        self.write()
        self._leave(status)

    def _notice(self, frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        self._redactions += event == "call" and (frame.f_code.co_name, path) == REDACT
        if event != "call" or path in self._entered or not path.startswith(PACKAGE):
            return
        if _is_function(frame) and not _is_importing(frame):
            self._entered.add(path)


def _is_function(frame: FrameType) -> bool:
    """Tell functions from the bodies of modules and classes."""
    return bool(frame.f_code.co_flags & inspect.CO_OPTIMIZED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORT_SYSTEM):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Run the program that the arguments name."""
    _, out, *sys.argv = sys.argv
    recorder = Recorder(out)
    recorder.start()
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        recorder.write()


if __name__ == "__main__":
    main()
