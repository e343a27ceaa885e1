import contextlib
import os
import stat
from collections.abc import Iterator

from hardwon.domain.model.errors import UneditableFileError

NEW = 0o666
"""Of which the umask takes what others may not."""


def publish(path: str, data: bytes, mode: int = NEW) -> None:
    """
    Let a file hold *data*, whole or not at all.

    Args:
        path: The file; one that is there keeps its mode.
        data: All that it is to hold.
        mode: Of a file that is new.

    Raises:
        OSError: it can't be written; nothing is left behind.

    """
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    kept = _mode(path)
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600 if kept else mode)) as file:
            file.write(data)
        if kept:
            os.chmod(temporary, kept)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    """Return the permissions of a file, 0 where there is none."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return 0


LARGEST = 4 * 1024 * 1024
ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would hold us for ever


class DiskUserFiles:
    """The files of this machine; a link is written through to what it points to."""

    def read(self, path: str, root: str) -> str | None:
        """Return what the file holds; None where there is none."""
        with _told():
            real = _inside(path, root)
            try:
                data = _bytes(real)
            except FileNotFoundError:
                return None
            return data.decode()

    def ensure_writable(self, path: str, root: str) -> None:
        """Raise unless the file may be changed, or is not there."""
        with _told():
            _ensure_writable(_inside(path, root))

    def missing_folders(self, path: str) -> list[str]:
        """Return the folders that are not there yet, the outermost first."""
        missing = list[str]()
        folder = os.path.dirname(os.path.realpath(path))
        while not os.path.lexists(folder):
            missing.insert(0, folder)
            folder = os.path.dirname(folder)
        return missing

    def write(self, path: str, text: str, root: str) -> None:
        """Let the file hold *text*, whole or not at all."""
        with _told():
            real = _inside(path, root)
            _ensure_writable(real)
            os.makedirs(os.path.dirname(real), exist_ok=True)
            publish(real, text.encode())

    def remove(self, path: str, root: str) -> None:
        """Remove the file, if it is there; of a link, what it points to."""
        with _told(), contextlib.suppress(FileNotFoundError):
            real = _inside(path, root)
            _ensure_writable(real)
            os.unlink(real)

    def remove_empty_folder(self, path: str) -> None:
        """Remove the folder if it is there and empty."""
        with contextlib.suppress(OSError):
            os.rmdir(path)


def _inside(path: str, root: str) -> str:
    """Return where *path* leads to."""
    real, boundary = os.path.realpath(path), os.path.join(os.path.realpath(root), "")
    if not real.startswith(boundary):
        raise UneditableFileError(f"a link that leads out of {root!r}, to {real!r}")
    return real


def _bytes(path: str) -> bytes:
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_WAIT)) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise UneditableFileError("not a regular file")
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UneditableFileError(f"larger than {LARGEST >> 20} MB")
    return data


def _ensure_writable(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not (mode & ANY_WRITE and os.access(path, os.W_OK)):
        raise UneditableFileError("read-only: allow writing")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise UneditableFileError(f"not UTF-8 text at byte {error.start}") from error
    except (OSError, ValueError) as error:
        raise UneditableFileError((isinstance(error, OSError) and error.strerror) or str(error)) from error
