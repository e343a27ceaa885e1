"""
The gate that decides which entries are put beside a prompt, and why others are kept out.

An entry is shown when its strength reaches a threshold::

    strength = quoted * sqrt(coverage * told * score * lead / (ln N * L^3))        L = ln max(N, 20)

- `score` is that of the policy `adaptive`: the z-score of the entry against the background of this prompt.
- `lead` is its distance from the best entry that is not shown: where many entries are about the same, none wins.
- `told` is the information of the words of one sentence of the prompt that occur in the entry, in nats, at most `2 L`;
  `ln N` singles out one entry of N.
- `coverage` is their share of the information of all words of that sentence: an entry that shares a rare word and
  nothing else was found by chance.
- The divisor is the value expected by chance in a store of N entries, of which more are about the same subject the
  larger it is.
- `quoted` is 2 for an entry that alone holds an identifier of the prompt, else 1.

`docs/quality.md` says on which sets this was chosen.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.injection.entry_text import EntryForm, PrintedEntry, form_of, piece_text, units
from hardwon.domain.model.injection.frame import FRAME_END, FRAME_START
from hardwon.domain.model.injection.prompt_terms import (
    Identifier,
    Sentence,
    Shared,
    held_by_one,
    holds_lesson,
    max_information,
    quotes,
    shared,
)
from hardwon.domain.model.injection.receipt import (
    MAX_MISSED,
    NO_ROOM,
    SHOWN_ALREADY,
    TOO_WEAK,
    NearMiss,
    Shown,
    assembled,
    known_from,
    text_digest,
)
from hardwon.domain.model.ranking.candidates import RecallFacts
from hardwon.domain.model.ranking.policy import Parts

MAX_SHOWN = 2

MIN_STRENGTH = 0.54
"""The threshold for semantic and keyword search."""

MIN_KEYWORD_STRENGTH = 0.26
"""The threshold for keyword search alone, where half of the score is missing."""

MIN_SEARCHED = 20
"""Entries; the frequencies of a smaller store do not show how rare a word is."""

QUOTED = 2.0
"""The factor of the strength of an entry that alone holds an identifier of the prompt."""

MAX_INFORMATION = 2.0
"""The upper bound of `told`, as a multiple of `L`: a long sentence matches words by chance."""


class Win(NamedTuple):
    """
    The strength of an entry, its parts and its threshold; a receipt stores the parts by these names.

    Attributes:
        score: By the policy `adaptive`.
        coverage: The share of a sentence's information that its words in the entry have, `[0, 1]`.
        told: The information of these words, in nats.
        quoted: 2 if it alone holds an identifier of the prompt, else 1.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        searched: How many entries were searched.
        least: The threshold, as `min_strength` gives it.
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
        """The distance from the runner-up."""
        return self.score - max(self.runner_up, 0.0)

    @property
    def breadth(self) -> float:
        """The logarithm of how many entries were searched, of 20 at least."""
        return math.log(max(self.searched, MIN_SEARCHED))

    @property
    def counted(self) -> float:
        """The information in nats, up to its upper bound."""
        return min(self.told, MAX_INFORMATION * self.breadth)

    @property
    def strength(self) -> float:
        """The strength; it never falls when score, coverage or information grows."""
        if self.lead <= 0 or self.score <= 0:
            return 0.0
        chance = math.log(max(self.searched, 2)) * self.breadth**3
        return self.quoted * math.sqrt(self.coverage * self.counted * self.score * self.lead / chance)

    @property
    def is_clear(self) -> bool:
        """Whether the strength reaches the threshold."""
        return self.strength >= self.least

    @property
    def parts(self) -> dict[str, float]:
        """All fields but the score, and the strength, for a receipt."""
        return {**{name: getattr(self, name) for name in Win._fields[1:]}, "strength": self.strength}


def win_of_parts(score: float, parts: Mapping[str, float]) -> Win:
    """
    Return the win with these *parts*.

    Raises:
        KeyError: a part is missing.
    """
    return Win(score, **{name: parts[name] for name in Win._fields[1:]})


def min_strength(*, semantic: bool) -> float:
    """Return the threshold of the strength, given whether semantic search took part."""
    return MIN_STRENGTH if semantic else MIN_KEYWORD_STRENGTH


class Contest(NamedTuple):
    """
    The values that all entries found by a prompt are compared by.

    Attributes:
        sentences: The information of the words of each sentence of the prompt.
        runner_up: The score of the best entry that is not to be shown, 0 without one.
        size: How many entries were searched.
        semantic: Whether semantic search took part.
        identifiers: Those of the prompt, or those of them that only one entry holds.
    """

    sentences: tuple[Sentence, ...]
    runner_up: float
    size: int
    semantic: bool
    identifiers: tuple[Identifier, ...] = ()

    def win(self, score: float, shared: Shared, *, quoted: bool) -> Win:
        """Return the win of an entry with that score and that overlap."""
        least = min_strength(semantic=self.semantic)
        return Win(score, *shared, QUOTED if quoted else 1.0, self.runner_up, float(self.size), least)

    def may_win(self, score: float) -> bool:
        """Return whether the upper bound of the strength suffices: all words of a sentence, and an identifier, held."""
        return self.win(score, Shared(1.0, max_information(self.sentences)), quoted=bool(self.identifiers)).is_clear


