"""
The run that a shell command is about.

Preparations, sources of pipes and filters of the output are left out. Standard library only, for
the hook. Linear in the length of the command, of which the end is cut.
"""

import re
from collections.abc import Iterator

from hardwon.domain.model.text import lazy

MAX_COMMAND = 300
"""Characters of a key."""

MAX_READ = 20 * MAX_COMMAND
"""Characters of a command that are read."""

_CONTINUED = lazy(r"\\\r?\n")
_WHOLE = lazy(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\([^()]*\)|`[^`]*`|\\[|&;<>\"'()$` ]")
"""Texts in which no sign separates commands."""

_STANDS_FOR_WHOLE = lazy("\0(\\d+)\0")
_HERE_DOCUMENT = lazy(
    r"(?<!\$\(cat )<<[-~]?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n.*?^[ \t]*\2[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
"""The data of a command, and the rest of its line (group 3)."""

_UNENDED_DOCUMENT = lazy(r"<<[-~]?\s*(?:\w|\0).*", re.DOTALL)
_REDIRECTION = lazy(r"(?:(?<=\s)\d|&)?>{1,2}\s*(?:&\s*[\d-]|[^\s;|&]+)|<\s*[^\s;|&<]+")
_SEPARATOR = lazy(r"(\|\||&&|[|&;\n])")
_BEFORE = lazy(
    r"(?:(?:[A-Za-z_]\w*=\S*|sudo|time|nohup|exec|command(?!\s+-)|env|stdbuf\s+\S+"
    r"|xargs(?:\s+-(?:[nPL]\s+\d+|I\s+[^\s-]\S*|\S+))*"
    r"|nice(?:\s+-n\s*\d+)?|timeout(?:\s+-\S+)*\s+[\d.]+[smh]?)\s+)*"
)
_ABSOLUTE = lazy(r"(?<![\w.~:/])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'\"]+[/\\])+")
_PREPARATION = lazy(
    r"(?:(?:cd|pushd|popd|source|\.|export|set|unset|true|:|echo|printf|sleep|mkdir|exit|wait|trap)(?=\s|$).*"
    r"|(?i:set-location|push-location|new-item|write-host|write-output|start-sleep)(?=\s|$).*"
    r"|[A-Za-z_]\w*=\S*|\$(?:\w+:)?\w+\s*=.*)?"
)
_VIEWER = lazy(
    r"(?:cat|less|more|head|tail|e?grep|rg|ag|sed|awk|find(?!.* -exec)|ls|tree|jq|wc|diff|cmp|echo|printf|man|history|which"
    r"|command|type|test|\[|stat|file|git (?:-\S+ )*(?:log|show|diff|blame|grep|status|branch|ls-files)"
    r"|(?i:get-content|get-childitem|get-command|get-help|get-item|select-string|test-path|dir|findstr|where(?:\.exe)?))(?=\s|$)"
)
"""Commands that show texts of others, or whose exit code is an answer."""

_TEST = lazy(
    r"(?:^|(?<=[\s/]))(?:py\.?test|tox|nox|unittest|jest|vitest|mocha|karma|cypress|rspec|minitest|phpunit|ctest|bats"
    r"|nextest|(?:\w{1,40}[:_.-])?(?:runtests?|tests?|specs?|verify|\w{1,40}Tests?)(?::[\w-]{1,40}|\.\w{1,5})?)(?=\s|$)"
    r"|(?:^|(?<=\s))make\s[^;&|]{0,200}?\bcheck\b"
)
"""Commands that run tests, by the name of program, script or target."""

_NO_TEST = lazy(
    r"(?:git|gh|docker|kubectl|cp|mv|rm)\s|[^;&|]{0,40}\b(?:install|add|remove|uninstall)\s"
)
"""Commands that only name a test."""

_SOURCE = lazy(r"(?:z?cat|gunzip|gzip|bzcat|xzcat|zstd|echo|printf|yes)(?=\s|$)")
"""Commands that feed another one in a pipe."""


def command_key(command: str) -> str:
    """
    Return *command* without folders, environment, redirections, pipes and what follows.

    Two commands of one key are the same run. Preparations and look-ups beside it are left out.

    >>> command_key("cd /srv/shop && CI=1 timeout 60 python -m pytest -q tests 2>&1 | tail -20")
    'python -m pytest -q tests'
    """
    whole = list[str]()

    def stand_in(found: re.Match[str]) -> str:
        whole.append(found[0])
        return f"\0{len(whole) - 1}\0"

    text = _CONTINUED.sub(" ", command.replace("\0", "")[:MAX_READ])
    text = _WHOLE.sub(stand_in, _HERE_DOCUMENT.sub(r"\3", text))
    text = _REDIRECTION.sub("", _UNENDED_DOCUMENT.sub("", text))
    runs = [run for run in _runs(text) if not _PREPARATION.fullmatch(run)]
    runs = [run for run in runs if not (is_lookup(run) or _SOURCE.match(run))] or runs
    key = " && ".join(runs) or " ".join(text.split())
    key = _STANDS_FOR_WHOLE.sub(lambda found: whole[int(found[1])], key)
    return key[:MAX_COMMAND].rstrip()


def is_lookup(key: str) -> bool:
    """Return whether the command only looks something up, so that it may fail."""
    return _VIEWER.match(key) is not None


def is_test(key: str) -> bool:
    """
    Return whether the command runs tests.

    >>> [is_test(key) for key in ("pytest -q", "npm run test:unit", "make check", "./gradlew integrationTest")]
    [True, True, True, True]
    >>> [is_test(key) for key in ("python make_test_data.py", "cargo build", "npm install jest")]
    [False, False, False]
    """
    return any(_TEST.search(run) and not _NO_TEST.match(run) for run in key.split(" && "))


def _runs(text: str) -> Iterator[str]:
    """Yield the commands of *text*, of a pipe the first that matters."""
    before = run = ""
    for place, part in enumerate(_SEPARATOR.split(text)):
        if place % 2:
            before = part
        elif before not in {"|", "||"} or _leads_on(run, before, part):
            run = " ".join(_ABSOLUTE.sub("", _BEFORE.sub("", part.strip(), count=1)).split())
            yield run


def _leads_on(run: str, sign: str, part: str) -> bool:
    """Return whether *part* is the command, and the *run* before it only leads there."""
    if sign == "||":
        return is_lookup(run)
    return _SOURCE.match(run) is not None or (is_lookup(run) and part.lstrip().startswith("xargs"))
