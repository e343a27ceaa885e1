"""
Which of the entries that a prompt found are put beside it, and what kept the others out.

When an entry clearly wins, so that it may be put beside a prompt unasked.

::

    strength = quoted * sqrt(coverage * told * score * lead / (ln N * L^3))        L = ln max(N, 20)

`score` is that of the policy `adaptive`: the z-score of the entry against the background of this prompt. `lead` is how
far it is ahead of the best that is not shown: where many entries are about the same, none of them wins. `told` is what
the words of one sentence of the prompt tell that stand in the entry, in nats and at most `2 L`: with `ln N` they single
out one of N. `coverage` is their share of what all the telling words of that sentence tell: an entry that shares a rare
word with the prompt and nothing else was found by chance. What is divided by is what chance gives in a store of N, and
how many entries of a larger store are about the same subject. `quoted` is 2 for an entry that alone holds an identifier of
the prompt, else 1. `docs/quality.md` says what all of it was chosen on.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.injection.entry_text import (
    FRAME_END,
    FRAME_START,
    EntryForm,
    PrintedEntry,
    form_of,
    piece_text,
    units,
)
from hardwon.domain.model.injection.prompt_terms import (
    Identifier,
    Sentence,
    Shared,
    held_by_one,
    most_told,
    quotes,
    says,
    shared,
)
from hardwon.domain.model.injection.receipt import (
    MAX_MISSED,
    NO_ROOM,
    OF_ANOTHER_PROJECT,
    SHOWN_ALREADY,
    TOO_WEAK,
    NearMiss,
    Shown,
    assembled,
    said_by,
    text_digest,
)
from hardwon.domain.model.ranking.candidates import RecallFacts
from hardwon.domain.model.ranking.policy import Parts

MAX_SHOWN = 2

MIN_STRENGTH = 0.54
"""Where both meaning and words were searched."""

MIN_STRENGTH_OF_WORDS = 0.26
"""Where only words were: then half of the score is missing."""

FEWEST = 20
"""Entries: a smaller store can't know how rare a word is."""

QUOTED = 2.0
"""What the strength is multiplied by where an identifier of the prompt stands in this entry alone."""

MAX_INFORMATION = 2.0
"""As a multiple of `L`: a long sentence collects words by chance."""


class Win(NamedTuple):
    """
    What an entry needs to be shown, and what it has.

    Attributes:
        score: What `adaptive` gives it.
        coverage: The share of what a sentence's words tell that is told by those in it, `[0, 1]`.
        told: What those words tell, in nats.
        quoted: 2 where it alone holds an identifier of the prompt, else 1.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        searched: How many entries were searched.
        least: The strength that is needed, as `least_strength` gives it.

    """

    score: float
    coverage: float
    told: float
    quoted: float
    runner_up: float
    searched: float
    least: float

    @property
    def lead(self) -> float:
        """How far it is ahead of the runner-up."""
        return self.score - max(self.runner_up, 0.0)

    @property
    def breadth(self) -> float:
        """The logarithm of how many entries were searched, 20 at least."""
        return math.log(max(self.searched, FEWEST))

    @property
    def counted(self) -> float:
        """What is told, in nats, as far as it counts."""
        return min(self.told, MAX_INFORMATION * self.breadth)

    @property
    def strength(self) -> float:
        """How clearly it wins; it never falls when its score, its coverage or what is told grows."""
        if self.lead <= 0 or self.score <= 0:
            return 0.0
        chance = math.log(max(self.searched, 2)) * self.breadth**3
        return self.quoted * math.sqrt(self.coverage * self.counted * self.score * self.lead / chance)

    @property
    def is_clear(self) -> bool:
        """Whether it may be shown."""
        return self.strength >= self.least

    @property
    def parts(self) -> dict[str, float]:
        """All but the score, with the strength that comes of them, for a receipt."""
        return {**{name: getattr(self, name) for name in Win._fields[1:]}, "strength": self.strength}


