"""Every parser and a live server are given damaged inputs: each is read or refused by name, in time."""

import io
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hardwon.adapters.agents import edit_json, edit_toml
from hardwon.adapters.agents.user_files import RECORD, JsonSetupRecord
from hardwon.adapters.config.jsonc import read_jsonc
from hardwon.adapters.config.reader import LOCAL_MD, read_settings
from hardwon.adapters.evaluation.files import KEYS, read_objects, read_report
from hardwon.adapters.export_format.lines import is_export, read_header, read_records, record_line
from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git import config_file
from hardwon.adapters.git.identity import checked_out_branch, identify, is_repository
from hardwon.adapters.legacy_index import read_memory_index
from hardwon.adapters.markdown.anchors import extents, sections, without_markers
from hardwon.adapters.markdown.conversation_format import outline, permanence_of
from hardwon.adapters.markdown.document import MarkdownDocument
from hardwon.adapters.markdown.file_text import has_conflict, without_conflict
from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.knowledge_bank import counts_of, entries_of, parse_bank
from hardwon.adapters.markdown.memory_file import memory_file, sections_in, sections_of_session
from hardwon.adapters.markdown.source_files import read_fact
from hardwon.adapters.pause_file import PauseFile
from hardwon.adapters.providers.labelers import parse_labels
from hardwon.adapters.transcripts.given_texts import given_texts
from hardwon.adapters.transcripts.history import history_texts
from hardwon.adapters.transcripts.latest_turn import latest_turn
from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.adapters.trial_file import TrialFile
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.plain_text import describe, plain_text
from hardwon.domain.model.redaction import Cleaning, redact
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.domain.model.triggers import usable_phrases
from hardwon.entrypoints.cli.retro_json import answer_from_text
from hardwon.entrypoints.cli.typed import RECALL, parse
from hardwon.entrypoints.hook.request import UsageError, from_payload, understood
from hardwon.entrypoints.writer import entry_from_json
from tests.adapters.export_format.test_lines import ENTRY, header
from tests.campaigns.conftest import Figures
from tests.campaigns.mutations import mutated
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, RawClient
from tests.entrypoints.programs import COMPLETE, VALID
from tests.strategies import NOW
from tests.transcripts import make_transcript

ROOT = Path(__file__).parents[2]


REFUSALS = (HardwonError, UsageError)


class Parser(NamedTuple):
    """
    A reader.

    Attributes:
        read: Reads all there is in an input.
        good: Inputs that it reads whole.
        refusals: The errors that it may raise.

    """

    read: Callable[[bytes], object]
    good: Sequence[bytes]
    refusals: tuple[type[Exception], ...] = REFUSALS


def text_of(data: bytes) -> str:
    """Decode as the programs do, which replace what is no UTF-8."""
    return data.decode("utf-8", "replace")


