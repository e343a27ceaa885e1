"""Answers to a question: lines for a person with the words asked for marked, documents for scripts, and the scores explained."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.context import NOWHERE, Workplace
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.excerpt import Marked, excerpt, shortened
from hardwon.domain.model.filters import PolicyName
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.model.ranking.policy import Answer
from hardwon.domain.model.ranking.relevance import FORMULA as RELEVANCE_FORMULA
from hardwon.entrypoints.presenters.projects import origin_document, origin_label
from hardwon.entrypoints.presenters.text import stored_line, stored_text

FORMULAS: Mapping[PolicyName, str] = {
    "adaptive": "clarity * has_vector * (min(1, window / length) * (cosine - cosine_mean) / cosine_deviation"
    " + (1 - min(1, window / length)) * min(1, evidence / (2.5 * evidence_full)) ** 0.5"
    " * (cosine_best - cosine_mean) / cosine_deviation)"
    " + 0.7 * (evidence / evidence_deviation) ** 0.75 - 0.6 * log(max(length, 60) / 60)",
    "affinity": "boost * (0.5 * similarity + 0.25 * recency + 0.25 * project)",
    "context": " + ".join(f"{weight:.2f} * {signal}" for signal, weight in CONTEXT_WEIGHTS.items()),
    "cosine": "similarity",
    "fused": "100 * (0.40 * rrf / best_rrf + 0.25 * boost / 3 + 0.20 * decay + 0.15 * overlap)",
    "hybrid": "vector_weight * vector + keyword_weight * keyword + prominence_weight * prominence",
}
"""Each policy's score, of its parts by name."""

DIVIDING_BY_ZERO: frozenset[PolicyName] = frozenset({"adaptive"})
"""Policies that may divide by 0; such a term counts 0."""

FULL_SCORES: Mapping[PolicyName, float] = {
    "affinity": 1.0,
    "context": 1.0,
    "cosine": 1.0,
    "fused": 100.0,
    "hybrid": 1.0,
}
"""The policies whose scores are shares, and what they are shares of."""


MAX_BY_KEYWORD = 0.99
"""The largest share that is shown of an answer that words alone found."""


def share_of_full(score: float, policy: PolicyName, *, by_keyword_only: bool = False) -> float | None:
    """
    Return *score* as a share in `[0, 1]`, None for a policy without bounds.

    What is kept for good can score above 1; words alone never make a full share.
    """
    full = FULL_SCORES.get(policy)
    return None if full is None else min(max(score / full, 0.0), MAX_BY_KEYWORD if by_keyword_only else 1.0)


def shown_share(answer: Answer, policy: PolicyName) -> float | None:
    """Return what is shown of *answer* as a share in `[0, 1]`: its relevance, or else its score, None for a policy without bounds."""
    if answer.relevance is not None:
        return answer.relevance
    return share_of_full(answer.score, policy, by_keyword_only=answer.by_keyword_only)


def explanation(answer: Answer, policy: PolicyName) -> Iterator[str]:
    """Yield the formulas of the relevance, where there is one, and of the score by *policy*, then all parts of both."""
    note = " (what is divided by 0 is 0)" if policy in DIVIDING_BY_ZERO else ""
    if answer.relevance is not None:
        yield f"{answer.relevance:.8g} = {RELEVANCE_FORMULA}"
    yield f"{answer.score:.8g} = {FORMULAS[policy]}{note}"
    yield f"with {', '.join(f'{name} = {value:.8g}' for name, value in answer.parts.items())}"


INDENT = "   "
ARROW = "      \u2192 "
"""Begins the lines below a document's place."""
QUOTES = '""'
ID_DIGITS = 8
EXCERPT_LINES = 2
LONG_WORD = 16
"""Characters; such a one may not fit into the rest of a line."""
SESSION_DESCRIPTION = 100


