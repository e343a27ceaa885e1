"""
The scenarios of the golden run.

The expected text of a function is the file of its name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hardwon.entrypoints.cli.commands import COMMANDS, Group
from tests.entrypoints.programs import COMPLETE, VALID
from tests.golden.play import Play

BANK = """## Patterns

### Stream rows
Read partner feeds row by row; memory stays flat and the first bad record is known by its line.
- Observed in: Feature 007-csv-reader
- Last observed: 2026-10-01
- Observation count: 3
- Confidence: high

### Golden files
Keep one real file of each partner beside the parser and compare the whole result with it.
- Observed in: Feature 007-csv-reader, src/reader.py
- Last observed: 2026-08-12
"""
DECISION = """---
title: Retry budgets
description: Why every client has a retry budget.
tags: [retries, clients]
triggerPhrases: [retry budget]
---
# Retry budgets

We give every client a budget of retries, ten per cent of its calls, because retries without one doubled an outage.

## Alternatives

Circuit breakers alone hide which client is ill.
"""
SPEC = """---
title: Login by token
importanceTier: important
contextType: implementation
---
# Login by token

<!-- ANCHOR:summary -->
Tokens are refreshed a minute before they expire, never on a failure.
<!-- /ANCHOR:summary -->
"""
TALK = [
    {
        "user": "How should the importer treat a quote that is never closed?",
        "assistant": "We decided to close it at the end of the record, because recovering at a newline loses the next record.",
        "timestamp": "2026-11-24T09:30:37Z",
    },
    {
        "user": "And which encoding do we assume?",
        "assistant": "UTF-8 with a byte order mark if there is one; latin-1 is only used when the partner says so in the contract.",
        "timestamp": "2026-11-24T09:35:02Z",
    },
    {
        "user": "agreed, do it exactly like that",
        "assistant": "Done: src/decoding.py chooses utf-8-sig first and reports the offset of a byte that is no text.",
        "timestamp": "2026-11-24T09:41:30Z",
    },
]
ANSWER = {
    "act": {
        "patterns": [
            {
                "name": "Measure first",
                "text": "Measure the slowest part before a parser is replaced.",
                "provenance": "Feature 007",
                "confidence": "high",
                "keywords": ["measure", "parser", "slowest"],
                "reasoning": "A week was lost on the wrong part.",
            }
        ],
        "anti_patterns": [
            {
                "text": "Splitting a row at commas by hand breaks quoted commas.",
                "provenance": "src/quotes.py",
                "confidence": "medium",
                "keywords": ["commas", "quoted", "row"],
                "reasoning": "Prices moved a column.",
            }
        ],
        "heuristics": [
            {
                "name": "Ask for a sample",
                "text": "Ask a partner for a real file before the format is agreed.",
                "provenance": "Feature 007",
                "confidence": "low",
                "keywords": ["partner", "sample", "format"],
                "reasoning": "Documents lie.",
                "universal": True,
            }
        ],
    }
}


def lessons(play: Play) -> None:
    """Keep four lessons, two of them by the bank."""
    play.write("project/docs/knowledge-bank/patterns.md", BANK)
    play.hardwon("import")
    play.hardwon(
        "add",
        "Decode chunks incrementally: a character can straddle two reads",
        "--category",
        "patterns",
        "--name",
        "Decode in steps",
        "--keyword",
        "decode,chunks",
        "--reasoning",
        "Found in a feed of 2 GB.",
        "--reference",
        "src/decoding.py",
        "--confidence",
        "high",
    )
    play.hardwon(
        "add",
        "Never drop bytes silently: say where they stood",
        "--category",
        "anti-patterns",
        "--here",
        "--json",
    )


def helps(play: Play) -> None:
    """Show the help of every command."""
    play.hardwon()
    play.hardwon("--help")
    play.hardwon("--version")
    for name, command in COMMANDS.items():
        play.hardwon(name, "--help")
        for inner in command.commands if isinstance(command, Group) else ():
            play.hardwon(name, inner, "--help")
    play.run("hardwon-writer", "--help")
    play.hook(b"", "--help")
    play.run("hardwon-mcp", "--help", real=True)


def everyday(play: Play) -> None:
    """Keep, list, show and recall lessons."""
    lessons(play)
    play.hardwon("add", "Decode chunks incrementally: a character can straddle two reads")
    play.hardwon(
        "add",
        "-",
        "--universal",
        "--json",
        stdin="Read dates with their zone: local time jumps twice a year\n",
    )
    play.hardwon("list")
    play.hardwon("list", "--json")
    play.hardwon("list", "--category", "patterns", "--limit", 1, "--offset", 1)
    play.hardwon("list", "--scope", "global", "--in", "learnings", "--json")
    play.hardwon("list", "--project", "project", real=True)
    play.hardwon("show", 1)
    play.hardwon("show", 3, "--json")
    play.hardwon("show", 3, "--history")
    play.hardwon("recall", "a character straddles two reads")
    play.hardwon("recall", "a character straddles two reads", "--json")
    play.hardwon("recall", "partner files", "--explain", "--limit", 2)
    play.hardwon("recall", "partner files", "--explain", "--json", "--policy", "hybrid")
    play.hardwon(
        "recall",
        "decode",
        "--in",
        "learnings",
        "--scope",
        "project",
        "--min-score",
        "0.2",
        real=True,
    )
    play.hardwon("recall", "-", stdin="bytes dropped silently")
    play.hardwon("recall", "--typed", stdin="golden file --limit 1")
    play.hardwon("search", "nothing of this is there: zzyzx")
    play.hardwon("context")
    play.hardwon("context", "--json", "--explain")
    play.hardwon("context", "--limit", 1)
    play.hardwon("context", "--write", "CLAUDE.md")
    play.read("project/CLAUDE.md")
    play.hardwon("stats")
    play.hardwon("stats", "--json")
    play.hardwon("stats", "--in", "learnings", "--project", "project")


def by_meaning(play: Play) -> None:
    """Recall by vectors, of an embedder that counts words."""
    play.world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    lessons(play)
    play.hardwon("embed")
    play.hardwon("embed", "--json")
    play.hardwon("recall", "a character straddles two reads")
    for policy in ("adaptive", "hybrid", "cosine", "affinity", "context", "fused"):
        play.hardwon("recall", "compare the whole result", "--policy", policy, "--limit", 2)
    play.run("hardwon-writer", *upserted())
    play.hook("SessionStart", source="startup")
    play.hook(
        "UserPromptSubmit",
        prompt="a character straddles two reads of the decoder",
        session_id="another",
    )
    play.hook(
        "Stop", last_assistant_message="I decode the chunks incrementally.", session_id="another"
    )
    play.hardwon("why")
    play.hardwon("why", "--verify", "another")
    play.hardwon("why", "--prompt", "a character straddles two reads of the decoder")
    play.hardwon("stats")
    play.hardwon("embed", "--rebuild")
    play.hardwon(
        "add",
        "Decode chunks in steps, not at once: a character can straddle two reads",
        "--category",
        "patterns",
    )
    play.hardwon("review")
    play.hardwon("review", "--json")
    play.hardwon("review", 3, 6, "--replaces")
    play.hardwon("list")
    play.hardwon("doctor")


def changing(play: Play) -> None:
    """Change, review and delete lessons."""
    lessons(play)
    play.hardwon(
        "edit",
        1,
        "--description",
        "Read feeds row by row; the first bad record is known by its line.",
    )
    play.hardwon(
        "edit",
        3,
        "-",
        "--json",
        stdin=json.dumps({"name": "Decode by steps", "reasoning": "Seen twice."}),
    )
    play.hardwon("edit", 2, "--superseded-by", 1)
    play.hardwon("recall", "golden files of each partner")
    play.hardwon("edit", 2, "--superseded-by", "", "--json")
    play.hardwon(
        "update", 3, "--tier", "important", "--trigger", "decode a feed", "--tag", "feeds", "--json"
    )
    play.hardwon(
        "update",
        4,
        "--everywhere",
        "--permanent",
        "--weight",
        "0.9",
        "--title",
        "Say where bytes stood",
    )
    play.hardwon("validate", 3, "--useful")
    play.hardwon("validate", 3, "--not-useful", "--json", real=True)
    play.hardwon("show", 3, "--history")
    play.hardwon("show", 3, "--history", "--json")
    play.hardwon(
        "add",
        "Decode chunks in steps, not incrementally: a character can straddle two reads of a feed",
        "--category",
        "patterns",
    )
    play.hardwon("review")
    play.hardwon("review", "--json")
    play.hardwon("list", "--json")
    play.hardwon("delete", 2)
    play.hardwon("delete", 2, "--yes")
    play.hardwon("delete", 4, "--yes", "--json", real=True)
    play.hardwon("list")
    play.read("project/docs/knowledge-bank/*.md")


def mistakes(play: Play) -> None:
    """Say what is wrong, with its exit code."""
    play.hardwon("show", 1)
    play.hardwon("list")
    play.hardwon("list", "--json")
    play.hardwon("recall", "anything", "--json")
    lessons(play)
    for arguments in (
        ["show", "99"],
        ["show", "abc"],
        ["show", "zz"],
        ["show"],
        ["recal", "x"],
        ["ask", "x"],
        ["recall"],
        ["recall", " "],
        ["recall", "x", "--limit", "none"],
        ["recall", "x", "--in", "lessons"],
        ["recall", "x", "--policy", "best"],
        ["list", "--tier", "high"],
        ["list", "--limit", "-1"],
        ["list", "--type", "opinion"],
        ["add", ""],
        ["add", "x", "--category", "rules"],
        ["add", "x", "--confidence", "certain"],
        ["edit", "1", "--name", ""],
        ["edit", "99", "--name", "x"],
        ["update", "1"],
        ["update", "1", "--weight", "2"],
        ["validate", "1"],
        ["validate", "99", "--useful"],
        ["delete"],
        ["delete", "99", "--yes"],
        ["forget"],
        ["forget", "ab"],
        ["export", "--format", "xml"],
        ["import", "missing.jsonl"],
        ["index", "missing"],
        ["save"],
        ["restore", "missing.db", "--yes"],
        ["checkpoint", "restore", "missing", "--yes"],
        ["checkpoint", "delete", "missing", "--yes"],
        ["checkpoint", "create", ""],
        ["project", "merge", "missing"],
        ["project", "show", "missing"],
        ["trust", "missing"],
        ["why", "zzzz"],
        ["pause", "--for", "soon"],
        ["store", "status"],
        ["store", "copy", "missing", "elsewhere", "--yes"],
        ["eval", "missing"],
        ["retro", "confirm", "99"],
        ["retro", "write", "missing.json"],
        ["capture", "--from", "missing.jsonl"],
        ["init", "--agent", "vim"],
        ["list", "--global-store", "postgresql://127.0.0.1:9/none?connect_timeout=1&password=x"],
        ["list", "--project-root", "missing"],
    ):
        play.hardwon(*arguments)
    play.world.variables["HARDWON_INJECTION_LIMIT"] = "many"
    play.hardwon("stats")


def forgetting(play: Play) -> None:
    """Forget for good, with and without a preview."""
    lessons(play)
    documents(play)
    play.hardwon("index")
    play.hardwon("checkpoint", "create", "before")
    play.hook("SessionStart", source="startup")
    play.hardwon("forget", "straddle")
    play.hardwon("forget", "straddle", "--json")
    play.hardwon("forget", "straddle", "--yes")
    play.hardwon("forget", "straddle", "--yes", "--json")
    play.hardwon("forget", "3", "--yes")
    play.hardwon("forget", "4ab9cf92", "--yes", "--json")
    play.hardwon("forget", "--kind", "document", "--yes")
    play.hardwon("forget", "outage", "--yes", real=True)
    play.hardwon("add", "Decode chunks incrementally: a character can straddle two reads")
    play.hardwon("forget", "--secrets", "--yes")
    play.hardwon("forget", "Golden files", "--keep-bank", "--yes")
    play.hardwon("import")
    play.hardwon("list", "--scope", "global")
    play.hardwon("stats", "--json")
    play.read("project/docs/knowledge-bank/*.md", "project/memory/**/*.md")


def moving(play: Play) -> None:
    """Export, import, back up, restore and copy."""
    lessons(play)
    documents(play)
    play.hardwon("index")
    play.hardwon("export")
    play.hardwon("export", "--output", "out.jsonl")
    play.hardwon("export", "--output", "out.jsonl")
    play.hardwon("export", "--format", "markdown", "--output", "readable")
    play.hardwon("export", "--format", "memory-index", "-o", "index.json", "--force", real=True)
    play.read("project/readable/**/*.md", "project/index.json")
    play.hardwon("backup", "copy.backup")
    play.hardwon("backup", "copy.backup", "--json")
    play.hardwon("backup", "copy.backup", "--force", "--json")
    play.hardwon(
        "checkpoint", "create", "one", "--description", "before the flood", "--scope", "all"
    )
    play.hardwon("checkpoint", "create", "two", "--json")
    play.hardwon("add", "A lesson that is made after the backup, and taken out by it")
    play.hardwon("checkpoint", "list")
    play.hardwon("checkpoint", "list", "--json", "--all")
    play.hardwon("checkpoint", "restore", "two")
    play.hardwon("checkpoint", "restore", "two", "--yes")
    play.hardwon("checkpoint", "restore", "one", "--yes", "--json")
    play.hardwon("checkpoint", "delete", "two", "--yes")
    play.hardwon("add", "Another lesson that is made after the backup, and taken out by it")
    play.hardwon("restore", "copy.backup")
    play.hardwon("restore", "copy.backup", "--yes", "--json")
    play.hardwon("store", "copy", play.world.store, play.world.folder / "other", "--dry-run")
    play.hardwon("store", "copy", play.world.store, play.world.folder / "other", "--yes")
    play.hardwon("list", "--global-store", play.world.folder / "other", "--scope", "global")
    play.hardwon("import", "out.jsonl")
    play.hardwon("import", "out.jsonl", "--global-store", play.world.folder / "third")
    play.hardwon("import", "-", "--json", stdin='{"hardwon": 1}\n')
    play.hardwon("import", "index.json", "--no-embed", "--json")
    play.write(
        "project/docs/knowledge-bank/patterns.md", BANK.replace("row by row", "line by line")
    )
    play.hardwon("import", "--json")
    play.hardwon("import", "--changed")
    play.hardwon("import", "--changed", "--yes", "--json")


def documents(play: Play) -> None:
    """Write a decision and a specification."""
    play.write("project/memory/decisions/retry-budgets.md", DECISION)
    play.write("project/specs/005-login/memory/token.md", SPEC)


def files(play: Play) -> None:
    """Index files, save sessions, and capture conversations."""
    documents(play)
    play.hardwon("index", "--dry-run")
    play.hardwon("index", "--progress")
    play.hardwon("index", "--json")
    play.hardwon("index", "specs", "--force", "--rebuild-fts", "--json", real=True)
    play.hardwon(
        "save",
        "-",
        "--description",
        "Worked on the retry budget of clients",
        "--tag",
        "retries",
        stdin="# Work\n\nThe budget is kept in Redis. <private>Ann said so.</private>\n",
    )
    play.hardwon("save", "--description", "A description alone", "--permanent", "--json")
    play.hardwon("save", "memory/decisions/retry-budgets.md", "--json")
    play.hardwon("remember", "The staging database is read-only on Fridays")
    play.hardwon("remember", "--typed", "--json", stdin="The build machine has 2 cores --no-embed")
    talk = "".join(f"{json.dumps(exchange)}\n" for exchange in TALK)
    play.hardwon("capture", "--from", "-", "--dry-run", stdin=talk)
    play.hardwon("capture", "--from", "-", "--dry-run", "--json", stdin=talk)
    play.hardwon("capture", "--from", "-", stdin=talk)
    play.hardwon("capture", "--from", "-", "--json", stdin=talk)
    play.hardwon("capture", "--status")
    play.hardwon("capture", "--status", "--json")
    play.hardwon("capture", "--all", "--dry-run")
    play.hardwon("list")
    play.hardwon("list", "--in", "conversations", "--json")
    play.hardwon("list", "--in", "sessions")
    play.hardwon("list", "--spec-folder", "005-login", "--tier", "important")
    play.hardwon("recall", "a quote that is never closed", "--in", "conversations")
    play.hardwon("recall", "a quote that is never closed", "--in", "conversations", "--json")
    play.hardwon("recall", "retry budget", "--in", "documents", "--explain")
    play.hardwon("recall", "retry budget", "--in", "sessions", "--tag", "retries", "--json")
    play.hardwon("context", "--in", "conversations", "--token-budget", 300)
    play.hardwon("context", "--in", "conversations", "--json", "--explain")
    play.hardwon("show", 2, "--json")
    play.hardwon("delete", "--spec-folder", "005-login", "--yes")
    play.write(
        "project/memory/decisions/retry-budgets.md",
        DECISION.replace("ten per cent", "five per cent"),
    )
    play.hardwon("index")
    (play.world.project / "memory/decisions/retry-budgets.md").unlink()
    play.hardwon("index", "--json")
    play.read("project/memory/**/*.md")


def projects(play: Play) -> None:
    """Tell projects from each other, trust and merge them."""
    lessons(play)
    other = play.write("other/README.md", "x").parent
    play.folder = other
    play.git("init", "--quiet", "--initial-branch=main")
    play.git("add", "--all")
    play.git("commit", "--quiet", "--message=x")
    play.hardwon("add", "In the other project all numbers have a unit")
    play.hardwon("project", "list")
    play.hardwon("project", "list", "--json")
    play.hardwon("project", "show")
    play.hardwon("project", "show", "project", "--json")
    play.hardwon("trust")
    play.hardwon("trust", "--list")
    play.hardwon("list")
    play.folder = play.world.project
    play.hardwon("list")
    play.hook("SessionStart", source="startup")
    play.hardwon("trust", other, "--revoke")
    play.hardwon("trust", play.world.folder, "--below", "--json")
    play.hardwon("trust", "--list", "--json")
    play.hardwon("list", "--scope", "global", "--json")
    play.hardwon("list", "--origin", "other")
    play.hardwon("project", "merge", "other")
    play.hardwon("project", "merge", "other", "--yes")
    play.hardwon("project", "list", real=True)
    play.folder = play.world.project.rename(play.world.folder / "moved")
    play.hardwon("project", "move", play.world.project, ".", "--yes", "--json")
    play.hardwon("project", "list", "--json")


def retrospectives(play: Play) -> None:
    """Write down a retrospective, and review it."""
    play.git("init", "--quiet", "--initial-branch=main")
    play.git("add", "--all")
    play.git("commit", "--quiet", "--allow-empty", "--message=feat: reader")
    play.git("checkout", "--quiet", "-b", "feature/007-csv-reader")
    play.write("project/src/quotes.py", "QUOTE = 1\n")
    play.git("add", "--all")
    play.git("commit", "--quiet", "--message=feat(quotes): rows with quoted commas")
    play.hardwon("retro", "write", "-", "--dry-run", stdin=json.dumps(ANSWER))
    play.hardwon("retro", "write", "-", stdin=json.dumps(ANSWER))
    play.hardwon("retro", "write", "-", "--json", stdin=json.dumps(ANSWER))
    play.hardwon("retro", "write", "-", stdin='{"act": {"patterns": [{"text": 3}]}}')
    play.hardwon("retro", "write", "-", stdin="no JSON")
    play.hardwon("retro", "review")
    play.hardwon("retro", "review", "--json", "--limit", 2, real=True)
    play.hardwon("retro", "confirm", 2)
    play.hardwon("retro", "promote", 1, "--json")
    play.hardwon("list")
    play.read("project/docs/knowledge-bank/*.md", "store/*.md")


def upkeep(play: Play) -> None:
    """Pause, check, repair, and set up."""
    play.hardwon("doctor")
    lessons(play)
    play.hardwon("doctor")
    play.hardwon("doctor", "--json")
    play.hardwon("pause", "--for", "30m")
    play.hardwon("doctor")
    play.hook("SessionStart", source="startup")
    play.run("hardwon-writer", *upserted())
    play.hardwon("resume")
    play.hardwon("resume", "--json")
    play.hardwon("pause", "--json")
    play.hardwon("resume", "--typed", stdin="")
    play.hardwon("label")
    play.hardwon("embed")
    play.hardwon("store", "status")
    play.hardwon("doctor", "--repair")
    (play.world.folder / "home/.claude").mkdir()
    play.hardwon("init", "--dry-run")
    play.hardwon("init")
    play.hardwon("init", "--yes", "--mcp-json", "--conversations", "private")
    play.hardwon("init", "--yes", "--json")
    play.read(
        "home/.claude/*.json",
        "project/.mcp.json",
        "project/.git/info/exclude",
        "project/.gitignore",
    )
    play.hardwon("doctor")
    play.hardwon("init", "--remove", "--yes")
    play.hardwon("init", "--plugin", play.world.folder / "plugin")
    play.write("store/memory.db", "no store at all" * 100)
    play.hardwon("list")
    play.hardwon("doctor")
    play.hardwon("doctor", "--repair")
    play.hardwon("list")


def upserted(**fields: object) -> tuple[str, ...]:
    """Return the writer's arguments for a complete entry with *fields*."""
    return ("--action", "upsert", "--entry-json", json.dumps({**VALID, **COMPLETE, **fields}))


