"""Knowledge-bank files, written together or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from hardwon.adapters.durable import LOCK_SECONDS, only_writer
from hardwon.adapters.folder import make_folder
from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.adapters.markdown.file_text import CONFLICTED, has_conflict
from hardwon.adapters.markdown.knowledge_bank import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import (
    FileChange,
    JointWriteError,
    WholeFile,
    is_read_only,
    read_file_below,
    read_regular_file,
    reason,
    write_together,
)
from hardwon.domain.model.errors import UneditableFileError, UnreadableFileError
from hardwon.domain.model.knowledge_bank import BANK_FOLDER, BankScope
from hardwon.domain.model.own_files import is_within
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, Banks
from hardwon.ports.knowledge_bank import BankFiles
from hardwon.ports.override import override

READABLE_BY_ALL, PRIVATE = 0o644, 0o600
OPEN_FOLDER, PRIVATE_FOLDER = 0o755, 0o700


class MarkdownBankFiles(BankFiles):
    """
    The three bank files of the project and of the store's folder.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`; nothing outside of it is
            written.
        store: The folder that holds the user's own bank.
        lock_seconds: Upper bound of the wait for a folder that another process has locked.
    """

    def __init__(self, project_root: str, store: str, lock_seconds: float = LOCK_SECONDS) -> None:
        self._roots: dict[BankScope, str] = {
            "local": os.path.realpath(project_root),
            "global": os.path.realpath(store),
        }
        self._lock_seconds = lock_seconds
        self._facts = dict[BankPlace, os.stat_result]()
        self._texts = dict[BankPlace, str]()

    @override
    def path(self, place: BankPlace) -> str:
        folder = BANK_FOLDER if place.scope == "local" else ""
        return os.path.join(self._roots[place.scope], folder, f"{place.category}.md")

    @override
    def banks(self) -> Banks:
        self._facts.clear()
        texts, unusable = dict[BankPlace, str](), list[str]()
        for place in PLACES:
            try:
                texts[place] = self._read(place)
            except UnreadableFileError as error:
                unusable.append(str(error))
        if unusable:
            raise UnreadableFileError("; ".join(unusable))
        self._texts = texts
        return MarkdownBanks(texts)

    @override
    @contextmanager
    def held(self) -> Iterator[Banks]:
        with ExitStack() as stack:
            for root in dict.fromkeys(filter(os.path.isdir, self._roots.values())):
                try:
                    stack.enter_context(only_writer(root, self._lock_seconds))
                except OSError as error:
                    raise _uneditable(root, reason(error)) from error
            yield self.banks()

    @override
    def write(self, banks: Banks) -> None:
        texts = banks.texts
        targets = {
            place: self._target(place) for place in PLACES if texts[place] != self._texts[place]
        }
        try:
            write_together(
                [self._change(place, path, texts[place]) for place, path in targets.items()]
            )
        except JointWriteError as error:
            raise _uneditable(error.path, str(error)) from error

    def _read(self, place: BankPlace) -> str:
        path = self.path(place)
        try:
            data, self._facts[place] = self._file(place, path)
            text = data.decode()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise _unusable(
                path, f"not UTF-8 text at byte {error.start}: save it as UTF-8"
            ) from error
        except (OSError, ValueError) as error:
            raise _unusable(path, reason(error)) from error
        if len(data) > LARGEST_FILE:
            raise _unusable(path, f"longer than {LARGEST_FILE} bytes: split or shorten it")
        if has_conflict(text):
            raise _unusable(path, CONFLICTED)
        return text

    def _file(self, place: BankPlace, path: str) -> WholeFile:
        """Read a project's file only below its folder, the user's own anywhere."""
        if place.scope == "global":
            return read_regular_file(path, LARGEST_FILE)
        return read_file_below(path, self._roots[place.scope], LARGEST_FILE)

    def _target(self, place: BankPlace) -> str:
        named = self.path(place)
        real = os.path.realpath(named)
        if not is_within(real, [self._roots[place.scope]]):
            raise _uneditable(named, f"it leads out, to {real!r}")
        if place in self._facts and is_read_only(real, self._facts[place]):
            raise _uneditable(named, "read-only: allow writing")
        return real

    def _change(self, place: BankPlace, path: str, text: str) -> FileChange:
        facts = self._facts.get(place)
        if facts:
            return FileChange(
                path=path,
                text=text,
                mode=stat.S_IMODE(facts.st_mode),
                before=self._texts[place],
                was=facts,
            )
        is_shared = place.scope == "local"
        try:
            make_folder(os.path.dirname(path), OPEN_FOLDER if is_shared else PRIVATE_FOLDER)
        except OSError as error:
            raise _uneditable(path, reason(error)) from error
        return FileChange(
            path=path,
            text=text,
            mode=READABLE_BY_ALL if is_shared else PRIVATE,
            before="",
            was=None,
        )


def _unusable(path: str, why: str) -> UnreadableFileError:
    return UnreadableFileError(f"{path!r} can't be used: {why}")


def _uneditable(path: str, why: str) -> UneditableFileError:
    return UneditableFileError(f"{path!r} can't be written: {why}")
