"""Bring what is ours into the files of agents, and take it out again."""

import contextlib
import os
from collections.abc import Iterable

import attrs

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.file_change import FileChange
from hardwon.domain.model.setup.written import Written
from hardwon.domain.use_cases.setting_up.found import Found, digest, look, with_ours, without_ours
from hardwon.domain.use_cases.setting_up.plan import Done, Plan, Step, Untouched, joined
from hardwon.ports.setup_record import SetupRecord
from hardwon.ports.setup_target import SetupTarget
from hardwon.ports.user_files import UserFiles

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
