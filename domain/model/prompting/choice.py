"""Which of the entries that a prompt found are put beside it, and what kept the others out."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hardwon.domain.model.block.entry_texts import units
from hardwon.domain.model.block.frame import FRAME_END, FRAME_START
from hardwon.domain.model.prompting.contender import Contender, Contest, Winner
from hardwon.domain.model.prompting.identifiers import held_by_one
from hardwon.domain.model.prompting.instructions import says
from hardwon.domain.model.prompting.winning import MOST_SHOWN
from hardwon.domain.model.receipts.injected_text import assembled
from hardwon.domain.model.receipts.near_misses import (
    MOST_MISSED,
    NO_ROOM,
    OF_ANOTHER_PROJECT,
    SHOWN_ALREADY,
    TOO_WEAK,
    said_by,
)
from hardwon.domain.model.receipts.receipt import NearMiss

MAX_PROMPT_UNITS = 1_500
"""UTF-16 units of all that is printed, the frame included."""


class Told(NamedTuple):
    """A file that the agent is given anyway: its name, and what it says, as `plain` returns it."""

    name: str
    text: str


class Choice(NamedTuple):
    """
    What is put beside a prompt.

    Attributes:
        chosen: The entries, best first, two at most.
        missed: The best of the others, best first.

    """

    chosen: tuple[Winner, ...] = ()
    missed: tuple[NearMiss, ...] = ()

    @property
    def frame(self) -> tuple[str, ...]:
        """What stands before, between and after the entries."""
        return (FRAME_START, *[""] * (len(self.chosen) - 1), FRAME_END)

    @property
    def text(self) -> str:
        """All of it; empty when nothing is chosen."""
        return assembled(self.frame, [each.text for each in self.chosen]) if self.chosen else ""


class Rules(NamedTuple):
    """
    What keeps an entry out.

    Attributes:
        contest: What decides who wins.
        shown: The ids of what was put before the agent in this session.
        told: Gives what the agent is given anyway; called at most once, and only for a winner.
        project: The user's own; learnings hold everywhere, anything else of another project does not.

    """

    contest: Contest
    shown: frozenset[str]
    told: Callable[[], Iterable[Told]]
    project: str = ""


def choose(contenders: Sequence[Contender], rules: Rules) -> Choice:
    """
    Return which of *contenders*, best first, are put beside the prompt: whole ones, of the best two.

    One that does not fit is passed over; a smaller one after it may still fit.
    """
    contest = rules.contest._replace(
        identifiers=held_by_one(rules.contest.identifiers, [each.said for each in contenders])
    )
    chosen, kept_out = list[Winner](), dict[str, str]()
    files, room = _Files(rules.told), MAX_PROMPT_UNITS - units(FRAME_START + FRAME_END)
    for each in contenders[:MOST_SHOWN]:
        winner = Winner(each, each.win(contest), each.text)
        if why := _against(winner, rules, files, room):
            kept_out[each.entry_id] = why
        else:
            chosen.append(winner)
            room -= units(winner.text)
    shown = {each.contender.entry_id for each in chosen}
    missed = (each for each in contenders if each.entry_id not in shown)
    nearly = [NearMiss(each.entry_id, each.score, kept_out.get(each.entry_id, TOO_WEAK)) for each in missed]
    return Choice(tuple(chosen), tuple(nearly[:MOST_MISSED]))


def _against(winner: Winner, rules: Rules, files: "_Files", room: int) -> str:
    """Return what speaks against it, empty for nothing."""
    if not winner.win.is_clear:
        return TOO_WEAK
    if winner.contender.is_foreign_to(rules.project):
        return OF_ANOTHER_PROJECT
    if winner.contender.entry_id in rules.shown:
        return SHOWN_ALREADY
    if name := files.sayer(winner.contender.printed.description):
        return said_by(name)
    return NO_ROOM if units(winner.text) > room else ""


class _Files:
    """What the agent is told anyway, read when it is first asked for."""

    def __init__(self, told: Callable[[], Iterable[Told]]) -> None:
        self._told = told
        self._read: list[Told] | None = None

    def sayer(self, lesson: str) -> str:
        """Return the name of the first that says all of *lesson*, empty when none does."""
        if self._read is None:
            self._read = list(self._told())
        return next((file.name for file in self._read if says(file.text, lesson)), "")
