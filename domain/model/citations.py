"""
Citations: the files, folders and addresses that an entry names.

They are its references, and the paths in backticks in its texts. A path is read from the root of
the entry's project. Standard library only, for the hook.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain, islice
from typing import Literal, NamedTuple, TypeAlias
from zlib import crc32

from hardwon.domain.model.identity import composed
from hardwon.domain.model.text import COMMON_FOLDERS, words_of_path

CitationKind: TypeAlias = Literal["file", "folder", "glob", "url"]

MAX_CITATIONS = 50
"""The number of citations of an entry that are read."""

LONGEST_CITATION = 300
MAX_QUOTATIONS = 500
MAX_ALTERNATIVES = 32
MAX_FOLDERS = 30
"""The number of nearest folders of an opened file that are looked up."""

COMMON_STEMS = frozenset(
    """
    __init__ __main__ agents app authors build cargo changelog cli cmakelists compose conftest config constants
    contributing docker-compose dockerfile gemfile go helpers index jenkinsfile justfile lib license main makefile
    manage mod models notice package package-lock page pom procfile pyproject rakefile readme requirements routes
    security server settings setup tox tsconfig types urls util utils vagrantfile views
    """.split()
)
"""Names of files that most projects have, in several folders."""

NAMES_WITHOUT_EXTENSION = frozenset(
    "dockerfile gemfile jenkinsfile justfile license makefile notice procfile rakefile readme vagrantfile".split()
)

EXTENSIONS = frozenset(
    """
    adoc bash bat c cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart erl ex exs fish fs gd go gradle graphql groovy
    h hcl hh hpp hs htm html hxx ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua m md mdx mjs ml mli mm
    mts nix php pl plist pm properties proto ps1 py pyi pyx r rb rs rst s sass scala scss sh sol sql svelte svg swift tcl
    tex tf tfvars toml ts tsx txt v vb vue xml yaml yml zig zsh
    """.split()
)
"""
Extensions of files that a text may name without a folder.

