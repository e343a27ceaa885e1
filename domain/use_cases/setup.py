"""Bring what is ours into the files of agents, and take it out again."""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from typing import NamedTuple

import attrs

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.formats.config_edit import FileChange, Written
from hardwon.ports.agents import SetupRecord, SetupTarget, UserFiles


class Found(NamedTuple):
    """
    What a file holds before it is changed.

    Attributes:
        text: All of it; None where there is no file.
        without_us: What it would hold without us; None for no file.
        is_as_written: Whether it is what was written there last, to the last character.
        is_recorded: Whether something was written there and not taken out since.

    """

    text: str | None
    without_us: str | None
    is_as_written: bool
    is_recorded: bool


def look(target: SetupTarget, text: str | None, written: Written | None) -> Found:
    """
    Return what is known of a file.

    Args:
        target: The file.
        text: What it holds.
        written: What was written there last.

    Raises:
        UneditableFileError: it can't be edited safely.

    """
    if text is None:
        return Found(None, None, is_as_written=False, is_recorded=written is not None)
    is_as_written = written is not None and written.digest == digest(text)
    without_us = _before(target, text, written) if written and is_as_written else _rest(target, text, written)
    return Found(text, without_us, is_as_written, is_recorded=written is not None)


def with_ours(target: SetupTarget, found: Found) -> str:
    """
    Return what the file is to hold with what is ours; what the user wrote stays.

    Raises:
        TakenNameError: something of the user's has the name of ours.
        UneditableFileError: it can't be edited safely.
    """
    return target.with_ours(found.without_us if found.is_as_written else found.text)


def without_ours(target: SetupTarget, found: Found) -> str | None:
    """
    Return what the file is to hold without us; None for no file.

    Raises:
        TakenNameError: what was ours there is the user's own now.
        UneditableFileError: it can't be edited safely.
    """
    if found.is_recorded and found.text is not None and found.text == found.without_us:
        target.ensure_not_taken(found.text)
    return found.without_us


