"""
The gate that decides which entries are put beside a prompt.

An entry is shown when it probably helps (`likelihood.py`) and the agent does not know it yet. The gate also
records why others are left out.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.citations import cited_words
from hardwon.domain.model.injection.entry_text import (
    ConstitutionalText,
    PrintedEntry,
    form_of,
    memory_text,
    piece_text,
    units,
)
from hardwon.domain.model.injection.gate_terms import (
    EditTerms,
    EntryWords,
    PromptTerms,
    breadth,
    excess,
    lead,
    salience,
)
from hardwon.domain.model.injection.neutral_text import CONSTITUTIONAL, FRAME_END, FRAME_START
from hardwon.domain.model.injection.receipt import (
    HARMFUL,
    MAX_MISSED,
    NO_ROOM,
    SHOWN_ALREADY,
    SUPERSEDED,
    TOO_WEAK,
    Form,
    NearMiss,
    ReceiptEntry,
    assembled,
    known_from,
    text_digest,
)
from hardwon.domain.model.likelihood import Likelihood, model_of
from hardwon.domain.model.prompt_terms import holds_lesson
from hardwon.domain.model.ranking.candidates import RecallFacts
from hardwon.domain.model.ranking.policy import Parts

if TYPE_CHECKING:
    from hardwon.domain.model.injection.failure_terms import FailureTerms

MAX_SHOWN = 2


class Contest(NamedTuple):
    """
    The values by which all entries of an occasion are compared.

    Attributes:
        terms: The words of the occasion.
        rival: The score of the best entry that is not to be shown, 0 without one.
        semantic: Whether semantic search took part.
        is_cited: Whether all entries cite the opened file, so that each of them helps.
        shifts: The change of the log-odds of entries with outcomes, by id.
    """

    terms: "PromptTerms | EditTerms | FailureTerms"
    rival: float
    size: int
    semantic: bool
    is_cited: bool = False
    shifts: Mapping[str, float] = {}

    def likelihood(self, score: float, parts: Parts, in_common: Mapping[str, float]) -> Likelihood:
        """Return the likelihood of an entry that has the features *in_common* with the occasion."""
        model = model_of(_SORTS[type(self.terms).__name__], semantic=self.semantic)
        return model.of(
            {
                "closeness": parts["closeness"],
                "lead": lead(score, self.rival, self.size),
                "salience": salience(parts["evidence"], parts["evidence_deviation"], self.size),
                "excess": excess(parts["length"]),
                "breadth": breadth(self.size),
                **in_common,
            }
        )

    def may_win(self, score: float, parts: Parts, upper_bounds: Mapping[str, float]) -> bool:
        """Return whether the upper bound of the probability suffices."""
        return self.likelihood(score, parts, upper_bounds).is_likely

    def among(self, entries: Sequence[EntryWords]) -> "Contest":
        """Return the contest of these *entries*."""
        if not isinstance(self.terms, PromptTerms):
            return self
        return self._replace(terms=self.terms.among(entries))


_SORTS = {"PromptTerms": "prompt", "EditTerms": "edit", "FailureTerms": "failure"}
"""By their names, as beside a prompt no failure is read."""


class CertainWin(NamedTuple):
    """The win of an entry that cites the opened file: nothing is estimated."""

    probability: float = 1.0
    is_likely: bool = True
    parts: Mapping[str, float] = {}


class Contender(NamedTuple):
    """
    An entry that may be put beside a prompt.

    Attributes:
        matched: The texts that are compared; None for those that are printed.
    """

    facts: RecallFacts
    printed: PrintedEntry
    score: float
    parts: Parts
    references: tuple[str, ...] = ()
    matched: PrintedEntry | None = None

    @property
    def entry_id(self) -> str:
        """The id of the entry."""
        return self.facts.ranking.entry_id

    @property
    def words(self) -> EntryWords:
        """The texts that are compared, with its references."""
        cited, plain_texts = cited_words(self.references), self.texts
        return EntryWords(
            name=plain_texts[0],
            text="\n".join((*plain_texts, cited)),
            names="\n".join((*plain_texts, *self.references)),
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are compared."""
        matched = self.matched or self.printed
        return (matched.name, matched.description, matched.notes)

    def in_place_of(self, older: "Contender") -> "Contender":
        """Return this entry, compared by the texts of the one that it replaces."""
        return self._replace(
            score=older.score,
            parts=older.parts,
            references=older.references,
            matched=older.printed,
        )

    def win(self, contest: Contest) -> Likelihood | CertainWin:
        """Return how likely the entry helps."""
        if contest.is_cited:
            return CertainWin()
        likely = contest.likelihood(self.score, self.parts, contest.terms.features(self.words))
        return likely._replace(credit=contest.shifts.get(self.entry_id, 0.0))