`os.path` is no file.
"""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[a-z]:$")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})$")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_WILD = re.compile(rf"[*?]|{_BRACES.pattern}")
_QUOTED = re.compile(rf"`([^`\n]{{1,{LONGEST_CITATION}}})`")
_WORD = re.compile(r"\S+(?: \([^()]+\))?")
_PLACE = re.compile(
    r"(?::(?P<line>\d+)(?:-(?P<last>\d+))?(?:[:-]\d+)*|\#L(?P<marked>\d+)(?:-L?(?P<end>\d+))?"
    r"|::(?P<symbol>\S+)|[:\#](?P<name>[^\W\d][\w.]*)|\((?P<row>\d+)(?:,\d+){0,3}\)"
    r"| ?\((?P<beside>[^()]+)\))$"
)
"""The line or symbol at the end of a citation."""


class Citation(NamedTuple):
    """
    A file, a folder, a pattern of files, or an address.

    Attributes:
        path: With slashes; of a folder without the last one.
        line: The first cited line, 0 for none.
        symbol: The cited function, class or heading; empty for none.
        last: The last cited line, 0 for that of a single one.
    """

    kind: CitationKind
    path: str
    line: int = 0
    symbol: str = ""
    last: int = 0

    @property
    def text(self) -> str:
        """
        Its plainest spelling.

        >>> [cited.text for cited in citations_of(["a/b.py#L3-L5", "a/b.py (run)", "a/b"])]
        ['a/b.py:3-5', 'a/b.py::run', 'a/b/']
        """
        if self.kind == "folder":
            return f"{self.path}/"
        end = f"-{self.last}" if self.last > self.line else ""
        place = f":{self.line}{end}" if self.line else f"::{self.symbol}" if self.symbol else ""
        return f"{self.path}{place}"


def citations_of(references: Iterable[str], texts: Iterable[str] = ()) -> tuple[Citation, ...]:
    """
    Return the distinct citations in *references*, and in backticks in *texts*.

    >>> citations_of(["src/db/"], ["Close it: `src/db/pool.py:40`."])
    (Citation(kind='folder', path='src/db', line=0, symbol='', last=0), Citation(kind='file', path='src/db/pool.py', line=40, symbol='', last=0))
    """
    referred = (cited for text in references for cited in _citations_in(text, is_reference=True))
    quoted = (
        cited
        for text in texts
        for quotation in islice(_QUOTED.finditer(text), MAX_QUOTATIONS)
        for cited in _citations_in(quotation[1], is_reference=False)
    )
    return tuple(dict.fromkeys(islice(chain(referred, quoted), MAX_CITATIONS)))


def _citations_in(text: str, *, is_reference: bool) -> Iterator[Citation]:
    if len(text) > LONGEST_CITATION:
        return
    for word in [text] if _has_spaces_in_path(text) else _WORD.findall(text):
        if cited := _citation(word, is_reference=is_reference):
            yield cited


def leads_out(reference: str) -> bool:
    """Return whether *reference* climbs out of a folder, so that it cites nothing."""
    return ".." in re.split(r"[/\\]", reference[:LONGEST_CITATION])


def _has_spaces_in_path(text: str) -> bool:
    """Return whether the first word is but the beginning of a path."""
    first, *others = text.split(" ", 1)
    begins_a_path = len(_parts(first)) > 1 and not _extension(_without_place(first)[0])
    return bool(others) and begins_a_path and bool(_extension(_without_place(text)[0]))


def _citation(word: str, *, is_reference: bool) -> Citation | None:
    if _URL.match(word):
        return Citation("url", word)
    text, place = _without_place(word.strip("'\",;").rstrip(".?:"))
    parts = _parts(text)
    if ".." in parts or not any(re.search(r"\w", part) for part in parts):
        return None
    kind = _kind_of(text)
    if not _is_path(text, parts, kind=kind, is_reference=is_reference):
        return None
    if kind == "glob" and text.endswith(("/", "\\")):
        parts.append("**")
    return place._replace(kind=kind, path=_path(text, parts))


def _without_place(text: str) -> tuple[str, Citation]:
    """Return *text* without the place in a file, and a citation of that place."""
    cited = Citation("file", "")
    while place := _PLACE.search(text):
        if line := place["line"] or place["marked"] or place["row"]:
            cited = cited._replace(
                line=int(line[:9]),
                last=int((place["last"] or place["end"] or "0")[:9]),
            )
        symbol = place["symbol"] or place["name"] or place["beside"]
        cited = cited._replace(symbol=symbol or cited.symbol)
        text = text[: place.start()]
    return text, cited


def _kind_of(text: str) -> CitationKind:
    if _WILD.search(text):
        return "glob"
    return "file" if _extension(text) or _is_known(text) else "folder"


def _is_path(text: str, parts: Sequence[str], kind: CitationKind, *, is_reference: bool) -> bool:
    """Return whether *text* is the path of a *kind*, not another word."""
    extension = _extension(next(_alternatives(text)))
    ends_in_slash = text.endswith(("/", "\\"))
    if kind == "folder":
        return ends_in_slash or (is_reference and len(parts) > 1)
    if len(parts) > 1:
        return kind == "file" or ends_in_slash or "." in parts[-1] or not parts[-1].strip("*")
    return _is_known(text) or extension in EXTENSIONS or bool(is_reference and extension)


def _extension(text: str) -> str:
    found = _EXTENSION.search(text)
    return found[1].lower() if found else ""


def _is_known(text: str) -> bool:
    return bool(parts := _parts(text)) and parts[-1].lower() in NAMES_WITHOUT_EXTENSION


def _parts(path: str) -> list[str]:
    """Return folders and name of *path*, a drive first."""
    parts = [
        part for part in composed(path).replace("\\", "/").split("/") if part not in {"", ".", "~"}
    ]
    if parts and _DRIVE.match(parts[0].lower()):
        parts[0] = parts[0].lower()
    return parts


def _path(text: str, parts: Sequence[str]) -> str:
    return "/" * text.startswith(("/", "\\")) + "/".join(parts)


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or bool(_DRIVE.match(path[:2].lower()))


def names(citation: Citation, opened_path: str) -> bool:
    """
    Return whether *citation* names the file at *opened_path*.

    A path names the files whose path ends in it. A path of nothing but common names, such as
    `README.md` and `src/index.ts`, is one from the root.

    >>> names(Citation("file", "db/pool.py"), "src/db/pool.py"), names(Citation("folder", "src/db"), "src/dbx/a.py")
    (True, False)
    """
    parts, cited = _parts(opened_path), _parts(citation.path)
    if citation.kind == "url" or not parts:
        return False
    if citation.kind == "glob":
        return any(
            _fits(pattern, parts, is_absolute=_is_absolute(opened_path))
            for pattern in _alternatives(citation.path)
        )
    if _is_absolute(citation.path):
        return _names_absolute(cited, parts, is_absolute=_is_absolute(opened_path))
    ends = [len(parts)] if citation.kind == "file" else range(len(cited), len(parts) + 1)
    places = [end - len(cited) for end in ends if parts[max(end - len(cited), 0) : end] == cited]
    return places[:1] == [0] or bool(places and not _is_common(cited))


def _names_absolute(cited: Sequence[str], parts: Sequence[str], *, is_absolute: bool) -> bool:
    if is_absolute:
        return [*parts[: len(cited)]] == [*cited]
    shared = (end for end in range(1, len(parts) + 1) if [*cited[-end:]] == [*parts[:end]])
    return any(not _is_common(parts[:end]) for end in shared)


def _is_common(parts: Sequence[str]) -> bool:
    *folders, name = (part.lower() for part in parts)
    is_common_name = name in COMMON_FOLDERS or name.split(".")[0] in {*COMMON_STEMS, ""}
    return is_common_name and COMMON_FOLDERS.issuperset(folders)


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield *pattern* with each choice of the lists in its braces."""
    return islice(_expanded(pattern), MAX_ALTERNATIVES)


