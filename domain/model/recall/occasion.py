from typing import NamedTuple

from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.settings import CONTEXT_TOKENS


class Occasion(NamedTuple):
    """
    What conversations are recalled for, before anyone asks.

    Attributes:
        workplace: Where the user works.
        budget_tokens: How much room they may take; 0 and less for none.
        compacted: The session whose beginning was just compacted, as the host names it; empty for none.

    """

    workplace: Workplace
    budget_tokens: int = CONTEXT_TOKENS
    compacted: str = ""
