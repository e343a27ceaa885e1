"""Names in a conversation: files, projects, slash commands and phases."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hardwon.domain.model.keywords import STOP_WORDS

_PART = r"[\w-]{1,60}"
_COMMAND = re.compile(
    r"(?:(?:\A *|(?<=[\s`'\"(]))(?P<named>/[a-z][\w-]{0,60}(?::[\w-]{1,60}){1,4})|\A"
    r" *(?P<first>/[a-z][\w-]{0,60}))"
    r"(?=[\s`'\"),;!?]|:(?!\w)|\.(?:\s|$)|$)"
)
_FOLDERS = frozenset(
    "bin boot dev etc home lib media mnt opt or and proc root run sbin srv sys tmp usr users var".split()
)

_PHASE = re.compile(r"\bphases?[\s_#-]{0,3}(\d{1,6}(?:\.\d{1,6}){0,3})\b", re.IGNORECASE)

_NAME = r"(?P<{}>[^\W\d_][\w-]{{0,60}}(?:\.[\w-]{{1,60}})?)"
_QUOTED = re.compile(
    rf"\bproject(?:,? (?:named|called))? [`'\"\u201c]{_NAME.format('name')}[`'\"\u201d]",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"\b(?:project|repo|repository),? (?:named|called) {_NAME.format('name')}", re.IGNORECASE
)
_PLAIN = re.compile(
    r"(?:^|(?<=[.!?:] )|\b(?:in|of|for|from|on|into|with|and|see|like|open|is|our|my) )[Pp]roject"
    rf" {_NAME.format('name')}",
    re.MULTILINE,
)
_CODED = re.compile(
    r"\b[Pp]roject (?P<name>[^\W\d_][\w]{0,60}(?:[-_][\w-]{1,60}|\d\w{0,20}|[A-Z]\w{0,60}))"
)
_FOLDER = re.compile(
    rf"(?:~|\.\.|\b)/(?:projects?|repos|code|workspaces?|git)/{_NAME.format('name')}(?=[/\s`'\"),;:!?.]|$)"
)
_WHICH = "|".join(
    """
    actual android application backend base bigger client company complete current customer demo different empty entire existing
    external final finished first frontend full git github gitlab go golang internal ios java javascript kotlin large larger last
    legacy local main monorepo mono multi new next node old open-source original other own parent personal pet php present previous
    private public python rails react real remote respective right ruby rust same sample second separate side similar single small
    smaller source swift target template test third toy typescript underlying upstream web website weekend whole working wrong
    """.split()
)
"""Words that say which project without naming it: `the whole project`, `our Python repo`."""

_BEFORE = re.compile(
    r"\b(?:the|our|my|your|their|this|that)"
    rf" [`'\"\u201c]?(?!(?:{_WHICH})\b(?!-)){_NAME.format('name')}[`'\"\u201d]?(?:'s)?"
    r" (?:project|repo|repository)\b",
    re.IGNORECASE,
)
_NAMES_PROJECT = re.compile(r"[Pp]roject|repo|/(?:code|workspace|git)", re.IGNORECASE)
"""A quick test: it matches every text that names a project."""

_KINDS_OF_PROJECT = (_QUOTED, _NAMED, _PLAIN, _CODED, _FOLDER, _BEFORE)


_NO_NAMES = STOP_WORDS | frozenset(
    """
    architecture board budget build called case code codebase config configuration context dependencies description
    design details directory docs documentation file files folder folders goal goals has idea ideas instructions is layout
    lead level life management manager may members memory milestones might must name named names needs notes outline
    overview owner path paths phase phases plan planning progress proposal requirements roadmap root rules schedule scope
    settings setup shall shows since size specific specs starts status still structure success summary tasks team template
    that timeline today tools type types update updates use uses using well wide work would yet
    """.split()
)


def commands_in(text: str) -> Iterator[str]:
    """
    Yield the slash commands in *text*, in order, with repeats.

    They are words such as `/tlc:plan`, not paths. A command without a colon counts only at the
    beginning of *text*: elsewhere `/login` is an address.
    """
    found = (match["named"] or match["first"] for match in _COMMAND.finditer(text))
    return (command for command in found if command[1:] not in _FOLDERS)


def phases_in(text: str) -> Iterator[str]:
    """Yield the phase numbers that *text* names, in order, with repeats."""
    return (found[1] for found in _PHASE.finditer(text))


def projects_in(text: str, known: Iterable[str] = ()) -> Iterator[str]:
    """
    Yield the project names in *text*, in order, with repeats.

    Patterns are `project foo`, `the foo project` and `~/projects/foo`.

    Args:
        text: Any text.
        known: Names that count wherever they are a word of their own; with an article `parser` is a
            thing.
    """
    kinds = [
        *(_KINDS_OF_PROJECT if _NAMES_PROJECT.search(text) else ()),
        *(_bare(name) for name in known if name in text),
    ]
    found = [
        (match.start("name"), match["name"].rstrip("-."))
        for kind in kinds
        for match in kind.finditer(text)
    ]
    return (name for _, name in sorted(found) if name.lower() not in _NO_NAMES)


@lru_cache(maxsize=1024)
def _bare(name: str) -> re.Pattern[str]:
    """Match *name* as a whole word, outside of paths and other names."""
    articles = "".join(
        rf"(?<!\b{word} )" for word in _ARTICLES if name.isalpha() and name.islower()
    )
    return re.compile(rf"(?<![\w./@-]){articles}(?P<name>{re.escape(name)})(?![\w/@-]|\.\w)")


_ARTICLES = "the a an The A An this that This That our Our my your its each every any no".split()


_ROUTED = r"[(\[][\w.@+-]{1,80}[)\]]"
"""A folder of a route, such as `(shop)` and `[id]`."""

_TOKEN = re.compile(
    rf"(?:[^\s`'\"<>()\[\]{{}},;|*\u201c\u201d\u2018\u2019]|(?<=/){_ROUTED}(?=/)|(?<=/)\[[\w.-]{{1,80}}\](?=\.\w))+"
)
_LONGEST = 300
_AFTER = re.compile(r"(?::\d+(?:-\d+)*|#L\d+(?:-L?\d+)?|[.:!?…])+$")
_PATH = re.compile(
    rf"(?P<folder>(?:(?:[\w.@+-]+|{_ROUTED})/)*)"
    r"(?P<name>(?:\.?[\w+-][\w.+-]*|\[[\w.-]+\])\.(?P<extension>[^\W\d_][^\W_]{0,9})|\.[a-z][\w.-]*"
    r"|(?:GNU)?[Mm]akefile|[Jj]ustfile|(?:Docker|Container|Proc|Gem|Rake|Vagrant|Jenkins|Caddy|Brew|Pip|Task)file)"
)
_ELSEWHERE = re.compile(r"(?:[A-Za-z]:/|//?|~\w*/|(?:\.\./)+)")
"""The beginning of a path outside of the project's folder."""

