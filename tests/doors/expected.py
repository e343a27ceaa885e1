"""The table of cells: the output of each door when one file is in one state. Doors that no row names go on as ever."""

import re
from typing import NamedTuple


class Expected(NamedTuple):
    """An exit code, and a pattern that is found in the output of a door."""

    code: int
    pattern: str


def succeeds(pattern: str) -> Expected:
    """Expect success."""
    return Expected(0, pattern)


def fails(pattern: str) -> Expected:
    """Expect the exit code of a failure that is not the user's mistake."""
    return Expected(2, pattern)


AS_EVER = {
    "session start": succeeds(
        r"### Name the unit[\s\S]*### Flush the log[\s\S]*</hardwon-memory>\n(Warning: .* its text is in no known encoding.*\n)?\Z"
    ),
    "prompt": succeeds(r"\A<hardwon-memory [\s\S]*### Name the unit[\s\S]*</hardwon-memory>\n\Z"),
    "stop": succeeds(r"\A\Z"),
    "writer": succeeds(r"\AStored: Close the feed \(id: \w+\)\n\Z"),
    "MCP": succeeds(r"\Aanswered: [\s\S]*Name the unit \(#1\)\n\Z"),
    "list": succeeds(
        r"\Aid [\s\S]*Flush the log[\s\S]*Name the unit[\s\S]*Locks of the store *\n3 of 3 entries\n\Z"
    ),
    "recall": succeeds(
        r"Name the unit(?: \[[0-9a-f]{8}\])?\"?\n[\s\S]*threshold: 0.5\)\nWarning: no vector search: memory_embedding_provider is off\n\Z"
    ),
    "doctor": succeeds(r"\Aok +python: .*\nok +store: 3 entries in .*\n(ok .*\n)*\n"),
}

HOOKS = ("session start", "prompt", "stop")
STORE = r"store/memory\.db"
JOURNAL = r"store/capture\.db"
REPAIR = ", run: hardwon doctor --repair"
FULL = "the disk is full: free some space"
HELD = "database is locked; another program holds it, try again when it is done"
NOTHING = "No relevant memories found"
WITHOUT_LAST = {
    "prompt": succeeds(r"\A\Z"),  # a single lesson can not be told from others
    "session start": succeeds(
        r"entries from 1 .*\n\n\*Conversations here are kept .*\n\n### Heuristics\n### Name the unit\n[\s\S]*</hardwon-memory>\n\Z"
    ),
    "list": succeeds(r"\Aid (?![\s\S]*Flush)[\s\S]*Name the unit[\s\S]*2 of 2 entries\n\Z"),
    "doctor": succeeds(r"\Aok +python: .*\nok +store: 2 entries in .*\n(ok .*\n)*\n"),
}
"""A store that has lost what was stored last, without knowing it."""

NEW = {
    "session start": succeeds(
        r"entries from 1 .*\n\n\*Conversations here are kept .*\n\n### Heuristics\n### Name the unit\n[\s\S]*</hardwon-memory>\n\Z"
    ),
    "prompt": succeeds(r"\A\Z"),
    "MCP": succeeds(r"\Aanswered: Nothing found"),
    "list": succeeds(r"\ANothing is remembered yet: run hardwon import\n\Z"),
    "recall": succeeds(NOTHING),
}
"""A store without entries: the bank is imported again."""


def unusable(reason: str) -> dict[str, Expected]:
    """Return the row of a store that can't be read."""
    line = rf"{STORE}: {reason}\n\Z"
    return {
        "session start": succeeds(
            rf"entries \(1 local, 0 global\)[\s\S]*### Name the unit[\s\S]*\nWarning: markdown only: .*{line}"
        ),
        "prompt": succeeds(rf"\AWarning: nothing is said beside the prompt: \w+: .*{line}"),
        "stop": succeeds(rf"\AWarning: use not counted: .*{line}"),
        "writer": fails(rf"\Ahardwon-writer: .*{line}"),
        "MCP": fails(rf"\Ahardwon-mcp: .*{line}"),
        "list": fails(rf"\Ahardwon: .*{line}"),
        "recall": fails(rf"\Ahardwon: .*{line}"),
        "doctor": fails(
            rf"\Aok +python: .*\ntrouble +store: .*{STORE}: {reason}\n((ok|trouble) .*\n)*\n"
        ),
    }


