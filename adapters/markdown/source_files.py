import fnmatch
import hashlib
import os

from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.whole_files import read_regular_file, reason
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.files.kinds import MEMORY
from hardwon.domain.model.files.markdown import ENDING, MarkdownFile
from hardwon.ports.source_files import Listing

BESIDE = f"{MEMORY}-*{ENDING}"
LARGEST_FILE = 4 * 1024 * 1024
NANOSECONDS = 10**9
NOT_STORABLE = "its name is not UTF-8, rename it"


def is_storable(path: str) -> bool:
    """Tell whether the store can hold *path*: a name that is not UTF-8 reaches us with half surrogate pairs."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class MarkdownFiles:
    """
    Markdown files of a project, and anywhere.

    Args:
        project_root: Its memory is the folder `memory` in it, and `memory-*.md` beside that.

    """

    def __init__(self, project_root: str) -> None:
        self._root = os.path.realpath(project_root)

    def of_project(self) -> Listing:
        """Return the files of the project's memory."""
        memory = os.path.join(self._root, MEMORY)
        found = _Finding(self._root)
        found.folder(memory)
        found.names(self._root, BESIDE)
        return found.listing(os.path.join(memory, ""), f"{memory}-")

    def at(self, path: str) -> Listing:
        """Return the file of that path, or all below the folder."""
        real = os.path.realpath(path)
        found = _Finding(real)
        if not os.path.isdir(real):
            found.file(real)
            return found.listing(real)
        found.folder(real)
        return found.listing(os.path.join(real, ""))

    def read(self, path: str) -> MarkdownFile:
        """Return the file of that path."""
        if not is_storable(path):
            raise UnreadableFileError(f"{path!r}: {NOT_STORABLE}")
        try:
            data, facts = read_regular_file(path, LARGEST_FILE)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(f"{path!r}: {reason(error)}") from error
        if len(data) > LARGEST_FILE:
            raise UnreadableFileError(f"{path!r} is longer than {LARGEST_FILE} bytes (4 MB): split or shorten it")
        if b"\0" in data:
            raise UnreadableFileError(f"{path!r} is no text: it holds a NUL byte")
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        digest = hashlib.sha256(data).hexdigest()
        return MarkdownFile(path, facts.st_mtime_ns // NANOSECONDS, digest, read_markdown(text))

    def is_gone(self, path: str) -> bool:
        """Tell whether there is certainly nothing at *path*."""
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return True
        except OSError:
            return False
        return False


class _Finding:
    """What is found within *boundary*, and what is passed over."""

    def __init__(self, boundary: str) -> None:
        self._boundary = boundary
        self._files = set[str]()
        self._skipped = list[str]()

    def listing(self, *prefixes: str) -> Listing:
        storable = tuple(filter(is_storable, prefixes))  # no file of the store lies below another one
        return Listing(tuple(sorted(self._files)), storable, tuple(sorted(self._skipped)))

    def folder(self, folder: str) -> None:
        """Find the markdown files at and below *folder*."""
        if not os.path.isdir(folder) or not self._stays_within(folder):
            return
        for place, folders, names in os.walk(folder, onerror=self._unreadable):
            folders[:] = [name for name in folders if self._is_entered(os.path.join(place, name))]
            for name in names:
                if name.lower().endswith(ENDING):
                    self.file(os.path.join(place, name))

    def names(self, folder: str, pattern: str) -> None:
        """Find the files of *folder* itself that are called so."""
        try:
            names = os.listdir(folder)
        except OSError as error:
            self._unreadable(error)
        else:
            for name in fnmatch.filter(names, pattern):
                self.file(os.path.join(folder, name))

    def file(self, path: str) -> None:
        """Find one file."""
        if not os.path.lexists(path) or not self._stays_within(path):
            return
        real = os.path.realpath(path)
        if is_storable(real):
            self._files.add(real)
        else:
            self._skipped.append(f"{real!r}: {NOT_STORABLE}")

    def _is_entered(self, folder: str) -> bool:
        is_hidden = os.path.basename(folder).startswith(".")
        return not is_hidden and self._stays_within(folder) and not os.path.islink(folder)

    def _stays_within(self, path: str) -> bool:
        real = os.path.realpath(path)
        stays = real == self._boundary or real.startswith(os.path.join(self._boundary, ""))
        if not stays:
            self._skipped.append(f"{path!r}: a link that leads out of {self._boundary!r}, name it to index it")
        return stays

    def _unreadable(self, error: OSError) -> None:
        self._skipped.append(f"{error.filename!r}: {error.strerror or error}")
