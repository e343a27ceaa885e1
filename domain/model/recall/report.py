"""What a person reads of answers: lines with the words they asked for marked."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import PolicyName
from hardwon.domain.model.recall.excerpt import Marked, excerpt, shortened
from hardwon.domain.model.recall.formula import explanation, shown_share

INDENT = "   "
QUOTES = '""'
ID_DIGITS = 8
EXCERPT_LINES = 2
LONG_WORD = 16
"""Characters; such a one may not fit into the rest of a line."""
SESSION_DESCRIPTION = 100

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class Report(NamedTuple):
    """
    How answers are told.

    Attributes:
        query: The user's words, which are marked.
        policy: How the answers were ranked.
        project_root: Paths below this folder are told from there.
        columns: How long a line may be; an excerpt takes two at most.
        explained: Whether the parts of every score are told.

    """

    query: str
    policy: PolicyName
    project_root: str = ""
    columns: int = 80
    explained: bool = False

    def listing(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank and name, its facts, the passage that answers, and where it stands."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield Marked("")
            yield excerpt(answer.entry.name, terms, self._room()).after(f"{rank}. ")
            yield Marked(f"{INDENT}{'  '.join(self._facts(answer))}")
            if body := _body(answer):
                yield excerpt(body, terms, self._room()).after(INDENT)
            if answer.entry.file_path:
                yield Marked(f"{INDENT}{self._place(answer.entry.file_path)}")
            yield from self._explanation(answer)

    def memories(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank, relevance and place, the quoted passage that answers, and its tags; a blank line between two."""
        terms = search_terms(self.query)
        for rank, answer in enumerate(answers, 1):
            if rank > 1:
                yield Marked("")
            yield Marked(f"{rank}. [{answer.shown:.2f}] {self._file_or_name(answer.entry)}")
            passage = excerpt(_text(answer), terms, self._room() - len(QUOTES))
            yield Marked(f'"{passage.text}"', passage.after('"').spans).after(INDENT)
            yield from _tags(answer.entry)
            yield from self._explanation(answer)

    def sessions(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield for each answer its rank, score and file, the quoted description, and its tags."""
        for rank, answer in enumerate(answers, 1):
            folder, filename = os.path.split(answer.entry.file_path or "")
            project = answer.entry.source_project or os.path.basename(folder)
            yield Marked(f"{rank}. [{answer.shown:.2f}] {project}/{filename}")
            yield Marked(f'{INDENT}"{shortened(answer.entry.description, SESSION_DESCRIPTION)}"')
            yield from _tags(answer.entry)
            yield from self._explanation(answer)

    def documents(self, answers: Sequence[Answer], counts: Sequence[Mapping[str, int]] = ()) -> Iterator[Marked]:
        """
        Yield for each answer the lines of requirements D-U1 and D-U2: score and place, the title, how often concepts stand in it.

        Args:
            answers: Best first.
            counts: The concepts of each answer, if any were asked for.

        """
        terms = search_terms(self.query)
        for at, answer in enumerate(answers):
            share = shown_share(answer, self.policy)
            score = f"{answer.score:.2f}" if share is None else f"{share:.0%}"
            yield Marked(f"[{score}] {self._where(answer)}")
            name = excerpt(answer.entry.name, terms, self._room())
            yield Marked(f"{name.text} (#{answer.entry.number})", name.spans).after(INDENT)
            if counts:
                yield Marked(f"{INDENT}{', '.join(f'{concept} ({count})' for concept, count in counts[at].items())}")
            yield from self._explanation(answer)

    def rules(self, rules: Sequence["Entry"]) -> Iterator[Marked]:
        """Yield the rules that always hold, whole, before any answer."""
        if rules:
            yield Marked("These rules always hold here:")
        for rule in rules:
            yield from map(Marked, f"### {neutral(rule.name)}\n{neutral(rule.description)}\n".split("\n"))

    def explanations(self, answers: Sequence[Answer]) -> Iterator[Marked]:
        """Yield the parts of each answer's score, where they are wanted."""
        for rank, answer in enumerate(answers if self.explained else (), 1):
            yield Marked(f"{rank}. {shortened(answer.entry.name, self._room())}")
            yield from self._explanation(answer)

    def _room(self) -> int:
        return EXCERPT_LINES * (self.columns - len(INDENT)) - LONG_WORD

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
        anchor = f"#{entry.anchor_id}" if entry.anchor_id else ""
        return f"{self._place(entry.file_path)}{anchor}" if entry.file_path else entry.kind

    def _file_or_name(self, entry: "Entry") -> str:
        """Return the file that *entry* stands for, with the folder it lies in, or the name of a learning."""
        if not entry.file_path:
            return excerpt(entry.name, (), self._room()).text
        return os.path.join(*entry.file_path.split(os.sep)[-2:])

    def _place(self, path: str) -> str:
        """Return *path*, from the project on when it is in there."""
        return path.removeprefix(os.path.join(self.project_root, "")) if self.project_root else path


def _tags(entry: "Entry") -> Iterator[Marked]:
    if entry.tags:
        yield Marked(f"{INDENT}Tags: {', '.join(entry.tags)}")


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
