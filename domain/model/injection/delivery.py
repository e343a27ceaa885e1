"""
The delivery of an injection: the host's transcript has the texts that it gave its model.

Standard library only: the hooks use it.
"""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.injection.receipt import Delivery, text_digest

TOLERANCE = dt.timedelta(milliseconds=1)
"""How much earlier than the receipt's a text's time may be: hosts date it when the hook has ended, and cut it to milliseconds."""


class GivenText(NamedTuple):
    """
    A text that a host gave its model beside the conversation.

    Attributes:
        text: The text; hosts trim it, or join it with others.
        at: When, by the host; None if it does not say.

    """

    text: str
    at: dt.datetime | None = None


class Undelivered(NamedTuple):
    """
    An injection that was printed and was not found in a transcript yet.

    Attributes:
        number: Of its receipt.
        delivery: `awaited` or `missed`.
        at: When it was printed.
        digest: `text_digest` of its text.
        frame: Its text before, between and after the entries.

    """

    number: int
    delivery: Delivery
    at: dt.datetime
    digest: str
    frame: tuple[str, ...]

    def is_in(self, given: GivenText) -> bool:
        r"""
        Return whether the model got the injection, whole and unchanged, with *given*.

        An earlier text does not count: the same block may have been given before.

        >>> at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        >>> injection = Undelivered(1, "awaited", at, text_digest("<m>\na\n</m>\n"), ("<m>\n", "\n</m>\n"))
        >>> injection.is_in(GivenText("Hook said: <m>\na\n</m>")), injection.is_in(GivenText("<m>\nb\n</m>"))
        (True, False)
        """
        if given.at and given.at < self.at - TOLERANCE:
            return False
        before, after = "".join(self.frame[:1]), "".join(self.frame[-1:])
        first, last = before.lstrip(), after.rstrip()
        begin, end = given.text.find(first.rstrip()), given.text.rfind(last.lstrip()) + len(last.lstrip())
        lead, trail = before[: len(before) - len(first)], after[len(last) :]
        return begin >= 0 and text_digest(lead + given.text[begin:end] + trail) == self.digest
