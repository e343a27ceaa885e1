"""Which prompts are worth a search."""

from hardwon.domain.model.keyword_query import search_terms

LEAST_TERMS = 3
"""Words that carry meaning; "yes, go on" and "fix it" have none or one."""

LONGEST_PROMPT = 2_000
"""Characters that are searched with: far more than 64 terms, and redacted in a few milliseconds."""

_COMMANDS = ("/", "!", "#")
"""What the host takes for itself: its commands, the shell's, a note to its own memory."""


def is_worth_asking(prompt: str) -> bool:
    """Tell whether *prompt* is said to the agent and says enough to be searched with."""
    beginning = prompt[:LONGEST_PROMPT].lstrip()
    return not beginning.startswith(_COMMANDS) and len(search_terms(beginning)) >= LEAST_TERMS
