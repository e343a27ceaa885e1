"""The sections of a chunk: the conversation, and its decisions, gotchas and preferences."""

import re

import attrs
import pytest
from hypothesis import given

from hardwon.adapters.markdown.anchors import AnchorSection
from hardwon.adapters.markdown.document import FileSection, file_sections, read_section
from hardwon.adapters.markdown.section_text import REST
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.options import alternatives, reasons
from hardwon.domain.model.conversation.session import (
    Answered,
    Chunk,
    ChunkMetadata,
    DraftChunk,
    Exchange,
    chunk_identity,
)
from hardwon.domain.model.identity import IDENTITY
from tests.conversations import MINUTE, chunks
from tests.strategies import NOW, few_examples

DECIDED = "We decided to use Postgres instead of MySQL because of the locks."
EXCHANGES = (
    Exchange("Unrelated: rename docs/old.md of phase 9.", "Renamed.", NOW),
    Exchange(
        "Postgres or MySQL for the locks of db.py in phase 71?",
        "MySQL locks whole tables, therefore writers wait.",
        NOW + MINUTE,
    ),
    Exchange(
        "", "", NOW + 2 * MINUTE, (Answered("Which one?", "Postgres", ("Postgres", "SQLite")),)
    ),
    Exchange("Right.", f"{DECIDED} Watch out: the migration is flaky.", NOW + 3 * MINUTE),
    Exchange("Thanks", "", NOW + 4 * MINUTE),
)
CHUNK = Chunk(
    chunk_id=chunk_identity("app", EXCHANGES[0]),
    title="[PERMANENT] Which database?",
    summary="Which database?",
    topic="database choice",
    exchanges=EXCHANGES,
    metadata=ChunkMetadata(
        decisions=(DECIDED,),
        gotchas=("Watch out: the migration is flaky.",),
        preferences=("I prefer tabs.",),
        files=("docs/old.md", "src/db.py"),
        areas=("infrastructure",),
        phases=("9", "71"),
    ),
    session_id="s-1",
    permanent=True,
)


def written(chunk: Chunk = CHUNK, plan: str | None = None) -> list[FileSection]:
    return list(file_sections(attrs.evolve(chunk, project="app", branch="main"), lambda _: plan))


def test_a_chunk_has_a_section_and_one_for_each_statement() -> None:
    assert [(section.kind, section.topic, section.title, section.at) for section in written()] == [
        ("conversation", "database choice", "[PERMANENT] Which database?", NOW),
        ("decision", "postgres mysql locks", DECIDED.rstrip("."), NOW + 3 * MINUTE),
        (
            "gotcha",
            "watch migration flaky",
            "Watch out: the migration is flaky",
            NOW + 3 * MINUTE,
        ),
        ("preference", "prefer tabs", "I prefer tabs", NOW),
    ]
    assert {(section.project, section.branch, section.permanent) for section in written()} == {
        ("app", "main", True)
    }


def test_a_decision_has_its_context_its_alternatives_and_its_reasons() -> None:
    text = written()[1].text

    assert re.findall("^### .*", text, re.MULTILINE) == [
        "### Decision",
        "### Full context",
        "### Alternatives",
        "### Reasoning chain",
        "### Related files",
    ]
    head, _, rest = text.partition("### Decision")
    assert head == (
        f"## {DECIDED.rstrip('.')}\n\n- **Time:** 2026-03-01T12:33:00Z\n- **Conversation:** `{CHUNK.chunk_id}`\n"
        "- **Session:** s-1\n- **Areas:** infrastructure\n"
        "- **Phases:** [Phase 71](../../.planning/phases/71-PLAN.md)\n- **Permanent:** yes\n\n"
    )
    context, _, reasoning = rest.partition("### Alternatives\n\n")
    assert [f"12:3{minute}:00Z" in context for minute in range(5)] == [
        False,
        True,
        True,
        True,
        False,
    ]
    assert reasoning == (
        "- MySQL\n- SQLite\n\n### Reasoning chain\n\n1. MySQL locks whole tables, therefore writers wait.\n"
        f"2. {DECIDED}\n\n### Related files\n\n- `src/db.py`"
    )


TALK = (
    Exchange("Rename the folder.", "Renamed `src/a.py`.", NOW),
    Exchange(
        "And **which** database?",
        f"We decided to use `uv` and **Postgres** {'for its many locks ' * 40}. Watch out: `a.py` is *flaky*.",
        NOW + MINUTE,
        (Answered("Which `one`?", "**Postgres**"),),
    ),
    Exchange("I prefer `tabs`.", "I prefer `tabs`. We decided to use `uv`.", NOW + 2 * MINUTE),
)


