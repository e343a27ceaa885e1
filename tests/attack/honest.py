"""The user's own projects: their files, and what is stored in them."""

from collections.abc import Mapping
from pathlib import Path

from tests.attack.repository import HARD_LINKED, TWIN, begin_feature, document, git, lesson, write
from tests.attack.words import HERE, OF_THE_USER, TOPIC
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran, hardwon, upsert
from tests.entrypoints.programs import run as run_program

ANSWER = "Archive the quarterly manifest before the auditors arrive, not after:"
"""The beginning of a lesson that clearly bears on one prompt."""


def make_honest_project(root: Path, words: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Make a repository with the user's commits, a memory and a worktree."""
    root.mkdir(parents=True)
    write(
        root,
        "docs/knowledge-bank/patterns.md",
        lesson("Pattern: Manifest", f"{ANSWER} {words['lesson of the bank']}."),
    )
    begin_feature(root, "rounding")
    files = {
        "memory/decisions/choice.md": "decision",
        "memory/gotchas/trap.md": "gotcha",
        HARD_LINKED: "hard-linked gotcha",
        "memory/preferences/style.md": "preference",
        "memory/conversations/talk.md": "conversation",
        "memory/sessions/day.md": "session",
        "specs/005-import/memory/found.md": "document",
    }
    for name, kind in files.items():
        write(root, name, f"# {kind.capitalize()}\n\n{_text(words[kind])}\n")
    rule = document(f"# Rule\n\n{_text(words['rule'])}", importance_tier="constitutional")
    write(root, "memory/rule.md", rule)
    phrase = document(
        f"# Phrase\n\n{TOPIC}", trigger_phrases=[f"check the {words['phrase']} total"]
    )
    write(root, "memory/phrase.md", phrase)
    git(root, environ, "init", "--quiet", "--initial-branch", "main")
    git(root, environ, "add", "--all")
    git(root, environ, "commit", "--quiet", "-m", "Begin")
    git(root, environ, "worktree", "add", "--quiet", f"../{root.name}-side")


def store_for_everywhere(world: World) -> None:
    """Store lessons for all projects: by the writer, by `add`, in the user's own bank."""
    written = _text(OF_THE_USER["written lesson"])
    fields = {
        "name": "Written by the user",
        "description": written,
        "keywords": ["rounding", "ledger", "books"],
    }
    _succeeded(run_program(world, "hardwon-writer", *upsert(**fields)))
    twin = {
        "name": "Sum before rounding",
        "description": TWIN,
        "keywords": ["total", "rounded", "cents"],
    }
    _succeeded(run_program(world, "hardwon-writer", *upsert(**twin)))
    _succeeded(hardwon(world, "add", _text(OF_THE_USER["added lesson"])))
    world.write_bank(
        "heuristics",
        lesson("Global", _text(OF_THE_USER["lesson of the user's bank"])),
        of_all_projects=True,
    )


def store_for_here(world: World, words: Mapping[str, str]) -> Ran:
    """Store in the project alone; return how the option `--here` fared, which a version may lack."""
    _succeeded(hardwon(world, "remember", _text(words["remembered text"])))
    _succeeded(hardwon(world, "checkpoint", "create", f"before {words['checkpoint']}"))
    here = {"name": "For here", "description": _text(words[HERE])}
    return run_program(world, "hardwon-writer", "--here", *upsert(**here))


def lesson_of_agent(words: Mapping[str, str]) -> dict[str, object]:
    """Return the arguments by which an agent stores a lesson of the project."""
    return {
        "name": "Told by the agent",
        "description": _text(words["lesson of the agent"]),
        "reasoning": "It was so.",
        "category": "heuristics",
        "keywords": ["rounding"],
    }


def _text(word: str) -> str:
    return f"Beware of {TOPIC} {word} in the books."


def _succeeded(ran: Ran) -> None:
    assert ran.code == 0, ran.stderr
