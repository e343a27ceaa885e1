"""Tell the answers to a question, each collection in its own form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.block.diagnostic_line import Diagnostics
from hardwon.domain.model.block.memory_block import MemoryBlock
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import CollectionName
from hardwon.domain.model.recall.excerpt import Marked
from hardwon.domain.model.recall.question import Question
from hardwon.domain.model.recall.report import Report
from hardwon.domain.use_cases.asking.recall import Recollection
from hardwon.entrypoints.cli.answers import Searched, answer_document, explained_document, print_marked, tell_notes
from hardwon.entrypoints.cli.screen import print_items, say
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.documents import entry_document

NOTHING = "Nothing that is remembered answers that"
NOT_FOUND = "No relevant memories found for query"
NO_VECTORS = "Run `/save` to build embeddings, or `hardwon index --embed`"


class Asked(NamedTuple):
    """
    A question with its answers.

    Attributes:
        memory: Where it was asked.
        question: What was asked.
        recollection: What came of it.
        report: How it is told.
        rules: The constitutional entries that stand apart from the answers.

    """

    memory: Memory
    question: Question
    recollection: Recollection
    report: Report
    rules: tuple[Entry, ...] = ()


def tell(collection: CollectionName, asked: Asked, *, as_json: bool) -> None:
    """Print the answers to a question that was asked of *collection*; who wants none gets no word."""
    if asked.question.limit > 0:
        tell_notes(asked.memory, asked.recollection)
    if as_json:
        print_items(
            (_document(asked, answer) for answer in asked.recollection.answers),
            **({"constitutional": [entry_document(rule) for rule in asked.rules]} if asked.rules else {}),
            **(_searched(asked).document if asked.report.explained else {}),
        )
    elif asked.question.limit > 0:
        FORMS.get(collection, _tell_list)(asked)


def _document(asked: Asked, answer: Answer) -> dict[str, object]:
    if asked.report.explained:
        return explained_document(answer, asked.question.policy)
    return answer_document(answer)


def _searched(asked: Asked) -> Searched:
    recollection = asked.recollection
    return Searched(recollection.query, recollection.found_by_meaning, recollection.found_by_word)


def _tell_list(asked: Asked) -> None:
    answers = asked.recollection.answers
    print_marked(asked.report.listing(answers))
    if not answers:
        say(NOTHING)


def _tell_memories(asked: Asked) -> None:
    _tell_framed(asked, asked.report.memories)


def _tell_sessions(asked: Asked) -> None:
    _tell_framed(asked, asked.report.sessions)


def _tell_framed(asked: Asked, lines: Callable[[Sequence[Answer]], Iterator[Marked]]) -> None:
    """Print how many memories are searched, the *lines* of the answers, and how many there are."""
    recollection, minimum = asked.recollection, asked.question.minimum
    say(f"Searching {recollection.searched} memories...")
    if _nothing_to_compare(asked):
        say(NO_VECTORS)
    elif not recollection.answers:
        say(NOT_FOUND)
    else:
        print_marked(lines(recollection.answers))
        threshold = "none" if minimum is None else f"{minimum:g}"
        say(f"Found {len(recollection.answers)} relevant memories (threshold: {threshold})")


def _nothing_to_compare(asked: Asked) -> bool:
    """Tell whether the question goes by meaning, and no entry has a vector yet though it could have one."""
    spaces, recollection = asked.memory.spaces, asked.recollection
    if not spaces or not recollection.searched or asked.question.policy != "cosine":
        return False
    return not any(space.vectors.has_any(asked.question.only) for space in spaces)


def _tell_block(asked: Asked) -> None:
    recollection, memory = asked.recollection, asked.memory
    diagnostics = Diagnostics(
        total=memory.repository.count(LEARNINGS),
        vector=recollection.found_by_meaning,
        keyword=recollection.found_by_word,
        pending=memory.count_pending(LEARNINGS),
        query=asked.question.text,
        model=recollection.embedded_by,
        numpy_missing=recollection.numpy_missing,
    )
    block = MemoryBlock(diagnostic=diagnostics.line, sizes={})
    say(block.render([answer.entry for answer in recollection.answers]).removesuffix("\n") or NOTHING)
    print_marked(asked.report.explanations(recollection.answers))


def _tell_documents(asked: Asked) -> None:
    answers = asked.recollection.answers
    print_marked(asked.report.rules(asked.rules))
    print_marked(asked.report.documents(answers))
    if not answers:
        say(NOTHING)


FORMS: Mapping[CollectionName, Callable[[Asked], None]] = {
    "all": _tell_memories,
    "learnings": _tell_block,
    "sessions": _tell_sessions,
    "documents": _tell_documents,
}
