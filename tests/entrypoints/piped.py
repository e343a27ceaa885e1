"""A forked program at the ends of three pipes."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tests.entrypoints.forking import Forked


class Piped(Forked):
    """A forked process that is used as one of `subprocess.Popen` with its three pipes is."""

    def __init__(self, command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> None:
        (stdin, ours), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
        self.stdin: BinaryIO = os.fdopen(ours, "wb")
        self.stdout: BinaryIO = os.fdopen(out, "rb")
        self.stderr: BinaryIO = os.fdopen(err, "rb")
        super().__init__(command, folder, variables, [stdin, stdout, stderr])
        for theirs in (stdin, stdout, stderr):
            os.close(theirs)

    def communicate(self, stdin: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write the last of the input; return what was not yet read of both outputs, once the process has ended."""
        with ThreadPoolExecutor(2) as readers:
            outputs = [readers.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            self._write_last(stdin)
            self.wait(timeout)
            stdout, stderr = (output.result() for output in outputs)
        return stdout, stderr

    def _write_last(self, stdin: bytes) -> None:
        with contextlib.suppress(BrokenPipeError), contextlib.closing(self.stdin):
            if stdin:
                self.stdin.write(stdin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        for stream in (self.stdout, self.stderr):
            stream.close()
        self._write_last(b"")
        self.wait()


def _rest(stream: BinaryIO) -> bytes:
    if stream.closed:
        return b""
    with stream:
        return stream.read()
