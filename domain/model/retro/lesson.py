"""Lessons of a retrospective: from the facilitator's answer to stored entries."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import attrs

from hardwon.domain.model.conversation.title import titled
from hardwon.domain.model.entry import Entry, one_line, redact_entry
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.keyword_labels import valid_labels
from hardwon.domain.model.knowledge_bank import OBSERVED_IN, metadata_line, text_after
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.retro.bank_edit import BankLesson
from hardwon.domain.model.vocabulary import Category


@attrs.frozen(kw_only=True)
class RetroItem:
    """
    A lesson as the agent wrote it.

    Attributes:
        place: Its position in the answer, for messages: `act.patterns[0]`.
    """

    place: str
    category: Category
    text: str
    name: str = ""
    provenance: str = ""
    confidence: str = "medium"
    keywords: tuple[str, ...] = ()
    reasoning: str = ""
    universal: bool = False

    @property
    def all_text(self) -> str:
        """All its texts, searched for mentioned files."""
        return f"{self.text}\n{self.name}\n{self.provenance}\n{self.reasoning}"


class RetroAnswer(NamedTuple):
    """
    A parsed answer.

    Attributes:
        items: In its order, without those that have problems.
    """

    items: tuple[RetroItem, ...]
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


MAX_WORDS = 8
MIN_WORDS = 3
_CLAUSE_END = re.compile(
    r"[.!?:;,](?= |$)|(?= (?:because|since|so that|which|when|while|where|if|unless|but)\b| \(|"
    r" (?:[\u2013\u2014]|--?) )"
)


def made_name(text: str) -> str:
    """
    Return the first clause of *text*, at most its first 8 words.

    A name cut within a clause ends in `…`; a clause has at least three words.
    """
    line = " ".join(text.split())
    begun = " ".join(line.split(" ")[:MAX_WORDS])
    clauses = (begun[: end.start()] for end in _CLAUSE_END.finditer(begun))
    clause = next(
        (candidate for candidate in clauses if candidate.count(" ") + 1 >= MIN_WORDS), None
    )
    return titled([clause or (begun if begun == line else f"{begun}…")], [], "")


MAX_REFERENCES = 10
SHORTEST_STEM = 3
BANK_FOLDER = "docs/knowledge-bank/"

NOT_CODE = frozenset(
    """
    adoc csv eot gif ico jpeg jpg lock log markdown md mdx pdf png rst sum svg ttf txt webp woff woff2
    """.split()
)
"""Extensions of files that are read or viewed, not run."""


LOCK_ENDINGS = (
    ".lock",
    ".lockb",
    ".lockfile",
    "-lock.json",
    "-lock.yaml",
    ".lock.json",
    "-shrinkwrap.json",
    "go.sum",
)
SETTINGS_OF_TOOLS = (".meta.json", ".mcp.json")
"""Files about the state of work and an agent's servers."""


class _Names(NamedTuple):
    """
    The names of a file in a text, longest first.

    The stem is the base name without its extension.
    """

    path: str
    base: str
    stem: str


def is_code(path: str) -> bool:
    """Return whether the file is code or configuration."""
    return _ending(path) not in NOT_CODE


def may_be_referred_to(path: str) -> bool:
    """
    Return whether a lesson can be about the file.

    It can't be about a knowledge bank, a lock, or a tool's settings.
    """
    base = path.rpartition("/")[2].lower()
    return (
        BANK_FOLDER not in f"/{path}"
        and base not in SETTINGS_OF_TOOLS
        and not base.endswith(LOCK_ENDINGS)
    )


def chosen_references(text: str, diff: Sequence[str]) -> tuple[str, ...]:
    """
    Return the files of *diff* that *text* mentions, else the diff's code.

    A mention is a path, a base name or a stem; paths have `/`.

    Returns:
        At most 10 distinct paths, mentioned ones first, else in the order of *diff*; at least one
        file of code when the diff has one.
    """
    files = [path for path in dict.fromkeys(diff) if may_be_referred_to(path)]
    code = [path for path in files if is_code(path)]
    mentioned = [path for path in files if _mentions(text.lower(), _names(path.lower()))][
        :MAX_REFERENCES
    ]
    if not any(map(is_code, mentioned)):
        mentioned = [*mentioned[: MAX_REFERENCES - 1], *(code or (() if mentioned else files))]
    return tuple(mentioned[:MAX_REFERENCES])


def _names(path: str) -> _Names:
    base = path.rpartition("/")[2]
    return _Names(path, base, base.partition(".")[0] or base)


