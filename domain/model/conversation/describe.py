"""Descriptions of chunks: summary, metadata and areas."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.conversation.boundaries import opening_word, without_opening
from hardwon.domain.model.conversation.choices import bare_labels, with_options
from hardwon.domain.model.conversation.consent import (
    agreed_items,
    asks,
    diagnosis,
    echoed,
    nods,
    reports_fault,
    settles,
    whole_answer,
)
from hardwon.domain.model.conversation.mentions import commands_in, files_in, phases_in, projects_in
from hardwon.domain.model.conversation.session import (
    Chunk,
    ChunkMetadata,
    DraftChunk,
    Exchange,
    chunk_identity,
)
from hardwon.domain.model.conversation.statements import (
    asks_for_explanation,
    chooses,
    decides,
    is_of_others,
    objects,
    prefers,
    reminds,
    unechoed,
    unrepeated,
    warns,
)
from hardwon.domain.model.conversation.status import reports_deed, reports_status
from hardwon.domain.model.conversation.title import PERMANENT_MARK, titled
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.plain_text import ENDS, sentences
from hardwon.domain.model.settings import BUFFERED
from hardwon.domain.model.topic_words import is_informative, salient_words, stem
from hardwon.domain.model.vocabulary import Kind

_AREAS = {
    "devops": (
        r"""devops|deploy\w*|ci|ci/cd|cd pipeline|pipelines?|docker\w*|containers?|kubernetes|k8s|helm|rollbacks?
        |github actions|gitlab ci|jenkins|release process|blue-green|canary|monitoring|observability|alerting"""
    ),
    "infrastructure": (
        r"""infrastructure|terraform|ansible|aws|gcp|azure|cloud|vms?|vpc|dns|load balancers?|clusters?
        |nginx|s3|ec2|cdn|servers?(?! components?| actions?| side)|autoscaling|kubernetes|provision\w*|subnets?|secrets manager|key vault|eventbridge
        |lambdas?(?! (?:expressions?|calculus|syntax|\w+(?:, ?\w+)*:))|cloudwatch|cloudfront|iam|rds|sqs|sns|ecs|eks|fargate
        |[\w-]{1,60}\.tf|infra
        |(?:keys?|secrets?|certificates?|certs?|credentials?|passwords?|tokens?|logs?) rotation
        |rotat(?:e|es|ed|ing) (?:\w+ ){0,4}(?:keys?|secrets?|certificates?|certs?|credentials?|passwords?|tokens?|logs?)"""
    ),
    "security": (
        r"""security|secure|auth|authentication|authorization|oauth2?|jwts?|passwords?|secrets?|credentials?
        |encrypt\w*|tls|ssl|vulnerab\w*|xss|csrf|sql injection|cves?|api keys?|access tokens?|permissions?|2fa|mfa
        |sandbox\w*|firewalls?|least privilege|sanitiz\w*"""
    ),
    "code-quality": (
        r"""code quality|lint\w*|ruff|eslint|mypy|pyright|prettier|refactor\w*|code reviews?|coverage
        |technical debt|tech debt|static analysis|type check\w*|unit tests?|code smells?|clean code|test suite"""
    ),
}


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{' '.join(words.split()).replace(' |', '|')})(?![\w-])")


_PATTERNS = {area: _any_of(words) for area, words in _AREAS.items()}

MIN_MENTIONS = 2
"""Mentions in replies, which name much in passing."""


def areas_of(prompts: Iterable[str], replies: Iterable[str]) -> tuple[str, ...]:
    """
    Return the areas that are named often enough.

    Args:
        prompts: The user's sentences, and the decisions; one mention is enough.
        replies: The agent's sentences; two mentions are needed.
    """
    asked, answered = "\n".join(prompts).lower(), "\n".join(replies).lower()
    return tuple(
        area for area, words in _PATTERNS.items() if words.search(asked) or _often(words, answered)
    )


def _often(words: re.Pattern[str], text: str) -> bool:
    found = words.finditer(text)
    return sum(1 for _ in zip(found, range(MIN_MENTIONS), strict=False)) == MIN_MENTIONS


MIN_SENTENCES, MAX_SENTENCES = 2, 3
MAX_DECISIONS = 2
LONGEST_SENTENCE = 132
"""Characters. Three sentences stay near 400."""

NEAR = (1, 2)
"""Distances from a sentence to those that mostly answer it."""

MAX_READ = 2_000
"""Sentences of a conversation that are compared."""

_EXAMPLES = re.compile(r"\b([ei]\.[ge]\.)(?=\s)", re.IGNORECASE)
_INNER_END = re.compile(r"(?<![.!?])[.!?]+(?=\s)")
_OPEN_SUMMARY_END = " ,;:-\u2013\u2014\u2026*_/\\|"
_QUOTES = "\"'\u201c\u201d"
_OTHER_ENDS = str.maketrans("\u3002\uff01\uff1f", ENDS)


def summarised(request: str, decisions: Sequence[str], spoken: Sequence[str]) -> str:
    """
    Return an extractive summary of at most three sentences, on one line.

    Args:
        request: The user's request; may be empty.
        decisions: Sentences that decide.
        spoken: All sentences in order, including those.
    """
    known = list(
        dict.fromkeys(
            islice((line for sentence in spoken if (line := as_sentence(sentence))), MAX_READ)
        )
    )
    first = [line for line in (as_sentence(request),) if line in known]
    decided = [line for line in map(as_sentence, decisions) if line in known and line not in first]
    chosen = [*first, *decided[:MAX_DECISIONS]]
    chosen += _SentenceRanking(known).beside(
        chosen, min(MAX_SENTENCES - len(chosen), 1 if decisions else MAX_SENTENCES)
    )
    return " ".join(sorted(chosen, key=known.index))


def as_sentence(text: str) -> str:
    """
    Return *text* as one sentence of at most 132 characters.

    It ends with `.`, `!` or `?`, and has no such end inside.
    """
    line = " ".join(text.translate(_OTHER_ENDS).split()).strip(_QUOTES)
    whole = _INNER_END.sub("", _EXAMPLES.sub(r"\1,", line))
    short = shortened(whole, LONGEST_SENTENCE).rstrip(_OPEN_SUMMARY_END)
    if not short.strip(ENDS):
        return ""
    return short if short.endswith(tuple(ENDS)) else f"{short}."


class _SentenceRanking:
    def __init__(self, lines: Sequence[str]) -> None:
        self._stems = {line: frozenset(map(stem, salient_words(line))) for line in lines}
        self._frequencies = Counter(word for stems in self._stems.values() for word in stems)
        self._places = {line: place for place, line in enumerate(lines)}

    def beside(self, chosen: Sequence[str], most: int) -> list[str]:
        """
        Return at most *most* sentences related to *chosen*.

        Without any, return enough to make two.
        """
        subject = frozenset[str]().union(*(self._stems[line] for line in chosen))
        near = {self._places[line] + step for line in chosen for step in NEAR}
        others = sorted(self._stems.keys() - set(chosen), key=self._rank)
        same = [
            line
            for line in others
            if self._stems[line] & subject or (self._stems[line] and self._places[line] in near)
        ]
        return same[:most] if same else others[: max(MIN_SENTENCES - len(chosen), 0)]

    def _rank(self, line: str) -> tuple[float, int]:
        weight = math.fsum(
            math.log1p(self._frequencies[word]) for word in self._stems[line]
        )  # exact in any order
        return -weight, self._places[line]


LONGEST_STATEMENT = 400
"""Characters. The exchange has all of it."""

SOUGHT_FOR = 5
"""Exchanges after the report of a fault in which its cause is looked for."""

PASTED_CHARACTERS, PASTED_LINES = 600, 8
"""A longer prompt with more lines holds a pasted text, most likely."""

_QUOTATION = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)


class Statement(NamedTuple):
    """
    A sentence of an exchange.

    Attributes:
        is_answer: Whether it is a question of the agent with the user's answer.
    """

    text: str
    by_user: bool
    kinds: tuple[Kind, ...]
    is_answer: bool = False


def described(
    draft: DraftChunk,
    project: str,
    session_id: str | None,
    branch: str | None = None,
    siblings: Sequence[str] = (),
    *,
    before: Sequence[Exchange] = (),
) -> Chunk:
    """
    Describe *draft* with title, summary and metadata.

    *branch* is for a draft without one; *siblings* are the names of known projects beside the
    user's own. *before* are the exchanges before the draft: its first prompt may answer them.
    """
    known = before[-SOUGHT_FOR:]
    spoken = tuple(statement for _, statement in _statements(draft.exchanges, known))
    metadata = _metadata(draft.exchanges, spoken, project=project, siblings=siblings)
    texts = [statement.text for statement in spoken]
    return Chunk(
        chunk_id=chunk_identity(project, draft.exchanges[0]),
        title=titled(
            metadata.decisions,
            texts,
            topic=draft.topic,
            mark=PERMANENT_MARK if draft.permanent else "",
        ),
        summary=summarised(_request(spoken), metadata.decisions, texts) or as_sentence(draft.topic),
        topic=draft.topic,
        exchanges=draft.exchanges,
        metadata=metadata,
        session_id=session_id,
        permanent=draft.permanent,
        project=project,
        branch=draft.branch or branch,
    )


def first_stated(exchanges: Iterable[Exchange]) -> Mapping[tuple[Kind, str], int]:
    """Map kind and text of each statement to its first exchange's index."""
    places = dict[tuple[Kind, str], int]()
    for place, statement in _statements(exchanges):
        for kind in statement.kinds:
            places.setdefault((kind, _cut(statement.text)), place)
    return places