def writer(play: Play) -> None:
    """Store by the writer, right and wrong."""
    play.run("hardwon-writer", *upserted())
    play.run("hardwon-writer", *upserted(), real=True)
    play.run(
        "hardwon-writer",
        *upserted(name="Other", description="No keyword of it stands in the text.", reasoning=""),
    )
    play.run(
        "hardwon-writer",
        *upserted(description="The key is AKIAIOSFODNN7EXAMPLE of the sample account."),
    )
    play.run(
        "hardwon-writer",
        *upserted(
            category="anti-patterns",
            source="retro",
            confidence="high",
            source_project="elsewhere",
            description="Every field is given.",
        ),
    )
    play.write(
        "entry.json",
        json.dumps({**VALID, **COMPLETE, "description": "This one comes from a file."}),
    )
    play.run(
        "hardwon-writer", "--action", "upsert", "--entry-file", play.world.folder / "entry.json"
    )
    for fields in (
        {"name": ""},
        {"category": "rules"},
        {"confidence": "certain"},
        {"keywords": "one"},
        {"description": 3},
    ):
        play.run("hardwon-writer", *upserted(**fields))
    for arguments in (
        [],
        ["--action", "delete"],
        ["--action", "upsert"],
        ["--action", "upsert", "--entry-json", "{"],
        ["--action", "upsert", "--entry-json", "[]"],
        ["--action", "upsert", "--entry-file", "missing.json"],
        ["--entry-json", json.dumps(VALID), "--unknown"],
    ):
        play.run("hardwon-writer", *arguments)
    play.hardwon("list", "--json")


