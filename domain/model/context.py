"""The context of a session, and its search texts."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hardwon.domain.model.redaction import REDACTED, redact
from hardwon.domain.model.text import words_of_path

MAX_DESCRIPTION_WORDS = 100
MAX_FILES = 20
UNKNOWN_PHASE = "unknown"


class Feature(NamedTuple):
    """
    The active feature of a project.

    Attributes:
        description: At most 100 words are used.
        phase: The last completed phase, `unknown` when none is recorded.
    """

    slug: str
    description: str = ""
    phase: str = UNKNOWN_PHASE


class Branch(NamedTuple):
    """
    The checked-out branch.

    Attributes:
        name: Empty without one.
        subjects: The first lines of its own commits.
    """

    name: str = ""
    subjects: tuple[str, ...] = ()


_NO_SUBJECT = frozenset(
    """
    main master develop dev trunk feature feat fix bugfix hotfix chore docs refactor release wip
    """.split()
)
"""Words of branch names that say nothing about the work."""

_LANGUAGES: Mapping[str, str] = {
    name: language
    for language, names in {
        "python": "py ipynb pyproject.toml requirements.txt",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts tsx tsconfig.json",
        "npm node": "package.json package-lock.json",
        "rust": "rs cargo.toml cargo.lock",
        "go": "go go.mod go.sum",
        "java": "java pom.xml",
        "kotlin android": "kt kts",
        "swift ios": "swift",
        "c": "c h",
        "c++": "cc cpp hpp",
        "c#": "cs csproj",
        "ruby": "rb gemfile",
        "php": "php composer.json",
        "shell bash": "sh bash",
        "terraform": "tf tfvars",
        "docker": "dockerfile compose.yaml docker-compose.yml",
        "sql database": "sql",
        "protobuf grpc": "proto",
        "css": "css scss",
        "html": "html",
    }.items()
    for name in names.split()
}
"""The language of a file, by its name or extension."""


class ContextQuery(NamedTuple):
    """
    The signals of a session, from which its search texts are made.

    With a *branch*, they describe the present work, as a host's session starts with it. The texts
    then have only words on its subject.

    Examples:
        >>> query = ContextQuery(Feature("csv-import", "Read partner feeds.", "plan"), ("src/feeds/readRows.py",))
        >>> query.public
        'csv-import: Read partner feeds. Phase: plan. Files: src/feeds/readRows.py'
        >>> query.keyword_text
        'csv-import: Read partner feeds feeds readRows read Rows'
    """

    feature: Feature | None = None
    files: tuple[str, ...] = ()
    branch: Branch | None = None

    @property
    def public(self) -> str | None:
        """
        The text to embed, without secrets.

        None without a signal, or if nothing but secrets was in it.
        """
        return redact(self.compose() or "").strip() or None

    @property
    def keyword_text(self) -> str:
        """
        The text to search by keyword, without secrets.

        It has values only: slug, description, and the names of the files as words. The labels of
        `compose`, the phase, extensions and common folders would match unrelated entries. Empty
        without a signal.
        """
        paths = redact("\n".join(self.files[:MAX_FILES])).split("\n")
        subject = " ".join(self._work(self.branch)) if self.branch else self._subject
        texts = (redact(subject), *map(words_of_path, paths))
        return " ".join(filter(None, (text.replace(REDACTED, "") for text in texts)))

    def compose(self) -> str | None:
        """
        Return the text to embed, or None without any signal.

        The form is `slug: description. Phase: phase. Files: a b c`; an absent part is omitted with
        its separator, and a full stop at the end of the description is the separator's. For present
        work it is `languages. branch. slug. description. commits. files`.
        """
        if self.branch:
            return self._present_work(self.branch)
        parts = []
        if self.feature:
            parts.append(self._subject)
            parts.append(f"Phase: {self.feature.phase}")
        if self.files:
            parts.append(f"Files: {' '.join(self.files[:MAX_FILES])}")
        return ". ".join(parts) or None

    def _present_work(self, branch: Branch) -> str | None:
        files = self.files[:MAX_FILES]
        parts = (" ".join(_languages(files)), *self._work(branch), " ".join(files))
        return ". ".join(filter(None, parts)) or None

    @property
    def _subject(self) -> str:
        slug = self.feature.slug if self.feature else ""
        return ": ".join(filter(None, (slug, self._description)))

    @property
    def _description(self) -> str:
        words = self.feature.description.split() if self.feature else []
        return " ".join(words[:MAX_DESCRIPTION_WORDS]).removesuffix(".")

    def _work(self, branch: Branch) -> Iterator[str]:
        """Yield the texts of the present work, without its files."""
        slug = _words_of(self.feature.slug) if self.feature else ""
        texts = (_words_of(branch.name), slug, self._description, *branch.subjects)
        yield from dict.fromkeys(filter(None, texts))


def _words_of(name: str) -> str:
    """Return the words of a branch or slug that name a subject."""
    words = (word for word in re.split(r"[\W_]+", name) if not word.isdecimal())
    return " ".join(word for word in words if word.lower() not in _NO_SUBJECT)


def _languages(files: tuple[str, ...]) -> Iterator[str]:
    names = (path.rpartition("/")[2].lower() for path in files)
    found = (_LANGUAGES.get(name) or _LANGUAGES.get(name.rpartition(".")[2]) for name in names)
    yield from dict.fromkeys(filter(None, found))