def win_of_parts(score: float, parts: Mapping[str, float]) -> Win:
    """
    Return the win that left *parts* behind.

    Raises:
        KeyError: a part is missing.
    """
    return Win(score, **{name: parts[name] for name in Win._fields[1:]})


def least_strength(*, by_meaning: bool) -> float:
    """Return the strength that an entry needs, given whether meaning was searched too."""
    return MIN_STRENGTH if by_meaning else MIN_STRENGTH_OF_WORDS


class Contest(NamedTuple):
    """
    What decides between the entries that a prompt found.

    Attributes:
        sentences: What the words of each sentence of the prompt tell.
        runner_up: The score of the best entry that is not to be shown, 0 when there is none.
        size: How many entries were searched.
        by_meaning: Whether meaning was searched, or words only.
        identifiers: Those of the prompt, or those of them that only one entry holds.

    """

    sentences: tuple[Sentence, ...]
    runner_up: float
    size: int
    by_meaning: bool
    identifiers: tuple[Identifier, ...] = ()

    def win(self, score: float, shared: Shared, *, quoted: bool) -> Win:
        """Return what an entry of that score has and needs, where it shares that much with a sentence."""
        least = least_strength(by_meaning=self.by_meaning)
        return Win(score, *shared, QUOTED if quoted else 1.0, self.runner_up, float(self.size), least)

    def may_win(self, score: float) -> bool:
        """Return whether the upper bound of its strength suffices: as if it held all telling words of a sentence, and an identifier."""
        return self.win(score, Shared(1.0, most_told(self.sentences)), quoted=bool(self.identifiers)).is_clear


class Contender(NamedTuple):
    """
    An entry that may be put beside a prompt.

    Attributes:
        facts: What it is.
        printed: What it says.
        score: Its score by the policy `adaptive`.
        parts: What the score is made of.

    """

    facts: RecallFacts
    printed: PrintedEntry
    score: float
    parts: Parts

    @property
    def entry_id(self) -> str:
        """Which."""
        return self.facts.ranking.entry_id

    @property
    def form(self) -> EntryForm:
        """How it stands in the text."""
        return form_of(self.facts.kind)

    @property
    def text(self) -> str:
        """All of it that is printed."""
        return piece_text(self.form, self.printed)

    @property
    def said(self) -> str:
        """What may be shared with a prompt."""
        return f"{self.printed.name}\n{self.printed.description}\n{self.printed.notes}"

    def is_foreign_to(self, project: str) -> bool:
        """Return whether it holds only in a project other than that one."""
        return self.facts.kind != "learning" and self.facts.project not in {None, project}

    def win(self, contest: Contest) -> Win:
        """Return how clearly it wins, by its score and by what it shares with a sentence of the prompt."""
        said = self.said
        return contest.win(self.score, shared(contest.sentences, said), quoted=quotes(said, contest.identifiers))


class Winner(NamedTuple):
    """
    An entry that is put beside a prompt.

    Attributes:
        contender: Which.
        win: Why.
        text: All of it that is printed.

    """

    contender: Contender
    win: Win
    text: str

    @property
    def shown(self) -> Shown:
        """What a receipt keeps of it."""
        each = self.contender
        return Shown(each.entry_id, each.form, text_digest(self.text), each.score, {**each.parts, **self.win.parts})


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
    for each in contenders[:MAX_SHOWN]:
        winner = Winner(each, each.win(contest), each.text)
        if why := _against(winner, rules, files, room):
            kept_out[each.entry_id] = why
        else:
            chosen.append(winner)
            room -= units(winner.text)
    shown = {each.contender.entry_id for each in chosen}
    missed = (each for each in contenders if each.entry_id not in shown)
    nearly = [NearMiss(each.entry_id, each.score, kept_out.get(each.entry_id, TOO_WEAK)) for each in missed]
    return Choice(tuple(chosen), tuple(nearly[:MAX_MISSED]))


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


class Weighed(NamedTuple):
    """
    What was weighed against each other for a prompt.

    Attributes:
        contest: What decides.
        contenders: The best that were found, best first.
        choice: What came of it.

    """

    contest: Contest
    contenders: Sequence[Contender]
    choice: Choice