def sessions(play: Play) -> None:
    """Tell sessions of Claude Code, Codex and Gemini what is remembered."""
    lessons(play)
    documents(play)
    play.hardwon("index")
    play.hardwon("update", 3, "--tier", "constitutional")
    play.hook("SessionStart", source="startup", real=True)
    play.hook("SessionStart", source="resume")
    play.hook("SessionStart", source="clear")
    play.hook("SessionStart", source="compact")
    play.hook(
        "SessionStart",
        source="startup",
        session_id="codex-1",
        permission_mode="default",
        model="gpt",
        transcript_path=None,
    )
    play.hook("SessionStart", "--host", "gemini", source="startup", session_id="g1")
    play.hook(
        "BeforeAgent", "--host", "gemini", prompt="what is the retry budget?", session_id="g1"
    )
    play.hook("AfterAgent", "--host", "gemini", prompt="x", prompt_response="done", session_id="g1")
    play.hook(
        "UserPromptSubmit",
        prompt="save context of the retry budget of every client, and decode chunks",
    )
    play.hook(
        "UserPromptSubmit",
        prompt="the decoder breaks a character that straddles two reads",
        real=True,
    )
    play.hook("UserPromptSubmit", prompt="hm")
    play.hook(
        "Stop",
        last_assistant_message="I decode the chunks incrementally now.",
        stop_hook_active=False,
    )
    play.hook("PreCompact", trigger="auto")
    play.hook("SubagentStart", agent_id="a1", agent_type="explorer")
    play.hook("SubagentStop", agent_id="a1")
    play.hook("SessionEnd", reason="exit")
    play.hook("Notification", message="x")
    play.hook(b"")
    play.hook(b"{")
    play.hook(b"[]")
    play.hook(b"\xff")
    play.hook(b"", "--project-root", play.world.project, "--limit", 1)
    play.hook(b"", "--project-root", play.world.project, "--limit", "many")
    play.hook(b"", "--unknown")
    play.hardwon("why")
    play.hardwon("why", "--json")
    play.hardwon("why", "4e1079b4", "--limit", 2)
    play.hardwon("why", "--verify")
    play.hardwon("why", 3)
    play.hardwon(
        "why", "--prompt", "the decoder breaks a character that straddles two reads", "--json"
    )
    play.world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    play.hook("SessionStart", source="startup")
    play.world.variables["HARDWON_INJECTION_ENABLED"] = "false"
    play.hook("SessionStart", source="startup")
    play.hook("UserPromptSubmit", prompt="the decoder breaks a character that straddles two reads")
    del (
        play.world.variables["HARDWON_INJECTION_ENABLED"],
        play.world.variables["HARDWON_SEMANTIC_ENABLED"],
    )
    play.write("store/memory.db", "no store at all" * 100)
    play.hook("SessionStart", source="startup")
    play.hook("UserPromptSubmit", prompt="the decoder breaks a character that straddles two reads")
    play.hook("Stop", last_assistant_message="x")
    play.read("store/hook.log")


