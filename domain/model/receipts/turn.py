"""What an agent did since it was last asked."""

from typing import NamedTuple


class Turn(NamedTuple):
    """
    The end of a session, as far as it is known.

    Attributes:
        answer: What the agent said last.
        edits: What it wrote into files since the user's last prompt.
        given: What stood there without it: what the user said, what an edit replaced or left as it was.

    """

    answer: str = ""
    edits: str = ""
    given: str = ""