def _statements(
    exchanges: Iterable[Exchange], before: Sequence[Exchange] = ()
) -> Iterator[tuple[int, Statement]]:
    """Yield the index and the statements of each exchange after those *before*."""
    earlier = list[Exchange]()
    fault, reported = "", 0
    for place, exchange in enumerate((*before, *exchanges)):
        if reports_fault(exchange.user):
            fault, reported = exchange.user, place
        is_sought = place - reported <= SOUGHT_FOR and not asks_for_explanation(exchange.user)
        spoken = _diagnosed(exchange, fault if is_sought else "")
        fault = "" if _explains(spoken) else fault
        if (index := place - len(before)) >= 0:
            yield from ((index, known) for known in _stated_after(earlier, exchange, spoken))
        earlier.append(exchange)


def _stated_after(
    earlier: Sequence[Exchange], exchange: Exchange, spoken: Iterable[Statement]
) -> Iterator[Statement]:
    """Yield the statements *spoken* in *exchange*, with what they answer."""
    is_first = True
    for label in bare_labels(exchange.user):
        if (named := with_options(label, _newest_first(earlier))) != label:
            yield Statement(named, by_user=True, kinds=("decision",))
            is_first = False
    for statement in _with_joined_gotchas(spoken):
        is_reason = objects(statement.text) and any(map(asks, earlier[-1:]))
        stated = statement._replace(kinds=()) if is_reason else statement
        if statement.by_user:
            yield from _in_context(stated, exchange, earlier, is_first=is_first)
        else:
            yield statement
        is_first = is_first and nods(statement.text)


