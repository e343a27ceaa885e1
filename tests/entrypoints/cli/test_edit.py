"""`hardwon edit`: a correction reaches the store and the knowledge banks, and the old text stays away."""

import json
import os
import stat
from pathlib import Path

import pytest

from hardwon.domain.model.identity import content_hash
from tests.entrypoints.cli.test_add import editor
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep, run
from tests.strategies import of_file

OLD, NEW = "Retry at once, always.", "Retry after a pause that doubles."
LOCAL = f"""# Patterns

<!-- of the team -->
### Pattern: Retry
{OLD}
- Observed in: feature one
- Observation count: 3
- Confidence: high

### Pattern: Name the unit
A number without its unit is misread.
"""


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.write_bank("patterns", LOCAL)
    world_by_word.import_bank()
    return world_by_word


def bank_of(world: World) -> Path:
    return world.project / "docs" / "knowledge-bank" / "patterns.md"


def texts(world: World) -> list[tuple[str, str]]:
    return world.query("SELECT id, description FROM entries ORDER BY description")


def edit(world: World, *arguments: str) -> None:
    done = hardwon(world, "edit", content_hash(OLD), *arguments)
    assert (done.code, done.stderr) == (0, "")


def test_a_correction_is_made_in_the_store_and_in_the_bank_and_nowhere_else(world: World) -> None:
    done = hardwon(
        world,
        "edit",
        content_hash(OLD),
        "--description",
        NEW,
        "--reasoning",
        "It flooded the server.",
    )

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"Updated: Retry (number 1, id: {content_hash(NEW)})",
        f"description: {OLD} -> {NEW}",
        "reasoning:  -> It flooded the server.",
        f"  changed in {bank_of(world)}",
    ]
    assert bank_of(world).read_text() == LOCAL.replace(OLD, NEW)
    assert (content_hash(NEW), NEW) in texts(world)
    assert len(texts(world)) == 2


def test_both_banks_are_corrected_and_a_new_name_is_their_heading(world: World) -> None:
    world.write_bank("patterns", f"### Retry\n{OLD}\n", of_all_projects=True)
    edit(world, "--description", NEW, "--name", "Back off")

    assert bank_of(world).read_text() == LOCAL.replace(OLD, NEW).replace(
        "Pattern: Retry", "Pattern: Back off"
    )
    assert (world.store / "patterns.md").read_text() == f"### Back off\n{NEW}\n"
    assert (
        hardwon(world, "import").stdout == "Imported 0 entries, 3 known already; 0 vectors made.\n"
    )


def test_counters_history_and_receipts_follow_and_the_old_id_still_names_it(world: World) -> None:
    world.hook(payload=world.session_start())
    hardwon(world, "validate", "1", "--useful")
    before = hardwon(world, "show", "1", "--json").document
    edit(world, "--description", NEW)
    edit(world, "--description", "Retry thrice.")

    for reference in (content_hash(OLD), content_hash(OLD)[:6], content_hash(NEW), "1"):
        after = hardwon(world, "show", reference, "--history", "--json").document
        assert (after["id"], after["number"]) == (content_hash("Retry thrice."), 1)
    kept = (
        "observation_count",
        "recall_count",
        "validation_count",
        "useful_count",
        "created_at",
        "source_project",
    )
    assert before["recall_count"] == 1
    assert [after[field] for field in kept] == [before[field] for field in kept]
    assert [(line["field"], line["old"], line["new"]) for line in after["history"][:2]] == [
        ("description", NEW, "Retry thrice."),
        ("description", OLD, NEW),
    ]
    assert hardwon(world, "why", content_hash(OLD)).code == 0
    assert {row[0] for row in world.query("SELECT entry_id FROM receipt_entry")} <= {
        row[0] for row in texts(world)
    }
    assert "Retry thrice." in hardwon(world, "recall", "retry thrice").stdout
    assert hardwon(world, "recall", "always", "--json").items == []


