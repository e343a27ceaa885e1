"""`hardwon retro write`: a recorded answer, in the files and in the store."""

import datetime as dt
import hashlib
import json
import re

import pytest

from hardwon.adapters.markdown.knowledge_bank import parse_bank
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.keyword_labels import GENERIC_LABELS, supported_labels
from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.folders import (
    ANSWER,
    FILES,
    IN_PROSE,
    OF_THE_BRANCH,
    banks,
    items,
    on_a_feature_branch,
    one,
    rows,
    undated,
    write_retro,
)
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene

BANK = "project/docs/knowledge-bank"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def test_a_retrospective_is_kept_in_both_places_and_shown(world: World) -> None:
    on_a_feature_branch(world)
    wrote = write_retro(world, IN_PROSE)

    assert (wrote.code, wrote.stderr) == (0, "")
    files, stored = banks(world), {row[0]: row for row in rows(world)}
    assert set(files) == {*(f"{BANK}/{name}.md" for name in FILES), "store/heuristics.md"}
    assert (
        len(stored)
        == len(items())
        == wrote.stdout.count("Stored: ")
        == wrote.stdout.count("added to ")
    )
    for name, item in items():
        key = content_hash(item["text"])
        path = (
            "store/heuristics.md"
            if item.get("universal")
            else f"{BANK}/{name.replace('_', '-')}.md"
        )
        [entry] = [
            part for part in parse_bank(files[path], "patterns") if content_hash(part.text) == key
        ]
        assert (entry.observation_count, entry.confidence) == (1, item["confidence"])
        assert entry.notes == (f"- Observed in: {item['provenance']}",)
        assert dt.date.fromisoformat(entry.last_observed or "")
        assert stored[key][2:] == (1, None if item.get("universal") else "project")
    assert_complete(world)
    assert_shown_and_never_counted_again(world)


def assert_complete(world: World) -> None:
    """Check labels, references and reasoning of every row."""
    for keywords, references, reasoning, description, source in world.query(
        'SELECT keywords, "references", reasoning, description, source FROM entries'
    ):
        labels = json.loads(keywords)
        assert 3 <= len(labels) <= 10
        assert len(supported_labels(labels, f"{description}\n{reasoning}")) >= 3
        assert not {*labels} & {*GENERIC_LABELS}
        assert {*json.loads(references)} & {*OF_THE_BRANCH}
        assert reasoning.strip()
        assert source == "retro"


def assert_shown_and_never_counted_again(world: World) -> None:
    before = rows(world)
    block = world.hook().stdout
    assert hardwon(world, "import").code == 0

    assert "### Anti-Pattern: Splitting rows at commas by hand" in block
    assert "### Say the line number in every complaint" in block
    assert rows(world) == before


def test_the_same_answer_again_counts_once_more_in_both_places_and_a_lost_store_is_rebuilt(
    world: World,
) -> None:
    write_retro(world)
    before = banks(world)
    ids = [row[0] for row in rows(world)]
    second = write_retro(world)

    assert "Merged: the lesson was known, now observed 2 times" in second.stdout
    assert [(row[0], row[2]) for row in rows(world)] == [(item, 2) for item in ids]
    assert banks(world) == {
        path: text.replace("- Observation count: 1\n", "- Observation count: 2\n")
        for path, text in before.items()
    }
    for path in world.store.glob("memory.db*"):
        path.unlink()
    for _ in range(2):
        world.import_bank()
        assert [(row[0], row[2]) for row in rows(world)] == [(item, 2) for item in ids]


def test_a_higher_count_in_a_file_is_continued(world: World) -> None:
    world.write_bank(
        "patterns",
        "# Ours\n\n### Pattern: Old\nQuote   every FIELD.\n- Observation count: 4\n- By: Ann\n",
    )
    assert write_retro(world, one("quote every field.", universal=False)).code == 0

    assert [row[1:] for row in rows(world)] == [("Old", 5, "project")]
    assert undated(banks(world)[f"{BANK}/patterns.md"]) == (
        "# Ours\n\n### Pattern: Old\nQuote   every FIELD.\n- Observation count: 5\n- By: Ann\n- Last observed: TODAY\n"
    )


KILLED = 9
DIES_WITH_THE_FILES_WRITTEN = f"""\
import os
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
write = MarkdownBankFiles.write
MarkdownBankFiles.write = lambda bank, texts: (write(bank, texts), os._exit({KILLED}))
"""


def test_the_next_retrospective_repairs_a_killed_one(world: World) -> None:
    def counts() -> tuple[list[int], list[str]]:
        in_files = re.findall(r"Observation count: (\d)", banks(world)[f"{BANK}/patterns.md"])
        return [row[2] for row in rows(world)], in_files

    assert write_retro(world, one("Quote every field.")).code == 0
    world.put_package("sitecustomize", __init__=DIES_WITH_THE_FILES_WRITTEN)
    assert write_retro(world, one("Quote every field.")).code == KILLED
    assert counts() == ([1], ["2"])

    del world.variables["PYTHONPATH"]
    assert write_retro(world, one("Quote every field.")).code == 0
    assert counts() == ([3], ["3"])


