"""Documents of a project, as tests of the tools write them."""

from pathlib import Path

from tests.entrypoints.hook_process import World

TOKENS = "005-auth/memory/22-11-26_14-05__refresh-tokens.md"


def write_document(
    world: World, name: str = TOKENS, text: str = "# Tokens\n\nRotate the zebra key.\n"
) -> Path:
    """Write a file below the project's `specs`; return its path, links resolved."""
    path = world.project.resolve() / "specs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
