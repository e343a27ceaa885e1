"""How it is told whether a receipt proves its text."""

from collections.abc import Iterator
from typing import NamedTuple, Self

from hardwon.domain.model.receipts.verdict import Since, Verdict, verdict
from hardwon.domain.use_cases.explaining.explain_injections import Explained
from hardwon.entrypoints.cli.explaining import heading, named

TAMPERED = "the receipt contradicts itself: somebody changed it after it was written"
CHANGED = "its text changed (hardwon show {} --history)"
AGAIN = "since then observed again: {} → {}"
SURER = "since then of another confidence: {} → {}"
MISCOUNTED = "its score is not what its parts give"


class Proof(NamedTuple):
    """
    An injection, and whether its text can be put together again.

    Attributes:
        explained: The injection.
        verdict: What came of it.

    """

    explained: Explained
    verdict: Verdict

    @classmethod
    def of(cls, explained: Explained) -> Self:
        """Put its text together again."""
        return cls(explained, verdict(explained.receipt, explained.entries))

    def document(self) -> dict[str, object]:
        """Return what came of it for JSON."""
        since = [_since_document(each) for each in self.verdict.since]
        return {"verified": self.verdict.verified, **self.verdict._asdict(), "since": since}

    def lines(self) -> Iterator[str]:
        """Yield what came of it, and by name what differs."""
        found = self.verdict
        yield f"{heading(self.explained)}: {'verified' if found.verified else 'differs'}"
        for each in found.since:
            yield f"  {named(self.explained, each.entry_id)}: {'; '.join(_told_since(each))}"
        for entry_id in found.changed:
            yield f"  {named(self.explained, entry_id)}: {CHANGED.format(entry_id)}"
        for entry_id in found.gone:
            yield f"  {entry_id} is gone"
        for entry_id in found.miscounted:
            yield f"  {named(self.explained, entry_id)}: {MISCOUNTED}"
        if found.tampered:
            yield f"  {TAMPERED}"


def _told_since(since: Since) -> Iterator[str]:
    then, now = since.then, since.now
    if then.observation_count != now.observation_count:
        yield AGAIN.format(then.observation_count, now.observation_count)
    if then.confidence != now.confidence:
        yield SURER.format(then.confidence, now.confidence)


def _since_document(since: Since) -> dict[str, object]:
    return {"id": since.entry_id, "then": since.then._asdict(), "now": since.now._asdict()}