def conversations(play: Play) -> None:
    """Capture a session by its hooks, and tell the next one of it."""
    play.world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    play.hardwon("init", "--yes", "--conversations", "shared")
    transcript = play.write("transcript.jsonl", "")
    given: dict[str, Any] = {"transcript_path": str(transcript)}
    play.hook("SessionStart", source="startup", **given)
    lines = list[str]()
    for place, exchange in enumerate(TALK):
        play.hook("UserPromptSubmit", prompt=exchange["user"], **given)
        for role, content in (
            ("user", exchange["user"]),
            ("assistant", [{"type": "text", "text": exchange["assistant"]}]),
        ):
            lines.append(
                json.dumps(
                    {
                        "type": role,
                        "uuid": f"{place}-{role}",
                        "sessionId": "4e1079b4-1075-4398-9c17-024ebe214a8d",
                        "timestamp": exchange["timestamp"],
                        "cwd": str(play.world.project),
                        "message": {"role": role, "content": content},
                    }
                )
            )
        transcript.write_text("\n".join(lines) + "\n", encoding="utf-8")
        play.hook(
            "Stop", last_assistant_message=exchange["assistant"], stop_hook_active=False, **given
        )
    play.hardwon("capture", "--status")
    play.hook("PreCompact", trigger="manual", **given)
    play.workers()
    play.hook("SessionEnd", reason="exit", **given)
    play.workers()
    play.hardwon("capture", "--status", "--json")
    play.hook("SessionStart", source="startup", session_id="second")
    play.hook(
        "UserPromptSubmit",
        prompt="which encoding does the importer assume of a partner?",
        session_id="second",
    )
    play.hardwon("remember", "--json")
    play.workers()
    play.hardwon("recall", "which encoding is assumed", "--json")
    play.hardwon("capture", "--from", transcript, "--force", "--json")
    play.hardwon("forget", "--session", "4e1079b4-1075-4398-9c17-024ebe214a8d", "--yes")
    play.read("project/memory/**/*.md")


