"""How sections and entries are headed in the block. Standard library only."""

from hardwon.domain.model.vocabulary import Category

TITLE = "## Engineering Memory (from knowledge bank)"
CONSTITUTIONAL = "### Constitutional Memories"
RELATED = "### Related Conversations"
END = "---"

SECTIONS: dict[Category, str] = {
    "anti-patterns": "### Anti-Patterns to Avoid",
    "heuristics": "### Heuristics",
    "patterns": "### Patterns to Follow",
}
"""Category to section heading, in the order of printing."""