def test_the_old_text_does_not_come_back_from_another_bank_nor_at_a_session_start(
    world: World,
) -> None:
    edit(world, "--description", NEW)
    world.write_bank("heuristics", f"### Another heading\n{OLD.upper()}\n")
    world.write_bank("patterns", f"### Once more\n{OLD}\n", of_all_projects=True)
    before = world.query("SELECT * FROM entries"), world.query("SELECT * FROM entry_place")

    block = world.hook().stdout
    done = hardwon(world, "import")

    assert NEW in block
    assert OLD not in block
    assert (done.code, done.stderr) == (0, "")
    after = world.query("SELECT * FROM entries"), world.query("SELECT * FROM entry_place")
    assert [row[:7] for row in after[0]] == [row[:7] for row in before[0]]
    assert after[1] == before[1]
    assert "by hand" not in done.stdout
    assert "edited in" not in done.stdout


def test_the_old_text_that_is_observed_again_counts_for_the_new_one(world: World) -> None:
    edit(world, "--description", NEW)
    added = hardwon(world, "add", OLD)

    assert added.code == 0
    assert len(texts(world)) == 2
    shown = hardwon(world, "show", "1", "--json").document
    assert (shown["description"], shown["observation_count"]) == (NEW, 4)


def test_a_retrospective_that_says_the_old_text_counts_the_new_one_in_the_bank(
    world: World,
) -> None:
    edit(world, "--description", NEW)
    answer = {
        "act": {
            "patterns": [
                {
                    "text": OLD,
                    "provenance": "x",
                    "confidence": "high",
                    "keywords": ["a"],
                    "reasoning": "r",
                }
            ]
        }
    }
    wrote = run(world, "hardwon", "retro", "write", "-", stdin=json.dumps(answer).encode())

    assert wrote.code == 0
    now = bank_of(world).read_text()
    assert now.startswith(LOCAL.split("Observation count", maxsplit=1)[0].replace(OLD, NEW))
    assert (now.count("### "), "- Observation count: 4" in now) == (2, True)


def test_a_lesson_that_is_forgotten_comes_back_in_no_earlier_text(world: World) -> None:
    edit(world, "--description", NEW)
    forgotten = hardwon(world, "forget", content_hash(OLD), "--yes")
    world.write_bank("heuristics", f"### Another heading\n{OLD}\n")

    assert forgotten.code == 0
    assert hardwon(world, "import").stdout.splitlines()[0].startswith("Imported 0 entries")
    assert [text for _, text in texts(world)] == ["A number without its unit is misread."]


def test_an_edit_can_be_taken_back(world: World) -> None:
    edit(world, "--description", NEW)
    done = hardwon(world, "edit", "1", "--description", OLD)

    assert done.code == 0
    assert (content_hash(OLD), OLD) in texts(world)
    assert bank_of(world).read_text() == LOCAL
    assert hardwon(world, "show", content_hash(NEW), "--json").document["id"] == content_hash(OLD)


def test_a_text_that_another_lesson_has_is_refused_and_nothing_changes(world: World) -> None:
    before = texts(world)
    done = hardwon(world, "edit", "1", "--description", "A NUMBER without its unit is misread.")

    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "hardwon: another lesson says that: Name the unit (number 2, id: "
    )
    assert (texts(world), bank_of(world).read_text()) == (before, LOCAL)


def test_a_bank_that_can_not_hold_the_text_refuses_it_for_the_store_too(world: World) -> None:
    before = texts(world)
    done = hardwon(world, "edit", "1", "--description", "Say <!-- nothing --> here.")

    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert (texts(world), bank_of(world).read_text()) == (before, LOCAL)


def test_secrets_of_a_correction_are_taken_out(world: World) -> None:
    token = "ghp_" + "a1B2" * 9
    edit(world, "--description", f"Log in with {token}.")

    assert token not in bank_of(world).read_text()
    assert token not in str(texts(world))


def test_fields_may_come_as_json(world: World) -> None:
    fields = {"description": NEW, "name": "Back off"}
    done = run(world, "hardwon", "edit", "1", "-", "--json", stdin=json.dumps(fields).encode())

    assert [item["field"] for item in done.document["changed"]] == ["title", "description"]
    assert done.document["changed_in"] == [str(bank_of(world))]
    assert (done.document["entry"]["name"], done.document["entry"]["description"]) == (
        "Back off",
        NEW,
    )


