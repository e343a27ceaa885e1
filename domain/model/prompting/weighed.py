from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.prompting.choice import Choice
from hardwon.domain.model.prompting.contender import Contender, Contest


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
