from typing import NamedTuple

from hardwon.domain.model.block.entry_texts import EntryForm, form_of, piece_text
from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.prompting.identifiers import Identifier, quotes
from hardwon.domain.model.prompting.telling import Sentence, Shared, most_told, shared
from hardwon.domain.model.prompting.winning import QUOTED, Win, least_strength
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.recall.policy import Parts
from hardwon.domain.model.receipts.injected_text import text_digest
from hardwon.domain.model.receipts.receipt import Shown


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
        """Tell whether an entry of that score would win if it held all telling words of a sentence, and an identifier."""
        return self.win(score, Shared(1.0, most_told(self.sentences)), quoted=bool(self.identifiers)).is_clear


class Contender(NamedTuple):
    """
    An entry that may be put beside a prompt.

    Attributes:
        facts: What it is.
        printed: What it says.
        score: How far it stands out, as `adaptive` measures it.
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
        """Tell whether it holds only in a project other than that one."""
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