BAD_JSON = {
    "nothing": (b"", "standard input is no JSON"),
    "a list": (b"[]", "must be a JSON object of name, description, reasoning"),
    "unknown": (b'{"text": "x"}', "unknown field 'text': use name, description, reasoning"),
    "no text": (b'{"name": 1}', "name is 1: it must be text"),
    "blank": (b'{"description": " "}', "description is blank"),
    "empty": (b"{}", "there is no terminal and no $EDITOR here"),
}


@pytest.mark.parametrize(("stdin", "message"), BAD_JSON.values(), ids=BAD_JSON)
def test_other_fields_are_one_line(world: World, stdin: bytes, message: str) -> None:
    done = run(world, "hardwon", "edit", "1", "-", stdin=stdin)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr


def test_bytes_that_are_no_text_change_nothing(world: World) -> None:
    before = texts(world)
    done = hardwon(world, "edit", "1", "--description", os.fsdecode(b"gr\xf6\xdfe"))

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "the text is not UTF-8" in done.stderr
    assert texts(world) == before


def test_the_editor_gets_the_text_in_a_file_of_its_own_that_goes_away(world: World) -> None:
    editor(world, f"""ls -l "$2" | cut -c1-10 >mode; cp "$2" seen; sed -i 's/{OLD}/{NEW}/' "$2" """)
    done = hardwon(world, "edit", "1")

    assert (done.code, done.stderr) == (0, "")
    assert (content_hash(NEW), NEW) in texts(world)
    seen = (world.project / "seen").read_text()
    assert "name: Retry\n" in seen
    assert seen.endswith(f"\n{OLD}\n")
    assert (world.project / "mode").read_text().strip() == stat.filemode(stat.S_IFREG | 0o600)
    assert list(world.folder.glob("hardwon-*.md")) == []


def test_texts_of_many_lines_go_through_the_editor_unchanged(world: World) -> None:
    edit(
        world,
        "--reasoning",
        'One: "two"\n\n- three',
        "--description",
        f"{NEW}\n\n- first\n\n### second\n",
    )
    before = hardwon(world, "show", "1", "--json").document
    editor(world, """sed -i 's/^name:.*/name: Back off/' "$2" """)

    assert hardwon(world, "edit", "1").code == 0
    after = hardwon(world, "show", "1", "--json").document
    assert after["name"] == "Back off"
    for field in ("description", "reasoning", "id"):
        assert after[field] == before[field]


IDLE = {
    "untouched": ("true", "Nothing was changed: the text is as it was\n"),
    "emptied": (': >"$2"', "Nothing was changed: the text is empty\n"),
}


@pytest.mark.parametrize(("script", "message"), IDLE.values(), ids=IDLE)
def test_an_unchanged_or_empty_text_changes_nothing(
    world: World, script: str, message: str
) -> None:
    editor(world, script)
    before = world.query("SELECT * FROM entries"), world.query("SELECT * FROM history")

    assert hardwon(world, "edit", "1") == (0, message, "")
    assert (world.query("SELECT * FROM entries"), world.query("SELECT * FROM history")) == before
    assert list(world.folder.glob("hardwon-*.md")) == []


