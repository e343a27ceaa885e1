"""What a conversation names: projects, slash commands, phases."""

import re
from collections.abc import Iterator

from hardwon.domain.model.keyword_query import STOP_WORDS

_PART = r"[\w-]{1,60}"
_COMMAND = re.compile(
    r"(?:(?:\A *+|(?<=[\s`'\"(]))(?P<named>/[a-z][\w-]{0,60}(?::[\w-]{1,60}){1,4})|\A *+(?P<first>/[a-z][\w-]{0,60}))"
    r"(?=[\s`'\"),;!?]|:(?!\w)|\.(?:\s|$)|$)"
)
_FOLDERS = frozenset(
    "bin boot dev etc home lib media mnt opt or and proc root run sbin srv sys tmp usr users var".split()
)

_PHASE = re.compile(r"\bphases?[\s_#-]{0,3}(\d{1,6}(?:\.\d{1,6}){0,3})\b", re.IGNORECASE)

_NAME = r"(?P<{}>[^\W\d_][\w-]{{0,60}}(?:\.[\w-]{{1,60}})?)"
_QUOTED = re.compile(
    rf"\bproject(?:,? (?:named|called))? [`'\"\u201c]{_NAME.format('name')}[`'\"\u201d]", re.IGNORECASE
)
_NAMED = re.compile(rf"\b(?:project|repo|repository),? (?:named|called) {_NAME.format('name')}", re.IGNORECASE)
_PLAIN = re.compile(
    rf"(?:^|(?<=[.!?:] )|\b(?:in|of|for|from|on|into|with|and|see|like|open|is|our|my) )[Pp]roject {_NAME.format('name')}",
    re.MULTILINE,
)
_CODED = re.compile(r"\b[Pp]roject (?P<name>[^\W\d_][\w]{0,60}(?:[-_][\w-]{1,60}|\d\w{0,20}|[A-Z]\w{0,60}))")
_FOLDER = re.compile(
    rf"(?:~|\.\.|\b)/(?:projects?|repos|code|workspaces?|git)/{_NAME.format('name')}(?=[/\s`'\"),;:!?.]|$)"
)
_KINDS_OF_PROJECT = (_QUOTED, _NAMED, _PLAIN, _CODED, _FOLDER)

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
    Yield the slash commands in *text*, in order, with repeats: words such as `/tlc:plan`, not paths.

    One without a colon is a command only where *text* begins with it: elsewhere
    `/login` is an address.
    """
    found = (each["named"] or each["first"] for each in _COMMAND.finditer(text))
    return (command for command in found if command[1:] not in _FOLDERS)


def phases_in(text: str) -> Iterator[str]:
    """Yield the numbers of phases that *text* names, in order, with repeats."""
    return (found[1] for found in _PHASE.finditer(text))


def projects_in(text: str) -> Iterator[str]:
    """Yield the names of projects in *text*, in order, with repeats: `project foo`, `~/projects/foo`."""
    found = [
        (each.start("name"), each["name"].rstrip("-.")) for kind in _KINDS_OF_PROJECT for each in kind.finditer(text)
    ]
    return (name for _, name in sorted(found) if name.lower() not in _NO_NAMES)