def digest(text: str) -> str:
    """Return what tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def _before(target: SetupTarget, text: str, written: Written) -> str | None:
    """Return what the file held before *text*, which we wrote."""
    if not written.was_there:
        return None
    return written.original if written.original is not None else target.without_ours(text)


def _rest(target: SetupTarget, text: str, written: Written | None) -> str | None:
    """Return what the user wrote of *text*; None where that says nothing, in a file that we made."""
    left = target.without_ours(text)
    return None if left is not None and written and written.is_made and target.is_blank(left) else left


@attrs.frozen
class Step:
    """
    One file that is to change.

    Attributes:
        target: The file.
        change: What it holds, and is to hold.
        without_us: What it would hold without us; None for no file.

    """

    target: SetupTarget
    change: FileChange
    without_us: str | None


@attrs.frozen
class Untouched:
    """
    One file that is left as it is.

    Attributes:
        path: The file.
        reason: Why, in one line.
        by_hand: What the user would add by hand, in lines to paste; empty for nothing.

    """

    path: str
    reason: str
    by_hand: str = ""


@attrs.frozen(kw_only=True)
class Plan:
    """
    What is to be done; nothing is done yet.

    Attributes:
        steps: Files to change, in order.
        settled: Files that were to hold nothing of ours, and do not.
        left: Files that have something of the user's by our name.
        refused: Files that can't be edited safely.

    """

    steps: tuple[Step, ...] = ()
    settled: tuple[str, ...] = ()
    left: tuple[Untouched, ...] = ()
    refused: tuple[Untouched, ...] = ()


@attrs.frozen(kw_only=True)
class Done:
    """
    What came of a plan.

    Attributes:
        changed: Files that were changed, in order.
        refused: Files that could not be.

    """

    changed: tuple[str, ...] = ()
    refused: tuple[Untouched, ...] = ()


def joined(plans: Iterable[Plan]) -> Plan:
    """Return one plan for all."""
    each = tuple(plans)
    return Plan(
        steps=tuple(step for plan in each for step in plan.steps),
        settled=tuple(path for plan in each for path in plan.settled),
        left=tuple(file for plan in each for file in plan.left),
        refused=tuple(file for plan in each for file in plan.refused),
    )


CHANGED = "changed since hardwon wrote it: left as it is"
OURS = "; ours would be:"
RENAME = ": left as it is; rename it and run hardwon init again, to have ours too"


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
        return joined([*map(self._taking_out, unwanted), *map(self._bringing_in, wanted)])

    def carry_out(self, plan: Plan) -> Done:
        """Change the files, each by itself: one that can't be changed does not keep the others from it."""
        changed, refused = list[str](), list[Untouched]()
        for path in plan.settled:
            self.record.drop(path)
        for step in plan.steps:
            try:
                self._carry_out(step)
                changed.append(step.target.path)
            except UneditableFileError as error:
                refused.append(Untouched(step.target.path, str(error)))
        return Done(changed=tuple(changed), refused=tuple(refused))

    def forget(self, projects: Iterable[str]) -> None:
        """Remove the folders that were made and are empty now; forget *projects*, unless a file is still written there."""
        for folder in sorted(self.record.folders(), key=len, reverse=True):
            self.files.remove_empty_folder(folder)
            if not self._is_written_below(folder):
                self.record.drop_folder(folder)
        for project in projects:
            if not self._is_written_below(project):
                self.record.drop_project(project)

    def _bringing_in(self, target: SetupTarget) -> Plan:
        try:
            found = self._look(target)
            after = with_ours(target, found)
            return attrs.evolve(self._change(target, found, after), left=self._left_out(target, after))
        except TakenNameError as error:
            return Plan(left=(self._taken(target, error, OURS),))
        except UneditableFileError as error:
            by_hand = target.snippet(self._text(target))
            reason = f"{error}; add by hand:" if by_hand else str(error)
            return Plan(refused=(Untouched(target.path, reason, by_hand),))

    def _taking_out(self, target: SetupTarget) -> Plan:
        try:
            found = self._look(target)
            plan = self._change(target, found, without_ours(target, found))
            return plan if plan.steps else Plan(settled=(target.path,))
        except TakenNameError as error:
            return Plan(settled=(target.path,), left=(attrs.evolve(self._taken(target, error), by_hand=""),))
        except UneditableFileError as error:
            return Plan(refused=(Untouched(target.path, f"{error}; nothing was taken out of it"),))

    def _left_out(self, target: SetupTarget, after: str) -> tuple[Untouched, ...]:
        """Return what of ours *after* has no room for, beside the rest."""
        try:
            target.ensure_not_taken(after)
        except TakenNameError as error:
            return (self._taken(target, error, OURS),)
        return ()

    def _taken(self, target: SetupTarget, error: TakenNameError, way_out: str = "") -> Untouched:
        """Return that what has our name is the user's; of a file that is all ours, that they made it so."""
        if by_hand := target.snippet(self._text(target)):
            return Untouched(target.path, f"{error}: left as it is{way_out}", by_hand)
        return Untouched(target.path, CHANGED if self.record.get(target.path) else f"{error}{RENAME}")

    def _text(self, target: SetupTarget) -> str | None:
        """Return what the file holds; None where that can't be read either."""
        with contextlib.suppress(UneditableFileError):
            return self.files.read(target.path, target.root)
        return None

    def _look(self, target: SetupTarget) -> Found:
        return look(target, self.files.read(target.path, target.root), self.record.get(target.path))

    def _change(self, target: SetupTarget, found: Found, after: str | None) -> Plan:
        if after == found.text:
            return Plan()
        self.files.ensure_writable(target.path, target.root)
        return Plan(steps=(Step(target, FileChange(target.path, found.text, after), found.without_us),))

    def _carry_out(self, step: Step) -> None:
        path, root, after = step.target.path, step.target.root, step.change.after
        if (now := self.files.read(path, root)) == after:
            return
        if now != step.change.before:
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

    def _written(self, step: Step, after: str) -> Written:
        earlier = self.record.get(step.target.path)
        was_there = step.without_us is not None
        is_made = not was_there or (earlier is not None and earlier.is_made)
        is_derivable = not was_there or step.target.without_ours(after) == step.without_us
        return Written(digest(after), was_there, is_made, None if is_derivable else step.without_us)

    def _is_written_below(self, folder: str) -> bool:
        return any(path.startswith(os.path.join(folder, "")) for path in self.record.paths())
