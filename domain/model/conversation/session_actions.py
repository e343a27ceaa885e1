"""
The actions of a session, in which repairs are found.

A failure is paired with the next passing run of the same command. No model is asked: what was
edited and run in between is the fix, and the cause is a sentence of the agent.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.conversation.actions import (
    STARTER,
    Action,
    Change,
    ErrorLine,
    Remark,
    Run,
    denies,
    names_cause,
)
from hardwon.domain.model.conversation.repair import Fix, Repair
from hardwon.domain.model.keywords import STOP_WORDS, words_of
from hardwon.domain.model.prompt_terms import EVERYDAY, stem

MAX_OPEN = 20
MAX_KEPT = 8
"""Commands and causes that are kept of a failure."""

MAX_FILES = 200
"""Changed files of a session that are known."""

MAX_NOISE = 40
MIN_REPEATED = 2
MAX_CHANGED = 5
"""A repair that took more files is a piece of work."""

MAX_LISTED = 3
MIN_SHARED = 2
"""
Informative words of a failure in a fact that may be its cause.

One is enough in a denial.
"""

MIN_NUMBER = 3
"""Digits of a number that identifies something."""

_VERBS = (
    r"(?:accept|add|apply|auth|autoupdate|clean|clear|config|disable|drop|enable|force-unlock|import|init|install|link|login|migrate|mount|prune"
    r"|purge|rebuild|register|reinstall|reload|remove|repair|reset|restart|rollback|seed|set|start|stop|switch|sync|tidy|trust|uninstall|unlink"
    r"|unlock|update|upgrade|use)"
)
_EFFECT = re.compile(
    r"(?:sudo (?:-\S+ )*)?(?:(?:(?:\S*[/\\])?python[\d.]* -m )?pip[\d.]* (?:install|uninstall)\b|uv (?:pip|add|sync|remove|lock)\b"
    r"|(?:poetry|pdm|pipenv|conda|mamba|brew|gem|cargo|go|dotnet|composer|apt|apt-get|dnf|yum|apk|npm|pnpm"
    r"|yarn|bundle) (?:-\S+ )*(?:install|add|remove|uninstall|update|upgrade|ci|i|get|mod|sync|lock|rebuild"
    r"|dedupe|create|link|pin|restore|require)\b|yarn$"
    r"|(?:mkdir|touch|cp|mv|ln|rm|chmod|chown|patch|sed -i|perl -p|createdb|dropdb)\b"
    r"|git (?:-\S+ \S+ )?(?:checkout|restore|pull|submodule|apply|clean|reset|merge|rebase|config|lfs)\b"
    r"|(?:docker|podman)(?:-compose| compose)?(?: -\S+(?: \S+)?)*? (?:up|down|build|buildx|pull|push|start|stop|restart|rm|rmi|create"
    r"|cp|tag|load|import|login|kill|prune|volume|network|image|system)\b"
    r"|kubectl (?:-\S+(?: \S+)? )*(?:apply|create|delete|edit|patch|replace|rollout|scale|set|label|annotate)\b"
    r"|(?:terraform|tofu) (?:-\S+ )*(?:apply|init|import|state|force-unlock|taint|untaint|workspace)\b"
    r"|(?:make|cmake|ninja|meson)\b(?!.*\b(?:check|tests?|lint|bench)\b)"
    r"|(?:\S*python[\d.]* )?(?:\S*/)?(?:setup|manage)\.py"
    r" (?:build|develop|install|migrate|makemigrations|collectstatic)"
    r"|(?:kill|pkill|killall|rustup)\b|(?:nvm|pyenv) (?:use|install|local|global)\b|export "
    r"|ssh-add\b|\S+ --stop$|gh auth\b"
    r"|(?!(?:\S*/)?(?:git|gh|docker|podman|kubectl|terraform|make|(?:npm|pnpm|yarn|bun) (?:run|start)|pytest|python[\d.]*|node|ruby|php|go|cargo|jest"
    r"|vitest|rspec|tox|echo|cat|sed|awk|grep|rg|find)\b)"
    rf"[\w./@-]+(?: [\w./:@-]+){{0,2}}? (?:-\S+ )*{_VERBS}\b)"
)
"""Commands that may repair something."""

_FETCHES = re.compile(r"\b(?:curl|wget)\b|https?:")
_ENVIRONMENT = re.compile(
    r"(?i)no module|modulenotfound|importerror|syntaxerror|not loaded|command not found"
    r"|has no attribute '(?:lru_cache|run)'|python version|unsupported|requires"
)
"""Errors that a script has of where it runs, not of what it tests."""

_WAY = re.compile(
    r"(?:^|(?<=[;&\s]))(?:[A-Za-z_]\w*=[^\s;&|]*"
    r"|(?:source|\.|export|conda activate|nvm use|unset) [^;&|]+|" + STARTER + ")"
)
_CONFIGURATION = re.compile(
    r"(?i)\.(?:toml|ya?ml|json|cfg|ini|lock|env|txt)$|^(?:Makefile|Dockerfile|Gemfile|Cargo\.lock|go\.mod|\.\w+rc)$"
)
_TEST = re.compile(
    r"(?i)(?:^|/)(?:tests?|specs?)/|(?:^|[/_.-])tests?[_.-]|[_.-](?:tests?|specs?)\.\w+$"
)


def way_of(command: str) -> frozenset[str]:
    """
    Return the parts of *command* that may change although the run stays the same.

    >>> sorted(way_of("source .venv/bin/activate && DEBUG=1 python3 -m pytest"))
    ['DEBUG=1', 'python3 -m', 'source .venv/bin/activate']
    """
    return frozenset(part.strip() for part in _WAY.findall(command))


@attrs.frozen(kw_only=True)
class OpenFailure:
    """
    A failure of a command that did not pass since.

    Attributes:
        run: Its last run with this error.
        times: How often it failed so.
        is_over: Whether a later run failed otherwise, so that this error is repaired.
        edited_before: The files that the agent had changed before.
        changes: The files changed since.
        commands: The commands that may have repaired it.
        causes: The causes that the agent stated since.
        reasons: The statements of the agent right before the last change, which they may explain.
    """

    run: Run
    times: int = 1
    is_over: bool = False
    edited_before: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def with_cause(self, cause: str) -> "OpenFailure":
        """Add *cause*, and drop the oldest fact of too many."""
        causes = tuple(dict.fromkeys((*self.causes, cause)))
        dropped = next((text for text in causes if not names_cause(text)), causes[0])
        kept = tuple(text for text in causes if len(causes) <= MAX_KEPT or text != dropped)
        return attrs.evolve(self, causes=kept)

    def with_command(self, command: str) -> "OpenFailure":
        """Add *command*, unless the output told to run it."""
        if any(command in line for line in self.run.advice):
            return self
        return attrs.evolve(self, commands=_newest((*self.commands, command), MAX_KEPT))


class RepeatedFailure(NamedTuple):
    """A command that failed several times in a session, with its last error."""

    key: str
    command: str
    error: ErrorLine
    times: int


class Paired(NamedTuple):
    """The state after some actions, and the repairs in them."""

    actions: "SessionActions"
    repairs: tuple[Repair, ...] = ()


@attrs.frozen(kw_only=True)
class SessionActions:
    """
    The state of pairing, small however long a session is.

    Attributes:
        failures: Those that may still be repaired, the last one at the end.
        created: Files that the agent wrote as a whole before it changed them.
        edited: Files that the agent changed.
        noise: Signatures in outputs of runs that passed.
        remarks: The causes and facts that the agent stated since its last action.
    """

    failures: tuple[OpenFailure, ...] = ()
    created: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def after(self, actions: Iterable[Action], at: dt.datetime) -> Paired:
        """Return the state after *actions* of an exchange that began *at*."""
        state, repairs = self, list[Repair]()
        for action in actions:
            if isinstance(action, Run) and not action.failed:
                repairs += state.repaired_by(action, at)
            elif isinstance(action, Remark):
                repairs = [_explained(repair, action.cause) for repair in repairs]
            state = state.after_one(action)
        return Paired(state, tuple(repairs))

    def refused(self) -> "SessionActions":
        """Return the state after the user refused what the agent ran."""
        return self._in_each(lambda failure: attrs.evolve(failure, commands=()))

    def after_one(self, action: Action) -> "SessionActions":
        """Return the state after *action*."""
        remarks = (*self.remarks, action.cause) if isinstance(action, Remark) else ()
        return attrs.evolve(self._after(action), remarks=remarks[-MAX_KEPT:])

    def _after(self, action: Action) -> "SessionActions":
        match action:
            case Run(failed=True):
                return self._with_failure(action)
            case Run():
                return self._with_pass(action)
            case Change():
                return self._with_change(action)
            case Remark(cause):
                return self._in_each(lambda failure: failure.with_cause(cause))

    def repaired_by(self, run: Run, at: dt.datetime) -> list[Repair]:
        """Return the repairs that *run* shows, which passed."""
        state = attrs.evolve(self, noise=self._noise_with(run))
        found = (state.repair_of(failure, run, at) for failure in state.failures_of(run))
        return [repair for repair in found if repair]

    def failures_of(self, run: Run) -> list[OpenFailure]:
        """Return the failures of the same command."""
        return [failure for failure in self.failures if failure.run.key == run.key]

    def repeated_failure(self, run: Run) -> RepeatedFailure | None:
        """Return the failures before *run* passed, None for fewer than two or own tests."""
        failures = self.failures_of(run)
        times = sum(failure.times for failure in failures)
        if times < MIN_REPEATED or any(map(self.own_scripts, failures)):
            return None
        state = attrs.evolve(self, noise=self._noise_with(run))
        errors = [error for failure in failures if (error := state.error_of(failure.run))]
        command = failures[-1].run.command
        if not errors:
            return None
        return RepeatedFailure(key=run.key, command=command, error=errors[-1], times=times)

    def error_of(self, run: Run) -> ErrorLine | None:
        """Return the error line of *run* that no passing run has, None without one."""
        return next((error for error in run.errors if error.signature not in self.noise), None)

    def own_scripts(self, failure: OpenFailure) -> list[str]:
        """Return the scripts and tests of the agent's own making that failed."""
        tests = [path for path in failure.edited_before if _is_test(path)]
        scripts = [path for path in self.created if _is_run_by(failure.run.command, path)]
        return [*scripts, *(path for path in tests if _is_in(failure.run, path))]

    def _in_each(self, change: Callable[[OpenFailure], OpenFailure]) -> "SessionActions":
        changed = (failure if failure.is_over else change(failure) for failure in self.failures)
        return attrs.evolve(self, failures=tuple(changed))

    def _with_change(self, change: Change) -> "SessionActions":
        path, is_created = change.path, change.is_new and change.path not in self.edited
        state = self._in_each(
            lambda failure: attrs.evolve(
                failure,
                changes=_newest((*failure.changes, path), MAX_CHANGED + 1),
                reasons=self.remarks or failure.reasons,
            )
        )
        created = (*self.created, path) if is_created else self.created
        return attrs.evolve(
            state,
            created=_newest(created, MAX_FILES),
            edited=_newest((*self.edited, path), MAX_FILES),
        )

    def after_command(self, run: Run) -> "SessionActions":
        """Add the command of *run* to open failures, if it has an effect."""
        if not _EFFECT.match(run.command) or _FETCHES.search(run.command):
            return self
        return self._in_each(lambda failure: failure.with_command(run.command))

    def _with_failure(self, run: Run) -> "SessionActions":
        error, before = self.error_of(run), self.failures_of(run)
        same = next((old for old in before if self.error_of(old.run) == error), None)
        new = OpenFailure(run=run, times=same.times + 1 if same else 1, edited_before=self.edited)
        others = (
            attrs.evolve(old, is_over=True) if old.run.key == run.key else old
            for old in self.failures
            if old is not same
        )
        state = attrs.evolve(self, failures=tuple(others)).after_command(run)
        return attrs.evolve(state, failures=(*state.failures, new)[-MAX_OPEN:])

    def _with_pass(self, run: Run) -> "SessionActions":
        left = tuple(failure for failure in self.failures if failure.run.key != run.key)
        state = attrs.evolve(self, failures=left, noise=self._noise_with(run))
        return state.after_command(run)

    def _noise_with(self, run: Run) -> tuple[str, ...]:
        return _newest((*self.noise, *(error.signature for error in run.errors)), MAX_NOISE)

    def repair_of(self, failure: OpenFailure, passed: Run, at: dt.datetime) -> Repair | None:
        """Return the repair of *failure* that *passed* shows, None for none."""
        error, fix = self.error_of(failure.run), self._fix(failure, passed)
        if not error or fix is None:
            return None
        if _is_own_work(failure, fix):
            return None
        return Repair(
            command=failure.run.command,
            error=error,
            times=failure.times,
            fix=fix,
            cause=_cause(failure, fix),
            at=at,
        )

    def _fix(self, failure: OpenFailure, passed: Run) -> Fix | None:
        """
        Return what may have repaired *failure*, None for nothing.

        A script that the agent wrote in this session was meant to fail, unless it could not even
        run.
        """
        own = self.own_scripts(failure)
        passed_as = passed.command if way_of(passed.command) - way_of(failure.run.command) else ""
        files = tuple(path for path in failure.changes if path not in own)
        if own and files and not (_could_not_run(failure.run) and (passed_as or failure.commands)):
            return None
        files = tuple(filter(_is_configuration, files)) if own else files
        if len(files) > MAX_CHANGED or not (files or failure.commands or passed_as):
            return None
        return Fix(files, failure.commands[-MAX_LISTED:], passed_as)


