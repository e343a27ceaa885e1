"""What is said of a set-up, before and after files are written: to people, or all at the end to scripts."""

from collections.abc import Sequence
from typing import Self

import attrs

from hardwon.domain.use_cases.setup import Done, Plan, Untouched
from hardwon.entrypoints.cli.console import complain, counted, out, print_json, say, warn
from hardwon.entrypoints.cli.readiness import NONE, Project, Readiness
from hardwon.ports.agents import Agent

NOTHING = "Nothing to do: no file has to change."
CUT = "--dry-run shows all lines."
NO_RECORD = "; {} has no record of other projects or folders"


class Telling:
    """
    The telling of one set-up: first what is planned, at last what was left, whatever happened in between.

    Args:
        plan: What is to be done.
        agents: Those that are set up.
        project: For which.
        is_removal: Whether it is undone instead.
        is_whole: Whether every line that changes is told, not just the first of each file.
        as_json: Whether scripts are to read it.

    """

    def __init__(
        self,
        plan: Plan,
        agents: Sequence[Agent],
        project: Project,
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
        self._done = Done()
        self._document: dict[str, object] = {}

    @property
    def refused(self) -> tuple[Untouched, ...]:
        """Files that could not be edited."""
        return (*self._plan.refused, *self._done.refused)

    def __enter__(self) -> Self:
        self._show_plan()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def written(self, done: Done) -> None:
        """Note what came of the plan."""
        self._done = done

    def undone(self, done: Done, store: str, names: Sequence[str], *, has_record: bool) -> None:
        """
        Tell what is left of a set-up that was undone.

        Args:
            done: What came of it.
            store: The store's folder.
            names: The agents that were asked for, none for all.
            has_record: Whether the store knew what had been written.

        """
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

    def ready(self, readiness: Readiness, waiting: int) -> None:
        """
        Tell what came of it, and what to do next.

        Args:
            readiness: What came of it.
            waiting: How many facts Claude Code remembers that were not brought in.

        """
        steps = {agent.name: self._next(agent) for agent in self._agents}
        self._document |= {**attrs.asdict(readiness), "next": steps}
        if self._as_json:
            return
        say(_gained(readiness))
        if waiting:
            say(f"Claude Code remembers {counted(waiting, 'fact', 'facts')} of this project: hardwon init --import")
        for finding in readiness.findings:
            out.print(f"{'ok' if finding.ok else 'trouble':<9}", style="green" if finding.ok else "red", end="")
            say(f"{finding.name}: {finding.detail}")
        for agent in self._agents:
            say(f"{agent.title}: {self._next(agent)}")

    def _next(self, agent: Agent) -> str:
        """Return what the user does next: what was not written comes first, what was left out last."""
        refused = {file.path for file in self.refused}
        missing = [target.path for target in agent.targets() if target.path in refused]
        first = f"first see to {' and '.join(missing)}, not written; then " if missing else ""
        left = {file.path for file in self._plan.left}.intersection(target.path for target in agent.targets())
        last = f"; not all of ours is in {' and '.join(sorted(left))}: something of yours has its name" if left else ""
        return f"{first}{agent.next_step()}{last}"

    def _show_plan(self) -> None:
        """Show every file that is to change, and how."""
        if self._as_json:
            return
        if not self._is_removal:
            say(f"Project: {self._project.root or NONE.format(self._project.folder)}")
        for step in self._plan.steps:
            out.print(f"{step.change.verb} ", style="bold", end="")
            say(step.change.path)
            for line in step.change.diff(whole=self._is_whole).splitlines():
                say(f"    {line}")
        if any(step.change.diff(whole=self._is_whole) != step.change.diff() for step in self._plan.steps):
            say(CUT)
        if not self._plan.steps:
            say(NOTHING)

    def _end(self) -> None:
        """Tell what was left as it is, and to scripts everything."""
        for file in self._plan.left:
            _tell(file)
        for file in self.refused:
            _tell(file, f"not {'undone' if self._is_removal else 'written'}: ")
        if self._as_json:
            print_json({**self._planned(), **self._document})

    def _planned(self) -> dict[str, object]:
        changes = [
            {"path": step.change.path, "change": step.change.verb, "diff": step.change.diff()}
            for step in self._plan.steps
        ]
        agents = [agent.name for agent in self._agents]
        return {
            "agents": agents,
            "project": self._project.root,
            "changes": changes,
            "left": self._plan.left,
            "refused": self.refused,
            "written": bool(self._done.changed),
        }


def gone_of(names: Sequence[str], unrecorded: str = "") -> str:
    """Return what is gone: of the agents with these *names*, or of all; of what is found where *unrecorded* is a store."""
    here, rest = (" here", NO_RECORD.format(unrecorded)) if unrecorded else ("", "")
    asked = f" for {' and '.join(dict.fromkeys(names))}" if names else ""
    return f"What hardwon wrote{here}{asked} is gone{rest}."


def _tell(file: Untouched, prefix: str = "") -> None:
    warn(f"{prefix}{file.path}: {file.reason}")
    for line in file.by_hand.splitlines():
        complain(line)


def _gained(readiness: Readiness) -> str:
    parts = [f"{counted(readiness.imported.added, 'entry', 'entries')} imported from knowledge banks"]
    if readiness.facts:
        new = len(readiness.facts.new) + len(readiness.facts.changed)
        parts.append(f"{counted(new, 'fact', 'facts')} from Claude Code's own memory (preferences and documents)")
    return (
        f"The store is {readiness.store}: {', '.join(parts)}, {counted(readiness.embedded, 'vector', 'vectors')} made."
    )
