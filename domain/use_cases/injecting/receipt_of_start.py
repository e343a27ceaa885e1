"""What the injection at a session's start leaves behind."""

import datetime as dt
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.block.entry_texts import piece_text
from hardwon.domain.model.block.memory_block import in_order_of_text
from hardwon.domain.model.ranking.ranking_policy import Scored
from hardwon.domain.model.receipts.injected_text import framed_by, text_digest
from hardwon.domain.model.receipts.near_misses import MOST_MISSED, NO_ROOM, OWED, TOO_LOW
from hardwon.domain.model.receipts.receipt import Form, NearMiss, Receipt, Shown
from hardwon.domain.use_cases.injecting.inject import Injection
from hardwon.domain.use_cases.injecting.select import Selected


class _Piece(NamedTuple):
    """A part of the text with what is known of it."""

    text: str
    shown: Shown


def receipt_of_start(injection: Injection, *, session_id: str, project: str, at: dt.datetime) -> Receipt:
    """
    Return the receipt of *injection*, which printed a text.

    Args:
        injection: What was printed.
        session_id: The session, as the host names it; may be empty.
        project: The name of the user's project.
        at: When it was printed.

    """
    pieces = [*_rules(injection), *_lessons(injection), *_conversations(injection)]
    retrieval, selected = injection.retrieval, injection.selected
    return Receipt(
        session_id=session_id,
        event="start",
        at=at,
        project=project,
        query=retrieval.query if retrieval else None,
        keyword_text=retrieval.keyword_text if retrieval else None,
        space=retrieval.embedded_by if retrieval else None,
        policy=selected.policy.name if selected else "none",
        digest=text_digest(injection.text),
        frame=framed_by(injection.text, [piece.text for piece in pieces]),
        shown=tuple(piece.shown for piece in pieces),
        missed=_missed(injection, selected) if selected else (),
    )


def _rules(injection: Injection) -> Iterator[_Piece]:
    for rule in injection.rules:
        yield _piece(rule.entry_id, "note", rule.text)


def _lessons(injection: Injection) -> Iterator[_Piece]:
    scored = {each.facts.seq: each for each in injection.printed}
    for lesson in in_order_of_text(injection.lessons):
        piece = _piece(scored[lesson.seq].facts.entry_id, "lesson", piece_text("lesson", lesson))
        yield _scored(piece, scored[lesson.seq], injection)


def _scored(piece: _Piece, scored: Scored, injection: Injection) -> _Piece:
    parts = injection.selected.policy.parts(scored.signals) if injection.selected else {}
    return piece._replace(shown=piece.shown._replace(score=scored.final_score, parts=parts))


def _conversations(injection: Injection) -> Iterator[_Piece]:
    if injection.related is None:
        return
    rated = {each.seq: each for each in injection.related.nearby.best}
    for line in injection.related.section.lines:
        piece = _piece(line.told.entry_id, "conversation", line.text, line.room)
        if found := rated.get(line.told.seq):
            piece = piece._replace(shown=piece.shown._replace(score=found.score, parts=found.parts))
        yield piece


def _piece(entry_id: str, form: Form, text: str, room: int = 0) -> _Piece:
    return _Piece(text, Shown(entry_id, form, text_digest(text), room=room))


def _missed(injection: Injection, selected: Selected) -> tuple[NearMiss, ...]:
    """Return the best lessons that were ranked and are not in the text."""
    known = {*(rule.seq for rule in injection.rules), *(each.facts.seq for each in injection.printed)}
    others = (scored for scored in selected.seen if scored.facts.seq not in known)
    return tuple(
        NearMiss(each.facts.entry_id, each.final_score, _why(each, selected)) for each in islice(others, MOST_MISSED)
    )


def _why(missed: Scored, selected: Selected) -> str:
    if missed in selected.ranked:
        return NO_ROOM
    last = selected.ranked[-1].final_score if selected.ranked else 0.0
    return OWED if missed.final_score > last else TOO_LOW