def unwritable(reason: str, *, is_seen_at_once: bool = True) -> dict[str, Expected]:
    """Return the row of a store that can be read but not written: *is_seen_at_once*, when it is opened, or by a write."""
    warning = rf"Warning: .*{STORE} can only be read: {reason}\n" if is_seen_at_once else ""
    lost = rf"Warning: recall not counted, no receipt kept: .*{STORE}: {reason}\n\Z"
    counted = {
        "session start": succeeds(
            rf"### Flush the log[\s\S]*</hardwon-memory>\n(Warning: capture: .*\n)?{warning}{lost}"
        ),
        "prompt": succeeds(
            rf"### Name the unit[\s\S]*</hardwon-memory>\n(Warning: capture: .*\n)?{warning}{lost}"
        ),
        "writer": fails(rf"\A{warning}hardwon-writer: .*{STORE}: {reason}\n\Z"),
        "MCP": succeeds(
            rf"Name the unit \(#1\)\nNote: access not counted: .*{STORE}: {reason}\n{warning}\Z"
        ),
    }
    read = {
        "list": succeeds(rf"3 of 3 entries\n{warning}\Z"),
        "recall": succeeds(rf"Found 1 relevant .*\n{warning}Warning: no vector search: .*\n\Z"),
        "doctor": fails(
            rf"\Aok +python: .*\ntrouble +store: .*{STORE} can be read but not written: {reason}\n"
        ),
    }
    return counted | read


def unkept(reason: str) -> dict[str, Expected]:
    """Return the row of a capture journal that can't be used."""
    line = rf"Warning: capture: \w+: .*{JOURNAL}: {reason}\n"
    return {
        "session start": succeeds(
            rf"</hardwon-memory>\nWarning: the worker was not started: .*{JOURNAL}: {reason}\n\Z"
        ),
        "prompt": succeeds(rf"### Name the unit[\s\S]*\n{line}\Z"),
        "stop": succeeds(rf"\A{line}\Z"),
        "doctor": fails(
            rf"\ntrouble +capture journal: .*{JOURNAL}: {reason}; until then what is said is not kept\n"
        ),
    }


def moved_aside(reason: str) -> dict[str, Expected]:
    """Return the row of a damaged capture journal: a hook that writes replaces it."""
    line = rf"Warning: .*{JOURNAL}: .*{REPAIR}; moved to .*{JOURNAL}\.damaged\n\Z"
    return unkept(f"{reason}{REPAIR}") | {
        "prompt": succeeds(rf"### Name the unit[\s\S]*\n{line}"),
        "stop": succeeds(rf"\A{line}"),
    }


def refused(reason: str) -> dict[str, Expected]:
    """Return the row of a store that is not this user's alone: *reason* begins with the path."""
    line = rf"{reason}\n"
    return {
        "session start": succeeds(
            rf"entries \(1 local, 0 global\)[\s\S]*### Name the unit[\s\S]*\nWarning: .*{line}"
        ),
        "prompt": succeeds(
            rf"\A(Warning: capture: .*\n)?Warning: nothing is said beside the prompt: \w+: .*{line}\Z"
        ),
        "stop": succeeds(rf"\AWarning: .*{line}"),
        "writer": fails(rf"\Ahardwon-writer: .*{line}\Z"),
        "MCP": fails(rf"\Ahardwon-mcp: .*{line}\Z"),
        "list": fails(rf"\Ahardwon: .*{line}\Z"),
        "recall": fails(rf"\Ahardwon: .*{line}\Z"),
        "doctor": fails(rf"\Aok +python: .*\ntrouble +store: .*{reason}\n((ok|trouble) .*\n)*\n"),
    }


def warned(pattern: str) -> dict[str, Expected]:
    """Return the row of a file that costs a warning on standard error."""
    return {
        door: Expected(
            code, as_ever.replace(r"\Z", "") if door == "stop" else as_ever.replace(r"\n\Z", r"\n")
        )
        for door, (code, as_ever) in AS_EVER.items()
    } | {door: succeeds(rf"Warning: {pattern}\n") for door in AS_EVER if door != "MCP"}