def _in_context(
    statement: Statement, exchange: Exchange, earlier: Sequence[Exchange], *, is_first: bool
) -> Iterator[Statement]:
    """
    Yield the user's *statement* with the decision it implies.

    That is the option named by letter, the accepted offer, or each step of an agreed plan.
    """
    chosen = with_options(statement.text, _newest_first(earlier))
    if chosen != statement.text or "decision" in statement.kinds:
        kinds = dict.fromkeys((*statement.kinds, "decision"))
        yield statement._replace(text=chosen, kinds=tuple(kinds))
        return
    decided = list(echoed(statement.text, exchange)) if is_first else []
    if earlier:
        decided += agreed_items(statement.text, earlier[-1])
        decided += (
            [answer]
            if not decided and is_first and settles(answer := whole_answer(exchange), earlier[-1])
            else []
        )
    if statement.text not in decided:
        yield statement
    for text in decided:
        yield statement._replace(text=text, kinds=(*statement.kinds, "decision"))


def _newest_first(exchanges: Sequence[Exchange]) -> Iterator[str]:
    return (text for known in reversed(exchanges) for text in (known.assistant, known.user))


def _with_joined_gotchas(spoken: Iterable[Statement]) -> Iterator[Statement]:
    """
    Yield *spoken* with consecutive gotchas of a reply joined.

    A cause and its fix belong together.
    """
    running: Statement | None = None
    for statement in spoken:
        joined = f"{running.text} {statement.text}" if running else statement.text
        if running and _only_warns(statement) and len(joined) <= LONGEST_STATEMENT:
            running = running._replace(text=joined)
            continue
        if running:
            yield _without_mere_deed(running)
        running = statement if _only_warns(statement) else None
        if not running:
            yield statement
    if running:
        yield _without_mere_deed(running)


def _without_mere_deed(joined: Statement) -> Statement:
    """Return *joined*, no gotcha if it begins with a change and names no cause."""
    return joined._replace(kinds=()) if reports_deed(joined.text) else joined


def _only_warns(statement: Statement) -> bool:
    return not statement.by_user and statement.kinds == ("gotcha",)


