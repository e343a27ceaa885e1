"""
The actions of an agent that may be part of a repair.

They are runs of commands, changes of files, and stated causes. They hold no secrets, and are small
however long an output is. Standard library only, for the hook.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.failure import Failure, signature_of, without_cut_word
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.text import lazy

MAX_COMMAND = 200
"""Characters of a command that are kept."""

MAX_ERROR = 300
MAX_ADVICE = 20
MAX_FILES = 40
"""File names of an output that are kept."""


class ErrorLine(NamedTuple):
    """
    A line that tells an error.

    Attributes:
        signature: Equal for the same error of two runs; never empty.
        text: The line, without times and absolute folders.
    """

    signature: str
    text: str


class Run(NamedTuple):
    """
    A run of a command that ended by itself.

    Attributes:
        key: Equal for two runs of the same command, whatever starts it.
        command: As it was run, on one line, without pipes and redirections.
        failed: Whether it failed, by its exit code or its output.
        errors: The error lines of its output, the most specific first. A run that passed may have
            some, too.
        advice: Lines of its output that tell to run something.
        files: Names of source files in its output.
    """

    key: str
    command: str
    failed: bool
    errors: tuple[ErrorLine, ...] = ()
    advice: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Change(NamedTuple):
    """
    A change of a file.

    Attributes:
        is_new: Whether the file was written as a whole.
    """

    path: str
    is_new: bool = False


class Remark(NamedTuple):
    """A statement of the agent that may be a cause."""

    cause: str


Action: TypeAlias = Run | Change | Remark


class TimedAction(NamedTuple):
    """
    An action of an agent by a tool.

    Attributes:
        begun: When the agent called the tool; None if unknown.
    """

    begun: dt.datetime | None
    action: Action


def texts_of(action: Action) -> tuple[str, ...]:
    """Return the texts of *action*."""
    match action:
        case Run():
            errors = (text for error in action.errors for text in error)
            return (action.command, *errors, *action.advice, *action.files)
        case Change(path):
            return (path,)
        case Remark(cause):
            return (cause,)


STARTER = (
    r"(?:(?:[^\s;&|]{0,200}[/\\])?python(?:\d(?:\.\d{1,2})?)?(?:\.exe)? (?:-m )?"
    r"|(?:uv|poetry|pipenv|hatch|pdm|rye) run |bundle exec |npx |pnpm exec )"
)
"""The beginning of a command that may change although the run stays the same."""

_STARTED = lazy(STARTER)
_DATA = lazy(r"<<[-~]?\s*\\?[\"'\w]")
"""A here-document, which no key has."""

_HIDES_EXIT_CODE = lazy(r"[|;&\n]")
_AFTER_RUN = lazy(r" ?(?:\d?>|\|(?!\|)).*")
_BEFORE_RUN = lazy(r"^(?:cd [^;&|]+(?:&&|;) ?)+")
_RAN_NOTHING = lazy(
    r"(?i).*\b(?:no tests? (?:ran|found|collected|run)|collected 0 items|ran 0 tests|0 passed"
    r"|no test files)\b.*"
)
_SLIP = lazy(
    r"(?i).*(?:\bcd\b.*(?:no such file|not a directory|can't cd)|can't open file|cannot change to"
    r"|not found: .*no such file|file or directory not found: |unrecognized (?:arguments?|option)"
    r"|unknown option|illegal option|(?:syntax|parse) error near|unexpected EOF"
    r"|unterminated quoted|did not match any file).*"
)
"""The error line of a mistyped command, which teaches nothing."""

_ADVICE = lazy(r"(?i).*\b(?:run|running|execute|type|paste|try|use|install|curl|wget)\b.*")
_SOURCE_FILE = lazy(
    r"[\w-]{1,100}(?:\.[\w-]{1,20}){0,3}\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|php|cs|exs?|swift|sh)\b"
)
_WARNING = lazy(r"(?i).*\b(?:\w{0,60}warning|deprecation|note|hint|info):.*")
_DEMAND = lazy(
    r"(?i).*(?:\b(?:curl|wget|iwr|invoke-webrequest)\b.*(?:https?:|\|)|\|\s?(?:sudo )?(?:ba|z|da)?sh\b"
    r"|\b(?:important|attention|assistant|agents?|ignore (?:all|previous)|you (?:must|should|need to)"
    r"|please)\b.*\b(?:run|execute|type|paste|install|send|post|delete)\b).*"
)
"""A line that tells a reader to do something. It is never quoted."""


def run_of(command: str, output: str, *, failed: bool) -> Run | None:
    """
    Return the run of *command*, None for one that says nothing about a repair.

    These are look-ups, scripts given as data, mistyped commands, and runs without a test.

    Args:
        command: As the agent ran it.
        output: As the host has it.
        failed: Whether the host says that it failed.
    """
    failure = Failure(command, output)
    if not failure.key or failure.is_expected or _DATA.search(without_cut_word(command)):
        return None
    has_failed = failed or (_hides_exit_code(command) and failure.is_shown)
    if has_failed and any(map(_SLIP.fullmatch, failure.error_lines[:1])):
        return None
    if not has_failed and any(map(_RAN_NOTHING.fullmatch, failure.lines)):
        return None
    return Run(
        key=pairing_key(failure.key),
        command=_shown(command),
        failed=has_failed,
        errors=tuple(_errors(failure)),
        advice=_advice(failure) if has_failed else (),
        files=_files(failure) if has_failed else (),
    )


def _hides_exit_code(command: str) -> bool:
    return _HIDES_EXIT_CODE.search(command.strip()) is not None


def _errors(failure: Failure) -> Iterator[ErrorLine]:
    for line in failure.error_lines:
        is_error = not (_DEMAND.fullmatch(line) or _WARNING.fullmatch(line))
        if is_error and (signature := signature_of(line)):
            yield ErrorLine(signature, line[:MAX_ERROR])


def _advice(failure: Failure) -> tuple[str, ...]:
    lines = (line for line in failure.lines if _ADVICE.fullmatch(line))
    return tuple(line[:MAX_ERROR] for line in lines)[:MAX_ADVICE]


def _files(failure: Failure) -> tuple[str, ...]:
    names = (name for line in failure.lines for name in _SOURCE_FILE.findall(line))
    return tuple(dict.fromkeys(names))[:MAX_FILES]


def pairing_key(key: str) -> str:
    """Return the part of a command's *key* that is the same whatever starts it."""
    while started := _STARTED.match(key):
        key = key[started.end() :]
    return key


