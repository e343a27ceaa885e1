"""The output of a set-up, as text or JSON."""

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import attrs

from hardwon.domain.model.own_files import MEMORY
from hardwon.domain.model.project import Conversations
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.import_knowledge import ImportOutcome
from hardwon.domain.use_cases.index_files import IndexOutcome
from hardwon.domain.use_cases.setup import SetupOutcome, SetupPlan, SetupStep, UntouchedFile
from hardwon.entrypoints.cli.console import complain, out, print_json, say, warn
from hardwon.entrypoints.health import Finding
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.agents import Agent

NO_PROJECT = (
    "{} is no project: nothing is written into it; run hardwon init in a project, or name one with"
    " --project-root"
)
NOTHING = "Nothing to do: no file has to change."
CUT = "--dry-run shows all lines."
NO_RECORD = "; {} has no record of other projects or folders"

CONTEXT_LINES = 1
LONGEST_LINE = 200
MAX_LINES = {"create": 12, "remove": 4, "change": 100}


class SetupFolder(NamedTuple):
    """
    The folder that a set-up is for.

    Attributes:
        folder: A real path, whose settings and memories are used.
        root: Where a project's files go; None if the folder is no project.

    """

    folder: str
    root: str | None


@attrs.frozen(kw_only=True)
class Readiness:
    """
    The outcome of a set-up besides its files.

    Attributes:
        trusted: The line on the project's new trust; empty if unchanged.
        facts: The outcome of importing Claude Code's own memory; None when it was not wanted.
        findings: The doctor's, without the advice to run this.
    """

    store: str
    trusted: str
    imported: ImportOutcome
    facts: IndexOutcome | None
    embedded: int
    findings: list[Finding]


@attrs.frozen
class ConversationConsent:
    """
    How the conversations of a project are kept.

    Attributes:
        chosen: Shared by git, private, or not at all (off).
        folder: The folder whose `memory` has their files.
        is_repository: Whether the project is in a git repository.
        tracked: Their files that git tracks already, from the top of the work tree.

    """

    chosen: Conversations
    folder: str
    is_repository: bool
    tracked: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """Yield where files are written, and what git sees of them."""
        if self.chosen == "off":
            yield (
                "Conversations are not kept (off); those kept before stay in"
                f" {os.path.join(self.folder, MEMORY)}"
            )
        else:
            yield (
                f"Conversations are kept as markdown in {os.path.join(self.folder, MEMORY)}"
                f" ({self.chosen})"
            )
        if self.chosen == "shared":
            yield (
                "git sees them: a commit takes them along, without known forms of secrets;"
                " --conversations private changes that"
            )
        elif self.is_repository:
            yield (
                "git does not see them, by lines in .git/info/exclude; --conversations shared"
                " changes that"
            )
        else:
            yield "there is no git repository that could take them along"
        if self.tracked and self.chosen != "shared":
            yield (
                f"git tracks {counted(len(self.tracked), 'file', 'files')} of them already:"
                f" {', '.join(self.tracked[:MAX_TRACKED])}"
            )


ELSEWHERE: Mapping[bool | None, str] = {
    False: (
        "Other projects have the hooks and tools too, and keep no conversations until hardwon init"
        " runs there; --conversations-everywhere keeps those of all"
    ),
    True: (
        "Conversations of other projects are kept too (private); --no-conversations-everywhere"
        " changes that"
    ),
    None: (
        "Conversations of other projects are kept too (private), as before;"
        " --no-conversations-everywhere changes that"
    ),
}
"""The line on conversations of other projects."""

MAX_TRACKED = 5
"""How many files that git tracks are named."""