class Contender(NamedTuple):
    """
    An entry that may be put beside a prompt.

    Attributes:
        score: By the policy `adaptive`.
        parts: The parts of the score.
    """

    facts: RecallFacts
    printed: PrintedEntry
    score: float
    parts: Parts

    @property
    def entry_id(self) -> str:
        """The id of the entry."""
        return self.facts.ranking.entry_id

    @property
    def form(self) -> EntryForm:
        """How it is printed."""
        return form_of(self.facts.kind)

    @property
    def text(self) -> str:
        """All of it that is printed."""
        return piece_text(self.form, self.printed, self.printed.origin)

    @property
    def words_text(self) -> str:
        """The texts that are matched with the prompt."""
        return f"{self.printed.name}\n{self.printed.description}\n{self.printed.notes}"

    def win(self, contest: Contest) -> Win:
        """Return the win of the entry."""
        text = self.words_text
        return contest.win(self.score, shared(contest.sentences, text), quoted=quotes(text, contest.identifiers))


class Winner(NamedTuple):
    """A contender that is shown, its win, and its printed text."""

    contender: Contender
    win: Win
    text: str

    @property
    def shown(self) -> Shown:
        """The part of a receipt that describes it."""
        entry = self.contender
        parts = {**entry.parts, **self.win.parts}
        origin = entry.printed.origin
        return Shown(entry.entry_id, entry.form, text_digest(self.text), entry.score, parts, origin=origin)


MAX_PROMPT_UNITS = 1_500
"""UTF-16 units of all that is printed, the frame included."""


class AgentFile(NamedTuple):
    """A file that the agent reads anyway: its name, and its text as `plain` returns it."""

    name: str
    text: str


class Choice(NamedTuple):
    """
    The entries that are put beside a prompt.

    Attributes:
        chosen: Best first, at most two.
        missed: The best of the others, best first.
    """

    chosen: tuple[Winner, ...] = ()
    missed: tuple[NearMiss, ...] = ()

    @property
    def frame(self) -> tuple[str, ...]:
        """The text before, between and after the entries."""
        return (FRAME_START, *[""] * (len(self.chosen) - 1), FRAME_END)

    @property
    def text(self) -> str:
        """The whole text; empty when nothing is chosen."""
        return assembled(self.frame, [winner.text for winner in self.chosen]) if self.chosen else ""


class Rules(NamedTuple):
    """
    The rules that keep an entry out.

    Attributes:
        shown: The ids of the entries that this session was given before.
        agent_files: Reads the files that the agent is given anyway; called at most once, and only for a winner.
    """

    contest: Contest
    shown: frozenset[str]
    agent_files: Callable[[], Iterable[AgentFile]]


def choose(contenders: Sequence[Contender], rules: Rules) -> Choice:
    """
    Return which of *contenders*, best first, are put beside the prompt: of the best two those that pass and fit.

    An entry that does not fit is skipped; a smaller one after it may still fit.
    """
    contest = rules.contest._replace(
        identifiers=held_by_one(rules.contest.identifiers, [entry.words_text for entry in contenders])
    )
    chosen, kept_out = list[Winner](), dict[str, str]()
    files, room = _Files(rules.agent_files), MAX_PROMPT_UNITS - units(FRAME_START + FRAME_END)
    for entry in contenders[:MAX_SHOWN]:
        winner = Winner(entry, entry.win(contest), entry.text)
        if why := _against(winner, rules, files, room):
            kept_out[entry.entry_id] = why
        else:
            chosen.append(winner)
            room -= units(winner.text)
    shown = {entry.contender.entry_id for entry in chosen}
    missed = (entry for entry in contenders if entry.entry_id not in shown)
    nearly = [NearMiss(entry.entry_id, entry.score, kept_out.get(entry.entry_id, TOO_WEAK)) for entry in missed]
    return Choice(tuple(chosen), tuple(nearly[:MAX_MISSED]))


def _against(winner: Winner, rules: Rules, files: "_Files", room: int) -> str:
    """Return the reason to keep it out, empty for none."""
    if not winner.win.is_clear:
        return TOO_WEAK
    if winner.contender.entry_id in rules.shown:
        return SHOWN_ALREADY
    if name := files.name_of_file_with(winner.contender.printed.description):
        return known_from(name)
    return NO_ROOM if units(winner.text) > room else ""


class _Files:
    """The files that the agent reads anyway, read on first use."""

    def __init__(self, read: Callable[[], Iterable[AgentFile]]) -> None:
        self._read_files = read
        self._files: list[AgentFile] | None = None

    def name_of_file_with(self, lesson: str) -> str:
        """Return the name of the first file that holds all of *lesson*, empty if none does."""
        if self._files is None:
            self._files = list(self._read_files())
        return next((file.name for file in self._files if holds_lesson(file.text, lesson)), "")


class Weighed(NamedTuple):
    """
    The comparison of the entries that a prompt found.

    Attributes:
        contenders: Best first.
    """

    contest: Contest
    contenders: Sequence[Contender]
    choice: Choice
