"""`hardwon recall`: search, and print the answers."""

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.excerpt import MarkedText
from hardwon.domain.model.filters import (
    COLLECTIONS,
    EVERYTHING,
    LEARNINGS,
    CollectionName,
    EntryFilter,
    PolicyName,
    answering,
    elsewhere_for,
)
from hardwon.domain.model.injection.block import Diagnostics, MemoryBlock
from hardwon.domain.model.injection.entry_text import PrintedEntry
from hardwon.domain.model.ranking.policy import RecallAnswer, RecallQuestion
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.recall import RecallAnswers
from hardwon.entrypoints.bootstrap import who_asks
from hardwon.entrypoints.bootstrap_retrieval import OFF, Memory, build_recall, build_search
from hardwon.entrypoints.cli.console import (
    columns,
    complain,
    in_terminal,
    out,
    print_items,
    say,
    warn,
)
from hardwon.entrypoints.cli.options import (
    MOST,
    AsJson,
    GlobalStore,
    In,
    OfKinds,
    OfScope,
    Permanent,
    ProjectRoot,
    Tag,
    Typed,
    chosen,
    open_for,
)
from hardwon.entrypoints.cli.parameters import (
    BadOptionError,
    CommandOption,
    CommandWords,
    NothingAskedError,
    unquoted,
)
from hardwon.entrypoints.context import workplace_for
from hardwon.entrypoints.presenters.answers import (
    ASKED_HERE,
    AnswerLayout,
    SearchSummary,
    answer_document,
    explained_document,
)
from hardwon.entrypoints.presenters.entries import entry_document
from hardwon.entrypoints.presenters.text import counted, on_one_line, spelt_out
from hardwon.entrypoints.streams import readable, standard_input

if TYPE_CHECKING:
    from rich.text import Text

NO_MEANING = "no vector search"
"""Prefix of degradations after which it is unknown which entries have a vector."""

WORDS_ONLY = f"{NO_MEANING}: memory_embedding_provider is off"
HIGHLIGHT = "bold yellow"
READABLE = 100
"""Columns. Longer lines are hard to read, however wide the terminal is."""


def print_notes(settings: Settings, spaces: Spaces, recollection: RecallAnswers) -> None:
    """Print on standard error what was missing from a search."""
    for line in recollection.degradations:
        warn(line)
    if settings.embedding_provider == OFF:
        warn(WORDS_ONLY)
    elif not any(line.startswith(NO_MEANING) for line in recollection.degradations) and (
        without := _without_vectors(spaces, recollection)
    ):
        complain(f"({without} without embeddings)")


def _without_vectors(spaces: Spaces, recollection: RecallAnswers) -> int:
    """
    Return how many entries in scope lack a vector.

    An entry that the model can't read has one, but is not compared.
    """
    not_compared = recollection.searched - recollection.found_by_meaning
    return min(not_compared, spaces.count_pending(EVERYTHING)) if not_compared else 0


def readable_columns() -> int:
    """Return the width of answers, fixed without a terminal."""
    return min(columns(), READABLE) if in_terminal() else READABLE


def print_marked(lines: Iterable[MarkedText]) -> None:
    """Print *lines*, in a terminal highlighted and wrapped with their indentation."""
    for line in lines:
        if in_terminal():
            _print_in_terminal(line)
        else:
            say(on_one_line(line.text))


def _print_in_terminal(line: MarkedText) -> None:
    from rich.text import Text  # 30 ms

    text = _coloured(line)
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    for part in text[indent:].wrap(out(), out().width - indent) if text else [text]:
        out().print(Text(" " * indent).append_text(part))


def _coloured(line: MarkedText) -> "Text":
    from rich.text import Text  # 30 ms

    text, at = Text(), 0  # sanitized as a whole before: parts of it would read otherwise
    for start, end in line.spans:
        text.append(spelt_out(line.text[at:start]))
        text.append(spelt_out(line.text[start:end]), "" if out().no_color else HIGHLIGHT)
        at = end
    return text.append(spelt_out(line.text[at:]))


NOTHING = "No entry answers that"
NOT_FOUND = "No relevant memories found for query"
ALL_PROJECTS = "--scope global"
NONE_OF_THOSE = "none of the memories in the store"
"""
For stores whose entries are all outside the question.

Other kinds, or projects kept at home.
"""
NO_VECTORS = "Run `/save` to build embeddings, or `hardwon index --embed`"


class MemoriesElsewhere(NamedTuple):
    """
    The memories outside of the scope of a question.

    Attributes:
        everywhere: The filter for a person's answers; None if not even a count may be shown.
        relevant: How many answers there are elsewhere, if counted.

    """

    everywhere: EntryFilter | None = None
    relevant: int = 0


