"""Set agents up, or undo it, by changes of files."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.ports.agents import Agent, SetupRecord, SetupTarget, SetupWrite, UserFiles


class FileBefore(NamedTuple):
    """
    The state of a file before it is changed.

    Attributes:
        text: Its text; None without a file.
        without_us: Its text without the managed part; None for no file.
    """

    text: str | None
    without_us: str | None
    is_as_written: bool
    is_recorded: bool


def look(target: SetupTarget, text: str | None, written: SetupWrite | None) -> FileBefore:
    """
    Return the state of a file.

    Raises:
        UneditableFileError: the file can't be edited safely.
    """
    if text is None:
        return FileBefore(None, None, is_as_written=False, is_recorded=written is not None)
    is_as_written = written is not None and written.digest == digest(text)
    without_us = (
        _before(target, text, written)
        if written and is_as_written
        else _rest(target, text, written)
    )
    return FileBefore(text, without_us, is_as_written, is_recorded=written is not None)


def with_managed(target: SetupTarget, found: FileBefore) -> str:
    """
    Return the file's text with the managed part, the user's text unchanged.

    Raises:
        TakenNameError: something of the user's has the name of a managed piece.
        UneditableFileError: the file can't be edited safely.
    """
    return target.with_managed(found.without_us if found.is_as_written else found.text)


def without_managed(target: SetupTarget, found: FileBefore) -> str | None:
    """
    Return the file's text without the managed part, None for no file.

    Raises:
        TakenNameError: the managed part belongs to the user now.
        UneditableFileError: the file can't be edited safely.
    """
    if found.is_recorded and found.text is not None and found.text == found.without_us:
        target.ensure_not_taken(found.text)
    return found.without_us


NAME = "hardwon"
"""The name that each managed piece of a file contains."""


def digest(text: str) -> str:
    """Return the sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _before(target: SetupTarget, text: str, written: SetupWrite) -> str | None:
    if not written.was_there:
        return None
    return written.original if written.original is not None else target.without_managed(text)


def _rest(target: SetupTarget, text: str, written: SetupWrite | None) -> str | None:
    """
    Return the user's part of *text*.

    None if it is blank and hardwon created the file.
    """
    left = target.without_managed(text)
    return (
        None if left is not None and written and written.is_made and target.is_blank(left) else left
    )


Verb: TypeAlias = Literal["create", "change", "remove"]


@attrs.frozen
class SetupStep:
    """
    The change of a file.

    Attributes:
        before: Its text before; None without a file.
        after: Its text afterwards; None to delete the file.
        without_us: Its text without the managed part; None for no file.
    """

    target: SetupTarget
    before: str | None
    after: str | None
    without_us: str | None

    @property
    def verb(self) -> Verb:
        """The kind of change."""
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"


@attrs.frozen
class UntouchedFile:
    """
    A file that is left unchanged.

    Attributes:
        by_hand: Lines that the user can add by hand; empty for none.
    """

    path: str
    reason: str
    by_hand: str = ""


@attrs.frozen(kw_only=True)
class SetupPlan:
    """
    The planned changes of a set-up or its removal.

    Attributes:
        settled: Files that need no managed part and have none, with the last write to each.
        left: Files in which something of the user's has the name of a managed piece.
    """

    steps: tuple[SetupStep, ...] = ()
    settled: dict[str, SetupWrite | None] = attrs.field(factory=dict)
    left: tuple[UntouchedFile, ...] = ()
    refused: tuple[UntouchedFile, ...] = ()


@attrs.frozen(kw_only=True)
class SetupOutcome:
    """The outcome of a plan."""

    changed: tuple[str, ...] = ()
    refused: tuple[UntouchedFile, ...] = ()


def joined(plans: Sequence[SetupPlan]) -> SetupPlan:
    """Concatenate plans."""
    return SetupPlan(
        steps=tuple(step for plan in plans for step in plan.steps),
        settled={path: last for plan in plans for path, last in plan.settled.items()},
        left=tuple(file for plan in plans for file in plan.left),
        refused=tuple(file for plan in plans for file in plan.refused),
    )


CHANGED = "changed since hardwon wrote it: left as it is"
OURS = "; ours would be:"
RENAME = ": left as it is; rename it and run hardwon init again, to have ours too"
NOT_THERE = "not there now: what was written in it stays noted"
UNKNOWN = "hardwon wrote to it, and can't tell for whom: take out what is its own by hand"


def _nothing_at(_: str) -> Sequence[SetupTarget]:
    return ()


