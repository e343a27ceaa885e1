import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.entry_text import PrintedEntry, units
from hardwon.domain.model.injection.gate_terms import PromptTerms
from hardwon.domain.model.injection.neutral_text import FRAME_END, FRAME_START
from hardwon.domain.model.injection.receipt import MAX_MISSED, assembled, text_digest
from hardwon.domain.model.injection.relevance_gate import (
    AT_MOMENT,
    BESIDE_PROMPT,
    AgentFile,
    Contender,
    Contest,
    Rules,
    choose,
)
from hardwon.domain.model.likelihood import GATE_THRESHOLD, MODELS
from hardwon.domain.model.prompt_terms import plain, weighed
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.vocabulary import Category, Kind
from tests.strategies import NOW

TERMS = ("table", "column", "release")
PROMPT = PromptTerms((weighed(TERMS, {}, 100),), (), 100)
CONTEST = Contest(PROMPT, 1.0, 100, semantic=True)
PARTS = {"closeness": 0.35, "length": 10.0, "evidence": 0.0, "evidence_deviation": 0.0}
WHOLE = "A table's column over two releases."


def contender(
    number: int, description: str = WHOLE, score: float = 12.0, kind: Kind = "learning"
) -> Contender:
    category: Category | None = "patterns" if kind == "learning" else None
    ranking = RankingFacts(number, f"{number:016x}", category, 1, "medium", NOW, 0)
    facts = RecallFacts(
        ranking,
        kind,
        None,
        None,
        None,
        permanent=False,
        content_hash="",
        words=5,
        tier="normal",
        importance_weight=0.5,
        created_at=NOW,
        anchor_id="",
    )
    return Contender(
        facts,
        PrintedEntry(number, f"Name {number}", description, "", category, 1, "medium"),
        score,
        PARTS,
    )


def rules(*, shown: frozenset[str] = frozenset(), instructions: Sequence[AgentFile] = ()) -> Rules:
    return Rules(CONTEST, shown, lambda: instructions)


descriptions = st.builds(
    lambda words, length: " ".join(words) + " x" * length,
    st.lists(st.sampled_from([*TERMS, "parser", "𝄞"]), min_size=1, max_size=4),
    st.integers(0, 800),
)
fields = st.lists(
    st.tuples(descriptions, st.floats(-2, 30), st.sampled_from(["learning", "document"])),
    min_size=0,
    max_size=6,
)


@given(
    fields=fields,
    shown=st.frozensets(st.integers(0, 5)),
    instructions=st.none() | st.integers(0, 5),
)
def test_at_most_two_whole_new_winners_are_shown_in_the_order_of_their_scores(
    fields: list[tuple[str, float, Kind]], shown: frozenset[int], instructions: int | None
) -> None:
    ranked = sorted(fields, key=lambda field: -field[1])
    contenders = [contender(number, *field) for number, field in enumerate(ranked)]
    known = (
        []
        if instructions is None or instructions >= len(ranked)
        else [AgentFile("CLAUDE.md", plain(f"- {ranked[instructions][0]}"))]
    )
    choice = choose(
        contenders, rules(shown=frozenset(f"{number:016x}" for number in shown), instructions=known)
    )

    assert len(choice.chosen) <= 2
    chosen = [winner.contender for winner in choice.chosen]
    assert chosen == [candidate for candidate in contenders[:2] if candidate in chosen]
    assert units(choice.text) <= BESIDE_PROMPT.room
    assert all(winner.win(CONTEST).probability >= GATE_THRESHOLD for winner in chosen)
    assert not {winner.facts.ranking.number for winner in chosen} & shown
    assert len(choice.missed) == min(len(contenders) - len(choice.chosen), MAX_MISSED)
    if choice.chosen:
        assert (
            choice.text
            == FRAME_START + "".join(winner.text for winner in choice.chosen) + FRAME_END
        )
        assert choice.text == assembled(choice.frame, [winner.text for winner in choice.chosen])
    else:
        assert choice.text == ""


def test_every_reason_is_reported() -> None:
    contenders = [contender(0), contender(1), contender(2, score=1.0)]

    assert [miss.why for miss in choose(contenders, rules()).missed] == ["too weak"]
    shown = frozenset({contenders[0].entry_id})
    assert [miss.why for miss in choose(contenders, rules(shown=shown)).missed] == [
        "shown already in this session",
        "too weak",
    ]
    instructions = [
        AgentFile("AGENTS.md", plain("Nothing of it.")),
        AgentFile("CLAUDE.md", plain(f"# x\n* {WHOLE}")),
    ]
    assert [miss.why for miss in choose(contenders, rules(instructions=instructions)).missed] == [
        "CLAUDE.md says it already",
        "CLAUDE.md says it already",
        "too weak",
    ]
    large = [contender(0, WHOLE + " x" * 800), contender(1)]
    choice = choose(large, rules())
    assert [miss.why for miss in choice.missed] == ["no room"]
    assert [winner.contender for winner in choice.chosen] == [large[1]]


def test_an_identifier_counts_for_the_one_entry_that_holds_it() -> None:
    asked = rules()._replace(
        contest=CONTEST._replace(
            terms=PROMPT._replace(identifiers=(("vite", "api", "url"), ("name",)))
        )
    )
    chosen = choose([contender(0, f"{WHOLE} VITE_API_URL"), contender(1)], asked).chosen

    assert [winner.win.parts["quoted"] for winner in chosen] == [1.0, 0.0]


def test_no_file_is_read_for_entries_that_do_not_win() -> None:
    read = list[str]()

    def instructions() -> list[AgentFile]:
        read.append("once")
        return []

    choose([contender(0, "Nothing of it.")], Rules(CONTEST, frozenset(), instructions))
    assert read == []
    choose([contender(0), contender(1)], Rules(CONTEST, frozenset(), instructions))
    assert read == ["once"]


def test_a_lesson_is_printed_as_in_the_block_and_anything_else_as_a_note() -> None:
    lesson, note = contender(0), contender(1, kind="decision")

    assert tuple(map(BESIDE_PROMPT.form_of, (lesson, note))) == ("lesson", "note")
    assert (
        BESIDE_PROMPT.text(lesson)
        == f"### Pattern: Name 0\n{WHOLE}\n- Observation count: 1\n- Confidence: medium\n\n"
    )
    assert BESIDE_PROMPT.text(note) == f"### Name 1\n{WHOLE}\n\n"


def test_at_a_moment_one_entry_is_printed_by_itself_with_its_date_and_project() -> None:
    of_another = contender(0)._replace(printed=contender(0).printed._replace(origin="shop"))
    choice = choose([of_another, contender(1)], rules()._replace(printing=AT_MOMENT))

    assert [miss.why for miss in choice.missed] == ["no room"]

    [winner] = choice.chosen
    assert (
        winner.text == f"[memory {of_another.entry_id}, kept 2026-03-01, shop]\nName 0\n{WHOLE}\n"
    )
    assert winner.shown.form == "memory"
    assert units(choice.text) <= 1_200


def test_a_receipt_can_explain_what_was_shown() -> None:
    [winner] = choose([contender(0)._replace(parts={**PARTS, "cosine": 0.5})], rules()).chosen
    shown = winner.shown

    assert shown.digest == text_digest(BESIDE_PROMPT.text(contender(0)))
    assert shown.parts["cosine"] == 0.5
    assert shown.parts["words"] == pytest.approx(math.sqrt(2))
    assert shown.parts["model"] == MODELS["prompt"].number
    assert shown.parts["probability"] == contender(0).win(CONTEST).probability
