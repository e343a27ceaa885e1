"""Bring what is ours into the files of agents, and take it out again."""

import hashlib
from collections.abc import Iterable

import attrs

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.file_change import FileChange
from hardwon.ports.setup_record import SetupRecord, Written
from hardwon.ports.setup_target import SetupTarget
from hardwon.ports.user_files import UserFiles


@attrs.frozen
class Step:
    """One file that is to change, and what it takes to change it."""

    target: SetupTarget
    change: FileChange
    before_us: str | None


@attrs.frozen(kw_only=True)
class Plan:
    """
    What is to be done; nothing is done yet.

    Attributes:
        steps: Files to change, in order.
        left: Files that have something of the user's by our name, and what that is.
        refused: Files that can't be edited safely, why, and what to add by hand.

    """

    steps: tuple[Step, ...] = ()
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class SetUp:
    """
    Change files so that agents have what is ours, or have it no longer.

    Attributes:
        files: The user's.
        record: What was written before.

    """

    files: UserFiles
    record: SetupRecord

    def plan(self, wanted: Iterable[SetupTarget], unwanted: Iterable[SetupTarget] = ()) -> Plan:
        """Return what it takes for *wanted* to hold what is ours, and for *unwanted* not to."""
        planning = _Planning(self)
        for target in unwanted:
            planning.take_out(target)
        for target in wanted:
            planning.bring_in(target)
        return planning.plan()

    def carry_out(self, plan: Plan) -> tuple[str, ...]:
        """Change the files; return which could not be changed and why, the others are done."""
        refused = list[str]()
        for step in plan.steps:
            try:
                self._carry_out(step)
            except UneditableFileError as error:
                refused.append(f"{step.target.path}: {error}")
        return tuple(refused)

    def forget(self, *, everything: bool) -> None:
        """Remove the folders that were made and are empty; and the record, if *everything* is undone."""
        for folder in sorted(self.record.folders(), key=len, reverse=True):
            self.files.remove_empty_folder(folder)
        if everything:
            self.record.clear()

    def before_us(self, target: SetupTarget, text: str) -> str | None:
        """Return what the file that now holds *text* would hold without us, None for no file."""
        written = self.record.get(target.path)
        if written and self.is_as_written(target, text):
            original = written.original if written.original is not None else target.without_ours(text)
            return original if written.was_there else None
        left = target.without_ours(text)
        return None if left is not None and written and written.is_made and target.is_blank(left) else left

    def is_as_written(self, target: SetupTarget, text: str) -> bool:
        """Tell whether *text* is what was written there, to the last character."""
        written = self.record.get(target.path)
        return written is not None and written.digest == _digest(text)

    def _carry_out(self, step: Step) -> None:
        path, root, after = step.target.path, step.target.root, step.change.after
        if (now := self.files.read(path, root)) == after:
            return
        if now != step.change.before:
            raise UneditableFileError("it was changed meanwhile: run hardwon init again")
        if after is None:
            self.files.remove(path, root)
        else:
            if after != step.before_us:
                self.record.put(path, self._written(step, after))
            self.record.add_folders(self.files.missing_folders(path))
            self.files.write(path, after, root)
        if after == step.before_us:
            self.record.drop(path)

    def _written(self, step: Step, after: str) -> Written:
        earlier = self.record.get(step.target.path)
        was_there = step.before_us is not None
        is_made = not was_there or (earlier is not None and earlier.is_made)
        is_derivable = not was_there or step.target.without_ours(after) == step.before_us
        return Written(_digest(after), was_there, is_made, None if is_derivable else step.before_us)


class _Planning:
    """What comes together of a plan."""

    def __init__(self, tools: SetUp) -> None:
        self._tools = tools
        self._steps, self._left, self._refused = list[Step](), list[str](), list[str]()

    def plan(self) -> Plan:
        return Plan(steps=tuple(self._steps), left=tuple(self._left), refused=tuple(self._refused))

    def bring_in(self, target: SetupTarget) -> None:
        try:
            text = self._tools.files.read(target.path, target.root)
            before_us = None if text is None else self._tools.before_us(target, text)
            base = before_us if text is not None and self._tools.is_as_written(target, text) else text
            self._add(target, text, target.with_ours(base), before_us)
        except TakenNameError as error:
            self._left.append(f"{target.path}: {error}: left as it is; ours would be: {target.snippet}")
        except UneditableFileError as error:
            self._refused.append(f"{target.path}: {error}; add by hand: {target.snippet}")

    def take_out(self, target: SetupTarget) -> None:
        try:
            text = self._tools.files.read(target.path, target.root)
            if text is not None:
                before_us = self._tools.before_us(target, text)
                self._add(target, text, before_us, before_us)
                if before_us == text and self._tools.record.get(target.path):
                    target.with_ours(text)  # raises what is to be told of a file that is no longer ours
        except TakenNameError as error:
            self._left.append(f"{target.path}: {error}: left as it is")
        except UneditableFileError as error:
            self._refused.append(f"{target.path}: {error}; nothing was taken out of it")

    def _add(self, target: SetupTarget, before: str | None, after: str | None, before_us: str | None) -> None:
        if before != after:
            self._steps.append(Step(target, FileChange(target.path, before, after), before_us))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