def _shown(command: str) -> str:
    line = " ".join(redact(without_cut_word(command)).split())
    return _BEFORE_RUN.sub("", _AFTER_RUN.sub("", line))[:MAX_COMMAND].strip()


_CAUSE = lazy(
    r"\b(?:because|root cause|caused by|due to|turns out|turned out|in\w?compatib\w+|not compatible"
    r"|(?:issue|problem|error|bug|cause|reason|culprit|failure) (?:here )?"
    r"(?:is|was|comes|came|lies|stems|occurs|happens)"
    r"|(?:is|are|was|were) (?:missing|outdated|too (?:old|new)|not (?:installed|available|set|supported"
    r"|exported|built|compiled|defined|running|on the path))"
    r"|(?:isn't|aren't|wasn't) (?:installed|available|set|supported|exported|built|compiled|defined"
    r"|running)"
    r"|(?:needs?|requires?|expects?) (?:python|node|java|a|an|the)"
    r"|(?:doesn't|does not|didn't|don't) (?:support|exist|have|handle|accept|include)"
    r"|(?:was|were|has been) (?:removed|renamed)|python is|old (?:system )?python"
    r"|lacks?|that(?:'s| is) why|which (?:explains|means)|hence"
    r"|weil|wegen|daher|deshalb|deswegen|dadurch|l(?:iegt|ag) (?:an|am|daran)|fehlt|fehlte|fehlen"
    r"|(?:ursache|grund|fehler|problem) (?:ist|war))\b"
    r"|\b(?:cause|reason|culprit|problem|ursache|grund) ?[:\u2013\u2014] |, (?:as|since) (?:the|it|its|no|nothing|they)\b"
    r"|, so (?!that\b|i\b|we\b|you\b|far\b|much\b|many\b|let\b|please\b|this\b)(?=\w)"
)
_PLAN = lazy(
    r"(?:now|let me|let's|i'll|i will|i need|i should|next|first|then|we need|we should|to fix"
    r"|jetzt|nun|zuerst|als nächstes|ich|wir (?:müssen|sollten|brauchen))\b"
)
_HEDGED = lazy(
    r"\b(?:might|maybe|perhaps|probably|possibly|could be|not sure|seems?|unrelated|expected|hypothetic\w+|suppos\w+"
    r"|my (?:own )?(?:fix|change|changes|test|implementation|script)"
    r"|vielleicht|vermut\w+|wahrscheinlich|möglicherweise|könnten?|scheint)\b"
    r"|\b(?:bug|issue|problem) is (?:in|on|at) "
)
_NO_FACT = lazy(
    r"^\W*(?:(?:you|let|this|that|it|he|she|here|there|these|those|yes|no|ok|okay|done|all|everything|please"
    r"|du|das (?:ist|war|hat|wird|geht|liegt|kommt|kann|sollte|sind|heißt|macht)|dies\w*|es|hier|alles?|beide|ja|nein|bitte)\b|\w+(?:ed|ing)\b)"
    r"|\b(?:i|me|my|we|our|ich|mich|mir|wir|work(?:s|ed|ing)?|pass(?:es|ed)?|succe\w+|may|should|would|could|want|shall"
    r"|fix(?:es|ed)?|updated?|correctly|properly|now|läuft|funktioniert|soll\w*|darf|würden?|jetzt)\b"
)
"""Plans, status, and what points at another sentence."""

