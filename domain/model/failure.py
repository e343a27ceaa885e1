"""
A failed command, its error lines, and the signature of its error.

Two runs that fail in the same way have the same signature, whatever their paths, numbers, times,
addresses and temporary names. Standard library only, for the hook.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from hardwon.domain.model.keywords import MAX_TERMS, STOP_WORDS, terms_of, words_of
from hardwon.domain.model.prompt_terms import (
    EVERYDAY,
    Identifier,
    identifiers,
    stem,
)
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.shell_command import MAX_READ, command_key, is_lookup
from hardwon.domain.model.text import lazy
from hardwon.domain.model.tool_output import cleaned, normalised, shown

MAX_QUESTION = 1_500
MAX_GIST = 60
"""
The words that are embedded.

Lines beside those of the error are searched by word alone.
"""

MAX_ERROR_LINES = 6
MAX_SIGNATURES = 4

_EXCEPTION = lazy(
    r"(?:E\s+|Caused by: )?(?:(?:\w+\.)*[A-Z]\w*"
    r"(?:Error|Exception|Exit|Interrupt|Warning|Fault|DoesNotExist|Timeout|NotFound|Refused)(?:\s\[\w+\])?(?::\s.*)?"
    r"|(?:[a-z_]\w*\.)+[A-Z]\w+: .*)"
)
"""The last line of a traceback, in Python, JavaScript and Java."""

_ERRNO = "E(?:ACCES|ADDR[A-Z]+|CONN[A-Z]+|EXIST|HOST[A-Z]+|INVAL|[MN]FILE|NO[A-Z]{3,}|PERM|PIPE|RESOLVE|ROFS|TIMEDOUT)"
"""Codes of the operating system, as Node.js prints them."""

_SPECIFIC = lazy(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            r"E\s{2,}(?![+\-?]|\s*(?:where|and)\b)\S.*",  # pytest
            r"(?:.*[ \]])?(?:(?:\w+ )?error|fatal|Error|ERROR|FATAL|E)(?:\[\w+\])?(?: [A-Z]+\d+)?:? \S.*",
            r"error TS\d+:.*|.*: error TS\d+:.*",  # tsc
            r"\d+:\d+\s+error\s+.*",  # eslint
            r"[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S.*",  # ruff
            r".*\.go:\d+(?::\d+)?: .*|panic: .*",
            r"thread '.*' .*panicked at.*",
            r"[│╷╵\xd7●✕✗]\s*\S.*|╰─▶ .*",  # terraform, uv, jest
            r"curl: \(\d+\) .*|Error response from daemon: .*|Error from server.*",
            r".*\b(?:undefined reference to|multiple definition of) .*|(?:\S*[/-])?ld(?:\.\w+)?: .*",
            r".*: (?:line \d+: )?.*: (?:command not found|No such file or directory|Permission denied|not found).*",
            r"e: .*|> .*(?:not|fail|could).*",  # gradle
            r"(?:CONFLICT|! \[\w+ ?\w*\]|hint:) ?.*|remote: (?!(?:Enumerating|Counting|Compressing|Total|Resolving)\b).*\w.*",  # git
            r"(?:DETAIL|HINT):\s+.*",  # psql
            r"(?i:cause|because|reason): .*",
            rf".*\b(?:{_ERRNO})\b.*",
            r"CMake Error.*|\[?ERROR\]? .*|ERR! .*",
            r"(?:.* )?make(?:\[\d+\])?: \*\*\* (?!\[|Waiting).*",
            r"(?:\[error\] )?\S+:\d+:\d+: [A-Z]: \S.*",  # rubocop
            r"(?:So, )?[Bb]ecause .* (?:requires|depends on|forbids?) .*",  # poetry, uv, pub
            r"\S+ YN(?!0000)\d{4}: .*",  # yarn
        )
    )
)
"""Lines by which a tool tells an error, in the order of no importance."""

_GENERIC = lazy(
    r"(?i).*(?:\b(?:error|fatal|fail(?:ed|ure|s)?|exception|panic|denied|refused|not found|cannot|can't|could not|"
    r"couldn't|unable|not (?:allowed|permitted|defined|declared|in scope|installed|available|recogni[sz]ed)|exceeded|exceeds|unresolved|undefined|unknown|unexpected|invalid|missing|timed? ?out|aborted|killed|conflict|"
    r"mismatch|unsupported|no such|does not|doesn't|overflow|fehler|fehlgeschlagen|nicht gefunden|erreur|échec|"
    r"introuvable|errore|erro|fallo|fout|błąd)\b|ошибка|не найден|エラー|失敗|失败|错误|오류).*"
)
_WRAPPER = lazy(
    r"(?i).*\*\*\*.*\berror \d+.*|npm (?:ERR!|error) (?:code|errno|path|command|lifecycle|workspace|location)\b.*|"
    r"(?:FAILED|ERROR|FAIL|FAILURE):? ?(?:\(\w+=|\S+$|Build failed).*|Found \d+ errors?.*|\d+ (?:errors?|failed|problems?)\b.*|"
    r"error: (?:could not compile|aborting due|process|subprocess|recipe|script|command)\b.*|"
    r".*\bexit(?:ed)? (?:code|status|with|\(\d+)\b.*|at \S.*:\d+\)?(?: \{)?|.*BUILD FAILED.*|Traceback .*|collect2: .*|"
    r".*: in function [`'\"].*|File \".*\", line \d.*|npm (?:ERR!|error)(?:\s+(?:[{}].*|errno:.*|syscall.*|at .*))?|error:|"
    r"Command \w+ failed with a nonzero.*|\(\d+ failures?\)|The following build commands failed:|\*\* \w+ FAILED \*\*|"
    r"\* What went wrong:|For more information.*|.*Command failed.*|.*generated an error.*|Tests?:? +\d+ .*|.*\(most likely .*|"
    r"There (?:was|were) \d+ .*|error during build:|\[error\] \w+ errors? found"
)
"""Lines that only say that another line says it."""

_HEADING = lazy(r"(?i:error|fatal)[:!]|thread '.*' .*panicked at .*:")
"""Lines after which the error is told."""

_STRONG = lazy(
    r"FAIL(?:ED|URES?)?\b.*|--- FAIL.*|(?:test )?[Rr]esult: FAIL.*|not ok \d+(?!.*# (?:TODO|SKIP)).*|"
    r"(?:[\w ]+: +)?(?:\d+ [a-z]+[,;] )*[1-9]\d* (?:tests? )?(?:fail(?:s|ed|ing|ures?)?|errors?)(?:[,;.(].*| out of .*)?|"
    r".*\b(?:Failures|Failed|Errors|failures|failed|unreachable)(?:: *|=)[1-9].*|"  # counts of JUnit, PHPUnit, Ansible
    r"There (?:was|were) \d+ (?:failure|error)s?:|Failed examples:|Some tests failed\.|# fail [1-9]\d*|"
    r"\[ +FAILED +\] .*|.*(?: \.\.\.|\*\*\*) ?(?:FAILED|Failed)\b.*|.* > .* FAILED|> Task .* FAILED|"
    r"(?:[x\xd7\u2717\u2718] )?(?:.*BUILD FAIL|Build FAIL|Build fail).*|\*\* \w+ FAILED \*\*|Failed to compile\.|"
    r"(?:\S+(?: -)?:? )?(?:fatal )?error(?:\[E\d+\])?: .*|.*\berror [A-Z]{1,6}\d{2,5}: .*|fatal: .*|error during build:|"
    r"(?:psql:)?(?:\S+: )?ERROR: .*|ERROR \d+ \(\w+\).*|ERROR in .*|\S \[ERROR\] .*|\[error\] (?:\(|\S+:\d+:).*|"
    r"Traceback \(most recent.*|File \".*\.py\", line \d+.*|E {2,}\S.*|PHP (?:Fatal|Parse) error: .*|\*\* \(\w[\w.]*\) .*|"
    r"panic: .*|thread '.*' .*panicked at.*|Exception in thread .*|Node\.js v\d.*|Execution halted|BEGIN failed--.*|"
    r"(?:.* )?make(?:\[\d+\])?: \*\*\* .*|ninja: build stopped: .*|CMake Error.*|\S+\.go:\d+:\d+: .*|e: \S+:\d+.*|"
    r"npm (?:ERR!|error) .*|ERR_PNPM_\w+ .*|ELIFECYCLE .*|\S+ YN0000: .*Failed with errors.*|"
    r"Found [1-9]\d* errors?\b.*|\u2716 \d+ problems? \((?!0 errors).*|\d+ files? inspected, [1-9].*|.*compiled with [1-9]\d* errors?.*|"
    r".*: command not found.*|.* is not recognized as (?:a name|an internal).*|Error response from daemon: .*|curl: \(\d+\) .*|"
    r"Error: [A-Z ]+ FAILED: .*|[\u2502\u2577] Error: .*|.*An error occurred \(\w+\) when calling the .*|.*version solving failed\.?"
)
"""Lines that only a command prints that fails."""

_MARK = lazy(
    r"^(?:E\s+|##\[error\]|Caused by:\s+|npm (?:ERR!|error)\s+|[│╷╵\xd7●✕✗*>|]\s+|╰─▶\s+|\[?ERROR\]?:?\s+)+"
)
_PLAIN_WORDS = (
    frozenset(map(stem, EVERYDAY))
    | STOP_WORDS
    | frozenset(
        map(
            stem,
            """
        assert assertion assertionerror exception fatal failed failure failing failures errors warning traceback recent
        n path none true false expected received got actual note hint help process exit status line column
        valueerror typeerror keyerror runtimeerror oserror stderr stdout main command found
        syntaxerror syntax invalid indentationerror indent unexpected token eof indexerror index range tuple str string int
        float nonetype null undefined nil nan object attribute attributeerror operand unsupported literal base zerodivisionerror
        division zero recursionerror recursion maximum depth exceeded filenotfounderror file directory permissionerror
        permission denied errno properties reading read segmentation fault core dumped pointer dereference memory address
        panic goroutine runtime cannot can't unhandled uncaught rejection promise argument arguments positional required missing
        """.split(),
        )
    )
)
MIN_RARE_WORDS = 2
MIN_WORDS = 3
"""Words of a signature that has only one rare word."""

_PLACE = lazy(r"^(?:(?:\w+:)?<path>:?\s*|\(\.text[^)]*\):?\s*|line <n>:\s*)+-?\s*")
"""Where a line says that the error is."""


class Failure:
    """
    A command with its output, of which the error is read.

    Secrets are taken out first: what is cut or normalised could no longer be known as one.

    Args:
        command: As the agent ran it.
        output: As the host has it: standard output and error mixed, maybe cut.

    """

    def __init__(self, command: str, output: str) -> None:
        self.key = command_key(redact(without_cut_word(command)))
        self.lines = cleaned(redact(shown(output)))

    @property
    def is_expected(self) -> bool:
        """
        Whether the command only looks something up.

        It may fail, and print errors of others.
        """
        return is_lookup(self.key)

    @property
    def is_shown(self) -> bool:
        """Whether the output itself shows that the command failed, whatever its exit code."""
        return not self.is_expected and any(map(_STRONG.fullmatch, self.lines))

    @cached_property
    def error_lines(self) -> tuple[str, ...]:
        """At most 6 lines that tell the error, the most specific first."""
        return tuple(self.lines[place] for place in self._places)

    @cached_property
    def signatures(self) -> tuple[str, ...]:
        """At most 4, of its error lines that are specific."""
        found = (signature_of(line) for line in self.error_lines)
        return tuple(dict.fromkeys(filter(None, found)))[:MAX_SIGNATURES]

    def is_named_in(self, text: str) -> bool:
        """Return whether *text* holds one of its signatures, word for word."""
        plain = " ".join(map(normalised, text.splitlines())).casefold() if self.signatures else ""
        return any(signature.casefold() in plain for signature in self.signatures)

    @cached_property
    def identifiers(self) -> tuple[Identifier, ...]:
        """The identifiers in its error lines."""
        return identifiers("\n".join(self.error_lines))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The distinct words of its lines."""
        return tuple(dict.fromkeys(terms_of("\n".join(self.lines))))

    @property
    def signature(self) -> str:
        """The first of its signatures, empty for none."""
        return next(iter(self.signatures), "")

    @cached_property
    def question(self) -> str:
        """The text to search with: command, error lines, and the lines beside them."""
        beside = (place + step for place in self._places for step in (-1, 1))
        places = dict.fromkeys((*self._places, *(at for at in beside if 0 <= at < len(self.lines))))
        return "\n".join((self.key, *(self.lines[at] for at in places)))[:MAX_QUESTION]

    @property
    def gist(self) -> str:
        """The text to embed: the words of command and error lines."""
        return " ".join(words_of("\n".join((self.key, *self.error_lines)))[:MAX_GIST])

    @cached_property
    def _places(self) -> Sequence[int]:
        ranked = [(rank, at) for at, rank in enumerate(_ranks(self.lines))]
        exceptions = [at for rank, at in ranked if rank == _IS_EXCEPTION]
        others = sorted(pair for pair in ranked if _IS_EXCEPTION < pair[0] < _IS_OTHER)
        specific = [at for rank, at in others if rank < _IS_WRAPPER]
        places = [*reversed(exceptions), *specific] or [at for _, at in others]
        places = places or [len(self.lines) - 1]
        distinct = dict[str, int]()
        for at in places if self.lines else ():
            distinct.setdefault(normalised(self.lines[at]), at)
            if len(distinct) == MAX_ERROR_LINES:
                break
        return [*distinct.values()]


