"""`hardwon list`, `show` and `stats`."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import COMPLETE, VALID, bank, finish, hardwon, keep, start, write

FIELDS = {
    *(
        "id",
        "name",
        "description",
        "reasoning",
        "category",
        "keywords",
        "references",
        "observation_count",
    ),
    *(
        "confidence",
        "recall_count",
        "last_recalled_at",
        "created_at",
        "updated_at",
        "source",
        "source_project",
    ),
}
ODD_NAMES = [
    "[red]x[/red]",
    ":smile: \\",
    "[/]",
    "漢字 and カタカナ and 👩‍👩‍👧",
    "a [link=x]b",
    "{0} %s",
]


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world that searches by word only."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def test_an_empty_store_prints_the_next_step(world: World) -> None:
    assert hardwon(world, "list") == (0, "Nothing is remembered yet: run hardwon import\n", "")
    assert (
        hardwon(world, "list", "--category", "patterns").stdout
        == "No patterns are remembered yet\n"
    )
    assert hardwon(world, "list", "--json").document == {"items": [], "total": 0, "offset": 0}
    assert hardwon(world, "stats", "--json").document["entries"] == {"total": 0}


def test_the_list_is_newest_first_a_page_at_a_time(world: World) -> None:
    world.write_bank(
        "patterns",
        "".join(f"### P{n}\nT{n}.\n- Last observed: 2026-01-0{n}\n" for n in range(1, 8)),
    )
    world.write_bank("heuristics", "### H\nT.\n- Last observed: 2025-01-01\n")
    world.import_bank()

    page = hardwon(world, "list", "--limit", "3", "--offset", "2", "--json").document
    assert (page["total"], page["offset"]) == (8, 2)
    assert [entry["name"] for entry in page["items"]] == ["P5", "P4", "P3"]
    only = hardwon(world, "list", "--category", "heuristics", "--json").document
    assert (only["total"], [entry["name"] for entry in only["items"]]) == (1, ["H"])
    lines = hardwon(world, "list", "--limit", "2").stdout.splitlines()
    assert lines[0].split() == [
        "id",
        "kind",
        "category",
        "seen",
        "confidence",
        "updated",
        "recalls",
        "name",
    ]
    assert [line.split()[-1] for line in lines[1:3]] == ["P7", "P6"]
    assert lines[3] == "2 of 8 entries"


def test_names_are_printed_as_they_are_on_one_line_each(world: World) -> None:
    for number, name in enumerate([*ODD_NAMES, "long " * 60]):
        keep(world, name=name, description=f"Number {number}.")

    lines = hardwon(world, "list").stdout.splitlines()

    assert len(lines) == len(ODD_NAMES) + 3
    for name in [*ODD_NAMES, ("long " * 60).strip()]:
        assert any(line.rstrip().endswith(name) for line in lines), name


def test_show_prints_every_field_in_text_and_json(world: World) -> None:
    text = "[bold]Not[/bold] :smile: markup\twith a tab\n\nand 漢字 \\"
    fields = {**VALID, **COMPLETE, "description": text, "confidence": "high", "source": "retro"}
    entry_id = keep(world, **fields).entry_id
    keep(world, **fields)
    world.variables["HARDWON_INJECTION_LIMIT"] = "1"
    world.argument_form()

    document = hardwon(world, "show", entry_id, "--json").document
    assert document.keys() >= FIELDS
    assert {name: document[name] for name in fields} == fields
    assert (document["observation_count"], document["recall_count"]) == (2, 1)
    assert document["created_at"] < document["updated_at"] < document["last_recalled_at"]
    shown = hardwon(world, "show", entry_id[:4]).stdout
    assert text in shown
    assert "Why: A reading of a number without its unit." in shown
    facts = dict(line.split(maxsplit=1) for line in shown.split("\n\n")[-1].splitlines())
    assert facts.keys() == {
        *(
            "id",
            "category",
            "confidence",
            "observed",
            "recalled",
            "keywords",
            "references",
            "source",
            "created",
        ),
        *(
            "number",
            "tier",
            "weight",
            "context",
            "triggers",
            "found",
            "judged",
            "expires",
            "used",
            "origin",
        ),
    }
    assert (facts["id"], facts["keywords"], facts["references"]) == (
        entry_id,
        "unit, number, reading",
        "feature 7",
    )
    assert facts["observed"].startswith("2 times, last 20")
    assert facts["recalled"].startswith("1 time, last 20")
    assert facts["source"] == f"retro, {world.project.name}"


def test_the_notes_of_a_bank_are_shown(world: World) -> None:
    world.write_bank(
        "patterns", "### P\nText.\n- Confidence: low\n- Cost: high\n- Observed in: feature 7\n"
    )
    world.import_bank()
    [entry] = hardwon(world, "list", "--json").items

    shown = hardwon(world, "show", entry["id"]).stdout

    assert "- Cost: high\n- Observed in: feature 7\n" in shown
    assert "recalled      never\n" in shown


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("ffff", "no entry has the id 'ffff' (hardwon list shows them)"),
        ("abc", "'abc' is too short: give at least 4 characters"),
        ("", "'' is too short"),
        ("%%%%", "no entry has the id '%%%%'"),
        ("'; --", "no entry has the id"),
        ("Name the unit", "no entry has the id 'Name the unit'"),
    ],
)
def test_an_unknown_id_is_the_users_mistake(world: World, reference: str, message: str) -> None:
    keep(world)

    done = hardwon(world, "show", reference)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr


def test_the_beginning_of_two_ids_is_refused_and_a_longer_one_is_enough(world: World) -> None:
    keep(world)
    keep(world, description="Another.")
    for number, (entry_id,) in enumerate(world.query("SELECT id FROM entries")):
        connection = world.connect()
        connection.execute(
            "UPDATE entry SET id = ? WHERE id = ?", (f"abcd{number}{entry_id[5:]}", entry_id)
        )

    done = hardwon(world, "show", "abcd")
    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "more than one entry begins with 'abcd'" in done.stderr
    assert hardwon(world, "show", "ABCD1").code == 0


def test_the_statistics_count_what_is_there(world: World) -> None:
    world.write_bank("patterns", bank("Pattern: One", "Pattern: Two"))
    world.import_bank()
    keep(world, source_project=None, confidence="high")

    figures = hardwon(world, "stats", "--json").document

    assert figures["entries"] == {"total": 3}
    assert figures["by_category"] == {"patterns": 2, "heuristics": 1}
    assert figures["by_confidence"] == {"medium": 2, "high": 1}
    assert figures["by_source"] == {"import": 2, "manual": 1}
    assert figures["by_project"] == {world.project.name: 2, "": 1}
    assert figures["embedding"] == {
        "provider": "off",
        "model": "none",
        "dimensions": 0,
        "embedded": 0,
        "pending": 0,
        "trouble": "",
    }
    text = hardwon(world, "stats").stdout
    assert "  (universal)           1\n" in text
    assert "  embedding_model       (none)\n" in text


def test_the_embedded_model_is_what_searches_when_nothing_is_set(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    keep(world)
    world.embed()

    assert hardwon(world, "stats", "--json").document["embedding"] == {
        "provider": "local",
        "model": "all-MiniLM-L6-v2",
        "dimensions": 384,
        "embedded": 1,
        "pending": 0,
        "trouble": "",
    }


STATS_OF_EACH = """
import contextlib, io, sys
from hardwon.entrypoints.cli.program import program
for root in sys.argv[1:]:
    arguments = ["stats", "--json", "--project-root", root]
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        program(arguments)(arguments, standalone_mode=False)
        out.flush()
    print(out.buffer.getvalue().decode().replace(chr(10), ""))