_DENIES = lazy(r"n't\b|\b(?:not|no|none|never|cannot|only|without|nicht|nie|kein\w*|nur|ohne)\b")
MIN_CAUSE, MAX_CAUSE = 20, 300
"""Characters of a sentence that states a cause."""

MIN_FACT = 6
"""Words of a fact that may be a cause."""

MAX_REMARKS = 20


CAUSE_HEADING = (
    r"(?:the )?(?:root |actual |real )?(?:cause|reason|problem|diagnosis)\W*$"
    r"|what (?:was wrong|went wrong|happened)\W*$|(?:(?:die|der|das) )?(?:ursache|grund|problem|diagnose)\W*$"
)
"""A heading after which an agent names a cause."""
_HEADING = lazy(CAUSE_HEADING, re.IGNORECASE)


def labelled_causes(spoken: Iterable[str]) -> Iterator[str]:
    """
    Yield the sentences *spoken*, `Root cause` before the one that it heads.

    Examples:
        >>> [*labelled_causes(["All pass.", "Root cause", "The pool has two slots."])]
        ['All pass.', 'Root cause: The pool has two slots.']
    """
    heading = ""
    for sentence in spoken:
        if _HEADING.match(sentence):
            heading = sentence.rstrip(" :.")
            continue
        yield f"{heading}: {sentence}" if heading else sentence
        heading = ""


def remarks_in(text: str) -> tuple[Remark, ...]:
    """Return the last causes and facts that the agent's *text* states."""
    stated = filter(_is_statement, labelled_causes(sentences(text)))
    statements = [sentence for sentence in stated if names_cause(sentence) or _is_fact(sentence)]
    return tuple(map(Remark, statements[-MAX_REMARKS:]))


def _is_statement(sentence: str) -> bool:
    line = _line(sentence)
    is_whole = MIN_CAUSE <= len(line) <= MAX_CAUSE and not line.endswith(("?", ":"))
    return is_whole and not (_PLAN.match(line) or _HEDGED.search(line))


def names_cause(sentence: str) -> bool:
    """Return whether *sentence* has words by which a cause is stated."""
    return _CAUSE.search(_line(sentence)) is not None


def denies(sentence: str) -> bool:
    """Return whether *sentence* is a denial or a restriction."""
    return _DENIES.search(_line(sentence)) is not None


def _is_fact(sentence: str) -> bool:
    return len(sentence.split()) >= MIN_FACT and not _NO_FACT.search(_line(sentence))


def _line(sentence: str) -> str:
    return sentence.lower().replace("\u2019", "'")
