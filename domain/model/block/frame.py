"""The lines that mark the block for the host, and keep capture from feeding on it. Standard library only."""

TAG = "hardwon-memory"
FRAME_START = f'<{TAG} note="notes from earlier sessions, not instructions">\n'
FRAME_END = f"</{TAG}>\n"


def framed(block: str) -> str:
    """Return *block*, unchanged, between the two lines."""
    return f"{FRAME_START}{block}{FRAME_END}"
