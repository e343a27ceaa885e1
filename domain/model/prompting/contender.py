from typing import NamedTuple

from hardwon.domain.model.block.entry_texts import lesson_text, note_text
from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.prompting.winning import coverage, strength, wins
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.recall.policy import Parts
from hardwon.domain.model.receipts.injected_text import text_digest
from hardwon.domain.model.receipts.receipt import Form, Shown


class Contest(NamedTuple):
    """
    What decides between the entries that a prompt found.

    Attributes:
        sentences: The words of each sentence of the prompt.
        runner_up: The score of the best entry that is not to be shown, 0 when there is none.
        size: How many entries were searched.
        by_meaning: Whether meaning was searched, or words only.

    """

    sentences: tuple[tuple[str, ...], ...]
    runner_up: float
    size: int
    by_meaning: bool

    def may_win(self, score: float) -> bool:
        """Tell whether an entry of that score would win if it held all words of a sentence."""
        return wins(strength(score, self.runner_up, 1.0, self.size), by_meaning=self.by_meaning)


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
    def form(self) -> Form:
        """How it stands in the text."""
        return "lesson" if self.facts.kind == "learning" else "note"

    @property
    def text(self) -> str:
        """All of it that is printed."""
        if self.form == "lesson":
            return lesson_text(self.printed)
        return note_text(self.printed.name, self.printed.description, self.printed.notes)

    def coverage(self, contest: Contest) -> float:
        """Return the share of a sentence of the prompt that it holds."""
        printed = self.printed
        return coverage(contest.sentences, f"{printed.name}\n{printed.description}\n{printed.notes}")

    def strength(self, contest: Contest) -> float:
        """Return how clearly it wins."""
        return strength(self.score, contest.runner_up, self.coverage(contest), contest.size)

    def shown(self, contest: Contest) -> Shown:
        """Return what a receipt keeps of it."""
        parts = {
            **self.parts,
            "coverage": self.coverage(contest),
            "runner_up": contest.runner_up,
            "searched": float(contest.size),
            "strength": self.strength(contest),
        }
        return Shown(self.entry_id, self.form, text_digest(self.text), self.score, parts)