def tools(play: Play) -> None:
    """Speak with the MCP server: each tool, and mistakes."""
    lessons(play)
    documents(play)
    play.hardwon("index")  # or the scan at the start would race with the calls
    calls: Sequence[tuple[str, Mapping[str, Any]]] = (
        ("memory_index_scan", {}),
        ("memory_index_scan", {"force": True, "specFolder": "005-login"}),
        (
            "store_memory",
            {
                "name": "Name the unit",
                "description": "A number without its unit is misread.",
                "reasoning": "Feet met metres.",
                "category": "heuristics",
                "keywords": ["unit", "number", "misread"],
            },
        ),
        (
            "store_memory",
            {
                "name": "Name the unit",
                "description": "A number without its unit is misread.",
                "reasoning": "",
                "category": "rules",
            },
        ),
        ("memory_search", {"query": "a number without a unit"}),
        ("memory_search", {"concepts": ["retry", "budget"], "limit": 2}),
        ("memory_search", {"query": "tokens", "specFolder": "005-login", "tier": "important"}),
        ("memory_search", {}),
        ("memory_match_triggers", {"prompt": "what is the retry budget?"}),
        ("memory_load", {"specFolder": "005-login"}),
        ("memory_load", {"specFolder": "005-login", "anchorId": "summary"}),
        ("memory_load", {"id": 1}),
        ("memory_list", {"limit": 2, "sortBy": "updated_at"}),
        ("memory_stats", {}),
        (
            "memory_update",
            {
                "id": 3,
                "title": "Decode by steps",
                "importanceWeight": 0.7,
                "triggerPhrases": ["decode a feed"],
            },
        ),
        ("memory_update", {"id": 99, "title": "x"}),
        ("memory_validate", {"id": 3, "wasUseful": True}),
        (
            "memory_save",
            {
                "filePath": str(play.world.project / "memory/decisions/retry-budgets.md"),
                "force": True,
            },
        ),
        ("memory_save", {"filePath": "/etc/passwd"}),
        ("checkpoint_create", {"name": "one", "scope": "all"}),
        ("checkpoint_list", {}),
        ("memory_delete", {"id": 2}),
        ("memory_delete", {"specFolder": "005-login"}),
        ("memory_delete", {"specFolder": "005-login", "confirm": True}),
        ("checkpoint_restore", {"name": "one"}),
        ("checkpoint_delete", {"name": "one"}),
        ("checkpoint_delete", {"name": "one"}),
        ("no_such_tool", {}),
        ("memory_search", {"limit": "many"}),
    )
    play.speak(
        asked(
            0,
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "golden", "version": "1"},
        ),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        asked(1, "tools/list"),
        *(
            asked(number, "tools/call", name=name, arguments=arguments)
            for number, (name, arguments) in enumerate(calls, 2)
        ),
        asked(90, "resources/list"),
        asked(91, "prompts/list"),
        asked(92, "ping"),
        asked(93, "no/such/method"),
        b"{",
    )
    play.hardwon("list", "--json")


