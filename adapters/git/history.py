"""Ask git about a repository's history, and read its object files."""

import errno
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO

from hardwon.adapters.git.config_file import values
from hardwon.adapters.git.identity import GIT, config_text, identify
from hardwon.adapters.git.probe import MAX_OUTPUT_BYTES, git_command, git_environment, run
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Authorship, Identity
from hardwon.domain.model.repository import without_user
from hardwon.ports.override import override
from hardwon.ports.repository import RepositoryHistory

HISTORY_AS_WRITTEN = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
"""Ignores a repository's replacements of commits."""

ADDRESS_KEYS = r"^(user|author)\.email$"
OF_THE_USER = ("system", "global")
"""Scopes of configuration that a repository can't write to."""
UNKNOWN_OPTION = 129
SOME_OR_NONE = (0, 1)  # exit codes of `git config`
MAX_SETTINGS = 1000

DECOYS = 1000
"""
Commits read in search of an author's address.

Git also finds it elsewhere in the line.
"""
ALL_OUTPUT = 1 << 30
CRUD = " \t\r\n.,:;<>\"\\'"
"""Characters that git strips from both ends of an address."""


class GitRepositoryHistory(RepositoryHistory):
    """
    The history that git reads, without git's variables of the process.

    A `.git` folder with a file `commondir`, which git never writes there, lets git read another
    repository: such a repository is foreign, and has no first commit.
    """

    @override
    def authorship(self, root: str, deadline: Deadline) -> Authorship:
        try:
            return self._authorship(identify(root), deadline)
        except (OSError, ValueError):
            return "unknown"

    @override
    def first_commit(self, root: str, deadline: Deadline) -> str:
        try:
            return self._first_commit(identify(root), deadline)
        except ValueError as error:
            raise OSError(errno.EINVAL, str(error)) from error

    @override
    def has_commit(self, root: str, commit: str) -> bool:
        identity = identify(root)
        return (
            identity.is_repository and not _borrows(identity) and has_object(identity.key, commit)
        )

    @override
    def remote(self, root: str) -> str:
        identity = identify(root)
        named = (
            values(config_text(identity.key), "remote.origin.url") if identity.is_repository else []
        )
        return without_user(named[0]) if named else ""

    def _authorship(self, identity: Identity, deadline: Deadline) -> Authorship:
        # Ask even if the repository does not name this folder back: git would use it.
        if not identity.is_repository and not os.path.lexists(os.path.join(identity.root, GIT)):
            return "own"
        if _borrows(identity):
            return "foreign"
        question = HistoryQuestion(identity, deadline)
        addresses = user_addresses(question)
        if not addresses or _has_author(question, addresses):
            return "own"
        return "foreign" if question.ask(["rev-list", "--all", "--max-count=1"]) else "own"

    def _first_commit(self, identity: Identity, deadline: Deadline) -> str:
        if not identity.is_repository or _borrows(identity):
            return ""
        question = HistoryQuestion(identity, deadline)
        if question.ask(["rev-parse", "--is-shallow-repository"]).strip() != b"false":
            return ""
        head = question.ask(
            ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], codes=SOME_OR_NONE
        ).strip()
        if not head:
            return ""
        firsts = question.ask(["rev-list", "--max-parents=0", head.decode("ascii"), "--"])
        # With so many, the output was cut, and which is the smallest is unknown.
        return min(firsts.split()).decode("ascii") if len(firsts) < MAX_OUTPUT_BYTES else ""


class HistoryQuestion:
    """A repository to ask git about, with one deadline for all answers."""

    def __init__(self, identity: Identity, deadline: Deadline) -> None:
        self._root = identity.root
        self._deadline = deadline
        # Git refuses a bare repository, as a clone's folder can pass for one. This one is safe.
        is_bare = identity.key == identity.root
        self._settings = ("safe.bareRepository=all",) if is_bare else ()

    def ask(
        self,
        arguments: Sequence[str],
        most: int = ALL_OUTPUT,
        codes: Sequence[int] = (0,),
        settings: Sequence[str] = (),
    ) -> bytes:
        """
        Return git's output, cut after *most* zero bytes.

        Raises:
            OSError: git is missing, can't be run, or ended with a code that is not among *codes*.
        """
        code, output = self.try_to(arguments, most, settings)
        if code not in codes:
            raise OSError(errno.EIO, f"git {arguments[0]} ended with code {code}")
        return output

    def try_to(
        self, arguments: Sequence[str], most: int = ALL_OUTPUT, settings: Sequence[str] = ()
    ) -> tuple[int, bytes]:
        """Return git's exit code and output, or raise as `ask` does."""
        if self._deadline.passed():
            raise TimeoutError(errno.ETIMEDOUT, "no time is left for git")
        command = git_command(
            self._root,
            os.environ.get("PATH", os.defpath),
            arguments=arguments,
            settings=(*self._settings, *settings),
        )
        environment = {**git_environment(self._root, os.environ), **HISTORY_AS_WRITTEN}
        return run(command, environment, deadline=self._deadline, most=most)


