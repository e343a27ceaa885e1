"""Knowledge-bank files, changed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from hardwon.adapters.markdown.bank_files import LARGEST_FILE, LOCAL_FOLDER
from hardwon.adapters.markdown.confinement import is_within
from hardwon.adapters.markdown.folder_lock import only_writer
from hardwon.adapters.markdown.whole_files import create_file, is_read_only, read_regular_file, reason, rewrite_file
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.retro.banks import PLACES, BankPlace, BankTexts, Scope

READABLE_BY_ALL, PRIVATE = 0o644, 0o600
OPEN_FOLDER, PRIVATE_FOLDER = 0o755, 0o700


class MarkdownBankFiles:
    """
    The three files of the project's bank and the three of the store's folder; satisfies `BankFiles`.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`; nothing outside of it is written.
        store: The folder that holds the user's own bank.

    """

    def __init__(self, project_root: str, store: str) -> None:
        self._roots: dict[Scope, str] = {
            "project": os.path.realpath(project_root),
            "universal": os.path.realpath(store),
        }
        self._facts = dict[BankPlace, os.stat_result]()
        self._texts = dict[BankPlace, str]()

    def path(self, place: BankPlace) -> str:
        """Return the path of that file."""
        folder = LOCAL_FOLDER if place.scope == "project" else ""
        return os.path.join(self._roots[place.scope], folder, f"{place.category}.md")

    def texts(self) -> BankTexts:
        """Return the text of every file."""
        self._facts.clear()
        self._texts = {place: self._read(place) for place in PLACES}
        return self._texts

    @contextmanager
    def held(self) -> Iterator[BankTexts]:
        """Hold both folders."""
        with ExitStack() as stack:
            for root in dict.fromkeys(filter(os.path.isdir, self._roots.values())):
                try:
                    stack.enter_context(only_writer(root))
                except OSError as error:
                    raise _unusable(root, reason(error)) from error
            yield self.texts()

    def write(self, texts: BankTexts) -> Mapping[BankPlace, str]:
        """Write what differs."""
        targets = {place: self._target(place) for place in PLACES if texts[place] != self._texts[place]}
        for place, path in targets.items():
            try:
                self._write(place, path, texts[place])
            except FileExistsError as error:
                raise _unusable(path, "somebody else made it meanwhile: try again") from error
            except (OSError, ValueError) as error:
                raise _unusable(path, reason(error)) from error
        return targets

    def _read(self, place: BankPlace) -> str:
        path = self.path(place)
        try:
            data, self._facts[place] = read_regular_file(path, LARGEST_FILE)
            text = data.decode()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise _unusable(path, f"not UTF-8 text at byte {error.start}") from error
        except (OSError, ValueError) as error:
            raise _unusable(path, reason(error)) from error
        if len(data) > LARGEST_FILE:
            raise _unusable(path, f"longer than {LARGEST_FILE} bytes: split or shorten it")
        return text

    def _target(self, place: BankPlace) -> str:
        """Return the file itself, links resolved."""
        named = self.path(place)
        real = os.path.realpath(named)
        if not is_within(real, [self._roots[place.scope]]):
            raise _unusable(named, f"it leads out, to {real!r}")
        if place in self._facts and is_read_only(real, self._facts[place]):
            raise _unusable(named, "read-only: allow writing")
        return real

    def _write(self, place: BankPlace, path: str, text: str) -> None:
        if place in self._facts:
            rewrite_file(path, text, self._facts[place])
            return
        is_shared = place.scope == "project"
        os.makedirs(os.path.dirname(path), mode=OPEN_FOLDER if is_shared else PRIVATE_FOLDER, exist_ok=True)
        create_file(path, text, READABLE_BY_ALL if is_shared else PRIVATE)


def _unusable(path: str, why: str) -> UnreadableFileError:
    return UnreadableFileError(f"{path!r} can't be used: {why}")