@attrs.frozen(kw_only=True)
class SetUp:
    """
    Add the managed parts to the files of agents, or remove them.

    Attributes:
        targets_at: Returns the targets at a path written when a variable set an agent's folder.
    """

    files: UserFiles
    record: SetupRecord
    targets_at: Callable[[str], Sequence[SetupTarget]] = _nothing_at

    def plan_for(self, agents: Sequence[Agent], project: str | None) -> SetupPlan:
        """Plan the set-up of *agents*, also in *project* if there is one."""
        wanted = [target for agent in agents for target in _wanted(agent, project)]
        unwanted = [target for agent in agents for target in _unwanted(agent, project)]
        return self.plan(wanted, unwanted)

    def plan_removal(
        self, agents: Sequence[Agent], project: str | None, *, everything: bool = True
    ) -> SetupPlan:
        """
        Plan the removal, in every existing project that was set up.

        A project on a missing disk is reported as left; a deleted one counts as settled.

        Args:
            agents: The agents to remove hardwon from.
            project: The current project, if any.
            everything: Whether *agents* are all of them: then files written under another
                environment are removed too.
        """
        projects = dict.fromkeys([*self.record.projects(), *([project] if project else [])])
        states = {folder: self.files.folder_state(folder) for folder in projects}
        there, deleted, away = (
            [f for f in states if states[f] == state] for state in ("there", "deleted", "away")
        )
        unwanted = [target for agent in agents for target in _all_targets(agent, there)]
        strays = (
            self._strays({target.path for target in unwanted}, [*deleted, *away])
            if everything
            else []
        )
        found = {path: self.targets_at(path) for path in strays}
        plan = self.plan(
            (), [*unwanted, *(target for targets in found.values() for target in targets)]
        )
        left = [UntouchedFile(folder, NOT_THERE) for folder in away]
        left += [UntouchedFile(path, UNKNOWN) for path in strays if not found[path]]
        settled = plan.settled | self._settled(self._written_below(deleted))
        return attrs.evolve(plan, settled=settled, left=(*plan.left, *left))

    def plan(
        self, wanted: Iterable[SetupTarget], unwanted: Iterable[SetupTarget] = ()
    ) -> SetupPlan:
        """Plan the managed parts to add and to remove."""
        return joined([*map(self._removal, unwanted), *map(self._addition, wanted)])

    def carry_out(self, plan: SetupPlan, project: str | None = None) -> SetupOutcome:
        """
        Change the files independently of each other's failures.

        The *project* is recorded first, so that an interrupted set-up can be undone from any
        folder. Other set-ups wait meanwhile.
        """
        changed, refused = list[str](), list[UntouchedFile]()
        with self.record.held():
            if project:
                self.record.add_project(project)
            for path, last in plan.settled.items():
                if self.record.last_write(path) == last:  # else another set-up wrote to it
                    self.record.drop(path)
            for step in plan.steps:
                try:
                    self._carry_out(step)
                    changed.append(step.target.path)
                except UneditableFileError as error:
                    refused.append(UntouchedFile(step.target.path, str(error)))
        return SetupOutcome(changed=tuple(changed), refused=tuple(refused))

    def undo(self, plan: SetupPlan, *, everything: bool) -> SetupOutcome:
        """
        Carry out a removal, and update the record.

        With *everything*, every agent is removed, and the projects too.
        """
        with self.record.held():
            projects = [
                folder
                for folder in self.record.projects()
                if self.files.folder_state(folder) != "away"
            ]
            done = self.carry_out(plan)
            self.forget(projects if everything and not (plan.refused or done.refused) else ())
            if everything:
                self.record.keep_everywhere(wanted=False)
        return done

    def forget(self, projects: Iterable[str]) -> None:
        """
        Remove created folders that are empty, and *projects* from the record.

        A project stays while a file is recorded there.
        """
        for folder in sorted(self.record.folders(), key=len, reverse=True):
            self.files.remove_empty_folder(folder)
            if not self._written_below([folder]):
                self.record.drop_folder(folder)
        for project in projects:
            if not self._written_below([project]):
                self.record.drop_project(project)

    def _strays(self, known: Collection[str], gone: Sequence[str]) -> list[str]:
        elsewhere = self._written_below(gone)
        return [path for path in self.record.paths() if path not in known and path not in elsewhere]

    def _written_below(self, folders: Sequence[str]) -> list[str]:
        beginnings = tuple(os.path.join(folder, "") for folder in folders)
        return [path for path in self.record.paths() if path.startswith(beginnings)]

    def _addition(self, target: SetupTarget) -> SetupPlan:
        try:
            found = self._look(target)
            after = with_managed(target, found)
            return attrs.evolve(
                self._change(target, found, after), left=self._left_out(target, after)
            )
        except TakenNameError as error:
            return SetupPlan(left=(self._taken(target, error, OURS),))
        except UneditableFileError as error:
            by_hand = target.snippet(self._text(target))
            reason = f"{error}; add by hand:" if by_hand else str(error)
            return SetupPlan(refused=(UntouchedFile(target.path, reason, by_hand),))

    def _removal(self, target: SetupTarget) -> SetupPlan:
        try:
            found = self._look(target)
            plan = self._change(target, found, without_managed(target, found))
            return plan if plan.steps else SetupPlan(settled=self._settled([target.path]))
        except TakenNameError as error:
            return SetupPlan(
                settled=self._settled([target.path]),
                left=(attrs.evolve(self._taken(target, error), by_hand=""),),
            )
        except UneditableFileError as error:
            if self._never_named_us(target):
                return SetupPlan(settled=self._settled([target.path]))
            return SetupPlan(
                refused=(UntouchedFile(target.path, f"{error}; nothing was taken out of it"),)
            )

    def _settled(self, paths: Iterable[str]) -> dict[str, SetupWrite | None]:
        return {path: self.record.last_write(path) for path in paths}

    def _never_named_us(self, target: SetupTarget) -> bool:
        """Return whether the readable file was never written and has no managed piece."""
        text = self._text(target)
        return text is not None and NAME not in text and not self.record.last_write(target.path)

    def _left_out(self, target: SetupTarget, after: str) -> tuple[UntouchedFile, ...]:
        """Return the managed pieces whose names the user has taken."""
        try:
            target.ensure_not_taken(after)
        except TakenNameError as error:
            return (self._taken(target, error, OURS),)
        return ()

    def _taken(
        self, target: SetupTarget, error: TakenNameError, way_out: str = ""
    ) -> UntouchedFile:
        """
        Report a taken name.

        For a file managed as a whole, report that the user changed it.
        """
        if by_hand := target.snippet(self._text(target)):
            return UntouchedFile(target.path, f"{error}: left as it is{way_out}", by_hand)
        return UntouchedFile(
            target.path, CHANGED if self.record.last_write(target.path) else f"{error}{RENAME}"
        )

    def _text(self, target: SetupTarget) -> str | None:
        with contextlib.suppress(UneditableFileError):
            return self.files.read(target.path, target.root)
        return None

    def _look(self, target: SetupTarget) -> FileBefore:
        return look(
            target, self.files.read(target.path, target.root), self.record.last_write(target.path)
        )

    def _change(self, target: SetupTarget, found: FileBefore, after: str | None) -> SetupPlan:
        if after == found.text:
            return SetupPlan()
        self.files.ensure_writable(target.path, target.root)
        return SetupPlan(
            steps=(
                SetupStep(
                    target=target, before=found.text, after=after, without_us=found.without_us
                ),
            )
        )

    def _carry_out(self, step: SetupStep) -> None:
        path, root, after = step.target.path, step.target.root, step.after
        if (now := self.files.read(path, root)) == after:
            return
        if now != step.before:
            raise UneditableFileError("it was changed meanwhile: run hardwon init again")
        if after is None:
            self.files.remove(path, root)
        else:
            if after != step.without_us:
                self.record.put(path, self._written(step, after))
            self.record.add_folders(self.files.missing_folders(path))
            self.files.write(path, after, root)
        if after == step.without_us:
            self.record.drop(path)

    def _written(self, step: SetupStep, after: str) -> SetupWrite:
        earlier = self.record.last_write(step.target.path)
        was_there = step.without_us is not None
        is_made = not was_there or (earlier is not None and earlier.is_made)
        is_derivable = not was_there or step.target.without_managed(after) == step.without_us
        return SetupWrite(
            digest=digest(after),
            was_there=was_there,
            is_made=is_made,
            original=None if is_derivable else step.without_us,
        )


def _wanted(agent: Agent, project: str | None) -> Sequence[SetupTarget]:
    return (*agent.targets(), *(agent.project_targets(project) if project else ()))


def _unwanted(agent: Agent, project: str | None) -> Sequence[SetupTarget]:
    return (*agent.unwanted(), *(agent.project_unwanted(project) if project else ()))


def _all_targets(agent: Agent, projects: Iterable[str]) -> Iterator[SetupTarget]:
    yield from (*agent.targets(), *agent.unwanted())
    for project in projects:
        yield from (*agent.project_targets(project), *agent.project_unwanted(project))