class AnsweredQuestion(NamedTuple):
    """
    A question with its answers.

    Attributes:
        rules: The constitutional entries, apart from the answers.
    """

    memory: Memory
    question: RecallQuestion
    recollection: RecallAnswers
    report: AnswerLayout
    rules: tuple[Entry, ...] = ()
    elsewhere: MemoriesElsewhere = MemoriesElsewhere()


def print_answers(collection: CollectionName, asked: AnsweredQuestion, *, as_json: bool) -> None:
    """
    Print the answers from *collection*.

    A limit of 0 prints no text, but still JSON.
    """
    if asked.question.limit > 0:
        print_notes(asked.memory.settings, asked.memory.spaces, asked.recollection)
    if as_json:
        print_items(
            (_document(asked, answer) for answer in asked.recollection.answers),
            **(
                {"constitutional": [entry_document(rule) for rule in asked.rules]}
                if asked.rules
                else {}
            ),
            **(_searched(asked).document if asked.report.explain else {}),
            **({"elsewhere": asked.elsewhere.relevant} if asked.elsewhere.relevant else {}),
        )
    elif asked.question.limit > 0:
        FORMS.get(collection, _print_list)(asked)
        if asked.elsewhere.relevant and collection not in FRAMED:
            say(_more(asked))


def _document(asked: AnsweredQuestion, answer: RecallAnswer) -> dict[str, object]:
    labels = asked.report.here.labels
    if asked.report.explain:
        return explained_document(answer, asked.question.policy, labels)
    return answer_document(answer, labels)


def _searched(asked: AnsweredQuestion) -> SearchSummary:
    recollection = asked.recollection
    return SearchSummary(
        recollection.query, recollection.found_by_meaning, recollection.found_by_word
    )


def _print_list(asked: AnsweredQuestion) -> None:
    answers = asked.recollection.answers
    print_marked(asked.report.listing(answers))
    if not answers:
        say(NOTHING)


def _print_memories(asked: AnsweredQuestion) -> None:
    _print_framed(asked, asked.report.memories)


def _print_sessions(asked: AnsweredQuestion) -> None:
    _print_framed(asked, asked.report.sessions)


def _print_framed(
    asked: AnsweredQuestion, lines: Callable[[Sequence[RecallAnswer]], Iterator[MarkedText]]
) -> None:
    recollection, minimum = asked.recollection, asked.question.minimum
    say(f"Searching {_amount(asked)}...")
    more = [_more(asked)] if asked.elsewhere.relevant else []
    if _nothing_to_compare(asked):
        say("\n".join([NO_VECTORS, *more]))
    elif not recollection.answers:
        say("\n".join([NOT_FOUND, *more]))
    else:
        print_marked(lines(recollection.answers))
        threshold = "none" if minimum is None else f"{minimum:g}"
        say(
            "\n".join(
                [
                    *more,
                    f"Found {len(recollection.answers)} relevant memories (threshold: {threshold})",
                ]
            )
        )


def _amount(asked: AnsweredQuestion) -> str:
    repository, searched = asked.memory.repository, asked.recollection.searched
    if searched or not repository.count(EVERYTHING):
        return f"{searched} memories"
    everywhere = asked.elsewhere.everywhere
    elsewhere = repository.count(everywhere._replace(ranked=True)) if everywhere else 0
    return (
        f"0 memories here, {elsewhere} elsewhere ({ALL_PROJECTS})" if elsewhere else NONE_OF_THOSE
    )


def _more(asked: AnsweredQuestion) -> str:
    count = asked.elsewhere.relevant
    return (
        f"{counted(count, 'more relevant memory', 'more relevant memories')} elsewhere"
        f" ({ALL_PROJECTS})"
    )


def _nothing_to_compare(asked: AnsweredQuestion) -> bool:
    spaces, recollection = asked.memory.spaces, asked.recollection
    if not spaces or not recollection.searched or asked.question.policy != "cosine":
        return False
    return not any(space.vectors.has_any(asked.question.only) for space in spaces)


def _print_block(asked: AnsweredQuestion) -> None:
    recollection, memory = asked.recollection, asked.memory
    diagnostics = Diagnostics(
        total=memory.repository.count(LEARNINGS),
        vector=recollection.found_by_meaning,
        keyword=recollection.found_by_word,
        pending=memory.spaces.count_pending(LEARNINGS),
        query=asked.question.text,
        model=recollection.embedded_by,
        numpy_missing=recollection.numpy_missing,
    )
    block = MemoryBlock(diagnostic=diagnostics.line, sizes={})
    current = [answer.entry for answer in recollection.answers if not answer.entry.superseded_by]
    say(block.render([_printed(entry, asked) for entry in current]).removesuffix("\n") or NOTHING)
    print_marked(asked.report.explanations(recollection.answers))


