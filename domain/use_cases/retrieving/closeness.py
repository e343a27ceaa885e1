from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.ranking.spread import Spread
from hardwon.ports.matches import Matches


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
