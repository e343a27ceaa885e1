"""What an injected entry says, to be looked for in what the agent does."""

from typing import NamedTuple


class ShownText(NamedTuple):
    """
    The words of an entry that were injected into a session.

    Attributes:
        entry_id: Which.
        name: Its name.
        description: Empty where only a line of it was shown.
        notes: Likewise.
        is_counted: Whether it is known already that it was of use there.

    """

    entry_id: str
    name: str
    description: str
    notes: str
    is_counted: bool = False