def _expanded(pattern: str) -> Iterator[str]:
    braces = _BRACES.search(pattern)
    if not braces:
        yield pattern
        return
    for choice in braces[1].split(","):
        yield from _expanded(pattern[: braces.start()] + choice + pattern[braces.end() :])


def _fits(pattern: str, parts: Sequence[str], *, is_absolute: bool) -> bool:
    """
    Return whether *pattern* matches the whole path.

    A single star matches within a folder, two match folders. Without a folder it matches the name.
    """
    wanted = _parts(pattern)
    if len(wanted) == 1 or (is_absolute and not _is_absolute(pattern)):
        wanted = ["**", *wanted]
    reached = _after_stars({0}, wanted)
    for part in parts:
        reached = _after_stars(
            {
                at if wanted[at] == "**" else at + 1
                for at in reached
                if at < len(wanted) and (wanted[at] == "**" or _matches(part, wanted[at]))
            },
            wanted,
        )
    return len(wanted) in reached


def _after_stars(reached: set[int], wanted: Sequence[str]) -> set[int]:
    """Add the places after each `**`, which may match no folder."""
    for at, part in enumerate(wanted):
        if at in reached and part == "**":
            reached.add(at + 1)
    return reached


def _matches(part: str, wanted: str) -> bool:
    return fnmatchcase(part, wanted.replace("[", "[[]"))


def cited_words(references: Iterable[str]) -> str:
    """
    Return the words by which an entry with these *references* is searched.

    >>> cited_words(["src/feeds/readRows.py::test_quotes"])
    'feeds readRows read Rows test_quotes'
    """
    return " ".join(
        text
        for kind, path, _, symbol, _ in citations_of(references)
        for text in (words_of_path(_URL.sub("", path) + "/" * (kind == "folder")), symbol)
        if text
    )


def tokens_of(citations: Iterable[Citation]) -> tuple[str, ...]:
    """Return the tokens under which an entry with these *citations* is indexed."""
    return tuple(dict.fromkeys(token for cited in citations for token in _tokens(cited)))


def _tokens(citation: Citation) -> Iterator[str]:
    match citation.kind:
        case "file":
            yield _token("file", _parts(citation.path)[-1])
        case "folder":
            yield _token("folder", _parts(citation.path)[-1])
        case "glob":
            for pattern in _alternatives(citation.path):
                for last in _parts(pattern)[-1:]:  # a pattern may name nothing
                    yield _of_extension(last) if _WILD.search(last) else _token("file", last)
        case _:
            pass


def tokens_to_find(opened_path: str) -> tuple[str, ...]:
    """Return the tokens of which an entry that cites *opened_path* has one."""
    *folders, name = _parts(opened_path) or [""]
    of_folders = (_token("folder", part) for part in (*folders[-MAX_FOLDERS:], name))
    tokens = (_token("file", name), _of_extension(name), _token("glob", ""), *of_folders)
    return tuple(dict.fromkeys(tokens))


def _of_extension(name: str) -> str:
    return _token("glob", _extension(name))


def _token(kind: CitationKind, name: str) -> str:
    """Return a word that no text contains."""
    return f"cited{crc32(f'{kind}/{name}'.encode('utf-8', 'surrogatepass')):08x}"
