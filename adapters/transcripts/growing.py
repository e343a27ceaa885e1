"""An exchange while its lines are read."""

import datetime as dt
from collections.abc import Iterator

from hardwon.adapters.transcripts.questions import answers_to
from hardwon.adapters.transcripts.said import Question, Said
from hardwon.domain.model.conversation.cleaning import Cleaning
from hardwon.domain.model.conversation.exchange import ENDS_OF_QUESTION, Answered, Exchange
from hardwon.domain.model.redaction import REDACTED
from hardwon.ports.transcripts import Transcribed

LONGEST_TEXT = 100_000
"""In characters: so much of a prompt or a reply is kept. More is a log, which no file of a project should hold."""

LOOKED_AT = 10 * LONGEST_TEXT
"""So much of it is cleaned: much may go from it."""

CUT = "\n\n[…]"


class Growing:
    """An exchange of which more may come."""

    def __init__(self, said: Said, begins_at: int, at: dt.datetime) -> None:
        self._begins_at, self._at = begins_at, at
        self._session_id, self._branch = said.session_id, said.branch
        self._needs_reply = said.needs_reply
        self._prompt = said.prompt or ""
        self._replies: list[str] = []
        self._room = LOOKED_AT
        self._asked: dict[str, tuple[Question, ...]] = {}
        self._answers: list[Answered] = []

    def add(self, said: Said) -> None:
        """Take in more of it."""
        for reply in said.replies:
            if self._room > 0:
                self._replies.append(reply)
                self._room -= len(reply)
        self._asked |= said.asked
        for result in said.results:
            self._answers += answers_to(self._asked.pop(result.tool_use_id, ()), result)

    def kept(self, cleaning: Cleaning, *, is_over: bool) -> Iterator[Transcribed]:
        """Yield the exchange as it is now; nothing when nothing of it is to be kept."""
        user = _kept(self._prompt, cleaning)
        assistant = _kept("\n\n".join(self._replies), cleaning)
        answers = tuple(self._clean_answers(cleaning))
        is_prompted = bool(user) and not self._needs_reply
        if is_prompted or assistant or answers:
            exchange = Exchange(user, assistant, self._at, answers)
            yield Transcribed(exchange, self._begins_at, is_over, self._session_id, self._branch)

    def _clean_answers(self, cleaning: Cleaning) -> Iterator[Answered]:
        for question, *texts in ((each.question, each.answer, *each.options) for each in self._answers):
            asked = _kept(question, cleaning)
            answer, *options = (_clean_beside(asked, _kept(text, cleaning), cleaning) for text in texts)
            if answer:
                yield Answered(asked, answer, tuple(options))


def _clean_beside(question: str, answer: str, cleaning: Cleaning) -> str:
    """Return *answer* without what only its *question*, such as `Which password?`, tells to be a secret."""
    for before in (f"{question.rstrip(ENDS_OF_QUESTION)}: ", f"{question} "):
        joined = f"{before}{answer}"
        if question and answer and (clean := cleaning(joined)) != joined:
            answer = clean[len(before) :] if clean.startswith(before) else REDACTED
    return answer


def _kept(text: str, cleaning: Cleaning) -> str:
    """Return the beginning of *text* that is kept, cut where no secret is cut in two."""
    clean = cleaning.beginning(text, LOOKED_AT)
    return clean if len(clean) <= LONGEST_TEXT else clean[:LONGEST_TEXT].rstrip() + CUT