def user_addresses(question: HistoryQuestion) -> set[str]:
    """
    Return the addresses configured by user and machine, in lower case.

    The repository's own configuration is ignored.
    """
    asked = ("-z", "--get-regexp", ADDRESS_KEYS)
    code, output = question.try_to(["config", "--show-scope", *asked], MAX_SETTINGS)
    if code == UNKNOWN_OPTION:  # a git before 2.26
        return _addresses(_by_files(question, asked))
    if code not in SOME_OR_NONE:
        raise OSError(errno.EIO, f"git config ended with code {code}")
    parts = os.fsdecode(output).split("\0")[:-1]
    return _addresses(
        setting
        for scope, setting in zip(parts[::2], parts[1::2], strict=False)
        if scope in OF_THE_USER
    )


def _by_files(question: HistoryQuestion, asked: Sequence[str]) -> list[str]:
    """
    Return the settings of user and machine, for a git before 2.26.

    It reads only one of the user's two files at a time.
    """
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    second = os.path.join(config, "git", "config")
    files = [["--system"], ["--global"], *([["--file", second]] if os.path.isfile(second) else [])]
    outputs = [
        question.ask(["config", *file, "--includes", *asked], MAX_SETTINGS, SOME_OR_NONE)
        for file in files
    ]
    return [setting for output in outputs for setting in os.fsdecode(output).split("\0")[:-1]]


def _addresses(settings: Iterable[str]) -> set[str]:
    found = (setting.partition("\n")[2] for setting in settings)
    plain = (address.strip(CRUD).translate(dict.fromkeys(map(ord, "\n<>"))) for address in found)
    return {address.lower() for address in plain if address}


def _has_author(question: HistoryQuestion, addresses: set[str]) -> bool:
    wanted = [f"--author=<{address}>" for address in sorted(addresses)]
    # Git also finds the text in an author's name, so the address is compared again.
    # A mailmap, with which a repository renames authors, is not read by rev-list.
    search = [
        "rev-list",
        "--all",
        "--fixed-strings",
        "--regexp-ignore-case",
        *wanted,
        "--format=%ae%x00",
    ]
    for most in (1, DECOYS):
        found = os.fsdecode(question.ask(search, most)).split("\0")[:-1][:most]
        authors = {commit.rpartition("\n")[2].lower() for commit in found}
        if authors & addresses or not found:
            return bool(found)
    return False


def _borrows(identity: Identity) -> bool:
    """Return whether git reads another repository's commits for this one."""
    folders = [
        os.path.join(identity.root, GIT),
        *([identity.key] if identity.is_repository else []),
    ]
    return any(os.path.lexists(os.path.join(folder, "commondir")) for folder in folders)


SIGNATURE = b"\xfftOc\x00\x00\x00\x02"
"""The beginning of a pack's index in the form since 2008."""
NUMBER = 4
"""Bytes of a number in an index."""
FIRST_BYTES = 256


def has_object(common: str, name: str) -> bool:
    """
    Return whether the git common directory *common* has an object.

    *name* is hexadecimal. Errors count as no.
    """
    objects = os.path.join(common, "objects")
    try:
        wanted = bytes.fromhex(name)
        is_loose = os.path.isfile(os.path.join(objects, name[:2], name[2:]))
        return bool(wanted) and (
            is_loose or any(_lists(path, wanted) for path in _indexes(objects))
        )
    except (OSError, ValueError):
        return False


def _indexes(objects: str) -> Iterator[str]:
    folder = os.path.join(objects, "pack")
    with suppress(OSError):
        yield from (
            os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".idx")
        )


def _lists(path: str, wanted: bytes) -> bool:
    """
    Return whether a pack's index has *wanted*.

    Names are sorted, and counted by their first byte.
    """
    if not os.path.isfile(path):  # a pipe would be waited for
        return False
    with open(path, "rb") as index:
        if index.read(len(SIGNATURE)) != SIGNATURE:
            return False
        counts = index.read(FIRST_BYTES * NUMBER)
        first = wanted[0]
        begin, end = _number(counts, first - 1) if first else 0, _number(counts, first)
        names = _names(index, begin, end=end, length=len(wanted))
        return names[bisect_left(names, wanted) :][:1] == [wanted]


def _number(counts: bytes, place: int) -> int:
    return int.from_bytes(counts[place * NUMBER : (place + 1) * NUMBER], "big")


def _names(index: BinaryIO, begin: int, end: int, length: int) -> list[bytes]:
    most = os.fstat(index.fileno()).st_size  # a damaged index may count more than it has
    index.seek(min(begin * length, most), os.SEEK_CUR)
    content = index.read(min(max(end - begin, 0) * length, most))
    return [content[at : at + length] for at in range(0, len(content), length)]