def in_order_of_credit(contenders: Iterable[Contender], contest: Contest) -> list[Contender]:
    """Order neighbours with the same score by their credit."""
    return [
        entry
        for _, equals in groupby(contenders, attrgetter("score"))
        for entry in sorted(equals, key=lambda own: -contest.shifts.get(own.entry_id, 0.0))
    ]


def with_successors(
    contenders: Sequence[Contender], successors: Mapping[str, Contender]
) -> list[Contender]:
    """
    Return *contenders* with successors in place of the superseded.

    An entry takes the highest of its places.

    Args:
        contenders: Best first, the superseded ones last.
        successors: By the ids of the entries that they replace.
    """
    placed = [entry for entry in contenders if entry.entry_id not in successors]
    for older in contenders:
        if successor := successors.get(older.entry_id):
            at = next(
                (at for at, entry in enumerate(placed) if entry.score < older.score), len(placed)
            )
            placed.insert(at, successor.in_place_of(older))
    first = dict[str, Contender]()
    for entry in placed:
        first.setdefault(entry.entry_id, entry)
    return [*first.values()]


class Printing(NamedTuple):
    """
    How much is printed on an occasion, and in which form.

    Attributes:
        most: Entries.
        room: UTF-16 units of the whole printed text, the frame included.
        form: That of all entries; None for that of their kinds.
        constitutional: Entries printed before the others, beyond `most` and `room`.
    """

    most: int
    room: int
    form: Form | None = None
    constitutional: tuple[ConstitutionalText, ...] = ()

    def form_of(self, entry: Contender) -> Form:
        """Return the form of *entry*."""
        return self.form or form_of(entry.facts.kind)

    def text(self, entry: Contender) -> str:
        """Return the whole printed text of *entry*."""
        printed = entry.printed
        if self.form == "memory":
            return memory_text(
                entry.entry_id,
                entry.facts.created_at,
                entry=printed,
                origin=printed.origin,
                warning=printed.warning,
            )
        form = form_of(entry.facts.kind)
        return piece_text(form, printed, printed.origin, warning=printed.warning)


BESIDE_PROMPT = Printing(MAX_SHOWN, 1_500)
AT_MOMENT = Printing(1, 1_200, "memory")
AT_TASK = Printing(MAX_SHOWN, 1_500, "memory")


class Winner(NamedTuple):
    """A contender that is shown."""

    contender: Contender
    win: Likelihood | CertainWin
    form: Form
    text: str

    @property
    def shown(self) -> ReceiptEntry:
        """Its part of the receipt."""
        entry = self.contender
        parts = {**entry.parts, **self.win.parts}
        return ReceiptEntry(
            entry_id=entry.entry_id,
            form=self.form,
            digest=text_digest(self.text),
            score=entry.score,
            parts=parts,
            origin=entry.printed.origin,
            warning=entry.printed.warning,
        )


class AgentFile(NamedTuple):
    """A file that the agent reads anyway, with its `plain` text."""

    name: str
    text: str