class Report(NamedTuple):
    """
    How answers are told.

    Attributes:
        query: The user's words, which are marked.
        policy: How the answers were ranked.
        project_root: Paths below this folder are told from there.
        columns: How long a line may be; an excerpt takes two at most.
        explained: Whether the parts of every score are told.
        here: Where the question is asked; what comes from another project is told with that.
        labelled: Whether all answers name their project, also those from here.

    """

    query: str
    policy: PolicyName
    project_root: str = ""
    columns: int = 80
    explained: bool = False
    here: Workplace = NOWHERE
    labelled: bool = False

    def listing(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank and name, its facts, the passage that answers, and where it stands."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield Marked("")
            yield stored_passage(excerpt(answer.entry.name, terms, self._room())).after(f"{rank}. ")
            yield Marked(f"{INDENT}{'  '.join(self._facts(answer))}")
            if body := _body(answer):
                yield stored_passage(excerpt(body, terms, self._room())).after(INDENT)
            if answer.entry.file_path:
                yield Marked(f"{INDENT}{self._place(answer.entry.file_path)}")
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def memories(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank, relevance and place, the quoted passage that answers, and its tags; a blank line between two."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield Marked("")
            yield Marked(f"{rank}. [{answer.shown:.2f}] {self._file_or_name(answer.entry)}")
            passage = stored_passage(excerpt(_text(answer), terms, self._room() - len(QUOTES)))
            yield Marked(f'"{passage.text}"', passage.after('"').spans).after(INDENT)
            yield from _tags(answer.entry)
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def sessions(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank, score and file, the quoted description, and its tags."""
        for rank, answer in enumerate(answers, 1):
            folder, filename = os.path.split(answer.entry.file_path or "")
            project = answer.entry.source_project or os.path.basename(folder)
            description = stored_line(shortened(answer.entry.description, SESSION_DESCRIPTION))
            yield Marked(f"{rank}. [{answer.shown:.2f}] {stored_line(f'{project}/{filename}')}")
            yield Marked(f'{INDENT}"{description}"')
            yield from _tags(answer.entry)
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def documents(self, answers: Sequence[Answer], counts: Sequence[Mapping[str, int]] = ()) -> Iterator[Marked]:
        """
        Yield for each answer score and place, the title, how often its file contains the concepts.

        Args:
            answers: Best first.
            counts: The concepts of each answer, if any were asked for.

        """
        terms = search_terms(self.query)
        for at, answer in enumerate(answers):
            share = shown_share(answer, self.policy)
            score = f"{answer.score:.2f}" if share is None else f"{share:.0%}"
            yield Marked(f"[{score}] {self._where(answer)}")
            name = stored_passage(excerpt(answer.entry.name, terms, self._room()))
            yield Marked(f"{name.text} (#{answer.entry.number})", name.spans).after(ARROW)
            if counts:
                listed = ", ".join(f"{concept} ({count})" for concept, count in counts[at].items())
                yield Marked(f"{ARROW}Contains: {listed}")
            yield from self._origin(answer.entry)
            yield from self._explanation(answer)

    def rules(self, rules: Sequence["Entry"]) -> Iterator[Marked]:
        """Yield the rules that always hold, whole, before any answer."""
        if rules:
            yield Marked("These rules always hold here:")
        for rule in rules:
            yield from map(Marked, f"### {stored_line(rule.name)}\n{stored_text(rule.description)}\n".split("\n"))

    def explanations(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield the parts of each answer's score, where they are wanted."""
        for rank, answer in enumerate(answers if self.explained else (), 1):
            yield Marked(f"{rank}. {stored_line(shortened(answer.entry.name, self._room()))}")
            yield from self._explanation(answer)

    def _room(self) -> int:
        return EXCERPT_LINES * (self.columns - len(INDENT)) - LONG_WORD

    def _origin(self, entry: Entry) -> Iterator[Marked]:
        """Yield the lines on the project of *entry*, if that is another one or all are labelled, and on the lesson that replaces it, if any."""
        is_named = self.labelled or entry.project not in self.here.own
        if entry.project and is_named and (label := origin_label(entry, self.here.labels)):
            yield Marked(f"{INDENT}From: {stored_line(label)}")
        if entry.superseded_by:
            yield Marked(f"{INDENT}Superseded by: {entry.superseded_by}")

    def _explanation(self, answer: Answer) -> Iterator[Marked]:
        if self.explained:
            yield from (Marked(f"{INDENT}{line}") for line in explanation(answer, self.policy))

    def _facts(self, answer: Answer) -> Iterator[str]:
        entry = answer.entry
        if (share := shown_share(answer, self.policy)) is not None:
            yield f"{share:.0%}"
        yield entry.category or entry.kind
        yield f"{entry.updated_at:%Y-%m-%d}"
        yield entry.entry_id[:ID_DIGITS]
        if entry.permanent:
            yield "(permanent)"

    def _where(self, answer: Answer) -> str:
        """Return the section or file of an answer, its kind if it has none."""
        entry = answer.entry
        anchor = f"#{stored_line(entry.anchor_id)}" if entry.anchor_id else ""
        return f"{self._place(entry.file_path)}{anchor}" if entry.file_path else entry.kind

    def _file_or_name(self, entry: "Entry") -> str:
        """Return the file that *entry* stands for, with the folder it lies in, or the name of a learning."""
        if not entry.file_path:
            return stored_line(excerpt(entry.name, (), self._room()).text)
        return stored_line(os.path.join(*entry.file_path.split(os.sep)[-2:]))

    def _place(self, path: str) -> str:
        """Return *path*, from the project on when it is in there."""
        return stored_line(path.removeprefix(os.path.join(self.project_root, "")) if self.project_root else path)


def stored_passage(passage: Marked) -> Marked:
    """Return *passage* as `stored_line` does; its spans stay, unless its characters moved."""
    text = stored_line(passage.text)
    added = text.removesuffix(passage.text)
    return passage.after(added) if added != text else Marked(text)


def _tags(entry: "Entry") -> Iterator[Marked]:
    if entry.tags:
        yield Marked(f"{INDENT}Tags: {stored_line(', '.join(entry.tags))}")


def _text(answer: Answer) -> str:
    """Return what an answer says; what stands for a file says its title too, as no other line does."""
    entry = answer.entry
    body = _body(answer)
    if body and (not entry.file_path or body.startswith(entry.name)):
        return body
    return f"{entry.name}{'' if entry.name[-1:] in '.:?!' else ':'} {body}" if body else entry.name


def _body(answer: Answer) -> str:
    """Return all that an answer can be found by, without a first line that only repeats the end of the name."""
    entry = answer.entry
    first, _, rest = entry.description.partition("\n")
    description = rest.strip() if first and entry.name.endswith(first) else entry.description
    return "\n".join(filter(None, (description, entry.notes, entry.reasoning)))


class Searched(NamedTuple):
    """
    How a search went.

    Attributes:
        query: The text that was searched for, None for none.
        by_vector: How many entries were compared by their vectors.
        by_keyword: How many entries hold a word of the text.

    """

    query: str | None = None
    by_vector: int = 0
    by_keyword: int = 0

    @property
    def document(self) -> dict[str, object]:
        """It for JSON, by the names that the customers' programs know."""
        return {
            "vector_candidate_count": self.by_vector,
            "fts5_candidate_count": self.by_keyword,
            "context_query": self.query,
        }


def answer_document(answer: Answer, labels: Mapping[str, str]) -> dict[str, object]:
    """Return *answer* for JSON, with the names of requirement C-T6.7; *labels* are those of projects by id."""
    entry = answer.entry
    return {
        "id": entry.entry_id,
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


def explained_document(answer: Answer, policy: str, labels: Mapping[str, str]) -> dict[str, object]:
    """Return *answer* for JSON with all that its score is made of."""
    return {
        **answer_document(answer, labels),
        "final_score": answer.score,
        "policy": policy,
        "parts": dict(answer.parts),
        "vector_score": answer.vector,
        "bm25_score": answer.keyword,
    }
