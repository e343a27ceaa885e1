"""Print the entry that helps at the moment when an agent acts."""

from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.edit import Edit
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.filters import seen_from
from hardwon.domain.model.injection.entry_text import ConstitutionalText, within_budget
from hardwon.domain.model.injection.receipt import NOTHING as NO_MEMORY
from hardwon.domain.model.injection.receipt import HeldMemory
from hardwon.domain.model.injection.relevance_gate import AT_MOMENT, AT_TASK
from hardwon.domain.model.moment import Moment, OpenedFile, Task
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.weigh_citations import WeighCitations
from hardwon.domain.use_cases.weigh_entries import (
    LONGEST_KEPT,
    NOTHING,
    Actor,
    Injection,
    Occasion,
    WeighEntries,
)

MOST = 4
"""The number of entries printed at moments in one context window."""


class InjectAtMoment(NamedTuple):
    """
    Print at most one entry when an agent acts, if it clearly helps.

    A subagent that starts gets the constitutional entries and at most two others.
    An entry is printed whole, and once in a context window.
    The limit of four in a context window counts neither session starts nor prompts.
    """

    weigh: WeighEntries

    def text_for(self, moment: Moment, actor: Actor, deadline: Deadline) -> Injection:
        """
        Return the text to print at *moment*, most often none.

        Raises:
            StorageError: the store can't be read.
        """
        if isinstance(moment, Edit):
            return self.after_edit(moment, actor, deadline)
        if isinstance(moment, OpenedFile):
            return self.at_file(moment.path, actor, deadline)
        if isinstance(moment, Task):
            return self.at_task(moment, actor, deadline)
        return self.after_failure(moment, actor, deadline)

    def after_failure(self, failure: Failure, actor: Actor, deadline: Deadline) -> Injection:
        """
        Return the text to print after a command failed, most often none.

        Nothing of the output is kept but its signature, without secrets.

        Raises:
            StorageError: the store can't be read.
        """
        if not failure.error_lines:
            return NOTHING
        occasion = Occasion(
            event="failure",
            text=failure.question,
            actor=actor,
            printing=AT_MOMENT,
            query=failure.key,
            action=failure,
        )
        return self._at(occasion, deadline)

    def after_edit(self, edit: Edit, actor: Actor, deadline: Deadline) -> Injection:
        """
        Return the text to print after a file was edited, most often none.

        Raises:
            StorageError: the store can't be read.
        """
        occasion = Occasion(
            event="edit",
            text=edit.question,
            actor=actor,
            printing=AT_MOMENT,
            query=redact(edit.path),
            action=edit,
        )
        return self._at(occasion, deadline)

    def at_file(self, path: str, actor: Actor, deadline: Deadline) -> Injection:
        """
        Return the best entry that cites the file, once a context window.

        Its meaning is not searched: an entry cites it or not.

        Raises:
            StorageError: the store can't be read.
        """
        query = redact(path)[:LONGEST_KEPT]
        occasion = Occasion(
            event="file",
            text=path,
            actor=actor,
            printing=AT_MOMENT,
            query=query,
        )
        held = self._held(actor)
        if held.moments >= MOST or query in held.files:
            return NOTHING
        return WeighCitations(self.weigh).injection_for(occasion, deadline)

    def at_task(self, task: Task, actor: Actor, deadline: Deadline) -> Injection:
        """
        Return the constitutional entries, and those that help with the task of a subagent.

        Raises:
            StorageError: the store can't be read.
        """
        occasion = Occasion(
            event="subagent",
            text=task.question,
            actor=actor,
            printing=AT_TASK._replace(constitutional=self._constitutional(actor)),
            query=task.question,
        )
        return self._at(occasion, deadline)

    def _constitutional(self, actor: Actor) -> tuple[ConstitutionalText, ...]:
        repository, workplace = self.weigh.recall.repository, actor.workplace
        held = self._held(actor).entries
        found = repository.constitutional(seen_from(workplace))
        return tuple(
            rule
            for rule in within_budget(map(workplace.labelled, found))
            if rule.entry_id not in held
        )

    def _at(self, occasion: Occasion, deadline: Deadline) -> Injection:
        if self._held(occasion.actor).moments >= MOST:
            return NOTHING
        return self.weigh.injection_for(occasion, deadline)

    def _held(self, actor: Actor) -> HeldMemory:
        window = actor.window
        return self.weigh.windows.held(window) if window.session_id else NO_MEMORY