def test_a_statement_belongs_to_its_exchange_whatever_its_formatting() -> None:
    details = written(described(DraftChunk(topic="database", exchanges=TALK), "app", None))[1:]

    assert [(section.kind, (section.at - NOW) // MINUTE) for section in details] == [
        ("decision", 1),
        ("decision", 1),
        ("decision", 2),
        ("gotcha", 1),
        ("preference", 2),
    ]
    assert all("Renamed" not in section.text for section in details)


def test_a_statement_is_of_the_exchange_in_which_it_counts() -> None:
    exchanges = (
        Exchange("Well.", "I prefer tabs.", NOW),
        Exchange("I prefer tabs.", "", NOW + MINUTE),
    )
    [_, preference] = written(described(DraftChunk(topic="tabs", exchanges=exchanges), "app", None))

    assert (preference.kind, preference.at) == ("preference", NOW + MINUTE)


def test_a_secret_formed_by_joining_parts_reaches_no_section() -> None:
    secret = "hunter2" * 2
    asked = Exchange("Deploy", "Asked.", NOW, (Answered("What is the password?", "see below"),))
    joined = f"password: {secret}"
    leaking = attrs.evolve(
        described(DraftChunk(topic=joined, exchanges=(asked,)), "app", None),
        title=joined,
        summary=joined,
        metadata=ChunkMetadata(decisions=(joined,), gotchas=(joined,), files=("a.py",)),
    )

    assert len(written(leaking)) == 3
    assert all(
        secret not in part
        for section in written(leaking)
        for part in (section.text, section.title, section.topic)
    )


def test_a_decision_without_any_says_so() -> None:
    plain = attrs.evolve(
        CHUNK,
        exchanges=(Exchange("Use Postgres.", "", NOW),),
        metadata=ChunkMetadata(decisions=("Use Postgres.",)),
    )
    text = written(plain)[1].text

    assert (
        "### Alternatives\n\nNone were mentioned.\n\n### Reasoning chain\n\nNo reason was given.\n"
        in text
    )
    assert text.endswith("### Related files\n\nNone.")


def test_a_gotcha_has_its_context_and_no_alternatives() -> None:
    headings = re.findall("^### .*", written()[2].text, re.MULTILINE)

    assert headings == ["### Gotcha", "### Full context", "### Related files"]


@pytest.mark.parametrize(("lines", "is_cut"), [(5, False), (500, True)])
def test_a_note_has_at_most_sixty_lines_and_links_to_the_rest(lines: int, *, is_cut: bool) -> None:
    reply = "\n".join(f"We looked at line {number}." for number in range(lines))
    talk = (
        Exchange("Which database for the lines?", reply, NOW),
        Exchange("We decided to use Postgres for the lines.", reply, NOW + MINUTE),
    )
    files = tuple(f"src/{number}.py" for number in range(40))
    chunk = attrs.evolve(
        CHUNK,
        exchanges=talk,
        metadata=ChunkMetadata(
            decisions=("We decided to use Postgres for the lines.",), files=files
        ),
    )
    text = written(chunk)[1].text

    assert len(text.split("\n")) <= 60
    assert (REST in text, "- **Conversation:** `" in text) == (is_cut, True)
    assert "We decided to use Postgres for the lines." in text.partition("### Full context")[2]
    assert REST not in read_section(AnchorSection("a" * 16, text)).text


def test_a_phase_links_to_its_plan_else_to_where_it_will_be() -> None:
    for section in written(plan="docs/plans/71 a.md")[:2]:
        assert "[Phase 71](../../docs/plans/71%20a.md)\n" in section.text
    for section in written()[:2]:
        assert "[Phase 71](../../.planning/phases/71-PLAN.md)\n" in section.text


def test_a_statement_takes_files_and_phases_from_its_own_exchanges() -> None:
    _, decision, gotcha, preference = (section.text for section in written())

    assert ("- `src/db.py`" in decision, "[Phase 71](" in decision) == (True, True)
    assert not any(word in decision for word in ("docs/old.md", "Phase 9"))
    assert "### Related files\n\nNone." in gotcha
    assert "Phase" not in gotcha
    assert "### Related files\n\n- `docs/old.md`" in preference
    assert "- **Phases:** [Phase 9](" in preference


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        ("Use A instead of B because of C", ["B"]),
        ("We chose Redis over Memcached, and that is it", ["Memcached"]),
        ("A queue rather than a cron job. Good.", ["a cron job"]),
        ("We ruled out `sharding` for now", ["sharding"]),
        ("Go over the list again", []),
        ("instead of", []),
        ("INSTEAD OF X; instead of x", ["X"]),
        ("instead of " + "word " * 100, []),
    ],
)
def test_alternatives_are_what_was_named_beside_the_choice(
    utterance: str, expected: list[str]
) -> None:
    assert list(alternatives("Statement.", [Exchange(utterance, "", NOW)])) == expected