class GateChoice(NamedTuple):
    """
    The entries that are printed.

    Attributes:
        chosen: Best first.
        constitutional: They come before the chosen ones.
    """

    chosen: tuple[Winner, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    constitutional: tuple[ConstitutionalText, ...] = ()

    def parted(self, withholds: Callable[[str], bool]) -> tuple["GateChoice", "GateChoice"]:
        """Return what is printed, and what is withheld by the ids of entries."""
        withheld = tuple(own for own in self.chosen if withholds(own.contender.entry_id))
        printed = tuple(own for own in self.chosen if own not in withheld)
        return self._replace(chosen=printed), GateChoice(withheld)

    @property
    def shown(self) -> tuple[ReceiptEntry, ...]:
        """The entries in the receipt, as they are printed."""
        rules = (
            ReceiptEntry(
                entry_id=rule.entry_id,
                form="note",
                digest=text_digest(rule.text),
                origin=rule.origin,
                warning=rule.warning,
            )
            for rule in self.constitutional
        )
        return (*rules, *(winner.shown for winner in self.chosen))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the entries, as they are printed."""
        chosen = (winner.contender.facts.ranking.number for winner in self.chosen)
        return (*(rule.number for rule in self.constitutional), *chosen)

    @property
    def frame(self) -> tuple[str, ...]:
        """The text before, between and after the entries."""
        head = f"{FRAME_START}{CONSTITUTIONAL}\n" if self.constitutional else FRAME_START
        return (head, *[""] * (len(self._pieces) - 1), FRAME_END)

    @property
    def text(self) -> str:
        """The whole text, empty when nothing is chosen."""
        return assembled(self.frame, self._pieces) if self._pieces else ""

    @property
    def _pieces(self) -> list[str]:
        return [
            *(rule.text for rule in self.constitutional),
            *(winner.text for winner in self.chosen),
        ]


class Rules(NamedTuple):
    """
    The rules that keep an entry out.

    Attributes:
        shown: The ids of the entries that this session was given before.
        agent_files: Reads the files that the agent is given anyway; called at most once, and only
            for a winner.
        harmful: The ids of the entries that did harm where they were shown.
    """

    contest: Contest
    shown: Collection[str]
    agent_files: Callable[[], Iterable[AgentFile]]
    printing: Printing = BESIDE_PROMPT
    harmful: Collection[str] = frozenset()

    @property
    def held(self) -> frozenset[str]:
        """The ids of given entries, with those printed before the others."""
        return frozenset((*self.shown, *(rule.entry_id for rule in self.printing.constitutional)))


def choose(contenders: Sequence[Contender], rules: Rules) -> GateChoice:
    """
    Choose from the best two *contenders* those that pass and fit.

    All contenders are considered if they cite the opened file. An entry that does not fit is
    skipped; a smaller one after it may still fit.
    """
    contest = rules.contest.among([entry.words for entry in contenders])
    chosen, kept_out, printing = list[Winner](), dict[str, str](), rules.printing
    files, room = _Files(rules.agent_files), printing.room - units(FRAME_START + FRAME_END)
    for entry in contenders if contest.is_cited else contenders[:MAX_SHOWN]:
        winner = Winner(
            contender=entry,
            win=entry.win(contest),
            form=printing.form_of(entry),
            text=printing.text(entry),
        )
        if why := _against(winner, rules, files=files, room=room):
            kept_out[entry.entry_id] = why
        else:
            chosen.append(winner)
            room = room - units(winner.text) if len(chosen) < printing.most else 0
    shown = {entry.contender.entry_id for entry in chosen}
    missed = (entry for entry in contenders if entry.entry_id not in shown)
    nearly = [
        NearMiss(entry.entry_id, entry.score, kept_out.get(entry.entry_id, TOO_WEAK))
        for entry in missed
    ]
    return GateChoice(tuple(chosen), tuple(nearly[:MAX_MISSED]), printing.constitutional)


def _against(winner: Winner, rules: Rules, files: "_Files", room: int) -> str:
    if not winner.win.is_likely:
        return TOO_WEAK
    if winner.contender.facts.ranking.superseded_by:
        return SUPERSEDED
    if winner.contender.entry_id in rules.harmful:
        return HARMFUL
    if winner.contender.entry_id in rules.held:
        return SHOWN_ALREADY
    if name := files.name_of_file_with(winner.contender.printed.description):
        return known_from(name)
    return NO_ROOM if units(winner.text) > room else ""


class _Files:
    """The files that the agent reads anyway, loaded on first use."""

    def __init__(self, read: Callable[[], Iterable[AgentFile]]) -> None:
        self._read_files = read
        self._files: list[AgentFile] | None = None

    def name_of_file_with(self, lesson: str) -> str:
        if self._files is None:
            self._files = list(self._read_files())
        return next((file.name for file in self._files if holds_lesson(file.text, lesson)), "")


class WeighedEntries(NamedTuple):
    """The comparison of the entries that a prompt found."""

    contest: Contest
    contenders: Sequence[Contender]
    choice: GateChoice
