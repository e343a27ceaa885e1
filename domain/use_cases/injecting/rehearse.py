"""Tell what would stand beside a prompt, and why or why not."""

from collections.abc import Iterator
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.prompting.gate import is_worth_asking
from hardwon.domain.model.prompting.weighed import Weighed
from hardwon.domain.use_cases.injecting.speak_up import Prompt, SpeakUp


class Rehearsed(NamedTuple):
    """
    An entry that was weighed for a prompt.

    Attributes:
        entry_id: Which.
        name: Its name.
        strength: How clearly it wins.
        least: The strength that is needed.
        kept_out: What keeps it out, in a few words; empty for what would stand there.

    """

    entry_id: str
    name: str
    strength: float
    least: float
    kept_out: str


class Rehearsal(NamedTuple):
    """
    What a prompt would bring up.

    Attributes:
        text: What would be printed; empty for nothing.
        entries: The best that were weighed, best first; none where no entry has to do with the prompt.
        worth_asking: Whether the prompt says enough to be searched with.
        degradations: What was missing in the search and why, one line each.

    """

    text: str
    entries: tuple[Rehearsed, ...]
    worth_asking: bool
    degradations: tuple[str, ...] = ()


class Rehearse(NamedTuple):
    """
    Try a prompt: nothing is counted and no receipt is kept; what has expired is retired, as by any search.

    Attributes:
        speak_up: What answers prompts.

    """

    speak_up: SpeakUp

    def __call__(self, prompt: Prompt, deadline: Deadline) -> Rehearsal:
        """
        Return what would be printed beside *prompt* now.

        Args:
            prompt: The words of a user.
            deadline: When searching must be over.

        Raises:
            StorageError: the store can't be read.

        """
        weighed = list[Weighed]()
        spoken = self.speak_up._replace(watch=weighed.append)(prompt, deadline)
        entries = tuple(entry for each in weighed for entry in _rehearsed(each))
        return Rehearsal(spoken.text, entries, is_worth_asking(prompt.text), spoken.degradations)


def _rehearsed(weighed: Weighed) -> Iterator[Rehearsed]:
    told = {each.entry_id: each.why for each in weighed.choice.missed}
    told.update((each.contender.entry_id, "") for each in weighed.choice.chosen)
    for each in weighed.contenders:
        if each.entry_id in told:
            win = each.win(weighed.contest)
            yield Rehearsed(each.entry_id, each.printed.name, win.strength, win.least, told[each.entry_id])