_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|co|edu|gov|uk|de|eu)")
_NOT_A_FILE = re.compile(
    r"(?:node|next|vue|nuxt|react|express|three|d3|ember|backbone|chart|socket|asp|ml|p5)\.(?:js|net|io)"
)
_HIDDEN = frozenset(
    ".dockerignore .editorconfig .env .gitattributes .gitignore .npmrc .nvmrc .prettierrc".split()
)
_EXTENSIONS = frozenset(
    """
    bash bat c cc cfg clj cmake conf cpp cs css csv dart db diff dockerfile env erl ex exs fish gif go gradle graphql h
    hpp hs html ini ipynb java jpeg jpg js json jsonl jsx kt less lock log lua m make md mdx mjs cjs mts ml patch pdf
    php pl pm png prisma properties proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql sqlite svelte svg swift tar
    tex tf toml ts tsv tsx txt vue wasm webp xml yaml yml zig zip zsh
    """.split()
)
"""
Extensions that make a name without a folder a file's.

`os.path` and `example.com` are no files.
"""


@lru_cache(maxsize=64)  # a chunk and each of its details name the files of the same exchanges
def paths_in(text: str) -> tuple[str, ...]:
    """
    Return the file paths in *text*, in order, with repeats.

    They are relative to the project's folder. Paths outside of it, addresses, versions and
    abbreviations are left out; line numbers are removed.
    """
    # Others have no extension, and no name such as `Makefile`.
    words = (word for word in text.split() if "." in word[:-1] or "file" in word)
    return tuple(
        path
        for word in words
        for token in _TOKEN.findall(word)
        if len(token) <= _LONGEST and "://" not in token
        for path in _path(token.replace("\\", "/"))
    )


def files_in(texts: Iterable[str]) -> tuple[str, ...]:
    """
    Return the distinct files that *texts* name, in order.

    `a.py` is dropped if `src/a.py` is named too.
    """
    found = tuple(dict.fromkeys(path for text in texts for path in paths_in(text)))
    named_whole = {path.rpartition("/")[2] for path in found if "/" in path}
    return tuple(path for path in found if path not in named_whole)


def _path(token: str) -> Iterator[str]:
    cleaned = _AFTER.sub("", token).removeprefix("./")
    found = None if _ELSEWHERE.match(cleaned) else _PATH.fullmatch(cleaned)
    if (
        found
        and ".." not in found["folder"]
        and _is_file(found["folder"], found["name"], found["extension"])
    ):
        yield found[0]


def _is_file(folder: str, name: str, extension: str | None) -> bool:
    if _NOT_A_FILE.fullmatch(name.lower()) or _DOMAIN.fullmatch(folder.partition("/")[0].lower()):
        return False
    if extension is None or name.startswith(".env."):
        return (
            bool(folder) or not name.startswith(".") or name in _HIDDEN or name.startswith(".env.")
        )
    return bool(folder) or extension.lower() in _EXTENSIONS or name.startswith("Dockerfile.")