def found(name: str, detail: str) -> dict[str, Expected]:
    """Return the row of a problem that the doctor alone reports."""
    return {"doctor": fails(rf"\ntrouble +{name}: .*{detail}\n")}


NOT_A_DATABASE = f"file is not a database{REPAIR}"
MALFORMED = f"database disk image is malformed{REPAIR}"
READ_ONLY = r"the file system of .*/store is read-only: mount it for writing, or name another store"
ANOTHER = "or name another store with HARDWON_STORE"
OTHERS = (
    ("of another user", "memory.db", r"store/memory\.db"),
    ("of another user", "the store's folder", "/store"),
    ("planted", "memory.db", r"store/memory\.db"),
    ("planted", "the store's folder", "/store"),
)
FULL_STORE = unwritable(FULL)
CLOSED_TO_ALL = r"no permission to {} {}: run chmod u\+rwx? \S+"
CLOSED = CLOSED_TO_ALL.format("read", ".*/store")

TABLE: dict[tuple[str, str], dict[str, Expected]] = {
    ("missing", "memory.db"): NEW
    | {
        "doctor": succeeds(
            r"\Aok +python: .*\nok +store: none yet in .*: the first import or lesson makes it\n"
        )
    },
    ("empty", "memory.db"): NEW
    | {"doctor": succeeds(r"\Aok +python: .*\nok +store: 0 entries in .*\n(ok .*\n)*\n")},
    ("garbage", "memory.db"): unusable(NOT_A_DATABASE),
    ("truncated", "memory.db"): unusable(MALFORMED),
    ("flipped bit", "memory.db"): unwritable(MALFORMED, is_seen_at_once=False)
    | {
        "doctor": fails(
            rf"\Aok +python: .*\ntrouble +store: .*{STORE}: .* (out of range|end of page).*{REPAIR}\n"
        )
    },
    ("flipped bit in a tree", "memory.db"): unusable(MALFORMED)
    | {
        "stop": AS_EVER["stop"],
        "MCP": succeeds(rf"\Arefused: .*{STORE}: {MALFORMED}\n\Z"),
        "doctor": fails(rf"\Aok +python: .*\ntrouble +store: .*{STORE}: Page .*{REPAIR}\n"),
    },
    ("no permission", "memory.db"): unusable(CLOSED_TO_ALL.format("read", "it")),
    ("read only", "memory.db"): unwritable(CLOSED_TO_ALL.format("write", "it")),
    ("full disk", "memory.db"): FULL_STORE | {"stop": unkept(FULL)["stop"]},
    ("locked", "memory.db"): unusable(HELD),
    ("missing", "WAL"): WITHOUT_LAST,
    ("empty", "WAL"): WITHOUT_LAST,
    ("garbage", "WAL"): WITHOUT_LAST
    | found("write-ahead log", "store/memory.db-wal is damaged: what was stored last is lost, .*"),
    ("truncated", "WAL"): WITHOUT_LAST,
    ("flipped bit", "WAL"): WITHOUT_LAST
    | found("write-ahead log", "store/memory.db-wal is damaged: what was stored last is lost, .*"),
    ("no permission", "WAL"): unusable(CLOSED_TO_ALL.format("read", r".*store/memory\.db-wal")),
    ("full disk", "WAL"): unwritable(FULL, is_seen_at_once=False) | {"prompt": AS_EVER["prompt"]},
    ("locked", "WAL"): unwritable(HELD, is_seen_at_once=False) | {"doctor": AS_EVER["doctor"]},
    ("garbage", "capture.db"): moved_aside("file is not a database"),
    ("truncated", "capture.db"): moved_aside("database disk image is malformed"),
    ("flipped bit", "capture.db"): moved_aside("database disk image is malformed")
    | {"session start": AS_EVER["session start"]}
    | found(
        "capture journal",
        rf".*{JOURNAL}: (On tree page|Page) .*{REPAIR}; until then what is said is not kept",
    ),
    ("flipped bit in a tree", "capture.db"): moved_aside("database disk image is malformed")
    | found(
        "capture journal",
        rf".*{JOURNAL}: (On tree page|Page) .*{REPAIR}; until then what is said is not kept",
    ),
    ("no permission", "capture.db"): unkept(CLOSED_TO_ALL.format("read", "it")),
    ("full disk", "capture.db"): FULL_STORE | {"stop": unkept(FULL)["stop"]},
    ("locked", "capture.db"): unkept(HELD),
    ("no permission", "hook.log"): found(
        "hook log", CLOSED_TO_ALL.format("read", "it") + "; until then no failure .*"
    ),
    ("full disk", "hook.log"): FULL_STORE | {"stop": unkept(FULL)["stop"]},
    ("no permission", "the store's folder"): unusable(CLOSED)
    | {
        "prompt": succeeds(
            rf"\AWarning: capture: .*{CLOSED}\nWarning: nothing is said beside the prompt: .*{CLOSED}\n\Z"
        ),
        "stop": unkept(CLOSED)["stop"],
    },
    ("read only", "the store's folder"): unwritable(CLOSED_TO_ALL.format("write", ".*/store"))
    | {"stop": unkept(CLOSED_TO_ALL.format("write", ".*/store"))["stop"]},
    **{
        (state, file): refused(rf"{path} belongs to .*: run hardwon as that user, {ANOTHER}")
        for state, file, path in OTHERS
    },
    ("linked", "memory.db"): refused(
        rf"store/memory\.db is a link, to .*: put the file itself there, {ANOTHER}"
    ),
    ("open to all", "the store's folder"): refused(
        rf"other users may write to .*/store, which holds other things too: run chmod go-w .*/store, {ANOTHER}"
    ),
    **{
        ("read-only disk", file): unwritable(READ_ONLY) | {"stop": unkept(READ_ONLY)["stop"]}
        for file in ("memory.db", "WAL")
    },
    **{
        ("9 KB left", file): FULL_STORE | {"stop": unkept(FULL)["stop"]}
        for file in ("memory.db", "WAL")
    },
    **{("40 KB left", file): FULL_STORE for file in ("memory.db", "WAL")},
    ("no permission", "a bank file"): found(
        "file", "heuristics.md' is left out: Permission denied"
    ),
    ("no permission", "a memory file"): found("file", "locks.md': .*"),
    ("flipped bit", "settings"): warned(
        "memory_injection_limyt in .* is no setting: did you mean memory_injection_limit\\?"
    ),
    ("no permission", "settings"): warned(
        r"\.claude/iflow-dev\.local\.md is ignored: Permission denied"
    ),
}
"""Rows by state and file; of a row, the doors that don't go on as ever."""