def asked(number: int, method: str, **params: object) -> Mapping[str, object]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def evaluating(play: Play) -> None:
    """Measure how well memory answers."""
    play.hardwon("eval", "--self")
    things = (
        "parser",
        "budget",
        "token",
        "encoding",
        "quote",
        "release",
        "digest",
        "cache",
        "retry",
        "schema",
        "index",
        "backup",
    )
    for place, thing in enumerate(things):
        play.hardwon(
            "add",
            f"Every {thing} has an owner, number {place}, who answers when it breaks at night",
            "--name",
            f"Name the owner of a {thing}",
            "--no-embed",
        )
    play.hardwon("eval", "--self", "--policy", "keyword")
    play.hardwon(
        "eval", "--self", "--policy", "keyword", "--policy", "adaptive", "--json", "--per-query"
    )
    play.write(
        "project/set/docs.jsonl",
        "".join(
            f"{json.dumps({'id': thing, 'text': f'the owner of a {thing}'})}\n" for thing in things
        ),
    )
    play.write(
        "project/set/queries.jsonl",
        '{"id": "q1", "text": "who owns the parser?"}\n{"id": "q2", "text": "owner of a digest"}\n',
    )
    play.write("project/set/qrels.tsv", "q1\tparser\t1\nq2\tdigest\t1\n")
    play.hardwon("eval", "set", "--policy", "keyword")


def demo(play: Play) -> None:
    """Run the demo on a sample project of its own, in a throw-away store."""
    play.world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    play.hardwon("demo", "--on", "nowhere")
    play.hardwon("demo")


SCENARIOS: Mapping[str, Callable[[Play], None]] = {
    scenario.__name__: scenario
    for scenario in (
        helps,
        everyday,
        by_meaning,
        changing,
        mistakes,
        forgetting,
        moving,
        files,
        projects,
        retrospectives,
        upkeep,
        writer,
        sessions,
        conversations,
        tools,
        evaluating,
        demo,
    )
}
