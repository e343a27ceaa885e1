"""What of an entry is searched, by meaning and by word. Standard library only."""


def title_to_search(name: str, description: str) -> str:
    """Return *name*, or nothing when it only repeats how the description begins: no word should count twice."""
    return "" if description.startswith(name) else name


def word_count(text: str) -> int:
    """Return how many words *text* has, as white space separates them."""
    return len(text.split())


def searchable_text(name: str, description: str, notes: str, reasoning: str) -> str:
    """Return what is turned into a vector: the texts a reader would judge an entry by, a line each."""
    return "\n".join(filter(None, (title_to_search(name, description), description, notes, reasoning)))