"""

DEFAULTS = {
    "injection_enabled": True,
    "semantic_enabled": True,
    "injection_limit": 20,
    "vector_weight": 0.5,
    "keyword_weight": 0.2,
    "prominence_weight": 0.3,
    "embedding_provider": "auto",
    "embedding_model": "",
    "keyword_provider": "auto",
    "keyword_search": True,
}
SETTINGS: dict[str, tuple[str, dict[str, object]]] = {
    "no file": ("", {}),
    "an unrelated file": ("---\ntitle: notes\n---\n", {}),
    "front matter": ("---\nmemory_injection_limit: 7\n---\ntext\n", {"injection_limit": 7}),
    "outside of any front matter": ("text\nmemory_injection_limit: 7\n", {"injection_limit": 7}),
    "the first of two": (
        "memory_injection_limit: 7\nmemory_injection_limit: 9\n",
        {"injection_limit": 7},
    ),
    "an indented key is none": ("  memory_injection_limit: 7\n", {}),
    "all spaces go": (
        "memory_keyword_provider:  o ff \n",
        {"keyword_provider": "off"},
    ),
    "a negative integer": ("memory_injection_limit: -3\n", {"injection_limit": -3}),
    "a decimal without a head": (
        "memory_vector_weight: .6\nmemory_keyword_weight: .1\n",
        {"vector_weight": 0.6, "keyword_weight": 0.1},
    ),
    "false": ("memory_injection_enabled: false\n", {"injection_enabled": False}),
    "a switch that is not exactly true": (
        "memory_injection_enabled: True\n",
        {"injection_enabled": False},
    ),
    "text for a number": ("memory_injection_limit: many\n", {}),
    "a provider": ("memory_embedding_provider: local\n", {"embedding_provider": "local"}),
    "a provider on the network": ("memory_embedding_provider: ollama\n", {}),
    "a provider nobody has": ("memory_embedding_provider: acme\n", {}),
    "a keyword provider": ("memory_keyword_provider: off\n", {"keyword_provider": "off"}),
    "keyword search off": ("memory_keyword_search: false\n", {"keyword_search": False}),
    "a value that is missing": ("memory_injection_limit:\n", {}),
    "weights of another sum": (
        "memory_vector_weight: 2\nmemory_keyword_weight: 1\nmemory_prominence_weight: 1\n",
        {"vector_weight": 0.5, "keyword_weight": 0.25, "prominence_weight": 0.25},
    ),
    "a negative weight": ("memory_vector_weight: -0.5\n", {}),
    "weights of nothing": (
        "memory_vector_weight: 0\nmemory_keyword_weight: 0\nmemory_prominence_weight: 0.0\n",
        {},
    ),
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Return the output of one process for a project with each of the files."""
    world = World(tmp_path_factory.mktemp("settings"), contextlib.ExitStack())
    roots = {}
    for number, (name, (text, _)) in enumerate(SETTINGS.items()):
        root = world.folder / str(number)
        (root / ".claude").mkdir(parents=True)
        if text:
            (root / ".claude" / "iflow-dev.local.md").write_text(text, encoding="utf-8")
        roots[name] = str(root)
    documents = finish(
        start(world, "python", "-c", STATS_OF_EACH, *roots.values())
    ).stdout.splitlines()
    return {
        name: json.loads(document)["settings"]
        for name, document in zip(roots, documents, strict=True)
    }


