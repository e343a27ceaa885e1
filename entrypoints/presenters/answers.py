"""Render search answers, with their scores on demand."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.excerpt import MarkedText, excerpt, shortened
from hardwon.domain.model.filters import NOWHERE, PolicyName, Workplace
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.ranking.adaptive import FORMULA as RELEVANCE_FORMULA
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.model.ranking.policy import RecallAnswer
from hardwon.entrypoints.presenters.projects import origin_document, origin_label
from hardwon.entrypoints.presenters.text import stored_line, stored_text

FORMULAS: Mapping[PolicyName, str] = {
    "adaptive": (
        "clarity * has_vector * (min(1, window / length) * (cosine - cosine_mean) /"
        " cosine_deviation + (1 - min(1, window / length)) * min(1, evidence / (2.5 *"
        " evidence_full)) ** 0.5 * (cosine_best - cosine_mean) / cosine_deviation) + 0.7 *"
        " (evidence / evidence_deviation) ** 0.75 - 0.6 * log(max(length, 60) / 60)"
    ),
    "affinity": "boost * (0.5 * similarity + 0.25 * recency + 0.25 * project)",
    "context": " + ".join(f"{weight:.2f} * {signal}" for signal, weight in CONTEXT_WEIGHTS.items()),
    "cosine": "similarity",
    "fused": "100 * (0.40 * rrf / best_rrf + 0.25 * boost / 3 + 0.20 * decay + 0.15 * overlap)",
    "hybrid": "vector_weight * vector + keyword_weight * keyword + prominence_weight * prominence",
}
"""Score formula of each policy, in the names of its parts."""

ASKED_HERE = "only what waits here was asked, until the server is back: {}"
"""The line on answers of an outbox, with the reason."""

DIVIDING_BY_ZERO: frozenset[PolicyName] = frozenset({"adaptive"})
"""Policies whose formula may divide by 0. Such a term counts 0."""

FULL_SCORES: Mapping[PolicyName, float] = {
    "affinity": 1.0,
    "context": 1.0,
    "cosine": 1.0,
    "fused": 100.0,
    "hybrid": 1.0,
}
"""Full score of each policy whose scores are shares."""


MAX_BY_KEYWORD = 0.99
"""Largest share shown for an answer found by keywords alone."""


def share_of_full(
    score: float, policy: PolicyName, *, by_keyword_only: bool = False
) -> float | None:
    """
    Return *score* as a share, None for an unbounded policy.

    Permanent entries can score above 1; keywords alone never make a full share.
    """
    full = FULL_SCORES.get(policy)
    return (
        None
        if full is None
        else min(max(score / full, 0.0), MAX_BY_KEYWORD if by_keyword_only else 1.0)
    )


def shown_share(answer: RecallAnswer, policy: PolicyName) -> float | None:
    """
    Return the share to show, None for an unbounded policy.

    It is the relevance if there is one, otherwise the score.
    """
    if answer.relevance is not None:
        return answer.relevance
    return share_of_full(answer.score, policy, by_keyword_only=answer.by_keyword_only)


def explanation(answer: RecallAnswer, policy: PolicyName) -> Iterator[str]:
    """Yield the formulas of the scores, then their parts."""
    note = " (what is divided by 0 is 0)" if policy in DIVIDING_BY_ZERO else ""
    if answer.relevance is not None:
        yield f"{answer.relevance:.8g} = {RELEVANCE_FORMULA}"
    yield f"{answer.score:.8g} = {FORMULAS[policy]}{note}"
    yield f"with {', '.join(f'{name} = {value:.8g}' for name, value in answer.parts.items())}"


INDENT = "   "
ARROW = "      \u2192 "
"""Begins the lines below the place of a document."""
QUOTES = '""'
ID_DIGITS = 8
EXCERPT_LINES = 2
LONG_WORD = 16
"""Characters. Such a word may not fit into the rest of a line."""
SESSION_DESCRIPTION = 100


@attrs.frozen(kw_only=True)
class AnswerLayout:
    """
    How to render answers.

    Attributes:
        query: The user's words, which are highlighted.
        project_root: Paths below this folder are shown relative to it.
        columns: Line length; an excerpt takes two lines at most.
        explain: Whether to show the parts of each score.
        here: Where the question is asked; other origins are labelled.
        labelled: Whether to label answers from here too.
        with_ids: Whether the memories of all kinds have the beginning of their id, for a person.
    """

    query: str
    policy: PolicyName
    project_root: str = ""
    columns: int = 80
    explain: bool = False
    here: Workplace = NOWHERE
    labelled: bool = False
    with_ids: bool = False

    def listing(self, answers: Sequence[RecallAnswer]) -> Iterator[MarkedText]:
        """Yield name, facts, excerpt and place of each answer."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield MarkedText("")
            yield stored_passage(excerpt(answer.entry.name, terms, self._room())).after(f"{rank}. ")
            yield MarkedText(f"{INDENT}{'  '.join(self._facts(answer))}")
            if body := _body(answer):
                yield stored_passage(excerpt(body, terms, self._room())).after(INDENT)
            if answer.entry.file_path:
                yield MarkedText(f"{INDENT}{self._place(answer.entry.file_path)}")
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def memories(self, answers: Sequence[RecallAnswer]) -> Iterator[MarkedText]:
        """Yield relevance, place, quoted excerpt and tags of each answer."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield MarkedText("")
            known_by = f" [{answer.entry.entry_id[:ID_DIGITS]}]" if self.with_ids else ""
            place = f"{self._file_or_name(answer.entry)}{known_by}"
            yield MarkedText(f"{rank}. [{answer.shown:.2f}] {place}")
            passage = stored_passage(excerpt(_text(answer), terms, self._room() - len(QUOTES)))
            yield MarkedText(f'"{passage.text}"', passage.after('"').spans).after(INDENT)
            yield from _tags(answer.entry)
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def sessions(self, answers: Sequence[RecallAnswer]) -> Iterator[MarkedText]:
        """Yield score, file, quoted description and tags of each answer."""
        for rank, answer in enumerate(answers, 1):
            folder, filename = os.path.split(answer.entry.file_path or "")
            project = answer.entry.source_project or os.path.basename(folder)
            description = stored_line(shortened(answer.entry.description, SESSION_DESCRIPTION))
            yield MarkedText(f"{rank}. [{answer.shown:.2f}] {stored_line(f'{project}/{filename}')}")
            yield MarkedText(f'{INDENT}"{description}"')
            yield from _tags(answer.entry)
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def documents(
        self, answers: Sequence[RecallAnswer], counts: Sequence[Mapping[str, int]] = ()
    ) -> Iterator[MarkedText]:
        """
        Yield score, place and title of each answer.

        Args:
            answers: Best first.
            counts: For each answer, how often its file contains each concept asked for.

        """
        terms = search_terms(self.query)
        for at, answer in enumerate(answers):
            share = shown_share(answer, self.policy)
            score = f"{answer.score:.2f}" if share is None else f"{share:.0%}"
            yield MarkedText(f"[{score}] {self._where(answer)}")
            name = stored_passage(excerpt(answer.entry.name, terms, self._room()))
            yield MarkedText(f"{name.text} (#{answer.entry.number})", name.spans).after(ARROW)
            if counts:
                listed = ", ".join(f"{concept} ({count})" for concept, count in counts[at].items())
                yield MarkedText(f"{ARROW}Contains: {listed}")
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def rules(self, rules: Sequence["Entry"]) -> Iterator[MarkedText]:
        """Yield the constitutional rules in full, before any answer."""
        if rules:
            yield MarkedText("These rules always hold here:")
        for rule in rules:
            yield from map(
                MarkedText,
                f"### {stored_line(rule.name)}\n{stored_text(rule.description)}\n".split("\n"),
            )

    def explanations(self, answers: Sequence[RecallAnswer]) -> Iterator[MarkedText]:
        """Yield the parts of each score, if requested."""
        for rank, answer in enumerate(answers if self.explain else (), 1):
            yield MarkedText(f"{rank}. {stored_line(shortened(answer.entry.name, self._room()))}")
            yield from self._explanation(answer)

    def _room(self) -> int:
        return EXCERPT_LINES * (self.columns - len(INDENT)) - LONG_WORD

    def _origin(self, entry: Entry) -> Iterator[MarkedText]:
        is_named = self.labelled or entry.project not in self.here.own
        if entry.project and is_named and (label := origin_label(entry, self.here.labels)):
            yield MarkedText(f"{INDENT}From: {stored_line(label)}")
        if entry.superseded_by:
            yield MarkedText(f"{INDENT}Superseded by: {entry.superseded_by}")
        if entry.warning:
            yield MarkedText(f"{INDENT}{stored_line(entry.warning)}")

    def _explanation(self, answer: RecallAnswer) -> Iterator[MarkedText]:
        if self.explain:
            yield from (MarkedText(f"{INDENT}{line}") for line in explanation(answer, self.policy))

    def _facts(self, answer: RecallAnswer) -> Iterator[str]:
        entry = answer.entry
        if (share := shown_share(answer, self.policy)) is not None:
            yield f"{share:.0%}"
        yield entry.category or entry.kind
        yield f"{entry.updated_at:%Y-%m-%d}"
        yield entry.entry_id[:ID_DIGITS]
        if entry.permanent:
            yield "(permanent)"

    def _where(self, answer: RecallAnswer) -> str:
        entry = answer.entry
        anchor = f"#{stored_line(entry.anchor_id)}" if entry.anchor_id else ""
        return f"{self._place(entry.file_path)}{anchor}" if entry.file_path else entry.kind

    def _file_or_name(self, entry: "Entry") -> str:
        if not entry.file_path:
            return stored_line(excerpt(entry.name, (), self._room()).text)
        return stored_line(os.path.join(*entry.file_path.split(os.sep)[-2:]))

    def _place(self, path: str) -> str:
        return stored_line(
            path.removeprefix(os.path.join(self.project_root, "")) if self.project_root else path
        )


def stored_passage(passage: MarkedText) -> MarkedText:
    """
    Sanitize *passage* as `stored_line` does, and keep its spans.

    Spans are dropped if the change moved characters.
    """
    text = stored_line(passage.text)
    added = text.removesuffix(passage.text)
    return passage.after(added) if added != text else MarkedText(text)


def _tags(entry: "Entry") -> Iterator[MarkedText]:
    if entry.tags:
        yield MarkedText(f"{INDENT}Tags: {stored_line(', '.join(entry.tags))}")


def _text(answer: RecallAnswer) -> str:
    """
    Return the body of an answer, after its file's title.

    No other line shows that title.
    """
    entry = answer.entry
    body = _body(answer)
    if body and (not entry.file_path or body.startswith(entry.name)):
        return body
    return f"{entry.name}{'' if entry.name[-1:] in '.:?!' else ':'} {body}" if body else entry.name


def _body(answer: RecallAnswer) -> str:
    entry = answer.entry
    first, _, rest = entry.description.partition("\n")
    description = rest.strip() if first and entry.name.endswith(first) else entry.description
    return "\n".join(filter(None, (description, entry.notes, entry.reasoning)))


class SearchSummary(NamedTuple):
    """
    How a search went.

    Attributes:
        by_vector: How many entries were compared by vector.
        by_keyword: How many entries contain a word of the text.
    """

    query: str | None = None
    by_vector: int = 0
    by_keyword: int = 0

    @property
    def document(self) -> dict[str, object]:
        """JSON fields, by the names that customers' programs know."""
        return {
            "vector_candidate_count": self.by_vector,
            "fts5_candidate_count": self.by_keyword,
            "context_query": self.query,
        }


def answer_document(answer: RecallAnswer, labels: Mapping[str, str]) -> dict[str, object]:
    """
    Return *answer* for JSON.

    `type` and `title` are the names of `kind` and `name` that customers' programs know. *labels*
    maps project ids to labels.
    """
    entry = answer.entry
    return {
        "id": entry.entry_id,
        "kind": entry.kind,
        "name": entry.name,
        "type": entry.kind,
        "title": entry.name,
        "text": entry.description,
        "score": answer.shown,
        "source": entry.file_path,
        "date": entry.updated_at,
        "permanent": entry.permanent,
        "project": entry.source_project,
        "workspace": entry.workspace,
        "tags": entry.tags,
        "category": entry.category,
        "origin": origin_document(entry, labels),
    }


def explained_document(
    answer: RecallAnswer, policy: str, labels: Mapping[str, str]
) -> dict[str, object]:
    """Return *answer* for JSON, with all parts of its score."""
    return {
        **answer_document(answer, labels),
        "final_score": answer.score,
        "policy": policy,
        "parts": dict(answer.parts),
        "vector_score": answer.vector,
        "bm25_score": answer.keyword,
    }