NO_ACTIONS = SessionActions()

ReadRecent: TypeAlias = Callable[[str, Run], SessionActions]
"""Returns the actions in the transcript at a path, before a run that passed."""


def _newest(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the last *most* of *texts*, each once."""
    return tuple(dict.fromkeys(reversed(texts)))[:most][::-1]


def _could_not_run(run: Run) -> bool:
    return any(_ENVIRONMENT.search(error.text) for error in run.errors)


def _is_own_work(failure: OpenFailure, fix: Fix) -> bool:
    """Return whether only files were changed that the agent was working on."""
    return not (fix.commands or fix.passed_as) and all(
        path in failure.edited_before or _is_test(path) for path in fix.files
    )


def _is_test(path: str) -> bool:
    return _TEST.search(path.replace("\\", "/")) is not None


def _is_configuration(path: str) -> bool:
    return _CONFIGURATION.search(_name(path)) is not None


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _is_run_by(command: str, path: str) -> bool:
    """Return whether *command* names the file, with or without its ending."""
    stem_of_name = _name(path).partition(".")[0]
    return bool(stem_of_name) and stem_of_name in re.split(r"[^\w-]+", command)


def _is_in(run: Run, path: str) -> bool:
    """Return whether *run* names the file, or its output does."""
    return _name(path) in run.files or _is_run_by(run.command, path)


def _explained(repair: Repair, remark: str) -> Repair:
    """Return *repair*, with the *remark* after it as its cause if that states one."""
    known = _about((repair.error,), repair.command, repair.fix)
    if repair.cause or not (names_cause(remark) and _stems(remark) & known):
        return repair
    return attrs.evolve(repair, cause=remark)


def _about(errors: Iterable[ErrorLine], command: str, fix: Fix) -> frozenset[str]:
    """Return the words by which a sentence is about a failure and its fix."""
    texts = (*(error.text for error in errors), *map(_name, fix.files), *fix.commands)
    return _stems(" ".join((*texts, fix.passed_as))) | (_stems(command) - _EVERYDAY)


def _cause(failure: OpenFailure, fix: Fix) -> str:
    """
    Return the last stated sentence that names a cause of *failure*.

    Without one, return the denial right before the last change that has the most words of the
    failure, else the fact with the largest share of them.
    """
    known = _about(failure.run.errors, failure.run.command, fix)
    causes = (
        text for text in reversed(failure.causes) if names_cause(text) and _stems(text) & known
    )
    shares = {text: _share(text, known) for text in failure.causes}
    facts = filter(shares.__getitem__, shares)
    shared = {text: len(_stems(text) & known) for text in reversed(failure.reasons) if denies(text)}
    reason = max(shared, key=shared.__getitem__, default="")
    return next(causes, reason or max(facts, key=shares.__getitem__, default=""))


def _share(fact: str, known: frozenset[str]) -> float:
    """Return the share of words of *fact* that are *known*, 0 for too few."""
    stems = _stems(fact) - _EVERYDAY
    shared = len(stems & known)
    return shared / len(stems) if shared >= (1 if denies(fact) else MIN_SHARED) else 0.0


def _stems(text: str) -> frozenset[str]:
    """Return the stems of *text*, and its long numbers."""
    words = (
        word if len(word) >= MIN_NUMBER and word.isdecimal() else word.rstrip("0123456789")
        for word in words_of(text)
    )
    return frozenset(map(stem, words)) - _LITTLE


_LITTLE = STOP_WORDS | {""}
_EVERYDAY = frozenset(map(stem, EVERYDAY))
