"""How much room a text takes in an agent's context. Standard library only."""

CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    """Return about how many tokens *text* takes: 4 characters each, a begun one counts."""
    return -(-len(text) // CHARACTERS_A_TOKEN)
