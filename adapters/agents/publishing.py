import contextlib
import os

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
