"""Receipts of injections: text, delivery, and context windows."""

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

How: TypeAlias = Literal["answer", "edit", "validation"]
HOWS: tuple[How, ...] = get_args(How)
"""The place of the signal."""


class Influence(NamedTuple):
    """
    An entry that was used in a session.

    Attributes:
        phrase: The words of the entry that were found; empty for a judgement.
    """

    entry_id: str
    session_id: str
    how: How
    phrase: str
    at: dt.datetime


SHA256_MODULES = ("_sha2", "_sha256", "hashlib")
"""Python's own, by version."""


def text_digest(text: str) -> str:
    """
    Return the sha256 of *text* as UTF-8, in hex.

    Lone surrogates are encoded as they are.
    """
    return str(_sha256_module().sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def framed_by(text: str, pieces: Sequence[str]) -> tuple[str, ...]:
    """
    Return the parts of *text* before, between and after *pieces*.

    There is one part more than pieces.

    Raises:
        ValueError: a piece is not in *text* after those before it.
    """
    return tuple(_frame(text, pieces))


def assembled(frame: Sequence[str], pieces: Sequence[str]) -> str:
    """
    Join *pieces* with the *frame* that `framed_by` returned for them.

    Raises:
        ValueError: *frame* does not have one part more than there are *pieces*.
    """
    if len(frame) != len(pieces) + 1:
        raise ValueError(f"a frame of {len(frame)} parts does not go around {len(pieces)} pieces")
    return frame[0] + "".join(piece + after for piece, after in zip(pieces, frame[1:], strict=True))


def _frame(text: str, pieces: Sequence[str]) -> Iterator[str]:
    end = 0
    for place, piece in enumerate(pieces):
        begin = text.find(piece, end)
        if begin < 0:
            raise ValueError(
                f"piece {place} does not stand in the text after those before it: {piece!r:.60}"
            )
        yield text[end:begin]
        end = begin + len(piece)
    yield text[end:]


@cache
def _sha256_module() -> Any:
    for name in SHA256_MODULES[:-1]:
        try:
            return import_module(name)
        except ImportError:
            continue
    return import_module(SHA256_MODULES[-1])


MAX_MISSED = 3
"""Near misses that a receipt keeps."""

NO_ROOM = "no room"
NOT_RELEVANT = "not relevant enough"
TOO_LOW = "below the last place"
OWED = "the remaining places belong to other categories"
TOO_WEAK = "too weak"
SUPERSEDED = "superseded"
HARMFUL = "did harm where it was shown"
SHOWN_ALREADY = "shown already in this session"
NOT_NEW = "not new since the block of this session"


def known_from(name: str) -> str:
    """Return why to leave out an entry that file *name* contains."""
    return f"{name} says it already"


Event: TypeAlias = Literal["start", "prompt", "failure", "file", "edit", "subagent", "ask"]
EVENTS: tuple[Event, ...] = get_args(Event)
"""The occasion of an injection."""

MOMENTS: tuple[Event, ...] = EVENTS[2:-1]
"""The events in which an agent acts and gets a memory."""

OBSERVED: tuple[Event, ...] = ("failure", "file", "edit")
"""The moments whose outcome the next actions are."""

Delivery: TypeAlias = Literal["printed", "awaited", "missed", "delivered"]
DELIVERIES: tuple[Delivery, ...] = get_args(Delivery)
"""
The state of an injection on its way to the model.

`printed`: the host has no transcript that shows it, so printing counts. Another host's transcript
decides: `awaited` until the turn's end, then `delivered`, which counts, or `missed`, which doesn't:
the host did not wait for the hook.
"""

COUNTED: tuple[Delivery, ...] = ("printed", "delivered")

Arm: TypeAlias = Literal["", "shown", "withheld"]
ARMS: tuple[Arm, ...] = get_args(Arm)
"""
The arm of a trial, empty without one.

An injection that is withheld is recorded as it would have been, and was not delivered: `missed`.
"""

Form: TypeAlias = Literal["lesson", "note", "conversation", "memory"]
FORMS: tuple[Form, ...] = get_args(Form)
"""
The printed form.

A lesson of the block, a plain note (also a rule), one line, an entry by itself with its date.
"""


class ReceiptEntry(NamedTuple):
    """
    An entry in an injected text.

    Attributes:
        score: The ranking score; None if no search chose it.
        room: How many characters its line was cut to, 0 if it is whole.
        origin: The printed label of its project; empty for none.
        is_rejected: Whether a user or agent said that it did not help.
        warning: The printed sentence on what changed since it was cited; empty for none.
    """

    entry_id: str
    form: Form
    digest: str
    score: float | None = None
    parts: Mapping[str, float] = {}
    room: int = 0
    origin: str = ""
    is_rejected: bool = False
    warning: str = ""


LONGEST_SHOWN = 2_000
"""Characters of a text that usage signals are looked for in."""


class ShownText(NamedTuple):
    """
    The texts of an entry that were injected into a session.

    Attributes:
        description: Empty where only a line of it was shown.
        is_counted: Whether its use in that session is recorded already.
    """

    entry_id: str
    name: str
    description: str
    notes: str
    is_counted: bool = False


class NearMiss(NamedTuple):
    """An entry that was nearly injected."""

    entry_id: str
    score: float
    why: str


class Outcome(NamedTuple):
    """
    Actions of the agent after a lesson was shown at a moment of action.

    Attributes:
        tries: Ended runs of the command that had failed, or of a test after an edit.
        repeats: Runs that failed with the same error.
        passed: Whether the last try passed; None as long as it is open.
        is_edited: Whether the opened file was edited.
    """

    tries: int = 0
    repeats: int = 0
    passed: bool | None = None
    is_edited: bool = False

    def has_helped(self, *, is_used: bool = False, is_rejected: bool = False) -> bool | None:
        """
        Return whether the lesson helped, None if that is unknown.

        Args:
            is_used: Whether the agent named the lesson, or it was confirmed.
            is_rejected: Whether a user or agent said that it did not help.

        >>> Outcome(2, passed=True).has_helped(), Outcome(3, 1, passed=True).has_helped(), UNSEEN.has_helped()
        (True, False, None)
        """
        if is_rejected or is_used:
            return not is_rejected
        return False if self.repeats else self.passed


UNSEEN = Outcome()
"""Nothing was observed."""


class OutcomeCount(NamedTuple):
    """
    Showings of an entry with the same outcome.

    Attributes:
        has_helped: Whether the entry helped, by the outcome.
        is_settled: Whether the entry was confirmed afterwards.
        is_withheld: Whether a trial withheld the entry: then only actions count.
    """

    entry_id: str
    event: Event
    has_helped: bool
    is_settled: bool
    times: int
    is_withheld: bool = False


class Receipt(NamedTuple):
    """
    The record of an injection.

    Attributes:
        query: The text that was searched for, without secrets; None without a signal.
        frame: The text before, between and after the entries, one part more than `shown`.
        missed: The best entries that were left out, best first.
        keyword_text: The text of the keyword search, without secrets; None if it was the query.
        delivery: Whether it reached the model, as far as is known.
        agent: The subagent it was for, by the host's name; empty for the session's own agent.
        latest: The largest number of an entry then; None before it is stored.
        signature: That of the error that it answers, without secrets; empty for none.
        outcome: The actions observed after it.
        arm: Whether a trial showed or withheld it; empty without a trial.
    """

    session_id: str
    event: Event
    at: dt.datetime
    project: str
    query: str | None
    space: str | None
    policy: str
    digest: str
    frame: tuple[str, ...]
    shown: tuple[ReceiptEntry, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    keyword_text: str | None = None
    delivery: Delivery = "printed"
    agent: str = ""
    latest: int | None = None
    signature: str = ""
    outcome: Outcome = UNSEEN
    arm: Arm = ""
    number: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the agent's actions may still change its outcome."""
        is_decided = self.outcome.passed is not None
        is_missed = self.delivery == "missed" and self.arm != "withheld"
        return self.event in OBSERVED and not is_missed and not is_decided


class SessionTurn(NamedTuple):
    """
    The last turn of a session, as far as it is known.

    Attributes:
        edits: The text that it wrote into files since the user's last prompt.
        given: The text of others: the user's messages, and what an edit replaced or left.
    """

    answer: str = ""
    edits: str = ""
    given: str = ""


TOLERANCE = dt.timedelta(milliseconds=1)
"""
How much earlier than its receipt a text may be dated.

Hosts date it when the hook has ended, and cut to milliseconds.
"""


class GivenText(NamedTuple):
    """
    A text that a host gave its model beside the conversation.

    Attributes:
        text: Hosts trim it, or join it with others.
    """

    text: str
    at: dt.datetime | None = None


class UndeliveredInjection(NamedTuple):
    """
    A printed injection that was not found in a transcript yet.

    Attributes:
        delivery: `awaited` or `missed`.
        agent: The subagent it was for; empty for the session's own agent.
    """

    number: int
    delivery: Delivery
    at: dt.datetime
    digest: str
    frame: tuple[str, ...]
    agent: str = ""

    def is_in(self, given: GivenText) -> bool:
        r"""
        Return whether *given* contains the injection, whole and unchanged.

        An earlier text does not count: the same block may have been given before.

        >>> at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        >>> injection = UndeliveredInjection(1, "awaited", at, text_digest("<m>\na\n</m>\n"), ("<m>\n", "\n</m>\n"))
        >>> injection.is_in(GivenText("Hook said: <m>\na\n</m>")), injection.is_in(GivenText("<m>\nb\n</m>"))
        (True, False)
        """
        if given.at and given.at < self.at - TOLERANCE:
            return False
        before, after = "".join(self.frame[:1]), "".join(self.frame[-1:])
        first, last = before.lstrip(), after.rstrip()
        begin, end = (
            given.text.find(first.rstrip()),
            given.text.rfind(last.lstrip()) + len(last.lstrip()),
        )
        lead, trail = before[: len(before) - len(first)], after[len(last) :]
        return begin >= 0 and text_digest(lead + given.text[begin:end] + trail) == self.digest


Beginning: TypeAlias = Literal["new", "emptied", "continued"]
"""How a session starts."""


class ContextWindow(NamedTuple):
    """
    The context window of one agent.

    Attributes:
        agent: The subagent, by the host's name; empty for the session's own agent.
    """

    session_id: str
    agent: str = ""


class LastResponse(NamedTuple):
    """
    The last response before a session goes on.

    Attributes:
        tokens: Of the context, with the response.
    """

    age: int
    tokens: int


class HeldMemory(NamedTuple):
    """
    The injected memory in a context window.

    Attributes:
        latest: The largest number of an entry when the last block was injected; None without a
            block.
        moments: The number of injections at moments of action.
        files: The queries of the injections for opened files.

    Examples:
        >>> held = HeldMemory(frozenset({"quotes"}), latest=5)
        >>> held.is_new("quotes", 3), held.is_new("commas", 4), held.is_new("headers", 6)
        (False, False, True)
    """

    entries: Collection[str] = frozenset()
    latest: int | None = None
    moments: int = 0
    files: Collection[str] = frozenset()

    @property
    def has_block(self) -> bool:
        """Whether it has a block."""
        return self.latest is not None

    def is_new(self, entry_id: str, number: int) -> bool:
        """Return whether the entry is new since the last block."""
        return entry_id not in self.entries and (self.latest is None or number > self.latest)


NOTHING = HeldMemory()