def without_cut_word(command: str) -> str:
    """Return the part of *command* that is read, in whole words."""
    return command if len(command) <= MAX_READ else command[:MAX_READ].rpartition(" ")[0]


_IS_EXCEPTION, _IS_SPECIFIC, _IS_GENERIC, _IS_WRAPPER, _IS_OTHER = range(5)


def _ranks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the rank of each line, that after a heading as specific."""
    for before, line in pairwise(("", *lines)):
        rank = _rank(line)
        yield min(rank, _IS_SPECIFIC) if rank and _HEADING.fullmatch(before) else rank


def _rank(line: str) -> int:
    if _WRAPPER.fullmatch(line):
        return _IS_WRAPPER
    if _EXCEPTION.fullmatch(line):
        return _IS_EXCEPTION
    if _SPECIFIC.fullmatch(line):
        return _IS_SPECIFIC
    return _IS_GENERIC if _GENERIC.fullmatch(line) else _IS_OTHER


def signature_of(line: str) -> str:
    """
    Return the signature of an error line, empty for one that says too little.

    >>> signature_of("E   ModuleNotFoundError: No module named 'yaml'")
    "ModuleNotFoundError: No module named 'yaml'"
    >>> signature_of("AssertionError: assert 3 == 4"), signature_of("SyntaxError: invalid syntax")
    ('', '')
    """
    signature = _PLACE.sub("", normalised(_MARK.sub("", line)))
    words = {stem(word) for word in words_of(signature)}
    rare = sum(len(word) > 1 for word in words - _PLAIN_WORDS)
    is_specific = rare >= MIN_RARE_WORDS or (rare and len(words) >= MIN_WORDS)
    return signature if is_specific and not _WRAPPER.fullmatch(line) else ""


def words_of_signature(signature: str) -> tuple[str, ...]:
    """
    Return the words that a text with *signature* has, without placeholders.

    >>> words_of_signature("<path>: error: No module named 'yaml' in <n> files")
    ('error', 'module', 'named', 'yaml', 'files')
    """
    words = terms_of(_PLACEHOLDER.sub(" ", signature))
    return tuple(word for word in dict.fromkeys(words) if word not in STOP_WORDS)[:MAX_TERMS]


_PLACEHOLDER = lazy(r"<\w+>")