@pytest.mark.parametrize(
    ("name", "changed"), [(name, changed) for name, (_, changed) in SETTINGS.items()], ids=SETTINGS
)
def test_the_statistics_hold_the_settings_of_the_project(
    settings: dict[str, dict[str, object]], name: str, changed: dict[str, object]
) -> None:
    assert {key: settings[name][key] for key in DEFAULTS} == {**DEFAULTS, **changed}


@pytest.mark.parametrize("command", [("list", "--json"), ("stats", "--json"), ("doctor", "--json")])
def test_json_stays_json_when_the_terminal_knows_ascii_only(
    world: World, command: tuple[str, ...]
) -> None:
    keep(world, name="Größe 漢字", source_project="Büro")
    plain = hardwon(world, *command).document
    world.variables |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    done = hardwon(world, *command)

    assert done.stdout.isascii()
    assert json.loads(done.stdout) == plain


def test_text_is_escaped_where_the_terminal_knows_ascii_only(world: World) -> None:
    keep(world, name="Größe 漢字", description="Ü")
    world.variables |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    for command in (["list"], ["show", world.query("SELECT id FROM entries")[0][0]]):
        done = hardwon(world, *command)
        assert (done.code, done.stderr) == (0, "")
        assert r"Gr\xf6\xdfe \u6f22\u5b57" in done.stdout


def test_a_name_cannot_steer_the_terminal(world: World) -> None:
    keep(world, name="\x1b[2Jcleared\x07", description="\x1b]0;title\x07 said\rtwice")

    for command in (["list"], ["show", world.query("SELECT id FROM entries")[0][0]]):
        done = hardwon(world, *command)
        assert r"\x1b[2Jcleared\x07" in done.stdout
        assert "\x1b" not in done.stdout
        assert "\r" not in done.stdout


def test_the_bytes_of_the_store_are_those_of_the_database_and_its_log(world: World) -> None:
    keep(world, **COMPLETE)
    with contextlib.closing(sqlite3.connect(world.database)) as reader:
        reader.execute("BEGIN")
        reader.execute(
            "SELECT count(*) FROM entry"
        ).fetchone()  # the log can't be emptied while this is open
        assert (
            write(world, name="Another", description="Another lesson, which goes to the log.").code
            == 0
        )
        log = Path(f"{world.database}-wal")
        stats = hardwon(world, "stats", "--json").document

        assert log.stat().st_size > 0
        assert stats["store"]["bytes"] == world.database.stat().st_size + log.stat().st_size
        checked = hardwon(world, "doctor", "--json").document
        assert any(
            f"{stats['store']['bytes']} bytes" in item["detail"] for item in checked["findings"]
        )
