"""The receipt of a session start, and whether it proves the text."""

from collections.abc import Sequence

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, RecallOccasion
from hardwon.domain.model.injection.entry_text import MAX_UNITS
from hardwon.domain.model.injection.receipt import (
    NO_ROOM,
    OWED,
    TOO_LOW,
    Receipt,
    assembled,
    text_digest,
)
from hardwon.domain.model.injection.verify import VerificationResult, reprinted, verdict
from hardwon.domain.use_cases.inject_at_start import StartInjection, receipt_of_start
from tests.fakes.models import PlantedEmbedder
from tests.fakes.projects import working_in
from tests.fakes.session import InMemorySession
from tests.strategies import (
    DAY,
    NOW,
    QUERY_VECTOR,
    WORDS,
    all_entries,
    lesson,
    of_file,
    planted,
    unit_vectors,
)

QUERY = ContextQuery(feature=Feature(slug="parser", phase="design"))
HERE = working_in("here", "work", "main")
LONG = 4_000
"""Characters; what is longer than a third of the block goes first."""


class Session(InMemorySession):
    """Session starts on a store in memory, with conversations."""

    def inject(
        self,
        query: ContextQuery = QUERY,
        occasion: RecallOccasion | None = None,
        *,
        limit: int = 20,
        framed: bool = True,
    ) -> StartInjection:
        return self.inject_at_start.block_for(
            query,
            limit=limit,
            deadline=self.clock.deadline(2.0),
            workplace=working_in("here"),
            framed=framed,
            occasion=occasion,
        )

    def entries(self) -> dict[str, Entry]:
        return {entry.entry_id: entry for entry in self.repository.matching(EVERYTHING, limit=100)}


def session_with(*entries: Entry, vectors: Sequence[Sequence[float]] = ()) -> Session:
    """Return a session with *entries*, the first with these vectors."""
    session = Session(embedder=PlantedEmbedder({QUERY.compose() or "": QUERY_VECTOR}))
    for entry in entries:
        session.add(entry)
    session.vectors.put(list(zip(session.vectors.pending(100), vectors, strict=False)))  # type: ignore[arg-type]
    return session


def receipt_of(injection: StartInjection) -> Receipt:
    return receipt_of_start(injection, session_id="s", project="here", at=NOW)


def put_together(receipt: Receipt, entries: dict[str, Entry]) -> str:
    return assembled(
        receipt.frame, [reprinted(shown, entries[shown.entry_id]) for shown in receipt.shown]
    )


def rule(text: str) -> Entry:
    return attrs.evolve(lesson(text), tier="constitutional", notes="Always.")


worlds = st.lists(
    st.builds(
        lambda entry, times, tier: attrs.evolve(
            entry, description=(entry.description + "\n") * times, tier=tier
        ),
        all_entries,
        st.sampled_from([1, 1, 60, 400]),
        st.sampled_from(["constitutional", "important", "normal"]),
    ),
    max_size=12,
    unique_by=lambda entry: entry.entry_id,
)


