"""`hardwon why`: what a session start printed, why, and whether that can be proved."""

import math
import re
from typing import Any

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.subjects import words_of_subject
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.sessions import THEN
from tests.entrypoints.sessions import lesson as bank_lesson

SESSION = "4e1079b4-1075-4398-9c17-024ebe214a8d"
RULE = Entry(
    kind="document",
    name="Units",
    description="Name the unit.",
    tier="constitutional",
    file_path="/memories/units.md",
    source_project="project",
    created_at=THEN,
    updated_at=THEN,
)


def lesson(name: str, text: str) -> Entry:
    return Entry(name=name, description=text, category="patterns", created_at=THEN, updated_at=THEN)


QUOTES = lesson("Quotes", "The parser keeps quotes.")
COMMAS = lesson("Commas", "The parser splits records at commas.")
TABS = memory("conversation", "Tabs", "The parser reads tabs. It counts them.", None).entry


@pytest.fixture
def parser_world(empty_world: World) -> World:
    """Return a world that works on a parser by word alone, with a rule, two lessons and a conversation."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_feature("1-parser", {"slug": "parser", "status": "active"}, spec="# Parser\n")
    empty_world.remember(RULE, QUOTES, COMMAS, TABS)
    return empty_world


def start(world: World, **more: object) -> str:
    return world.hook(payload={**world.session_start(), **more}).stdout


def injections(world: World, *arguments: str) -> list[dict[str, Any]]:
    document: list[dict[str, Any]] = hardwon(world, "why", *arguments, "--json").items
    return document


def test_a_session_start_can_be_explained_and_proved(parser_world: World) -> None:
    text = start(parser_world)
    shown, proved = hardwon(parser_world, "why"), hardwon(parser_world, "why", "--verify")
    [document] = injections(parser_world, SESSION[:4], "--verify")
    lines = shown.stdout.splitlines()

    assert (shown.code, shown.stderr, proved.code, proved.stderr) == (0, "", 0, "")
    assert lines[0].endswith(f"  session start in project, session {SESSION}")
    assert lines.pop(1).startswith("delivery printed: the host does not tell")
    assert lines[1:3] == ["query    parser", "words    parser"]
    assert lines[3] == "ranked   by adaptive, model none"
    assert lines[4:6] == [f"          -  Units ({RULE.entry_id})", "     a rule that always stands"]
    assert lines[6].startswith("  1. ")
    assert re.fullmatch(
        r" {5}words 0\.7 \* [\d.]+ \+ length -0\.6 \* 0 \+ subjects 5 \* 0; relevance [\d.]+ >= 0\.2",
        lines[7],
    )
    assert lines[8].startswith("  2. ")
    assert lines[10] == "related  conversations, ranked by context"
    assert lines[11].startswith("  1. 0.")
    assert f"  Tabs ({TABS.entry_id})" in lines[11]
    assert " + touched file 0.2 * 0 + branch 0.2 * 0 + recency 0.15 * " in lines[12]
    assert proved.stdout == f"{lines[0]}: verified\n"
    assert document["proof"]["verified"]
    assert document["frame"][0] == text[: len(document["frame"][0])]
    assert [entry["name"] for entry in document["entries"]] == [
        "Units",
        *in_order(text, "Quotes", "Commas"),
        "Tabs",
    ]
    [(digest,)] = parser_world.query("SELECT digest FROM receipt")
    assert (document["digest"], document["nearly"]) == (digest, [])
    assert (document["event"], document["project"], document["session_id"]) == (
        "start",
        "project",
        SESSION,
    )
    assert (document["query"], document["space"], document["policy"]) == (
        "parser",
        None,
        "adaptive",
    )
    assert document["keyword_text"] == "parser"
    assert set(document["entries"][0]) == {
        *(
            "rank",
            "id",
            "name",
            "form",
            "policy",
            "score",
            "parts",
            "digest",
            "room",
            "from",
            "used",
            "outcome",
            "credit",
        ),
        "influence_count",
    }


def in_order(text: str, *names: str) -> list[str]:
    return sorted(names, key=text.index)


def test_near_misses_are_listed_with_the_reason(parser_world: World) -> None:
    parser_world.variables["HARDWON_CONTEXT_TOKENS"] = "0"
    parser_world.argument_form("--limit", "1")
    lines = hardwon(parser_world, "why").stdout.splitlines()

    assert lines[0].endswith("  session start in project")
    assert lines[-1].startswith("nearly: 0.")
    assert lines[-1].endswith(f"  Commas ({COMMAS.entry_id}): below the last place")


def test_entries_changed_or_deleted_since_are_named(parser_world: World) -> None:
    start(parser_world)
    hardwon(parser_world, "update", QUOTES.entry_id, "--title", "Quotation marks")
    hardwon(parser_world, "delete", COMMAS.entry_id, "--yes")
    done = hardwon(parser_world, "why", "--verify")
    [document] = injections(parser_world, "--verify")
    name = f"Quotation marks ({QUOTES.entry_id})"

    assert done.code == 1
    assert done.stdout.splitlines()[0].endswith(": differs")
    assert done.stdout.splitlines()[1:] == [
        f"  {name}: its text changed (hardwon show {QUOTES.entry_id} --history)",
        f"  {COMMAS.entry_id} is gone",
    ]
    assert document["proof"] == {
        "verified": False,
        "changed": [QUOTES.entry_id],
        "gone": [COMMAS.entry_id],
        "miscounted": [],
        "tampered": False,
        "since": [],
        "forgotten": 0,
    }
    assert (
        f"  {COMMAS.entry_id} (gone from the store)"
        in hardwon(parser_world, "why", COMMAS.entry_id).stdout
    )


def test_a_lesson_that_was_observed_again_still_proves_its_text_and_is_named(
    empty_world: World,
) -> None:
    empty_world.write_bank("patterns", bank_lesson("Pattern: Parser"))
    start(empty_world)
    [(entry_id,)] = empty_world.query("SELECT id FROM entry")
    hardwon(empty_world, "retro", "confirm", entry_id)
    done = hardwon(empty_world, "why", "--verify")
    [document] = injections(empty_world, "--verify")
    [then, now] = [{"observation_count": count, "confidence": "medium"} for count in (1, 2)]

    assert done.code == 0
    assert [line[-10:] for line in done.stdout.splitlines()[:1]] == [": verified"]
    assert done.stdout.splitlines()[1:] == [
        f"  Parser ({entry_id}): since then observed again: 1 \u2192 2"
    ]
    assert document["proof"]["verified"]
    assert document["proof"]["since"] == [{"id": entry_id, "then": then, "now": now}]


def test_a_tampered_receipt_is_reported(parser_world: World) -> None:
    start(parser_world)
    parser_world.query(
        "UPDATE receipt SET frame = replace(frame, 'not instructions', 'instructions')"
    )
    parser_world.query(
        "UPDATE receipt_entry SET score = score + 0.1 WHERE entry_id = ?", (QUOTES.entry_id,)
    )
    done = hardwon(parser_world, "why", "--verify")

    assert done.code == 1
    assert done.stdout.splitlines()[1:] == [
        f"  Quotes ({QUOTES.entry_id}): its parts do not give its score",
        "  the receipt contradicts itself: it was changed after it was written",
    ]


def test_a_forgotten_entry_is_no_sign_of_a_changed_receipt(parser_world: World) -> None:
    start(parser_world)
    assert hardwon(parser_world, "forget", COMMAS.entry_id, "--yes").code == 0
    done = hardwon(parser_world, "why", "--verify")
    document = hardwon(parser_world, "why", "--verify", "--json").items[0]

    assert done.code == 1
    assert done.stdout.splitlines()[1:] == [
        "  1 entry forgotten since, or taken out of the receipt"
    ]
    assert document["proof"]["forgotten"] == 1
    assert document["proof"]["tampered"] is False


def test_injections_are_listed_in_order_for_a_session_and_newest_first_for_an_entry(
    parser_world: World,
) -> None:
    parser_world.variables["CLAUDE_CODE_SESSION_ID"] = "4e10ffff"
    start(parser_world)
    parser_world.argument_form()
    start(parser_world, source="compact")

    assert [injection["number"] for injection in injections(parser_world, SESSION)] == [1, 3]
    assert [injection["session_id"] for injection in injections(parser_world, "4e10ffff")] == [
        "4e10ffff"
    ]
    assert [injection["number"] for injection in injections(parser_world, QUOTES.entry_id[:6])] == [
        3,
        2,
        1,
    ]
    assert [
        injection["number"]
        for injection in injections(parser_world, QUOTES.entry_id, "--limit", "1")
    ] == [3]
    assert {
        line
        for line in hardwon(parser_world, "why", TABS.entry_id).stdout.splitlines()
        if "Quotes" in line
    } == set()
    ambiguous = hardwon(parser_world, "why", "4e10")
    assert (ambiguous.code, ambiguous.stdout) == (1, "")
    candidates = f"(session {SESSION}; session 4e10ffff)"
    assert (
        f"'4e10' begins more than one session or entry: give more of it {candidates}"
        in ambiguous.stderr
    )


@pytest.mark.parametrize("reference", ["nonsense", "", "%\udcff", "9" * 30])
def test_an_unknown_reference_is_reported_in_one_line_and_leaves_no_store(
    empty_world: World, reference: str
) -> None:
    done = hardwon(empty_world, "why", reference)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert (
        "hardwon why tells of the newest injection, hardwon list shows the entries" in done.stderr
    )
    assert not empty_world.store.exists()


def test_before_the_first_injection_one_line_says_so(empty_world: World) -> None:
    done = hardwon(empty_world, "why", "--verify")

    assert (done.code, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert done.stdout.startswith("Nothing was injected into a session of this project yet")
    assert injections(empty_world) == []
    assert not empty_world.store.exists()


def test_an_entry_that_was_never_injected_is_no_mistake(parser_world: World) -> None:
    done = hardwon(parser_world, "why", QUOTES.entry_id)

    assert (done.code, done.stdout) == (
        0,
        f"{QUOTES.entry_id} was not injected into any session that is still known\n",
    )


def test_files_alone_leave_no_receipt(parser_world: World) -> None:
    parser_world.write_bank("patterns", bank_lesson("Pattern: Parser"))
    parser_world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"

    assert "Parser" in start(parser_world)
    assert parser_world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_no_secret_gets_into_a_receipt(empty_world: World) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_feature(
        "1", {"slug": key, "status": "active"}, spec=f"# Spec\n\nWith {key} we sign.\n"
    )
    empty_world.remember(QUOTES)
    text = start(empty_world)
    [(query, keyword_text, frame)] = empty_world.query(
        "SELECT query, keyword_text, frame FROM receipt"
    )

    assert query == "[REDACTED]. With [REDACTED] we sign"
    assert search_terms(keyword_text) == search_terms("sign " + words_of_subject("sign"))
    assert 'context: "[REDACTED]. With [REDACTED] we..."' in text
    assert key not in text + frame
    assert key.encode() not in b"".join(
        path.read_bytes() for path in empty_world.store.glob("memory.db*")
    )


def test_a_busy_store_loses_count_and_receipt_together_in_one_line(parser_world: World) -> None:
    connection = parser_world.connect()
    connection.execute("PRAGMA busy_timeout = 1000")
    connection.execute("BEGIN IMMEDIATE")
    run = parser_world.hook()
    connection.execute("ROLLBACK")

    assert "Quotes" in run.stdout
    [line] = run.log
    assert "recall not counted, no receipt kept: " in line
    assert parser_world.query(
        "SELECT (SELECT count(*) FROM receipt), (SELECT count(*) FROM recall)"
    ) == [(0, 0)]


def test_an_injection_beside_a_prompt_is_explained_and_verified_too(parser_world: World) -> None:
    parser_world.remember(
        *(lesson(f"Filler {number}", f"filler number {number}") for number in range(60))
    )
    text = "The parser keeps which quotes?"
    payload = {
        "session_id": SESSION,
        "cwd": str(parser_world.project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }
    tried = hardwon(parser_world, "why", "--prompt", text)
    assert tried.stdout.splitlines()[0] == "beside it would stand:"
    assert re.fullmatch(
        rf" {{2}}1\. probability \d\.\d\d >= 0\.9  Quotes \({QUOTES.entry_id}\): shown",
        tried.stdout.splitlines()[1],
    )
    assert parser_world.query(
        "SELECT (SELECT count(*) FROM receipt), (SELECT count(*) FROM recall)"
    ) == [(0, 0)]
    assert "Quotes" in parser_world.hook(payload=payload).stdout
    parser_world.variables["CLAUDE_CODE_SESSION_ID"] = SESSION
    second = run(
        parser_world, "hardwon", "why", "--prompt", "-", "--json", stdin=text.encode()
    ).document
    assert (second["text"], second["worth_asking"], second["on"]) == ("", True, True)
    assert second["items"][0]["kept_out"] == "shown already in this session"
    lines = hardwon(parser_world, "why").stdout.splitlines()

    assert lines[0].endswith(f"  prompt in project, session {SESSION}")
    assert lines.pop(1).startswith("delivery printed: the host does not tell")
    assert lines[1:3] == [f"query    {text}", "ranked   by adaptive, model none"]
    assert f"  Quotes ({QUOTES.entry_id})" in lines[3]
    assert " words 0.7 * " in lines[4]
    number = r"(-?[\d.]+)"
    names = (
        *("words", "lead", "excess length", "quoted", "ln entries"),
        *("asks", "concludes", "continues", "products"),
    )
    terms = r" \+ ".join(rf"{name} {number} \* {number}" for name in names)
    wins = re.fullmatch(
        rf" {{5}}wins: probability {number} >= 0\.9: 1 / \(1 \+ exp\(-x\)\), x = {number} \+ {terms}",
        lines[5],
    )
    assert wins
    probability, constant, *printed = map(float, wins.groups())
    logit = constant + sum(
        weight * value for weight, value in zip(printed[::2], printed[1::2], strict=True)
    )
    assert probability == pytest.approx(1 / (1 + math.exp(-logit)), abs=0.01)
    assert printed[9] == pytest.approx(math.log(64), abs=0.01)
    assert hardwon(parser_world, "why", "--verify").code == 0
    parser_world.query("UPDATE receipt_entry SET parts = json_set(parts, '$.words', 0.9)")
    assert "its parts do not give its score" in hardwon(parser_world, "why", "--verify").stdout


def test_a_prompt_without_content_injects_nothing(empty_world: World) -> None:
    empty_world.variables["HARDWON_PROMPT_ENABLED"] = "false"
    tried, mixed = (
        hardwon(empty_world, "why", *item, "--prompt", "go on") for item in ((), ("--verify",))
    )

    assert (tried.code, tried.stderr) == (0, "")
    assert [line.partition(":")[0] for line in tried.stdout.splitlines()] == [
        "switched off here",
        "nothing would stand beside it",
    ]
    assert (mixed.code, mixed.stderr.count("\n")) == (1, 1)
    assert not empty_world.store.exists()


@pytest.mark.parametrize("parts", ["{}", '{"vector": 1}'])
def test_a_receipt_without_the_parts_of_a_score_is_still_shown(
    parser_world: World, parts: str
) -> None:
    start(parser_world)
    parser_world.query("UPDATE receipt_entry SET parts = ?", (parts,))

    assert hardwon(parser_world, "why").code == 0
    assert "its parts do not give its score" in hardwon(parser_world, "why", "--verify").stdout