STATES = (
    "missing",
    "empty",
    "garbage",
    "truncated",
    "flipped bit",
    "no permission",
    "full disk",
    "locked",
)
FILES = ("memory.db", "WAL", "capture.db", "hook.log", "a bank file", "a memory file", "settings")
MORE = (
    ("flipped bit in a tree", "memory.db"),
    ("flipped bit in a tree", "capture.db"),
    ("read only", "memory.db"),
    ("no permission", "the store's folder"),
    ("read only", "the store's folder"),
)
CELLS = [
    (state, file, door)
    for state, file in [*((s, f) for s in STATES for f in FILES), *MORE]
    for door in AS_EVER
]


def expected(state: str, file: str, door: str) -> Expected:
    """Return what the cell expects."""
    return TABLE.get((state, file), {}).get(door, AS_EVER[door])


def _is_in_square(state: str, file: str, door: str) -> bool:
    """Return whether the cell is in a Latin square: in that, each door meets each state and each file."""
    place = STATES.index(state) + FILES.index(file)
    return place % len(AS_EVER) == [*AS_EVER].index(door)


FEWER_CELLS = [
    cell
    for cell in CELLS
    if cell[:2] in MORE or expected(*cell) != AS_EVER[cell[2]] or _is_in_square(*cell)
]
"""All cells but most of the doors that go on as ever."""


def matches(cell: Expected, code: int, text: str) -> bool:
    """Return whether a door's output is the expected one."""
    return code == cell.code and re.search(cell.pattern, text) is not None