def test_an_edit_by_hand_is_not_what_is_shown(world: World) -> None:
    write_retro(world, one("Quote every field.", name="Quoting"))
    path = world.project / "docs" / "knowledge-bank" / "patterns.md"
    path.write_text(path.read_text().replace("Quote every field.", "Quote nothing."))

    block = world.hook().stdout
    assert "Quote every field." in block
    assert "Quote nothing." not in block


def test_with_memory_off_the_files_alone_are_written(world: World) -> None:
    write_retro(world, one("Something else."))
    stamp = world.database.stat().st_mtime_ns
    world.configure(semantic_enabled="false")
    wrote = write_retro(world)

    assert wrote.code == 0
    assert "Skipped the store: memory_semantic_enabled is not true" in wrote.stdout
    assert world.database.stat().st_mtime_ns == stamp
    assert len(rows(world)) == 1
    assert banks(world)[f"{BANK}/patterns.md"].count("### Pattern: ") == 3


def test_with_memory_off_no_store_is_made(world: World) -> None:
    world.configure(semantic_enabled="false")

    assert write_retro(world, one("Quote every field.")).code == 0
    assert not world.store.exists()
    assert [*banks(world)] == [f"{BANK}/patterns.md"]


def test_a_dry_run_writes_nothing(world: World) -> None:
    wrote = write_retro(world, ANSWER, "--dry-run", "--json")

    assert wrote.code == 0
    assert [entry["added_to"].rpartition("/")[2] for entry in wrote.document["entries"]] == [
        "patterns.md", "patterns.md", "anti-patterns.md", "anti-patterns.md", "heuristics.md", "heuristics.md",
    ]  # fmt: skip
    assert (wrote.document["store_written"], banks(world), world.store.exists()) == (
        False,
        {},
        False,
    )
    assert not (world.project / "docs").exists()


def test_without_keywords_and_reasoning_it_is_kept_with_a_warning_and_without_a_generator(
    world: World,
) -> None:
    world.variables["OLLAMA_HOST"] = (
        "http://127.0.0.1:9"  # no server answers there: a call would be reported
    )
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    answer = one(
        "Quote every field.", keywords=["csv", "code", "Quoting"], category="x", references=["a.py"]
    )
    wrote = write_retro(world, answer, "--project-root", str(elsewhere), "--json")

    assert wrote.code == 0
    assert wrote.stderr.splitlines() == [f"Warning: {line}" for line in wrote.document["warnings"]]
    kept = world.query("SELECT keywords, reasoning, source_project, confidence FROM entries")
    assert kept == [('["csv", "quoting"]', "", "elsewhere", "medium")]
    assert (elsewhere / "docs" / "knowledge-bank" / "patterns.md").is_file()
    assert [line.split(": ")[0] for line in wrote.document["warnings"]] == [
        "these fields are none of an entry's and were left out",
        *["act.patterns[0]"] * 2,
    ]
    assert '"category", "references"' in wrote.stderr
    assert re.search("incomplete: .*keywords.*no reasoning.*no references", wrote.stderr)
    assert "too general or not 1-3 hyphenated words: code" in wrote.stderr


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"act": {"patterns": [{"text": "ok"}, {"text": 7}, {"text": " "}]}},
            ["patterns[1].text is 7", "patterns[2]: "],
        ),
        (
            one("A <!-- comment --> in it"),
            ["patterns[0]: 'A <!-- comment --> in it' would not be read back"],
        ),
    ],
)
def test_a_wrong_input_gets_one_line_and_nothing_is_written(
    world: World, answer: object, words: list[str]
) -> None:
    wrote = write_retro(world, answer)

    assert (wrote.code, wrote.stdout) == (1, "")
    assert [
        line[: len(f"hardwon: act.{item}")]
        for item, line in zip(words, wrote.stderr.splitlines(), strict=True)
    ] == [f"hardwon: act.{word}" for word in words]
    assert banks(world) == {}
    assert not world.store.exists()


def test_a_bank_that_leads_out_of_the_project_is_refused(world: World) -> None:
    outside = world.folder / "outside"
    outside.mkdir()
    (world.project / "docs").mkdir()
    (world.project / "docs" / "knowledge-bank").symlink_to(outside)
    wrote = write_retro(world, one("Quote every field."))

    assert (wrote.code, "--help" in wrote.stderr) == (2, False)
    assert "it leads out" in wrote.stderr
    assert [*outside.iterdir()] == []
    assert rows(world) == []


def test_a_store_that_can_not_be_written_leaves_the_files_unchanged(world: World) -> None:
    world.store.mkdir()
    world.database.write_bytes(b"this is no database, " * 99)
    wrote = write_retro(world, one("Quote every field."))

    assert wrote.code == 2
    assert banks(world) == {}