@lru_cache(maxsize=2 * BUFFERED)  # a chunk is described first, its details are told apart later
def statements_of(exchange: Exchange) -> tuple[Statement, ...]:
    """Return the statements of *exchange*, in order."""
    answers = (answered.statement for answered in exchange.answers if answered.answer)
    replied = _stated(exchange.assistant, by_user=False)
    if asks_for_explanation(exchange.user):
        replied = (statement._replace(kinds=()) for statement in replied)
    return (
        *_stated(_uncommanded(exchange.user), by_user=True),
        *(
            Statement(answer, by_user=True, kinds=("decision",), is_answer=True)
            for answer in answers
        ),
        *replied,
    )


@lru_cache(maxsize=2 * BUFFERED)  # an exchange is before the next chunks, too
def _diagnosed(exchange: Exchange, fault: str) -> Sequence[Statement]:
    """
    Mark the cause of *fault*, which the reply names, as a gotcha.

    Nothing is marked if there is a gotcha already.
    """
    spoken = statements_of(exchange)
    replied = [known.text for known in spoken if not known.by_user]
    cause = "" if not fault or _explains(spoken) else diagnosis(fault, replied)
    marked = list[Statement]()
    for known in spoken:
        if cause and not known.by_user and cause.startswith(known.text):
            marked.append(known._replace(text=cause, kinds=(*known.kinds, "gotcha")))
            cause = ""
        else:
            marked.append(known)
    return tuple(marked)


def _explains(spoken: Iterable[Statement]) -> bool:
    return any("gotcha" in known.kinds and not known.by_user for known in spoken)


def _stated(text: str, *, by_user: bool) -> Iterator[Statement]:
    """Yield the sentences of *text* without quotations, which are of others."""
    spoken = sentences(_QUOTATION.sub("", text))
    is_pasted = len(text) > PASTED_CHARACTERS and text.count("\n") >= PASTED_LINES
    kinds_of = _kinds_of_agent if not by_user else _kinds_if_pasted if is_pasted else _kinds_of_user
    return (Statement(sentence, by_user, tuple(kinds_of(sentence))) for sentence in spoken)


def _kinds_of_agent(sentence: str) -> Iterator[Kind]:
    if decides(sentence) and not (is_of_others(sentence) or reports_status(sentence)):
        yield "decision"
    if warns(sentence) and not reports_status(sentence):
        yield "gotcha"


def _kinds_of_user(sentence: str) -> Iterator[Kind]:
    if decides(sentence) or chooses(sentence):
        yield "decision"
    if (warns(sentence) and not sentence.endswith(":")) or reminds(sentence):
        yield "gotcha"
    if prefers(sentence):
        yield "preference"


def _kinds_if_pasted(sentence: str) -> Iterator[Kind]:
    """Yield the kinds that only a user's own words have, not a pasted report."""
    if decides(sentence):
        yield "decision"
    if reminds(sentence):
        yield "gotcha"
    if prefers(sentence):
        yield "preference"


def _request(spoken: Iterable[Statement]) -> str:
    asked = [
        statement.text for statement in spoken if statement.by_user and not statement.is_answer
    ]
    return next(filter(is_informative, asked), next(iter(asked), ""))


def _uncommanded(prompt: str) -> str:
    word = opening_word(prompt)
    return without_opening(prompt, word) if word in commands_in(word) else prompt


def _metadata(
    exchanges: Iterable[Exchange],
    spoken: tuple[Statement, ...],
    project: str,
    siblings: Sequence[str],
) -> ChunkMetadata:
    texts = [exchange.text for exchange in exchanges]
    decisions = _distinct(
        unechoed(
            (statement.text, statement.by_user)
            for statement in spoken
            if "decision" in statement.kinds
        )
    )
    return ChunkMetadata(
        projects=_unique(
            filter(None, (project, *_found(partial(projects_in, known=siblings), texts)))
        ),
        files=files_in(texts),
        commands=_unique(
            _found(
                commands_in, (f"{exchange.user}\n{exchange.assistant}" for exchange in exchanges)
            )
        ),
        decisions=decisions,
        gotchas=_distinct(
            unrepeated(statement.text for statement in spoken if "gotcha" in statement.kinds)
        ),
        preferences=_distinct(
            statement.text for statement in spoken if "preference" in statement.kinds
        ),
        areas=areas_of(
            [*decisions, *(statement.text for statement in spoken if statement.by_user)],
            [statement.text for statement in spoken if not statement.by_user],
        ),
        phases=_unique(_found(phases_in, texts)),
    )


def _found(names: Callable[[str], Iterator[str]], texts: Iterable[str]) -> Iterator[str]:
    return (name for text in texts for name in names(text))


def _distinct(statements: Iterable[str]) -> tuple[str, ...]:
    return _unique(map(_cut, statements))


def _cut(statement: str) -> str:
    return shortened(statement, LONGEST_STATEMENT)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