def of_text(*reads: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return a reader of bytes that hands their text to each of *reads*."""
    return lambda data: [read(text_of(data)) for read in reads]


def of_file(name: str, *reads: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return a reader of bytes that puts them into the file *name* of a folder and hands its path to each of *reads*."""

    def read_file(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return [read(str(path)) for read in reads]

    return read_file


def of_folder(name: str, *reads: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return the same for readers that are given the folder."""
    return of_file(
        name, *(lambda path, read=read: read(path.removesuffix(f"/{name}")) for read in reads)
    )


def files(*patterns: str) -> list[bytes]:
    """Return the files of the project by patterns; none missing."""
    found = [
        path.read_bytes()
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
        if path.is_file()
    ]
    assert found, patterns
    return found


def as_json(*documents: object) -> list[bytes]:
    return [json.dumps(document).encode() for document in documents]


def document(text: str) -> object:
    """Read all of a markdown file, as `hardwon index` does."""
    read = MarkdownDocument("/p/memory/a.md", 0, "h", read_markdown(text), "/p")
    captured = [read.captured_as(kind) for kind in ("conversation", "decision")]
    rest = [
        read.fields,
        read.title,
        read.text,
        read.summary,
        read.headings,
        read.phrases,
        read.sections,
    ]
    return captured, rest, read.spec_folder, read.named_at


TRANSCRIPT = make_transcript(lines=30).text.encode()


HOOK = {
    "session_id": "s",
    "cwd": "/p",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "why?",
    "transcript_path": "/t",
}


SESSION = {
    "tags": ["a"],
    "mtime": 1_770_000_000,
    "basename": "app",
    "filename": "a.md",
    "embedding": [0.1, 0.2],
}


GIT = b'[core]\n\tworktree = ../x\n[remote "origin"]\n\turl = "https://example.org/x.git" ; c\n'


REPORT = as_json({"sets": {"a": {"policies": {"keyword": dict.fromkeys(KEYS.values(), 0.5)}}}})


ANSWER = ROOT / "tests" / "entrypoints" / "answer.json"


PARSERS = {
    "markdown file": Parser(
        of_text(document, read_fact, memory_file, sections_in, sections, extents, without_markers),
        files("examples/parser-project/**/*.md", "docs/*.md"),
    ),
    "captured section": Parser(
        of_text(
            outline, permanence_of, lambda text: [*sections_of_session(text, "conversation", "s")]
        ),
        files("examples/parser-project/memory/**/*.md"),
    ),
    "bank": Parser(
        of_text(
            *(
                lambda text, read=read: read(text, "patterns")
                for read in (parse_bank, entries_of, counts_of)
            )
        ),
        files("tests/golden/*bank*.md", "examples/**/heuristics.md"),
    ),
    "conflict": Parser(
        of_text(has_conflict, without_conflict), [b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"]
    ),
    "config.jsonc": Parser(
        of_text(read_jsonc), [b'{"a": [1, "x"], // c\n "b": {"c": true,},}'], (ValueError,)
    ),
    **{
        f"settings in {name}": Parser(
            of_folder(name, lambda root: read_settings(root, {}, {})), good
        )
        for name, good in (
            (
                LOCAL_MD,
                [b"---\nmemory_injection_limit: 5 # x\nmemory_semantic_enabled: true\n---\n"],
            ),
            (
                ".tlc.json",
                as_json(
                    {"semantic": {"enabled": True, "model": "local"}, "memory_injection_limit": 5}
                ),
            ),
        )
    },
    "git's configuration": Parser(
        of_text(lambda text: config_file.values(text, "core.worktree")), [GIT]
    ),
    **{
        f"git's {name}": Parser(of_folder(name, identify, is_repository, checked_out_branch), good)
        for name, good in (
            (".git", [b"gitdir: ../elsewhere\n"]),
            (".git/HEAD", [b"ref: refs/heads/main\n"]),
            (".git/config", [GIT]),
        )
    },
    "memory-index.json": Parser(read_memory_index, as_json({"/a.md": SESSION})),
    "export": Parser(
        lambda data: (
            is_export(data),
            read_header(io.BytesIO(data)),
            [*read_records(io.BytesIO(data))],
        ),
        [header(entry=1) + record_line(ENTRY)],
    ),
    "transcript": Parser(
        of_file(
            "t.jsonl",
            lambda path: [
                *JsonlTranscripts(Cleaning("/p", "/home/me"), BOUNDARY_COMMANDS).read(path)
            ],
            latest_turn,
            given_texts,
            history_texts,
        ),
        [TRANSCRIPT],
    ),
    "agents' JSON": Parser(
        of_text(
            edit_json.read_document, lambda text: edit_json.read_document(text, may_comment=True)
        ),
        as_json({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "hardwon-hook"}]}]}}),
    ),
    "agents' TOML": Parser(
        of_text(edit_toml.read_toml, edit_toml.is_toml),
        [b'model = "x"\n\n[mcp_servers.hardwon]\ncommand = "hardwon-mcp"\nargs = ["a"]\n'],
    ),
    "set-up record": Parser(
        of_folder(
            RECORD,
            lambda store: [
                JsonSetupRecord(store).last_write("/a"),
                JsonSetupRecord(store).folders(),
            ],
        ),
        as_json(
            {"files": {"/a": {"before": None, "after": "x"}}, "folders": ["/b"], "projects": ["/p"]}
        ),
    ),
    "pauses": Parser(
        of_folder("pauses.jsonl", lambda store: PauseFile(store).read()),
        [b'{"session_id": "s", "since": "2026-01-01T00:00:00+00:00", "until": null}\n'],
    ),
    "trials": Parser(
        of_folder("trials.jsonl", lambda store: TrialFile(store).read()),
        [b'{"share": 0.1, "from": "2026-01-01T00:00:00+00:00"}\n'],
    ),
    "feature": Parser(
        of_folder(
            "docs/features/007-a/.meta.json",
            lambda root: FeatureFiles(root, lambda _: None).active_feature(),
        ),
        as_json({"slug": "a", "status": "active", "lastCompletedPhase": "design"}),
    ),
    "evaluation set": Parser(
        of_file("docs.jsonl", lambda path: [*read_objects(path)]),
        [b'{"id": "1", "text": "x"}\n{"id": "2", "text": "y"}\n'],
    ),
    "evaluation report": Parser(of_file("report.json", read_report), REPORT),
    "hook's input": Parser(
        lambda data: [from_payload(understood(host, data).payload) for host in (None, "gemini")],
        as_json(HOOK),
    ),
    "slash command": Parser(
        of_text(lambda text: parse(text, RECALL)), [b'--in sessions "why `x` $(y)?" --limit 5']
    ),
    "writer's entry": Parser(
        of_text(lambda text: entry_from_json(text, project="p", now=NOW)),
        as_json({**VALID, **COMPLETE}),
    ),
    "retrospective's answer": Parser(of_text(answer_from_text), [ANSWER.read_bytes()]),
    "labels": Parser(of_text(parse_labels), [b'Here: ["retry", "socket", "time-out"] as asked.']),
    "text": Parser(
        of_text(
            redact,
            search_terms,
            plain_text,
            describe,
            lambda text: usable_phrases(text.splitlines()),
        ),
        [*files("README.md"), b"password=hunter2hunter2 <private>x</private> AKIAIOSFODNN7EXAMPLF"],
    ),
}


pytestmark = pytest.mark.soak

INPUTS = 4_000
FRAMES = 5_000
LONGEST_SECONDS = 5.0
"""CPU time of one input, which has at most 200,000 bytes."""

FRAME_SEEDS = 4
ARGUMENTS: dict[str, dict[str, object]] = {
    "store_memory": dict(LESSON),
    "memory_search": {"query": "number without its unit", "limit": 5, "explain": True},
    "memory_list": {"limit": 3, "sortBy": "updated_at"},
    "memory_load": {"id": 1},
    "memory_match_triggers": {"prompt": "how is a number read?"},
    "memory_update": {"id": 1, "title": "A unit"},
    "memory_validate": {"id": 1, "wasUseful": True},
    "memory_stats": {},
    "memory_save": {"filePath": "memory/a.md"},
    "checkpoint_list": {},
}


def read_one(name: str, parser: Parser, data: bytes, figures: Figures) -> None:
    started = time.process_time()
    try:
        parser.read(data)
    except parser.refusals:
        figures["refused"] += 1
    except Exception as error:  # noqa: BLE001  # it is what is searched
        figures["tracebacks"] += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:200]!r} on {data[:400]!r}")  # noqa: T201
    figures["inputs"] += 1
    figures["slow"] += time.process_time() - started > LONGEST_SECONDS


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_reads_or_refuses_whatever_it_is_given(name: str, figures: Figures) -> None:
    figures.counts("inputs", "refused", "tracebacks", "slow")
    parser, chance = PARSERS[name], random.Random(name)
    for good in parser.good:
        parser.read(good)
    for _ in range(INPUTS):
        read_one(name, parser, mutated(chance.choice(parser.good), chance), figures)

    assert figures.bad == {}


def frames(chance: random.Random) -> bytes:
    """Return one line that a broken client could send."""
    tool = chance.choice([*ARGUMENTS])
    arguments = dict(ARGUMENTS[tool])
    if arguments and chance.random() < 0.5:
        arguments[chance.choice([*arguments])] = chance.choice(
            ["", "x" * 5_000, -1, 10**30, None, [], {}, True, "\0"]
        )
    message: Any = {"jsonrpc": "2.0", "id": chance.randrange(10**6), "method": "tools/call"}
    message["params"] = {"name": tool, "arguments": arguments}
    line = json.dumps(message).encode()
    return mutated(line, chance).replace(b"\n", b" ") if chance.random() < 0.7 else line


@pytest.mark.parametrize("seed", range(FRAME_SEEDS))
def test_a_server_answers_whatever_frames_come(
    empty_world: World, figures: Figures, seed: int
) -> None:
    figures.counts("frames", "not answered", "tracebacks")
    client = RawClient(empty_world)
    chance = random.Random(seed)
    client.initialize()
    for number in range(FRAMES):
        client.send(frames(chance))
        figures["frames"] += 1
        if number % 20 == 0 and not is_alive(client, number):
            figures["not answered"] += 1
            break
    ran = client.end()
    figures["tracebacks"] += "Traceback" in ran.stderr

    assert figures.bad == {}
    assert ran.code == 0, ran.stderr


def is_alive(client: RawClient, number: int) -> bool:
    """Return whether the server answers a ping, after whatever it had still to answer."""
    name = f"ping {number}"
    client.send({"jsonrpc": "2.0", "id": name, "method": "ping"})
    try:
        while client.receive().get("id") != name:
            pass
    except (AssertionError, ValueError):
        return False
    return True