def _mentions(text: str, names: _Names) -> bool:
    shortest = names.stem if len(names.stem) >= SHORTEST_STEM else names.base
    return shortest in text and any(
        _is_word_in(name, text) for name in (shortest, names.base, names.path)
    )


def _is_word_in(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


_NOT_A_NAME = re.compile(r"(?:\s|#+(?=\s|$)|(?:Anti-)?Pattern:)+", re.IGNORECASE)
"""Prefixes that a knowledge bank's headings have anyway."""


@attrs.frozen(kw_only=True)
class RetroFeature:
    """The feature that a retrospective is about."""

    name: str
    project: str
    files: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class RetroLesson:
    """
    A lesson ready to be stored.

    Attributes:
        dropped: Keywords of the agent that are not valid.
        surplus: Valid keywords beyond the limit.
    """

    place: str
    entry: Entry
    observed_in: str
    dropped: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()

    def for_bank(self, count: int) -> BankLesson:
        """Return it for the knowledge bank, observed *count* times."""
        return bank_lesson(self.entry, self.observed_in, count)


def bank_lesson(entry: Entry, observed_in: str, count: int) -> BankLesson:
    """
    Return a learning for the knowledge bank.

    It was last observed when it was last changed.
    """
    if entry.category is None:
        raise InvalidEntryError(
            f"{entry.entry_id} is a {entry.kind}: a knowledge bank holds learnings alone"
        )
    return BankLesson(
        category=entry.category,
        name=_heading(entry.name) or entry.name,
        description=entry.description,
        observed_in=observed_in,
        observation_count=count,
        confidence=entry.confidence,
        day=day_of(entry.updated_at),
    )


def day_of(time: dt.datetime) -> str:
    """Return the day of *time* in UTC, `YYYY-MM-DD`."""
    return f"{time.astimezone(dt.UTC):%Y-%m-%d}"


def observed_in_of(notes: str) -> str:
    """Return the last observation place in *notes*, empty without one."""
    places = [text_after(OBSERVED_IN, line) for line in notes.split("\n")]
    return next(filter(None, reversed(places)), "")


def read_lessons(
    answer: RetroAnswer, feature: RetroFeature, now: dt.datetime
) -> tuple[RetroLesson, ...]:
    """
    Return the lessons of *answer*.

    Raises:
        InvalidAnswerError: it has problems, an item breaks a rule, or two items are equal; it lists
            all of them.
    """
    lessons, problems = dict[str, RetroLesson](), [*answer.problems]
    for item in answer.items:
        try:
            lesson = _lesson(item, feature, now)
        except InvalidEntryError as error:
            problems.append(f"{item.place}: {_in_its_words(str(error), item)}")
            continue
        twin = lessons.setdefault(lesson.entry.entry_id, lesson)
        if twin is not lesson:
            problems.append(f"{item.place} says the same as {twin.place}: keep one of them")
    if problems:
        raise InvalidAnswerError(problems)
    return tuple(lessons.values())


def _lesson(item: RetroItem, feature: RetroFeature, now: dt.datetime) -> RetroLesson:
    words = tuple(map(stored_form, item.keywords))
    labels = valid_labels(words)
    entry: Entry = redact_entry(_entry(item, labels, feature=feature, now=now))
    name = _heading(entry.name) or _heading(made_name(entry.description)) or item.place
    return RetroLesson(
        place=item.place,
        entry=attrs.evolve(entry, name=name),
        observed_in=observed_in_of(entry.notes),
        dropped=tuple(word for word in words if not valid_labels([word])),
        surplus=tuple(word for word in words if not {*valid_labels([word])} <= {*labels}),
    )


def _entry(
    item: RetroItem, keywords: tuple[str, ...], feature: RetroFeature, now: dt.datetime
) -> Entry:
    observed_in = one_line(item.provenance) or feature.name
    values: dict[str, Any] = {"confidence": item.confidence}
    return Entry(
        name=item.name.strip() or made_name(stored_form(item.text)),
        description=item.text,
        reasoning=item.reasoning,
        notes=metadata_line(OBSERVED_IN, observed_in) if observed_in else "",
        category=item.category,
        keywords=keywords,
        references=chosen_references(item.all_text, feature.files),
        source="retro",
        source_project=None if item.universal else feature.project,
        created_at=now,
        updated_at=now,
        **values,
    )


def _heading(name: str) -> str:
    start = _NOT_A_NAME.match(name)
    return name[start.end() :] if start else name


def _in_its_words(message: str, item: RetroItem) -> str:
    """
    Reword a message on an entry in the terms of the answer.

    There the text may be the name too.
    """
    return re.sub(
        r"^description\b" if item.name.strip() else r"^(?:description|name)\b", "text", message
    )