LISTED = {
    "Rejected: Parquet, XLSX.": ["Parquet", "XLSX"],
    "Noted. Rejected: Kubernetes (too much, for two people), Nomad (another daemon). Bye, all.": [
        "Kubernetes",
        "Nomad",
    ],
    "I've gone with uv. Alternatives considered: `pip`, poetry or conda.": [
        "pip",
        "poetry",
        "conda",
    ],
    "Alternatives: x, y": ["x", "y"],
    "Options: A) run on the VM, B) use k8s, C) Nomad": ["run on the VM", "Nomad"],
    "**Alternatives considered:**\n\n- **MySQL**: no JSONB\n- SQLite \u2014 one writer\n\n- the sops\n\nNext, please": [
        "MySQL",
        "SQLite",
    ],
    "### Options:\n1. Nomad, a daemon\n2. k8s": ["Nomad", "k8s"],
    "Options: --verbose, --help": [],
    "The options: none of them, we rejected options": [],
    "Options:": [],
}


@pytest.mark.parametrize(("utterance", "expected"), LISTED.items())
def test_an_option_listed_as_rejected_or_considered_is_an_alternative(
    utterance: str, expected: list[str]
) -> None:
    assert (
        list(alternatives("ok do sops, option B.", [Exchange("Hm.", utterance, NOW)])) == expected
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    {
        "i want 24h of overlap, not 1h, as clients cache": ["1h"],
        "Let's use pytest, not unittest.": ["unittest"],
        "We decided not to use Redis but SQLite.": ["Redis"],
        "We decided on not only Redis but SQLite.": [],
        "We use Postgres 16 instead of Postgres 12.": ["Postgres 12"],
    }.items(),
)
def test_a_statement_names_what_it_is_not(statement: str, expected: list[str]) -> None:
    assert (
        list(alternatives(statement, [Exchange("It is not a bug but a feature.", "", NOW)]))
        == expected
    )


def test_the_chosen_option_is_no_alternative() -> None:
    exchange = Exchange("Why MySQL instead of Postgres?", "Options: Postgres, MySQL.", NOW)

    assert list(alternatives("ok use postgres", [exchange])) == ["MySQL"]


@pytest.mark.parametrize(
    "reason", ["It is too slow.", "Kubernetes is overkill.", "Two rotations would break it."]
)
def test_an_argument_against_something_is_a_reason(reason: str) -> None:
    assert list(reasons([Exchange("Nothing here.", reason, NOW)])) == [reason]


def test_options_that_were_not_chosen_are_alternatives() -> None:
    asked = Answered("Which?", "sqlite, with WAL", ("SQLite", "DuckDB", "", "DuckDB"))

    assert list(alternatives("", [Exchange("", "Asked.", NOW, (asked,))])) == ["DuckDB"]


def test_reasons_keep_the_order_they_were_given_in() -> None:
    exchange = Exchange(
        "First, since it is late. Nothing here.", "Then\nbecause of  that\nlast", NOW
    )

    assert list(reasons([exchange, exchange])) == [
        "First, since it is late.",
        "Then because of that last",
    ]


@given(chunks())
@few_examples
def test_sections_are_identified_by_project_timestamp_and_statement_alone(chunk: Chunk) -> None:
    first = written(chunk)
    grown = attrs.evolve(
        chunk, title="Other", summary="Other", session_id="other", permanent=not chunk.permanent
    )

    assert [section.section_id for section in written(grown)] == [
        section.section_id for section in first
    ]
    assert all(IDENTITY.fullmatch(section.section_id) for section in first)
    assert len({section.section_id for section in first}) == len(first)
    assert first[0].section_id == chunk.chunk_id
