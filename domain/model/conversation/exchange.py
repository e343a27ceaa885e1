"""What was said in one turn of a session."""

import datetime as dt
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.cleaning import as_text
from hardwon.domain.model.errors import InvalidEntryError

MILLISECOND = 1_000  # microseconds
ENDS_OF_QUESTION = "?:. "


class Answered(NamedTuple):
    """
    A question that the agent asked by a tool, and what the user chose.

    Attributes:
        question: As it was asked, one line.
        answer: As it was given, one line.
        options: What there was to choose from, each one line.

    """

    question: str
    answer: str
    options: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """What it comes to, as a sentence: `Which port: 5432.`."""
        question, answer = self.question.rstrip(ENDS_OF_QUESTION), self.answer.rstrip(".")
        return f"{question}: {answer}." if question else self.answer


def _canonical(moment: dt.datetime) -> dt.datetime:
    """Return *moment* in UTC, to the millisecond, as transcripts have it."""
    if moment.tzinfo is None:
        raise InvalidEntryError(f"the time {moment.isoformat()} has no zone: add one, such as Z")
    utc = moment.astimezone(dt.UTC)
    return utc.replace(microsecond=utc.microsecond // MILLISECOND * MILLISECOND)


def _in_lines(answers: tuple[Answered, ...]) -> tuple[Answered, ...]:
    return tuple(Answered(as_line(a.question), as_line(a.answer), tuple(map(as_line, a.options))) for a in answers)


def as_line(text: str) -> str:
    """Return *text* as any file can hold it, on one line."""
    return " ".join(as_text(text).split())


def _says_something(exchange: "Exchange", _: object, answers: tuple[Answered, ...]) -> None:
    if not (exchange.user or exchange.assistant or answers):
        raise InvalidEntryError("an exchange in which nobody says anything is none")


@attrs.frozen
class Exchange:
    """
    A prompt and all that was answered to it; one that exists reads back from markdown as it is.

    Attributes:
        user: What the user said; empty where the agent went on by itself.
        assistant: What the agent said, without its tool calls; empty where it was interrupted.
        at: When the user said it, in UTC, to the millisecond.
        answers: What the agent asked in between, in order.

    """

    user: str = attrs.field(converter=as_text)
    assistant: str = attrs.field(converter=as_text)
    at: dt.datetime = attrs.field(converter=_canonical)
    answers: tuple[Answered, ...] = attrs.field(default=(), converter=_in_lines, validator=_says_something)

    @property
    def text(self) -> str:
        """All that was said, in order, as one text."""
        asked = (f"{answered.question} {answered.answer}" for answered in self.answers)
        return "\n\n".join(filter(None, (self.user, *asked, self.assistant)))

    def continues(self, earlier: "Exchange") -> bool:
        """Tell whether this is *earlier* again, of which more was said since."""
        return (self.at, self.user) == (earlier.at, earlier.user)
