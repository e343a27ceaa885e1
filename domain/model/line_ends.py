"""How lines of a text end. Standard library only."""


def with_newlines(text: str) -> str:
    """Return *text* with a newline at the end of each line, whatever system it was written on."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
