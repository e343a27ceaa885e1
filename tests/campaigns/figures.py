"""The counts of a campaign, and the names of those that must be 0."""

from collections import Counter
from collections.abc import Iterable, Mapping

NEVER = (
    "lost",
    "doubled",
    "tracebacks",
    "hooks not exiting 0",
    "past the host's 10 s",
    "starts that neither printed nor logged",
    "not whole",
    "not answered",
    "slow",
)
"""Figures that must be 0; each is printed where its campaign counts it."""


class Figures(Counter[str]):
    """Named counts of a campaign, in the order in which they were first named."""

    def counts(self, *names: str) -> None:
        """Name what is counted, so that it is printed also where it stays 0."""
        for name in names:
            self[name] += 0

    @property
    def bad(self) -> Mapping[str, int]:
        """The figures that must be 0 and are not."""
        return {name: self[name] for name in NEVER if self[name]}


def summary(properties: Iterable[tuple[str, str, int]]) -> list[str]:
    """
    Return a line for each campaign.

    Args:
        properties: Campaign, figure and count; a figure that a campaign tells several times is
            summed up.

    """
    campaigns = dict[str, Figures]()
    for campaign, name, count in properties:
        campaigns.setdefault(campaign, Figures())[name] += count
    return [
        f"{campaign}: {', '.join(f'{name} {count}' for name, count in figures.items())}"
        for campaign, figures in campaigns.items()
    ]
