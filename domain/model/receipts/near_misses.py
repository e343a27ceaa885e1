"""What keeps an entry out of an injected text, in a few words."""

MOST_MISSED = 3
"""So many of those that nearly were in a text are told."""

NO_ROOM = "no room"
TOO_LOW = "below the last place"
OWED = "the places that were left are owed to other categories"
TOO_WEAK = "too weak"
SHOWN_ALREADY = "shown already in this session"
OF_ANOTHER_PROJECT = "of another project"


def said_by(name: str) -> str:
    """Return the reason of an entry that stands in a file of that name, which the agent is given anyway."""
    return f"{name} says it already"
