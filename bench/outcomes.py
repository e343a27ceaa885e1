"""How often the rules of credit and lift are right, on planted lessons."""

from hardwon.domain.model.credit import Tally, is_harmful

MANY = 100_000
"""Outcomes of a baseline whose rate is known."""


def share_silenced(rate: float, baseline: float, showings: int) -> float:
    """
    Return the share of lessons that fall silent, with a look after each showing.

    It is exact: all paths of outcomes are summed.

    Args:
        rate: How often it goes well after the lesson.
        baseline: How often it goes well after the others.
        showings: Those after which the outcome is known.
    """
    others = Tally(round(baseline * MANY), round((1 - baseline) * MANY))
    still_shown, silenced = {0: 1.0}, 0.0
    for shown in range(1, showings + 1):
        following = dict[int, float]()
        for helped, share in still_shown.items():
            following[helped + 1] = following.get(helped + 1, 0.0) + share * rate
            following[helped] = following.get(helped, 0.0) + share * (1 - rate)
        still_shown = dict[int, float]()
        for helped, share in following.items():
            if is_harmful(Tally(helped, shown - helped), others):
                silenced += share
            else:
                still_shown[helped] = share
    return silenced