LOST = {
    "the editor fails": ('echo Typed. >>"$2"; exit 3', "ended with exit code 3"),
    "the text is bad": ("printf -- '---\\ncolour: red\\n---\\nTyped.\\n' >\"$2\"", "unknown field 'colour'"),
    "it is another lesson": (
        "printf 'Typed.\\n' >seen; printf 'A number without its unit is misread.\\n' >\"$2\"",
        "another lesson says that",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("script", "message"), LOST.values(), ids=LOST)
def test_a_text_that_can_not_be_stored_is_kept(world: World, script: str, message: str) -> None:
    editor(world, script)
    done = hardwon(world, "edit", "1")

    [kept] = world.folder.glob("hardwon-*.md")
    assert done.code == 1
    assert f"What you wrote is kept in {kept}\n" in done.stderr
    assert message in done.stderr
    assert "Typed." in kept.read_text() or "misread" in kept.read_text()
    assert bank_of(world).read_text() == LOCAL


def test_a_document_of_the_user_is_edited_by_the_user(world: World) -> None:
    world.remember(of_file("A text.", kind="document", path="notes.md"))
    done = hardwon(world, "edit", "3", "--description", NEW)

    assert (done.code, done.stdout) == (1, "")
    assert (
        done.stderr
        == "hardwon: its text is that of its file: edit /memory/document/notes.md; hardwon index takes it over\n"
    )


REMEMBERED = "The staging database is read-only on Fridays."


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_captured_section_is_corrected_in_its_file_and_keeps_its_id(
    world: World, end: str
) -> None:
    [path] = hardwon(world, "remember", REMEMBERED, "--json").document["files"]
    hardwon(world, "remember", "Blue is the colour of the release channel.")
    file = Path(path)
    file.write_bytes(file.read_text().replace("\n", end).encode())
    hardwon(world, "index")
    entry = hardwon(
        world, "recall", "--in", "conversations", "--json", "staging database on Fridays"
    ).items[0]
    before = file.read_bytes().decode()
    editor(world, """cp "$2" seen; sed -i 's/on Fridays/on Mondays/g' "$2" """)

    done = hardwon(world, "edit", entry["id"])

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [f"  changed in {path}"]
    seen = (world.project / "seen").read_text()
    assert seen.startswith("## ")
    assert "ANCHOR" not in seen
    inner = seen.rstrip("\n").replace("\n", end)
    assert file.read_bytes().decode() == before.replace(
        inner, inner.replace("on Fridays", "on Mondays")
    )
    assert "on Mondays" in hardwon(world, "show", entry["id"], "--json").document["description"]
    assert hardwon(world, "edit", entry["id"], "--description", NEW).code == 1


def test_a_saved_session_is_corrected_as_a_whole(world: World) -> None:
    saved = run(
        world,
        "hardwon",
        "save",
        "-",
        "--description",
        "About the parser.",
        stdin=b"We wrote a parser.\n",
    )
    [file] = (world.project / "memory" / "sessions").glob("*.md")
    before = file.read_text()
    editor(world, """sed -i 's/the parser/the lexer/' "$2" """)

    assert (saved.code, hardwon(world, "edit", "3").code) == (0, 0)
    assert file.read_text() == before.replace("the parser", "the lexer")
    assert hardwon(world, "show", "3", "--json").document["description"] == "About the lexer."


BROKEN = {
    "its marker": ("echo '<!-- /ANCHOR:0123456789abcdef --><!-- ANCHOR:0123456789abcdef -->x' >>\"$2\"", "the markers of its"),
    "the file meanwhile": ('echo More. >>"$2"; for file in memory/conversations/*.md; do sed -i s/Fridays/Sundays/ "$file"; done', "changed meanwhile"),
}  # fmt: skip


@pytest.mark.parametrize(("script", "message"), BROKEN.values(), ids=BROKEN)
def test_a_section_that_can_not_be_replaced_stays_and_the_text_is_kept(
    world: World, script: str, message: str
) -> None:
    hardwon(world, "remember", REMEMBERED)
    entry = hardwon(
        world, "recall", "--in", "conversations", "--json", "staging database on Fridays"
    ).items[0]
    editor(world, script)
    done = hardwon(world, "edit", entry["id"])

    [kept] = world.folder.glob("hardwon-*.md")
    assert done.code in {1, 2}
    assert message in done.stderr
    assert str(kept) in done.stderr
    assert "More." not in "".join(path.read_text() for path in world.project.glob("memory/*/*.md"))


def test_a_lesson_in_no_bank_is_corrected_in_the_store(world: World) -> None:
    entry = keep(world, description="Only here.")
    done = hardwon(world, "edit", entry.entry_id, "--description", "Only there.")

    assert (done.code, "changed in" in done.stdout) == (0, False)
    assert bank_of(world).read_text() == LOCAL