@given(
    entries=worlds,
    vectors=st.lists(unit_vectors, max_size=8),
    query=st.sampled_from([QUERY, ContextQuery(), ContextQuery(files=WORDS)]),
    budget=st.sampled_from([0, 12, 30, 600]),
    limit=st.sampled_from([1, 3, 9, 20]),
    framed=st.booleans(),
)
@settings(max_examples=max(1, settings().max_examples // 2))
def test_the_receipt_of_any_block_gives_its_text_byte_for_byte(
    entries: list[Entry],
    vectors: list[list[float]],
    query: ContextQuery,
    budget: int,
    limit: int,
    *,
    framed: bool,
) -> None:
    session = session_with(*entries, vectors=vectors)
    injection = session.inject(query, RecallOccasion(HERE, budget), limit=limit, framed=framed)
    receipt = receipt_of(injection)
    known = session.entries()
    numbers = {entry.number: entry_id for entry_id, entry in known.items()}

    assert put_together(receipt, known) == injection.text
    assert receipt.digest == text_digest(injection.text)
    assert verdict(receipt, known) == VerificationResult()
    assert sorted(shown.entry_id for shown in receipt.shown) == sorted(
        numbers[number] for number in injection.numbers
    )
    assert not {item.entry_id for item in receipt.missed} & {
        item.entry_id for item in receipt.shown
    }
    assert [item.score for item in receipt.missed] == sorted(
        (item.score for item in receipt.missed), reverse=True
    )


def full_session() -> Session:
    """Return a session with a rule, three lessons and a conversation whose line is cut."""
    conversation = of_file(
        "We lock the parser. " + "It waits for the writer. " * 9,
        kind="conversation",
        project="here",
    )
    return session_with(
        rule("Name the unit."),
        *(lesson(f"parser {name}") for name in ("one", "two", "three")),
        conversation,
    )


def test_a_receipt_holds_the_form_of_every_entry_in_the_order_of_the_text() -> None:
    session = full_session()
    injection = session.inject(occasion=RecallOccasion(HERE, 30))
    receipt = receipt_of(injection)

    assert [shown.form for shown in receipt.shown] == [
        "note",
        "lesson",
        "lesson",
        "lesson",
        "conversation",
    ]
    assert [shown.score is None for shown in receipt.shown] == [True, False, False, False, False]
    assert [shown.room > 0 for shown in receipt.shown] == [False, False, False, False, True]
    assert (receipt.session_id, receipt.event, receipt.at, receipt.project) == (
        "s",
        "start",
        NOW,
        "here",
    )
    assert (receipt.query, receipt.space, receipt.policy) == (
        "parser. Phase: design",
        None,
        "adaptive",
    )
    assert receipt.missed == ()


def test_the_model_is_reported_if_any_and_without_a_signal_the_track_record_decides() -> None:
    session = session_with(lesson("parser"), vectors=[planted(0.8)])

    assert receipt_of(session.inject()).space == "planted-4"
    assert receipt_of(session.inject()).policy == "adaptive"
    assert receipt_of(session.inject(framed=False)).policy == "hybrid"
    without = receipt_of(session.inject(ContextQuery()))
    assert (without.query, without.space, without.policy) == (None, None, "prominence")
    [shown] = without.shown
    assert (shown.parts["prominence_weight"], shown.score) == (1.0, shown.parts["prominence"])


def test_it_names_the_best_three_that_nearly_were_there_and_why_not() -> None:
    session = session_with(
        *(attrs.evolve(lesson(f"parser {count}"), observation_count=count) for count in range(1, 7))
    )
    receipt = receipt_of(session.inject(limit=2, framed=False))
    scores = [miss.score for miss in receipt.missed]

    assert [miss.why for miss in receipt.missed] == [TOO_LOW] * 3
    assert [session.entries()[miss.entry_id].observation_count for miss in receipt.missed] == [
        4,
        3,
        2,
    ]
    assert min(item.score or 0.0 for item in receipt.shown) >= scores[0]


def test_chosen_entries_that_did_not_fit_are_reported_so() -> None:
    session = session_with(lesson("parser"), lesson("parser " * LONG))
    receipt = receipt_of(session.inject())

    assert len(receipt.shown) == 1
    assert [miss.why for miss in receipt.missed] == [NO_ROOM]
    assert len(session.inject().text) < MAX_UNITS


def test_entries_displaced_by_another_category_are_reported_so() -> None:
    session = session_with(
        *(lesson(f"parser {number}") for number in range(9)),
        *(lesson(f"old {number}", category="heuristics", age=900 * DAY) for number in range(3)),
    )

    injection = session.inject(limit=9, framed=False)

    assert [miss.why for miss in receipt_of(injection).missed] == [OWED] * 3


def test_secrets_of_the_query_are_neither_printed_nor_kept() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    session = session_with(lesson("parser"))
    injection = session.inject(ContextQuery(feature=Feature(slug=key), files=(f"{key}.py",)))
    receipt = receipt_of(injection)

    assert "IOSFODNN7" not in injection.text
    assert "IOSFODNN7" not in repr(receipt)
    assert receipt.query == "[REDACTED]. Phase: unknown. Files: [REDACTED].py"


def test_a_query_that_is_private_as_a_whole_is_none() -> None:
    assert ContextQuery(files=()).public is None
    assert ContextQuery(feature=Feature(slug="<private>x", phase="y")).public is None


def test_entries_that_changed_since_are_named() -> None:
    session = full_session()
    receipt = receipt_of(session.inject(occasion=RecallOccasion(HERE)))
    entries = session.entries()
    [first, *_, last] = [shown.entry_id for shown in receipt.shown]
    counted = receipt.shown[1].entry_id
    entries[counted] = attrs.evolve(entries[counted], notes="Counts.")
    entries[first] = attrs.evolve(entries[first], notes="Never.")
    entries[last] = attrs.evolve(entries[last], description="We do not lock.")

    assert verdict(receipt, entries) == VerificationResult(changed=(first, counted, last))
    del entries[first]
    assert verdict(receipt, entries) == VerificationResult(changed=(counted, last), gone=(first,))


def test_changes_besides_the_text_are_ignored() -> None:
    session = full_session()
    receipt = receipt_of(session.inject(occasion=RecallOccasion(HERE)))
    entries = {
        entry_id: attrs.evolve(entry, reasoning="Why not?")
        for entry_id, entry in session.entries().items()
    }

    assert verdict(receipt, entries).verified


@pytest.mark.parametrize(
    "tampered",
    [
        lambda receipt: receipt._replace(frame=("Obey: ", *receipt.frame[1:])),
        lambda receipt: receipt._replace(frame=receipt.frame[1:]),
        lambda receipt: receipt._replace(digest="0" * 64),
        lambda receipt: receipt._replace(
            shown=(receipt.shown[0]._replace(digest="0" * 64), *receipt.shown[1:])
        ),
        lambda receipt: receipt._replace(shown=receipt.shown[::-1]),
        lambda receipt: receipt._replace(shown=receipt.shown[1:], frame=receipt.frame[1:]),
    ],
)
def test_a_tampered_receipt_contradicts_itself(tampered: object) -> None:
    session = full_session()
    receipt = receipt_of(session.inject(occasion=RecallOccasion(HERE)))
    found = verdict(tampered(receipt), session.entries())  # type: ignore[operator]

    assert found.tampered
    assert not found.verified


def test_a_score_that_is_not_what_its_parts_give_is_reported() -> None:
    session = full_session()
    receipt = receipt_of(session.inject())
    lied = receipt.shown[1]._replace(score=0.99)
    shown = (receipt.shown[0], lied, *receipt.shown[2:])

    assert verdict(receipt._replace(shown=shown), session.entries()) == VerificationResult(
        miscounted=(lied.entry_id,)
    )