def _printed(entry: Entry, asked: AnsweredQuestion) -> PrintedEntry:
    printed = PrintedEntry(
        number=entry.number or 0,
        name=entry.name,
        description=entry.description,
        notes=entry.notes,
        category=entry.category,
        observation_count=entry.observation_count,
        confidence=entry.confidence,
        project=entry.project,
    )
    return asked.report.here.labelled(printed)


def _print_documents(asked: AnsweredQuestion) -> None:
    answers = asked.recollection.answers
    print_marked(asked.report.rules(asked.rules))
    print_marked(asked.report.documents(answers))
    if not answers:
        say(NOTHING)


FORMS: Mapping[CollectionName, Callable[[AnsweredQuestion], None]] = {
    "all": _print_memories,
    "learnings": _print_block,
    "sessions": _print_sessions,
    "documents": _print_documents,
}
FRAMED: frozenset[CollectionName] = frozenset({"all", "sessions"})
"""Collections whose form itself says what lies elsewhere."""


ANSWER_SECONDS = 10.0
RECALL_EXAMPLES = """\b
Examples:
  hardwon recall kubernetes network debugging
  hardwon recall "when did I work on authentication?"
  hardwon recall helm chart configuration issues"""


def recall(
    words: Annotated[
        list[str] | None,
        CommandWords(
            metavar="QUERY...", help=("The question, quoted or not (- for standard input).")
        ),
    ] = None,
    *,
    collection: In = "all",
    scope: OfScope = None,
    kinds: OfKinds = None,
    limit: Annotated[
        int | None,
        CommandOption(min=1, max=MOST, metavar="N", help="The maximum number of answers."),
    ] = None,
    minimum: Annotated[
        float | None,
        CommandOption("--min-score", metavar="X", help="The lowest score of an answer."),
    ] = None,
    policy: Annotated[
        PolicyName | None, CommandOption(help="The ranking policy.", show_default=False)
    ] = None,
    permanent: Permanent = False,
    tag: Tag = None,
    explain: Annotated[
        bool, CommandOption("--explain", help="Show the parts of each score.")
    ] = False,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Search the memory in your own words.

    You get answers from all your projects. An agent gets them from this project and its workspace.
    """
    query = _query(words or [])
    if not query.strip():
        if not as_json:
            raise NothingAskedError
        print_items([])
        return
    defaults = COLLECTIONS[collection]
    memory = open_for(project_root, global_store, create=False, or_outbox=True)
    if memory.away:
        warn(ASKED_HERE.format(memory.away))
    place = "conversations" if policy == "context" else collection  # recent files count too
    workplace = workplace_for(place, memory, project_root=project_root, warn=memory.warn)
    asker, wanted = (
        who_asks(by_slash_command=typed),
        chosen(collection, kinds, permanent=permanent, tag=tag),
    )
    question = RecallQuestion(
        text=query,
        only=answering(asker, workplace, only=wanted, scope=scope),
        policy=policy or defaults.policy,
        limit=defaults.limit if limit is None else limit,
        minimum=_minimum(minimum, defaults.minimum if policy in {None, defaults.policy} else None),
        workplace=workplace,
    )
    rules = list[Entry]()
    if collection == "documents" and question.limit > 0:
        rules, question = build_search(memory).rules_apart(question)
    recall_, deadline = build_recall(memory), Deadline.after(ANSWER_SECONDS, time.monotonic)
    recollection = recall_.answer(question, deadline)
    everywhere = elsewhere_for(asker, workplace, wanted)
    relevant = 0
    if everywhere and asker == "agent" and scope is None and question.limit > 0:
        relevant = recall_.relevant_elsewhere(question, everywhere, deadline)
    is_labelled = collection != "sessions" and any(  # their places begin with the project
        answer.entry.project not in {None, *workplace.own} for answer in recollection.answers
    )
    report = AnswerLayout(
        query=query,
        policy=question.policy,
        project_root=os.path.realpath(project_root),
        columns=readable_columns(),
        explain=explain,
        here=workplace,
        labelled=is_labelled,
        with_ids=asker == "person",
    )
    asked = AnsweredQuestion(
        memory=memory,
        question=question,
        recollection=recollection,
        report=report,
        rules=tuple(rules),
        elsewhere=MemoriesElsewhere(everywhere, relevant),
    )
    print_answers(collection, asked, as_json=as_json)


def _query(words: list[str]) -> str:
    """Return the question on one line, without quotes around it."""
    text = standard_input() if words == ["-"] else readable(" ".join(words))
    return unquoted(" ".join(text.split()))


def _minimum(wanted: float | None, default: float | None) -> float | None:
    """Return the minimum score of an answer."""
    if wanted is not None and not math.isfinite(wanted):
        raise BadOptionError(f"{wanted} is no number to compare scores with", hint="'--min-score'")
    return default if wanted is None else wanted
