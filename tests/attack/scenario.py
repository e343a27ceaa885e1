"""An honest user, a hostile repository beside it, and what is stored of both."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from mcp.client.session import ClientSession

from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from hardwon.entrypoints.worker import Worker
from tests.adapters.providers.stub_server import StubProviders
from tests.attack.doors import Doors, Output
from tests.attack.repository import (
    HARD_LINKED,
    TWIN,
    USER,
    Authors,
    add_hard_link,
    begin_feature,
    clone_hostile_repository,
    document,
    forge_git,
    git,
    lesson,
    write,
    write_pretender,
)
from tests.attack.words import (
    FORGERIES,
    HERE,
    LEDGER,
    LURE_WORDS,
    MARKERS,
    OF_THE_USER,
    PARSER,
    PRETENDED,
    TOPIC,
)
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import hardwon, upsert
from tests.entrypoints.programs import run as run_program
from tests.entrypoints.provider_process import ADDRESSES
from tests.entrypoints.sessions import Conversation
from tests.fakes.doors import Ran
from tests.fakes.models import embed_by_words

GLOBAL_CONFIG = f"[user]\n\tname = Mira Owner\n\temail = {USER}\n[init]\n\tdefaultBranch = main\n"


class Places(NamedTuple):
    """
    The projects.

    Attributes:
        ledger: The user's, in the same folder as the clone.
        parser: The user's, with the clone's name and the name of the folder that it is in.
        clone: The foreign one.
    """

    ledger: Path
    parser: Path
    clone: Path


class Phase(NamedTuple):
    """The answers in each project at one time."""

    ledger: list[Output]
    parser: list[Output]
    clone: list[Output]


class Pretence(NamedTuple):
    """
    A folder whose `.git` says that it is another project.

    Attributes:
        forgery: How it says so.
        asks: Whether nothing is trusted but what was said explicitly.
        pretender: The answers in it.
        victim: The answers in the project that it claims to be.
    """

    forgery: str
    asks: bool
    pretender: list[Output]
    victim: list[Output]


class Scene:
    """
    A user's machine, on which a foreign repository was cloned.

    Attributes:
        world: Its home, store and environment.
        places: The projects.
        doors: All doors of its store.
        authors: The author of the foreign commits.
        asks: Whether nothing is trusted but what was said explicitly.
        answers: The answers of commands and tools that change something, by name.
        codes: The exit codes of these commands.
    """

    def __init__(
        self, folder: Path, authors: Authors, visitor: "pytest.MonkeyPatch", stub: StubProviders
    ) -> None:
        self._cleanup = contextlib.ExitStack()
        self.world = World(folder, self._cleanup)
        self.authors = authors
        self.asks = authors == "forged"
        self.answers = dict[str, str]()
        self.codes = dict[str, int]()
        self._set_environment(stub)
        root = folder / "home"
        self.places = Places(
            root / "work" / "ledger",
            root / "elsewhere" / "work" / "parser",
            root / "work" / "parser",
        )
        self.doors = Doors(self.world, Visitor(self.world, visitor))

    def _set_environment(self, stub: StubProviders) -> None:
        config = self.world.folder / "gitconfig"
        config.write_text(GLOBAL_CONFIG, "utf-8")
        self.world.variables |= {
            "GIT_CONFIG_GLOBAL": str(config),
            "HARDWON_KEYWORD_PROVIDER": "off",
            "OPENAI_API_KEY": "sk-of-the-user-0123456789",
            **{name: stub.url + path for name, path in ADDRESSES.items()},
            **({"HARDWON_TRUST": "ask"} if self.asks else {}),
        }

    def run(self, *arguments: str, at: Path) -> Ran:
        """Run a command in a project and keep its answer."""
        self.world.project = at
        ran = hardwon(self.world, *arguments)
        name = " ".join(arguments[:2])
        self.answers[name], self.codes[name] = ran.stdout + ran.stderr, ran.code
        return ran

    def close(self) -> None:
        """Close what was opened in the world."""
        self._cleanup.close()

    def begin(self) -> None:
        """Let the user work in both projects, and then in a clone of the foreign repository."""
        ledger, parser, clone = self.places
        environ = self.world.variables
        make_honest_project(ledger, LEDGER, environ)
        make_honest_project(parser, PARSER, environ)
        upstream = self.world.folder / "upstream" / "parser"
        clone_hostile_repository(clone, upstream, environ, self.authors, (ledger, parser))
        add_hard_link(clone, ledger)
        self.world.project = ledger
        store_for_everywhere(self.world)
        for place, words in ((ledger, LEDGER), (parser, PARSER)):
            if self.asks:
                self.run("trust", at=place)
            self._work_in(place, words)
        self._work_in_clone()

    def _work_in(self, place: Path, words: Mapping[str, str]) -> None:
        self.world.project = place
        self.world.argument_form()
        self.doors.call("memory_index_scan")
        self.doors.call("store_memory", **lesson_of_agent(words))
        self.answers[f"--here in {place.name}"] = store_for_here(self.world, words).stderr
        self._converse(words["captured prompt"], words["captured prompt"])

    def _work_in_clone(self) -> None:
        clone = self.places.clone
        self.world.project = clone
        start = self.world.hook()
        self.answers["first session"] = start.stdout + start.stderr
        self.answers["scan"] = str(self.doors.call("memory_index_scan"))
        lesson = {
            "name": f"Told {MARKERS['agent: name']}",
            "description": f"Know of {TOPIC} {MARKERS['agent: text']}.",
            "reasoning": "It was found so.",
            "category": "heuristics",
            "keywords": ["rounding", MARKERS["agent: keyword"]],
        }
        self.answers["store_memory"] = str(self.doors.call("store_memory", **lesson))
        twin = {
            "name": LURE_WORDS["twin of the agent: name"],
            "reasoning": LURE_WORDS["twin of the agent: reasoning"],
            "keywords": [LURE_WORDS["twin of the agent: keyword"]],
        }
        self.doors.call("store_memory", **{**lesson, **twin, "description": TWIN})
        self._converse(MARKERS["captured: prompt"], MARKERS["captured: reply"])
        self._command_in_clone()

    def _command_in_clone(self) -> None:
        clone = self.places.clone
        saved = f"A saved session on {TOPIC} {MARKERS['saved session: description']}"
        learned = {
            "name": "Look back at rounding",
            "text": f"In retrospect {TOPIC} {MARKERS['retrospective: lesson']} took longest.",
            "provenance": "Feature 001-rounding",
            "confidence": "high",
            "keywords": ["rounding", "invoice", "reconciliation"],
            "reasoning": "It was measured.",
        }
        answer = self.world.folder / "answer.json"
        answer.write_text(
            json.dumps({"act": {"patterns": [learned], "anti_patterns": [], "heuristics": []}}),
            "utf-8",
        )
        remembered = f"Remember {TOPIC} {MARKERS['remembered: text']}."
        name, description = LURE_WORDS["checkpoint: name"], LURE_WORDS["checkpoint: description"]
        for command in (
            ("save", "--description", saved),
            ("retro", "write", str(answer)),
            ("remember", remembered),
            ("checkpoint", "create", name, "--description", description),
        ):
            ran = self.run(*command, at=clone)
            assert ran.code == 0, ran.stderr

    def _converse(self, asked: str, answered: str) -> None:
        """Let the user and an agent speak in the project, with hooks that note it and a worker that keeps it."""
        project = self.world.project
        talk = Conversation(
            self.world, f"talk-in-{project.parent.parent.name}-{project.name}-{asked}"
        )
        talk.say(
            f"How shall we do {TOPIC} {asked} in this project?",
            f"We decided to do {TOPIC} {answered} late. Gotcha: cents of {answered} get lost.",
        )
        with mock.patch.dict(os.environ, self.world.variables, clear=True):
            Worker(str(self.world.store), str(project)).run()

    def delete_spec_folder(self, at: Path) -> None:
        """Let an agent delete the documents of a spec folder that the other projects have too."""
        self.world.project = at
        self.answers["memory_delete"] = str(
            self.doors.call("memory_delete", specFolder="005-import", confirm=True)
        )

    def pretend(self) -> list[Pretence]:
        """Let the user work in one project, and in folders whose `.git` says that they are the same."""
        ledger = self.places.ledger
        make_honest_project(ledger, LEDGER, self.world.variables)
        if self.asks:
            self.run("trust", at=ledger)
        self._work_in(ledger, LEDGER)
        folders = {forgery: self.world.folder / f"home/{forgery}/ledger" for forgery in FORGERIES}
        for forgery, folder in folders.items():
            folder.mkdir(parents=True)
            write_pretender(folder, PRETENDED[forgery], ledger.name)
            forge_git(folder, forgery, ledger, self.world.variables)
            self.world.project = folder
            self.world.argument_form()
            self.doors.call("memory_index_scan")
            with mock.patch.dict(os.environ, self.world.variables, clear=True):
                Worker(str(self.world.store), str(folder)).run()
        outputs = self.doors.glance(ledger)
        return [
            Pretence(name, self.asks, self.doors.glance(folder), outputs)
            for name, folder in folders.items()
        ]

    def sweep(self) -> Phase:
        """Open all doors in all projects."""
        return Phase(*(self.doors.sweep(place) for place in self.places))

    def sweep_lessons(self) -> Phase:
        """Open the doors of lessons in all projects."""
        return Phase(*(self.doors.lessons(place) for place in self.places))


@contextlib.contextmanager
def no_costs() -> Iterator[None]:
    """
    Leave out what costs time and is proved elsewhere.

    The model: texts are as near to each other as they have words in common. The client's look at
    the schemas of answers.
    """

    async def accept(*_: object) -> None:
        """Accept any answer."""

    with (
        mock.patch.object(MiniLmEmbedder, "embed", embed_by_words),
        mock.patch.object(ClientSession, "validate_tool_result", accept),
    ):
        yield


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
