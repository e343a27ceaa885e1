import os
from collections.abc import Callable, Sequence

from hardwon.adapters.markdown.bank_reader import FILES, LOCAL_FOLDER, read_bank
from hardwon.domain.model.knowledge_bank import BankEntry, parse_bank
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.knowledge_bank import BankFile


class MarkdownKnowledgeBank:
    """
    The knowledge bank as markdown files: the project's three, then the store's.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`.
        store: The folder that holds the user's own bank.
        warn: Told in one line of every file that can't be read.

    """

    def __init__(self, project_root: str, store: str, warn: Callable[[str], None]) -> None:
        self._root = root = os.path.realpath(project_root)
        self._folders = (
            (os.path.join(root, LOCAL_FOLDER), _project_name(root)),
            (os.path.realpath(store), None),
        )
        self._warn = warn

    def files(self) -> Sequence[BankFile]:
        """Return the files that are there."""
        found = (
            _file(os.path.join(folder, f"{category}.md"), category, project)
            for folder, project in self._folders
            for category in FILES
        )
        return [file for file in found if file]

    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        """Return the entries of *file*."""
        is_local = os.path.dirname(file.path) == self._folders[0][0]
        text = read_bank(file.path, self._warn, within=self._root if is_local else "")
        return None if text is None else parse_bank(text, file.category)


def _project_name(root: str) -> str | None:
    return os.fsencode(os.path.basename(root)).decode("utf-8", "replace").strip() or None


def _file(path: str, category: Category, project: str | None) -> BankFile | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return BankFile(path, category, project, f"{facts.st_mtime_ns}-{facts.st_size}", facts.st_size)