def test_vectors_come_from_the_provider_and_labels_from_the_agent_alone(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    with running_stub() as stub:
        scene = Scene(world, stub)
        scene.choose("openai")
        scene.give_key("anthropic")
        wrote = write_retro(world)
        requests = scene.requests()

    assert (wrote.code, wrote.stderr.count("no references")) == (0, len(items()))
    assert {request.path for request in requests} == {"/v1/embeddings"}
    assert world.query("SELECT count(*) FROM entries WHERE embedding IS NOT NULL") == [
        (len(items()),)
    ]


def test_keywords_past_ten_are_named_in_a_warning(world: World) -> None:
    words = [f"Label {number}" for number in range(12)]
    fits = write_retro(world, one("Quote every field.", keywords=[*words[:10], "code"]))
    left_out = write_retro(world, one("Quote no field.", keywords=words))

    assert "left out: " not in fits.stderr
    message = "a learning keeps its first 10 keywords, these were left out: Label 10, Label 11\n"
    assert f"Warning: act.patterns[0]: {message}" in left_out.stderr


CLAUSE = "Read a feed line by line"


@pytest.mark.parametrize(
    "text",
    [
        f"{CLAUSE}, as the first bad record is known by its number.",
        f"{CLAUSE}. It is enough.",
        f"{CLAUSE}.",
        CLAUSE,
    ],
)
@pytest.mark.parametrize("named", [{"name": CLAUSE}, {}], ids=["named", "without a name"])
def test_a_lesson_whose_name_begins_its_text_is_printed_once(
    world: World, text: str, named: dict[str, str]
) -> None:
    on_a_feature_branch(world)
    assert write_retro(world, one(text, **named)).code == 0
    [bank] = banks(world).values()
    block = world.hook().stdout

    assert block.count(CLAUSE) == 1
    assert f"### Pattern: {CLAUSE}\n{text}\n- Observed in: " in bank
    assert f"### Pattern: {CLAUSE}\n" in block
    assert hardwon(world, "why", "--verify").code == 0

    assert write_retro(world, one(text, **named)).code == 0
    assert [row[0::2] for row in rows(world)] == [(content_hash(text), 2)]
    world.database.unlink()
    hardwon(world, "import")
    assert [row[:3] for row in rows(world)] == [(content_hash(text), CLAUSE, 2)]


AWKWARD = (
    f"{CLAUSE}, as the first bad record is known by its number.",
    f"{CLAUSE}.",
    "Quote every field.",
    "\u2026 and so on is no end of a sentence.",
    "\u2026\u2026 nor is this.",
    "Steps:\n- read\n- write\n### Then stop\n\u2026 for a day.",
    "  Two   spaces,\n\n\na gap. ",
)


def as_the_seed_reads(text: str) -> dict[str, str]:
    """Return the descriptions of a bank by id, read by the rules of the markdown-only pipeline alone."""
    chunks = re.split(r"(?m)^### ", re.sub(r"(?s)<!--.*?-->", "", text))
    bodies = (
        chunk.partition("\n")[2]
        for chunk in chunks
        if chunk.strip() and not chunk.startswith(("## ", "# "))
    )
    descriptions = [re.split(r"(?m)^- ", body)[0].strip() for body in bodies]
    return {
        hashlib.sha256(" ".join(it.lower().split()).encode()).hexdigest()[:16]: it
        for it in descriptions
    }


def test_the_seeds_reader_reads_the_bank_with_the_same_ids(world: World) -> None:
    answer = {
        "act": {
            "patterns": [{"text": text, "name": CLAUSE, "confidence": "high"} for text in AWKWARD]
        }
    }
    assert write_retro(world, answer).code == 0
    seen = as_the_seed_reads(banks(world)[f"{BANK}/patterns.md"])

    assert [*seen] == [content_hash(text) for text in AWKWARD]
    assert {row[0] for row in rows(world)} == {*seen}
    world.configure(semantic_enabled="false")
    printed = world.hook().stdout
    assert all(f"\n{description}\n- Obser" in printed for description in seen.values())


def test_a_lesson_that_both_banks_hold_keeps_the_higher_count(world: World) -> None:
    counts = {"One": (3, 9), "Two": (8, 2), "Three": (5, 5), "Four": (1, 100), "Five": (0, 4)}
    for at, is_global in enumerate((False, True)):
        lessons = (
            f"### Pattern: {name}\nLesson  {name}.\n- Observation count: {both[at]}\n"
            for name, both in counts.items()
        )
        world.write_bank("patterns", "\n".join(lessons), of_all_projects=is_global)
    assert hardwon(world, "import").code == 0
    assert {row[1]: row[2] for row in rows(world)} == {
        name: max(both) for name, both in counts.items()
    }

    assert write_retro(world, one("lesson one.")).code == 0
    assert {row[2] for row in rows(world) if row[1] == "One"} == {10}


def test_no_lock_and_no_settings_of_a_tool_are_among_the_references(world: World) -> None:
    on_a_feature_branch(world)
    (world.project / "web").mkdir()
    world.commit(
        ".meta.json", ".mcp.json", "uv.lock", "web/package-lock.json", "Cargo.lock", "poetry.lock"
    )
    write_retro(
        world, one("The uv.lock and the .mcp.json went out of step with the reader.", name="Locks")
    )

    assert world.query('SELECT "references" FROM entries') == [('["reader.py"]',)]
