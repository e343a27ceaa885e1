import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import Spread
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.vectors import Matches

T = TypeVar("T")


class Background(Generic[T]):
    """
    Work that runs beside the caller, who may stop waiting for it.

    The thread is a daemon: work that hangs never holds up the end of the process.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._answer: list[T] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._answer.append(work())
        except Exception as error:  # noqa: BLE001  # handed to whoever waits for the answer
            self._error = error

    def result(self, deadline: Deadline) -> T:
        """
        Return what the work returned, or raise what it raised.

        Raises:
            TimeoutError: *deadline* passed first.
        """
        self._thread.join(None if deadline.at == float("inf") else deadline.remaining())
        if self._error:
            raise self._error
        if not self._answer:
            raise TimeoutError("no answer in time")
        return self._answer[0]


class _Space(NamedTuple):
    matches: Matches
    spread: Spread


class Closeness(NamedTuple):
    """
    How close entries are to a query by meaning, on one scale for all models: see `Spread.closeness`.

    Attributes:
        spaces: The matches of each space that was searched.

    """

    spaces: tuple[_Space, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Matches]) -> "Closeness":
        """Return the closeness of the entries *found*, one `Matches` of cosines a space."""
        return cls(tuple(_Space(matches, matches.spread()) for matches in found))

    def scores(self, found: Mapping[int, float]) -> Mapping[int, float]:
        """Return the closeness of the entries *found*, which come with their scores in the list by vector."""
        if len(self.spaces) == 1:
            return {seq: self.spaces[0].spread.closeness(cosine) for seq, cosine in found.items()}
        return {
            seq: space.spread.closeness(cosine)
            for space in self.spaces
            for seq, cosine in space.matches.scores(found).items()
        }

    def most(self, score: float) -> float:
        """Return the highest closeness of an entry that scores at most *score* in the list by vector."""
        if len(self.spaces) == 1:
            return self.spaces[0].spread.closeness(score)
        return max((each.spread.closeness(_cosine(score, each.spread)) for each in self.spaces), default=0.0)

    def closest(self) -> float:
        """Return the closeness of the closest entry, 0 when none was found."""
        return max((each.spread.closeness(each.spread.best) for each in self.spaces if each.spread.found), default=0.0)

    def background(self) -> float:
        """Return the mean closeness of everything that was searched."""
        found = sum(space.spread.found for space in self.spaces)
        return sum(space.spread.background() * space.spread.found for space in self.spaces) / found if found else 0.0


def _cosine(score: float, spread: Spread) -> float:
    """Return the cosine whose distance from the mean of *spread* is *score* standard deviations."""
    return spread.mean(spread.found) + score * spread.deviation(spread.found)


class StandardisedMatches:
    """
    What one query found in several spaces, each of which holds other entries.

    Cosines of two models say nothing beside each other. How far each stands out in its own space does: a score
    is the distance from that space's mean, in its standard deviations.

    Args:
        spaces: What was found in each.

    """

    def __init__(self, spaces: Sequence[Matches]) -> None:
        self._spaces = [(matches, matches.spread()) for matches in spaces]

    def count(self) -> int:
        """Return how many entries were found."""
        return sum(spread.found for _, spread in self._spaces)

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """Return the *k* best."""
        lists = [
            [Hit(hit.seq, _standardised(hit.score, spread)) for hit in matches.top(k, category)]
            for matches, spread in self._spaces
        ]
        return list(islice(merge(*lists, key=lambda hit: -hit.score), k))

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that were found."""
        wanted = list(seqs)
        return {
            seq: _standardised(score, spread)
            for matches, spread in self._spaces
            for seq, score in matches.scores(wanted).items()
        }

    def spread(self) -> Spread:
        """Return how all scores are spread: around 0, by 1."""
        best = [_standardised(spread.best, spread) for _, spread in self._spaces]
        return Spread(self.count(), 0.0, float(self.count()), max(best, default=0.0))


def _standardised(score: float, spread: Spread) -> float:
    deviation = spread.deviation(spread.found)
    return (score - spread.mean(spread.found)) / deviation if deviation > 0 else 0.0