class SetUpOutput:
    """Prints one set-up: the plan on entry, the outcome on exit."""

    def __init__(
        self,
        plan: SetupPlan,
        agents: Sequence[Agent],
        project: SetupFolder,
        *,
        is_removal: bool,
        is_whole: bool,
        as_json: bool,
    ) -> None:
        self._plan = plan
        self._agents = agents
        self._project = project
        self._is_removal = is_removal
        self._is_whole = is_whole
        self._as_json = as_json
        self._done = SetupOutcome()
        self._document: dict[str, object] = {}

    @property
    def refused(self) -> tuple[UntouchedFile, ...]:
        """Files that could not be edited."""
        return (*self._plan.refused, *self._done.refused)

    def __enter__(self) -> Self:
        if not self._as_json:
            self._show_plan()
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._plan.left:
            _show_untouched(file)
        for file in self.refused:
            _show_untouched(file, f"not {'undone' if self._is_removal else 'written'}: ")
        if self._as_json:
            print_json({**self._planned(), **self._document})

    def note(self, done: SetupOutcome) -> None:
        """Record the outcome of the plan."""
        self._done = done

    def show_undone(
        self, done: SetupOutcome, store: str, names: Sequence[str], *, has_record: bool
    ) -> None:
        """Print the outcome of a removal."""
        self._done = done
        self._document |= {"store": store}
        left = len(self._plan.left) + len(self.refused)
        gone = (
            f"Not all is gone: {counted(left, 'file or folder was', 'files or folders were')} left."
            if left
            else gone_of(names, "" if has_record else store)
        )
        if not self._as_json:
            say(f"{gone} Memories stay in {store}; to delete them too, remove that folder.")

    def show_consent(self, consent: ConversationConsent | None, *, everywhere: bool | None) -> None:
        """
        Print how conversations are kept.

        Args:
            consent: For the project; None outside a project.
            everywhere: Whether other projects' are kept too; None as an earlier hardwon kept them.

        """
        kept = {"kept": consent.chosen, "tracked": [*consent.tracked]} if consent else {}
        self._document |= {"conversations": {**kept, "everywhere": everywhere is not False}}
        for line in (
            () if self._as_json else (*(consent.lines() if consent else ()), ELSEWHERE[everywhere])
        ):
            say(line)

    def show_ready(self, readiness: Readiness, waiting: int) -> None:
        """Print the outcome of a set-up, and the user's next steps."""
        steps = {agent.name: self._next_step(agent) for agent in self._agents}
        self._document |= {**attrs.asdict(readiness), "next": steps}
        if self._as_json:
            return
        if readiness.trusted:
            say(on_one_line(readiness.trusted))
        say(_gained(readiness))
        if waiting:
            say(
                f"Claude Code remembers {counted(waiting, 'fact', 'facts')} of this project:"
                " hardwon init --import"
            )
        for finding in readiness.findings:
            mark, color = finding.mark
            out().print(f"{mark:<9}", style=color, end="")
            say(f"{finding.name}: {finding.detail}")
        for agent in self._agents:
            say(f"{agent.title}: {steps[agent.name]}")

    def _next_step(self, agent: Agent) -> str:
        paths = [target.path for target in agent.targets()]
        refused = {file.path for file in self.refused}
        missing = [path for path in paths if path in refused]
        first = f"first see to {' and '.join(missing)}, not written; then " if missing else ""
        left = sorted({file.path for file in self._plan.left}.intersection(paths))
        last = (
            f"; not all of ours is in {' and '.join(left)}: something of yours has its name"
            if left
            else ""
        )
        return f"{first}{agent.next_step()}{last}"

    def _show_plan(self) -> None:
        if not self._is_removal:
            say(f"Project: {self._project.root or NO_PROJECT.format(self._project.folder)}")
        for step in self._plan.steps:
            out().print(f"{step.verb} ", style="bold", end="")
            say(step.target.path)
            for line in diff(step, whole=self._is_whole).splitlines():
                say(f"    {line}")
        if any(diff(step, whole=self._is_whole) != diff(step) for step in self._plan.steps):
            say(CUT)
        if not self._plan.steps:
            say(NOTHING)

    def _planned(self) -> dict[str, object]:
        changes = [
            {"path": step.target.path, "change": step.verb, "diff": diff(step)}
            for step in self._plan.steps
        ]
        return {
            "agents": [agent.name for agent in self._agents],
            "project": self._project.root,
            "changes": changes,
            "left": self._plan.left,
            "refused": self.refused,
            "written": bool(self._done.changed),
        }


def diff(step: SetupStep, *, whole: bool = True) -> str:
    """Return a redacted diff with one line of context, truncated unless *whole*."""
    before, after = ((text or "").splitlines() for text in (step.before, step.after))
    lines = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT_LINES))[2:]
    redacted = [redact(line) for line in lines]
    return "\n".join(redacted if whole else _first_lines(redacted, MAX_LINES[step.verb]))


def _first_lines(lines: list[str], most: int) -> list[str]:
    kept = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:most]
    ]
    return [*kept, *([f"… and {len(lines) - most} more lines"] if len(lines) > most else [])]


def gone_of(names: Sequence[str], unrecorded: str = "") -> str:
    """
    Return the line that everything written for these agents is gone.

    Without *names* it covers all agents. *unrecorded* is a store without a record.
    """
    here, rest = (" here", NO_RECORD.format(unrecorded)) if unrecorded else ("", "")
    asked = f" for {' and '.join(dict.fromkeys(names))}" if names else ""
    return f"What hardwon wrote{here}{asked} is gone{rest}."


def _show_untouched(file: UntouchedFile, prefix: str = "") -> None:
    warn(f"{prefix}{file.path}: {file.reason}")
    for line in file.by_hand.splitlines():
        complain(line)


def _gained(readiness: Readiness) -> str:
    parts = [
        f"{counted(readiness.imported.added, 'entry', 'entries')} imported from knowledge banks"
    ]
    if readiness.facts:
        new = len(readiness.facts.new) + len(readiness.facts.changed)
        parts.append(
            f"{counted(new, 'fact', 'facts')} from Claude Code's own memory (preferences and"
            " documents)"
        )
    return (
        f"The store is {readiness.store}: {', '.join(parts)},"
        f" {counted(readiness.embedded, 'vector', 'vectors')} made."
    )
